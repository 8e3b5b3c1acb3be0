"""The inventory: what the user asks for, as frozen values.

Owns the keys of an inventory, their types, defaults, descriptions and examples; the JSON Schema is
made from these models. It does not read the catalog, and `planning.consistency` checks one key
against another.

The modules that define models, here and in `catalog.models`, leave out `from __future__ import
annotations`: pydantic would compile every annotation again in every run of the program.
"""
