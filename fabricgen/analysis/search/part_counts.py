"""The parts of a fabric by counts alone, without wiring.

Owns the arithmetic that `bom.counts` does over wires. It is exact if all segments are alike,
every link of a kind has the same parts, and everything that was sized is installed, as in the
fabrics of a search.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.bom.counts import HOST, CableItem, PartCounts
from fabricgen.bom.patch_counts import cord_item
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.patch_cords import cord_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.patch_counts import PatchItem
    from fabricgen.core.arrays import BoolArray
    from fabricgen.planning.cabling.compatibility import End
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.mapping import Mapping


class Boxes(NamedTuple):
    """Equal switches of a role over the whole fabric: their number, and the cages in use on each.

    The cages are those that face down and those that face up.
    """

    number: int
    down: frozenset[int]
    up: frozenset[int]


def link_counts(mapping: Mapping) -> dict[LinkKind, int]:
    """Return the number of links of each kind."""
    sizing, fabric = mapping.sizing, mapping.fabric
    blocks = mapping.segments * mapping.segment_blocks
    counts = {
        LinkKind.HOST: fabric.gpus * fabric.planes,
        LinkKind.LEAF_SPINE: blocks * sizing.leaf * sizing.leaf_up,
        LinkKind.SPINE_CORE: blocks * sizing.spine * sizing.spine_up,
    }
    return dict(list(counts.items())[: sizing.tiers])


def count(draft: Draft, used: BoolArray | None = None) -> PartCounts:
    """Return the modules and the cables of a fabric, as counting its wires would.

    `used` are its `endpoints`, where they are known.
    """
    used = endpoints(draft) if used is None else used
    modules: dict[str, Counter[str]] = {
        HOST: host_modules(draft),
        **{str(role): Counter() for role in draft.roles},
    }
    for role in draft.roles:
        for box in boxes(draft, role, used):
            for model, cages in _filled(draft, role, box).items():
                modules[str(role)][model] += box.number * len(cages)
    cables = {
        kind: Counter(
            {CableItem(draft.link_parts[kind].cable.model): links * draft.link_parts[kind].cables}
        )
        for kind, links in link_counts(draft.mapping).items()
    }
    return PartCounts(modules, cables, tuple(_cords(draft, used)))


def _cords(draft: Draft, used: BoolArray) -> Iterator[PatchItem]:
    """Yield the cords of panels: one for every two endpoints of a box."""
    if cord_of(draft) is None:
        return
    count = sum(box.number * (len(box.down) // 2) for box in boxes(draft, Role.LEAF, used))
    if count:
        yield cord_item(draft, count, "")


def host_modules(draft: Draft) -> Counter[str]:
    """Return the modules in hosts."""
    plugged = draft.link_parts[LinkKind.HOST].lower
    number = draft.fabric.coordinates.hosts * _host_cages(draft)
    return Counter({plugged.model: number} if plugged else {})


def _host_cages(draft: Draft) -> int:
    """Return the number of cages of a host that NIC ports use.

    For an unknown host each port is a cage.
    """
    fabric = draft.fabric
    if fabric.host is None:
        return fabric.host_gpus * fabric.planes
    return len({port.cage for port in fabric.host.ports if port.plane < fabric.planes})


def _filled(draft: Draft, role: Role, box: Boxes) -> dict[str, set[int]]:
    """Return the cages of a box that each module fills; a downlink and an uplink may share one."""
    filled: dict[str, set[int]] = {}
    ends: tuple[tuple[End, frozenset[int]], ...] = (("upper", box.down), ("lower", box.up))
    for joint, (end, cages) in product((draft.link_parts[kind] for kind in draft.kinds), ends):
        module = joint.modules.get(end)
        if module and cages and (joint.kind.upper if end == "upper" else joint.kind.lower) is role:
            filled.setdefault(module.model, set()).update(cages)
    return filled


def boxes(draft: Draft, role: Role, used: BoolArray) -> list[Boxes]:
    """Return the boxes of a role by the cages in use, the fullest first."""
    ports, down = draft.ports[role], draft.widths[role][0]
    up = frozenset(port.cage for port in ports[down:])
    if role is Role.LEAF:
        of_rails = np.repeat(used, draft.mapping.segment_blocks, axis=1)
        alike = Counter(row.tobytes() for row in of_rails)
        masks = (
            (np.flatnonzero(np.frombuffer(row, dtype=bool)), alike[row])
            for row in sorted(alike, reverse=True)
        )
        return [
            Boxes(draft.mapping.segments * number, frozenset(ports[at].cage for at in mask), up)
            for mask, number in masks
        ]
    blocks = draft.mapping.segments * draft.mapping.segment_blocks
    return [
        Boxes(blocks * number, frozenset(port.cage for port in ports[:width]), up)
        for number, width in _facing_down(draft.sizing, role)
    ]


def _facing_down(sizing: Sizing, role: Role) -> list[tuple[int, int]]:
    """Return the spines or the cores of a block by their downlinks: switches, downlinks of each."""
    if role is Role.SPINE and sizing.core:
        leaves = Counter(len(sizing.leaves_of_pod(pod)) for pod in range(sizing.pods))
        links = sizing.leaf_up // sizing.pod_spines
        return [(pods * sizing.pod_spines, each * links) for each, pods in leaves.items()]
    links, uppers = (
        (sizing.leaf * sizing.leaf_up, sizing.spine)
        if role is Role.SPINE
        else (sizing.spine * sizing.spine_up, sizing.core)
    )
    each, more = divmod(links, uppers)
    return [
        (number, width) for number, width in ((more, each + 1), (uppers - more, each)) if number
    ]


def endpoints(draft: Draft) -> BoolArray:
    """Return which endpoint positions of a block's leaves are used; shape (leaves, downlinks)."""
    sizing = draft.sizing
    return np.asarray((draft.mapping.pattern() >= 0).reshape(sizing.leaf, sizing.leaf_down))
