"""What has failed: the names of parts on the command line, found in the plan.

Owns `Failures` and their names: `switch:NAME`, `link:CABLE-LABEL`, `nic:GPU[/plane]`, `gpu:GPU`,
`host:NAME`, `rack:NAME`, `device:NAME`, `hb:DOMAIN`, `plane:N`, `rail:N`. `reachability` owns their
effect on GPUs, and `analysis.impact.network_loss` that on the networks beside compute.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.core.diagnostics import Refusal, refuse, suggest
from fabricgen.core.terms import DEVICES, LinkKind
from fabricgen.planning.coordinates import gpu_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fabricgen.planning.plan import Plan

LIKELY = 4096
"""Names that a mistyped one is compared with; more would take seconds."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Everything that is down at once.

    Segments, boxes, blocks and rows are counted as in the plan; GPUs over all domains.
    """

    gpus: frozenset[int] = frozenset()
    domains: frozenset[int] = frozenset()
    """HB domains whose interconnect is down; their GPUs work."""
    ports: frozenset[tuple[int, int]] = frozenset()
    """NIC ports, as GPU and plane; a cut host cable is a failure of its NIC port."""
    switches: frozenset[tuple[int, int]] = frozenset()
    """Switches, as segment and box."""
    links: frozenset[tuple[int, int]] = frozenset()
    """Links between switches, as segment and row of `Plan.segment`."""
    blocks: frozenset[tuple[int, int]] = frozenset()
    """Whole blocks, as segment and block of the segment: a plane, or a rail on one plane."""

    def __or__(self, other: Failures) -> Failures:
        """Return both together."""
        return Failures(
            *(getattr(self, each.name) | getattr(other, each.name) for each in fields(self))
        )

    def __bool__(self) -> bool:
        """Return whether anything is down."""
        return any(getattr(self, each.name) for each in fields(self))


def find_failures(plan: Plan, names: Iterable[str]) -> Failures:
    """Return everything that the names select.

    Raises Refusal `unknown-failure` for a name that the plan does not have.
    """
    found = Failures()
    for name in names:
        found |= _find(plan, name)
    return found


def find_gpu(plan: Plan, name: str) -> int:
    """Return the GPU of a name, counted over all domains.

    Raises Refusal `unknown-gpu`.
    """
    fabric = plan.fabric
    match = re.fullmatch(r"d(\d{1,9})-g(\d{1,9})", name)
    domain, rank = map(int, match.groups()) if match else (-1, -1)
    domains = fabric.coordinates.domains
    if (
        match is None
        or gpu_name(domain, rank) != name
        or domain >= domains
        or rank >= fabric.domain_gpus
    ):
        because = (
            (
                f"domains go from 0 to {domains - 1}, and the ranks in each from 0 to"
                f" {fabric.domain_gpus - 1}"
            ),
        )
        raise refuse(
            "unknown-gpu",
            f"there is no GPU `{name}`",
            because=because,
            hint=_gpus_of_host(plan, name)
            or f"the last one is `{gpu_name(domains - 1, fabric.domain_gpus - 1)}`",
        )
    return fabric.coordinates.gpu(domain, rank)


def _gpus_of_host(plan: Plan, name: str) -> str:
    """Return a hint that names the GPUs of a host; empty where no host has the name."""
    if name not in plan.hosts:
        return ""
    coordinates = plan.fabric.coordinates
    gpus = coordinates.host_range(plan.hosts.index(name))
    return f"the GPUs of {name} are `{coordinates.name(gpus[0])}` to `{coordinates.name(gpus[-1])}`"


def _find(plan: Plan, name: str) -> Failures:
    """Return what one name selects."""
    kind, _, rest = name.partition(":")
    if kind not in KINDS or not rest:
        hint = suggest(
            kind, KINDS, f"write a kind and a name: {', '.join(f'`{each}:…`' for each in KINDS)}"
        )
        raise refuse("unknown-failure", f"`{name}` names nothing that can fail", hint=hint)
    try:
        return KINDS[kind].find(plan, rest)
    except Refusal:
        for network, own in plan.networks.items():
            if kind in OF_NETWORKS and _has(own, kind, rest):
                raise _beside(kind, rest, network) from None
        raise


def _has(network: Plan, kind: str, name: str) -> bool:
    """Return whether a network has a part."""
    try:
        KINDS[kind].find(network, name)
    except Refusal:
        return False
    return True


def _beside(kind: str, name: str, network: str) -> Refusal:
    """Return the refusal of a part of a network where paths between GPUs are asked for."""
    return refuse(
        "unknown-failure",
        f"no path between GPUs uses the {KINDS[kind].word} `{name}`",
        because=() if network == DEVICES else (f"it is of the network `{network}`",),
        hint=f"`fabricgen impact FABRIC --fail {kind}:{name}` lists the devices that it cuts off",
    )


def _switch(plan: Plan, name: str) -> Failures:
    """Return the failure of a switch."""
    for segment in range(plan.mapping.segments):
        names = plan.naming.switches(segment)
        if name in names and plan.installed[box := names.index(name)]:
            return Failures(switches=frozenset({(segment, box)}))
    raise _unknown(
        "switch",
        name,
        suggest(name, islice(plan.cluster_switches(), LIKELY), "`cables.csv` names every switch"),
    )


def _link(plan: Plan, label: str) -> Failures:
    """Return the failure of a cable.

    Either cable of a link with two brings the link down, because a port cannot run on half of its
    lanes.
    """
    match = re.fullmatch(r"(.*?)(\d+)([a-h]?)", label)
    for segment in range(plan.mapping.segments) if match else ():
        for (kind, block), prefix in plan.label_prefixes(segment).items():
            if match and match[1] == prefix and len(match[2]) == plan.label_width:
                return _cable(plan, kind, segment, block, label, match)
    raise _unknown("link", label, "`cables.csv` lists every label")


def _cable(
    plan: Plan, kind: LinkKind, segment: int, block: int, label: str, match: re.Match[str]
) -> Failures:
    """Return the cable of a number among those of one kind in one block.

    The common part of the labels of a link's cables selects any of them.
    """
    columns = plan.segment
    rows = np.flatnonzero(
        (columns.kind == kind) & (columns.block == block) & (columns.number == int(match[2]))
    )
    letters = "abcdefgh"[: plan.link_parts[kind].cables] if plan.link_parts[kind].cables > 1 else ""
    if not len(rows) or (match[3] and match[3] not in letters):
        hint = (
            f"a link of this kind takes {len(letters)} cables: `{match[1]}{match[2]}a` and on"
            if letters
            else "`cables.csv` lists every label"
        )
        raise _unknown("link", label, hint)
    row = int(rows[0])
    if kind is LinkKind.HOST:
        gpu = plan.mapping.lower_gpu(segment, int(columns.lower[row]), block)
        return Failures(ports=frozenset({(gpu, plan.mapping.plane(segment))}))
    return Failures(links=frozenset({(segment, row)}))


def _nic(plan: Plan, text: str) -> Failures:
    """Return the NIC ports of a GPU, or the one on a plane."""
    name, slash, plane = text.partition("/")
    gpu, planes = find_gpu(plan, name), range(plan.fabric.planes)
    if slash and plane not in map(str, planes):
        raise _unknown(
            "nic",
            text,
            f"planes go from 0 to {planes[-1]}" if len(planes) > 1 else "there is one plane, 0",
        )
    return Failures(
        ports=frozenset((gpu, each) for each in planes if not slash or str(each) == plane)
    )


def _gpu(plan: Plan, name: str) -> Failures:
    """Return the failure of a GPU."""
    return Failures(gpus=frozenset({find_gpu(plan, name)}))


def _host(plan: Plan, name: str) -> Failures:
    """Return the GPUs of a host."""
    if name not in plan.hosts:
        hint = suggest(name, islice(plan.hosts, LIKELY), "`cables.csv` names every host")
        raise _unknown("host", name, hint)
    gpus = plan.fabric.coordinates.host_range(plan.hosts.index(name))
    return Failures(gpus=frozenset(gpus))


def devices_in_rack(plan: Plan, name: str) -> list[int]:
    """Return the numbers in the room of the hosts, switches and devices in a rack.

    Raises Refusal `unknown-failure` for a rack that the room does not have.
    """
    names = plan.lengths.room.names if plan.lengths else []
    if plan.lengths is None or name not in names:
        hint = suggest(name, islice(names, LIKELY), "`cables.csv` names every rack")
        raise _unknown("rack", name, hint if names else "no device has a rack: `site` is `unknown`")
    inside: list[int] = np.flatnonzero(
        plan.lengths.room.positions.rack == names.index(name)
    ).tolist()
    return inside


def _rack(plan: Plan, name: str) -> Failures:
    """Return the GPUs of the hosts in a rack, and its switches of the compute fabric."""
    inside = devices_in_rack(plan, name)
    coordinates, boxes = plan.fabric.coordinates, len(plan.naming.boxes)
    hosts = (device for device in inside if device < coordinates.hosts)
    first, end = (
        coordinates.planned_hosts,
        coordinates.planned_hosts + plan.mapping.segments * boxes,
    )
    switches = (divmod(device - first, boxes) for device in inside if first <= device < end)
    return Failures(
        gpus=frozenset(gpu for host in hosts for gpu in coordinates.host_range(host)),
        switches=frozenset((segment, box) for segment, box in switches if plan.installed[box]),
    )


def _device(plan: Plan, name: str) -> Failures:
    """Return no failure for one of the `devices` of a network; a compute fabric has none."""
    names = [*chain.from_iterable(map(own_devices, plan.cluster))]
    if plan.fabric.network is None or name not in names:
        hint = suggest(name, islice(names, LIKELY), "`cables.csv` names every device")
        raise _unknown("device", name, hint)
    return Failures()


def own_devices(network: Plan) -> Iterator[str]:
    """Yield the `devices` of the inventory that have ports on a network."""
    rules = network.fabric.network
    for group in rules.attached.groups if rules else ():
        if group.own and group.interfaces:
            yield from group.names


def _domain(plan: Plan, text: str) -> Failures:
    """Return the failure of an HB domain's interconnect."""
    return Failures(domains=frozenset({_number("hb", text, plan.fabric.coordinates.domains)}))


def _plane(plan: Plan, text: str) -> Failures:
    """Return every block of a plane."""
    plane, mapping = _number("plane", text, plan.fabric.planes), plan.mapping
    segments = (segment for segment in range(mapping.segments) if mapping.plane(segment) == plane)
    return Failures(
        blocks=frozenset(
            (segment, block) for segment in segments for block in range(mapping.segment_blocks)
        )
    )


def _rail(plan: Plan, text: str) -> Failures:
    """Return the blocks of a rail on every plane; where blocks span rails, its NIC ports."""
    fabric, mapping = plan.fabric, plan.mapping
    rail = _number("rail", text, fabric.rails)
    if mapping.spans_rails:
        gpus = (gpu for gpu in range(fabric.gpus) if fabric.coordinates.rail(gpu) == rail)
        return Failures(
            ports=frozenset((gpu, plane) for gpu in gpus for plane in range(fabric.planes))
        )
    blocks = (
        (segment, block)
        for segment in range(mapping.segments)
        for block in range(mapping.segment_blocks)
    )
    return Failures(
        blocks=frozenset(
            (segment, block) for segment, block in blocks if mapping.rail(segment, block) == rail
        )
    )


def _number(kind: str, text: str, count: int) -> int:
    """Read a number from 0 below `count`."""
    if not re.fullmatch(r"0|[1-9]\d{0,8}", text) or int(text) >= count:
        raise _unknown(
            kind, text, f"they go from 0 to {count - 1}" if count > 1 else "there is one, 0"
        )
    return int(text)


def _unknown(kind: str, name: str, hint: str) -> Refusal:
    """Return the refusal of a name of a known kind."""
    return refuse("unknown-failure", f"this fabric has no {KINDS[kind].word} `{name}`", hint=hint)


class FailureKind(NamedTuple):
    """A kind of part that can fail: what it is called, and what finds a part of a plan by name."""

    word: str
    find: Callable[[Plan, str], Failures]


KINDS = {
    "switch": FailureKind("switch", _switch),
    "link": FailureKind("cable", _link),
    "nic": FailureKind("NIC port", _nic),
    "gpu": FailureKind("GPU", _gpu),
    "host": FailureKind("host", _host),
    "rack": FailureKind("rack", _rack),
    "device": FailureKind("device", _device),
    "hb": FailureKind("HB domain", _domain),
    "plane": FailureKind("plane", _plane),
    "rail": FailureKind("rail", _rail),
}
"""The kinds of failures by what precedes the colon of their names."""

OF_NETWORKS = frozenset({"switch", "link", "device"})
"""The kinds of parts that the networks beside the compute fabric have."""
