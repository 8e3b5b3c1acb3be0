"""The switches of the compute fabric that devices and networks have ports on.

Owns which switches these may be, and their names and numbers. Which of them serves a device, and in
which port, is decided by `device_ports`, `converged_ports` and `uplink_fabric`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.planning.networks.shared_leaves import SharedLeaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.port_layout import Port


def shared_switches(
    draft: Draft, installed: Sequence[bool], role: Role = Role.LEAF
) -> list[tuple[int, int]]:
    """Return the segment and the box of each switch that others may have ports on, in order.

    The first switches of all segments precede the second ones.
    """
    nos = draft.fabric.port_layouts[role].nos
    return [
        (segment, box)
        for box in _boxes(draft, installed, role)
        for segment in range(draft.mapping.segments)
        if draft.port_layouts(segment)[role].nos == nos
    ]


def share(
    draft: Draft,
    installed: Sequence[bool],
    leaves: Sequence[tuple[int, int]],
    ports: Sequence[Port],
    bonds: KeptBonds,
    columns: int = 1,
    role: Role = Role.LEAF,
) -> SharedLeaves:
    """Return some of `shared_switches` with the ports of a network of its own on them."""
    number = {box: at for at, box in enumerate(_boxes(draft, installed, role))}
    names = {segment: draft.naming.switches(segment) for segment in {at for at, _ in leaves}}
    return SharedLeaves(
        names=tuple(names[segment][box] for segment, box in leaves),
        leaves=tuple(leaves),
        numbers=tuple(segment * len(number) + number[box] for segment, box in leaves),
        ports=tuple(ports),
        bonds=bonds,
        blocks=(),
        filled=(False,) * (len(bonds.stripe) * columns),
        modules=frozenset(),
        role=role,
        columns=columns,
    )


def _boxes(draft: Draft, installed: Sequence[bool], role: Role) -> list[int]:
    """Return the installed boxes of a role in a segment."""
    boxes = zip(draft.naming.boxes, installed, strict=True)
    return [at for at, (box, has) in enumerate(boxes) if has and box.role is role]
