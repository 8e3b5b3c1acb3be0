"""The audit on real LLDP daemons over real links.

A correct cabling has no findings, and swapped cables are found.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.load import read_evidence
from fabricgen.lifecycle.audit.port_index import PortIndex
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import NoReturn

    from fabricgen.lifecycle.audit.audit import Audit

NEEDED = ("lldpd", "lldpctl", "unshare", "ip", "hostname", "mount")
PLAN = plan_of(
    gpus=8,
    hb_domain={"gpus": 4},
    rails={"count": 2, "tiers": 2},
    switches={"leaf": {"generic": {"radix": 4}}, "spine": {"generic": {"radix": 2}}},
)
PATIENCE_S = 30


def script(places: PortIndex, links: list[tuple[int, int]], out: Path) -> str:
    """Write the commands that link namespaces, start lldpd in each, and query them.

    Hosts answer in the other dialect.
    """
    lines = ["set -e", "mount -t tmpfs none /run", "mkdir -p /run/netns /run/lldpd"]
    lines += [f"ip netns add {device}" for device in places.of_device]
    for one, other in links:
        near, far = places.places[one], places.places[other]
        lines.append(
            f"ip link add {near.interface} netns {near.device} type veth peer name "
            f"{far.interface} netns {far.device}"
        )
        lines += [f"ip -n {end.device} link set {end.interface} up" for end in (near, far)]
    for device in places.of_device:
        lines.append(f"mkdir -p /run/l/{device}")
        lines.append(
            f"printf 'configure system hostname {device}\\nconfigure lldp portidsubtype "
            f"ifname\\nconfigure lldp tx-interval 1\\n' > /run/l/{device}/conf"
        )
        lines.append(
            f"ip netns exec {device} unshare -u sh -c 'hostname {device}; exec lldpd -u "
            f"/run/l/{device}/s -O /run/l/{device}/conf' >/dev/null 2>&1"
        )
    asked = [
        (
            f"ip netns exec {device} lldpctl -u /run/l/{device}/s -f "
            f"{'json' if device in PLAN.hosts else 'json0'} > {out}/{device}.json"
        )
        for device in places.of_device
    ]
    every = f'test "$(cat {out}/*.json | grep -c ttl)" -ge {2 * len(links)}'
    lines += [
        f"for _ in $(seq {PATIENCE_S}); do sleep 1",
        *asked,
        f"if {every}; then break; fi",
        "done",
    ]
    return "\n".join(lines)


def neighbors(links: list[tuple[int, int]], out: Path) -> Audit:
    """Link the namespaces, and audit the daemons' neighbours."""
    out.mkdir()
    command = [
        "unshare",
        "-nmpf",
        "--mount-proc",
        "--kill-child",
        "--propagation",
        "private",
        "sh",
        "-c",
        script(PortIndex(PLAN), links, out),
    ]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    return audit(PLAN, read_evidence([out]))


@pytest.fixture
def _can_wire(out_of_reach: Callable[[str], NoReturn]) -> None:
    """Continue only where namespaces and lldpd exist."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        out_of_reach(f"not installed: {', '.join(missing)}")
    if os.geteuid():
        out_of_reach("only root starts lldpd, which changes its user")


@pytest.mark.slow
@pytest.mark.usefixtures("_can_wire")
def test_daemons_on_real_links(tmp_path: Path) -> None:
    """Correct links have no findings; then two cables of a leaf are swapped, and one is missing."""
    links = list(PortIndex(PLAN).links())
    clean = neighbors(links, tmp_path / "clean")
    assert (clean.ok, len(clean.matched), clean.built.foreign) == (True, len(links), [])
    (one, far), (two, away) = links[0], links[1]
    broken = neighbors([(one, away), (two, far), *links[2:-1]], tmp_path / "broken")
    found = [(finding.code, finding.cables) for finding in broken.findings]
    assert found == [
        ("swapped", ["r0-h00001", "r0-h00002"]),
        ("missing", [broken.places.labels[links[-1][0]]]),
    ]
    assert (broken.moves, len(broken.matched)) == (3, len(links) - 3)
