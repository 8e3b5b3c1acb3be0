"""Labs with injected faults: the trial that fails for each, and what it names.

Run as a program with an inventory: it boots the fabric as planned, then a rail of it with cables
swapped, and prints the findings as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import cached_property
from ipaddress import ip_address, ip_interface
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from fabricgen.api import plan_file
from fabricgen.lab import lldp, session, verify, verify_mtu
from fabricgen.lab.boot import set_kernel
from fabricgen.lab.frr import PLACE
from fabricgen.lab.measure import RunningLab, Trial
from fabricgen.lab.process_tree import run_isolated
from fabricgen.lab.slice import lay_out, one_rail
from fabricgen.lab.socket_family import IPV6
from fabricgen.lab.topology import LabLayout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from fabricgen.lab.topology import Wire

PATIENCE_S, SWAPPED_S, SILENT_S = 30.0, 5.0, 0.5
"""Time limits for a repaired lab to recover, and for what never does: swapped cables, silent BFD.
"""

FABRIC = {"gpus": 32, "hb_domain.gpus": 4}
"""Half of the inventory's lab: four rails, of which each has all that a fault needs."""

LEAF, SPINE, NEAR, FAR = "r0-leaf-1", "r0-spine-1", "d0-g0", "d7-g0"


def ip(bench: RunningLab, node: str, *words: str) -> str:
    """Run `ip` in a node, for the family of the lab."""
    command = ["ip", "-6" if bench.family is IPV6 else "-4", *words]
    return bench.machines.networks.inside(
        node,
        lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout,
    )


def wait(come: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    until = time.monotonic() + PATIENCE_S
    while not come() and time.monotonic() < until:
        time.sleep(0.05)


def settle(bench: RunningLab) -> None:
    """Wait until every session of a leaf and a spine is up, and every kernel has every route."""
    wait(lambda: not bench.daemons.down(LEAF) and not bench.daemons.down(SPINE))
    bench.converge()


@contextmanager
def without_zebra(switch: str) -> Iterator[None]:
    """Stop zebra, which would repair its kernel's routes at once."""
    number = int((PLACE / switch / "zebra.pid").read_text(encoding="ascii"))
    os.kill(number, signal.SIGSTOP)
    yield
    os.kill(number, signal.SIGCONT)


def route_to(bench: RunningLab, switch: str, gpu: str) -> tuple[str, list[list[str]]]:
    """Return the prefix of a GPU's NIC in a switch's kernel, and the words of each next hop."""
    prefix = prefix_of(bench.addresses[gpu]["nic0"])
    (route,) = json.loads(ip(bench, switch, "-j", "route", "show", prefix))
    return prefix, [
        ["nexthop", "via", hop["gateway"], "dev", hop["dev"], "onlink"] for hop in route["nexthops"]
    ]


def prefix_of(address: str) -> str:
    """Return the /31 or /127 of a GPU's address."""
    parsed = ip_address(address)
    return str(ip_interface(f"{address}/{parsed.max_prefixlen - 1}").network)


@contextmanager
def changed_route(
    bench: RunningLab, words: Callable[[list[list[str]]], list[list[str]]]
) -> Iterator[None]:
    """Change the next hops of a route in a leaf's kernel, and restore them."""
    with without_zebra(LEAF):
        prefix, hops = route_to(bench, LEAF, FAR)
        given = ["route", "replace", prefix, "proto", "bgp", "metric", "20"]
        ip(bench, LEAF, *given, *chain.from_iterable(words(hops)))
        yield
        ip(bench, LEAF, *given, *chain.from_iterable(hops))


@contextmanager
def removed_route(bench: RunningLab) -> Iterator[None]:
    """Remove a route from a leaf's kernel."""
    with without_zebra(LEAF):
        prefix, hops = route_to(bench, LEAF, FAR)
        ip(bench, LEAF, "route", "del", prefix, "proto", "bgp")
        yield
        ip(
            bench,
            LEAF,
            "route",
            "add",
            prefix,
            "proto",
            "bgp",
            "metric",
            "20",
            *chain.from_iterable(hops),
        )


def narrowed_route(bench: RunningLab) -> AbstractContextManager[None]:
    """Leave one next hop of four in a leaf's kernel, while FRR still has four."""
    return changed_route(bench, lambda hops: hops[:1])


@contextmanager
def leaked_prefix(bench: RunningLab) -> Iterator[None]:
    """Announce a prefix of another rail to a leaf."""
    prefix, port = (
        prefix_of(bench.addresses["d7-g1"]["nic0"]),
        next(iter(bench.machines.ends[LEAF])),
    )
    ip(bench, LEAF, "route", "add", prefix, "proto", "bgp", "dev", port)
    yield
    ip(bench, LEAF, "route", "del", prefix, "proto", "bgp")


@contextmanager
def closed_port(bench: RunningLab) -> Iterator[None]:
    """Take down an uplink of a leaf."""
    uplink = next(wire for wire in bench.machines.layout.wires if (wire.a, wire.b) == (LEAF, SPINE))
    ip(bench, LEAF, "link", "set", uplink.a_interface, "down")
    wait(lambda: bool(bench.daemons.down(SPINE)))
    yield
    ip(bench, LEAF, "link", "set", uplink.a_interface, "up")
    settle(bench)


@contextmanager
def silent_bfd(bench: RunningLab) -> Iterator[None]:
    """Stop the BFD daemon of a switch permanently; BGP continues once it has recovered."""
    bench.daemons.configure(SPINE, ["bfd", "profile FABRIC", "shutdown"])
    with patch.object(verify, "BFD_S", SILENT_S):
        yield
    bench.daemons.configure(SPINE, ["bfd", "profile FABRIC", "no shutdown"])
    settle(bench)


@contextmanager
def wrong_relay(bench: RunningLab) -> Iterator[None]:
    """Send a GPU's packets for another rail over the wrong GPU of its domain."""
    routes = json.loads(ip(bench, NEAR, "-j", "route", "show"))
    route = min(
        (route for route in routes if route.get("dev") == "hb0" and "gateway" in route),
        key=lambda route: int(route["metric"]),
    )
    own = [
        "via",
        route["gateway"],
        "dev",
        "hb0",
        "src",
        route["prefsrc"],
        "metric",
        str(route["metric"]),
    ]
    other = next(
        end.wire.a_address
        for end in bench.machines.ends["hb:0"].values()
        if end.wire.a_address != route["gateway"] and end.wire.a == "d0-g2"
    )
    ip(bench, NEAR, "route", "replace", route["dst"], "via", other, *own[2:])
    yield
    ip(bench, NEAR, "route", "replace", route["dst"], *own)


@contextmanager
def deaf_relay(bench: RunningLab) -> Iterator[None]:
    """Disable forwarding on a GPU."""
    bench.machines.networks.inside("d0-g1", lambda: set_kernel(bench.family.forwarding, "0"))
    yield
    bench.machines.networks.inside("d0-g1", lambda: set_kernel(bench.family.forwarding, "1"))


@contextmanager
def forwarding_left_on(_bench: RunningLab) -> Iterator[None]:
    """Enable forwarding on a GPU that must not forward."""
    switched = RunningLab.forwarding

    def all_but_one(self: RunningLab, *, on: bool) -> None:
        switched(self, on=on)
        self.machines.networks.inside("d0-g1", lambda: set_kernel(self.family.forwarding, "1"))

    with patch.object(RunningLab, "forwarding", all_but_one):
        yield


@contextmanager
def narrow_link(bench: RunningLab) -> Iterator[None]:
    """Let a spine's ports carry packets of the usual size only."""
    for port in bench.machines.ends[SPINE]:
        ip(bench, SPINE, "link", "set", port, "mtu", "1500")
    yield
    for port in bench.machines.ends[SPINE]:
        ip(bench, SPINE, "link", "set", port, "mtu", "9216")


@contextmanager
def way_back(bench: RunningLab) -> Iterator[None]:
    """Give the leaf of another rail a route back to a GPU.

    It is over the host that the packet comes from.
    """
    wire = next(wire for wire in bench.machines.layout.wires if wire.a == "d0-g3" and wire.label)
    ip(
        bench,
        wire.b,
        "route",
        "add",
        bench.addresses[NEAR]["nic0"],
        "via",
        bench.addresses["d0-g3"]["nic0"],
    )
    yield
    ip(bench, wire.b, "route", "del", bench.addresses[NEAR]["nic0"])


def _replace_route(bench: RunningLab, prefix: str, hops: Iterable[Sequence[str]]) -> None:
    """Give a leaf other next hops for a prefix, in the place of BGP."""
    asked = ("route", "replace", prefix, "proto", "bgp", "metric", "20")
    ip(bench, LEAF, *asked, *chain.from_iterable(hops))


@contextmanager
def leaning(bench: RunningLab) -> Iterator[None]:
    """Make a leaf prefer one spine for every prefix behind the other leaf.

    All next hops exist, and their weights differ.
    """
    with without_zebra(LEAF):
        before = {}
        for gpu in (f"d{domain}-g0" for domain in range(4, 8)):
            prefix, hops = route_to(bench, LEAF, gpu)
            before[prefix] = hops
            heavy = [
                [*hop[:-1], "onlink", "weight", "20" if number < len(hops) // 2 else "1"]
                for number, hop in enumerate(hops)
            ]
            _replace_route(bench, prefix, heavy)
        yield
        for prefix, hops in before.items():
            _replace_route(bench, prefix, hops)


FAULTS: dict[
    str, tuple[Callable[[RunningLab], AbstractContextManager[None]], Callable[[RunningLab], Trial]]
] = {
    "a route is removed": (removed_route, verify.routes),
    "a route is narrowed": (narrowed_route, verify.routes),
    "a prefix leaks": (leaked_prefix, verify.routes),
    "a port is down": (closed_port, verify.sessions),
    "BFD is off": (silent_bfd, verify.bfd),
    "a relay is wrong": (wrong_relay, verify.paths),
    "a relay is deaf": (deaf_relay, verify.paths),
    "forwarding is on": (forwarding_left_on, verify.isolation),
    "flows lean": (leaning, verify.spread),
    "a link is narrow": (narrow_link, verify_mtu.large),
    "a way back": (way_back, verify_mtu.hidden),
}
"""Each fault, and the trial that must fail."""


class Swapped(LabLayout):
    """A lab in which two cables are swapped at a leaf's hosts, and two more at its uplinks."""

    @cached_property
    def wires(self) -> list[Wire]:
        """The links with the far ends of two pairs swapped."""
        wires = list(super().wires)
        hosts = [
            next(at for at, wire in enumerate(wires) if wire.label and wire.a == gpu)
            for gpu in (NEAR, FAR)
        ]
        uplinks = [
            next(at for at, wire in enumerate(wires) if (wire.a, wire.b) == (LEAF, spine))
            for spine in (SPINE, "r0-spine-2")
        ]
        for one, other in (hosts, uplinks):
            first, second = wires[one], wires[other]
            wires[one] = first._replace(b=second.b, b_interface=second.b_interface)
            wires[other] = second._replace(b=first.b, b_interface=first.b_interface)
        return wires


def found(outcome: Trial) -> dict[str, Any]:
    """Describe an outcome in words."""
    return {"trial": outcome.code, "findings": outcome.findings}


def print_findings(name: str, outcomes: list[Trial]) -> None:
    """Print the findings."""
    sys.stdout.write(json.dumps([name, [found(outcome) for outcome in outcomes]]) + "\n")
    sys.stdout.flush()


def shared_indices(bench: RunningLab) -> Trial:
    """Find the wires whose two ends have one interface index, so that carriers change late."""
    nodes = bench.machines.layout.nodes
    listed = bench.machines.networks.each(nodes, lambda _: socket.if_nameindex())
    index = {
        (node, name): number
        for node, every in zip(nodes, listed, strict=True)
        for number, name in every
    }
    findings = [
        f"{wire.a} {wire.a_interface}: index of {wire.b} {wire.b_interface}"
        for wire in bench.machines.layout.wires
        if index[wire.a, wire.a_interface] == index[wire.b, wire.b_interface]
    ]
    return Trial("indices", "interface indices", "", findings)


def main(inventory: Path) -> int:
    """Inject every fault into a lab, then boot its first rail with cables swapped."""
    plan = plan_file(inventory, FABRIC)
    whole = lay_out(plan)

    def break_it() -> int:
        bench = session.boot(whole, None, lambda _: None)
        print_findings(
            "whole",
            [trial(bench) for trial in verify.TRIALS]
            + [lldp.compare(bench, lldp.neighbours(bench)), shared_indices(bench)],
        )
        for name, (fault, trial) in FAULTS.items():
            with fault(bench):
                print_findings(name, [trial(bench)])
            print_findings(f"{name}: repaired", [trial(bench)])
        return 0

    def swap() -> int:
        session.PATIENCE_S = SWAPPED_S
        rail = one_rail(whole, 0)
        planned = session.boot(Swapped(plan, rail.rails, rail.domains), None, lambda _: None)
        mixed = RunningLab(planned.machines, planned.daemons)
        object.__setattr__(mixed.machines, "layout", rail)
        print_findings(
            "cables are swapped",
            [
                *(trial(mixed) for trial in (verify.routes, verify.paths)),
                lldp.compare(mixed, lldp.neighbours(mixed)),
            ],
        )
        return 0

    return max(
        run_isolated(work, as_root=session.as_root(), meanwhile=lambda: None)
        for work in (break_it, swap)
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
