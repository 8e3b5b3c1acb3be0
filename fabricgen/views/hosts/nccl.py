"""The settings of NCCL that follow from a fabric, each with its reason.

Owns which variables nccl.conf sets. RCCL, which reads the same ones, has them in rccl.conf. The
catalog states the file of each library, and from which release on it has a feature. Source: NCCL's
documentation of its environment variables (2.30), and for PXN the path search in its sources. A
comment holds no equals sign, because older versions read any line with one as a setting.
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

MOST_HCAS = 32
"""RDMA devices that the library uses on a host, at most."""

WIDTH = 118
"""Columns of a comment, after its mark."""


def settings(fabric: ResolvedFabric, nics: Sequence[NicView], *, tiers: int) -> list[Setting]:
    """List the settings of a host with these NIC ports, in the order of the file.

    Its fabric has this number of tiers of switches.
    """
    direct = fabric.spec.rails.medium == "direct"
    found = (
        *(_direct_rails(fabric, nics) if direct else _rails(fabric, nics)),
        *(_direct_devices(fabric, nics) if direct else _devices(fabric, nics)),
        *_class(fabric),
        *_gid(fabric),
        *(_paths() if tiers > 1 and _routed(fabric) else ()),
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


def _direct_devices(
    fabric: ResolvedFabric, nics: Sequence[NicView]
) -> Iterator[tuple[str, str, str]]:
    """Select the device by the neighbour, and give the reason why no RDMA devices are named."""
    title, first = fabric.library.title, fabric.library.since.subnet_aware_routing
    if first and _routed(fabric) and not _is_older(fabric, first):
        yield (
            "NCCL_IB_SUBNET_AWARE_ROUTING",
            "1",
            (
                f"A link reaches one neighbour: {title} sends by the device whose subnet is that of"
                f" the peer, and not by the device of the same number. It needs {title} {first}."
            ),
        )
        yield from _subnets(fabric, nics)
    elif first and _routed(fabric):
        yield (
            "NCCL_IB_SUBNET_AWARE_ROUTING",
            "",
            (
                f"NCCL_IB_SUBNET_AWARE_ROUTING is not set: it needs {title} {first}. Older ones"
                " join devices whose links lead to other hosts, and RDMA fails."
            ),
        )
    yield (
        "NCCL_IB_HCA",
        "",
        (
            f"NCCL_IB_HCA is not set: a link reaches one neighbour by RDMA, and {title} joins any"
            " two devices. nics.csv has the neighbour of each link; NCCL_NET with the value"
            " Socket reaches every GPU, through the kernels of the hosts between."
        ),
    )


def _subnets(fabric: ResolvedFabric, nics: Sequence[NicView]) -> Iterator[tuple[str, str, str]]:
    """Give the length of the subnet of a link, by which devices are selected."""
    length = str(nics[0].prefix_length)
    if isinstance(fabric.spec.addressing.host_pool, IPv4Network):
        why = "The length of the prefix of a link; the default, 24, holds many of them."
        yield "NCCL_IB_SUBNET_PREFIX_LEN", length, why
        return
    yield (
        "NCCL_IB_SUBNET_PREFIX_LEN",
        "",
        (
            "NCCL_IB_SUBNET_PREFIX_LEN is not set: the prefix of a link has"
            f" {length} bits, and how the variable counts those of IPv6 is not documented."
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
    attributed = fabric.design is not Design.FAT_TREE and _has(
        fabric, fabric.library.since.rail_attributes
    )
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
                f"NCCL_IB_HCA is not set: {fabric.library.title} takes {MOST_HCAS} RDMA devices,"
                f" and this host has {len(nics)}."
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
                f"Only NICs of one rail may be merged into one device; {fabric.library.title} would"
                " go by their distance alone."
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


def _numbers(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, which compare as releases do."""
    return tuple(map(int, release.split(".")))


def _has(fabric: ResolvedFabric, since: str | None) -> bool:
    """Return whether the version in the inventory has what came with a release."""
    version = fabric.spec.nccl.version
    return bool(since and version) and _numbers(version or "") >= _numbers(since or "")


def _is_older(fabric: ResolvedFabric, release: str) -> bool:
    """Return whether the inventory has a version, and that is older than a release."""
    return bool(fabric.spec.nccl.version) and not _has(fabric, release)


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


def _gid(fabric: ResolvedFabric) -> Iterator[tuple[str, str, str]]:
    """Name the GID of RoCE v2 with the address of a NIC port, where the library does not find it.

    By itself it looks for that of an IPv4 address.
    """
    pool, library = fabric.spec.addressing.host_pool, fabric.library
    first = library.since.gid_search
    if first is None or not _routed(fabric):
        return
    if isinstance(pool, IPv4Network):
        yield from _old_gid(fabric, library.title, first)
    elif not _has(fabric, first):
        yield (
            "NCCL_IB_GID_INDEX",
            "",
            (
                "NCCL_IB_GID_INDEX is not set: name the index of the GID of RoCE v2 with the IPv6"
                f" address, as show_gids lists it. {library.title} {first} and later find it by the"
                " family and the pool of the addresses: add `nccl: {version}` to the inventory."
            ),
        )
    else:
        why = "A NIC port has several GIDs. That of its IPv6 address in this pool is used."
        yield "NCCL_IB_ADDR_FAMILY", "AF_INET6", why
        yield "NCCL_IB_ADDR_RANGE", str(pool), "The pool of the addresses of NIC ports."


def _old_gid(fabric: ResolvedFabric, title: str, first: str) -> Iterator[tuple[str, str, str]]:
    """Name the GID with the IPv4 address for a library older than the `first` that finds it."""
    if _has(fabric, first):
        return
    nic = fabric.nic
    older = f"{title} before {first} takes index 0, a link-local address, which no leaf routes."
    if nic and nic.gid_index is not None and fabric.spec.nccl.version:
        why = (
            f"{older} This is the GID of RoCE v2 with the IPv4 address of a {nic.model}:"
            " those of the link-local address come first. Compare with show_gids."
        )
        yield "NCCL_IB_GID_INDEX", str(nic.gid_index), why
        return
    what = "name the index of the GID of RoCE v2 with the IPv4 address, as show_gids lists it."
    if not fabric.spec.nccl.version:
        what = (
            f"{title} {first} and later find the GID of RoCE v2 by themselves. For an older one add"
            " `nccl: {version}` to the inventory."
        )
    yield "NCCL_IB_GID_INDEX", "", f"NCCL_IB_GID_INDEX is not set: {what} {older}"


def _paths() -> Iterator[tuple[str, str, str]]:
    """Name what spreads the packets of a connection over several spines."""
    yield (
        "NCCL_IB_QPS_PER_CONNECTION",
        "",
        (
            "NCCL_IB_QPS_PER_CONNECTION is not set: a connection has one queue pair, and ECMP gives"
            " a queue pair one of the uplinks, where several meet. Either more queue pairs, as"
            " 4, with NCCL_IB_SPLIT_DATA_ON_QPS at 1 to split each message over them; or, where"
            " switches and NICs both have adaptive routing on, NCCL_IB_ADAPTIVE_ROUTING at 1."
            " Measure which is faster."
        ),
    )


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
