"""How large packets may be on the way to another rail, and what such a way hides from traceroute.

Owns both trials. A switch of another rail knows no way back to the sender, so whatever it says by
ICMP is lost: that a packet is too large, too. That is why MTUs must be equal everywhere.
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lab.measure import Bench

IP_MTU_DISCOVER, IP_PMTUDISC_DO, IP_RECVERR, MSG_ERRQUEUE = 10, 2, 11, 0x2000
"""Numbers of Linux's socket options, which Python does not name on every platform."""

HEADERS = 28
"""Bytes of IPv4's header and of UDP's."""

OFFENDER = slice(20, 24)
"""Where in an error of the kernel (struct sock_extended_err, then sockaddr_in) the address stands of whoever sent it."""

LONGEST, TRIES, STEP_S, WAIT_S = 9, 3, 0.03, 0.1
"""Hops that are looked at, how often a packet to one is tried, how long its answer is waited for before the next hop is looked at, and how long
silence must last in the end to mean that nobody else answers."""

FLOWS = 4
"""Large packets from one GPU to another."""

CLOSED = PORT - 1
"""A port that nobody listens at, so that the target answers too."""


def large(bench: Bench) -> Trial:
    """Packets as large as the MTU, which nobody may cut, arrive from every GPU at two of the next HB domain: on its rail, and over a relay."""
    mtu, gpus = bench.machines.layout.plan.spec.addressing.mtu, bench.tables.gpus
    asked = probes(bench, _next_domain(bench), FLOWS)
    sockets = bench.sockets(FLOWS)
    for each in sockets.by_end.values():
        each.setsockopt(socket.IPPROTO_IP, IP_OPTIONS, b"")
        each.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
    found = send_all(sockets, asked, asked, size=mtu - HEADERS)
    sockets.close()
    lost = [probe for probe in asked if probe not in found]
    findings = [
        *(_narrow(bench, mtu) if lost else ()),
        *(f"{asked[probe][0]} to {asked[probe][1]}: {mtu:,} bytes do not arrive" for probe in lost),
    ]
    across = sum(gpus[one]["rail"] != gpus[other]["rail"] for one, other, _ in asked.values())
    return Trial(
        "mtu",
        f"packets of {mtu:,} bytes",
        f"{len(found):,} of {len(asked):,} arrive uncut, {across:,} go to another rail",
        findings,
    )


def _next_domain(bench: Bench) -> Iterator[tuple[str, str]]:
    """Yield each GPU with two of the domain after its own: the one in its place, and the one beside it."""
    by_domain: dict[int, list[str]] = defaultdict(list)
    for name in bench.addresses:
        by_domain[bench.tables.gpus[name]["domain"]].append(name)
    domains = list(by_domain.values())
    for domain, following in zip(domains, domains[1:] + domains[:1], strict=True):
        for place, source in enumerate(domain if len(domains) > 1 else ()):
            yield source, following[place]
            if len(following) > 1:
                yield source, following[(place + 1) % len(following)]


def _narrow(bench: Bench, mtu: int) -> Iterator[str]:
    """Name the interfaces whose MTU is not the planned one."""
    for node, ends in bench.machines.ends.items():
        shown = bench.machines.networks.inside(node, _interfaces)
        yield from (
            f"{node}: {name} takes {shown[name]:,} bytes, and must take {mtu:,}"
            for name in ends
            if shown.get(name, mtu) != mtu
        )


def _interfaces() -> dict[str, int]:
    """Return the MTU of each interface of the namespace that the thread is in."""
    listed = json.loads(
        subprocess.run(["ip", "-j", "link"], capture_output=True, text=True, check=True).stdout  # noqa: S607 - found as the user's shell finds it
    )
    return {link["ifname"]: link["mtu"] for link in listed}


def hidden(bench: Bench) -> Trial:
    """Traceroute shows every hop of a rail, and on the way to another rail none of that rail's switches: they know no way back to the sender."""
    gpus, addresses, spans = (
        bench.tables.gpus,
        bench.addresses,
        bench.machines.layout.plan.mapping.spans_rails,
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
            names = _hops(bench, source, target)
            figures.append(f"{what} {sum(map(bool, names))} of {len(names)}")
            findings += (
                f"{source} to {target}: {fault}"
                for fault in _faults(bench, names, target, open_all=spans or same)
            )
    return Trial(
        "traceroute",
        "hops that answer",
        ", ".join(figures) or "one HB domain has no way out",
        findings,
    )


def _hops(bench: Bench, source: str, target: str) -> list[str]:
    """Name who answers at each hop to a GPU; empty where nobody does."""
    start, end = (bench.addresses[name]["nic0"] for name in (source, target))
    answers = bench.machines.networks.inside(source, lambda: trace(start, end))
    last = min((hop for hop, address in answers.items() if address == end), default=LONGEST)
    return [
        bench.owner.get(answers.get(hop, ""), answers.get(hop, "")) for hop in range(1, last + 1)
    ]


def _faults(bench: Bench, names: list[str], target: str, *, open_all: bool) -> Iterator[str]:
    """Say what is wrong with the hops that answered."""
    if names[-1] != target:
        yield "the target does not answer"
    elif open_all:
        yield from (
            f"hop {hop} does not answer" for hop, name in enumerate(names, start=1) if not name
        )
    else:
        yield from (
            f"{name} answers, and is to have no way back to another rail"
            for name in names
            if name in bench.tiers
        )


def trace(source: str, target: str) -> dict[int, str]:
    """Return the address that answers at each hop to another; the thread is in the sender's namespace. All packets are of one flow."""
    found: dict[int, str] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.bind((source, 0))
        line.settimeout(0)
        line.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        poll = select.poll()
        poll.register(line, 0)  # an error is reported unasked
        for hop in range(
            1, LONGEST + 1
        ):  # one after the other, for a target answers so many packets at once and no more
            line.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, hop)
            for _ in range(
                TRIES
            ):  # an answer that has come already is reported here, in place of sending
                with contextlib.suppress(OSError):
                    line.sendto(bytes(hop), (target, CLOSED))
                    break
            poll.poll(STEP_S * 1000)
            found |= _answers(line)
            if target in found.values():
                break
        while not _whole(found, target) and poll.poll(WAIT_S * 1000) and (more := _answers(line)):
            found |= more
    return found


def _whole(found: dict[int, str], target: str) -> bool:
    """Say whether every hop up to the target has answered."""
    last = min((hop for hop, address in found.items() if address == target), default=0)
    return last > 0 and all(hop in found for hop in range(1, last))


def _answers(line: socket.socket) -> dict[int, str]:
    """Read the errors that have come, each by the hop that its packet was sent for."""
    found: dict[int, str] = {}
    with contextlib.suppress(BlockingIOError):
        while True:
            sent, ancillary, _, _ = line.recvmsg(LONGEST, 512, MSG_ERRQUEUE)
            error = next(
                value
                for level, kind, value in ancillary
                if (level, kind) == (socket.IPPROTO_IP, IP_RECVERR)
            )
            found[len(sent)] = socket.inet_ntoa(error[OFFENDER])
    return found
