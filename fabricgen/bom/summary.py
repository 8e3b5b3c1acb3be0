"""The figures of a plan.

Owns the keys of `plan --json`; the figures are counted in the plan and the bill.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from fabricgen.bom.bill import CLASSES, NETWORK_CLASSES
from fabricgen.bom.loads import loads_of
from fabricgen.core.document import Document
from fabricgen.core.terms import CLOS_KINDS, LinkKind, Role, ratio_text
from fabricgen.planning.worst_permutation import with_worst, worst_permutation_pct

if TYPE_CHECKING:
    from fractions import Fraction

    from fabricgen.bom.bill import Bom
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.direct.topology import DirectTopology
    from fabricgen.planning.plan import Plan


@dataclass(frozen=True)
class SwitchCounts(Document):
    """Switches by role."""

    leaf: int
    spine: int
    core: int
    total: int

    def by_role(self) -> dict[Role, int]:
        """Return the switches of each role that the fabric has."""
        counts = {Role.LEAF: self.leaf, Role.SPINE: self.spine, Role.CORE: self.core}
        return {role: count for role, count in counts.items() if count}


@dataclass(frozen=True)
class LinkCounts(Document):
    """Links by kind."""

    host: int
    leaf_spine: int
    spine_core: int
    total: int
    direct: int | None = None
    peer: int | None = None

    OPTIONAL = frozenset({"direct", "peer"})

    def by_kind(self) -> dict[LinkKind, int]:
        """Return the links of each kind that the fabric has."""
        counts = {
            LinkKind.HOST: self.host,
            LinkKind.LEAF_SPINE: self.leaf_spine,
            LinkKind.SPINE_CORE: self.spine_core,
            LinkKind.DIRECT: self.direct or 0,
            LinkKind.PEER: self.peer or 0,
        }
        return {kind: count for kind, count in counts.items() if count}


@dataclass(frozen=True)
class CableCounts(Document):
    """Cables, counted as pieces."""

    total: int


@dataclass(frozen=True, kw_only=True)
class BlockSummary(Document):
    """The switches of one block, and how the ports of each are divided."""

    endpoints: int
    leaf: int
    spine: int
    core: int
    leaf_down: int
    leaf_up: int
    spine_down: int
    spine_up: int
    core_down: int


@dataclass(frozen=True)
class ExchangeSummary(Document):
    """The rate at which prices of another currency are converted."""

    from_: str
    rate: float
    date: str


@dataclass(frozen=True, kw_only=True)
class CostSummary(Document):
    """The cost of a bill by class of parts; a class without any price is None."""

    OPTIONAL = frozenset({"nics", "devices", "cords", "hosts", "racks", "discount_pct", "exchange"})

    currency: str
    book: str
    switches: float | None
    transceivers: float | None
    cables: float | None
    nics: float | None
    devices: float | None
    cords: float | None
    hosts: float | None
    racks: float | None
    total: float | None
    unpriced: list[str]
    discount_pct: dict[str, float] | None
    exchange: ExchangeSummary | None


@dataclass(frozen=True, kw_only=True)
class TopologySummary(Document):
    """The graph of a direct rail: neighbours of each GPU, and links to each of them.

    `links` are those of a split NIC port, `idle` of them without a cable; `diameter` and
    `bisection_gbps` are None where the shape has no formula, and `check` computes them.
    """

    kind: str
    dimensions: list[int]
    degree: int
    parallel: int
    links: int
    idle: int
    link_gbps: int
    diameter: int | None
    bisection_gbps: int | None


@dataclass(frozen=True)
class NetworkSummary(Document):
    """The figures of a network beside the compute fabric."""

    switches: SwitchCounts
    links: int
    cables: CableCounts


@dataclass(frozen=True)
class Totals(Document):
    """The figures of the compute fabric and all networks together."""

    switches: int
    cables: int
    cost: float | None
    power_w: float | None
    unpriced: list[str]


@dataclass(frozen=True, kw_only=True)
class PlanSummary(Document):
    """The figures of a plan: `plan --json`.

    A *cable* is a piece, as the bill counts it. A *transceiver* is one per link end that is in a
    module, none at copper; the bill counts modules. Loads are those of the fabric without hosts:
    None where the figure of a part is not known, and `unknown` names those parts.
    """

    OPTIONAL = frozenset({"worst_permutation_pct", "topology", "networks", "totals"})

    name: str
    design: str
    gpus: int
    hb_domains: int
    rails: int
    planes: int
    tiers: int
    radix: int
    switches: SwitchCounts
    per_block: BlockSummary
    blocks: int
    links: LinkCounts
    cables: CableCounts
    longest_cable_m: float | None
    room: Literal["generated", "site"] | None
    transceivers: int
    cost: CostSummary
    power_w: float | None
    power_max_w: float | None
    heat_btu_h: float | None
    weight_kg: float | None
    rack_units: float | None
    unknown: dict[str, list[str]]
    oversubscription: str
    worst_permutation_pct: float | None = None
    """What the worst permutation of leaves gets with `spread: minimal`; None with even links."""
    topology: TopologySummary | None = None
    """The graph of direct rails; None for rails of switches."""
    networks: dict[str, NetworkSummary] | None = None
    totals: Totals | None = None

    @property
    def ratio(self) -> str:
        """The oversubscription, with what the worst permutation of leaves gets."""
        return with_worst(self.oversubscription, self.worst_permutation_pct)


def summarize(plan: Plan, bom: Bom) -> PlanSummary:
    """Count the figures of a plan and its bill.

    All but `networks` and `totals` are those of the compute fabric.
    """
    fabric, mapping = plan.fabric, plan.mapping
    links = {kind.key: plan.link_count(kind) for kind in CLOS_KINDS}
    links |= {kind.key: plan.link_count(kind) for kind in plan.kinds if kind is LinkKind.PEER}
    direct = plan.link_count(LinkKind.DIRECT) if mapping.topology else None
    blocks = mapping.segments * mapping.segment_blocks
    endpoints = mapping.topology.nodes if mapping.topology else links["host"] // blocks
    load = loads_of(plan, bom).total
    room = plan.lengths.room if plan.lengths else None
    return PlanSummary(
        name=plan.spec.name,
        design=fabric.design.value,
        gpus=fabric.gpus,
        hb_domains=fabric.coordinates.domains,
        rails=fabric.rails,
        planes=fabric.planes,
        tiers=plan.sizing.tiers,
        radix=0 if mapping.topology else fabric.port_layouts[Role.LEAF].radix,
        switches=_switches(plan),
        per_block=_block(plan.sizing, endpoints),
        blocks=blocks,
        links=LinkCounts(**links, total=plan.links, direct=direct),
        cables=CableCounts(plan.cables),
        longest_cable_m=_longest_m(plan),
        room=None if room is None else "generated" if room.generated else "site",
        transceivers=plan.module_count(),
        cost=cost(bom),
        power_w=number(bom.power_w),
        power_max_w=number(load.power_max_w),
        heat_btu_h=None if load.heat_btu_h is None else number(round(float(load.heat_btu_h), 1)),
        weight_kg=number(load.weight_kg),
        rack_units=number(load.rack_units),
        unknown={key: list(names) for key, names in load.unknown.items()},
        oversubscription=ratio_text(plan.spec.oversubscription),
        worst_permutation_pct=worst_permutation_pct(plan),
        topology=_topology(plan, mapping.topology) if mapping.topology else None,
        networks={name: _network(each) for name, each in plan.networks.items()} or None,
        totals=totals_of(plan) if plan.networks else None,
    )


def _topology(plan: Plan, topology: DirectTopology) -> TopologySummary:
    """Return the figures of the graph of a direct rail."""
    each, cut = topology.parallel * plan.fabric.link_gbps, topology.bisection
    return TopologySummary(
        kind=topology.kind,
        dimensions=[*topology.dimensions],
        degree=topology.degree,
        parallel=topology.parallel,
        links=plan.fabric.split,
        idle=topology.idle,
        link_gbps=plan.fabric.link_gbps,
        diameter=topology.diameter,
        bisection_gbps=None if cut is None else cut * each,
    )


def _switches(plan: Plan) -> SwitchCounts:
    """Count the switches of a plan."""
    counts = {role.value: plan.switch_count(role) for role in Role}
    return SwitchCounts(**counts, total=sum(counts.values()))


def _network(plan: Plan) -> NetworkSummary:
    """Count the figures of a network."""
    return NetworkSummary(_switches(plan), plan.links, CableCounts(plan.cables))


def totals_of(plan: Plan) -> Totals:
    """Count the figures of a compute fabric and its networks together."""
    from fabricgen.bom.cluster_bill import cluster_bom  # noqa: PLC0415 - most plans have no networks

    plans, bill = [plan, *plan.networks.values()], cluster_bom(plan)
    return Totals(
        sum(_switches(each).total for each in plans),
        sum(each.cables for each in plans),
        number(bill.cost()),
        number(bill.power_w),
        bill.unpriced,
    )


def _block(sizing: Sizing, endpoints: int) -> BlockSummary:
    """Return the switches and ports of one block."""
    return BlockSummary(
        endpoints=endpoints,
        leaf=sizing.leaf,
        spine=sizing.spine,
        core=sizing.core,
        leaf_down=sizing.leaf_down,
        leaf_up=sizing.leaf_up,
        spine_down=sizing.spine_down,
        spine_up=sizing.spine_up,
        core_down=sizing.core_down,
    )


def _longest_m(plan: Plan) -> float | None:
    """Return the stock length of the longest cable in metres; None where no lengths are planned."""
    if not plan.lengths:
        return None
    longest_mm = max(longest.stock_mm for longest in plan.lengths.longest.values())
    if plan.channels is not None:
        longest_mm = _longest_patched_mm(plan, plan.channels)
    return number(Decimal(longest_mm) / 1000)


def _longest_patched_mm(plan: Plan, channels: Channels) -> int:
    """Return the length of the longest cable where links run through panels."""
    found = [int(end.length_mm.max(initial=0)) for end in (channels.lower, channels.upper)]
    found += [trunk.length_mm for trunk in channels.trunks]
    links = len(plan.segment.kind)
    for segment in range(plan.mapping.segments):
        direct = plan.link_mm(segment)[~channels.patched(segment, links)]
        found.append(int(direct.max(initial=0)))
    return max(found)


def cost(bom: Bom) -> CostSummary:
    """Return the cost of a bill."""
    exchange = bom.terms.asked.exchange
    discounts: dict[str, float] = {
        line.part_class: float(line.discount_pct) for line in bom.lines if line.discount_pct
    }
    return CostSummary(
        currency=bom.book.currency,
        book=bom.book.name,
        **{
            name: number(bom.cost(name)) if name in NETWORK_CLASSES or bom.has(name) else None
            for name in CLASSES
        },
        total=number(bom.cost()),
        unpriced=bom.unpriced,
        discount_pct=discounts or None,
        exchange=ExchangeSummary(bom.terms.book_currency, float(exchange.rate), str(exchange.date))
        if exchange
        else None,
    )


def number(value: Decimal | Fraction | float | None) -> float | None:
    """Return a plain number for JSON, an int where it is whole."""
    if value is None:
        return None
    return int(value) if value == int(value) else float(value)
