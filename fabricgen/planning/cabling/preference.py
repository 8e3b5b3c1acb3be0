"""The choice between parts that fit, where medium and reach leave several.

Owns the rule, in its order: a part of the user's own catalog directories comes before a shipped
one, because users add what they buy; then the part whose facts are better proven; then the one of
lower power. Names decide only between parts that are equal in all of this. Prices decide nothing: a
price book must not change a fabric.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.optics import Cable, Transceiver

QUALITIES = "ABC"
"""How well facts are proven, the best first."""

RULE = (
    "of parts that fit and reach alike, your own catalog directories come first, then better proven"
    " facts, then less power"
)


class Rank(NamedTuple):
    """The sort key of parts of one medium and one reach; smaller comes first."""

    directory: int
    quality: int
    power_w: float


def rank(part: Transceiver | Cable, catalog: Catalog) -> Rank:
    """Rank a part; unpublished power comes last."""
    kind = "cables" if hasattr(part, "legs") else "transceivers"
    return Rank(
        catalog.directory(kind, part.model),
        QUALITIES.index(part.quality),
        math.inf if part.power_w is None else part.power_w,
    )
