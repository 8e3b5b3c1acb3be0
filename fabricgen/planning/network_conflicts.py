"""Keys of `networks` and `devices` that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path, nearest
from fabricgen.core.terms import COMPUTE
from fabricgen.planning.console_conflicts import console_conflicts
from fabricgen.planning.converged_conflicts import compute_conflicts, converged_conflicts
from fabricgen.planning.device_conflicts import device_conflicts
from fabricgen.planning.network_values import network_values
from fabricgen.planning.networks.addressing import network_addressing
from fabricgen.planning.networks.tenants import VRF_VLANS, tenants_of
from fabricgen.planning.port_counts import device_ports, host_ports
from fabricgen.planning.switch_choice import TRANSPORTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.networks import Network, Networks


def network_conflicts(spec: FabricSpec, host: Host | None, catalog: Catalog) -> Iterator[Finding]:
    """Return the findings of all checks."""
    networks, names = spec.networks.each(), [group.name for group in spec.devices]
    for name, network in networks.items():
        path: Path = ("networks", name)
        yield from _ports(spec, name, host, catalog)
        yield from _peer_links(name, network)
        yield from _switch_ports(name, network)
        yield from _circular_links(name, network, catalog)
        yield from _carried(spec.networks.every(), name)
        yield from _bonding(spec, name, catalog)
        yield from network_values(spec, name, catalog)
        for at, leaves in enumerate(network.leaf_groups):
            where = (*path, "leaf_groups", at, "devices")
            for device in leaves.devices:
                hint = f"add `{device}` to `devices`, or take it out of the group"
                yield from _known(device, names, where, "group of devices", hint)
        if network.uplink:
            yield from _uplink(spec, name, network.uplink.network, catalog)
    for name in spec.networks.converged():
        yield from _ports(spec, name, host, catalog)
        yield from _carried(spec.networks.every(), name)
    yield from converged_conflicts(spec, catalog)
    yield from device_conflicts(spec, catalog)
    yield from console_conflicts(spec, catalog)
    yield from _second_access(spec.networks)
    yield from _sessions(spec, catalog)
    yield from _front_ports(spec, host)
    yield from _pairs(spec)


def _uplink(spec: FabricSpec, name: str, upper: str, catalog: Catalog) -> Iterator[Finding]:
    """Refuse uplinks into an unknown network, one without spines, and the network itself."""
    if upper == COMPUTE:
        yield from compute_conflicts(spec, name, "uplink", catalog)
        return
    others = [(other, each) for other, each in spec.networks.each().items() if other != name]
    joined = [
        own for other, each in others if each.kind == "clos" for own in (other, *each.carried)
    ]
    where, what = ("networks", name, "uplink", "network"), "other network of kind `clos` called"
    choices = [f"use `network: {each}`" for each in joined] or [f"add `{upper}`"]
    hint = ", or ".join([*choices, "leave `uplink` out"])
    yield from _known(upper, joined, where, what, hint)
    yield from _uplink_transports(spec.networks, name, upper, catalog)
    yield from _uplink_mtus(spec, name, upper)


def _uplink_transports(
    networks: Networks, name: str, upper: str, catalog: Catalog
) -> Iterator[Finding]:
    """Refuse uplinks between Ethernet and InfiniBand switches."""
    ends = {own: networks.each().get(networks.carrier(own)) for own in (name, upper)}
    models = {
        own: catalog.switch(end.switches.leaf.model or "") for own, end in ends.items() if end
    }
    speak = {own: TRANSPORTS[model.transport] for own, model in models.items() if model}
    if len({*speak.values()}) > 1:
        yield Finding(
            "transport-mismatch",
            f"the leaves of `{name}` and `{upper}` do not speak the same protocol",
            ("networks", name, "uplink", "network"),
            tuple(f"those of `{own}` speak {protocol}" for own, protocol in speak.items()),
            "join both networks with `devices` that have ports in both, or leave `uplink` out",
        )


def _uplink_mtus(spec: FabricSpec, name: str, upper: str) -> Iterator[Finding]:
    """Refuse uplinks between leaves that route with links of two MTUs."""
    networks = spec.networks.each()
    ends = {own: networks.get(spec.networks.carrier(own)) for own in (name, upper)}
    mtus = {
        own: network_addressing(spec.addressing, spec.networks.carrier(own), end).mtu
        for own, end in ends.items()
        if end and end.kind == "clos"
    }
    if len({*mtus.values()}) > 1:
        given = networks[name].addressing.mtu
        yield Finding(
            "mtu-mismatch",
            f"the uplinks of `{name}` would have links of two MTUs",
            ("networks", name, *(("addressing", "mtu") if given else ("uplink", "network"))),
            tuple(f"the links of `{own}` have an MTU of {mtu}" for own, mtu in mtus.items()),
            f"write `addressing: {{mtu: {mtus[upper]}}}` under `networks.{name}`, or leave `uplink`"
            " out and join both networks by `devices` that route",
        )


def _switch_ports(name: str, network: Network) -> Iterator[Finding]:
    """Refuse a number of management ports in a network that has no cables to them."""
    if network.switch_ports is not None and network.kind != "access":
        yield Finding(
            "no-management-ports",
            f"the network `{name}` has no cables to management ports of switches",
            ("networks", name, "switch_ports"),
            (f"it is of kind `{network.kind}`; those of kind `access` have them",),
            "leave `switch_ports` out, or use `kind: access`",
        )


def _peer_links(name: str, network: Network) -> Iterator[Finding]:
    """Refuse links between the leaves of a pair where there are no pairs."""
    if not network.peer_links or (network.kind == "clos" and network.bond != 1):
        return
    access = network.kind == "access"
    yield Finding(
        "bad-peer-links",
        f"the network `{name}` has no pairs of leaves that `peer_links` could join",
        ("networks", name, "peer_links"),
        (
            "the switches of a network of kind `access` are not joined to each other"
            if access
            else "with `bond: 1` each device is on one leaf",
        ),
        "leave `peer_links` out" if access else "use `bond: 2`, or leave `peer_links` out",
    )


def _pairs(spec: FabricSpec) -> Iterator[Finding]:
    """Refuse links between paired devices where one has no peer, or no network has their speed."""
    for at, group in enumerate(spec.devices):
        path: Path = ("devices", at, "peer_links")
        if group.peer_links and group.count % 2:
            yield Finding(
                "bad-peer-links",
                f"one of the devices `{group.name}` has no peer for its `peer_links`",
                path,
                (f"the first and the second are a pair, and so on, and {group.count} is odd",),
                f"use `count: {group.count + 1}`, or a group of its own for the last one",
            )
        elif group.peer_links and not spec.networks.management:
            yield Finding(
                "bad-peer-links",
                f"the `peer_links` of the devices `{group.name}` have no speed",
                path,
                ("they have that of a network of kind `access`, and there is none",),
                "add the network `oob`, or leave `peer_links` out",
            )


def _circular_links(name: str, network: Network, catalog: Catalog) -> Iterator[Finding]:
    """Refuse links between the leaves of a pair of InfiniBand switches."""
    model = catalog.switch(network.switches.leaf.model or "")
    if network.peer_links and model and model.transport == "infiniband":
        yield Finding(
            "bad-peer-links",
            f"`peer_links` cannot join the leaves of the InfiniBand network `{name}`",
            ("networks", name, "peer_links"),
            (
                f"a {model.model} speaks InfiniBand: packets wait for credits of the next link",
                "links up to spines and down never wait in a circle; those between leaves can",
            ),
            "leave `peer_links` out, or choose a leaf that speaks Ethernet",
        )


def _bonding(spec: FabricSpec, name: str, catalog: Catalog) -> Iterator[Finding]:
    """Refuse bonds of LACP on switches that cannot have them, and VLANs that meet."""
    network = spec.networks.each()[name]
    if network.bonding != "lacp":
        return
    model = catalog.switch(network.switches.leaf.model or "")
    reasons = {
        "the switches of a network of kind `access` are not joined to each other": (
            network.kind == "access"
        ),
        "with `bond: 1` each device is on one leaf": network.bond == 1,
        "InfiniBand has no bonds of LACP": bool(model and model.transport == "infiniband"),
    }
    for reason in [reason for reason, holds in reasons.items() if holds][:1]:
        fact = f"the network `{name}` cannot have bonds of LACP"
        path = ("networks", name, "bonding")
        yield Finding("bad-bonding", fact, path, (reason,), "leave `bonding` out")
    yield from _vlans_apart(spec, name)


def _vlans_apart(spec: FabricSpec, name: str) -> Iterator[Finding]:
    """Refuse two networks on the same leaves with one VLAN, or with that of a VRF."""
    owners: dict[int, str] = {vlan: f"the VRF of `{own}`" for own, vlan in VRF_VLANS.items()}
    for tenant in tenants_of(spec.networks, name):
        if tenant.vlan in owners:
            own, path = _vlan_key(spec, name, tenant.name)
            yield Finding(
                "vlan-twice",
                f"`{tenant.name}` and {owners[tenant.vlan]} are both VLAN {tenant.vlan} of the"
                f" leaves of `{name}`",
                path,
                ("a VLAN of a leaf is one broadcast domain",),
                f"choose another `vlan` in `{own}`",
            )
        owners[tenant.vlan] = f"`{tenant.name}`"


def _vlan_key(spec: FabricSpec, name: str, tenant: str) -> tuple[str, Path]:
    """Return where the VLAN of a network on the leaves of another is, or may be, given."""
    networks = spec.networks.each()
    if tenant in networks:
        return tenant, ("networks", tenant, "vlan")
    at = networks[name].carried.index(tenant)
    if networks[name].carries[at].vlan:
        return f"{name}.carries", ("networks", name, "carries", at, "vlan")
    return name, ("networks", name, "vlan")


def _carried(networks: dict[str, Network], name: str) -> Iterator[Finding]:
    """Refuse a network that is on the switches of two, or on switches that nothing joins."""
    network = networks[name]
    others = {
        each: other for other in networks if other != name for each in networks[other].carried
    }
    for at, carried in enumerate(network.carried):
        fact = f"the network `{carried}` cannot be on the switches of `{name}`"
        path: Path = ("networks", name, "carries", at)
        if network.kind == "access":
            reason = "these are not joined to each other"
            yield Finding("bad-carries", fact, path, (reason,), "leave `carries` out")
        elif carried in networks:
            reason = f"`networks.{carried}` has switches of its own"
            hint = f"leave `networks.{carried}` out, or `{carried}` here"
            yield Finding("bad-carries", fact, path, (reason,), hint)
        elif carried in others:
            reason = f"it is on those of `{others[carried]}`"
            yield Finding("bad-carries", fact, path, (reason,), f"leave `{carried}` out here")
        keys = [key for key in ("vlan", "host_pool") if getattr(network.carries[at], key)]
        if keys and network.bonding == "routed":
            fact = f"the network `{carried}` cannot have a `{keys[0]}` of its own"
            reason = f"ports of `{name}` are routed, with one address for all networks on them"
            hint = f"add `bonding: lacp`, or leave `{keys[0]}` out"
            yield Finding("bad-carries", fact, (*path, keys[0]), (reason,), hint)


def _second_access(networks: Networks) -> Iterator[Finding]:
    """Refuse a second network with all management ports."""
    access = sorted(networks.with_management, key=lambda name: name != "oob")
    first, *others = access or [""]
    for name in others:
        yield Finding(
            "two-access-networks",
            f"the networks `{first}` and `{name}` are both of kind `access`",
            ("networks", name, "kind"),
            ("each of them would have a cable to every management port",),
            f"use `kind: clos` in `{name}`, or leave one of the two out",
        )


def _known(name: str, names: list[str], path: Path, what: str, hint: str) -> Iterator[Finding]:
    """Refuse a name that the inventory does not define."""
    if name in names:
        return
    near = nearest(name, names)
    has = ", ".join(f"`{each}`" for each in names) or "none"
    yield Finding(
        "unknown-network",
        f"the inventory has no {what} `{name}`",
        path,
        (f"it has {has}",),
        f"did you mean `{near}`?" if near else hint,
    )


def _ports(spec: FabricSpec, name: str, host: Host | None, catalog: Catalog) -> Iterator[Finding]:
    """Refuse ports that do not fill bonds, and a network without any."""
    network = spec.networks.every()[name]
    bond = network.bond or 1
    asked: dict[Path, int] = {("networks", name, "host_ports"): host_ports(host, network)}
    asked |= {
        ("devices", at, "ports", own): device_ports(group, own, spec.networks, catalog).count
        for at, group in enumerate(spec.devices)
        for own in (name, *network.carried)
    }
    asked |= {
        ("networks", other, "uplink", "ports"): lower.uplink.ports
        for other, lower in spec.networks.each().items()
        if lower.uplink and spec.networks.carrier(lower.uplink.network) == name
    }
    for path, ports in asked.items():
        if ports % bond:
            yield Finding(
                "ports-without-bond",
                f"{ports} ports of a device do not fill bonds of {bond} in the network `{name}`",
                path,
                (f"{ports} = {ports // bond} x {bond} + {ports % bond}",),
                f"use `{path[-1]}: {ports + bond - ports % bond}`, or `bond: 1` in the network",
            )
    if not any(asked.values()) and network.kind == "clos":
        yield Finding(
            "unknown-network",
            f"no device has a port in the network `{name}`",
            ("networks", name),
            ("its hosts have no ports there, and `devices` has none either",),
            "give `host_ports`, or leave the network out",
        )


def _sessions(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Refuse BGP with devices that are no routers, or in networks that have none."""
    networks = spec.networks.every()
    for at, devices in enumerate(spec.devices):
        if devices.bgp is None:
            continue
        leaves = {
            name: catalog.switch(network.switches.leaf.model or "")
            for name, network in networks.items()
            if any(devices.ports.of(own).count for own in (name, *network.carried))
        }
        without = [name for name, leaf in leaves.items() if leaf and leaf.transport == "infiniband"]
        reason = ""
        if not devices.edge:
            reason = "they are not the site's routers: `edge` is not set"
        elif without:
            reason = f"the network `{without[0]}` runs on InfiniBand"
        if reason:
            fact = f"`{devices.name}` cannot have BGP sessions with leaves"
            hint = "leave `bgp` out" if devices.edge else "add `edge: true`, or leave `bgp` out"
            yield Finding("bad-edge", fact, ("devices", at, "bgp"), (reason,), hint)


def _front_ports(spec: FabricSpec, host: Host | None) -> Iterator[Finding]:
    """Refuse more ports of a host than its model has beside those of the GPUs."""
    if host is None or host.front is None:
        return
    asked = {
        name: host_ports(host, network)
        for name, network in spec.networks.every().items()
        if network.kind == "clos"
    }
    if sum(asked.values()) > host.front.count:
        total = " + ".join(f"{count} of `{name}`" for name, count in asked.items() if count)
        last = [name for name, count in asked.items() if count][-1]
        yield Finding(
            "too-many-host-ports",
            f"a {host.model} has {host.front.count} ports for networks beside the compute fabric",
            ("networks", last, "host_ports"),
            (f"{total} make {sum(asked.values())}",),
            "give fewer `host_ports`, or leave a network out",
        )
