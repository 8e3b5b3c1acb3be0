"""Names in the records that no port of the plan has: a wrong name, or placeholders in the plan.

Owns both findings. `unknown-port`: a device of the plan has no port of that name, which is a typing
error or a port that the fabric does not use; its links are not called missing. `unjudged`: the plan
holds placeholders for the NIC names of its hosts, or nodes have no names of their own, so no link
that needs one can be judged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fabricgen.core.count_text import counted
from fabricgen.core.diagnostics import nearest
from fabricgen.lifecycle.audit.finding import AuditFinding
from fabricgen.lifecycle.audit.neighbors import CUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lifecycle.audit.observed_cabling import ObservedCabling, UnknownPort
    from fabricgen.lifecycle.audit.port_index import PortIndex

SHOWN = 3
"""Names that a fact lists before `and N more`."""

NICS_HINT = (
    "list the interface names of a host, in the order of its GPUs, in the inventory:"
    " `host: {nics: [enp24s0np0, enp64s0np0, ...]}`"
)

NAMES_HINT = (
    "set the names: of hosts by rdma-ndd or `hostnamectl`, of switches without a CPU by"
    " `ibnetdiscover --node-name-map`; or list the GUIDs of InfiniBand in `addressing.guids`"
)

CUT_HINT = (
    "several devices begin with a name that the table cut: collect JSON or"
    " `show lldp neighbors detail`, which have names whole"
)


def name_findings(places: PortIndex, built: ObservedCabling) -> Iterator[AuditFinding]:
    """Yield a finding for each device with unknown port names, and one for all placeholders."""
    by_device: defaultdict[str, list[UnknownPort]] = defaultdict(list)
    for unknown in built.unknown:
        by_device[unknown.device].append(unknown)
    for device, ports in sorted(by_device.items()):
        yield _unknown(places, device, ports)
    if built.unjudged:
        yield _unjudged(places, built)
    if built.unnamed:
        yield _unnamed(places, built)


def _unknown(places: PortIndex, device: str, ports: list[UnknownPort]) -> AuditFinding:
    """Return the finding on the unknown port names of a device."""
    names = list(dict.fromkeys(unknown.name for unknown in ports))
    meant = {unknown.name: near for unknown in ports if (near := _nearest(places, device, unknown))}
    first = next(iter(meant), None)
    known = [places.peers[unknown.far] for unknown in ports if unknown.far >= 0]
    planned = [port for port in known if port >= 0 and places.places[port].device == device]
    return AuditFinding(
        "unknown-port",
        f"{device} has no port {_listed(names)} in the plan",
        level="major",
        hint=(f"did you mean `{meant[first]}` by `{first}`? " if first is not None else "")
        + "cabling/cables.csv has the names of all ports",
        cables=[places.labels[port] for port in planned],
        expected=[f"{places.text(port)} -- {places.text(places.peers[port])}" for port in planned],
        found=[f"{device} {unknown.name} -- {unknown.seen}" for unknown in ports],
    )


def _nearest(places: PortIndex, device: str, unknown: UnknownPort) -> str | None:
    """Return the port that was probably meant: the planned one of the neighbour, or the nearest."""
    peer = places.peers[unknown.far] if unknown.far >= 0 else -1
    if peer >= 0 and places.places[peer].device == device:
        return places.places[peer].interface
    own = (places.places[port].interface for port in places.of_device[device])
    return nearest(unknown.name, own)


def _unjudged(places: PortIndex, built: ObservedCabling) -> AuditFinding:
    """Return the finding on the links of hosts whose NIC names the plan does not know."""
    labels = [places.labels[port] for port in sorted(built.unjudged)]
    host = places.plan.fabric.host
    why = (
        f"the catalog has no interface names of {host.model}"
        if host
        else "the inventory names no host model"
    )
    return AuditFinding(
        "unjudged",
        f"{len(labels):,} links cannot be judged: the NIC names of the plan are placeholders",
        level="major",
        because=(why, f"the records name {_listed(sorted(set(built.unjudged.values())))}"),
        hint=NICS_HINT,
        cables=labels,
    )


def _unnamed(places: PortIndex, built: ObservedCabling) -> AuditFinding:
    """Return the finding on the links of nodes that have no name of their own."""
    labels = sorted({places.labels[port] for port in built.unnamed})
    called = Counter(name or "nothing" for name in built.unnamed.values())
    return AuditFinding(
        "unjudged",
        f"{counted(len(labels), 'link')} cannot be judged: the node at the other end has no name",
        level="major",
        because=tuple(
            f"{count:,} of them: the node is called `{name}`"
            for name, count in called.most_common(SHOWN)
        ),
        hint=CUT_HINT if any(CUT in name for name in called) else NAMES_HINT,
        cables=labels,
    )


def _listed(names: list[str]) -> str:
    """Return the first names and the number of the others."""
    more = len(names) - SHOWN
    shown = ", ".join(f"`{name}`" for name in names[:SHOWN])
    return shown + (f" and {more:,} more" if more > 0 else "")
