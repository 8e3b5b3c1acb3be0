"""The MTU of the links, which their NICs and the NOS of their switches have to accept.

Owns the default where the inventory has none, and the refusal of an MTU above the limit of the NIC.
`outputs.packs.nos_packs` refuses one above the limit of a NOS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Nic
    from fabricgen.core.terms import Role
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.port_layout import PortLayout


def choose_mtu(
    spec: FabricSpec,
    catalog: Catalog,
    nic: Nic | None,
    running: Iterable[Mapping[Role, PortLayout]],
    findings: list[Finding],
) -> FabricSpec:
    """Return an inventory with an MTU that the NICs take, and the NOS where it states none.

    `running` are the switches with their NOS. The default is the largest MTU that all of them take.
    """
    layouts = [layout for each in running for layout in each.values()]
    ethernet = any(layout.model.transport == "ethernet" for layout in layouts)
    mtu, most = spec.addressing.mtu, (nic.maximum_mtu if nic and ethernet else None) or 0
    if "mtu" in spec.addressing.model_fields_set:
        if nic and most and mtu > most:
            findings.append(_above_nic(nic, mtu, most))
        return spec
    systems = {layout.nos for layout in layouts}
    systems |= {network.nos for network in spec.networks.each().values() if network.nos}
    limits = [mtu, most or mtu, *(catalog.nos_mtu(nos) or mtu for nos in sorted(systems))]
    if min(limits) == mtu:
        return spec
    addressing = spec.addressing.model_copy(update={"mtu": min(limits)})
    return spec.model_copy(update={"addressing": addressing})


def _above_nic(nic: Nic, mtu: int, most: int) -> Finding:
    """Refuse an MTU that the driver of a NIC rejects."""
    return Finding(
        "above-nic-limit",
        f"`addressing.mtu` is more than the NIC {nic.model} can do",
        ("addressing", "mtu"),
        (
            f"the driver of {nic.model} takes {most} at most",
            f"{mtu} - {most} = {mtu - most} too many",
        ),
        f"write `addressing.mtu: {most}`, or leave it out",
    )
