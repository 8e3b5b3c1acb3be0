"""The labels of cables: a prefix for each kind of link and block, and a number of fixed width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.planning.mapping import Mapping

_DIGITS = 5
"""Digits of a cable number, or more where needed. Fixed, so that growth keeps labels."""

_LETTERS = {
    LinkKind.HOST: "h",
    LinkKind.LEAF_SPINE: "u",
    LinkKind.SPINE_CORE: "c",
    LinkKind.DIRECT: "d",
    LinkKind.PEER: "p",
}


def label_prefix(kind: LinkKind, rail: int | None, plane: int | None, network: str = "") -> str:
    """Return the prefix of a cable's label.

    >>> label_prefix(LinkKind.HOST, 3, None), label_prefix(LinkKind.HOST, None, None, "oob")
    ('r3-h', 'oob-h')
    """
    scope = network + ("" if rail is None else f"r{rail}") + ("" if plane is None else f"p{plane}")
    return f"{scope}-{_LETTERS[kind]}" if scope else _LETTERS[kind]


def label_width(mapping: Mapping) -> int:
    """Return the digits of the number on a cable's label."""
    sizing = mapping.sizing
    largest = max(sizing.slots, sizing.leaf * sizing.leaf_up, sizing.spine * sizing.spine_up)
    if mapping.topology:
        largest = len(mapping.topology.links.lower)
    return max(_DIGITS, mapping.digits("cable", largest))
