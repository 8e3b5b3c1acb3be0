"""The front of each role's switches, as the page draws it.

Owns which port of which cage an interface is. `installation.faceplate` owns the positions of cages,
`planning.port_layout` the ports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.outputs.installation.faceplate import face_of

if TYPE_CHECKING:
    from fabricgen.core.terms import Role
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port, PortLayout


def faces(plan: Plan) -> dict[str, Any]:
    """Return `faces` of the model: by role, and by `role@rail` for rails with another NOS."""
    own = {role.value: _face(plan, role, plan.fabric.port_layouts[role]) for role in plan.roles}
    switches_by_rail = {
        f"{role}@{rail}": _face(plan, role, port_layouts[role])
        for rail, port_layouts in plan.fabric.switches_by_rail.items()
        for role in plan.roles
    }
    return own | switches_by_rail


def face_ports(plan: Plan, role: Role) -> list[Port]:
    """Return every port of a role's switch in the order of the front panel, in use or not."""
    used = plan.ports[role]
    return sorted(
        [*used, *plan.fabric.port_layouts[role].idle(used)], key=lambda port: (port.cage, port.sub)
    )


def _face(plan: Plan, role: Role, port_layout: PortLayout) -> dict[str, Any]:
    """Return `Face` of the model."""
    face = face_of(port_layout.model)
    return {
        "model": port_layout.model.model,
        "rows": face.rows,
        "columns": face.columns,
        "seats": [list(face.seat(cage)) for cage in range(1, face.cages + 1)],
        "ports": {
            port_layout.interface(port): [port.cage, port.sub + 1 if port.breakout.count > 1 else 0]
            for port in face_ports(plan, role)
        },
        "assumed": face.assumed,
    }
