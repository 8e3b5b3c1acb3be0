"""The inventory against the catalog and against itself: every default filled in, every contradiction found.

Owns the checks of one key against another and the choice of models and breakouts. All findings are made before any is raised. It sizes
nothing: `clos` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from fabricgen.diagnostics import Finding, Path, Refusal, nearest
from fabricgen.fronts import Front
from fabricgen.terms import ROLES, Design, Role, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog import Breakout, Catalog, Host, Nic, Switch
    from fabricgen.spec import FabricSpec, SwitchChoice

MOST_GPUS = 2**22
"""Four million: NIC ports and ports of switches are 32-bit columns, and nobody has built a larger one."""

DEFAULT_SPEED_GBPS = 400


@dataclass(frozen=True)
class Request:
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
    fronts: dict[Role, Front]
    host: Host | None
    nic: Nic | None

    @property
    def design(self) -> Design:
        """The design asked for."""
        return self.spec.design

    @property
    def domains(self) -> int:
        """HB domains planned for."""
        return self.planned_gpus // self.domain_gpus

    @property
    def host_gpus(self) -> int:
        """GPUs of one host."""
        return self.domain_gpus // self.domain_hosts

    @property
    def ranks_per_rail(self) -> int:
        """GPUs of one HB domain that share a rail."""
        return self.domain_gpus // self.rails


def resolve(spec: FabricSpec, catalog: Catalog) -> Request:
    """Fill in what the inventory leaves to the catalog. Raises Refusal with every finding of the phase."""
    findings: list[Finding] = []
    host = _host(spec, catalog, findings)
    nic = _nic(spec, catalog, host, findings)
    planned = spec.reserve.gpus if spec.reserve else spec.gpus
    rails = spec.rails.count or spec.hb_domain.gpus
    hosts = spec.hb_domain.hosts or (host.hb_domain_hosts if host else 1)
    nics = spec.nic.per_gpu or (host.nics_per_gpu if host else 1)
    findings += _divisions(spec, planned, hosts, rails, nics)
    findings += _host_findings(spec, host, hosts)
    fronts, speed = _fronts(spec, catalog, host, findings)
    if findings:
        raise Refusal(findings)
    bandwidth = spec.hb_domain.bandwidth or (host.hb_bandwidth_gbps if host else None)
    return Request(spec, spec.gpus, planned, spec.hb_domain.gpus, hosts, rails, spec.rails.planes, speed, bandwidth, nics, fronts, host, nic)


def _unknown(kind: str, model: str, path: Path, catalog: Catalog) -> Finding:
    """Refuse a model that the catalog does not hold, with the nearest one that it does."""
    near = nearest(model, catalog.names(kind))
    hint = f"did you mean `{near}`? " if near else ""
    return Finding(
        "unknown-model",
        f"the catalog has no {kind[:-1] if kind != 'switches' else 'switch'} `{model}`",
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


def _nic(spec: FabricSpec, catalog: Catalog, host: Host | None, findings: list[Finding]) -> Nic | None:
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
                "nic-contradicts-host", f"`{model}` is not the NIC of a {host.model}", ("nic", "model"), because, f"write `model: {host.nic}`, or leave it out"
            )
        )
    return nic


def _divisions(spec: FabricSpec, planned: int, hosts: int, rails: int, nics: int) -> Iterator[Finding]:
    """Find numbers that do not divide."""
    domain = spec.hb_domain.gpus
    yield from _undivided("gpus-not-whole-domains", spec.gpus, domain, ("gpus",), "GPUs do not fill whole HB domains of")
    if spec.reserve:
        yield from _undivided("gpus-not-whole-domains", planned, domain, ("reserve", "gpus"), "reserved GPUs do not fill whole HB domains of")
        if planned < spec.gpus:
            because = (f"{planned} GPUs are reserved and {spec.gpus} are installed",)
            yield Finding(
                "reserve-too-small",
                "the reserve is smaller than what is installed",
                ("reserve", "gpus"),
                because,
                "`reserve.gpus` counts all GPUs, the installed ones too",
            )
    if planned > MOST_GPUS:
        path: Path = ("reserve", "gpus") if spec.reserve else ("gpus",)
        yield Finding("too-many-gpus", f"{planned} GPUs are more than one fabric is planned for", path, (f"at most {MOST_GPUS}",), "plan several fabrics")
    yield from _undivided("hosts-do-not-divide", domain, hosts, ("hb_domain", "hosts"), "GPUs of an HB domain do not spread evenly over hosts:", per="hosts")
    yield from _undivided("rails-do-not-divide", domain, rails, ("rails", "count"), "GPUs of an HB domain do not spread evenly over rails:", per="rails")
    yield from _undivided(
        "nics-do-not-divide", spec.rails.planes, nics, ("nic", "per_gpu"), "planes (NIC ports of a GPU) do not spread evenly over NICs:", per="NICs per GPU"
    )
    shared = spec.rails.per_switch
    if shared != "auto" and spec.design is not Design.FAT_TREE:
        yield from _undivided(
            "rails-do-not-divide", rails, shared, ("rails", "per_switch"), "rails do not spread evenly over shared boxes:", per="rails per switch"
        )
    if shared not in (1, "auto") and spec.design is Design.FAT_TREE:
        hint = "leave `rails.per_switch` out, or choose another design"
        yield Finding(
            "per-switch-without-rails",
            "a fat-tree has no rails to share a switch",
            ("rails", "per_switch"),
            ("its leaves take hosts in order, whatever the rank",),
            hint,
        )


def _undivided(code: str, whole: int, part: int, path: Path, words: str, per: str = "GPUs") -> Iterator[Finding]:
    """Refuse a remainder, and name the two numbers nearest to `whole` that would do."""
    if whole % part == 0:
        return
    low, high = whole // part * part, -(-whole // part) * part
    if path[-1] == "gpus":
        hint = f"use {low} or {high}" if low else f"use {high}"
    else:
        fitting = [number for number in range(1, whole + 1) if whole % number == 0]
        near = sorted(fitting, key=lambda number: abs(number - part))[:2]
        hint = f"use {' or '.join(str(number) for number in sorted(near))}"
    yield Finding(
        code,
        f"{whole} {words} {part}" if per == "GPUs" else f"{whole} {words} {part} {per}",
        path,
        (f"{whole} = {whole // part} x {part} + {whole % part}",),
        hint,
    )


def _host_findings(spec: FabricSpec, host: Host | None, hosts: int) -> Iterator[Finding]:
    """Find where the host model contradicts the inventory."""
    if host is None:
        return
    domain = spec.hb_domain.gpus
    if host.hb_domain_gpus != domain:
        because = (f"{host.model}: {host.hb_domain_hosts} x {host.gpus} GPUs make an HB domain of {host.hb_domain_gpus}",)
        yield Finding(
            "host-contradicts-hb-domain",
            f"an HB domain of {host.model} has {host.hb_domain_gpus} GPUs, not {domain}",
            ("hb_domain", "gpus"),
            because,
            f"write `gpus: {host.hb_domain_gpus}`, or choose another host",
        )
    elif host.hb_domain_hosts != hosts:
        because = (f"{domain} GPUs / {host.gpus} per {host.model} = {domain // host.gpus}",)
        yield Finding(
            "host-contradicts-hb-domain",
            f"an HB domain of {host.model} has {host.hb_domain_hosts} hosts, not {hosts}",
            ("hb_domain", "hosts"),
            because,
            f"write `hosts: {host.hb_domain_hosts}`, or leave it out",
        )
    nics = spec.nic.per_gpu
    if nics and nics != host.nics_per_gpu:
        yield Finding(
            "nic-contradicts-host",
            f"a {host.model} has {host.nics_per_gpu} NICs per GPU, not {nics}",
            ("nic", "per_gpu"),
            hint=f"write `per_gpu: {host.nics_per_gpu}`, or leave it out",
        )
    planes, offered = spec.rails.planes, host.speeds_gbps
    if planes not in offered:
        ways = ", ".join(f"{number} at {speed_text(speed)}" for number, speed in sorted(offered.items()))
        yield Finding(
            "nic-contradicts-host",
            f"a GPU of {host.model} has no {planes} NIC ports",
            ("rails", "planes"),
            (f"it offers {ways}",),
            f"use `planes: {max(offered)}`",
        )
    elif spec.nic.speed and spec.nic.speed != offered[planes]:
        because = (f"with {planes} NIC ports per GPU, each runs at {speed_text(offered[planes])}",)
        yield Finding(
            "nic-contradicts-host",
            f"a NIC port of {host.model} does not run at {speed_text(spec.nic.speed)}",
            ("nic", "speed"),
            because,
            f"write `speed: {speed_text(offered[planes])}`, or leave it out",
        )


def _fronts(spec: FabricSpec, catalog: Catalog, host: Host | None, findings: list[Finding]) -> tuple[dict[Role, Front], int]:
    """Choose the switch and the splits of each role, from the leaf up, and the speed of a NIC port in Gbps."""
    choices = _choices(spec)
    wanted = spec.nic.speed or (host.speeds_gbps.get(spec.rails.planes) if host else None)
    speed = wanted or _stated_speed(choices[Role.LEAF][1]) or DEFAULT_SPEED_GBPS
    models = {role: _model(choice, speed, path, catalog, findings) for role, (path, choice) in choices.items()}
    downs: dict[Role, Breakout] = {}
    target = speed
    for role, (path, choice) in choices.items():
        model = models[role]
        if model is None:
            return {}, speed
        down = _down(choice, model, target, path, leaf=role is Role.LEAF)
        if isinstance(down, Finding):
            findings.append(down)
            return {}, speed
        downs[role] = down
        target = down.speed_gbps
    fronts: dict[Role, Front] = {}
    for index, role in enumerate(ROLES):
        model, (path, _) = models[role], choices[role]
        above = downs[ROLES[min(index + 1, len(ROLES) - 1)]]
        up = _mode_at(model, above.speed_gbps) if model else None
        nos = _nos(spec, role, model, findings) if model else None
        if model is None or nos is None:
            continue
        if up is None:
            because = (
                f"{choices[ROLES[index + 1]][1].model or 'the tier above'} runs {above.name} downwards",
                f"a cage of {model.model} offers {_modes(model)}",
            )
            findings.append(
                Finding(
                    "no-uplink-speed",
                    f"a {role} {model.model} has no port of {speed_text(above.speed_gbps)} for its uplinks",
                    path,
                    because,
                    "give the tier above a breakout at a speed that both sides have",
                )
            )
            continue
        fronts[role] = Front(role, model, nos, downs[role], downs[role] if up.speed_gbps == downs[role].speed_gbps else up)
        findings += _port_limit(fronts[role], path)
    findings += _transports(fronts, choices)
    return fronts, speed


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


def _model(choice: SwitchChoice, speed: int, path: Path, catalog: Catalog, findings: list[Finding]) -> Switch | None:
    """Find the switch of one entry."""
    if choice.generic:
        return catalog.generic(choice.generic.radix, choice.generic.speed or speed)
    model = catalog.switch(choice.model or "")
    if model is None:
        finding = _unknown("switches", choice.model or "", (*path, "model"), catalog)
        findings += [finding] if finding not in findings else []
    return model


def _down(choice: SwitchChoice, model: Switch, below: int, path: Path, *, leaf: bool) -> Breakout | Finding:
    """Choose how a switch splits its cages downwards: as stated, else for the speed `below` (Gbps); a leaf must match its NIC ports."""
    mode = model.breakout(choice.breakout) if choice.breakout else _mode_at(model, below)
    where: Path = (*path, "breakout") if choice.breakout else path
    offers = f"a cage of {model.model} offers {_modes(model)}"
    if mode is None and choice.breakout:
        hint = f"use `breakout: {model.breakouts[-1].name}`, or leave it out"
        return Finding("unknown-breakout", f"a cage of {model.model} cannot be split {choice.breakout}", where, (offers,), hint)
    speed = speed_text(below)
    if mode is None and leaf:
        hint = "choose another switch, or another `nic.speed`"
        return Finding("speed-mismatch", f"{model.model} has no port of {speed}", where, (f"NIC ports run at {speed}", offers), hint)
    mode = mode or model.breakouts[0]
    if leaf and mode.speed_gbps != below:
        own, fitting = speed_text(mode.speed_gbps), _mode_at(model, below)
        hint = f"write `breakout: {fitting.name}`" if fitting and choice.breakout else f"write `nic: {{speed: {own}}}`"
        because = (f"a NIC port runs at {speed}", f"a leaf port at {mode.name} runs at {own}")
        return Finding("speed-mismatch", "leaf ports and NIC ports differ in speed", where, because, hint)
    return mode


def _mode_at(model: Switch, speed: int) -> Breakout | None:
    """Return the split that gives ports of this speed, the one with most ports; None where there is none."""
    fitting = [mode for mode in model.breakouts if mode.speed_gbps == speed]
    return max(fitting, key=lambda mode: mode.count) if fitting else None


def _modes(model: Switch) -> str:
    """List what a cage can do."""
    return ", ".join(mode.name for mode in model.breakouts)


def _nos(spec: FabricSpec, role: Role, model: Switch, findings: list[Finding]) -> str | None:
    """Choose the NOS of a role: its own, else that of the tier below where the model runs it, else the model's first choice."""
    own = getattr(spec.nos, role)
    below = [getattr(spec.nos, lower) for lower in ROLES[: role.tier - 1]]
    inherited = next((nos for nos in reversed(below) if nos in model.interfaces), None)
    nos = own or inherited or model.default_nos
    if nos not in model.interfaces:
        because = (f"it runs {', '.join(sorted(model.interfaces))}",)
        near = nearest(nos, model.interfaces) or model.default_nos
        findings.append(Finding("nos-not-on-switch", f"{model.model} does not run `{nos}`", ("nos", role.value), because, f"use `{near}`"))
        return None
    return str(nos)


def _port_limit(front: Front, path: Path) -> Iterator[Finding]:
    """Refuse a split that makes more ports than the switch carries."""
    limit, mode = front.model.port_limit, front.down
    if limit and front.radix > limit:
        fewer = [other.name for other in front.model.breakouts if other.count * front.model.cages <= limit]
        because = (f"{front.radix // mode.count} cages x {mode.count} ports = {front.radix}", f"{front.model.model} carries {limit} ports")
        yield Finding(
            "port-limit", f"{front.model.model} split {mode.name} makes more ports than it carries", (*path, "breakout"), because, f"use {' or '.join(fewer)}"
        )


def _transports(fronts: dict[Role, Front], choices: dict[Role, tuple[Path, SwitchChoice]]) -> Iterator[Finding]:
    """Refuse an Ethernet switch that meets an InfiniBand one."""
    for lower, upper in pairwise(ROLES):
        ends = [fronts[role].model for role in (lower, upper) if role in fronts]
        if len({model.transport for model in ends}) > 1:
            because = tuple(f"{model.model} is {model.transport}" for model in ends)
            yield Finding(
                "transport-mismatch", f"a {lower} and a {upper} speak different protocols", choices[upper][0], because, "use switches of one transport"
            )
