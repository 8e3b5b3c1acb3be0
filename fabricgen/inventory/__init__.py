"""What is asked for: the inventory as frozen values.

Owns the keys of an inventory, their types, defaults, descriptions and examples; the JSON Schema is made from these models. It does not
know the catalog, and it checks no key against another: `resolving` does.

Modules of models, here and in `parts`, leave out `from __future__ import annotations`: pydantic
would have to compile every annotation again, in every run of the program.
"""

from fabricgen.inventory.fabric import SHORT_FORMS, FabricSpec, json_schema, long_form
from fabricgen.inventory.fields import NAME, PATTERNS
from fabricgen.inventory.purchasing import Prices, SparePolicy, Spares
from fabricgen.inventory.search import Search
from fabricgen.inventory.settings import Addressing, Roce
from fabricgen.inventory.site import Footprint, Rack, Site
from fabricgen.inventory.sizing import Phase, SwitchChoice

__all__ = [
    "NAME",
    "PATTERNS",
    "SHORT_FORMS",
    "Addressing",
    "FabricSpec",
    "Footprint",
    "Phase",
    "Prices",
    "Rack",
    "Roce",
    "Search",
    "Site",
    "SparePolicy",
    "Spares",
    "SwitchChoice",
    "json_schema",
    "long_form",
]
