"""From a plan to the views of its switches, segment by segment.

Owns `SwitchViews`. What differs between segments (names, addresses, peers) is computed for the
switches that are asked for.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from fabricgen.core.terms import ROLES, Role
from fabricgen.planning.override_texts import override_texts
from fabricgen.planning.switch_match import matches, switch_identity, switch_vars
from fabricgen.views.management import ManagementViews
from fabricgen.views.switches.edges import Edges
from fabricgen.views.switches.facts import switch_facts
from fabricgen.views.switches.front_panels import FrontPanels
from fabricgen.views.switches.instances import Instances
from fabricgen.views.switches.leaf_networks import LeafNetworks
from fabricgen.views.switches.overlay import Overlays
from fabricgen.views.switches.port_views import PortViews
from fabricgen.views.switches.ports import Ports, SegmentLabels
from fabricgen.views.switches.uplink_ports import UplinkPorts
from fabricgen.views.switches.view import (
    AccessView,
    OverrideView,
    PortView,
    SwitchView,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.inventory.overrides import OverrideMatch


BATCH = 8
"""Switches whose ports are made at once.

With fewer, the overhead of numpy shows; with more, that of the garbage collector.
"""


class SwitchViews:
    """Makes the views of the switches of one plan."""

    def __init__(self, ports: Ports, *, kept: bool = False) -> None:
        """Keep the ports of the plan; with `kept`, each view is made once."""
        self.plan, self.ports = ports.plan, ports
        self._views, self._panels = PortViews(ports), FrontPanels(ports)
        self.settings = self._views.settings
        self._edges, self._uplinks = Edges(self.plan), UplinkPorts(self._views)
        self._overlays = Overlays(self.plan, self._edges)
        self._instances = Instances(self.plan, self._edges, tenants=bool(self._overlays.tenants))
        self._management = ManagementViews(self.plan.spec.management, self.plan.management)
        self._made: dict[tuple[int, int], SwitchView] | None = {} if kept else None
        self._beside = [LeafNetworks(self.plan, network) for network in self.plan.converged]

    def prepare(self) -> None:
        """Compute now what all segments share; nothing where links have no switches."""
        if not self.plan.naming.boxes:
            return
        _ = self._panels.idle, self._views.ends, self._overrides, self._instances.prefixes

    def switches(
        self, segment: int, roles: tuple[Role, ...] = ROLES, boxes: Sequence[int] | None = None
    ) -> Iterator[SwitchView]:
        """Make the view of each installed switch of a segment, or of those at these boxes."""
        labels, every = SegmentLabels(self.ports, segment), self.plan.naming.boxes
        wanted = [
            index
            for index in (range(len(every)) if boxes is None else boxes)
            if self.plan.installed[index] and every[index].role in roles
        ]
        for first in range(0, len(wanted), BATCH):
            yield from self._batch(wanted[first : first + BATCH], labels)

    def _batch(self, boxes: Sequence[int], labels: SegmentLabels) -> list[SwitchView]:
        """Make the views of some switches of a segment, but for those that were kept."""
        made, segment = {} if self._made is None else self._made, labels.ends.segment
        missing = [index for index in boxes if (segment, index) not in made]
        for index, ports in zip(missing, self._views.of(missing, labels), strict=True):
            made[segment, index] = self._switch(index, ports, labels)
        return [made[segment, index] for index in boxes]

    def _switch(self, index: int, ports: list[PortView], labels: SegmentLabels) -> SwitchView:
        """Make the view of one switch."""
        plan, spec, segment = self.plan, self.plan.spec, labels.ends.segment
        box = plan.naming.boxes[index]
        self._edges.set_peers(index, self.ports.facts[box.role], ports)
        ports = [*ports, *self._uplinks.on(labels.ends.switches[index])]
        overlay = self._overlays.view(box, index, self.ports.facts[box.role], ports)
        port_layout = plan.fabric.port_layouts[box.role]
        shared = box.block < 0
        on_leaf = [found for each in self._beside if (found := each.on(index, labels))]
        ports = [*ports, *chain.from_iterable(each.ports for each in on_leaf)]
        places = tuple(chain.from_iterable(each.places for each in on_leaf))
        places += self._uplinks.places(box.role)
        idle, cages = self._panels.of(index, ports, places)
        blocks = range(plan.mapping.segment_blocks) if shared else [box.block]
        instances = [
            self._instances.of(segment, block, box, ports, shared=shared) for block in blocks
        ]
        instances += [each.instance for each in on_leaf if each.instance]
        rail = None if shared else plan.mapping.rail(segment, box.block)
        identity = switch_identity(plan, segment, index, labels.ends.switches[index])
        return SwitchView(
            name=labels.ends.switches[index],
            fabric=spec.name,
            role=box.role.value,
            tier=box.role.tier,
            model=port_layout.model.model,
            nos=port_layout.nos,
            rail="" if rail is None else str(rail),
            plane=plan.mapping.plane(segment),
            asn=plan.addresses.asn(segment, box),
            mtu=self.settings.mtu,
            bfd=self.settings.bfd,
            hosts_numbered=plan.addresses.numbered,
            family=plan.addresses.family,
            address_bits=plan.addresses.hosts.bits,
            timers=self.settings.timers,
            roce=self.settings.roce,
            bgp=self.settings.bgp,
            facts=switch_facts(port_layout),
            ports=ports,
            idle_ports=idle,
            cages=cages,
            instances=instances,
            vrfs=[each for each in instances if each.vrf],
            headrooms=_headrooms(ports),
            nos_version=plan.fabric.nos_version(port_layout),
            management=self._management.view(segment, index),
            # no document has adaptive routing together with the overlay of EVPN
            adaptive_routing=port_layout.model.adaptive_routing and overlay is None,
            access=self._access,
            overlay=overlay,
            lossless=plan.fabric.lossless,
            vars=switch_vars(spec, identity),
            overrides=[own for match, own in self._overrides if matches(match, identity)],
        )

    @cached_property
    def _overrides(self) -> list[tuple[OverrideMatch, OverrideView]]:
        """The texts of overrides, with the switches that each is for."""
        return [
            (own.match, OverrideView(own.origin, own.number, own.place, own.text))
            for own in override_texts(self.plan)
        ]

    @cached_property
    def _access(self) -> AccessView | None:
        """The bridge that every switch of an access network has."""
        network = self.plan.fabric.network
        if network is None or not network.vlan:
            return None
        return AccessView(vlan=network.vlan, name=network.name, uplinks=network.uplinks)


def _headrooms(ports: list[PortView]) -> list[tuple[int, list[PortView]]]:
    """Group ports by the headroom that they need."""
    sizes = sorted({port.headroom_bytes for port in ports})
    if len(sizes) == 1:  # as on nearly all switches
        return [(sizes[0], ports)]
    return [(size, [port for port in ports if port.headroom_bytes == size]) for size in sizes]
