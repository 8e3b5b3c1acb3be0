"""The neighbours that the lab's own LLDP daemons report, which know nothing of the plan.

Owns lldpd in every switch and GPU, and compares each neighbour with the planned cable.
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
    from fabricgen.lab.measure import RunningLab

PLACE = Path("/run/lldp")
PATIENCE_S, POLL_S = 30.0, 0.3


def start(lab: RunningLab) -> None:
    """Start lldpd at every end of a cable. Raises Refusal `lab-needs` where it may not run."""
    if not namespaces.may_choose_groups():
        because = ("lldpd gives up its groups when it starts, which only root's labs allow",)
        raise refuse(
            "lab-needs",
            "lldpd cannot run in this lab",
            because=because,
            hint="boot the lab as root",
        )
    lab.machines.networks.each(_speakers(lab), _start)


def _speakers(lab: RunningLab) -> list[str]:
    """Return the nodes at the ends of cables."""
    cables = [wire for wire in lab.machines.layout.wires if wire.label]
    return [*dict.fromkeys(node for wire in cables for node in (wire.a, wire.b))]


def _start(name: str) -> None:
    """Start lldpd at a node, in whose namespace the thread is."""
    place = PLACE / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "conf").write_text(
        f"configure system hostname {name}\n"
        "configure lldp portidsubtype ifname\nconfigure lldp tx-interval 1\n",
        encoding="utf-8",
    )
    namespaces.unshare(namespaces.NEWUTS)
    namespaces.set_host_name(name)
    run_daemon(["lldpd", "-u", place / "socket", "-O", place / "conf"], name)


def neighbours(lab: RunningLab) -> dict[str, Any]:
    """Return the output of `lldpctl -f json0` at both ends of every cable, by node.

    Waits until every cable is reported, or for `PATIENCE_S`.
    """
    if not PLACE.exists():
        start(lab)
    wanted = _wanted(lab)
    deadline = time.monotonic() + PATIENCE_S
    while True:
        names = _speakers(lab)
        found = dict(zip(names, lab.machines.networks.each(names, _ask), strict=True))
        if reported_neighbours(found).keys() >= wanted.keys() or time.monotonic() > deadline:
            return found
        time.sleep(POLL_S)


def _ask(name: str) -> dict[str, Any]:
    """Return the output of the daemon of a node."""
    done = subprocess.run(  # noqa: S603 - our own words
        ["lldpctl", "-u", PLACE / name / "socket", "-f", "json0"],  # noqa: S607 - as above
        capture_output=True,
        text=True,
        check=False,
    )
    answer: dict[str, Any] = json.loads(done.stdout or "{}")
    return answer


def reported_neighbours(found: dict[str, Any]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Return the node and the interface at the far end of each interface."""
    ends: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for name, answer in found.items():
        for group in answer.get("lldp", []):
            for port in group.get("interface", []):
                for chassis in port.get("chassis", []):
                    peer, interface = chassis["name"][0]["value"], port["port"][0]["id"][0]["value"]
                    ends.setdefault((name, port["name"]), set()).add((peer, interface))
    return ends


def _wanted(lab: RunningLab) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the planned far end of each interface of a cable."""
    cables = [wire for wire in lab.machines.layout.wires if wire.label]
    ends = {(wire.a, wire.a_interface): (wire.b, wire.b_interface) for wire in cables}
    return ends | {far: near for near, far in ends.items()}


def compare(lab: RunningLab, found: dict[str, Any]) -> Trial:
    """Compare the reported neighbours with the plan, end by end."""
    ends, wanted = reported_neighbours(found), _wanted(lab)

    def seen(end: tuple[str, str]) -> str:
        return ", ".join(sorted(" ".join(far) for far in ends.get(end, ()))) or "no neighbour"

    findings = [
        f"{' '.join(end)} sees {seen(end)}, expected {' '.join(far)}"
        for end, far in wanted.items()
        if ends.get(end) != {far}
    ]
    return Trial(
        "lldp",
        "neighbours as cabled",
        f"{len(wanted) - len(findings):,} of {len(wanted):,} ends",
        findings,
    )
