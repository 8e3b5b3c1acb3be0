"""The lowest tier in the drawing of a network beside the compute fabric: the devices on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.outputs.drawings.merged_tiers import Tier

if TYPE_CHECKING:
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.networks.attachments import Attachments
    from fabricgen.planning.plan import Plan


def attached_tier(network: Plan, attached: Attachments) -> tuple[Tier, IntArray]:
    """Return the devices on a network, and the device of each link to one.

    Devices of a kind on the same leaf are a group.
    """
    numbers: dict[str, int] = {}
    of_bond = np.array([numbers.setdefault(name, len(numbers)) for name in attached.devices])
    wired = network.segment
    rows = wired.kind == LinkKind.HOST
    device = of_bond[wired.lower[rows] // attached.bond]
    leaf = np.zeros(len(numbers), dtype=np.int64)
    leaf[device[::-1]] = wired.upper[rows][::-1]
    kinds = {name: kind for kind, group in enumerate(attached.groups) for name in group.names}
    kind = np.array([kinds[name] for name in numbers])
    starts = (np.diff(leaf, prepend=-1) != 0) | (np.diff(kind, prepend=-1) != 0)
    names = [*numbers]
    blank = [""] * len(names)
    return Tier("devices", names, blank, blank, np.cumsum(starts), switch=False), device


def words(network: Plan, attached: Attachments) -> str:
    """Return one line that describes a network."""
    devices, switches = len({*attached.devices}), len(network.naming.boxes)
    return (
        f"{network.spec.name}: {attached.ports:,} ports of {devices:,} devices,"
        f" {switches:,} switches, {network.links:,} links"
    )
