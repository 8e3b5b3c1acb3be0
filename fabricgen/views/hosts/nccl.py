"""The settings of NCCL that follow from a fabric, each with its reason.

Owns which variables nccl.conf sets, and from which version of NCCL on. Source: NCCL's documentation
of its environment variables (2.30), and for PXN the path search in its sources. A comment holds no
equals sign, because older versions read any line with one as a setting.
"""

from __future__ import annotations

import textwrap
from functools import lru_cache
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from fabricgen.core.terms import Design, Role
from fabricgen.views.hosts.view import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.planning.resolve import ResolvedFabric
    from fabricgen.views.hosts.view import NicView

RAIL_ATTRIBUTES = (2, 30, 5)
"""The first version with NCCL_NET_MERGE_POLICY, and with rail and plane in NCCL_IB_HCA."""

GID_FAMILY = (2, 21)
"""The first version with NCCL_IB_ADDR_FAMILY and NCCL_IB_ADDR_RANGE."""

MOST_HCAS = 32
"""RDMA devices that NCCL uses on a host, at most."""

WIDTH = 118
"""Columns of a comment, after its mark."""


def settings(fabric: ResolvedFabric, nics: Sequence[NicView]) -> list[Setting]:
    """List the settings of a host with these NIC ports, in the order of the file."""
    direct = fabric.spec.rails.medium == "direct"
    found = (
        *(_direct_rails(fabric, nics) if direct else _rails(fabric, nics)),
        *(_direct_devices() if direct else _devices(fabric, nics)),
        *_class(fabric),
        *_family(fabric),
        *_left_open(),
    )
    return [Setting(name, value, [*_wrapped(why)]) for name, value, why in found]


@lru_cache(maxsize=64)
def _wrapped(why: str) -> tuple[str, ...]:
    """Wrap a comment; nearly all hosts have the same."""
    return tuple(textwrap.wrap(why, WIDTH))


def rail_ranges(rails: Sequence[int]) -> str:
    """Write rails in few words.

    >>> rail_ranges([0, 1, 2, 5, 7, 8])
    '0-2, 5, 7-8'
    """
    runs: list[list[int]] = []
    for rail in rails:
        if runs and rail == runs[-1][-1] + 1:
            runs[-1][1:] = [rail]
        else:
            runs.append([rail])
    return ", ".join("-".join(map(str, run)) for run in runs)


def _rails(fabric: ResolvedFabric, nics: Sequence[NicView]) -> Iterator[tuple[str, str, str]]:
    """Keep traffic on its rail, and configure the relay between rails."""
    only = fabric.design is Design.RAIL_ONLY
    if fabric.rails == 1 or fabric.design is Design.FAT_TREE:
        return
    costs = (
        "rails meet only inside HB domains"
        if only
        else "from one rail to another a packet crosses the spines"
    )
    yield (
        "NCCL_CROSS_NIC",
        "0",
        f"A ring or tree enters and leaves every host by the NIC of one rail: {costs}.",
    )
    if not fabric.spec.nccl.pxn:
        yield (
            "NCCL_PXN_DISABLE",
            "1",
            (
                "The inventory turns PXN off: each GPU sends through its own NIC, and other rails"
                " are reached over the spines."
            ),
        )
    elif fabric.host is None or fabric.host.scale_up:
        yield "NCCL_PXN_DISABLE", "0", _relay(fabric, nics)
        if only:
            why = (
                "All point-to-point traffic goes by PXN, all-to-all too: whatever a GPU sent to"
                " another rail by its own NIC would be lost."
            )
            yield "NCCL_P2P_PXN_LEVEL", "2", why


def _direct_rails(
    fabric: ResolvedFabric, nics: Sequence[NicView]
) -> Iterator[tuple[str, str, str]]:
    """Configure the relay between rails, and leave the NICs of a ring to the site."""
    yield (
        "NCCL_CROSS_NIC",
        "",
        (
            "NCCL_CROSS_NIC is not set: a ring over a direct rail enters a host by one link and"
            " leaves it by another, which 0 forbids, and 1 allows on any rail."
        ),
    )
    yield from (each for each in _rails(fabric, nics) if each[0] != "NCCL_CROSS_NIC")


def _direct_devices() -> Iterator[tuple[str, str, str]]:
    """Let NCCL find the link to a peer, and give the reason why no RDMA devices are named.

    NCCL_IB_SUBNET_AWARE_ROUTING came with NCCL 2.30; older ones ignore it, and RCCL has it too.
    Builders of rings without switches report that RDMA needs it:
    https://github.com/spark-arena/sparkrun/issues/174
    """
    yield (
        "NCCL_IB_SUBNET_AWARE_ROUTING",
        "1",
        (
            "Of the devices of this host, NCCL 2.30 and later use the one in the subnet of the"
            " neighbour. RDMA reaches neighbours alone."
        ),
    )
    yield (
        "NCCL_IB_HCA",
        "",
        (
            "NCCL_IB_HCA is not set: a link reaches one neighbour by RDMA, and NCCL joins any two"
            " devices. nics.csv has the neighbour of each link; NCCL_NET with the value"
            " Socket reaches every GPU, through the kernels of the hosts between."
        ),
    )


def _relay(fabric: ResolvedFabric, nics: Sequence[NicView]) -> str:
    """Describe how traffic changes rails on this host."""
    relay = (
        "PXN: a GPU hands what is for another rail over the HB interconnect to the GPU whose NIC is"
        " on that rail. It needs GPUDirect RDMA."
    )
    if fabric.design is not Design.RAIL_ONLY:
        return f"{relay} It saves the way over the spines."
    here = sorted({nic.rail for nic in nics})
    if len(here) == fabric.rails:
        return f"{relay} There is no other way between rails."
    return (
        f"{relay} There is no other way between rails. PXN relays inside one host, so it reaches"
        f" the rails of this host's NICs ({rail_ranges(here)}); point-to-point traffic to the"
        " others has to be handed on inside the HB domain by the application."
    )


def _devices(fabric: ResolvedFabric, nics: Sequence[NicView]) -> Iterator[tuple[str, str, str]]:
    """Name the RDMA devices in order of rail, with rail and plane where the version takes them."""
    ordered = sorted(nics, key=lambda nic: (nic.rail, nic.plane))
    attributed = fabric.design is not Design.FAT_TREE and _version(fabric) >= RAIL_ATTRIBUTES
    order = (
        "The NICs of this fabric in order of rail, and no others. The first sign means that names"
        " are exact: a name alone also stands for longer ones."
    )
    if not all(nic.rdma for nic in nics):
        names = " ".join(nic.interface for nic in ordered)
        yield (
            "NCCL_IB_HCA",
            "",
            (
                "NCCL_IB_HCA is not set, for the catalog does not know the RDMA devices. Name those"
                f" of these interfaces, in this order: {names}."
            ),
        )
    elif len(nics) > MOST_HCAS:
        yield (
            "NCCL_IB_HCA",
            "",
            (
                f"NCCL_IB_HCA is not set: NCCL takes {MOST_HCAS} RDMA devices, and this host has"
                f" {len(nics)}."
            ),
        )
    else:
        plane = " and its plane" if fabric.planes > 1 else ""
        attributes = f" Each name is followed by its port, its rail{plane}." if attributed else ""
        yield (
            "NCCL_IB_HCA",
            "="
            + ",".join(
                _device(nic, attributed=attributed, planes=fabric.planes) for nic in ordered
            ),
            f"{order}{attributes}",
        )
    if fabric.planes > fabric.nics_per_gpu:
        yield (
            "NCCL_IB_MERGE_NICS",
            "0",
            (
                "Ports of one NIC are on planes that never meet, so they are not merged into one"
                " device."
            ),
        )
    elif attributed:
        yield (
            "NCCL_NET_MERGE_POLICY",
            "RAIL",
            (
                "Only NICs of one rail may be merged into one device; NCCL would go by their"
                " distance alone."
            ),
        )


def _device(nic: NicView, *, attributed: bool, planes: int) -> str:
    """Write one RDMA device; each NIC port is a device with one port."""
    return ":".join(
        [
            nic.rdma,
            "1",
            *([str(nic.rail)] if attributed else []),
            *([str(nic.plane)] if attributed and planes > 1 else []),
        ]
    )


def _version(fabric: ResolvedFabric) -> tuple[int, ...]:
    """Return the version of NCCL in the inventory; () without one."""
    return tuple(int(part) for part in (fabric.spec.nccl.version or "").split(".") if part)


def _class(fabric: ResolvedFabric) -> Iterator[tuple[str, str, str]]:
    """Put RoCE traffic into the lossless class."""
    if _routed(fabric):
        roce = fabric.spec.roce
        ends = "hosts" if fabric.spec.rails.medium == "direct" else "switches"
        why = (
            f"The ToS byte of DSCP {roce.dscp} (four times the DSCP), which the {ends} put into"
            f" the lossless class {roce.priority}."
        )
        yield (
            "NCCL_IB_TC",
            str(roce.dscp << 2),
            f"{why} The ECN bits are the NIC's own; some vendors' guides add 2 for them.",
        )


def _family(fabric: ResolvedFabric) -> Iterator[tuple[str, str, str]]:
    """Name the GID of a NIC port's IPv6 address; NCCL looks for that of an IPv4 address."""
    pool = fabric.spec.addressing.host_pool
    if isinstance(pool, IPv4Network) or not _routed(fabric):
        return
    if _version(fabric) < GID_FAMILY:
        yield (
            "NCCL_IB_GID_INDEX",
            "",
            (
                "NCCL_IB_GID_INDEX is not set: name the index of the GID of RoCE v2 with the IPv6"
                " address, as show_gids lists it. NCCL 2.21 and later find it by the family and"
                " the pool of the addresses: add `nccl: {version}` to the inventory."
            ),
        )
        return
    why = "A NIC port has several GIDs. That of its IPv6 address in this pool is used."
    yield "NCCL_IB_ADDR_FAMILY", "AF_INET6", why
    yield "NCCL_IB_ADDR_RANGE", str(pool), "The pool of the addresses of NIC ports."


def _routed(fabric: ResolvedFabric) -> bool:
    """Return whether the hosts' links speak Ethernet, with IP addresses."""
    return fabric.port_layouts[Role.LEAF].model.transport == "ethernet"


def _left_open() -> Iterator[tuple[str, str, str]]:
    """Name the settings that only the site can choose."""
    why = (
        "NCCL_SOCKET_IFNAME is not set: name the interface of the management network there, for"
        " start-up traffic would otherwise pick any network."
    )
    yield "NCCL_SOCKET_IFNAME", "", why
