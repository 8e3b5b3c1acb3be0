"""Batches of iproute2 commands in namespaces, and the carrier of interfaces."""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import subprocess
import time

from fabricgen.core.diagnostics import refuse

SIOCGIFFLAGS, IFF_RUNNING = 0x8913, 0x40

CARRIER_S = 3.0
"""Longest time to wait for the carrier of an interface."""

BATCHES = 2
"""Processes that create wires in parallel; the kernel has one lock for links, so more would queue.
"""


def batch(lines: list[str], name: str) -> None:
    """Run commands of `ip` in the namespace of this thread. Raises Refusal `lab-failed`."""
    if lines:
        finish_batch(start_batch(lines), lines, name)


def wait_for_carrier(interfaces: list[str], *, up: bool) -> None:
    """Wait until interfaces of this thread's namespace gain or lose their carrier."""
    until = time.monotonic() + CARRIER_S
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        while (
            any(bool(_flags(line, name) & IFF_RUNNING) != up for name in interfaces)
            and time.monotonic() < until
        ):
            time.sleep(0.01)


def wait_for_routes(interfaces: list[str], *, up: bool) -> None:
    """Wait until the routes of this thread's namespace follow the carrier of interfaces.

    The kernel marks routes some time after it has changed the flags of an interface.
    """
    until, own = time.monotonic() + CARRIER_S, set(interfaces)
    while own & _dead_interfaces() != (set() if up else own) and time.monotonic() < until:
        time.sleep(0.01)


def _dead_interfaces() -> set[str]:
    """Return the interfaces whose routes are marked as without carrier."""
    command = ["ip", "-j", "-4", "route", "show"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    listed = json.loads(done.stdout or "[]")
    return {route["dev"] for route in listed if "linkdown" in route.get("flags", ())}


def _flags(line: socket.socket, interface: str) -> int:
    """Return the flags of an interface."""
    answer = fcntl.ioctl(line, SIOCGIFFLAGS, struct.pack("16sH14x", interface.encode(), 0))
    return int(struct.unpack_from("16xH", answer)[0])


def start_batch(lines: list[str]) -> subprocess.Popen[str]:
    """Start a batch of `ip`."""
    process = subprocess.Popen(
        ["ip", "-batch", "-"],  # noqa: S607 - found as the user's shell finds it
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.close()
    return process


def finish_batch(process: subprocess.Popen[str], lines: list[str], name: str) -> None:
    """Wait for a batch. Raises Refusal where it failed."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    output = process.stdout.read()
    code = process.wait()
    check_exit(code, f"{output}{lines[0]}" if code else "", name)


def check_exit(code: int, output: str, name: str) -> None:
    """Raise Refusal `lab-failed` where a command failed."""
    if code:
        raise refuse(
            "lab-failed",
            f"{name} could not be set up",
            because=tuple(output.strip().splitlines()[:4]),
            hint="`fabricgen lab doctor` lists what is missing",
        )
