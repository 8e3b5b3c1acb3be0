"""The routing instances of a switch: its only one, or the VRFs of rails and networks on it."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import LinkKind
from fabricgen.planning.addressing import address_text
from fabricgen.views.switches.ports import vrf_name
from fabricgen.views.switches.view import Instance, RouterPort

if TYPE_CHECKING:
    from fabricgen.planning.naming import Box
    from fabricgen.planning.plan import Plan
    from fabricgen.views.switches.edges import Edges
    from fabricgen.views.switches.view import PortView


PEER_ASN = attrgetter("peer_asn")

BGP_ECMP_LIMIT = 256
"""The widest ECMP that FRR is built with by default, and more than any box here has uplinks for."""


PREFIX_HEADROOM = 2
"""A session is limited to this multiple of the prefixes that the plan counts, so that a fabric may
grow to it before the limits of its old switches are raised."""


FIRST_TABLE = 1001
"""Linux routing table of rail 0's VRF; ifupdown2 makes VRFs with the tables 1001 to 5000 only."""


class Instances:
    """Makes the routing instances of one plan's switches."""

    def __init__(self, plan: Plan, edges: Edges, *, tenants: bool) -> None:
        """Keep the plan and its edges; `tenants` are of an overlay, which filters by itself."""
        self.plan, self._edges, self._tenants = plan, edges, tenants

    def of(
        self, segment: int, block: int, box: Box, ports: list[PortView], *, shared: bool
    ) -> Instance:
        """Make the routing instance of a block on a switch, a VRF where blocks share it."""
        mapping = self.plan.mapping
        vrf = vrf_name(mapping.rail(segment, block)) if shared else ""
        table = FIRST_TABLE + int(mapping.first_rail(segment, block)) if shared else 0
        return self._made(segment, block, box, ports, vrf, table)

    def on_leaf(self, leaf: Box, ports: list[PortView], table: int) -> Instance:
        """Make the VRF of this network on a leaf of the compute fabric."""
        return self._made(0, 0, leaf, ports, self.plan.fabric.network_name, table)

    def _made(
        self, segment: int, block: int, box: Box, ports: list[PortView], vrf: str, table: int
    ) -> Instance:
        """Make one routing instance of a switch."""
        plan = self.plan
        rail = plan.mapping.rail(segment, block)
        own = [port for port in ports if port.vrf == vrf]
        fabric = [port for port in own if not port.to_host]
        hosts = [port for port in own if port.to_host]
        edges = [port for port in hosts if isinstance(port, RouterPort)]
        uplinks = sum(port.uplink for port in edges)
        silent = plan.addresses.numbered  # hosts, as their links are numbered
        bgp_hosts = [] if silent else hosts
        number = segment * plan.mapping.segment_blocks + block
        return Instance(
            vrf=vrf,
            table=table,
            rail="" if rail is None else str(rail),
            asn=plan.addresses.asn(segment, box),
            router_id=address_text(plan.addresses.router_id(segment, block, box)),
            loopback=address_text(plan.addresses.loopback(segment, block, box)),
            host_prefix=plan.addresses.hosts.prefix(number),
            loopback_prefix=plan.addresses.loopbacks.prefix(number),
            host_prefix_length=plan.addresses.host_length,
            own_ports=own,
            host_ports=hosts,
            fabric_ports=fabric,
            bgp_hosts=bgp_hosts,
            bgp_ports=fabric if silent else own,
            policy_name=(vrf.upper() or "FABRIC") if rail is None else f"RAIL{rail}",
            ecmp_paths=min(max(len(fabric) + uplinks, len(edges), 1), BGP_ECMP_LIMIT),
            prefix_limit=self._prefix_limit(block),
            fabric_asns=list(dict.fromkeys(map(PEER_ASN, fabric))),
            host_asn=bgp_hosts[0].peer_asn if bgp_hosts else 0,
            edge_ports=edges,
            accepted=[] if self._tenants else self._edges.accepted(),
        )

    def _prefix_limit(self, block: int) -> int:
        """Return the prefixes that a neighbor may announce; 0 where the inventory sets no limit."""
        limited = self.plan.spec.addressing.bgp.max_prefixes
        return PREFIX_HEADROOM * self.prefixes[block] if limited else 0

    @cached_property
    def prefixes(self) -> list[int]:
        """The prefixes of each block of a segment: its host links, and its loopbacks."""
        segment, blocks = self.plan.segment, self.plan.mapping.segment_blocks
        hosts = np.bincount(segment.block[segment.kind == LinkKind.HOST], minlength=blocks)
        boxes, joined = [box.block for box in self.plan.naming.boxes], self._joined_links
        return [
            int(hosts[block]) + boxes.count(block) + boxes.count(-1) + joined
            for block in range(blocks)
        ]

    @property
    def _joined_links(self) -> int:
        """The links to devices of the networks that uplinks join with this one."""
        return sum(plan.link_count(LinkKind.HOST) for plan in self.plan.joined)
