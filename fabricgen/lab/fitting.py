"""Whether this machine can boot a lab: what is installed, what the kernel allows, and how much fits.

Owns the doctor and the sum of memory. The figures per process were measured with FRR 8.4.4 and are rounded up.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.diagnostics import refuse
from fabricgen.lab import kernel
from fabricgen.lab.daemons import FIRST, PROGRAMS
from fabricgen.lab.layout import lay_out

if TYPE_CHECKING:
    from fabricgen.lab.layout import Layout

SWITCH_MB, PORT_MB, NODE_MB, BASE_MB = 30, 0.25, 1, 200
"""Megabytes of a switch's daemons, of each of its ports in them and in the kernel, of a namespace, and of the program itself."""

PROCESSES = 3
"""Daemons of a switch."""


class Need(NamedTuple):
    """One thing that a lab needs: whether it is there, what was found, and the command that brings it."""

    what: str
    found: str
    ok: bool
    install: str = ""


def doctor() -> list[Need]:
    """Return everything that a lab needs on this machine."""
    users = kernel.can_map_users()
    root = os.geteuid() == 0
    allowed = "user namespaces" if users else "root" if root else "neither user namespaces nor root"
    sysctl = "sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0   (as root), or run as root"
    return [
        Need("namespaces without root, or root", allowed, users or root, sysctl),
        _program("ip", "iproute2", ["-V"]),
        _program("nsenter", "util-linux", ["--version"]),
        _program("vtysh", "frr", ["--version"]),
        *(_daemon(name) for name in (FIRST, "bgpd", "bfdd")),
        _program("lldpd", "lldpd", ["-v"])._replace(what="lldpd, for --lldp only"),
    ]


def _program(name: str, package: str, version: list[str]) -> Need:
    """Look for a program, and what it says of itself."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path is None:
        return Need(name, "not installed", ok=False, install=f"apt-get install {package}")
    said = subprocess.run([path, *version], capture_output=True, text=True, check=False)  # noqa: S603 - a program that was found, asked for its version
    return Need(name, ((said.stdout or said.stderr).strip().splitlines() or [path])[0], ok=True)


def _daemon(name: str) -> Need:
    """Look for a daemon of FRR's, which stands in no PATH."""
    there = (PROGRAMS / name).is_file()
    return Need(name, str(PROGRAMS / name) if there else "not installed", ok=there, install="apt-get install frr")


def check_machine() -> None:
    """Refuse to start where something is missing. Raises Refusal `lab-needs`."""
    missing = [need for need in doctor() if not need.ok and not need.what.startswith("lldpd")]
    if missing:
        because = tuple(f"{need.what}: {need.found}" for need in missing)
        raise refuse("lab-needs", "this machine cannot boot a lab", because=because, hint="; ".join(dict.fromkeys(need.install for need in missing)))


def memory_mb(layout: Layout) -> int:
    """Estimate what a lab takes, in megabytes."""
    ends = 2 * sum(bool(wire.label) for wire in layout.wires)
    return round(BASE_MB + SWITCH_MB * len(layout.switches) + PORT_MB * ends + NODE_MB * len(layout.nodes))


def available_mb() -> int:
    """Return the memory that is free to use, in megabytes."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:"))


def check_fits(layout: Layout) -> None:
    """Refuse a lab that does not fit the machine, with the sum, and with a slice that does. Raises Refusal `lab-too-large`."""
    needed, free = memory_mb(layout), available_mb()
    if needed <= free:
        return
    because = (
        f"{len(layout.switches):,} switches x {SWITCH_MB} MB for {PROCESSES} daemons each",
        f"{len(layout.nodes):,} namespaces x {NODE_MB} MB, {len(layout.wires):,} wires",
        f"{needed:,} MB in all, and {free:,} MB are free",
    )
    raise refuse("lab-too-large", f"the lab of {len(layout.gpus):,} GPUs does not fit this machine", because=because, hint=_slice(layout, free))


def _slice(layout: Layout, free: int) -> str:
    """Find a slice that fits: two rails, then as many HB domains as there is room for."""
    plan = layout.plan
    for domains in (64, 32, 16, 8, 4, 2):
        if memory_mb(lay_out(plan, 2, domains)) <= free // 2:
            return f"`--rails 2 --hb-domains {domains}` boots a slice with every kind of path"
    return "run it on a larger machine"
