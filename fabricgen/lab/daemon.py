"""A lab that is up in the background: how it is put there, and what it answers.

Owns the process that holds a lab between commands; where that is found again is `keeping`'s.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Refusal, refuse, suggest
from fabricgen.lab.lldp import compare, neighbours
from fabricgen.lab.process_tree import FAULT, children, start
from fabricgen.lab.registry import CONTROL, LOG, heard, refused, serve
from fabricgen.lab.session import as_root, attempt, boot, tell
from fabricgen.lab.topology import lay_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.lab.measure import Bench
    from fabricgen.lab.registry import LabRegistry
    from fabricgen.lab.session import Wish
    from fabricgen.lab.topology import Layout

    Say = Callable[[dict[str, Any]], None]


def put_up(wish: Wish, keep: LabRegistry, say: Say) -> None:
    """Boot a lab that stays up. Raises Refusal where it does not come up; then, and after an interruption, nothing of it is left."""
    layout = lay_out(wish.plan, wish.rails, wish.domains)
    place = keep.make(
        {
            "fabric": wish.plan.spec.name,
            "nodes": layout.nodes,
            "gpus": len(layout.gpus),
            "switches": len(layout.switches),
            "out": str(wish.out or ""),
        }
    )
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(place / CONTROL))
            listening.listen()
            reading, writing = os.pipe()
            guard = start(
                lambda: _hold(layout, wish, listening, writing),
                as_root=as_root(),
                log=place / LOG,
                without=[reading],
            )
            os.close(writing)
        keep.record(guard, ready=False)
        with os.fdopen(reading, encoding="utf-8") as words:
            for line in words:
                document = heard(line)
                if document.get("ready"):
                    keep.record(guard, ready=True)
                    return
                say(document)
        raise _failed((place / LOG).read_text(encoding="utf-8", errors="replace").strip())  # noqa: TRY301 - what the lab left is cleared away below
    except BaseException:
        keep.end()
        raise


def _failed(log: str) -> Refusal:
    """Refuse with what the lab's own log says last."""
    return refuse(
        "lab-failed",
        "the lab did not come up",
        because=tuple(log.splitlines()[-4:]),
        hint="`fabricgen lab doctor` says what is missing",
    )


def _hold(layout: Layout, wish: Wish, listening: socket.socket, writing: int) -> int:
    """Boot a lab and answer for it, detached from whoever asked for it."""
    with os.fdopen(writing, "w", encoding="utf-8") as words:

        def tell(document: dict[str, Any]) -> None:
            words.write(json.dumps(document) + "\n")
            words.flush()

        try:
            bench = boot(layout, wish.out, tell, wish.templates)
        except Refusal as refusal:
            tell(refused(refusal))
            return 1
        tell({"ready": True})
    os.chdir("/")
    serve(listening, lambda asked, say: _answer(bench, asked, say))
    return 0


def _answer(bench: Bench, asked: dict[str, Any], say: Say) -> None:
    """Do what is asked of a running lab; whatever goes wrong, it stays up."""
    try:
        say({"end": _done(bench, asked, say)})
    except Refusal as refusal:
        say(refused(refusal))
    except (BrokenPipeError, ConnectionResetError):  # whoever asked is gone
        raise
    except Exception as error:  # noqa: BLE001 - told to whoever asked, and kept in the lab's log
        traceback.print_exc()
        say({"fault": f"{type(error).__name__}: {error}", "end": FAULT})


def _done(bench: Bench, asked: dict[str, Any], say: Say) -> int:
    """Do what is asked and return how it ended."""
    if asked["do"] == "test":
        return attempt(bench, asked["failures"], say)
    if asked["do"] == "lldp":
        found = neighbours(bench)
        say({"neighbours": found})
        return tell(compare(bench, found), say)
    counted = bench.machines.networks.each(bench.switches, bench.daemons.sessions)
    up, every = (sum(each[index] for each in counted) // 2 for index in (0, 1))
    say({"sessions": up, "of": every})
    return 0


def inside(keep: LabRegistry, node: str, command: list[str]) -> int:
    """Run a command in a node of a running lab, on this terminal, and return its exit code. Raises Refusal where there is no such node."""
    facts = keep.facts
    if node not in facts["nodes"]:
        raise _unknown(node, facts["nodes"])
    first = next(iter(children(facts["guard"])), None)
    if first is None:
        raise refuse(
            "no-such-lab",
            f"the lab `{keep.name}` has ended",
            hint="`fabricgen lab up` boots it again",
        )
    own = [] if _same_user_space(first) else ["--user", "--preserve-credentials"]
    words = [
        "nsenter",
        "--target",
        str(first),
        *own,
        "--mount",
        "--pid",
        "--",
        "ip",
        "netns",
        "exec",
        node,
        *command,
    ]
    sys.stdout.flush()
    return subprocess.run(words, check=False).returncode  # noqa: S603 - the user's own command


def _same_user_space(number: int) -> bool:
    """Say whether a process shares our user namespace."""
    return Path(f"/proc/{number}/ns/user").readlink() == Path("/proc/self/ns/user").readlink()


def _unknown(node: str, nodes: list[str]) -> Refusal:
    """Refuse a node that the lab does not have."""
    return refuse(
        "no-such-node",
        f"the lab has no node `{node}`",
        hint=suggest(node, nodes, f"nodes are {nodes[0]}, d0-g0, hb:0 and the like"),
    )
