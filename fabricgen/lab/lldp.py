"""What the lab's own LLDP daemons see: a witness of the cabling that knows nothing of the plan.

Owns lldpd in every switch and GPU. The comparison is plain: each neighbour against the cable that
should be there.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import refuse
from fabricgen.lab import namespaces
from fabricgen.lab.frr import run_daemon
from fabricgen.lab.measure import Trial

if TYPE_CHECKING:
    from fabricgen.lab.measure import Bench

PLACE = Path("/run/lldp")
PATIENCE_S, POLL_S = 30.0, 0.3


def start(bench: Bench) -> None:
    """Start lldpd at every end of a cable. Raises Refusal `lab-needs` where it may not run."""
    if not namespaces.may_choose_groups():
        because = ("lldpd gives up its groups when it starts, which only root's labs allow",)
        raise refuse(
            "lab-needs",
            "lldpd cannot run in this lab",
            because=because,
            hint="boot the lab as root",
        )
    bench.machines.networks.each(_speakers(bench), _start)


def _speakers(bench: Bench) -> list[str]:
    """List the switches and GPUs."""
    return [*bench.switches, *bench.addresses]


def _start(name: str) -> None:
    """Start lldpd at a node; the thread is in its namespace."""
    place = PLACE / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "conf").write_text(
        f"configure system hostname {name}\nconfigure lldp portidsubtype ifname\nconfigure lldp tx-interval 1\n",
        encoding="utf-8",
    )
    namespaces.unshare(namespaces.NEWUTS)
    namespaces.set_host_name(name)
    run_daemon(["lldpd", "-u", place / "socket", "-O", place / "conf"], name)


def neighbours(bench: Bench) -> dict[str, Any]:
    """Return what `lldpctl -f json0` says at every switch and GPU, by name, once every cable is heard of or patience ends."""
    if not PLACE.exists():
        start(bench)
    wanted = _wanted(bench)
    deadline = time.monotonic() + PATIENCE_S
    while True:
        names = _speakers(bench)
        found = dict(zip(names, bench.machines.networks.each(names, _ask), strict=True))
        if heard(found).keys() >= wanted.keys() or time.monotonic() > deadline:
            return found
        time.sleep(POLL_S)


def _ask(name: str) -> dict[str, Any]:
    """Ask the daemon of a node."""
    done = subprocess.run(  # noqa: S603 - our own words
        ["lldpctl", "-u", PLACE / name / "socket", "-f", "json0"],  # noqa: S607 - as above
        capture_output=True,
        text=True,
        check=False,
    )
    answer: dict[str, Any] = json.loads(done.stdout or "{}")
    return answer


def heard(found: dict[str, Any]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Read who is heard at each interface: the node and the interface at the far end."""
    ends: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for name, answer in found.items():
        for group in answer.get("lldp", []):
            for port in group.get("interface", []):
                for chassis in port.get("chassis", []):
                    peer, interface = chassis["name"][0]["value"], port["port"][0]["id"][0]["value"]
                    ends.setdefault((name, port["name"]), set()).add((peer, interface))
    return ends


def _wanted(bench: Bench) -> dict[tuple[str, str], tuple[str, str]]:
    """Return who should be heard at each interface of a cable."""
    cables = [wire for wire in bench.machines.layout.wires if wire.label]
    ends = {(wire.a, wire.a_interface): (wire.b, wire.b_interface) for wire in cables}
    return ends | {far: near for near, far in ends.items()}


def compare(bench: Bench, found: dict[str, Any]) -> Trial:
    """Compare what is heard with the plan, end by end."""
    ends, wanted = heard(found), _wanted(bench)
    findings = [
        f"{name} {interface} hears {', '.join(sorted(' '.join(end) for end in ends.get((name, interface), ()))) or 'nobody'}, and should {' '.join(far)}"
        for (name, interface), far in wanted.items()
        if ends.get((name, interface)) != {far}
    ]
    return Trial(
        "lldp",
        "neighbours as cabled",
        f"{len(wanted) - len(findings):,} of {len(wanted):,} ends",
        findings,
    )
