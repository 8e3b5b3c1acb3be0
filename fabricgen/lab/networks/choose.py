"""The part of the networks that a lab boots: a few hosts, devices of each kind, their switches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import COMPUTE, DEVICES, PEERS, UPLINKS
from fabricgen.lab.bootability import check_bootable
from fabricgen.lab.networks.layout import ClusterLayout, NetworkLayout
from fabricgen.lab.networks.on_compute import InComputeLayout, VrfLayout, leaves_of_devices
from fabricgen.lab.networks.pairs import peer_wires
from fabricgen.lab.slice import SLICE_WIDTH, choose_domains, lay_out
from fabricgen.lab.topology import LabLayout
from fabricgen.views.infiniband.transport import is_infiniband

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabricgen.planning.plan import Plan

EVERY = "all"
"""What `--network` calls the compute fabric and all networks."""

HOST_COUNT = 4
"""The hosts of a lab, unless the user states the HB domains."""


def lay_out_networks(plan: Plan, wanted: str, domains: int | None = None) -> ClusterLayout:
    """Choose what is booted of one network, or of all networks and the compute fabric.

    Raises Refusal where there is no such network, or where its files cannot boot on Linux.
    """
    networks = _networks(plan, wanted)
    reasons = {name: reason for name in networks if (reason := _unbootable(plan, name))}
    booted = {name: own for name, own in networks.items() if name not in reasons}
    count = domains or max(2, plan.fabric.coordinates.domain_of_host(HOST_COUNT - 1) + 1)
    chosen = choose_domains(plan, min(count, plan.fabric.coordinates.domains))
    every = LabLayout(plan, frozenset(range(plan.fabric.rails)), chosen)
    whole = wanted == EVERY and not is_infiniband(plan)
    compute = lay_out(plan, None, count) if whole else every
    names = every.hosts
    hosts = names if domains else [*dict.fromkeys([*names[:2], *names[-2:]])]
    layout = _laid_out(compute, booted, hosts, whole=whole)
    _check_families(layout)
    if wanted == EVERY and not whole:
        reasons = {COMPUTE: INFINIBAND} | reasons
    return replace(layout, skipped=tuple(f"{name} {reason}" for name, reason in reasons.items()))


INFINIBAND = "runs on InfiniBand"


def _unbootable(plan: Plan, name: str) -> str:
    """Return why the lab boots no part of a network, as words after its name; empty if it does."""
    own = plan.networks[name]
    if own.fabric.is_serial:
        return "has console servers"
    if name == PEERS:
        return ""
    if is_infiniband(own):
        return INFINIBAND
    if own.fabric.has_bonds:
        return "has bonds of LACP, which the kernel of a lab may not have"
    if name == UPLINKS and _leads_to_leaves(plan):
        return "has ports of leaves that route, without addresses and sessions"
    if name == DEVICES and not plan.addresses.numbered:
        return "has unnumbered links, for which no file of a device is written"
    if name == DEVICES and plan.addresses.family == "ipv6":
        return "has addresses of IPv6, and the lab tries ports of devices by IPv4"
    return ""


def _leads_to_leaves(plan: Plan) -> bool:
    """Return whether the uplinks on compute switches are those of leaves that route."""
    return any(
        network.uplink and network.uplink.network == COMPUTE and network.kind == "clos"
        for network in plan.spec.networks.each().values()
    )


def _networks(plan: Plan, wanted: str) -> Mapping[str, Plan]:
    """Return the networks that are asked for, by name. Raises Refusal `lab-network`."""
    if wanted == EVERY and plan.networks:
        return plan.networks
    if wanted not in plan.networks:
        alone = (name for name in plan.networks if name != DEVICES and not _unbootable(plan, name))
        known = ", ".join([*alone, EVERY])
        hint = f"networks: {known}" if plan.networks else "leave `--network` out"
        fact = f"the inventory has no network `{wanted}`"
        raise refuse("lab-network", fact, hint=hint)
    hint = f"`--network {EVERY}` boots what it can, and lists the rest"
    if wanted == DEVICES:
        fact = f"the lab boots no `{DEVICES}` alone: their ports are in the compute fabric"
        raise refuse("lab-network", fact, hint=f"`--network {EVERY}` boots both")
    if plan.networks[wanted].fabric.has_bonds:
        raise refuse(
            "lab-network",
            f"the lab cannot boot the network `{wanted}`: its devices have bonds of LACP",
            path=("networks", wanted, "bonding"),
            because=("the kernel of a lab may have none",),
            hint=f"leave `bonding` out for the lab; {hint}",
        )
    if reason := _unbootable(plan, wanted):
        fact = f"the lab cannot boot the network `{wanted}`: it {reason}"
        raise refuse("lab-network", fact, hint=hint)
    return {wanted: plan.networks[wanted]}


def _check_families(layout: ClusterLayout) -> None:
    """Refuse a lab whose parts have addresses of two families. Raises Refusal `lab-network`."""
    other = next((part for part in layout.routed if part.family != layout.family), None)
    if other:
        raise refuse(
            "lab-network",
            f"the lab boots one family of addresses, and `{other.name}` has {other.family} ones",
            because=(f"those of the compute fabric are {layout.family}",),
            hint=f"`--network {other.name}` boots that network alone",
        )


def _laid_out(
    compute: LabLayout, networks: Mapping[str, Plan], hosts: list[str], *, whole: bool
) -> ClusterLayout:
    """Lay out the networks: those of leaves and spines, then the access networks on their ports."""
    plan, own = compute.plan, frozenset(_devices(compute.plan))
    if whole and compute.width and DEVICES in networks:
        compute = replace(compute, leaves=leaves_of_devices(networks[DEVICES], own))
    devices = own.union(hosts)
    routed = _routed_parts(networks, devices, compute)
    booted = [*([compute] if whole else []), *routed]
    managed = {name: node for part in booted for name, node in part.management.items()}
    switches = [each.switch for part in booted for each in part.switches]
    access = [
        _part(network, devices.union(switches), managed)
        for network in networks.values()
        if any(network.installed) and not _is_joined(network)
    ]
    return ClusterLayout(
        plan,
        compute.rails,
        compute.domains if whole else (),
        compute.width,
        leaves=compute.leaves,
        routed=tuple(routed),
        access=tuple(access),
        host_names=tuple(hosts),
        peers=tuple(peer_wires(networks[PEERS], own)) if PEERS in networks else (),
    )


def _devices(plan: Plan) -> Iterator[str]:
    """Yield the devices of a lab: two of each entry, and what is paired with them."""
    for group in plan.spec.devices:
        for number in (0, group.count - 1):
            yield group.names[number]
            if group.peer_links:
                yield group.names[number ^ 1]


def _switches(plan: Plan) -> frozenset[str]:
    """Return the first and the last switch with ports in the VRFs of uplinks on compute."""
    rules = plan.fabric.network
    groups = rules.attached.groups if rules and rules.name == UPLINKS else ()
    return frozenset(name for group in groups for name in (group.names[0], group.names[-1]))


def _is_joined(plan: Plan) -> bool:
    """Return whether the switches of a network are joined; those of an access network are not."""
    return bool(plan.fabric.network and plan.fabric.network.joined)


def _routed_parts(
    networks: Mapping[str, Plan], devices: frozenset[str], compute: LabLayout
) -> list[NetworkLayout]:
    """Return the networks of routed ports, with the uplinks of booted leaves into another one."""
    parts = [
        part
        for name, network in networks.items()
        if (part := _routed(network, devices | _switches(network), compute)) and name != PEERS
    ]
    leaves = devices.union(each.switch for part in parts for each in part.switches)
    return [_part(part.plan, leaves) if part.plan.below else part for part in parts]


def _routed(plan: Plan, devices: frozenset[str], compute: LabLayout) -> NetworkLayout | None:
    """Return the part of a network of routed ports that serves some devices; None for others."""
    rules = plan.fabric.network
    if rules is None or not rules.joined or plan.mapping.topology:
        return None
    if rules.shared is None:
        return _part(plan, devices)
    check_bootable(compute.plan)
    rails = frozenset(range(plan.fabric.rails))
    bonds = _bonds(plan, devices)
    if rules.shared.in_compute:
        return InComputeLayout(plan, rails, bonds, SLICE_WIDTH, compute=compute)
    return VrfLayout(plan, rails, bonds, SLICE_WIDTH, compute=compute.plan)


def _part(
    plan: Plan, devices: frozenset[str], managed: Mapping[str, str] | None = None
) -> NetworkLayout:
    """Return the part of a network with switches of its own that serves some devices."""
    check_bootable(plan)
    rails = frozenset(range(plan.fabric.rails))
    return NetworkLayout(plan, rails, _bonds(plan, devices), SLICE_WIDTH, managed=managed or {})


def _bonds(plan: Plan, devices: frozenset[str]) -> tuple[int, ...]:
    """Return the numbers of the bonds of some devices."""
    rules = plan.fabric.network
    names = rules.attached.devices if rules else []
    return tuple(bond for bond, name in enumerate(names) if name in devices)
