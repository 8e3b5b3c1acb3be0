"""Which addresses answer: a TCP connection that is refused has gone both ways.

No program listens at the port, so the kernel of the node with the address refuses.
"""

from __future__ import annotations

import errno
import select
import socket
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

PORT = 9
"""The port of discard (RFC 863), which no lab opens."""

PATIENCE_S, CALM_S = 4.0, 0.2
"""Time until an expected answer counts as lost, in which TCP tries three times, and the time of
silence after which no other is expected."""


class Question(NamedTuple):
    """A target, and the interface by which to reach it; empty for that of the routes."""

    target: str
    interface: str = ""


def answered(questions: Collection[Question], expected: Collection[Question]) -> set[Question]:
    """Return the questions that are answered, asked from this thread's namespace.

    Returns early when all expected answers are there, and no other comes for `CALM_S`.
    """
    waiting: dict[socket.socket, Question] = {}
    found: set[Question] = set()
    for question in questions:
        made = _connect(question)
        if made is not None:
            waiting[made] = question
    missing, until = set(expected), time.monotonic() + PATIENCE_S
    while waiting and time.monotonic() < until:
        ready = select.select([], [*waiting], [], CALM_S)[1]
        for made in ready:
            question = waiting.pop(made)
            if made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNREFUSED:
                found.add(question)
            made.close()
        if not ready and missing <= found:
            break
    for made in waiting:
        made.close()
    return found


def _connect(question: Question) -> socket.socket | None:
    """Begin to connect; None where the kernel has no route."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setblocking(False)  # noqa: FBT003 - the name of socket
    if question.interface:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, question.interface.encode())
    if made.connect_ex((question.target, PORT)) == errno.EINPROGRESS:
        return made
    made.close()
    return None
