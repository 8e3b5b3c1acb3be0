"""ibsim with an emitted net file, and OpenSM with the emitted files on top.

Owns the programs of one subnet: command lines, environment, logs and ends. OpenSM always exits with
0, so its log is read. Every command finds the simulator by its socket name, and sees the fabric
from one adapter. It knows no plan and no verdict.
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
from fabricgen.lab.infiniband.tables import SubnetTables, read_net

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabricgen.lab.infiniband.tables import Net

LIBRARY = "libumad2sim.so"
"""The library that redirects a program's InfiniBand calls from the kernel to ibsim."""

PATIENCE_S, POLL_S = 120.0, 0.01
"""Time limit for OpenSM, which needs ten seconds for 4,096 adapters; interval of reading its log.
"""

TRAP_S = 0.2
"""Time to wait for a trap and its sweep before OpenSM is made to sweep."""

SOON_S = 3.0
"""Time to wait for a further sweep; OpenSM begins one as soon as a change is reported."""

SIM_SPARE = 64
"""Capacity of ibsim beyond the size of the net."""

ROUTED = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured on all switches")
UP, STRANGE = "SUBNET UP", "Unrecognized token"
_FAULT = re.compile(r"0x0[12] -> (.*(?:ERR|not fat-tree|cannot build|fail).*)", re.IGNORECASE)


def library() -> Path | None:
    """Return the library that connects programs to ibsim; None where it is not installed."""
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
    """The result of one sweep: the engine of the tables (empty for none), faults, and seconds."""

    engine: str
    faults: list[str]
    seconds: float


@dataclass
class Subnet:
    """One subnet: `files` are the emitted ones, `place` an empty directory for logs and dumps.

    `planes` is the number of nodes that a switch has in the subnet.
    """

    name: str
    files: Path
    place: Path
    planes: int = 1
    _children: list[subprocess.Popen[str]] = field(default_factory=list)

    @cached_property
    def net(self) -> Net:
        """The net as it was emitted. Raises Refusal where its links contradict its nodes."""
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
        """The directory of OpenSM's tables."""
        return self.place / "dumps"

    def tables(self) -> SubnetTables:
        """Return the current tables."""
        return SubnetTables(self.net, self.dumps / "opensm-lfts.dump")

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
        """Start ibsim. Raises Refusal where it rejects the net file."""
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
        with log.open("w", encoding="utf-8") as output:
            child = subprocess.Popen(  # noqa: S603 - a program of the machine, with paths of ours
                command,
                env=environment,
                cwd=self.place,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._children.append(child)
        self._await(
            child, lambda: "simulator ready" in log.read_text(encoding="utf-8"), "ibsim", log
        )
        self._console = child

    def manage(self) -> Routed:
        """Start OpenSM with the emitted files as a resident, and wait until the subnet is up."""
        self._log = self.place / "opensm.log"
        started = time.monotonic()
        with (self.place / "opensm.out").open("w", encoding="utf-8") as output:
            self._manager = subprocess.Popen(  # noqa: S603 - as above
                self._opensm(self._log),
                env=self._environment,
                cwd=self.place,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._children.append(self._manager)
        self._read = 0
        return self._sweep(started, PATIENCE_S)

    def sweeps(self, command: str, most: int) -> Iterator[Routed]:
        """Enter a command at ibsim's console, and yield the result of each sweep that follows.

        There is at least one, and more as long as they come soon. Raises Refusal where none comes.
        """
        started = self._type(command)
        yield self._sweep(started, PATIENCE_S)
        for _ in range(most - 1):
            if not self._swept(time.monotonic() + SOON_S):
                return
            yield self._sweep(started, SOON_S)

    def relink(self, command: str) -> None:
        """Enter a command at ibsim's console, and have OpenSM sweep the whole subnet.

        A trap of ibsim may be lost, and OpenSM would look by itself after ten seconds. Raises
        Refusal where no sweep comes.
        """
        started = self._type(command)
        if not self._swept(started + TRAP_S):
            self._manager.send_signal(signal.SIGHUP)
        self._sweep(started, PATIENCE_S)

    def _type(self, command: str) -> float:
        """Enter a command at ibsim's console and return the time; later sweeps count from here."""
        self._read = len(self._log.read_text(encoding="utf-8"))
        if self._console.stdin is None:
            raise ValueError("ibsim has no console")
        self._console.stdin.write(f"{command}\n")
        self._console.stdin.flush()
        return time.monotonic()

    def _swept(self, until: float) -> bool:
        """Return whether a new sweep ended before the given time."""
        while UP not in self._log.read_text(encoding="utf-8")[self._read :]:
            if time.monotonic() > until:
                return False
            time.sleep(POLL_S)
        return True

    def _sweep(self, started: float, patience_s: float) -> Routed:
        """Wait for the end of the next sweep. Raises Refusal where none comes."""
        self._await(
            self._manager,
            lambda: UP in self._log.read_text(encoding="utf-8")[self._read :],
            "opensm",
            self._log,
            patience_s,
        )
        fresh = self._log.read_text(encoding="utf-8")[self._read :]
        end = fresh.index(UP) + len(UP)
        self._read += end
        unexpected = [
            line.strip()
            for line in (self.place / "opensm.out").read_text(encoding="utf-8").splitlines()
            if STRANGE in line
        ]
        return _routed(fresh[:end], time.monotonic() - started, unexpected)

    def route_once(self, engine: str) -> Routed:
        """Route once with one engine in a new OpenSM that replaces the resident one."""
        self._manager.terminate()
        self._manager.wait()
        log, started = self.place / f"opensm-{engine}.log", time.monotonic()
        self.run(*self._opensm(log), "-o", "-R", engine)
        return _routed(log.read_text(encoding="utf-8"), time.monotonic() - started)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the fabric to its end."""
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
        """End the started programs."""
        for child in reversed(self._children):
            with child:
                child.kill()

    def _opensm(self, log: Path) -> list[str]:
        """Return the command of OpenSM; the paths in its emitted file are those of a manager."""
        lists = {
            "-F": "opensm.conf",
            "-a": "root_guids.txt",
            "-u": "cn_guids.txt",
            "-P": "partitions.conf",
        }
        given = [word for flag, name in lists.items() for word in (flag, str(self.files / name))]
        given[given.index("-a") + 1] = str(self._roots)
        return ["opensm", *given, "-f", str(log), "-D", "0x43", "--dump_files_dir", str(self.dumps)]

    @property
    def _roots(self) -> Path:
        """The emitted roots; of a switch with several planes the first, which is simulated."""
        emitted = self.files / "root_guids.txt"
        if self.planes == 1:
            return emitted
        first = emitted.read_text(encoding="utf-8").splitlines(keepends=True)[:: self.planes]
        (self.place / "root_guids.txt").write_text("".join(first), encoding="utf-8")
        return self.place / "root_guids.txt"

    def _await(
        self,
        child: subprocess.Popen[str],
        ready: Callable[[], bool],
        program: str,
        log: Path,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Wait until a program is ready. Raises Refusal where it ends or is not ready in time."""
        until = time.monotonic() + patience_s
        while not (log.exists() and ready()):
            if child.poll() is not None or time.monotonic() > until:
                output = log.read_text(encoding="utf-8").splitlines()[-4:] if log.exists() else []
                raise refuse(
                    "lab-failed",
                    f"{program} did not take the files of subnet {self.name}",
                    because=tuple(output),
                    hint="build them again",
                )
            time.sleep(POLL_S)


def _routed(log: str, seconds: float, unexpected: Sequence[str] = ()) -> Routed:
    """Return the result of a sweep from OpenSM's log, with its unknown options first."""
    engines = ROUTED.findall(log)
    faults = [found[1] for line in log.splitlines() if (found := _FAULT.search(line))]
    return Routed(engines[-1] if engines else "", [*dict.fromkeys(unexpected), *faults], seconds)
