"""ibsim with an emitted net file, and OpenSM with the emitted files upon it.

Owns the programs of one subnet: their command lines, environment, logs and ends. OpenSM ends with 0
whatever it was told, so its log is read. Every command finds the simulator by a name of its own,
and sees the fabric from one adapter. It knows no plan and no verdict.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.lab.infiniband.tables import Tables, read_net

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabricgen.lab.infiniband.tables import Net

LIBRARY = "libumad2sim.so"
"""What stands between a program and the kernel's InfiniBand: it brings what is sent to ibsim instead."""

PATIENCE_S, POLL_S = 120.0, 0.01
"""How long OpenSM may take: 4,096 adapters take it ten seconds; and how often its log is looked at."""

TRAP_S = 0.2
"""How long a trap and its sweep are waited for before OpenSM is told to sweep."""

SOON_S = 3.0
"""How long a further sweep is waited for; OpenSM begins one as soon as it is told of a change."""

SIM_SPARE = 64
"""Room that ibsim gets beyond what the net needs."""

ROUTED = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured on all switches")
UP, STRANGE = "SUBNET UP", "Unrecognized token"
_FAULT = re.compile(r"0x0[12] -> (.*(?:ERR|not fat-tree|cannot build|fail).*)", re.IGNORECASE)


def library() -> Path | None:
    """Find the library that leads programs to ibsim; None where it is not installed."""
    return next(
        (
            found
            for pattern in ("lib*/umad2sim", "lib/*/umad2sim")
            for found in sorted(Path("/usr").glob(f"{pattern}/{LIBRARY}"))
        ),
        None,
    )


@dataclass(frozen=True)
class Routed:
    """What OpenSM said of one sweep: the engine whose tables stand now (empty for none), what went wrong before, and seconds until it was up."""

    engine: str
    faults: list[str]
    seconds: float


@dataclass
class Subnet:
    """One subnet: `files` are the emitted ones, `place` an empty directory for logs and dumps."""

    name: str
    files: Path
    place: Path
    _children: list[subprocess.Popen[str]] = field(default_factory=list)

    @cached_property
    def net(self) -> Net:
        """The net as it was emitted. Raises Refusal where it joins what it does not have."""
        try:
            return read_net(self.files / "fabric.net")
        except (KeyError, IndexError, ValueError) as error:
            hint = "build the files again"
            raise refuse(
                "lab-failed",
                f"fabric.net of subnet {self.name} does not hold together",
                because=(str(error),),
                hint=hint,
            ) from error

    @cached_property
    def engine(self) -> str:
        """The routing engine that the emitted opensm.conf names first."""
        words = (
            line.split()
            for line in (self.files / "opensm.conf").read_text(encoding="utf-8").splitlines()
        )
        return next(
            (line[1].partition(",")[0] for line in words if line[:1] == ["routing_engine"]), ""
        )

    @property
    def dumps(self) -> Path:
        """Where OpenSM writes its tables."""
        return self.place / "dumps"

    def tables(self) -> Tables:
        """Read the tables that stand now."""
        return Tables(self.net, self.dumps / "opensm-lfts.dump")

    @cached_property
    def _environment(self) -> dict[str, str]:
        """The environment of programs that see the fabric from its first adapter."""
        net, own = (
            self.net,
            {
                "IBSIM_SOCKNAME": f"fabricgen-{self.name}",
                "OSM_CACHE_DIR": str(self.dumps),
                "OSM_TMP_DIR": str(self.dumps),
            },
        )
        return os.environ | own | {"SIM_HOST": net.ids[net.switches], "LD_PRELOAD": str(library())}

    def simulate(self) -> None:
        """Start ibsim. Raises Refusal where it does not take the net file."""
        self.dumps.mkdir(parents=True)
        net, log = self.net, self.place / "ibsim.log"
        room = {"-N": len(net.ids), "-S": net.switches, "-P": net.ports}
        command = [
            "ibsim",
            "-s",
            *(word for flag, count in room.items() for word in (flag, str(count + SIM_SPARE))),
            str(self.files / "fabric.net"),
        ]
        environment = self._environment | {"LD_PRELOAD": ""}
        with log.open("w", encoding="utf-8") as said:
            child = subprocess.Popen(  # noqa: S603 - a program of the machine, with paths of ours
                command,
                env=environment,
                cwd=self.place,
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._children.append(child)
        self._await(
            child, lambda: "simulator ready" in log.read_text(encoding="utf-8"), "ibsim", log
        )
        self._console = child

    def manage(self) -> Routed:
        """Start OpenSM with the emitted files, to stay, and wait until the subnet is up."""
        self._log = self.place / "opensm.log"
        started = time.monotonic()
        with (self.place / "opensm.out").open("w", encoding="utf-8") as said:
            self._manager = subprocess.Popen(  # noqa: S603 - as above
                self._opensm(self._log),
                env=self._environment,
                cwd=self.place,
                stdout=said,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._children.append(self._manager)
        self._heard = 0
        return self._sweep(started, PATIENCE_S)

    def sweeps(self, command: str, most: int) -> Iterator[Routed]:
        """Type a command at ibsim's console, and yield what comes of each sweep that follows: one at least, and more for as long as they come soon.

        Raises Refusal where none comes.
        """
        started = self._type(command)
        yield self._sweep(started, PATIENCE_S)
        for _ in range(most - 1):
            if not self._swept(time.monotonic() + SOON_S):
                return
            yield self._sweep(started, SOON_S)

    def mend(self, command: str) -> None:
        """Type a command at ibsim's console, and have OpenSM look at everything; a trap of ibsim's may be lost, and it would look by itself in ten seconds.

        Raises Refusal where no sweep comes.
        """
        started = self._type(command)
        if not self._swept(started + TRAP_S):
            self._manager.send_signal(signal.SIGHUP)
        self._sweep(started, PATIENCE_S)

    def _type(self, command: str) -> float:
        """Type a command at ibsim's console, and return when; sweeps are heard from now on."""
        self._heard = len(self._log.read_text(encoding="utf-8"))
        if self._console.stdin is None:
            raise ValueError("ibsim has no console")
        self._console.stdin.write(f"{command}\n")
        self._console.stdin.flush()
        return time.monotonic()

    def _swept(self, until: float) -> bool:
        """Wait a while for the end of a sweep that was not heard of yet, and say whether it came."""
        while UP not in self._log.read_text(encoding="utf-8")[self._heard :]:
            if time.monotonic() > until:
                return False
            time.sleep(POLL_S)
        return True

    def _sweep(self, started: float, patience_s: float) -> Routed:
        """Wait for the next sweep's end. Raises Refusal where none comes."""
        self._await(
            self._manager,
            lambda: UP in self._log.read_text(encoding="utf-8")[self._heard :],
            "opensm",
            self._log,
            patience_s,
        )
        fresh = self._log.read_text(encoding="utf-8")[self._heard :]
        end = fresh.index(UP) + len(UP)
        self._heard += end
        strange = [
            line.strip()
            for line in (self.place / "opensm.out").read_text(encoding="utf-8").splitlines()
            if STRANGE in line
        ]
        return _routed(fresh[:end], time.monotonic() - started, strange)

    def route_once(self, engine: str) -> Routed:
        """Let a new OpenSM route with one engine, once, in the place of the resident one."""
        self._manager.terminate()
        self._manager.wait()
        log, started = self.place / f"opensm-{engine}.log", time.monotonic()
        self.run(*self._opensm(log), "-o", "-R", engine)
        return _routed(log.read_text(encoding="utf-8"), time.monotonic() - started)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, as one that sees the fabric."""
        return subprocess.run(  # noqa: S603 - as above
            command,
            env=self._environment,
            cwd=self.place,
            capture_output=True,
            text=True,
            check=False,
            errors="replace",
        )

    def end(self) -> None:
        """End what was started."""
        for child in reversed(self._children):
            with child:
                child.kill()

    def _opensm(self, log: Path) -> list[str]:
        """Return the command of OpenSM; the lists' places in the emitted file are those on a manager, so they are said again."""
        lists = {
            "-F": "opensm.conf",
            "-a": "root_guids.txt",
            "-u": "cn_guids.txt",
            "-P": "partitions.conf",
        }
        given = [word for flag, name in lists.items() for word in (flag, str(self.files / name))]
        return ["opensm", *given, "-f", str(log), "-D", "0x43", "--dump_files_dir", str(self.dumps)]

    def _await(
        self,
        child: subprocess.Popen[str],
        ready: Callable[[], bool],
        program: str,
        log: Path,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Wait until a program is ready. Raises Refusal where it ends, or is not ready in time."""
        until = time.monotonic() + patience_s
        while not (log.exists() and ready()):
            if child.poll() is not None or time.monotonic() > until:
                said = log.read_text(encoding="utf-8").splitlines()[-4:] if log.exists() else []
                raise refuse(
                    "lab-failed",
                    f"{program} did not take the files of subnet {self.name}",
                    because=tuple(said),
                    hint="build them again",
                )
            time.sleep(POLL_S)


def _routed(log: str, seconds: float, strange: Sequence[str] = ()) -> Routed:
    """Read what OpenSM logged of a sweep, after what it did not know of its options."""
    engines = ROUTED.findall(log)
    faults = [found[1] for line in log.splitlines() if (found := _FAULT.search(line))]
    return Routed(engines[-1] if engines else "", [*dict.fromkeys(strange), *faults], seconds)
