"""The part of the networks that a lab boots: a few hosts, devices of each kind, their switches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import COMPUTE
from fabricgen.inventory.networks import CONSOLE
from fabricgen.lab.bootability import check_bootable
from fabricgen.lab.networks.layout import ClusterLayout, NetworkLayout
from fabricgen.lab.slice import SLICE_WIDTH, choose_domains, lay_out
from fabricgen.lab.topology import LabLayout
from fabricgen.views.infiniband.transport import is_infiniband

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    skipped = {
        name
        for name, own in networks.items()
        if wanted == EVERY and (is_infiniband(own) or own.fabric.is_serial)
    }
    count = domains or max(2, plan.fabric.coordinates.domain_of_host(HOST_COUNT - 1) + 1)
    chosen = choose_domains(plan, min(count, plan.fabric.coordinates.domains))
    every = LabLayout(plan, frozenset(range(plan.fabric.rails)), chosen)
    whole = wanted == EVERY and not is_infiniband(plan)
    compute = lay_out(plan, None, count) if whole else every
    names = every.hosts
    hosts = names if domains else [*dict.fromkeys([*names[:2], *names[-2:]])]
    booted = {name: own for name, own in networks.items() if name not in skipped}
    layout = _laid_out(compute, booted, hosts, whole=whole)
    _check_families(layout)
    left = [*([COMPUTE] if wanted == EVERY and not whole else []), *skipped]
    on_compute = [*plan.converged] if wanted == EVERY else []
    skipped_texts = (
        *(
            f"{name} {'has console servers' if name == CONSOLE else 'runs on InfiniBand'}"
            for name in left
        ),
        *(f"the devices of {name}, on leaves of compute" for name in on_compute),
    )
    return replace(layout, skipped=skipped_texts)


def _networks(plan: Plan, wanted: str) -> Mapping[str, Plan]:
    """Return the networks that are asked for, by name. Raises Refusal `lab-network`."""
    found = {name: own for name, own in plan.switched.items() if wanted in (EVERY, name)}
    if wanted in plan.converged:
        raise refuse(
            "lab-network",
            f"the lab boots switches of a network, and `{wanted}` is on those of compute",
            hint="leave `--network` out: compute boots with its VRF",
        )
    if not found:
        known = ", ".join([*plan.switched, EVERY])
        hint = f"networks: {known}" if plan.switched else "leave `--network` out"
        fact = f"the inventory has no network `{wanted}`"
        raise refuse("lab-network", fact, hint=hint)
    if wanted == CONSOLE:
        hint = "leave `--network` out, or name another network"
        raise refuse("lab-network", "the lab has no console servers", hint=hint)
    for name in (name for name, own in found.items() if own.fabric.has_bonds):
        raise refuse(
            "lab-network",
            f"the lab cannot test the network `{name}`: its devices have bonds of LACP",
            path=("networks", name, "bonding"),
            because=("its trials send packets between routed ports",),
            hint="leave `bonding` out for the lab",
        )
    return found


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
    joined = {
        name for name, own in networks.items() if own.fabric.network and own.fabric.network.joined
    }
    routed = [_part(own, hosts) for name, own in networks.items() if name in joined]
    booted = [*([compute] if whole else []), *routed]
    managed = {name: node for part in booted for name, node in part.management.items()}
    switches = [each.switch for part in booted for each in part.switches]
    access = [
        _part(own, [*hosts, *switches], managed)
        for name, own in networks.items()
        if name not in joined
    ]
    return ClusterLayout(
        compute.plan,
        compute.rails,
        compute.domains if whole else (),
        compute.width,
        routed=tuple(routed),
        access=tuple(access),
        host_names=tuple(hosts),
    )


def _part(
    plan: Plan, devices: Iterable[str], managed: Mapping[str, str] | None = None
) -> NetworkLayout:
    """Return the part of a network that serves some devices, and two of each kind of `devices`."""
    check_bootable(plan)
    rules = plan.fabric.network
    assert rules is not None  # noqa: S101 - the plan is that of a network
    chosen = set(devices)
    for group in rules.attached.groups:
        if group.own:
            chosen |= {group.names[0], group.names[-1]}
    bonds = tuple(bond for bond, name in enumerate(rules.attached.devices) if name in chosen)
    rails = frozenset(range(plan.fabric.rails))
    return NetworkLayout(plan, rails, bonds, SLICE_WIDTH, managed=managed or {})
