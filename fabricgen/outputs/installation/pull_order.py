"""The order in which bundles are pulled, and their cables plugged.

When a cable is plugged into a switch, no cable plugged before obstructs its cage (see `faceplate`):
a cable that must be plugged first is in an earlier step, or has an earlier plug order in the same
one. A step is usually one bundle. Bundles that depend on each other, because their cages alternate,
are one step: all are pulled, and then plugged in order. Where this leaves a choice, trunks come
first; then cables to another hall come before those to another row, along the row, and inside a
rack; then back rows before front ones, rack by rack of the upper end, so that a sheet has few
interruptions, and long cables before short ones. Ports of hosts have no known place, so their order
is not guaranteed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabricgen.outputs.installation.bundles import Bundle, bundled
from fabricgen.outputs.installation.dependency_cycles import in_order, strong_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.outputs.installation.bundles import Fronts
    from fabricgen.planning.room.room import Room
    from fabricgen.views.cables.view import CableView


def pull(fronts: Fronts, cables: Iterable[CableView], room: Room) -> list[Bundle]:
    """Bundle the cables of a fabric, which are in the order of the cable list.

    Return the bundles in the order of installation.
    """
    numbers: dict[object, int] = {}
    plugs = [
        fronts.plug(cable, at, numbers.setdefault(cable.piece or at, len(numbers)))
        for at, cable in enumerate(cables)
    ]
    bundles = [Bundle(held) for held in bundled(plugs)]
    for number, step in enumerate(_steps(fronts, bundles, room), start=1):
        for at in step:
            bundles[at].step = number
    bundles.sort(key=lambda bundle: (bundle.step, bundle.plugs[0].at))
    counts: Counter[tuple[str, str]] = Counter()
    for bundle in bundles:
        counts[bundle.pair] += 1
        bundle.name = "/".join((*dict.fromkeys(bundle.pair), f"{counts[bundle.pair]:02}"))
    return bundles


def _steps(fronts: Fronts, bundles: list[Bundle], room: Room) -> Iterator[list[int]]:
    """Order the bundles; those of one step come together."""
    after = _waiting(fronts, bundles)
    steps, of = strong_components(after)
    behind = [set[int]() for _ in steps]
    for node, others in enumerate(after):
        behind[of[node]].update(of[other] for other in others if of[other] != of[node])
    preferences = _preferences(fronts, bundles, room)
    held = [sorted(node for node in step if node < len(bundles)) for step in steps]
    preferred = [min((preferences[node] for node in step), default=()) for step in held]
    return (held[step] for step in in_order(behind, preferred) if held[step])


def _waiting(fronts: Fronts, bundles: list[Bundle]) -> list[list[int]]:
    """Return the dependencies of bundles.

    The nodes are the bundles, then one for each cage of each switch that has used cages behind it,
    which is done when those are plugged.
    """
    after: list[list[int]] = [[] for _ in bundles]
    for face, used in fronts.used(bundles).values():
        nodes: dict[int, int] = {}
        for cage, next_to in face.backwards:
            behind = [number for other in next_to for number in dict.fromkeys(used.get(other, ()))]
            behind += [nodes[other] for other in next_to if other in nodes]
            if behind:
                nodes[cage] = len(after)
                for number in dict.fromkeys(used.get(cage, ())):
                    after[number].append(len(after))
                after.append(behind)
    return after


def _preferences(fronts: Fronts, bundles: list[Bundle], room: Room) -> list[tuple[object, ...]]:
    """Return the sort key of each bundle where the dependencies leave a choice.

    Trunks first, then the farther, back rows first, rack by rack, long ones first, then in the
    order of the cable list.
    """
    positions = room.positions
    where = {
        name: (int(positions.hall[rack]), int(positions.row[rack]), rack)
        for rack, name in enumerate(room.names)
    }
    preferences: list[tuple[object, ...]] = []
    for bundle in bundles:
        one, other = bundle.pair
        (hall, row, _), (far_hall, far_row, rack) = where[one], where[other]
        near = 0 if hall != far_hall else 1 if row != far_row else 2 if one != other else 3
        length = float(bundle.first.length_m)
        patched = {bundle.first.a_device, bundle.first.b_device} <= fronts.panels
        preferences.append((not patched, near, -hall, -row, rack, -length, bundle.plugs[0].at))
    return preferences
