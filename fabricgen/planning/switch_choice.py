"""The switch of each role: its model, the breakouts of its cages, and the speed of NIC ports.

Owns the choice from the leaf up, and the refusals of speeds, breakouts and transports that do not
match.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import Finding, Path, nearest
from fabricgen.core.terms import ROLES, Role, speed_text
from fabricgen.planning.lanes import join, joining_mode, lanes_differ, port_lanes
from fabricgen.planning.port_layout import PortLayout
from fabricgen.planning.port_zones import with_zones

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.switch import Breakout, Switch
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.sizing import SwitchChoice
    from fabricgen.planning.lanes import Lanes
from fabricgen.planning.nos_choice import choose_nos, unused_versions

DEFAULT_SPEED_GBPS = 400


def choose_switches(
    spec: FabricSpec,
    catalog: Catalog,
    host: Host | None,
    findings: list[Finding],
    lanes: Callable[[int], Lanes],
) -> tuple[dict[Role, PortLayout], int]:
    """Choose the switch and the breakouts of each role, from the leaf up.

    `lanes` returns those of a NIC port of a speed. Return the port layouts, and the speed of a NIC
    port in Gbps.
    """
    choices = _choices(spec)
    offered = host.speeds_gbps.get(spec.rails.planes) if host else None
    speed = spec.nic.speed
    if speed is None:  # that of serial ports is 0
        speed = offered or stated_speed(choices[Role.LEAF][1]) or DEFAULT_SPEED_GBPS
    found = {
        role: _model(choice, speed, path, catalog, findings)
        for role, (path, choice) in choices.items()
    }
    models = {role: model for role, model in found.items() if model}
    nos = {role: choose_nos(spec, role, model, findings) for role, model in models.items()}
    findings += (
        unused_versions(spec, models.values(), {*nos.values(), *spec.nos.rails.values()})
        if len(nos) == len(found)
        else ()
    )
    downs: dict[Role, Breakout] = {}
    target, below = speed, _Below(lanes(speed))
    for role, model in models.items():
        path, choice = choices[role]
        fitting = below.fitting(model, target, catalog)
        down = _down(
            choice,
            model,
            target,
            path,
            fitting,
            leaf=role is Role.LEAF,
            fixed=offered is not None,
        )
        if isinstance(down, Finding):
            findings.append(down)
            continue
        lanes_below = below.lanes
        if (
            role is Role.LEAF
            and not findings
            and not join(port_lanes(model, down), lanes_below, target, catalog)
        ):
            names = (
                host.nic if host else spec.nic.model or "a NIC",
                f"{model.model} at {down.name}",
            )
            where = (*path, "breakout") if choice.breakout else path
            ends = lanes_below, port_lanes(model, down)
            findings.append(lanes_differ(names, ends, model, down, where, catalog))
        downs[role], target = down, down.speed_gbps
        below = _Below(port_lanes(model, down), model)
    port_layouts: dict[Role, PortLayout] = {}
    for role, down in downs.items():
        upper = ROLES[min(role.tier, len(ROLES) - 1)]
        up = (
            _up(models[role], down, models[upper], downs[upper], catalog)
            if upper in downs
            else down
        )
        if up is None:
            lower, above = (role, models[role]), (upper, models[upper])
            findings.append(_no_uplink(lower, above, downs[upper], choices, catalog))
        else:
            spare, (path, choice) = getattr(spec.spare_ports, role), choices[role]
            reserved = spec.networks.reserved_cages if role is Role.LEAF else frozenset()
            layout = PortLayout(
                role=role,
                model=models[role],
                nos=nos[role],
                down=down,
                up=up,
                spare=spare,
                reserved=reserved,
            )
            if path[-1] == role.value:  # a role without an entry has the ports of its model
                joined = spec.rails.tiers != 1
                layout = with_zones(layout, choice.zones, path, findings, joined=joined)
                findings += _port_limit(layout, path)
            port_layouts[role] = layout
    findings += [_all_spare(layout) for layout in port_layouts.values() if not layout.usable]
    findings += _transports(port_layouts, choices)
    return port_layouts, speed


class _Below(NamedTuple):
    """What is below a switch: the lanes of its ports, and the switch; None for NICs."""

    lanes: Lanes
    model: Switch | None = None

    def fitting(self, model: Switch, speed_gbps: int, catalog: Catalog) -> Breakout | None:
        """Return the breakout with the most ports that join those below.

        A breakout like that of the switch below comes first; the most ports are the last resort,
        which is refused where they do not join.
        """
        lower = self.model
        others = [
            port_lanes(lower, mode)
            for mode in (lower.breakouts if lower else ())
            if lower and mode.speed_gbps == speed_gbps
        ]
        for lanes in (self.lanes, frozenset(chain.from_iterable(others))):
            if found := joining_mode(model, speed_gbps, lanes, catalog):
                return found
        return model.mode_at(speed_gbps)


def _up(
    model: Switch, down: Breakout, above: Switch, upper: Breakout, catalog: Catalog
) -> Breakout | None:
    """Return the breakout of uplinks into ports of a switch above.

    It is that of the downlinks where they have its speed and join.
    """
    speed = upper.speed_gbps
    lanes = port_lanes(above, upper)
    if down.speed_gbps == speed and join(port_lanes(model, down), lanes, speed, catalog):
        return down
    return joining_mode(model, speed, lanes, catalog)


def _no_uplink(
    lower: tuple[Role, Switch],
    upper: tuple[Role, Switch],
    down: Breakout,
    choices: dict[Role, tuple[Path, SwitchChoice]],
    catalog: Catalog,
) -> Finding:
    """Refuse two tiers without a port speed, or lanes at that speed, in common."""
    (role, model), (over, above), path = lower, upper, choices[lower[0]][0]
    speed = speed_text(down.speed_gbps)
    if alike := model.mode_at(down.speed_gbps):
        names = (
            f"the {role} {model.model} at {alike.name}",
            f"the {over} {above.model} at {down.name}",
        )
        ends = port_lanes(model, alike), port_lanes(above, down)
        return lanes_differ(names, ends, above, down, choices[over][0], catalog)
    because = (
        f"the {over} {above.model} runs {down.name} downwards",
        f"a cage of {model.model} offers {_modes(model)}",
    )
    common = [mode for mode in above.breakouts if model.mode_at(mode.speed_gbps)]
    hint = (
        f"use `breakout: {common[0].name}` for the {over}"
        if common
        else f"choose a {over} with ports of {_speeds(model)}"
    )
    return Finding(
        "no-uplink-speed",
        f"the {role} {model.model} has no port of {speed} for its uplinks",
        path,
        because,
        hint,
    )


def _choices(spec: FabricSpec) -> dict[Role, tuple[Path, SwitchChoice]]:
    """Return the entry of each role in the inventory: its own, or that of the tier below."""
    chosen: dict[Role, tuple[Path, SwitchChoice]] = {}
    last: tuple[Path, SwitchChoice] = (("switches", "leaf"), spec.switches.leaf)
    for role in ROLES:
        own = getattr(spec.switches, role)
        last = (("switches", role.value), own) if own else last
        chosen[role] = last
    return chosen


def stated_speed(choice: SwitchChoice) -> int | None:
    """Return the port speed that an entry states, in Gbps."""
    if choice.generic:
        return choice.generic.speed
    if not choice.breakout:
        return None
    text = choice.breakout.split("x")[1]
    return int(Fraction(text[:-1]) * (1000 if text[-1] == "T" else 1))


def _model(
    choice: SwitchChoice, speed: int, path: Path, catalog: Catalog, findings: list[Finding]
) -> Switch | None:
    """Find the switch of one entry."""
    if choice.generic:
        return catalog.generic(choice.generic.radix, choice.generic.speed or speed)
    model = catalog.switch(choice.model or "")
    if model and model.breakouts:
        return model
    finding = unknown_model("switches", choice.model or "", (*path, "model"), catalog)
    if model:
        hint = "write `generic: {radix: 64}` in place of `model`"
        finding = Finding(
            "unknown-model",
            f"`{model.model}` has no ports of its own, only a radix that you give",
            (*path, "model"),
            hint=hint,
        )
    findings.append(finding)
    return None


def _down(
    choice: SwitchChoice,
    model: Switch,
    below: int,
    path: Path,
    fitting: Breakout | None,
    *,
    leaf: bool,
    fixed: bool,
) -> Breakout | Finding:
    """Choose the breakout of the cages that face down: as stated, else `fitting` what is below.

    A leaf must match the speed of NIC ports in Gbps, which is `fixed` where the host model
    determines it.
    """
    speed = speed_text(below)
    mode = model.breakout(choice.breakout) if choice.breakout else fitting
    where: Path = (*path, "breakout") if choice.breakout else path
    offers = f"a cage of {model.model} offers {_modes(model)}"
    if mode is None and choice.breakout:
        near = nearest(choice.breakout, [other.name for other in model.breakouts])
        best = fitting.name if fitting else near or model.breakouts[-1].name
        return Finding(
            "unknown-breakout",
            f"a cage of {model.model} cannot be split {choice.breakout}",
            where,
            (offers,),
            f"use `breakout: {best}`",
        )
    if leaf and (mode is None or mode.speed_gbps != below):
        shown = (
            f"a leaf port at {mode.name} runs at {speed_text(mode.speed_gbps)}" if mode else offers
        )
        closest = mode or min(model.breakouts, key=lambda other: abs(other.speed_gbps - below))
        change = (
            f"choose a leaf with ports of {speed}"
            if fixed or not closest.speed_gbps
            else f"write `nic: {{speed: {speed_text(closest.speed_gbps)}}}`"
        )
        hint = f"use `breakout: {fitting.name}`" if fitting else change
        return Finding(
            "speed-mismatch",
            "leaf ports and NIC ports differ in speed",
            where,
            (f"a NIC port runs at {speed}", shown),
            hint,
        )
    return mode or model.breakouts[0]


def _speeds(model: Switch) -> str:
    """Format the speeds that a port can have."""
    return " or ".join(
        speed_text(speed) for speed in sorted({mode.speed_gbps for mode in model.breakouts})
    )


def _modes(model: Switch) -> str:
    """Format the breakouts of a cage."""
    return ", ".join(mode.name for mode in model.breakouts)


def _port_limit(port_layout: PortLayout, path: Path) -> Iterator[Finding]:
    """Refuse a breakout that makes more ports than the switch supports."""
    model, limit, mode = port_layout.model, port_layout.model.port_limit, port_layout.down
    if limit is None or port_layout.radix <= limit:
        return
    because = (
        f"{port_layout.radix // mode.count} cages x {mode.count} ports = {port_layout.radix}",
        f"{model.model} carries {limit} ports",
    )
    fewer = [
        other
        for other in model.breakouts
        if other.count * len(model.cages_by_breakout[other.name]) <= limit
    ]
    most = max(fewer, key=lambda other: other.count, default=None)
    speed = (
        f", with NIC ports of {speed_text(most.speed_gbps)}"
        if most and port_layout.role is Role.LEAF
        else ""
    )
    hint = f"use `breakout: {most.name}`{speed}" if most else "choose another switch"
    yield Finding(
        "port-limit",
        f"{model.model} split {mode.name} makes more ports than it carries",
        (*path, "breakout"),
        because,
        hint,
    )


def _all_spare(port_layout: PortLayout) -> Finding:
    """Refuse spare ports that leave none for links."""
    role, radix = port_layout.role.value, port_layout.radix
    if not radix and port_layout.reserved:
        return Finding(
            "too-many-spare-ports",
            f"no port of a {role} is left for links",
            ("networks",),
            (f"`cages` of networks take all {port_layout.model.cages} cages",),
            "list fewer `cages`",
        )
    return Finding(
        "too-many-spare-ports",
        f"no port of a {role} is left for links",
        ("spare_ports", role),
        (f"it has {radix} ports, and {port_layout.spare} are to stay free",),
        f"keep fewer free, like `{role}: {radix // 8}`",
    )


def _transports(
    port_layouts: dict[Role, PortLayout], choices: dict[Role, tuple[Path, SwitchChoice]]
) -> Iterator[Finding]:
    """Refuse links between Ethernet and InfiniBand switches."""
    for lower, upper in pairwise(ROLES):
        ends = [port_layouts[role].model for role in (lower, upper) if role in port_layouts]
        if len({model.transport for model in ends}) > 1:
            because = tuple(
                f"the {role} {model.model} speaks {TRANSPORTS[model.transport]}"
                for role, model in zip((lower, upper), ends, strict=True)
            )
            hint = f"choose a {upper} that speaks {TRANSPORTS[ends[0].transport]}"
            yield Finding(
                "transport-mismatch",
                f"a {lower} and a {upper} do not speak the same protocol",
                choices[upper][0],
                because,
                hint,
            )


TRANSPORTS = {"ethernet": "Ethernet", "infiniband": "InfiniBand", "serial": "RS-232"}
"""How messages name each transport of a switch."""


KIND_WORDS = {"switches": "switch", "hosts": "host", "nics": "NIC", "libraries": "library"}


def unknown_model(kind: str, model: str, path: Path, catalog: Catalog) -> Finding:
    """Refuse a model that is not in the catalog, with the nearest one as a hint."""
    near = nearest(model, catalog.names(kind))
    hint = f"did you mean `{near}`? " if near else ""
    return Finding(
        "unknown-model",
        f"the catalog has no {KIND_WORDS[kind]} `{model}`",
        path,
        hint=f"{hint}`fabricgen catalog list {kind}` shows what there is",
    )
