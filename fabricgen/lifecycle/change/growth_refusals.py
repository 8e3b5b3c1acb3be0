"""What growth cannot change, and the refusal of an inventory that asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding
from fabricgen.core.terms import Design, Role
from fabricgen.planning.baseline.expansion_stages import stage_of
from fabricgen.planning.leaf_packing import unit_domains

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.diagnostics import Path
    from fabricgen.planning.mapping import Mapping
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.resolve import ResolvedFabric


def unlike(old: Plan, new: Mapping) -> Iterator[Finding]:
    """Yield a finding for each difference that growth cannot make."""
    was, now, before, after = old.fabric, new.fabric, old.sizing, new.sizing
    facts: list[tuple[str, object, object, Path]] = [
        ("the design", was.design.value, now.design.value, ("design",)),
        ("GPUs of an HB domain", was.domain_gpus, now.domain_gpus, ("hb_domain", "gpus")),
        ("hosts of an HB domain", was.domain_hosts, now.domain_hosts, ("hb_domain", "hosts")),
        ("rails", was.rails, now.rails, ("rails", "count")),
        ("planes", was.planes, now.planes, ("rails", "planes")),
        (
            "rails on a leaf",
            old.mapping.segment_blocks,
            new.segment_blocks,
            ("rails", "per_switch"),
        ),
    ]
    grouping = ("rails", "grouping")
    facts += [
        ("the grouping of rails", was.spec.rails.grouping, now.spec.rails.grouping, grouping),
        ("HB domains of a scalable unit", unit_domains(was), unit_domains(now), ("scalable_unit",)),
    ]
    if before.tiers > 1 and now.design is Design.RAIL_OPTIMIZED:
        facts.append(
            ("rails on a leaf", old.mapping.per_switch, new.per_switch, ("rails", "per_switch"))
        )
    facts += [
        (f"{role} switches", _model(old.fabric, role), _model(now, role), ("switches", role.value))
        for role in old.roles
    ]
    if 1 < before.tiers <= after.tiers:
        facts.append(
            (
                "ports of a leaf, down and up",
                (before.leaf_down, before.leaf_up),
                (after.leaf_down, after.leaf_up),
                ("oversubscription",),
            )
        )
    for what, old_value, new_value, path in dict.fromkeys(facts):
        if old_value != new_value:
            values = f"{_text(old_value)}, and the inventory asks for {_text(new_value)}"
            because = (f"the existing plan has {values}",)
            hint = "keep it as it is; `fabricgen diff` shows the cost of a fabric of another shape"
            yield Finding("cannot-grow", f"growth keeps {what}", path, because, hint)
    smaller = [
        f"{size} {role} switches"
        for role, size, least in zip(Role, stage_of(after), stage_of(before), strict=False)
        if size < least
    ]
    if smaller or now.gpus < was.gpus:
        counts = f"{was.gpus} GPUs exist, and the inventory asks for {now.gpus}"
        shrunk = [counts, *([f"a block would have only {', '.join(smaller)}"] if smaller else [])]
        yield Finding(
            "cannot-grow",
            "a plan can only grow",
            ("gpus",),
            tuple(shrunk),
            "ask for at least the existing GPUs; `fabricgen diff` compares any two plans",
        )


def _model(fabric: ResolvedFabric, role: Role) -> str:
    """Return the model of the switches of a role, and how their cages are split downwards."""
    port_layout = fabric.port_layouts[role]
    return f"{port_layout.model.model} split {port_layout.down.name}"


def _text(value: object) -> str:
    """Return a value of either plan as text."""
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)
