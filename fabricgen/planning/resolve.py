"""The inventory against the catalog: every default filled in, every box chosen.

Owns the choice of models, breakouts and systems. Which numbers contradict each other is said by
`contradictions`; all findings are made before any is raised. It sizes nothing: `clos` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path, Refusal, nearest
from fabricgen.core.terms import ROLES, Design, Role, speed_text
from fabricgen.planning.consistency import contradictions
from fabricgen.planning.coordinates import Coordinates
from fabricgen.planning.port_layout import PortLayout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host, Nic
    from fabricgen.catalog.models.switch import Breakout, Switch
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.sizing import SwitchChoice

DEFAULT_SPEED_GBPS = 400


@dataclass(frozen=True, kw_only=True)
class ResolvedFabric:
    """An inventory with nothing left open. `gpus` are installed; `planned_gpus` are sized, numbered and addressed for."""

    spec: FabricSpec
    gpus: int
    planned_gpus: int
    domain_gpus: int
    domain_hosts: int
    rails: int
    planes: int
    speed_gbps: int
    hb_bandwidth_gbps: int | None
    nics_per_gpu: int
    port_layouts: dict[Role, PortLayout]
    host: Host | None
    nic: Nic | None
    switches_by_rail: dict[int, dict[Role, PortLayout]] = field(default_factory=dict)
    """The fronts of the rails whose switches run another NOS, by rail; they differ in names alone."""

    def nos_variants(self, role: Role) -> list[PortLayout]:
        """Return the fronts of a role, one for each NOS that its switches run."""
        return list(
            {
                port_layouts[role].nos: port_layouts[role]
                for port_layouts in (self.port_layouts, *self.switches_by_rail.values())
            }.values()
        )

    @property
    def design(self) -> Design:
        """The design asked for."""
        return self.spec.design

    @cached_property
    def coordinates(self) -> Coordinates:
        """The HB domain, rank, rail, host and place of every GPU."""
        return Coordinates(
            self.gpus,
            self.domain_gpus,
            self.planned_gpus,
            self.domain_hosts,
            self.rails,
            self.planes,
        )

    @property
    def host_gpus(self) -> int:
        """GPUs of one host."""
        return self.coordinates.host_gpus

    @property
    def ranks_per_rail(self) -> int:
        """GPUs of one HB domain that share a rail."""
        return self.coordinates.ranks_per_rail

    def layouts_of_rail(self, rail: int | None) -> dict[Role, PortLayout]:
        """Return the port layout of each role on the switches of a rail; None for switches that serve several."""
        return (
            self.port_layouts
            if rail is None
            else self.switches_by_rail.get(rail, self.port_layouts)
        )


def resolve(spec: FabricSpec, catalog: Catalog) -> ResolvedFabric:
    """Fill in what the inventory leaves to the catalog. Raises Refusal with every finding of the phase."""
    findings: list[Finding] = []
    host = _host(spec, catalog, findings)
    nic = _nic(spec, catalog, host, findings)
    planned = spec.reserve.gpus if spec.reserve else spec.gpus
    rails = spec.rails.count or spec.hb_domain.gpus
    hosts = spec.hb_domain.hosts or (host.hb_domain_hosts if host else 1)
    nics = spec.nic.per_gpu or (host.nics_per_gpu if host else 1)
    findings += contradictions(spec, catalog, host)
    port_layouts, speed = _port_layouts(spec, catalog, host, findings)
    switches_by_rail = _spoken(spec, port_layouts, rails, findings)
    if findings:
        raise Refusal(dict.fromkeys(findings))
    bandwidth = spec.hb_domain.bandwidth or (host.hb_bandwidth_gbps if host else None)
    return ResolvedFabric(
        spec=spec,
        gpus=spec.gpus,
        planned_gpus=planned,
        domain_gpus=spec.hb_domain.gpus,
        domain_hosts=hosts,
        rails=rails,
        planes=spec.rails.planes,
        speed_gbps=speed,
        hb_bandwidth_gbps=bandwidth,
        nics_per_gpu=nics,
        port_layouts=port_layouts,
        host=host,
        nic=nic,
        switches_by_rail=switches_by_rail,
    )


KIND_WORDS = {"switches": "switch", "hosts": "host", "nics": "NIC"}


def _unknown(kind: str, model: str, path: Path, catalog: Catalog) -> Finding:
    """Refuse a model that the catalog does not hold, with the nearest one that it does."""
    near = nearest(model, catalog.names(kind))
    hint = f"did you mean `{near}`? " if near else ""
    return Finding(
        "unknown-model",
        f"the catalog has no {KIND_WORDS[kind]} `{model}`",
        path,
        hint=f"{hint}`fabricgen catalog list {kind}` shows what there is",
    )


def _host(spec: FabricSpec, catalog: Catalog, findings: list[Finding]) -> Host | None:
    """Find the host model."""
    if not spec.host:
        return None
    host = catalog.host(spec.host.model)
    if host is None:
        findings.append(_unknown("hosts", spec.host.model, ("host", "model"), catalog))
    return host


def _nic(
    spec: FabricSpec, catalog: Catalog, host: Host | None, findings: list[Finding]
) -> Nic | None:
    """Find the NIC that the inventory or the host names."""
    model = spec.nic.model
    if model is None:
        return catalog.nic(host.nic) if host else None
    nic = catalog.nic(model)
    if nic is None:
        findings.append(_unknown("nics", model, ("nic", "model"), catalog))
    elif host and host.nic != model:
        because = (f"a {host.model} carries {host.nic}",)
        findings.append(
            Finding(
                "nic-contradicts-host",
                f"`{model}` is not the NIC of a {host.model}",
                ("nic", "model"),
                because,
                f"write `model: {host.nic}`, or leave it out",
            )
        )
    return nic


def _port_layouts(
    spec: FabricSpec, catalog: Catalog, host: Host | None, findings: list[Finding]
) -> tuple[dict[Role, PortLayout], int]:
    """Choose the switch and the splits of each role, from the leaf up, and the speed of a NIC port in Gbps."""
    choices = _choices(spec)
    offered = host.speeds_gbps.get(spec.rails.planes) if host else None
    speed = spec.nic.speed or offered or _stated_speed(choices[Role.LEAF][1]) or DEFAULT_SPEED_GBPS
    found = {
        role: _model(choice, speed, path, catalog, findings)
        for role, (path, choice) in choices.items()
    }
    models = {role: model for role, model in found.items() if model}
    nos = {role: _nos(spec, role, model, findings) for role, model in models.items()}
    findings += (
        _versions(spec, {*nos.values(), *spec.nos.rails.values()}) if len(nos) == len(found) else ()
    )
    downs: dict[Role, Breakout] = {}
    target = speed
    for role, model in models.items():
        path, choice = choices[role]
        down = _down(choice, model, target, path, leaf=role is Role.LEAF, fixed=offered is not None)
        if isinstance(down, Finding):
            findings.append(down)
        else:
            downs[role], target = down, down.speed_gbps
    port_layouts: dict[Role, PortLayout] = {}
    for role, down in downs.items():
        upper = ROLES[min(role.tier, len(ROLES) - 1)]
        up = _mode_at(models[role], downs[upper].speed_gbps) if upper in downs else down
        if up is None:
            findings.append(
                _no_uplink(role, models[role], upper, models[upper], downs[upper], choices[role][0])
            )
        else:
            port_layouts[role] = PortLayout(
                role,
                models[role],
                nos[role],
                down,
                down if up.speed_gbps == down.speed_gbps else up,
            )
            findings += (
                _port_limit(port_layouts[role], choices[role][0])
                if choices[role][0][-1] == role.value
                else []
            )
    findings += _transports(port_layouts, choices)
    return port_layouts, speed


def _no_uplink(
    role: Role, model: Switch, upper: Role, above: Switch, down: Breakout, path: Path
) -> Finding:
    """Refuse two tiers that have no port speed in common as they are split."""
    speed = speed_text(down.speed_gbps)
    because = (
        f"the {upper} {above.model} runs {down.name} downwards",
        f"a cage of {model.model} offers {_modes(model)}",
    )
    common = [mode for mode in above.breakouts if _mode_at(model, mode.speed_gbps)]
    hint = (
        f"use `breakout: {common[0].name}` for the {upper}"
        if common
        else f"choose a {upper} with ports of {_speeds(model)}"
    )
    return Finding(
        "no-uplink-speed",
        f"the {role} {model.model} has no port of {speed} for its uplinks",
        path,
        because,
        hint,
    )


def _choices(spec: FabricSpec) -> dict[Role, tuple[Path, SwitchChoice]]:
    """Give each role its entry of the inventory: its own, or that of the tier below."""
    chosen: dict[Role, tuple[Path, SwitchChoice]] = {}
    last: tuple[Path, SwitchChoice] = (("switches", "leaf"), spec.switches.leaf)
    for role in ROLES:
        own = getattr(spec.switches, role)
        last = (("switches", role.value), own) if own else last
        chosen[role] = last
    return chosen


def _stated_speed(choice: SwitchChoice) -> int | None:
    """Return the port speed that an entry states, Gbps."""
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
    finding = _unknown("switches", choice.model or "", (*path, "model"), catalog)
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
    choice: SwitchChoice, model: Switch, below: int, path: Path, *, leaf: bool, fixed: bool
) -> Breakout | Finding:
    """Choose how a switch splits its cages downwards: as stated, else for the speed `below` (Gbps).

    A leaf must match its NIC ports, whose speed is `fixed` where the host model tells it.
    """
    fitting, speed = _mode_at(model, below), speed_text(below)
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
            if fixed
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


def _mode_at(model: Switch, speed: int) -> Breakout | None:
    """Return the split that gives ports of this speed, the one with most ports; None where there is none."""
    fitting = [mode for mode in model.breakouts if mode.speed_gbps == speed]
    return max(fitting, key=lambda mode: mode.count) if fitting else None


def _speeds(model: Switch) -> str:
    """List the speeds that a port can have."""
    return " or ".join(
        speed_text(speed) for speed in sorted({mode.speed_gbps for mode in model.breakouts})
    )


def _modes(model: Switch) -> str:
    """List what a cage can do."""
    return ", ".join(mode.name for mode in model.breakouts)


def _nos(spec: FabricSpec, role: Role, model: Switch, findings: list[Finding]) -> str:
    """Choose the NOS of a role: its own, else that of the tier below where the model runs it, else the model's first choice."""
    own = getattr(spec.nos, role)
    below = [getattr(spec.nos, lower) for lower in ROLES[: role.tier - 1]]
    inherited = next((nos for nos in reversed(below) if nos in model.interfaces), None)
    nos = str(own or inherited or model.default_nos)
    if nos not in model.interfaces:
        because = (f"it runs {', '.join(sorted(model.interfaces))}",)
        near = nearest(nos, model.interfaces) or model.default_nos
        findings.append(
            Finding(
                "nos-not-on-switch",
                f"{model.model} does not run `{nos}`",
                ("nos", role.value),
                because,
                f"use `{near}`",
            )
        )
    return nos


def _spoken(
    spec: FabricSpec, port_layouts: dict[Role, PortLayout], rails: int, findings: list[Finding]
) -> dict[int, dict[Role, PortLayout]]:
    """Give the switches of a rail the NOS that the inventory names for it."""
    found: dict[int, dict[Role, PortLayout]] = {}
    for rail, nos in sorted(spec.nos.rails.items()):
        path: Path = ("nos", "rails", rail)
        if rail >= rails:
            because = (f"{rails} rails count from 0 to {rails - 1}",)
            findings.append(
                Finding(
                    "nos-of-no-rail",
                    f"there is no rail {rail}",
                    path,
                    because,
                    f"leave it out, or write `{rails - 1}`",
                )
            )
        for model in {
            port_layout.model.model: port_layout.model
            for port_layout in port_layouts.values()
            if nos not in port_layout.model.interfaces
        }.values():
            because = (f"it runs {', '.join(sorted(model.interfaces))}",)
            near = nearest(nos, model.interfaces) or model.default_nos
            findings.append(
                Finding(
                    "nos-not-on-switch",
                    f"{model.model} does not run `{nos}`",
                    path,
                    because,
                    f"use `{near}`",
                )
            )
        found[rail] = {
            role: replace(port_layout, nos=nos) for role, port_layout in port_layouts.items()
        }
    return found


def _versions(spec: FabricSpec, run: set[str]) -> Iterator[Finding]:
    """Refuse the version of a NOS that no switch runs: it would say nothing."""
    for name in sorted(spec.nos.versions.keys() - run):
        because = (f"the switches run {', '.join(sorted(run))}",)
        hint = f"write `{nearest(name, run) or min(run)}`, or leave it out"
        yield Finding(
            "version-of-no-nos",
            f"no switch runs `{name}`, whose version is given",
            ("nos", "versions", name),
            because,
            hint,
        )


def _port_limit(port_layout: PortLayout, path: Path) -> Iterator[Finding]:
    """Refuse a split that makes more ports than the switch carries."""
    model, limit, mode = port_layout.model, port_layout.model.port_limit, port_layout.down
    if limit is None or port_layout.radix <= limit:
        return
    because = (
        f"{port_layout.radix // mode.count} cages x {mode.count} ports = {port_layout.radix}",
        f"{model.model} carries {limit} ports",
    )
    fewer = [other for other in model.breakouts if other.count * model.cages <= limit]
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


def _transports(
    port_layouts: dict[Role, PortLayout], choices: dict[Role, tuple[Path, SwitchChoice]]
) -> Iterator[Finding]:
    """Refuse an Ethernet switch that meets an InfiniBand one."""
    for lower, upper in pairwise(ROLES):
        ends = [port_layouts[role].model for role in (lower, upper) if role in port_layouts]
        if len({model.transport for model in ends}) > 1:
            because = tuple(
                f"the {role} {model.model} speaks {_TRANSPORTS[model.transport]}"
                for role, model in zip((lower, upper), ends, strict=True)
            )
            hint = f"choose a {upper} that speaks {_TRANSPORTS[ends[0].transport]}"
            yield Finding(
                "transport-mismatch",
                f"a {lower} and a {upper} do not speak the same protocol",
                choices[upper][0],
                because,
                hint,
            )


_TRANSPORTS = {"ethernet": "Ethernet", "infiniband": "InfiniBand"}
