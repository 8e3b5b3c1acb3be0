"""Cages that a downlink and an uplink of a switch share: one module fills a cage, for both.

Owns the candidates that are left where the downlinks end inside a cage.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import CLOS_KINDS
from fabricgen.planning.cabling.link_classes import class_of
from fabricgen.planning.switch_ports import switch_widths

if TYPE_CHECKING:
    from fabricgen.catalog.models.optics import Transceiver
    from fabricgen.core.diagnostics import Refusal
    from fabricgen.core.terms import LinkKind, Role
    from fabricgen.planning.cabling.compatibility import LinkParts
    from fabricgen.planning.cabling.preference import Preference
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.networks.shared_leaves import SharedLeaves
    from fabricgen.planning.port_layout import Port


def one_module_a_cage(
    candidates: tuple[LinkParts, ...],
    mapping: Mapping,
    ports: dict[Role, list[Port]],
    preference: Preference,
) -> tuple[LinkParts, ...]:
    """Leave out candidates that would need two modules in a cage that links of two kinds share.

    Raises Refusal `two-modules-in-a-cage` where none is left.
    """
    layouts, widths = mapping.fabric.port_layouts, switch_widths(mapping)
    kinds = dict.fromkeys(candidate.kind for candidate in candidates)
    for below, above in pairwise(kind for kind in kinds if kind in CLOS_KINDS):
        role = below.upper
        split, down = layouts[role].down.count, widths[role][0]
        cage = ports[role][down].cage
        if down % split and cage == ports[role][down - 1].cage:
            module = _common(candidates, below, above, preference)
            if module is None:
                raise _two_modules(
                    candidates, (below, above), f"{down} downlinks at {split} a cage", cage
                )
            candidates = tuple(
                candidate for candidate in candidates if _takes(candidate, below, above, module)
            )
    return candidates


def beside_compute(
    candidates: tuple[LinkParts, ...], shared: SharedLeaves
) -> tuple[LinkParts, ...]:
    """Leave out candidates with another module than a cage of compute has, where devices share it.

    Raises Refusal `two-modules-in-a-cage` where none is left.
    """
    filled = any(shared.filled)
    left = tuple(
        each
        for each in candidates
        if each.breakout or not filled or (each.upper and each.upper.model in shared.modules)
    )
    if lost := set(map(class_of, candidates)) - set(map(class_of, left)):
        first = next(each for each in candidates if class_of(each) in lost)
        raise refuse(
            "two-modules-in-a-cage",
            "a cage of a leaf would need two modules, for a GPU and for a device",
            path=("devices",),
            because=(
                f"the link to a GPU takes a {' or '.join(sorted(shared.modules))}",
                f"the device takes a {first.upper.model if first.upper else first.cable.model}",
            ),
            hint="choose a `model` of device with other ports, or `spare_ports` of whole cages",
        )
    return left


def _common(
    candidates: tuple[LinkParts, ...], below: LinkKind, above: LinkKind, preference: Preference
) -> Transceiver | None:
    """Return the preferred module that both kinds can have in the switch between them, if any."""
    down = {candidate.upper for candidate in candidates if candidate.kind is below}
    up = {candidate.lower for candidate in candidates if candidate.kind is above}
    return min(
        (module for module in down & up if module),
        key=lambda module: (
            preference.stated([(module, 1)]),
            preference.rank(module),
            module.model,
        ),
        default=None,
    )


def _takes(candidate: LinkParts, below: LinkKind, above: LinkKind, module: Transceiver) -> bool:
    """Return whether a candidate has a module in the switch between two kinds of link.

    A candidate of another kind is not concerned.
    """
    ends = {below: candidate.upper, above: candidate.lower}
    return candidate.kind not in ends or ends[candidate.kind] == module


def _two_modules(
    candidates: tuple[LinkParts, ...], kinds: tuple[LinkKind, LinkKind], downlinks: str, cage: int
) -> Refusal:
    """Refuse a cage in which the downlink and the uplink take different modules."""
    first = [
        next(candidate for candidate in candidates if candidate.kind is kind) for kind in kinds
    ]
    plugs = [
        module.model if module else candidate.cable.model
        for candidate, module in zip(first, (first[0].upper, first[1].lower), strict=True)
    ]
    because = (
        f"{downlinks} end in the middle of cage {cage}, and the uplinks go on there",
        f"the downlink takes a {plugs[0]} and the uplink a {plugs[1]}",
    )
    return refuse(
        "two-modules-in-a-cage",
        f"cage {cage} of each {kinds[0].upper} would need two modules",
        path=("oversubscription",),
        because=because,
        hint="choose another `oversubscription`, one that leaves whole cages to the downlinks,"
        " such as 1:1",
    )
