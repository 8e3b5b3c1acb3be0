"""The SSH servers of a lab's switches, started by their emitted files, and the operator's client.

Each switch has an /etc, /home and /run of its own: the emitted files are at the paths that they are
for, and `users.sh` runs there. The only text that changes is the public key: one of the lab takes
the place of the inventory's, wherever that is, so that no key of the site is needed to log in.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.lab import namespaces
from fabricgen.lab.boot import set_kernel
from fabricgen.lab.frr import PLACE as FRR
from fabricgen.lab.management.accounts import (
    FIRST_USER,
    GROUPS,
    MAIN,
    PRIVATE,
    START,
    USERS,
    VTYSH,
)
from fabricgen.lab.management.network import ManagementNetwork
from fabricgen.lab.topology import OPERATOR

if TYPE_CHECKING:
    from fabricgen.inventory.accounts import User
    from fabricgen.lab.boot import Machines

PLACE = Path("/run/management")
KEY, CLIENT, KNOWN = PLACE / "key", PLACE / "ssh_config", PLACE / "known_hosts"
"""The lab's own key, the configuration of the operator's client, and the keys of the switches."""

PATIENCE_S, POLL_S = 10.0, 0.02
"""Longest time until an SSH server listens."""

CONNECT_S, LOGIN_S = 5, 30
"""Seconds after which the client gives up, and after which its commands are ended."""

COMMANDS = 'hostname && vtysh -c "show bgp summary"'
"""What the operator runs: the name of the switch, and FRR's shell, which takes its group."""


@dataclass(frozen=True)
class Logins:
    """The SSH servers of one lab, and what an operator's login to each returns."""

    network: ManagementNetwork
    servers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @cached_property
    def user(self) -> User:
        """The first admin of the inventory with a key."""
        asked = self.network.machines.layout.plan.spec.management
        assert asked is not None  # noqa: S101 - as in ManagementNetwork.plan
        return next(user for user in asked.users if user.role == "admin" and user.key)

    def start(self) -> None:
        """Start the server of every switch, and wait until it listens or has ended."""
        PLACE.mkdir()
        _make_key(KEY)
        for switch in self.network.switches:
            server = self.network.emitted[switch].server
            if server is None:
                self.network.fail(switch, "no file starts sshd")
            elif (node := self.network.node(switch, server.vrf)) is None:
                self.network.fail(switch, f"sshd is in a VRF `{server.vrf}`, which is not made")
            else:
                self._lay_out(switch)
                frr = self.network.machines.layout.first_node(switch)
                started = partial(_start, switch, frr, server.command)
                self.servers[switch] = self.network.machines.networks.inside(node, started)
        self._write_client()
        self._wait()

    def _lay_out(self, switch: str) -> None:
        """Write the files of a switch."""
        box, files = PLACE / switch, self.network.emitted[switch].files
        key = self.user.key or ""
        files = {at: text.replace(key, _public(KEY)) for at, text in files.items()}
        files |= {"etc/passwd": USERS, "etc/group": GROUPS, "etc/ssh/sshd_config": MAIN}
        files |= {"etc/pam.d/frr": VTYSH, "etc/frr/vtysh.conf": ""}
        for at, text in files.items():
            (box / at).parent.mkdir(parents=True, exist_ok=True)
            (box / at).write_text(text, encoding="utf-8")
        for name in ("etc/sudoers.d", "home", "run/frr", "run/sshd"):
            (box / name).mkdir(parents=True)
        _make_key(box / "etc/ssh/ssh_host_ed25519_key")

    def _write_client(self) -> None:
        """Write the configuration of the operator's client, with the names of the switches."""
        lines = [
            *("Host *", f"IdentityFile {KEY}", "IdentitiesOnly yes", "BatchMode yes"),
            *(f"User {self.user.name}", f"UserKnownHostsFile {KNOWN}", "LogLevel ERROR"),
            *("StrictHostKeyChecking yes", f"ConnectTimeout {CONNECT_S}"),
        ]
        known = []
        for switch, address in self.network.switches.items():
            lines += [f"Host {switch}", f"HostName {address}"]
            if switch in self.servers:
                own = PLACE / switch / "etc/ssh/ssh_host_ed25519_key"
                known.append(f"{address} {_public(own)}")
        CLIENT.write_text("\n".join([*lines, ""]), encoding="utf-8")
        KNOWN.write_text("\n".join([*known, ""]), encoding="utf-8")

    def _wait(self) -> None:
        """Wait for the servers; one that has ended is a fault with its last words."""
        until = time.monotonic() + PATIENCE_S
        for switch, server in self.servers.items():
            listening = PLACE / switch / "run/sshd.pid"
            while not listening.exists() and server.poll() is None and time.monotonic() < until:
                time.sleep(POLL_S)
            if not listening.exists():
                lines = (PLACE / switch / "log").read_text(encoding="utf-8").splitlines()
                self.network.fail(switch, f"sshd does not run: {'; '.join(lines[-2:])}")

    def log_in(self, switch: str) -> subprocess.CompletedProcess[str]:
        """Log in to a switch from the operator's node and run `COMMANDS`."""
        command = ["timeout", str(LOGIN_S), "ssh", "-F", str(CLIENT), switch, COMMANDS]
        return self.network.machines.networks.inside(
            OPERATOR,
            lambda: subprocess.run(command, capture_output=True, text=True, check=False),  # noqa: S603 - our own words
        )


def start_logins(machines: Machines) -> Logins | None:
    """Boot the management network and the SSH servers; None without `management`."""
    if not machines.layout.management:
        return None
    logins = Logins(ManagementNetwork(machines))
    logins.network.boot()
    logins.start()
    return logins


def _start(switch: str, frr: str, command: str) -> subprocess.Popen[bytes]:
    """Start the server of a switch, in whose namespace the thread is, beside an FRR.

    An ordinary user has one user number in a lab, and sshd runs as that user, which takes a port
    that is open to users.
    """
    box, own = PLACE / switch, []
    if not namespaces.may_choose_groups():
        set_kernel("net.ipv4.ip_unprivileged_port_start", "0")
        user = str(FIRST_USER)
        own = ["unshare", "--user", f"--map-user={user}", f"--map-group={user}"]
    words = ["unshare", "--mount", "--uts", "sh", "-euc", PRIVATE, "sh", box, FRR / frr]
    with (box / "log").open("wb") as log:
        return subprocess.Popen(  # noqa: S603 - the emitted command
            [*map(str, words), *own, "sh", "-euc", START, "sh", command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _make_key(path: Path) -> None:
    """Make a key pair of SSH."""
    program = shutil.which("ssh-keygen") or "ssh-keygen"
    subprocess.run([program, "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)  # noqa: S603 - our own words


def _public(path: Path) -> str:
    """Return the public key of a pair."""
    return Path(f"{path}.pub").read_text(encoding="ascii").strip()
