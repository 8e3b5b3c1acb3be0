"""Whether this machine can boot a lab: installed programs, kernel settings, and memory.

Owns the doctor and the sum of memory. The figures were measured with FRR 8.4.4 on two cores and
rounded up, so that a lab that would swap is refused.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import Role
from fabricgen.lab import namespaces
from fabricgen.lab.frr import FIRST, PROGRAMS
from fabricgen.lab.slice import lay_out
from fabricgen.lab.slice import one_rail as only_rail

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.lab.topology import LabLayout

SWITCH_MB, PEER_MB, NODE_MB, SSHD_MB, BASE_MB = 22, 1, 0.5, 2, 500
"""Megabytes of a switch's daemons (zebra 9, bgpd 10, bfdd 3), of each configured BGP neighbour
(0.7, and routes), of a namespace with its wires, of an SSH server, and of the program, with its
results of each pair.
"""

BFD_CORES, SPARE_CORES = 0.0024, 0.25
"""Share of a core per BFD session (512 sessions of 300 ms took 1.2 cores), and share of all cores
to keep free: with less, BFD takes a slow neighbour for a failed one, and the fabric never settles.
"""

FLOWS = 4
"""Sockets of each GPU's NIC port."""


SSH = "sshd, for `management` only"
"""The requirement of a lab whose inventory has `management`; the package brings the client too."""


class Need(NamedTuple):
    """A requirement of a lab: whether it is met, what was found, the command that installs it."""

    what: str
    found: str
    ok: bool
    install: str = ""

    @property
    def optional(self) -> bool:
        """Whether only some labs need it."""
        return self.what.endswith(" only")


def doctor() -> list[Need]:
    """Return the requirements of a lab on this machine."""
    users = namespaces.can_map_users()
    root = os.geteuid() == 0
    allowed = "user namespaces" if users else "root" if root else "neither user namespaces nor root"
    sysctl = (
        "sysctl -w kernel.unprivileged_userns_clone=1 "
        "kernel.apparmor_restrict_unprivileged_userns=0   (as root), or run as root"
    )
    return [
        Need("namespaces without root, or root", allowed, users or root, sysctl),
        _program("ip", "iproute2", ["-V"]),
        _program("nsenter", "util-linux", ["--version"]),
        _program("vtysh", "frr", ["--version"]),
        *(_daemon(name) for name in (FIRST, "bgpd", "bfdd")),
        _program("lldpd", "lldpd", ["-v"])._replace(what="lldpd, for --lldp only"),
        _program("sshd", "openssh-server", ["-V"])._replace(what=SSH),
    ]


def _program(name: str, package: str, version: list[str]) -> Need:
    """Return a program with its version, or with its path if it prints no version."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path is None:
        return Need(name, "not installed", ok=False, install=f"apt-get install {package}")
    shown = subprocess.run([path, *version], capture_output=True, text=True, check=False)  # noqa: S603 - an installed program
    lines = [] if shown.returncode else (shown.stdout or shown.stderr).strip().splitlines()

    return Need(name, lines[0] if lines else path, ok=True)


def _daemon(name: str) -> Need:
    """Return a daemon of FRR, which is not in any PATH."""
    there = (PROGRAMS / name).is_file()
    return Need(
        name,
        str(PROGRAMS / name) if there else "not installed",
        ok=there,
        install="apt-get install frr",
    )


def check_machine(*, managed: bool = False) -> None:
    """Verify that nothing is missing, for a lab with or without `management`.

    Raises Refusal `lab-needs`.
    """
    verify_needs(need for need in doctor() if not need.optional or (managed and need.what == SSH))


def verify_needs(needs: Iterable[Need]) -> None:
    """Verify that no need is missing. Raises Refusal `lab-needs`."""
    missing = [need for need in needs if not need.ok]
    if missing:
        because = tuple(f"{need.what}: {need.found}" for need in missing)
        raise refuse(
            "lab-needs",
            "this machine cannot boot a lab",
            because=because,
            hint="; ".join(dict.fromkeys(need.install for need in missing)),
        )


class Share(NamedTuple):
    """The need of one resource, its amount here, and the sum as text."""

    needed: float
    there: float
    words: tuple[str, ...]


def shares(layout: LabLayout) -> list[Share]:
    """Return the needs of a lab: memory, processes, open files, and cores for BFD."""
    plan, cores = layout.plan, os.cpu_count() or 1
    gpus, switches, nodes, links, servers = layout.size
    bfd = plan.spec.addressing.bfd
    peers = sum(
        len(part.segments) * _peers(part, box) for part in layout.parts for box in part.boxes
    )
    speakers = 0 if layout.numbered else gpus
    daemons = switches * (3 if bfd else 2) + 2 * speakers + servers
    sessions = links if bfd else 0
    frr = switches + speakers
    needed = round(
        BASE_MB + SWITCH_MB * frr + PEER_MB * peers + NODE_MB * nodes + SSHD_MB * servers
    )
    busy, free = sessions * BFD_CORES, cores * (1 - SPARE_CORES)
    bfd_sum = (
        f"{sessions} BFD sessions keep {busy:.1f} cores busy, and {free:.1f} of {cores} may be"
    )
    lines = (
        (
            f"{frr} {'GPUs and ' if speakers else ''}switches x {SWITCH_MB} MB and "
            f"{peers} BGP neighbours x {PEER_MB} MB, as their configurations name them"
        ),
        *((f"{servers} SSH servers x {SSHD_MB} MB",) if servers else ()),
        f"{nodes} namespaces x {NODE_MB} MB, and {BASE_MB} MB for the program",
    )
    each = 2 if plan.addresses.family == "ipv6" else 1  # a namespace, and what arrives in it
    files = each * nodes + FLOWS * gpus * plan.fabric.planes
    return [
        Share(
            needed,
            available_mb(),
            (*lines, f"{needed} MB in all, and {available_mb()} MB are free"),
        ),
        _limited(daemons, resource.RLIMIT_NPROC, f"{daemons} daemons"),
        _limited(
            files,
            resource.RLIMIT_NOFILE,
            f"{files} open files, {each} for each namespace and {FLOWS} for each NIC port",
        ),
        Share(
            busy,
            free,
            (bfd_sum,),
        ),
    ]


def _peers(layout: LabLayout, box: int) -> int:
    """Return the number of BGP neighbours in the configuration of a box, booted or not."""
    plan = layout.plan
    role = plan.naming.boxes[box].role
    down, up = plan.widths[role]
    return up if role is Role.LEAF else down + up


def _limited(needed: int, limit: int, words: str) -> Share:
    """Return a need with a limit of this user."""
    there = resource.getrlimit(limit)[1]
    return Share(
        needed,
        inf if there == resource.RLIM_INFINITY else there,
        (f"{words}, and this user may have {there}",),
    )


def available_mb() -> int:
    """Return the available memory in megabytes."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:"))


def check_fits(layout: LabLayout, *, one_rail: bool = False) -> None:
    """Verify that a lab, or its first rail, fits the machine.

    Raises Refusal `lab-too-large` with the sum and with what would fit.
    """
    booted = only_rail(layout, min(layout.rails)) if one_rail else layout
    short = [share for share in shares(booted) if share.needed > share.there]
    if short:
        because = tuple(words for share in short for words in share.words)
        what = (
            f"a rail of {booted.size.gpus} GPUs"
            if one_rail
            else f"the lab of {booted.size.gpus} GPUs"
        )
        raise refuse(
            "lab-too-large",
            f"{what} does not fit this machine",
            because=because,
            hint=_hint(layout, one_rail=one_rail),
        )


def fits(layout: LabLayout) -> bool:
    """Return whether a lab fits this machine."""
    return all(share.needed <= share.there for share in shares(layout))


def _hint(layout: LabLayout, *, one_rail: bool) -> str:
    """Return a hint with what would fit: without BFD, a slice, or one rail at a time."""
    plan = layout.plan
    found = []
    if plan.spec.addressing.bfd and all(
        share.needed <= share.there
        for share in shares(only_rail(layout, min(layout.rails)) if one_rail else layout)[:-1]
    ):
        found.append("`--set addressing.bfd=false` boots all of it without BFD")
    few = min(2, len(layout.rails))
    domains = next(
        (
            count
            for count in SLICES
            if count < len(layout.domains) and fits(lay_out(plan, few, count))
        ),
        None,
    )
    if domains:
        found.append(
            f"`--rails {few} --hb-domains {domains}` boots a slice with every kind of path"
        )
    if (
        not one_rail
        and not plan.mapping.spans_rails
        and len(layout.rails) > 1
        and fits(only_rail(layout, min(layout.rails)))
    ):
        found.append("`--rail-at-a-time` boots rail after rail")
    return "; ".join(found) or "run it on a larger machine"


SLICES = (64, 32, 16, 8, 4)
"""HB domains of the suggested slices; fewer than four lack a kind of path."""
