"""A lab that is up in the background: how it is put there, and what it answers.

Owns the process that holds a lab between commands; where that is found again is `keeping`'s.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.diagnostics import Refusal, refuse, suggest
from fabricgen.lab.isolating import run_isolated
from fabricgen.lab.keeping import CONTROL, LOG, serve, started_at
from fabricgen.lab.layout import lay_out
from fabricgen.lab.lldp import compare, neighbours
from fabricgen.lab.session import as_root, attempt, boot

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.lab.keeping import Keep
    from fabricgen.lab.session import Wish
    from fabricgen.lab.trials import Bench

    Say = Callable[[dict[str, Any]], None]


def put_up(wish: Wish, keep: Keep, say: Say) -> None:
    """Boot a lab that stays up. Raises Refusal where it does not come up; then nothing of it is left."""
    place = keep.make()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(place / CONTROL))
    listening.listen()
    reading, writing = os.pipe()
    guard = run_isolated(lambda: _hold(wish, place, listening, (reading, writing)), as_root=as_root(), detached=True)
    os.close(writing)
    listening.close()
    layout = lay_out(wish.plan, wish.rails, wish.domains)
    facts = {"guard": guard, "guard_started": started_at(guard), "out": str(wish.out), "nodes": layout.nodes, "gpus": len(layout.gpus)}
    keep.record(facts | {"switches": len(layout.switches), "fabric": wish.plan.spec.name})
    with os.fdopen(reading, encoding="utf-8") as words:
        for line in words:
            document = json.loads(line)
            if document.get("ready"):
                return
            say(document)
    log = (place / LOG).read_text(encoding="utf-8", errors="replace").strip()
    keep.end()
    raise _failed(log)


def _failed(log: str) -> Refusal:
    """Refuse with what the lab's own log says last."""
    return refuse("lab-failed", "the lab did not come up", because=tuple(log.splitlines()[-4:]), hint="`fabricgen lab doctor` says what is missing")


def _hold(wish: Wish, place: Path, listening: socket.socket, pipe: tuple[int, int]) -> int:
    """Boot a lab and answer for it, detached from whoever asked for it."""
    reading, writing = pipe
    os.close(reading)
    log = os.open(place / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stands_for in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(number, stands_for)
    with os.fdopen(writing, "w", encoding="utf-8") as words:

        def tell(document: dict[str, Any]) -> None:
            words.write(json.dumps(document) + "\n")
            words.flush()

        bench = boot(lay_out(wish.plan, wish.rails, wish.domains), wish.out, tell)
        tell({"ready": True})
    serve(listening, lambda asked, say: _answer(bench, asked, say))
    return 0


def _answer(bench: Bench, asked: dict[str, Any], say: Say) -> None:
    """Do what is asked of a running lab."""
    try:
        if asked.get("do") == "test":
            say({"end": attempt(bench, asked.get("failures", "none"), say)})
        elif asked.get("do") == "status":
            counted = bench.machines.networks.each(bench.switches, bench.daemons.sessions)
            up, every = (sum(each[index] for each in counted) // 2 for index in (0, 1))
            say({"sessions": up, "of": every, "end": 0})
        elif asked.get("do") == "lldp":
            found = neighbours(bench)
            outcome = compare(bench, found)
            say({"neighbours": found})
            say({"code": outcome.code, "title": outcome.title, "ok": outcome.ok, "figure": outcome.figure, "findings": outcome.findings})
            say({"end": int(not outcome.ok)})
    except Refusal as refusal:
        say(
            {"refused": [finding.fact for finding in refusal.findings], "because": [line for finding in refusal.findings for line in finding.because], "end": 1}
        )


def inside(keep: Keep, node: str, command: list[str]) -> int:
    """Run a command in a node of a running lab, on this terminal, and return its exit code. Raises Refusal where there is no such node."""
    facts = keep.facts
    if node not in facts["nodes"]:
        raise _unknown(node, facts["nodes"])
    first = Path(f"/proc/{facts['guard']}/task/{facts['guard']}/children").read_text(encoding="ascii").split()[0]
    own = [] if os.geteuid() == 0 and _same_user_space(first) else ["--user", "--preserve-credentials"]
    words = ["nsenter", "--target", first, *own, "--mount", "--pid", "--", "ip", "netns", "exec", node, *command]
    sys.stdout.flush()
    return subprocess.run(words, check=False).returncode  # noqa: S603 - the user's own command


def _same_user_space(number: str) -> bool:
    """Say whether a process shares our user namespace."""
    return Path(f"/proc/{number}/ns/user").readlink() == Path("/proc/self/ns/user").readlink()


def _unknown(node: str, nodes: list[str]) -> Refusal:
    """Refuse a node that the lab does not have."""
    return refuse("no-such-node", f"the lab has no node `{node}`", hint=suggest(node, nodes, f"nodes are {nodes[0]}, d0-g0, hb:0 and the like"))
