"""The law of routes: a routing instance has the ports and the addresses of one block only.

The wiring may keep rails apart and a configuration still join them: by a port in the wrong VRF, or
by a prefix that is too wide.
"""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.analysis.checks.scope import scope, views_of
from fabricgen.core.count_text import counted
from fabricgen.core.terms import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.networks.shared_leaves import SharedLeaves
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import PortLayout
    from fabricgen.views.switches.view import Instance, SwitchView


def routes_apart(evidence: Evidence) -> Verdict:
    """Every port of a switch is in the instance of its rail.

    The prefixes that the instance announces contain the addresses of its rail and plane alone.
    """
    read, index = scope(evidence), {name: number for number, name in enumerate(evidence.switches)}
    given, cut = evidence.addresses, evidence.plan.addresses
    pools = (
        _Pool(given.nic, given.nic_block, cut.hosts.origin),
        _Pool(given.loopback, given.loopback_block, cut.loopbacks.origin),
    )
    switches, instances, shared = 0, 0, evidence.plan.device_leaves
    found: list[Violation] = []
    for run in read.switches:
        for view in views_of(evidence, run):
            switches, instances = switches + 1, instances + len(view.instances)
            found += _faults(evidence, view, index[view.name], pools, shared)
    blocks = evidence.plan.mapping.segments * evidence.plan.mapping.segment_blocks
    figure = (
        f"{counted(instances, 'routing instance')} on {counted(switches, 'switch', 'switches')}"
        f" announce the prefixes of {counted(blocks, 'block')}, each its own"
    )
    return Verdict(figure, (violations(found, lambda violation: violation),), read.formula)


def _faults(
    evidence: Evidence,
    view: SwitchView,
    switch: int,
    pools: tuple[_Pool, _Pool],
    shared: SharedLeaves | None,
) -> Iterator[Violation]:
    """Yield what the instances of a switch join although it belongs to different blocks."""
    segment, box = divmod(switch, evidence.boxes)
    blocks, own, mapping = (
        evidence.plan.mapping.segment_blocks,
        int(evidence.box_block[box]),
        evidence.plan.mapping,
    )
    served = range(blocks) if own < 0 else [own]
    beside = [*_networks_on(evidence.plan, segment, box)]
    role = Role(view.role)
    names, layouts = evidence.interfaces(segment, role), evidence.plan.port_layouts
    devices = _device_blocks(shared, layouts(segment)[role], segment, box) if shared else {}
    if len(view.instances) != len(served) + len(beside):
        networks = f" and {len(beside)} networks" if beside else ""
        yield Violation(
            f"{view.name} has {len(view.instances)} routing instances for {len(served)}"
            f" blocks{networks}"
        )
        return
    for network, instance in zip(beside, view.instances[len(served) :], strict=True):
        yield from _foreign(view, instance, network)
    for block, instance in zip(served, view.instances, strict=False):
        rail, number = mapping.rail(segment, block), segment * blocks + block
        name = f"{view.name}{f' VRF {instance.vrf}' if instance.vrf else ''}"
        if instance.rail != ("" if rail is None else str(rail)):
            yield Violation(
                f"{name} is of rail {instance.rail}, and serves {evidence.block(number)}"
            )
        for pool, prefix in zip(
            pools, (instance.host_prefix, instance.loopback_prefix), strict=True
        ):
            foreign, missed = pool.misfits(number, prefix)
            if foreign or missed:
                counts = (
                    f"it contains {foreign:,} addresses of others, and lacks {missed:,} of"
                    f" {evidence.block(number)}"
                )
                yield Violation(f"{name} announces {prefix}, which is not its own", (counts,))
        wanted = set(names[block::blocks] if own < 0 else names).difference(devices)
        wanted.update(port for port, at in devices.items() if own >= 0 or at == block)
        if evidence.plan.above:
            wanted.update(map(layouts(segment)[role].interface, layouts(segment)[role].outward))
        yield from _misplaced(view, instance, wanted, name)


class _NetworkOnLeaf(NamedTuple):
    """A network on a leaf of the compute fabric: its name, its ports there, and its prefix.

    `peers` are the ports to other leaves of the network, which its VRF is on too.
    """

    name: str
    ports: set[str]
    prefix: str
    peers: set[str]


def _networks_on(plan: Plan, segment: int, box: int) -> Iterator[_NetworkOnLeaf]:
    """Yield the networks that have a VRF on a switch."""
    for name, network in plan.converged.items():
        shared = network.fabric.shared_leaves
        if shared and not shared.in_compute and (own := shared.taken_on(segment, box)):
            layout = network.fabric.port_layouts[Role.LEAF]
            ports, peers = ({*map(layout.interface, each)} for each in (own, shared.peers))
            yield _NetworkOnLeaf(name, ports, network.addresses.hosts.prefix(0), peers)


def _foreign(view: SwitchView, instance: Instance, network: _NetworkOnLeaf) -> Iterator[Violation]:
    """Yield what the VRF of a network on a leaf has beside its own ports and addresses."""
    name = f"{view.name} VRF {instance.vrf}"
    links = {port.interface for port in instance.fabric_ports}
    if instance.vrf != network.name or links != network.peers:
        yield Violation(
            f"{name} is not apart: it is to have the devices and links of {network.name} alone"
        )
    if instance.host_prefix != network.prefix:
        yield Violation(
            f"{name} announces {instance.host_prefix}, which is not its own",
            (f"the devices of {network.name} have addresses of {network.prefix}",),
        )
    yield from _misplaced(view, instance, network.ports, name)


def _device_blocks(
    shared: SharedLeaves, layout: PortLayout, segment: int, box: int
) -> dict[str, int]:
    """Return the ports of a leaf that devices have, each with its block; other boxes have none."""
    on = shared.on(segment, box)
    return {layout.interface(port): shared.blocks[number] for number, port in on.items()}


def _misplaced(
    view: SwitchView, instance: Instance, wanted: set[str], name: str
) -> Iterator[Violation]:
    """Yield ports that are in an instance of another rail, or missing in their own."""
    inside = {port.interface for port in (*instance.host_ports, *instance.fabric_ports)}
    for tenant in view.overlay.tenants if view.overlay else ():
        inside |= {port.interface for port in tenant.ports}
    used = {port.interface for port in view.ports}
    for port in sorted(inside - wanted):
        yield Violation(f"{name} routes {view.name} {port}, which belongs to another instance")
    for port in sorted((wanted & used) - inside):
        yield Violation(f"{name} leaves out {view.name} {port}, which belongs to it")


class _Pool:
    """Sorted addresses, in total and of each block; they count from an origin."""

    def __init__(self, addresses: IntArray, blocks: IntArray, origin: int) -> None:
        """Sort the addresses."""
        self.origin, self.sorted = origin, np.sort(addresses)
        self.by_block = {}
        order = np.argsort(blocks, kind="stable")
        numbers, starts = np.unique(blocks[order], return_index=True)
        for number, own in zip(
            numbers.tolist(), np.split(addresses[order], starts[1:]), strict=True
        ):
            self.by_block[number] = np.sort(own)
        self._held: dict[tuple[int, str], tuple[int, int]] = {}

    def misfits(self, block: int, prefix: str) -> tuple[int, int]:
        """Return how many addresses of others a prefix contains, and how many of its own it lacks.

        All switches of a block announce one prefix, so results are kept.
        """
        if (block, prefix) not in self._held:
            self._held[block, prefix] = self._count(block, prefix)
        return self._held[block, prefix]

    def _count(self, block: int, prefix: str) -> tuple[int, int]:
        """Count both."""
        network, highest = ip_network(prefix), np.iinfo(np.int64).max
        # a prefix may begin below the column's origin, or end above all that 64 bits hold
        ends = [
            min(max(int(end) - self.origin, 0), highest)
            for end in (network.network_address, int(network.broadcast_address) + 1)
        ]
        every, own = (
            int(np.diff(np.searchsorted(column, ends))[0])
            for column in (self.sorted, self.by_block[block])
        )
        return every - own, len(self.by_block[block]) - own
