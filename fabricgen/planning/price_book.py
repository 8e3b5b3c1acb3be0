"""The price book of an inventory: one of the catalog or a file, with the inventory's own prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.catalog import CSV, YAML
from fabricgen.core.diagnostics import nearest, refuse

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.inventory.fabric import FabricSpec

DEFAULT_BOOK = "paper-v5"


def price_book(spec: FabricSpec, catalog: Catalog) -> PriceBook:
    """Return the inventory's book with its own prices over it.

    Raises Refusal `unknown-price-book`.
    """
    name = spec.prices.book or DEFAULT_BOOK
    book = catalog.price_book(name)
    if book is None:
        near = nearest(name, catalog.names("prices"))
        is_path = name.endswith((*YAML, CSV))
        known = (
            "a path is relative to the inventory; "
            if is_path
            else f"did you mean `{near}`? "
            if near
            else ""
        )
        listed = ", ".join(catalog.names("prices"))
        hint = f"{known}books: {listed}, or the path of a .yaml or .csv file"
        raise refuse(
            "unknown-price-book",
            f"there is no price book {'file ' if is_path else ''}`{name}`",
            path=("prices", "book"),
            hint=hint,
        )
    return book.model_copy(update={"parts": {**book.parts, **spec.prices.parts}})
