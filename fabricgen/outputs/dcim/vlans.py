"""The VLANs of a cluster, as a data-centre database holds them: those that switches are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.outputs.dcim.view import VlanView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan


def vlans(plan: Plan) -> list[VlanView]:
    """List the VLANs of all networks by number, each with the names of its networks."""
    names: dict[int, list[str]] = {}
    for vlan, name in _numbered(plan):
        names.setdefault(vlan, []).append(name)
    return [VlanView(vlan, "-".join(dict.fromkeys(names[vlan]))) for vlan in sorted(names)]


def _numbered(plan: Plan) -> Iterator[tuple[int, str]]:
    """Yield the VLAN of each access network, and those of each network with bonds of LACP."""
    for network in plan.networks.values():
        rules = network.fabric.network
        if rules and rules.vlan:
            yield rules.vlan, rules.name
        for tenant in rules.tenants if rules else ():
            yield tenant.vlan, tenant.name
            if tenant.vrf_vlan:
                yield tenant.vrf_vlan, f"{tenant.name}-vrf"
