"""Whether a fabric is an InfiniBand fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def is_infiniband(plan: Plan) -> bool:
    """Return whether the fabric is InfiniBand; `resolve` verifies that all switches agree."""
    return plan.fabric.port_layouts[Role.LEAF].model.transport == "infiniband"
