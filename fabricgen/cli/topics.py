"""The topics of `explain`: pages by their names, and keys of the inventory."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from fabricgen.inventory.keys import InventoryKey

ALIASES = {
    "breakout-reversed": "audit",
    "contradiction": "audit",
    "core": "tier",
    "exchanged": "audit",
    "extra": "audit",
    "fabrics-differ": "exit-code",
    "fault": "exit-code",
    "findings": "exit-code",
    "illegal-placement": "placement",
    "json": "exit-code",
    "leaf": "tier",
    "misplugged": "audit",
    "missing": "audit",
    "mixed-up": "audit",
    "node": "host",
    "optic": "transceiver",
    "optics": "transceiver",
    "pack": "bad-pack",
    "network-crossed": "audit",
    "plane-crossed": "audit",
    "pxn": "relay",
    "rail-crossed": "audit",
    "reference": "scalable-unit",
    "shifted": "audit",
    "silent": "audit",
    "spine": "tier",
    "stranger": "audit",
    "su": "scalable-unit",
    "swapped": "audit",
    "templates": "bad-template",
    "twin-port": "cable",
    "unjudged": "audit",
    "unknown-port": "audit",
    "unreachable": "exit-code",
    "usage": "exit-code",
}
"""Other word of the field, or code of what a command found -> the page that explains it."""


def pages(folder: str = "") -> Mapping[str, Traversable]:
    """Return every page by its name, or those of one folder: the terms are in `terms`."""
    root = files("fabricgen.cli").joinpath("pages")
    folders = [root.joinpath(folder)] if folder else [root, root.joinpath("terms")]
    return {
        page.name.removesuffix(".md"): page
        for each in folders
        for page in each.iterdir()
        if page.name.endswith(".md")
    }


def keys_named(word: str) -> list[InventoryKey]:
    """Return the key of a dotted name, or all keys whose last part is the word.

    >>> [key.name for key in keys_named("headroom-bytes")]
    ['roce.headroom_bytes']
    """
    from fabricgen.inventory.keys import inventory_keys

    name, known = word.replace("-", "_"), inventory_keys()
    if name in known:
        return [known[name]]
    return [key for key in known.values() if key.name.endswith(f".{name}")]
