"""What templates see: finished, sorted, named values.

A view holds every decision as text or number, so that a template only loops, tests and joins. Views are slotted dataclasses, because a
million-GPU fabric renders four million ports and attribute access on slots is what Jinja does fastest. Every public attribute may be used in a template.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.addressing import dotted
from fabricgen.bom import CLASSES
from fabricgen.diagnostics import nearest, refuse
from fabricgen.summary import COMPARED
from fabricgen.terms import ROLES, LinkKind, Role, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fabricgen.bom import Bom, Line
    from fabricgen.catalog import SonicPlatform
    from fabricgen.clos import Ints
    from fabricgen.fronts import Front, Port
    from fabricgen.placing import Place
    from fabricgen.planner import Plan
    from fabricgen.spec import Roce
    from fabricgen.summary import Comparison
    from fabricgen.terms import Design

BGP_ECMP_LIMIT = 256
"""The widest ECMP that FRR is built with by default, and more than any box here has uplinks for."""


@dataclass(slots=True)
class CableView:
    """One cable: the lower end is `a`, the upper end `b`. Racks, units and lengths are empty where no positions are known."""

    cable: str
    rail: str
    """Rail, from 0; empty where the link carries several."""
    plane: int
    tier: int
    """Tier of the upper end: 1 leaf, 2 spine, 3 core."""
    a_device: str
    a_interface: str
    a_port: str
    """What is printed beside the port: the chassis's own label, or cage/position."""
    b_device: str
    b_interface: str
    b_port: str
    speed: str
    a_rack: str
    a_unit: str
    b_rack: str
    b_unit: str
    length_m: str
    medium: str
    part: str
    a_transceiver: str
    b_transceiver: str
    connector: int
    """Which connector of its modules the cable takes, from 1, where a link takes several cables; else 0."""


@dataclass(slots=True)
class Chunk:
    """A run of cables. A table that is too long for memory is rendered chunk by chunk; `first` and `last` mark the ends."""

    fabric: str
    rows: list[CableView]
    first: bool
    last: bool

    def select(self, columns: Sequence[str]) -> Iterator[tuple[str | int, ...]]:
        """Read these columns of every row at once, which is four times as fast as naming each in a template. Raises Refusal `bad-template`."""
        for column in columns:
            if column not in _CABLE_COLUMNS:
                near = nearest(column, _CABLE_COLUMNS)
                hint = f"did you mean `{near}`?" if near else f"columns: {', '.join(_CABLE_COLUMNS)}"
                raise refuse("bad-template", f"a cable has no column `{column}`", hint=hint)
        if len(columns) == 1:
            return ((getattr(row, columns[0]),) for row in self.rows)
        return map(attrgetter(*columns), self.rows)


_CABLE_COLUMNS = tuple(column.name for column in fields(CableView))


@dataclass(slots=True)
class PortView:
    """One port in use on a switch."""

    interface: str
    alias: str
    cage: int
    subport: int
    """Position in the cage from 1; 0 where the cage is not split."""
    lanes: str
    """Lanes of the port, joined by commas; empty where the platform's lanes are not known."""
    speed: str
    speed_mbps: int
    breakout: str
    peer_device: str
    peer_interface: str
    cable: str
    """Label of the cable; where the link takes several, what their labels have in common."""
    address: str
    """The port's own address with its prefix length; empty where the link is unnumbered."""
    to_host: bool
    vrf: str
    """The VRF of the port's rail; empty where the box serves one rail only."""
    rail: str


@dataclass(slots=True)
class IdlePort:
    """One port without a cable."""

    interface: str
    alias: str
    cage: int
    subport: int
    lanes: str
    speed: str
    speed_mbps: int


@dataclass(slots=True)
class CageView:
    """One cage and its split; `interface` is its first port, `whole` what the NOS calls the unsplit cage."""

    cage: int
    interface: str
    whole: str
    breakout: str
    count: int
    sonic_mode: str
    split: bool


@dataclass(slots=True)
class Instance:
    """One routing instance of a switch: the default one, or the VRF of one rail on a shared box."""

    vrf: str
    """Empty for the default instance."""
    table: int
    """Linux routing table of the VRF; 0 for the default instance."""
    rail: str
    asn: int
    router_id: str
    loopback: str
    """The loopback address, without a length: it is a /32."""
    host_prefix: str
    """The slice of the host pool that belongs to this rail and plane, and the only one that may be announced here."""
    loopback_prefix: str
    host_prefix_length: int
    """Length of the prefixes that hosts bring in: 31 where links are numbered, else 32."""
    host_ports: list[PortView]
    fabric_ports: list[PortView]
    """Ports towards other switches; BGP is unnumbered on them."""
    ecmp_paths: int


@dataclass(slots=True)
class SwitchView:
    """One switch and everything that its configuration says."""

    name: str
    fabric: str
    role: str
    tier: int
    model: str
    vendor: str
    nos: str
    rail: str
    plane: int
    asn: int
    mtu: int
    bfd: bool
    hosts_numbered: bool
    roce: Roce
    platform: SonicPlatform | None
    ports: list[PortView]
    """Ports in use, in the order of the front panel."""
    idle_ports: list[IdlePort]
    """Ports without a cable, in the order of the front panel."""
    cages: list[CageView]
    instances: list[Instance]
    """The default instance alone, or one for each rail of a shared box."""
    vrfs: list[Instance] = field(default_factory=list)
    """The instances that are VRFs; empty on a box that serves one rail."""


class _Facts(NamedTuple):
    """What is the same of a port on every box of a role."""

    interface: str
    alias: str
    cage: int
    subport: int
    lanes: str
    speed: str
    speed_mbps: int
    breakout: str


class Views:
    """Makes the views of one plan, unit by unit; what is the same in every unit is worked out once."""

    def __init__(self, plan: Plan) -> None:
        """Keep the plan; nothing is made before it is asked for."""
        self.plan = plan

    @cached_property
    def facts(self) -> dict[Role, list[_Facts]]:
        """The ports of each role's box, in the order of `Plan.ports`."""
        fronts = self.plan.request.fronts
        return {role: [_facts(fronts[role], port) for port in ports] for role, ports in self.plan.ports.items()}

    @cached_property
    def _idle(self) -> dict[Role, tuple[list[IdlePort], list[CageView]]]:
        """The idle ports and the cages of each role's box."""
        shown = {}
        for role, ports in self.plan.ports.items():
            front = self.plan.request.fronts[role]
            rest = front.idle(ports)
            shown[role] = [IdlePort(*_facts(front, port)[:7]) for port in rest], _cages(front, [*ports, *rest])
        return shown

    @cached_property
    def _host_interfaces(self) -> list[list[tuple[str, str]]]:
        """The interface and the printed label of each NIC port, by plane, then by GPU of a host."""
        request, naming = self.plan.request, self.plan.naming
        return [[(naming.interface(gpu, plane), naming.label(gpu, plane)) for gpu in range(request.host_gpus)] for plane in range(request.planes)]

    @cached_property
    def _ends(self) -> tuple[Ints, NDArray[np.bool_], Ints]:
        """The ends of a unit's links at its switches, in order of switch and port.

        Columns: the row of the link, whether the switch is its upper end, and where each switch's ends start.
        """
        unit, rows = self.plan.unit, np.arange(len(self.plan.unit.kind), dtype=np.int32)
        between = rows[unit.kind != LinkKind.HOST]
        switch = np.concatenate([unit.upper, unit.lower[between]])
        port = np.concatenate([unit.upper_port, unit.lower_port[between]])
        order = np.lexsort((port, switch))
        starts = np.searchsorted(switch[order], np.arange(len(self.plan.naming.places) + 1)).astype(np.int32)
        return np.concatenate([rows, between])[order], (order < len(rows)), starts

    def prepare(self) -> None:
        """Work out now what all units share; workers that are forked afterwards inherit it."""
        _ = self.facts, self._idle, self._host_interfaces, self._ends, self.plan.hosts

    def cables(self, unit: int, start: int = 0, stop: int | None = None) -> list[CableView]:
        """Return the cables of one unit, or a run of them, in the order of `Plan.unit`."""
        plan = self.plan
        names, plane = plan.naming.switches(unit), plan.mapping.plane(unit)
        places, request = plan.naming.places, plan.request
        labels = _Labels(plan, unit)
        texts = {int(kind): _joint_texts(plan, kind) for kind in plan.kinds}
        many = {int(kind): joint.cables for kind, joint in plan.joints.items()}
        facts, nics, hosts = self.facts, self._host_interfaces[plane], plan.hosts
        printed = {role: [f"{port.cage}/{port.subport}" if port.subport else str(port.cage) for port in ports] for role, ports in facts.items()}
        views: list[CableView] = []
        for kind, block, lower, lower_port, upper, upper_port, _, number in zip(*(column[start:stop].tolist() for column in plan.unit), strict=True):
            rail = labels.rails[block]
            role = places[upper].role
            speed, medium, part, low, high = texts[kind]
            if kind == LinkKind.HOST:
                gpu = lower + (rail or 0)
                host, within = divmod(gpu, request.host_gpus)
                a_device, (a_interface, a_port) = hosts[host], nics[within]
                rail = gpu % request.domain_gpus % request.rails
            else:
                below = places[lower].role
                a_device, a_interface, a_port = names[lower], facts[below][lower_port].interface, printed[below][lower_port]
            views.append(
                CableView(
                    labels.cable(kind, block, number), "" if rail is None else str(rail), plane, kind,
                    a_device, a_interface, a_port, names[upper], facts[role][upper_port].interface, printed[role][upper_port],
                    speed, "", "", "", "", "", medium, part, low, high, 0,
                )
            )  # fmt: skip
            if many[kind] > 1:
                views[-1:] = _split(views[-1], many[kind])
        return views

    def switches(self, unit: int, roles: tuple[Role, ...] = ROLES, places: range | None = None) -> Iterator[SwitchView]:
        """Make the view of every installed switch of a unit, or of those at `places` of `Naming.places`."""
        names = self.plan.naming.switches(unit)
        labels = _Labels(self.plan, unit)
        for index in places or range(len(names)):
            place = self.plan.naming.places[index]
            if self.plan.installed[index] and place.role in roles:
                yield self._switch(unit, index, place, names, labels)

    def _switch(self, unit: int, index: int, place: Place, names: list[str], labels: _Labels) -> SwitchView:
        """Make the view of one switch."""
        plan, spec = self.plan, self.plan.spec
        front = plan.request.fronts[place.role]
        ports = self._ports(unit, index, place, names, labels)
        idle, cages = self._idle[place.role]
        if len(ports) < len(self.facts[place.role]):
            idle = self._open(place.role, ports)
        shared = place.block < 0
        blocks = range(plan.mapping.unit_blocks) if shared else [place.block]
        instances = [self._instance(unit, block, place, ports, shared=shared) for block in blocks]
        rail = None if shared else plan.mapping.rail(unit, place.block)
        return SwitchView(
            names[index], spec.name, place.role.value, place.role.tier, front.model.model, front.model.vendor, front.nos, "" if rail is None else str(rail),
            plan.mapping.plane(unit), plan.addresses.asn(unit, place), spec.addressing.mtu, spec.addressing.bfd, plan.addresses.numbered,
            spec.roce, front.model.sonic, ports, idle, cages, instances, instances if shared else [],
        )  # fmt: skip

    def _open(self, role: Role, ports: list[PortView]) -> list[IdlePort]:
        """List the ports without a cable of a box that leaves planned ones open, in the order of the front panel."""
        used = {port.interface for port in ports}
        planned = [IdlePort(*fact[:7]) for fact in self.facts[role] if fact.interface not in used]
        return sorted([*planned, *self._idle[role][0]], key=lambda port: (port.cage, port.subport))

    def _ports(self, unit: int, index: int, place: Place, names: list[str], labels: _Labels) -> list[PortView]:
        """Make the views of a switch's ports in use."""
        plan, request = self.plan, self.plan.request
        facts, places = self.facts[place.role], plan.naming.places
        rows, uppers, starts = self._ends
        run = slice(starts[index], starts[index + 1])
        nics, hosts, shared = self._host_interfaces[plan.mapping.plane(unit)], plan.hosts, place.block < 0
        views = []
        for kind, block, lower, lower_port, upper, upper_port, slot, number, is_upper in zip(
            *(column[rows[run]].tolist() for column in plan.unit), uppers[run].tolist(), strict=True
        ):
            port: int = upper_port if is_upper else lower_port
            rail = labels.rails[block]
            address, to_host = "", kind == LinkKind.HOST
            if to_host:
                host, within = divmod(lower + (rail or 0), request.host_gpus)
                peer, peer_interface = hosts[host], nics[within][0]
                address = labels.address(block, slot)
            elif is_upper:
                peer, peer_interface = names[lower], self.facts[places[lower].role][lower_port].interface
            else:
                peer, peer_interface = names[upper], self.facts[places[upper].role][upper_port].interface
            vrf = labels.vrfs[block] if shared else ""
            views.append(PortView(*facts[port], peer, peer_interface, labels.cable(kind, block, number), address, to_host, vrf, labels.rail_texts[block]))
        return views

    def _instance(self, unit: int, block: int, place: Place, ports: list[PortView], *, shared: bool) -> Instance:
        """Make one routing instance of a switch."""
        plan = self.plan
        rail = plan.mapping.rail(unit, block)
        vrf, table = (_vrf(rail), FIRST_TABLE + (rail or 0)) if shared else ("", 0)
        own = [port for port in ports if port.vrf == vrf]
        hosts, fabric = [port for port in own if port.to_host], [port for port in own if not port.to_host]
        loopback = dotted(plan.addresses.loopback(unit, block, place))
        number = unit * plan.mapping.unit_blocks + block
        return Instance(
            vrf, table, "" if rail is None else str(rail), plan.addresses.asn(unit, place), loopback, loopback,
            plan.addresses.hosts.prefix(number), plan.addresses.loopbacks.prefix(number), 31 if plan.addresses.numbered else 32,
            hosts, fabric, min(max(len(fabric), 1), BGP_ECMP_LIMIT),
        )  # fmt: skip


FIRST_TABLE = 1000
"""Linux routing table of rail 0's VRF; below it lie the tables that distributions use."""


def _vrf(rail: int | None) -> str:
    """Name the VRF of a rail on a shared box."""
    return f"rail{rail}"


class _Labels:
    """The words of one unit that every port of it uses."""

    def __init__(self, plan: Plan, unit: int) -> None:
        blocks = range(plan.mapping.unit_blocks)
        self.rails = [plan.mapping.rail(unit, block) for block in blocks]
        self.rail_texts = ["" if rail is None else str(rail) for rail in self.rails]
        self.vrfs = [_vrf(rail) for rail in self.rails]
        self._width = plan.label_width
        self._prefixes = {(int(kind), block): plan.label(kind, unit, block) for kind in plan.kinds for block in blocks}
        starts = [plan.addresses.hosts.start(unit * plan.mapping.unit_blocks + block) for block in blocks]
        self._starts = starts if plan.addresses.numbered else []

    def cable(self, kind: int, block: int, number: int) -> str:
        """Label a cable."""
        return f"{self._prefixes[kind, block]}{number:0{self._width}}"

    def address(self, block: int, slot: int) -> str:
        """Return the leaf's end of a host link's /31; empty where hosts are unnumbered."""
        return f"{dotted(self._starts[block] + 2 * slot)}/31" if self._starts else ""


def _joint_texts(plan: Plan, kind: LinkKind) -> tuple[str, str, str, str, str]:
    """Return the texts of a kind of link: speed, medium, cable part, and the modules at the lower and the upper end."""
    joint = plan.joints[kind]
    return speed_text(joint.speed_gbps), joint.medium, joint.cable.model, joint.lower.model, joint.upper.model


def _split(link: CableView, cables: int) -> list[CableView]:
    """Return the cables of a link that takes several: a letter behind the label, and the connector behind the port."""
    return [
        replace(link, cable=link.cable + "abcdefgh"[index], a_port=f"{link.a_port}/{index + 1}", b_port=f"{link.b_port}/{index + 1}", connector=index + 1)
        for index in range(cables)
    ]


def _facts(front: Front, port: Port) -> _Facts:
    """Work out what a port is called and made of."""
    cage, sub, mode = port
    alias = front.model.alias(front.nos, cage, sub, mode) or ""
    lanes = front.model.sonic.lanes[cage - 1] if front.model.sonic and front.model.sonic.lanes else ()
    own = ",".join(str(lane) for lane in lanes[sub * mode.lanes : (sub + 1) * mode.lanes])
    subport = sub + 1 if mode.count > 1 else 0
    return _Facts(front.interface(port), alias, cage, subport, own, speed_text(mode.speed_gbps), mode.speed_gbps * 1000, mode.name)


def _cages(front: Front, ports: list[Port]) -> list[CageView]:
    """List the cages with their split."""
    splits = {port.cage: port.breakout for port in ports}
    whole = next((mode for mode in front.model.breakouts if mode.count == 1), None)
    views = []
    for cage in sorted(splits):
        mode = splits[cage]
        first = front.model.interface(front.nos, cage, 0, mode)
        unsplit = front.model.interface(front.nos, cage, 0, whole) if whole else first
        views.append(CageView(cage, first, unsplit, mode.name, mode.count, mode.sonic or mode.name, mode.count > 1))
    return views


@dataclass(slots=True)
class PartView:
    """One row of the bill of materials; what nobody knows is empty, never 0."""

    row: str
    """What the row is: part, subtotal of a class, or total."""
    part_class: str
    part: str
    part_number: str
    description: str
    purpose: str
    """What it is for: a count for each place, like `leaf 64, spine 32`."""
    quantity: str
    spares: str
    unit_price: str
    price_book: str
    """The book of the unit price, or `inventory` where the inventory gives it."""
    price_date: str
    currency: str
    total: str
    """Price of the quantity and its spares."""
    power_w: str
    """Typical power of the quantity; spares lie on a shelf."""


@dataclass(slots=True)
class BomView:
    """The bill of materials. A sum names in its description what it misses."""

    fabric: str
    design: str
    currency: str
    price_book: str
    parts: list[PartView]
    sums: list[PartView]
    """A row for each class of parts, and the total."""
    unpriced: list[PartView]
    """The parts without a price, which no sum contains."""
    link_ends: str
    """Transceivers counted one per link end, as the rail-only paper counts."""
    modules: str
    """Transceivers as they are sold and counted in `parts`: a twin-port module serves two links."""


def bom_view(bom: Bom, plan: Plan) -> BomView:
    """Make the view of a bill of materials."""
    own = set(plan.spec.prices.parts)
    parts = [_part(line, bom, own_price=line.part in own) for line in bom.lines]
    by_class = {name: [line for line in bom.lines if line.part_class == name] for name in CLASSES}
    sums = [_sum("subtotal", name, lines, bom) for name, lines in by_class.items() if lines]
    link_ends = 2 * sum(plan.link_count(kind) for kind in plan.kinds)
    return BomView(
        plan.spec.name, plan.request.design.value, bom.book.currency, bom.book.name, parts, [*sums, _sum("total", "", list(bom.lines), bom)],
        [part for part in parts if not part.unit_price], str(link_ends), str(_modules(bom)),
    )  # fmt: skip


def _modules(bom: Bom) -> int:
    """Count transceivers as they are sold."""
    return sum(line.quantity for line in bom.lines if line.part_class == "transceivers")


def _part(line: Line, bom: Bom, *, own_price: bool) -> PartView:
    """Make the view of one part."""
    source = ("", "", "")
    if line.unit_price is not None:
        source = ("inventory", "", bom.book.currency) if own_price else (bom.book.name, str(bom.book.date or ""), bom.book.currency)
    return PartView(
        "part", line.part_class, line.part, line.part_number, line.description, line.purpose, str(line.quantity), str(line.spares),
        _money(line.unit_price), *source, _money(line.total), _decimal(line.power_w),
    )  # fmt: skip


def _sum(row: str, part_class: str, lines: list[Line], bom: Bom) -> PartView:
    """Add up lines: prices as far as they are known, power only where all of it is."""
    priced = [line.total for line in lines if line.total is not None]
    power = [line.power_w for line in lines if line.power_w is not None]
    missing = [("unpriced", [line.part for line in lines if line.total is None]), ("power unknown", [line.part for line in lines if line.power_w is None])]
    note = "; ".join(f"{what}: {', '.join(names)}" for what, names in missing if names)
    return PartView(
        row, part_class, f"all {part_class or 'parts'}", "", note, "", "", "", "", "", "", bom.book.currency if priced else "",
        _money(sum(priced, Decimal(0))) if priced else "", _decimal(sum(power, Fraction(0))) if len(power) == len(lines) else "",
    )  # fmt: skip


def _money(value: Decimal | None) -> str:
    """Write an amount exactly: whole, or with at least two places.

    >>> _money(Decimal("1388")), _money(Decimal("0.5")), _money(None)
    ('1388', '0.50', '')
    """
    if value is None:
        return ""
    places = -int(value.normalize().as_tuple().exponent)
    return f"{value:.{max(places, 2) if places > 0 else 0}f}"


def _decimal(value: Fraction | None) -> str:
    """Write a number without needless places; watts come from decimal texts, so they end.

    >>> _decimal(Fraction(17, 2)), _decimal(Fraction(8)), _decimal(None)
    ('8.5', '8', '')
    """
    return "" if value is None else f"{(Decimal(value.numerator) / value.denominator).normalize():f}"


@dataclass(slots=True)
class FigureView:
    """One figure of the compared designs."""

    figure: str
    unit: str
    values: list[str]
    """In the order of `ComparisonView.designs`; empty where the figure is not known, and then `note` says why."""
    saving_pct: str
    """What rail-only saves against the fat-tree."""
    note: str


@dataclass(slots=True)
class ComparisonView:
    """The same cluster in each design."""

    fabric: str
    designs: list[str]
    figures: list[FigureView]


class _Figure(NamedTuple):
    """What is compared: the figure, where a summary has it, its unit, and the saving that belongs to it."""

    name: str
    path: tuple[str, ...]
    unit: str = ""
    saving: str = ""


_FIGURES = (
    _Figure("tiers", ("tiers",)),
    _Figure("leaf switches", ("switches", "leaf")),
    _Figure("spine switches", ("switches", "spine")),
    _Figure("core switches", ("switches", "core")),
    _Figure("switches", ("switches", "total"), "", "switches_pct"),
    _Figure("host links", ("links", "host")),
    _Figure("leaf-spine links", ("links", "leaf_spine")),
    _Figure("spine-core links", ("links", "spine_core")),
    _Figure("links", ("links", "total")),
    _Figure("transceivers, one per link end", ("transceivers",), "", "transceivers_pct"),
    _Figure("transceiver modules as sold", ("modules",)),
    _Figure("cables", ("cables", "total")),
    _Figure("cost of switches", ("cost", "switches"), "currency"),
    _Figure("cost of transceivers", ("cost", "transceivers"), "currency"),
    _Figure("cost of cables", ("cost", "cables"), "currency"),
    _Figure("cost of NICs", ("cost", "nics"), "currency"),
    _Figure("cost", ("cost", "total"), "currency", "cost_pct"),
    _Figure("power", ("power_w",), "W", "power_pct"),
)


def comparison_view(comparison: Comparison) -> ComparisonView:
    """Make the view of the designs side by side, in a fixed order whatever could be built."""
    built = {plan.request.design: (bom, summary) for (plan, bom), summary in zip(comparison.built, comparison.summaries, strict=True)}
    plan = comparison.built[0][0]
    refused = {design: finding.fact for design, finding in comparison.refused}
    holds = FigureView("can be built", "", ["yes" if design in built else "no" for design in COMPARED], "", _joined(refused))
    rows = [_compared(figure, comparison, built) for figure in _FIGURES]
    return ComparisonView(plan.spec.name, [design.value for design in COMPARED], [holds, *(row for row in rows if row)])


def _compared(figure: _Figure, comparison: Comparison, built: dict[Design, tuple[Bom, dict[str, Any]]]) -> FigureView | None:
    """Make one row of the comparison; None for NICs where no inventory asks for any."""
    if figure.path[-1] == "nics" and not any(line.part_class == "nics" for bom, _ in built.values() for line in bom.lines):
        return None
    values, notes = [], {}
    for design in COMPARED:
        bom, summary = built.get(design, (None, {}))
        values.append(_value(figure, summary, bom))
        notes[design] = _missing(bom, figure.path) if bom else "cannot be built"
    saved = comparison.savings.get(figure.saving)
    currency = comparison.built[0][1].book.currency
    return FigureView(figure.name, currency if figure.unit == "currency" else figure.unit, values, "" if saved is None else f"{saved:g}", _joined(notes))


def _value(figure: _Figure, summary: dict[str, Any], bom: Bom | None) -> str:
    """Follow a figure's path into a summary, or into the bill for what only that counts."""
    if figure.path == ("modules",):
        return str(_modules(bom)) if bom else ""
    value: Any = summary
    for key in figure.path:
        value = (value or {}).get(key)
    if value is None:
        return ""
    return _money(Decimal(str(value))) if figure.unit == "currency" else _decimal(Fraction(str(value)))


def _missing(bom: Bom, path: tuple[str, ...]) -> str:
    """Say what a figure does not contain, because nobody knows it."""
    if path[0] == "power_w" and bom.unknown_power:
        return f"power unknown: {', '.join(bom.unknown_power)}"
    unpriced = [line.part for line in bom.lines if line.unit_price is None and path[-1] in ("total", line.part_class)] if path[0] == "cost" else []
    return f"unpriced in {bom.book.name}: {', '.join(unpriced)}" if unpriced else ""


def _joined(notes: dict[Design, str]) -> str:
    """Join the notes of the designs; what holds of several is said once, and what holds of all needs no name."""
    by_note: dict[str, list[str]] = defaultdict(list)
    for design, note in notes.items():
        by_note[note].append(design.value)
    return "; ".join(note if len(designs) == len(COMPARED) else f"{', '.join(designs)}: {note}" for note, designs in by_note.items() if note)
