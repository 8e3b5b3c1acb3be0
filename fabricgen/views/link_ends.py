"""Both ends of every link of a plan: devices and ports, and the label of the cable.

Owns the way from the columns of `Plan.segment` to what views show. A reader gives what it wants to
know of a port of each role and of each NIC port, and gets it for every link as columns. Names and
labels are looked up for the rows that are asked for, so that memory does not grow with the fabric.
"""

from __future__ import annotations

from functools import cached_property
from operator import add
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from fabricgen.core.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fabricgen.core.arrays import BoolArray, Int32Array, IntArray
    from fabricgen.planning.plan import Plan

P = TypeVar("P")
"""What a reader wants to know of a port."""


class LinkColumns(NamedTuple):
    """Links of one segment as columns.

    Devices are arrays of names, ports are arrays of what the reader wants to know of a port.
    `lower` and `upper` are boxes of the segment; at a host link `gpu` takes the place of `lower`.
    `gpu` is -1 at a link between switches, `rail` is -1 at a link that carries several rails.
    """

    kind: Int32Array
    block: Int32Array
    slot: IntArray
    gpu: Int32Array
    rail: Int32Array
    lower: Int32Array
    lower_device: NDArray[np.object_]
    lower_port: NDArray[np.object_]
    upper: Int32Array
    upper_device: NDArray[np.object_]
    upper_port: NDArray[np.object_]
    cables: list[str]
    """Labels; where a link takes several cables, what their labels have in common."""

    @property
    def is_host(self) -> BoolArray:
        """Whether a link ends at a host."""
        return np.asarray(self.kind == LinkKind.HOST)


class SharedColumns(NamedTuple):
    """Links of a segment, in those columns that are the same in every segment.

    The ports are arrays of what the reader wants to know of one; `lower_shown` is None at hosts.
    """

    kind: Int32Array
    block: Int32Array
    slot: IntArray
    lower: Int32Array
    lower_port: Int32Array
    lower_shown: NDArray[np.object_]
    upper: Int32Array
    upper_port: Int32Array
    upper_shown: NDArray[np.object_]
    is_host: BoolArray
    prefix: list[int]
    """Which prefix of its segment a label begins with: at kind of link * blocks + block."""
    number: list[str]
    """What follows the prefix."""


class LinkEnds(Generic[P]):
    """The ends of the links of one plan; what all segments share is computed once."""

    def __init__(
        self, plan: Plan, ports: Mapping[Role, Sequence[P]], nics: Sequence[Sequence[P]]
    ) -> None:
        """Keep what to show of each port.

        `ports` are those of a role in the order of `Plan.ports`; `nics` are by plane, then by
        place in the host, or on a network by the index of the interface.
        """
        self.plan, self._ports = plan, ports
        self._nics = [objects(each) for each in nics]
        self._last: SegmentEnds[P] | None = None

    def of_segment(self, segment: int) -> SegmentEnds[P]:
        """Return the links of a segment, and keep them for who asks next."""
        if self._last is None or self._last.segment != segment:
            self._last = SegmentEnds(self, segment)
        return self._last

    def shared(self, rows: slice | Int32Array) -> SharedColumns:
        """Return what some links have in common with the same links of every other segment."""
        plan, links = self.plan, self.plan.segment
        kind, block = links.kind[rows], links.block[rows]
        return SharedColumns(
            kind=kind,
            block=block,
            slot=links.slot[rows],
            lower=links.lower[rows],
            lower_port=links.lower_port[rows],
            lower_shown=self.lower_ports[rows],
            upper=links.upper[rows],
            upper_port=links.upper_port[rows],
            upper_shown=self.upper_ports[rows],
            is_host=kind == LinkKind.HOST,
            prefix=(kind * plan.mapping.segment_blocks + block).tolist(),
            number=[*map(f"%0{plan.label_width}d".__mod__, links.number[rows].tolist())],
        )

    @cached_property
    def hosts(self) -> NDArray[np.object_]:
        """The names of the installed hosts."""
        return objects(self.plan.hosts)

    def nics(self, plane: int) -> NDArray[np.object_]:
        """Return what to show of the NIC ports of a plane, by place in the host."""
        return self._nics[plane]

    @cached_property
    def lower_ports(self) -> NDArray[np.object_]:
        """What to show of the port at the lower end of each link of a segment; None at hosts."""
        columns = self.plan.segment
        return self._of_kinds({kind: kind.lower for kind in self.plan.kinds}, columns.lower_port)

    @cached_property
    def upper_ports(self) -> NDArray[np.object_]:
        """What to show of the port at the upper end of each link of a segment."""
        columns = self.plan.segment
        roles = {kind: kind.role("upper") for kind in self.plan.kinds}
        return self._of_kinds(roles, columns.upper_port)

    def _of_kinds(
        self, roles: Mapping[LinkKind, Role | None], ports: Int32Array
    ) -> NDArray[np.object_]:
        """Look up the ports of the links of each kind."""
        shown = np.empty(len(ports), dtype=object)
        for kind, role in roles.items():
            rows = self.plan.segment.kind == kind
            if role is not None:
                shown[rows] = objects(self._ports[role])[ports[rows]]
        return shown


class SegmentEnds(Generic[P]):
    """The ends of the links of one segment."""

    def __init__(self, links: LinkEnds[P], segment: int) -> None:
        """Name the switches of the segment."""
        self._links, self.plan, self.segment = links, links.plan, segment
        self.plane = self.plan.mapping.plane(segment)
        self.switches = self.plan.naming.switches(segment)

    @cached_property
    def _names(self) -> NDArray[np.object_]:
        """The names of the switches as a column."""
        return objects(self.switches)

    @cached_property
    def _prefixes(self) -> list[str]:
        """What precedes the number of a cable: at kind of link * blocks of a segment + block."""
        plan, blocks = self.plan, self.plan.mapping.segment_blocks
        prefixes = [""] * (blocks * (max(plan.kinds) + 1))
        for (kind, block), prefix in plan.label_prefixes(self.segment).items():
            prefixes[kind * blocks + block] = prefix
        return prefixes

    def columns(self, rows: slice | Int32Array) -> LinkColumns:
        """Return some links as columns."""
        return self.columns_of(self._links.shared(rows))

    def columns_of(self, shared: SharedColumns) -> LinkColumns:
        """Return links as columns, with what they share with other segments computed before."""
        plan, links, mapping = self.plan, self._links, self.plan.mapping
        coordinates, host = plan.fabric.coordinates, shared.is_host
        block, lower, upper = shared.block, shared.lower, shared.upper
        # one pass over all rows is faster than one over the host links alone
        gpu = np.where(host, mapping.lower_gpu(self.segment, lower, block), np.int32(-1))
        several = np.int32(-1) if mapping.spans_rails else mapping.first_rail(self.segment, block)
        rail = np.where(host, coordinates.rail(gpu), several)
        below, ports = np.empty(len(lower), dtype=object), shared.lower_shown.copy()
        below[host] = links.hosts[coordinates.host(gpu[host])]
        ports[host] = links.nics(self.plane)[plan.fabric.interface_index(gpu[host])]
        above, upper_ports = np.empty(len(upper), dtype=object), shared.upper_shown
        if self.plan.mapping.topology:
            gpu = mapping.lower_gpu(self.segment, lower, block)
            rail, upper_ports = coordinates.rail(gpu), upper_ports.copy()
            for ends, devices, shown, port in (
                (lower, below, ports, shared.lower_port),
                (upper, above, upper_ports, shared.upper_port),
            ):
                at = mapping.lower_gpu(self.segment, ends, block)
                devices[:] = links.hosts[coordinates.host(at)]
                nic = plan.fabric.interface_index(at) * plan.fabric.split + port
                shown[:] = links.nics(self.plane)[nic]
        else:
            above[:] = self._names[upper]
            below[~host] = self._names[lower[~host]]
        return LinkColumns(
            kind=shared.kind,
            block=block,
            slot=shared.slot,
            gpu=gpu,
            rail=rail,
            lower=lower,
            lower_device=below,
            lower_port=ports,
            upper=upper,
            upper_device=above,
            upper_port=upper_ports,
            cables=[*map(add, map(self._prefixes.__getitem__, shared.prefix), shared.number)],
        )


class NicLink(NamedTuple):
    """The link of a NIC port.

    It is at a row of `Plan.segment`, in a block of a segment. `leaf` is a box of the segment, and
    `leaf_port` counts as in `Plan.ports`. `address` is that of the NIC port.
    """

    segment: int
    block: int
    row: int
    leaf: int
    leaf_port: int
    address: int
    cable: str


class HostLinks:
    """The link of each NIC port of a plan."""

    def __init__(self, plan: Plan) -> None:
        """Find the host links of a segment by block, and by the GPU's place in the block."""
        mapping, segment = plan.mapping, plan.segment
        links = np.flatnonzero(segment.kind == LinkKind.HOST).astype(np.int32)
        shape = mapping.segment_blocks, mapping.pattern_index(plan.fabric.gpus)
        self._plan, self._rows = plan, np.full(shape, -1, dtype=np.int32)
        self._rows[segment.block[links], mapping.pattern_index(segment.lower[links])] = links
        self._shared: dict[tuple[int, int], tuple[str, int, int]] = {}

    def of(self, gpus: Sequence[int], planes: Sequence[int]) -> Iterator[NicLink]:
        """Yield the links of some NIC ports, each given by its GPU and its plane."""
        mapping, links, width = self._plan.mapping, self._plan.segment, self._plan.label_width
        # numpy looks all ports up at once, which costs less than one by one
        every = np.array(gpus, dtype=np.int32)
        segment, block = mapping.home(every, np.array(planes, dtype=np.int32))
        rows = self._rows[block, mapping.pattern_index(every)]
        ends = links.upper[rows], links.upper_port[rows], links.slot[rows], links.number[rows]
        columns = (column.tolist() for column in (segment, block, rows, *ends))
        for at, within, row, leaf, port, slot, number in zip(*columns, strict=True):
            prefix, first, step = self._of_block(at, within)
            cable = f"{prefix}{number:0{width}}"
            yield NicLink(at, within, row, leaf, port, first + slot * step, cable)

    def _of_block(self, segment: int, block: int) -> tuple[str, int, int]:
        """Return what precedes the numbers of cables, the first address, and the next one's step.

        They are the same for all host links of a block.
        """
        if (segment, block) not in self._shared:
            plan, number = self._plan, segment * self._plan.mapping.segment_blocks + block
            first, second = plan.addresses.host_addresses(number, (0, 1))
            prefix = plan.label(LinkKind.HOST, segment, block)
            self._shared[segment, block] = prefix, first, second - first
        return self._shared[segment, block]


def cable_label(plan: Plan, segment: int, row: int) -> str:
    """Label the cable of one link of a segment."""
    kind, block = LinkKind(plan.segment.kind[row]), int(plan.segment.block[row])
    return f"{plan.label(kind, segment, block)}{int(plan.segment.number[row]):0{plan.label_width}}"


def objects(values: Sequence[object]) -> NDArray[np.object_]:
    """Return an array of objects, also where they are sequences themselves."""
    return np.fromiter(values, dtype=object, count=len(values))
