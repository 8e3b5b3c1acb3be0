"""Whether a fabric is an InfiniBand fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def is_infiniband(plan: Plan) -> bool:
    """Say whether the fabric's switches speak InfiniBand; `resolving` sees to it that all of them speak the same."""
    return plan.fabric.port_layouts[Role.LEAF].model.transport == "infiniband"
