"""Keys of networks on leaves of the compute fabric that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path
from fabricgen.inventory.fields import cages_of
from fabricgen.inventory.sizing import PortZones

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.networks import Network

_LEAVES = "its leaves are those of the compute fabric"
_SPINES = "its devices use no links between compute switches"
_SWITCH = "a switch has one of it, that of the compute fabric"

_NOT_APART = {
    "kind": _LEAVES,
    "per": _LEAVES,
    "leaf_groups": _LEAVES,
    "uplink": _LEAVES,
    "oversubscription": _SPINES,
    "uplinks": _SPINES,
    "fill": "its ports are those of its `cages`",
    "vlan": "its ports are routed",
    "switch_ports": "management ports of switches are in networks of kind `access`",
    "nos": _SWITCH,
    "lossless": _SWITCH,
}
"""The keys of a network with switches of its own, and why others do not have them."""


def converged_conflicts(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Return the findings of all checks."""
    zones = spec.switches.leaf.zones or PortZones()
    owners = {
        cage: f"the zone `{key}` of the leaf"
        for key, text in zones
        for cage in cages_of(text or "")
    }
    for name, network in spec.networks:
        if network is None:
            continue
        yield from _cages(name, network, owners)
        if network.converged_with:
            yield from _keys(name, network)
            yield from compute_conflicts(spec, name, "converged_with", catalog)


def _keys(name: str, network: Network) -> Iterator[Finding]:
    """Refuse keys that only switches of its own give a meaning."""
    given: dict[tuple[str, ...], str] = {
        (key,): reason
        for key, reason in _NOT_APART.items()
        if getattr(network, key) != type(network).model_fields[key].default
    }
    if network.bonding == "lacp":
        given["bonding",] = (
            "EVPN on the leaves and spines of compute would end their adaptive routing"
        )
    for key in ("asn_base", "mtu"):
        if getattr(network.addressing, key) is not None:
            given["addressing", key] = _SWITCH
    for path, reason in given.items():
        key = ".".join(path)
        yield Finding(
            "bad-convergence",
            f"the network `{name}` on leaves of the compute fabric cannot have `{key}`",
            ("networks", name, *path),
            (reason,),
            f"leave `{path[-1]}` out, or give the network `switches` of its own",
        )


def _cages(name: str, network: Network, owners: dict[int, str]) -> Iterator[Finding]:
    """Refuse cages of switches of its own, and those that another network has; note the others."""
    if network.cages and not network.converged_with:
        yield Finding(
            "bad-convergence",
            f"`cages` are not chosen on the switches of the network `{name}`",
            ("networks", name, "cages"),
            ("it has all cages of its switches",),
            "leave `cages` out, or use `converged_with: compute` in place of `switches`",
        )
    for cage in cages_of(network.cages or ""):
        if cage in owners:
            yield Finding(
                "bad-convergence",
                f"cage {cage} of a leaf is listed twice",
                ("networks", name, "cages"),
                (f"{owners[cage]} has it",),
                "list another cage",
            )
        owners[cage] = f"the network `{name}`"


def compute_conflicts(spec: FabricSpec, name: str, key: str, catalog: Catalog) -> Iterator[Finding]:
    """Refuse a compute fabric whose switches have no VRF with IPv4 links for a key of a network."""
    model, addressing = catalog.switch(spec.switches.leaf.model or ""), spec.addressing
    links: Path = ("addressing", "host_links")
    reasons: dict[str, tuple[bool, Path]] = {
        "its rails join NIC ports two by two": (
            spec.rails.medium != "packet" or bool(model and model.circuits),
            ("rails", "medium"),
        ),
        "a subnet of InfiniBand has no VRFs": (
            bool(model and model.transport == "infiniband"),
            ("switches", "leaf"),
        ),
        "links of networks are numbered, and those of a leaf are all numbered or none": (
            addressing.host_links != "numbered",
            links,
        ),
        "networks have IPv4, and the addresses of a leaf are of one family": (
            addressing.host_pool.version != 4,  # noqa: PLR2004 - of IP
            ("addressing", "host_pool"),
        ),
    }
    on_leaves = key == "converged_with"
    place = "be on leaves of" if on_leaves else "have uplinks on"
    for reason, (holds, path) in reasons.items():
        if holds:
            yield Finding(
                "bad-convergence",
                f"the network `{name}` cannot {place} this compute fabric",
                ("networks", name, key),
                (f"`{'.'.join(map(str, path))}`: {reason}",),
                "give the network `switches` of its own"
                if on_leaves
                else "choose the uplinks' `network`, such as `inband`, or leave `uplink` out",
            )
