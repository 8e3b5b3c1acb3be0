"""The MTU of paths to another rail, and the hops that such a path hides from traceroute.

Owns both trials. A switch of another rail has no route back to the sender, so its ICMP messages are
lost, including that a packet is too large. Therefore MTUs must be equal everywhere.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import subprocess
from collections import defaultdict
from typing import TYPE_CHECKING

from fabricgen.lab.measure import Trial, probes
from fabricgen.lab.probes import IP_OPTIONS, PORT, send_all
from fabricgen.lab.socket_family import IPV4, UNCUT, family_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lab.measure import RunningLab
    from fabricgen.lab.socket_family import SocketFamily

MSG_ERRQUEUE = 0x2000
"""The flag of Linux to read errors, which Python does not name on every platform."""

LONGEST, TRIES, STEP_S, WAIT_S = 9, 3, 0.03, 0.1
"""Hops examined, attempts per hop, seconds until the next hop, and seconds of silence at the end.
"""

FLOWS = 4
"""Large packets from one GPU to another."""

CLOSED = PORT - 1
"""A port without a listener, so that the target answers too."""


def large(lab: RunningLab) -> Trial:
    """Verify that packets of the MTU's size arrive unfragmented, on the rail and over a relay.

    Every GPU sends to two of the next HB domain.
    """
    mtu, gpus = lab.machines.layout.plan.spec.addressing.mtu, lab.tables.gpus
    asked = probes(lab, _next_domain(lab), FLOWS)
    sockets = lab.sockets(FLOWS)
    for each in sockets.by_end.values():
        if lab.family is IPV4:
            each.setsockopt(lab.family.level, IP_OPTIONS, b"")
        each.setsockopt(lab.family.level, lab.family.discovery, UNCUT)
    found = send_all(sockets, asked, asked, size=mtu - lab.family.header_bytes)
    sockets.close()
    lost = [probe for probe in asked if probe not in found]
    findings = [
        *(_narrow(lab, mtu) if lost else ()),
        *(f"{asked[probe][0]} to {asked[probe][1]}: {mtu:,} bytes do not arrive" for probe in lost),
    ]
    across = sum(gpus[one]["rail"] != gpus[other]["rail"] for one, other, _ in asked.values())
    return Trial(
        "mtu",
        f"packets of {mtu:,} bytes",
        f"{len(found):,} of {len(asked):,} arrive uncut, {across:,} go to another rail",
        findings,
    )


def _next_domain(lab: RunningLab) -> Iterator[tuple[str, str]]:
    """Yield each GPU with two of the next domain: at its position, and after that."""
    by_domain: dict[int, list[str]] = defaultdict(list)
    for name in lab.addresses:
        by_domain[lab.tables.gpus[name]["domain"]].append(name)
    domains = list(by_domain.values())
    for domain, following in zip(domains, domains[1:] + domains[:1], strict=True):
        for place, source in enumerate(domain if len(domains) > 1 else ()):
            yield source, following[place]
            if len(following) > 1:
                yield source, following[(place + 1) % len(following)]


def _narrow(lab: RunningLab, mtu: int) -> Iterator[str]:
    """Yield the interfaces whose MTU is not the planned one."""
    for node, ends in lab.machines.ends.items():
        shown = lab.machines.networks.inside(node, _interfaces)
        yield from (
            f"{node}: {name} takes {shown[name]:,} bytes, and must take {mtu:,}"
            for name in ends
            if shown.get(name, mtu) != mtu
        )


def _interfaces() -> dict[str, int]:
    """Return the MTU of each interface of this thread's namespace."""
    listed = json.loads(
        subprocess.run(["ip", "-j", "link"], capture_output=True, text=True, check=True).stdout  # noqa: S607 - found as the user's shell finds it
    )
    return {link["ifname"]: link["mtu"] for link in listed}


def hidden(lab: RunningLab) -> Trial:
    """Verify that traceroute shows every hop of a rail, and no switch of another rail.

    The switches of another rail have no route back to the sender.
    """
    gpus, addresses, spans = (
        lab.tables.gpus,
        lab.addresses,
        lab.machines.layout.plan.mapping.spans_rails,
    )
    source = next(iter(addresses))
    figures, findings = [], list[str]()
    for what, same in (("on its rail", True), ("to another rail", False)):
        far = (
            name for name in reversed(addresses) if gpus[name]["domain"] != gpus[source]["domain"]
        )
        target = next(
            (name for name in far if (gpus[name]["rail"] == gpus[source]["rail"]) == same), None
        )
        if target:
            names = _hops(lab, source, target)
            figures.append(f"{what} {sum(map(bool, names))} of {len(names)}")
            findings += (
                f"{source} to {target}: {fault}"
                for fault in _faults(lab, names, target, open_all=spans or same)
            )
    return Trial(
        "traceroute",
        "hops that answer",
        ", ".join(figures) or "one HB domain has no other to reach",
        findings,
    )


def _hops(lab: RunningLab, source: str, target: str) -> list[str]:
    """Return the node that answers at each hop to a GPU; empty where none does."""
    start, end = (lab.addresses[name]["nic0"] for name in (source, target))
    answers = lab.machines.networks.inside(source, lambda: trace(start, end))
    last = min((hop for hop, address in answers.items() if address == end), default=LONGEST)
    return [lab.owner.get(answers.get(hop, ""), answers.get(hop, "")) for hop in range(1, last + 1)]


def _faults(lab: RunningLab, names: list[str], target: str, *, open_all: bool) -> Iterator[str]:
    """Yield what is wrong with the hops that answered."""
    if names[-1] != target:
        yield "the target does not answer"
    elif open_all:
        yield from (
            f"hop {hop} does not answer" for hop, name in enumerate(names, start=1) if not name
        )
    else:
        yield from (
            f"{name} answers, and must have no route back to another rail"
            for name in names
            if name in lab.tiers
        )


def trace(source: str, target: str) -> dict[int, str]:
    """Return the address that answers at each hop; the thread is in the sender's namespace.

    All packets are of one flow.
    """
    found, family = dict[int, str](), family_of(target)
    with socket.socket(family.number, socket.SOCK_DGRAM) as line:
        line.bind((source, 0))
        line.settimeout(0)
        line.setsockopt(family.level, family.errors, 1)
        poll = select.poll()
        poll.register(line, 0)  # an error is reported unasked
        # one hop after the other, because a target limits how many packets it answers at once
        for hop in range(1, LONGEST + 1):
            line.setsockopt(family.level, family.hops, hop)
            # an answer that has already come is reported here, instead of sending
            for _ in range(TRIES):
                with contextlib.suppress(OSError):
                    line.sendto(bytes(hop), (target, CLOSED))
                    break
            poll.poll(STEP_S * 1000)
            found |= _answers(line, family)
            if target in found.values():
                break
        while (
            not _whole(found, target)
            and poll.poll(WAIT_S * 1000)
            and (more := _answers(line, family))
        ):
            found |= more
    return found


def _whole(found: dict[int, str], target: str) -> bool:
    """Return whether every hop up to the target has answered."""
    last = min((hop for hop, address in found.items() if address == target), default=0)
    return last > 0 and all(hop in found for hop in range(1, last))


def _answers(line: socket.socket, family: SocketFamily) -> dict[int, str]:
    """Return the addresses of the received errors, by the hop that their packet was sent for."""
    found: dict[int, str] = {}
    with contextlib.suppress(BlockingIOError):
        while True:
            sent, ancillary, _, _ = line.recvmsg(LONGEST, 512, MSG_ERRQUEUE)
            error = next(
                value
                for level, kind, value in ancillary
                if (level, kind) == (family.level, family.errors)
            )
            found[len(sent)] = socket.inet_ntop(family.number, error[family.offender])
    return found
