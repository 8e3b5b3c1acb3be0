"""The facts of a switch as Arista's structured configuration, rendered by Arista's pyavd.

pyavd is not a parser of EOS, but Arista configures switches with its schema and templates. A line
that it renders from the same facts is a line of EOS. The facts come from the view, and not from the
pack's templates.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyavd  # type: ignore[import-untyped]  # it is annotated without a py.typed marker

from tests.nos import eos_avd_management, eos_avd_overlay

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.views.protocols import RoceView
    from fabricgen.views.switches.view import Instance, PortView, SwitchView

Node = dict[str, Any]

NONE: Mapping[str, str] = MappingProxyType({})
WATCHDOG_POLL_MS = 100
"""How often EOS looks at a paused queue; the pack's `pack.yaml` has the same value."""


def complaints(facts: Node) -> list[str]:
    """List the errors of structured configuration against Arista's schema."""
    checked = pyavd.validate_structured_config(facts)
    return [
        f"{'.'.join(finding.path)}: {finding.message}"
        for finding in checked.validation_result.violations
    ]


def rendered(facts: Node) -> str:
    """Render structured configuration."""
    config: str = pyavd.get_device_config(pyavd.validate_structured_config(facts).validated_data)
    return config


def facts_of(switch: SwitchView, secrets: Mapping[str, str] = NONE) -> Node:
    """Describe a switch in the keys of `eos_cli_config_gen`."""
    facts = _facts_of(switch, secrets)
    return eos_avd_overlay.merged(facts, switch.overlay) if switch.overlay else facts


def _facts_of(switch: SwitchView, secrets: Mapping[str, str]) -> Node:
    """Describe a switch without its overlay."""
    shared, numbered, timers = bool(switch.vrfs), switch.hosts_numbered, switch.timers
    four = switch.family == "ipv4"
    return {
        "hostname": switch.name,
        "eos_cli": _without_keys(switch),
        "service_routing_protocols_model": "multi-agent",
        "vrfs": [
            {"name": one.vrf, **(_IPV4_OVER_IPV6 if four else {}), "ipv6_routing": True}
            for one in switch.vrfs
        ]
        + [{"name": site.vrf} for site in [switch.management] if site],
        **({} if shared else {**(_IPV4_OVER_IPV6 if four else {}), "ipv6_unicast_routing": True}),
        **(
            {"ip_hardware": {"fib": {"load_balance_distribution": {"dynamic": {"enabled": True}}}}}
            if switch.adaptive_routing
            else {}
        ),
        "ethernet_interfaces": [
            *(_port(switch, port) for port in switch.routed_ports),
            *({"name": port.interface, "shutdown": True} for port in switch.idle_ports),
        ],
        "loopback_interfaces": [
            {
                "name": f"Loopback{index}",
                _key(switch, "address"): f"{one.loopback}/{switch.address_bits}",
                **_vrf(one.vrf),
            }
            for index, one in enumerate(switch.instances)
        ],
        **(_classes(switch.roce) if switch.lossless else {}),
        "prefix_lists" if four else "ipv6_prefix_lists": [
            found for one in switch.instances for found in _prefix_lists(switch, one)
        ],
        "route_maps": [
            *(_route_map(switch, one) for one in switch.instances),
            *([] if numbered else [_permit("HOSTS", "as-path HOSTS")]),
        ],
        **(
            {}
            if numbered
            else {
                "as_path": {
                    "access_lists": [
                        {"name": "HOSTS", "entries": [{"type": "permit", "match": "^[0-9]+$"}]}
                    ]
                }
            }
        ),
        **(
            {
                "router_bfd": {
                    "interval": timers.bfd_interval_ms,
                    "min_rx": timers.bfd_interval_ms,
                    "multiplier": timers.bfd_multiplier,
                }
            }
            if switch.bfd or switch.router_bfd
            else {}
        ),
        "router_bgp": _bgp(switch, secrets),
        **(eos_avd_management.facts_of(switch.management, secrets) if switch.management else {}),
    }


def _without_keys(switch: SwitchView) -> str:
    """Return the lines for which AVD has no key; `lldp run` is the default of EOS."""
    lines = ["lldp run"]
    if switch.management and "netconf" in switch.management.api:
        vrf = f"      vrf {switch.management.vrf}"
        lines += ["management api netconf", "   transport ssh default", vrf]
    return "\n".join(lines)


def _port(switch: SwitchView, port: PortView) -> Node:
    """Describe a port in use."""
    return {
        "name": port.interface,
        "description": f"{port.peer_device}:{port.peer_interface} {port.cable}",
        "mtu": switch.mtu,
        "speed": f"{port.speed_mbps // 1000}g-{port.lane_count}",
        "switchport": {"enabled": False},
        **_vrf(port.vrf),
        **({_key(switch, "address"): port.address} if port.address else {"ipv6_enable": True}),
        **({"service_profile": "ROCE"} if switch.lossless else {}),
    }


_IPV4_OVER_IPV6 = {"ip_routing_ipv6_interfaces": True}
"""IPv4 is routed over interfaces that have IPv6 addresses only."""


def _key(switch: SwitchView, what: str) -> str:
    """Return the key of a setting, which begins with the family."""
    return f"{'ip' if switch.family == 'ipv4' else 'ipv6'}_{what}"


def _vrf(vrf: str) -> Node:
    return {"vrf": vrf} if vrf else {}


def _classes(roce: RoceView) -> Node:
    """Describe the lossless class: every DSCP, the queues, and the watchdog."""
    classes = dict(enumerate(roce.classes))
    grouped = {
        number: [str(dscp) for dscp, other in classes.items() if other == number]
        for number in classes.values()
    }
    marking = {
        "units": "bytes",
        "min": roce.ecn_minimum_bytes,
        "max": roce.ecn_maximum_bytes,
        "max_probability": roce.ecn_probability_percent,
        "weight": 0,
    }
    shared: Node = {"priority": "no priority", "bandwidth_percent": roce.share_percent}
    queues = [
        {"id": 0, **shared},
        {"id": roce.priority, **shared, "random_detect": {"ecn": {"threshold": marking}}},
        {"id": roce.cnp_priority, "priority": "priority strict"},
    ]
    pause = {
        "enabled": True,
        "watchdog": {"enabled": True},
        "priorities": [{"priority": roce.priority, "no_drop": True}],
    }
    watchdog = {
        "action": "drop",
        "timeout": roce.pfc_watchdog_ms / 1000,
        "recovery_time": roce.pfc_restore_ms / 1000,
        "polling_interval": WATCHDOG_POLL_MS / 1000,
    }
    return {
        "qos_profiles": [
            {
                "name": "ROCE",
                "trust": "dscp",
                "priority_flow_control": pause,
                "uc_tx_queues": queues,
            }
        ],
        "qos": {
            "map": {
                "dscp": [
                    f"{' '.join(dscps)} to traffic-class {number}"
                    for number, dscps in grouped.items()
                ],
                "traffic_class": [f"{number} to uc-tx-queue {number}" for number in grouped],
            }
        },
        "priority_flow_control": {"watchdog": {key: str(value) for key, value in watchdog.items()}},
    }


def _prefix_lists(switch: SwitchView, instance: Instance) -> list[Node]:
    """Describe the prefix lists of an instance, and of its ports to hosts."""
    length = instance.host_prefix_length
    allowed = {
        f"{instance.policy_name}-HOSTS": f"{instance.host_prefix} eq {length}",
        f"{instance.policy_name}-LOOPBACKS": f"{instance.loopback_prefix} eq {switch.address_bits}",
        **{port.filter_name: f"{port.host_route} eq {length}" for port in instance.bgp_hosts},
    }
    return [
        {
            "name": name,
            "sequence_numbers": [{"sequence": 10, "action": f"permit {prefix}"}],
        }
        for name, prefix in allowed.items()
    ] + eos_avd_overlay.accepted_lists(instance.policy_name, instance.edges)


def _permit(name: str, *matches: str) -> Node:
    """Describe a route map that permits what one of its entries matches."""
    return {
        "name": name,
        "sequence_numbers": [
            {"sequence": 10 * (at + 1), "type": "permit", "match": [match]}
            for at, match in enumerate(matches)
        ],
    }


def _route_map(switch: SwitchView, instance: Instance) -> Node:
    """Describe the route map of an instance."""
    return _permit(
        instance.policy_name,
        *(
            f"{'ip' if switch.family == 'ipv4' else 'ipv6'} address prefix-list"
            f" {instance.policy_name}-{name}"
            for name in ("HOSTS", "LOOPBACKS", *(edge.name for edge in instance.edges))
        ),
    )


def _bgp(switch: SwitchView, secrets: Mapping[str, str]) -> Node:
    """Describe BGP: groups once, and neighbours in the instance that they belong to."""
    timers, described = switch.timers, {one.vrf: _instance(switch, one) for one in switch.instances}
    groups = [group for one in switch.instances for group in _groups(switch, one)]
    default = described.get("", {})
    return {
        "as": str(switch.asn),
        "bgp": {"default": {"ipv4_unicast": False}},
        "timers": {"keepalive_time": timers.keepalive_s, "hold_time": timers.hold_s},
        "peer_groups": [group for group, _ in groups],
        **_passwords(switch, secrets),
        **default,
        f"address_family_{switch.family}": {
            "peer_groups": [family for _, family in groups],
            "neighbors": [
                family
                for one in switch.instances
                for family in eos_avd_overlay.edge_families(
                    one.policy_name, f"{one.policy_name}-HOSTS", one.edge_ports
                )
            ],
            **default.get(f"address_family_{switch.family}", {}),
        },
        "vrfs": [{"name": vrf, **lines} for vrf, lines in described.items() if vrf],
    }


def _passwords(switch: SwitchView, secrets: Mapping[str, str]) -> Node:
    """Describe the keys of sessions: AVD knows encrypted ones alone."""
    ours, theirs = secrets.get(switch.bgp.password), secrets.get(switch.bgp.hosts_password)
    groups = [
        *((f"{one.policy_name}-SWITCHES", ours) for one in switch.instances if one.fabric_ports),
        *((port.filter_name, theirs) for one in switch.instances for port in one.bgp_hosts),
        *(
            (port.peer_address, secrets.get(port.password))
            for one in switch.instances
            for port in one.edge_ports
        ),
    ]
    lines = [f"neighbor {group} password 0 {key}" for group, key in groups if key]
    return {"eos_cli": "\n".join(lines)} if lines else {}


def _instance(switch: SwitchView, instance: Instance) -> Node:
    """Describe the settings of an instance itself."""
    sessions: Sequence[tuple[str, PortView]] = [
        *((f"{instance.policy_name}-SWITCHES", port) for port in instance.fabric_ports),
        *((port.filter_name, port) for port in instance.bgp_hosts),
    ]
    redistributed = {
        "redistribute": {"connected": {"enabled": True, "route_map": instance.policy_name}}
    }
    return {
        "router_id": instance.router_id,
        **({"graceful_restart": {"enabled": True}} if switch.bgp.graceful_restart else {}),
        "maximum_paths": {"paths": instance.ecmp_paths, "ecmp": instance.ecmp_paths},
        **(redistributed if switch.family == "ipv4" else {"address_family_ipv6": redistributed}),
        "neighbors": eos_avd_overlay.edge_neighbors(instance.edge_ports),
        "neighbor_interfaces": [
            {
                "name": port.interface,
                "peer_group": group,
                "remote_as": str(port.peer_asn),
            }
            for group, port in sessions
        ],
    }


def _limit(switch: SwitchView, instance: Instance) -> Node:
    """Describe the limit of prefixes between switches."""
    most = {"maximum_routes": instance.prefix_limit} if switch.bgp.max_prefixes else {}
    warned = {"maximum_routes_warning_only": True} if switch.bgp.max_prefixes == "warn" else {}
    return {**most, **warned}


def _groups(switch: SwitchView, instance: Instance) -> list[tuple[Node, Node]]:
    """Describe the peer groups of an instance, each with its part in the address family."""
    family = partial(
        dict[str, Any],
        activate=True,
        **(
            {"next_hop": {"address_family_ipv6": {"enabled": True, "originate": True}}}
            if switch.family == "ipv4"
            else {}
        ),
    )
    scope, found = instance.policy_name, []
    ttl = {"ttl_maximum_hops": 1} if switch.bgp.ttl_security else {}
    if instance.fabric_ports:
        name = f"{scope}-SWITCHES"
        found.append(
            (
                {
                    "name": name,
                    "bfd": switch.bfd,
                    "route_map_in": scope,
                    "route_map_out": scope,
                    **ttl,
                    **_limit(switch, instance),
                },
                family(name=name),
            )
        )
    hosts = [
        (
            {"name": name, "route_map_in": "HOSTS", "maximum_routes": 1, **ttl},
            family(name=name, prefix_list_in=name, prefix_list_out=f"{scope}-HOSTS"),
        )
        for name in (port.filter_name for port in instance.bgp_hosts)
    ]
    return [*found, *hosts]
