"""The overlay of a switch as Arista's structured configuration: VLANs, VRFs, bonds and EVPN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabricgen.views.switches.view import (
        AcceptedPrefix,
        BondView,
        EdgeView,
        OverlayView,
        RouterPort,
        TenantView,
    )

Node = dict[str, Any]


def merged(facts: Node, overlay: OverlayView) -> Node:
    """Add the overlay to the facts of a switch."""
    ports = [_member(bond, facts) for bond in overlay.bonds]
    lists = [
        found
        for own in overlay.vrfs
        for found in (
            *accepted_lists(own.name, own.edges),
            *([_prefix_list(f"{own.name}-SUBNET", [own.prefix])] if own.edge_ports else []),
        )
    ]
    return {
        **facts,
        "prefix_lists": [*facts["prefix_lists"], *lists],
        "vlans": [{"id": own.vlan, "name": own.name} for own in overlay.tenants],
        "vrfs": [*facts["vrfs"], *({"name": own.name, "ip_routing": True} for own in overlay.vrfs)],
        "vlan_interfaces": [
            {"name": f"Vlan{own.vlan}", "vrf": own.name, "ip_address_virtual": own.gateway}
            for own in overlay.vrfs
        ],
        "ethernet_interfaces": [*ports, *facts["ethernet_interfaces"]],
        "port_channel_interfaces": [_bond(bond) for bond in overlay.bonds],
        **(_vxlan(overlay) if overlay.tenants else {}),
        "router_bgp": _bgp(facts["router_bgp"], overlay),
    }


def _member(bond: BondView, facts: Node) -> Node:
    port = bond.port
    lossless = {"service_profile": "ROCE"} if "qos_profiles" in facts else {}
    return {
        "name": port.interface,
        "description": f"{port.peer_device}:{port.peer_interface} {port.cable}",
        "speed": f"{port.speed_mbps // 1000}g-{port.lane_count}",
        "channel_group": {"id": bond.number, "mode": "active"},
        **lossless,
    }


def _bond(bond: BondView) -> Node:
    octets = bond.esi.split(":")
    mac = "".join(bond.system_mac.split(":"))
    port: Node = {"access_vlan": bond.vlan}
    if not bond.vlan:
        allowed = ",".join(map(str, bond.tagged_vlans))
        port = {"mode": "trunk", "trunk": {"allowed_vlan": allowed}}
    return {
        "name": f"Port-Channel{bond.number}",
        "description": bond.port.peer_device,
        "switchport": port,
        "evpn_ethernet_segment": {
            "identifier": ":".join(map("".join, zip(octets[::2], octets[1::2], strict=True))),
            "route_target": bond.system_mac,
        },
        "lacp_id": ".".join(mac[at : at + 4] for at in (0, 4, 8)),
    }


def _vxlan(overlay: OverlayView) -> Node:
    return {
        "ip_virtual_router_mac_address": overlay.anycast_mac,
        "vxlan_interface": {
            "vxlan1": {
                "vxlan": {
                    "source_interface": "Loopback0",
                    "udp_port": 4789,
                    "vlans": [{"id": own.vlan, "vni": own.vni} for own in overlay.tenants],
                    "vrfs": [{"name": own.name, "vni": own.vrf_vni} for own in overlay.vrfs],
                }
            }
        },
    }


def _bgp(bgp: Node, overlay: OverlayView) -> Node:
    group = {
        "name": "EVPN",
        "update_source": "Loopback0",
        "ebgp_multihop": 3,
        "send_community": "all",
        "maximum_routes": 0,
        **({} if overlay.tenants else {"next_hop_unchanged": True}),
    }
    return {
        **bgp,
        "peer_groups": [*bgp["peer_groups"], group],
        "neighbors": [
            *bgp.get("neighbors", []),
            *(
                {"ip_address": peer.address, "peer_group": "EVPN", "remote_as": str(peer.asn)}
                for peer in overlay.peers
            ),
        ],
        "vlans": [
            {
                "id": own.vlan,
                "rd": own.rd,
                "route_targets": {"both": [own.target]},
                "redistribute_routes": ["learned"],
            }
            for own in overlay.tenants
        ],
        "address_family_evpn": {"peer_groups": [{"name": "EVPN", "activate": True}]},
        "vrfs": [_vrf(own, overlay.source) for own in overlay.vrfs],
    }


def _vrf(own: TenantView, router_id: str) -> Node:
    targets = [{"address_family": "evpn", "route_targets": [own.vrf_target]}]
    return {
        "name": own.name,
        "rd": own.vrf_rd,
        "route_targets": {"import": targets, "export": targets},
        "router_id": router_id,
        "redistribute": {"connected": {"enabled": True}},
        **_sessions(own),
    }


def _sessions(own: TenantView) -> Node:
    if not own.edge_ports:
        return {}
    families = edge_families(own.name, f"{own.name}-SUBNET", own.edge_ports)
    return {
        "maximum_paths": {"paths": own.ecmp_paths, "ecmp": own.ecmp_paths},
        "neighbors": edge_neighbors(own.edge_ports),
        "address_family_ipv4": {"neighbors": families},
    }


def _prefix_list(name: str, prefixes: list[str]) -> Node:
    permits = [
        {"sequence": number, "action": f"permit {prefix}"}
        for number, prefix in enumerate(prefixes, 1)
    ]
    return {"name": name, "sequence_numbers": permits}


def accepted_lists(name: str, edges: list[EdgeView]) -> list[Node]:
    """Describe what is accepted from routers of each kind."""
    return [_prefix_list(f"{name}-{edge.name}", [*map(_range, edge.accepted)]) for edge in edges]


def _range(own: AcceptedPrefix) -> str:
    return f"{own.prefix} eq {own.length}" if own.parts else own.prefix


def edge_neighbors(ports: list[RouterPort]) -> list[Node]:
    """Describe the sessions with routers of the site."""
    return [
        {
            "ip_address": port.peer_address,
            "remote_as": str(port.peer_asn),
            "description": port.peer_device,
            **({"bfd": True} if port.bfd else {}),
        }
        for port in ports
    ]


def edge_families(name: str, out: str, ports: list[RouterPort]) -> list[Node]:
    """Describe the filters of these sessions."""
    return [
        {
            "ip_address": port.peer_address,
            "activate": True,
            "prefix_list_in": f"{name}-{port.edge}",
            "prefix_list_out": out,
        }
        for port in ports
    ]
