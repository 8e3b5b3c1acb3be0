"""What the configurations of switches lack on purpose, role by role.

`outputs.packs.left_out` owns the conditions, which each pack declares, and `management_notes` what
files lack of `management`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.build.pack_outputs import config_packs
from fabricgen.build.selection import Skipped
from fabricgen.core.arrays import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.context import BuildContext
    from fabricgen.core.terms import Role
    from fabricgen.planning.plan import Plan


def unwritten(context: BuildContext) -> Iterator[Skipped]:
    """List what the files of each role lack, once for each reason.

    The first switch of a role stands for all of the same NOS, which have equal settings.
    """
    plan, packs = context.plan, config_packs(context)
    if not any(pack.left_out for pack in packs.values()):
        return
    network = f" of {plan.fabric.network_name}" if plan.fabric.network else ""
    found: dict[tuple[str, str], list[str]] = {}
    seen: set[tuple[Role, str]] = set()
    for segment in range(plan.mapping.segments):
        for role, layout in plan.port_layouts(segment).items():
            boxes = [at for at, box in enumerate(plan.naming.boxes) if box.role == role]
            first = [at for at in boxes if plan.installed[at]][:1]
            pack = packs.get(layout.nos)
            if not pack or not first or (role, layout.nos) in seen:
                continue
            seen.add((role, layout.nos))
            for switch in context.views.switches(segment, (role,), first):
                for own in pack.left_out:
                    if own.applies(switch, layout.model, _media(plan, role)):
                        where = f"the {role} switches{network} ({layout.model.model}, {layout.nos})"
                        found.setdefault((own.what, own.because), []).append(where)
    for (what, because), places in found.items():
        yield Skipped(f"{what} on {' and '.join(places)}: {because}")


def _media(plan: Plan, role: Role) -> set[str]:
    """Return the media of the cables of a role's switches."""
    used = (plan.candidates[at] for at in distinct(plan.candidate.ravel()).tolist())
    return {own.medium for own in used if role in (own.kind.lower, own.kind.upper)}
