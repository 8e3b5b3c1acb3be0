"""What the emitted files of a switch state about its management: address, VRF, SSH server, users.

Owns the reading of interfaces(5) and of the unit of sshd. It knows no plan: a file that lacks
something gives an empty value, and the trials find what follows from that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

PORT = "eth0"
"""The management port of a Linux switch."""

_VRF_EXEC = re.compile(r"^ExecStart=\S*ip vrf exec (\S+) (.+)$", re.MULTILINE)
_EXEC = re.compile(r"^ExecStart=()(\S.*)$", re.MULTILINE)


class Interface(NamedTuple):
    """An interface of interfaces(5): its address with a length, its gateway, and its VRF."""

    address: str
    gateway: str
    vrf: str


class SshDaemon(NamedTuple):
    """The VRF that sshd is started in, empty for the default one, and its command."""

    vrf: str
    command: str


class EmittedManagement(NamedTuple):
    """The management of one switch: its interfaces by name, its SSH server if any, its files."""

    interfaces: dict[str, Interface]
    server: SshDaemon | None
    files: dict[str, str]
    """The text of each file that a booted switch has, by its path there."""


FILES = {
    "etc/hostname": "hostname",
    "etc/issue.net": "issue.net",
    "etc/ssh/sshd_config.d/fabric.conf": "sshd.conf",
    "etc/fabric/users.sh": "users.sh",
}
"""The emitted file at each path of a booted switch."""


def read_management(directory: Path) -> EmittedManagement:
    """Read the emitted files of a switch."""
    return EmittedManagement(
        read_interfaces(_text(directory / "interfaces")),
        read_server(_text(directory / "ssh.conf")),
        {at: _text(directory / name) for at, name in FILES.items()},
    )


def read_interfaces(text: str) -> dict[str, Interface]:
    r"""Return the interfaces that are brought up at boot, by name.

    >>> read_interfaces("auto eth0\niface eth0 inet static\n    address 10.0.0.2/24\n")
    {'eth0': Interface(address='10.0.0.2/24', gateway='', vrf='')}
    """
    automatic, found = set[str](), dict[str, dict[str, str]]()
    options: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.strip().partition(" ")
        if key == "auto":
            automatic |= set(value.split())
        elif key == "iface":
            options = found.setdefault(value.split()[0], {})
        elif key and not key.startswith("#"):
            options[key] = value.strip()
    return {
        name: Interface(*(own.get(key, "") for key in Interface._fields))
        for name, own in found.items()
        if name in automatic
    }


def read_server(text: str) -> SshDaemon | None:
    r"""Return how a unit of systemd starts sshd; its last ExecStart counts.

    >>> read_server("ExecStart=\nExecStart=/sbin/ip vrf exec mgmt /usr/sbin/sshd -D\n")
    SshDaemon(vrf='mgmt', command='/usr/sbin/sshd -D')
    """
    found = _VRF_EXEC.findall(text) or _EXEC.findall(text)
    return SshDaemon(*found[-1]) if found else None


def _text(path: Path) -> str:
    """Return the text of a file; empty where it was not emitted."""
    return path.read_text(encoding="utf-8") if path.exists() else ""
