"""The routing daemons of the switches: started with the emitted frr.conf, queried and stopped.

Owns the interface to FRR. Daemons skip a bad line and continue, so any answer of vtysh to a line is
an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import refuse
from fabricgen.lab import namespaces
from fabricgen.lab.boot import set_kernel
from fabricgen.lab.frr_parts import DAEMONS, part_of_vrf
from fabricgen.lab.process_tree import started_at
from fabricgen.lab.socket_family import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.diagnostics import Refusal
    from fabricgen.core.terms import Family
    from fabricgen.lab.boot import Machines

PLACE = Path("/run/frr")
PROGRAMS = Path("/usr/lib/frr")
FIRST = "zebra"
"""The daemon that all others connect to."""
AT_ONCE = "bgp route-map delay-timer 0"
"""Applies route maps as they are entered. Else bgpd asks its neighbours for all routes again five
seconds later, amid the trials, and keeps for six minutes what a neighbour withdraws meanwhile
(https://github.com/FRRouting/frr/issues/23432; seen with 8.4.4, where the route is `stale`)."""


@dataclass(frozen=True)
class Daemons:
    """The daemons of one lab."""

    machines: Machines

    @property
    def family(self) -> Family:
        """The family of the routes."""
        return self.machines.layout.family

    def start(self, nodes: Iterable[str]) -> None:
        """Start the daemons of switches, or of GPUs, with their configuration.

        Raises Refusal `lab-failed` with the output of FRR.
        """
        names = list(nodes)
        self.machines.networks.each(names, self._start)
        self.machines.networks.each(names, self._load)

    def _start(self, switch: str) -> None:
        """Start the daemons of a switch, in whose namespace the thread is."""
        place = PLACE / switch
        place.mkdir(parents=True, exist_ok=True)  # kept, because the SSH server has it mounted
        for old in place.iterdir():
            old.unlink()
        frr_conf, daemons = self._emitted(switch)
        (place / "vtysh.conf").touch()
        (place / "none.conf").touch()
        (place / "frr.conf").write_text(frr_conf, encoding="utf-8")
        namespaces.unshare(namespaces.NEWUTS)
        namespaces.set_host_name(switch)
        for daemon, options in enabled(daemons).items():
            own = [
                "-d",
                "-f",
                place / "none.conf",
                "-i",
                place / f"{daemon}.pid",
                "-z",
                place / "zserv.api",
                "--vty_socket",
                place,
                "-P",
                "0",
            ]
            run_daemon(
                [PROGRAMS / daemon, *own, "--log", f"file:{place / daemon}.log", *options], switch
            )

    def _emitted(self, node: str) -> tuple[str, str]:
        """Return the emitted frr.conf of a switch, or a GPU's part of its host's, and `daemons`."""
        layout, out = self.machines.layout, self.machines.out
        if host := layout.speakers.get(node):
            text = (out / "hosts" / host / "frr.conf").read_text(encoding="utf-8")
            return layout.frr_part(text, node), DAEMONS
        switch = layout.switch_nodes[node]
        emitted = out / "configs" / switch.switch
        files = (emitted / "frr.conf", emitted / "daemons")
        frr_conf, daemons = (path.read_text(encoding="utf-8") for path in files)
        return part_of_vrf(frr_conf, switch.vrf) if switch.vrf else frr_conf, daemons

    def _load(self, switch: str) -> None:
        """Load a switch's emitted configuration line by line.

        It is typed into vtysh: after `vtysh -b`, bgpd would hold its sessions back for five
        seconds, as after a boot.
        """
        text = (PLACE / switch / "frr.conf").read_text(encoding="utf-8")
        self._enter(switch, f"{AT_ONCE}\n{text}")
        if switch in self.machines.layout.speakers:
            # FRR of a host switches forwarding off; in a lab the GPU relays by it, as NCCL would
            set_kernel(FAMILIES[self.family].forwarding, "1")

    def _enter(self, switch: str, lines: str) -> None:
        """Enter lines of configuration."""
        place, text = PLACE / switch, f"configure terminal\n{lines}\n"
        done = subprocess.run(  # noqa: S603 - the emitted configuration
            ["vtysh", "--vty_socket", place, "--config_dir", place],  # noqa: S607 - as above
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        complaints = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if line.startswith("%") or "rror" in line
        ]
        if done.returncode or complaints:
            raise _refused(switch, "vtysh", complaints)

    def stop(self, switch: str) -> None:
        """Kill the daemons of a switch, as a crash would; their kernel routes stay."""
        self._signal(switch, signal.SIGKILL)
        for number in self._numbers(switch):
            _wait_for_end(number)

    def freeze(self, switch: str, *, frozen: bool) -> None:
        """Stop or continue the processes of a switch's daemons."""
        self._signal(switch, signal.SIGSTOP if frozen else signal.SIGCONT)

    def configure(self, switch: str, lines: list[str]) -> None:
        """Enter configuration lines on a switch. Raises Refusal where FRR rejects one."""
        self._enter(switch, "\n".join(lines))

    def _numbers(self, switch: str) -> list[int]:
        """Return the process numbers of a switch's daemons."""
        return [
            int(file.read_text(encoding="ascii")) for file in sorted((PLACE / switch).glob("*.pid"))
        ]

    def _signal(self, switch: str, number: signal.Signals) -> None:
        """Send a signal to each daemon of a switch."""
        for process in self._numbers(switch):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def ask(self, switch: str, command: str, daemon: str = "bgpd") -> Any:  # noqa: ANN401 - whatever FRR answers
        """Run a command in a daemon of a switch and return its JSON output.

        It uses the socket of vtysh, because a process per command would cost more than the answer:
        a command ends with a zero byte, and the answer with three and a result.
        """
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(PLACE / switch / f"{daemon}.vty"))
            for words in ("enable", f"{command} json"):
                line.sendall(f"{words}\0".encode())
                output = b""
                while output[-4:-1] != bytes(3):
                    output += line.recv(1 << 16) or bytes(4)
        return json.loads(output[:-4] or b"{}")

    def sessions(self, switch: str) -> tuple[int, int]:
        """Return how many BGP sessions of a switch are up, and how many it has."""
        states = list(self.states(switch).values())
        return states.count("Established"), len(states)

    def states(self, switch: str) -> dict[str, str]:
        """Return the state of each BGP session, by port, without ports that a slice leaves out.

        FRR names a session by its port, or by the address at the far end of an uplink.
        """
        peers, booted, tiers = (
            self.ask(switch, f"show bgp {self.family} unicast summary").get("peers", {}),
            self.machines.ends[switch],
            self.machines.layout.tiers,
        )
        ports = {port: port for port in booted}
        for port, end in booted.items():
            if end.wire.a in tiers:
                ports |= dict.fromkeys(end.peer_addresses, port)
        return {ports[name]: peer["state"] for name, peer in peers.items() if name in ports}

    def bfd(self, switch: str) -> tuple[int, int]:
        """Return how many BFD sessions of a switch are up, and how many it has."""
        peers = (
            self.ask(switch, "show bfd peers", "bfdd")
            if (PLACE / switch / "bfdd.vty").exists()
            else []
        )
        return sum(peer.get("status") == "up" for peer in peers), len(peers)

    def down(self, switch: str) -> list[str]:
        """Return a sentence for each kind of session that is not completely up on a switch."""
        counts = {"BGP": self.sessions(switch), "BFD": self.bfd(switch)}
        return [
            f"{switch}: {up} of {every} {kind} sessions are up"
            for kind, (up, every) in counts.items()
            if up != every
        ]


def enabled(text: str) -> dict[str, list[str]]:
    r"""Parse an emitted `daemons` file: each enabled daemon with its options, zebra first.

    >>> enabled('bgpd=yes\nzebra_options="-A 127.0.0.1"\nbgpd_options="-A 127.0.0.1"\n')
    {'zebra': ['-A', '127.0.0.1'], 'bgpd': ['-A', '127.0.0.1']}
    """
    values = {
        key: value
        for line in text.splitlines()
        for key, equals, value in [line.partition("=")]
        if equals and not line.startswith("#")
    }
    names = [
        FIRST,
        *(key for key, value in values.items() if value == "yes" and not key.endswith("_enable")),
    ]
    return {
        name: shlex.split(shlex.split(values.get(f"{name}_options", '""'))[0]) for name in names
    }


def run_daemon(command: list[Any], switch: str) -> None:
    """Start a program that runs in the background. Raises Refusal `lab-failed` where it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise _refused(switch, Path(command[0]).name, (done.stdout + done.stderr).splitlines())


def _refused(switch: str, program: str, output: list[str]) -> Refusal:
    """Return the refusal of a configuration that FRR rejects."""
    return refuse(
        "lab-failed",
        f"{switch}: {program} rejects what was emitted",
        because=tuple(output[:4]),
        hint="`fabricgen lab doctor` shows the versions",
    )


def _wait_for_end(number: int) -> None:
    """Wait until a process has ended, which is not a child of this one."""
    while started_at(number):
        time.sleep(0.005)
