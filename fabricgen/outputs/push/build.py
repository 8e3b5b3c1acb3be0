"""The order in which segments and roles receive their configurations.

Owns the choice of the systems that have playbooks. What a NOS takes is `push` of its pack.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabricgen.core.terms import Role
from fabricgen.lifecycle.change.phase_sizes import by_gpus, sizes_of
from fabricgen.outputs.push.view import PlayView, PushSegmentView, PushSystemView, PushView
from fabricgen.outputs.schedulers.build import nos_group

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.inventory.management import Management
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout

FOLDER = "push/{nos}/"
"""The task lists of a NOS."""

DOWNWARDS = (Role.CORE, Role.SPINE, Role.LEAF)


def pushed_packs(packs: Mapping[str, Pack], asked: Management) -> dict[str, Pack]:
    """Return the packs whose switches the playbooks can reach, by NOS."""
    return {
        nos: pack
        for nos, pack in packs.items()
        if pack.push and pack.push.api in (None, *asked.api)
    }


def push_view(plan: Plan, asked: Management, packs: Mapping[str, Pack]) -> PushView:
    """Make the view of the playbooks. Raises Refusal `bad-phases`."""
    admins = [user.name for user in asked.users if user.role == "admin" and user.key]
    systems = [*_systems(plan, packs)]
    return PushView(
        fabric=plan.spec.name,
        user=admins[0],
        family=plan.addresses.family,
        segments=[
            *_segments(plan, packs),
            *(_network(name, network, packs) for name, network in plan.switched.items()),
        ],
        systems=systems,
        collections=dict(sorted(item for system in systems for item in system.collections.items())),
        has_secrets=bool(plan.spec.secrets()),
    )


def _segments(plan: Plan, packs: Mapping[str, Pack]) -> Iterator[PushSegmentView]:
    """Yield the segments in the order of the phases that install them."""
    phases = [_phase(plan, segment) for segment in range(plan.mapping.segments)]
    for segment in sorted(range(plan.mapping.segments), key=lambda at: (phases[at][0], at)):
        apart = {role: f":&{role.value}_switches" for role in plan.roles}
        name, selected = _name(plan, segment), _pattern(plan, segment)
        layouts = plan.port_layouts(segment)
        yield _segment(name, phases[segment][1], layouts, packs, (selected, apart))


def _network(name: str, network: Plan, packs: Mapping[str, Pack]) -> PushSegmentView:
    """Return a network beside the compute fabric, whose switches have its name in theirs."""
    several = bool(network.kinds[1:])
    apart = {role: f":&{name}-{role.value}-*" if several else "" for role in network.roles}
    return _segment(name, "", network.port_layouts(0), packs, (f"network_{name}", apart))


def _segment(
    name: str,
    phase: str,
    layouts: Mapping[Role, PortLayout],
    packs: Mapping[str, Pack],
    patterns: tuple[str, Mapping[Role, str]],
) -> PushSegmentView:
    """Return a segment: its switches by role from the top, then all of each NOS.

    `patterns` are Ansible's of the segment, and what selects each role in it.
    """
    selected, apart = patterns
    roles = [role for role in DOWNWARDS if role in apart and layouts[role].nos in packs]
    return PushSegmentView(
        name=name,
        phase=phase,
        loads=[
            PlayView(
                name=f"{name}, {role.value} switches",
                pattern=f"{selected}{apart[role]}",
                nos=layouts[role].nos,
            )
            for role in roles
        ],
        checks=[
            PlayView(name=f"{name}, {nos}", pattern=f"{selected}:&{nos_group(nos)}", nos=nos)
            for nos in dict.fromkeys(layouts[role].nos for role in roles)
        ],
    )


def _pattern(plan: Plan, segment: int) -> str:
    """Return the pattern of Ansible for the switches of a segment."""
    plane, rail = plan.mapping.plane(segment), plan.mapping.rail(segment)
    return f"plane_{plane}" + ("" if rail is None else f":&rail_{rail}")


def _name(plan: Plan, segment: int) -> str:
    """Return the name of a segment."""
    rails = [str(rail) for rail in plan.mapping.rails(segment) if rail is not None]
    plane = f"plane {plan.mapping.plane(segment)}"
    return f"{plane}, rail {', '.join(rails)}" if rails else plane


def _phase(plan: Plan, segment: int) -> tuple[int, str]:
    """Return the number and the name of the phase that installs a segment; 0 without phases."""
    if not plan.spec.phases or by_gpus(plan.spec):
        return 0, ""
    plane, rails = plan.mapping.plane(segment), plan.mapping.rails(segment)
    sizes = sizes_of(plan)
    return next(
        (number, name)
        for number, (name, size) in enumerate(sizes)
        if plane < size["planes"]
        and all(rail is None or rail < size["rails"] for rail in rails[:1])
    )


def _systems(plan: Plan, packs: Mapping[str, Pack]) -> Iterator[PushSystemView]:
    """Yield each NOS that has playbooks, by name."""
    switches: Counter[str] = Counter()
    for own in plan.cluster:
        for segment in range(own.mapping.segments):
            layouts = own.port_layouts(segment)
            for at, box in enumerate(own.naming.boxes):
                switches[layouts[box.role].nos] += bool(own.installed[at])
    for nos, pack in sorted(packs.items()):
        if pack.push:
            yield PushSystemView(
                nos=nos,
                group=nos_group(nos),
                switches=switches[nos],
                follows=pack.push.follows,
                restores=pack.push.restores,
                afterwards=pack.afterwards,
                unverified=pack.push.unverified,
                collections=pack.push.collections,
                variables=pack.push.variables,
            )
