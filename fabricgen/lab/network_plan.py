"""A network beside the compute fabric as the fabric of a lab.

A network is planned like any fabric, so a lab boots it like one: a port of a device is a GPU there,
and a bond is an HB domain, whose bridge is what joins the ports inside the device. Owns which
networks can be booted, and which port each GPU of such a lab is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import LinkKind

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def network_plan(plan: Plan, name: str) -> Plan:
    """Return the plan of a network beside the compute fabric.

    Raises Refusal `lab-network` where there is none, its leaves are not joined, or also in pairs.
    """
    network = plan.networks.get(name)
    known = [other for other, each in plan.networks.items() if each.sizing.spine]
    hint = f"networks with spines: {', '.join(known)}" if known else "leave `--network` out"
    if network is None:
        raise refuse("lab-network", f"the inventory has no network `{name}`", hint=hint)
    if not network.sizing.spine:
        raise refuse(
            "lab-network",
            f"the lab cannot test the network `{name}`: its {network.sizing.leaf} leaves have no"
            " spines that join them",
            path=("networks", name),
            because=("its trials send packets between any two ports",),
            hint=hint,
        )
    if LinkKind.PEER in network.kinds:
        raise refuse(
            "lab-network",
            f"the lab cannot test the network `{name}`: the leaves of its pairs are joined",
            path=("networks", name, "peer_links"),
            because=("its trials expect that all paths between leaves cross spines",),
            hint="leave `peer_links` out for the lab",
        )
    return network


def ports_text(plan: Plan) -> str:
    """Return which port each GPU is, for the first and the last device; empty for compute."""
    network = plan.fabric.network
    if network is None:
        return ""
    coordinates, bonds = plan.fabric.coordinates, network.attached.devices
    ends = [gpu for bond in (0, len(bonds) - 1) for gpu in coordinates.domain_range(bond)]
    named = [
        f"{coordinates.name(gpu)} is {plan.fabric.interface(plan.fabric.interface_index(gpu), 0)}"
        f" of {bonds[coordinates.domain(gpu)]}"
        for gpu in ends
    ]
    return f"ports of devices are GPUs in this lab, and bonds are HB domains: {', '.join(named)}"
