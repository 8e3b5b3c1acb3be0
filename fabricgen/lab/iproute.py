"""Batches of iproute2 commands in namespaces, and the carrier of interfaces."""

from __future__ import annotations

import fcntl
import socket
import struct
import subprocess
import time

from fabricgen.core.diagnostics import refuse

SIOCGIFFLAGS, IFF_RUNNING = 0x8913, 0x40

CARRIER_S = 3.0
"""Longest time to wait for the carrier of an interface."""

FIRST_INDEX = 1 << 16
"""Interface index of the near end of the first wire, above those that the kernel chooses."""

BATCHES = 2
"""Processes that create wires in parallel; the kernel has one lock for links, so more would queue.
"""


def link_wire(number: int, near: str, far: str) -> str:
    """Return the command of `ip` that creates a wire; each end is a name with its settings.

    The number is the wire's own among those with their near end in one namespace. The kernel
    reports a change of carrier at once where the two ends of a wire differ in index, and up to a
    second late where they do not, as happens by chance between namespaces
    (`linkwatch_urgent_event` in net/core/link_watch.c): a repaired port of a bridge stays closed
    until then. So the near end has an index that the kernel chooses for no far end.

    >>> link_wire(2, "nic0 netns a", "swp1 netns b")
    'link add nic0 netns a index 65538 type veth peer name swp1 netns b'
    """
    return f"link add {near} index {FIRST_INDEX + number} type veth peer name {far}"


def batch(lines: list[str], name: str) -> None:
    """Run commands of `ip` in the namespace of this thread. Raises Refusal `lab-failed`."""
    if lines:
        finish_batch(start_batch(lines), lines, name)


def wait_for_carrier(interfaces: list[str], *, up: bool) -> None:
    """Wait until interfaces of this thread's namespace gain or lose their carrier.

    Routes and the ports of bridges follow in the same step of the kernel, at both ends of a wire.
    """
    until = time.monotonic() + CARRIER_S
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        while (
            any(bool(_flags(line, name) & IFF_RUNNING) != up for name in interfaces)
            and time.monotonic() < until
        ):
            time.sleep(0.01)


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
