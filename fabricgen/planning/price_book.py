"""The price book of an inventory: one of the catalog or a file, with the inventory's own prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.catalog import CSV, MODEL, YAML
from fabricgen.core.diagnostics import nearest, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.inventory.fabric import FabricSpec

DEFAULT_BOOK = "paper-v5"

PRICED = (
    "switches",
    "transceivers",
    "cables",
    "nics",
    "panels",
    "cassettes",
    "devices",
    "power-cords",
    "hosts",
)
"""Kinds of the catalog whose models are in a bill; trunks are listed by name and fibre count."""


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


def misspelt_parts(spec: FabricSpec, catalog: Catalog) -> Iterator[str]:
    """Yield a notice for each part of a user's price book that is nearly a model of the catalog.

    Order numbers, and services that are no model, have prices too.
    """
    if not spec.prices.book or not spec.prices.book.endswith((*YAML, CSV)):
        return
    book = price_book(spec, catalog)
    known = {name for kind in PRICED for name in catalog.names(kind)}
    for part in dict.fromkeys([*book.parts, *(quote.part for quote in book.quotes)]):
        is_model = part in known or part.startswith("trunk-") or not MODEL.fullmatch(part)
        near = None if is_model else nearest(part, known)
        if near:
            yield (
                f"`{spec.prices.book}` has a price of `{part}`, which is no part of the catalog:"
                f" did you mean `{near}`?"
            )
