"""A lab in the background: starting it, and serving its commands.

Owns the process that holds a lab between commands; `registry` finds it again.
"""

from __future__ import annotations

import json
import os
import socket
import traceback
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Refusal, refuse
from fabricgen.lab.lldp import compare, neighbours
from fabricgen.lab.process_tree import FAULT, start
from fabricgen.lab.registry import CONTROL, LOG, read_message, refused, serve
from fabricgen.lab.session import as_root, attempt, boot, report

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.lab.measure import RunningLab
    from fabricgen.lab.registry import LabRegistry
    from fabricgen.lab.session import LabRequest
    from fabricgen.lab.topology import LabLayout

    Emit = Callable[[dict[str, Any]], None]


def put_up(request: LabRequest, registry: LabRegistry, emit: Emit) -> None:
    """Boot a lab that stays up.

    Raises Refusal where it does not come up; then, and after an interruption, nothing of it is
    left.
    """
    layout = request.layout()
    place = registry.make(
        {
            "fabric": request.plan.spec.name,
            "network": request.network or "",
            "nodes": layout.nodes,
            "gpus": len(layout.gpus),
            "switches": len(layout.switches),
            "out": str(request.out or ""),
        }
    )
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(place / CONTROL))
            listening.listen()
            reading, writing = os.pipe()
            guard = start(
                lambda: _hold(layout, request, listening, writing),
                as_root=as_root(),
                log=place / LOG,
                without=[reading],
            )
            os.close(writing)
        registry.record(guard, ready=False)
        with os.fdopen(reading, encoding="utf-8") as words:
            for line in words:
                document = read_message(line)
                if document.get("ready"):
                    registry.record(guard, ready=True)
                    return
                emit(document)
        raise _failed((place / LOG).read_text(encoding="utf-8", errors="replace").strip())  # noqa: TRY301 - what the lab left is cleared away below
    except BaseException:
        registry.end()
        raise


def _failed(log: str) -> Refusal:
    """Return the refusal with the last lines of the lab's own log."""
    return refuse(
        "lab-failed",
        "the lab did not come up",
        because=tuple(log.splitlines()[-4:]),
        hint="`fabricgen lab doctor` lists what is missing",
    )


def _hold(layout: LabLayout, request: LabRequest, listening: socket.socket, writing: int) -> int:
    """Boot a lab and serve its commands, detached from the process that started it."""
    with os.fdopen(writing, "w", encoding="utf-8") as words:

        def report(document: dict[str, Any]) -> None:
            words.write(json.dumps(document) + "\n")
            words.flush()

        try:
            lab = boot(layout, request.out, report, request.templates)
        except Refusal as refusal:
            report(refused(refusal))
            return 1
        report({"ready": True})
    os.chdir("/")
    serve(listening, lambda asked, emit: _answer(lab, asked, emit))
    return 0


def _answer(lab: RunningLab, asked: dict[str, Any], emit: Emit) -> None:
    """Execute a command in a running lab, which stays up whatever fails."""
    try:
        emit({"end": _done(lab, asked, emit)})
    except Refusal as refusal:
        emit(refused(refusal))
    except (BrokenPipeError, ConnectionResetError):  # the client has gone
        raise
    except Exception as error:  # noqa: BLE001 - reported to the client, and kept in the lab's log
        traceback.print_exc()
        emit({"fault": f"{type(error).__name__}: {error}", "end": FAULT})


def _done(lab: RunningLab, asked: dict[str, Any], emit: Emit) -> int:
    """Execute a command and return its exit code."""
    if asked["do"] == "test":
        return attempt(lab, asked["failures"], emit)
    if asked["do"] == "lldp":
        found = neighbours(lab)
        emit({"neighbours": found})
        return report(compare(lab, found), emit)
    counted = lab.machines.networks.each(lab.switches, lab.daemons.sessions)
    up, every = (sum(each[index] for each in counted) // 2 for index in (0, 1))
    emit({"sessions": up, "of": every})
    return 0
