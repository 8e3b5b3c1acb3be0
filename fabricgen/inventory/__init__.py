"""What is asked for: the inventory as frozen values.

Owns the keys of an inventory, their types, defaults, descriptions and examples; the JSON Schema is
made from these models. It does not know the catalog, and it checks no key against another:
`resolving` does.

Modules of models, here and in `parts`, leave out `from __future__ import annotations`: pydantic
would have to compile every annotation again, in every run of the program.
"""
