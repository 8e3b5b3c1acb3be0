"""The labs that stay up: their directories, the processes that hold them, and their sockets.

Owns the directory of a running lab and the messages on its socket. A lab has a name; one of another
name is independent. Only processes that the lab itself started are ended. The next command removes
the directories of labs that died.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.core.diagnostics import Finding, Refusal, refuse
from fabricgen.lab.process_tree import end, started_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONTROL, RECORD, LOG = "control", "lab.json", "log"
UNFINISHED = ".new-"
"""Prefix of a directory until its record is written; the number of the writing process follows."""


@dataclass(frozen=True)
class LabRegistry:
    """The directory and the process of one lab, by its name."""

    name: str

    @property
    def place(self) -> Path:
        """The directory of this user's lab of this name."""
        return labs() / self.name

    def make(self, facts: dict[str, Any]) -> Path:
        """Create the lab's private directory with a record of the lab, and return it.

        Until `record` adds its guard, this process counts as such. Raises Refusal where a lab of
        this name is up, or the directory cannot be made.
        """
        _make_room()
        clear_away()
        fresh = labs() / f"{UNFINISHED}{os.getpid()}"
        fresh.mkdir(mode=0o700)
        _write(fresh, facts | _guarded_by(os.getpid()) | {"ready": False})
        try:
            fresh.rename(self.place)
        except OSError:
            shutil.rmtree(fresh)
            hint = "`fabricgen lab down` ends it, `--name` gives this one another name"
            raise refuse(
                "lab-is-up", f"a lab called `{self.name}` is up already", hint=hint
            ) from None
        return self.place

    def record(self, guard: int, *, ready: bool) -> None:
        """Record the guard of the lab, and whether the lab is ready for commands."""
        _write(self.place, _read(self.place) | _guarded_by(guard) | {"ready": ready})

    @property
    def facts(self) -> dict[str, Any]:
        """The record of the lab. Raises Refusal where there is no such lab."""
        found = _read(self.place)
        if not _lives(found):
            others = ", ".join(registry.name for registry in running_labs())
            raise refuse(
                "no-such-lab",
                f"no lab called `{self.name}` is up",
                hint=f"labs that are up: {others}" if others else _UP,
            )
        return found

    def ask(self, words: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Send a command to the running lab and yield its answers.

        Raises Refusal where there is no lab, where it does not answer, and where it refuses.
        """
        _ = self.facts
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.connect(str(self.place / CONTROL))
            except OSError as error:
                raise self._silent(str(error.strerror)) from error
            line.sendall(json.dumps(words).encode() + b"\n")
            ended = False
            for text in line.makefile(encoding="utf-8"):
                answer = read_message(text)
                ended = "end" in answer
                yield answer
            if not ended:
                raise self._silent("it ended before it had answered")

    def _silent(self, why: str) -> Refusal:
        """Return the refusal of a lab that does not answer."""
        return refuse(
            "no-such-lab",
            f"the lab `{self.name}` does not answer",
            because=(why,),
            hint="`fabricgen lab down` ends it",
        )

    def end(self) -> None:
        """End the lab by its guard."""
        facts = _read(self.place)
        if _lives(facts) and facts["guard"] != os.getpid():
            end(facts["guard"])
        shutil.rmtree(self.place, ignore_errors=True)


_UP = "`fabricgen lab up` boots one"


def _write(place: Path, facts: dict[str, Any]) -> None:
    """Write a record atomically."""
    fresh = place / f"{RECORD}{UNFINISHED}"
    fresh.write_text(json.dumps(facts), encoding="utf-8")
    fresh.rename(place / RECORD)


def _read(place: Path) -> dict[str, Any]:
    """Return a record; empty where there is none."""
    try:
        found: dict[str, Any] = json.loads((place / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _guarded_by(guard: int) -> dict[str, Any]:
    """Return the entries of a record about a lab's guard."""
    return {"guard": guard, "guard_started": started_at(guard)}


def _lives(facts: dict[str, Any]) -> bool:
    """Return whether the recorded guard of a lab is running."""
    return (
        bool(facts)
        and bool(facts["guard_started"])
        and started_at(facts["guard"]) == facts["guard_started"]
    )


def labs() -> Path:
    """Return the directory of this user's labs."""
    base = os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/fabricgen-{os.getuid()}"  # noqa: S108 - made for this user alone, and refused where it is another's
    return Path(base) / "fabricgen-lab"


def _make_room() -> None:
    """Create the directory of this user's labs. Raises Refusal where it belongs to another user."""
    hint = "set XDG_RUNTIME_DIR to a directory of your own"
    try:
        labs().mkdir(parents=True, mode=0o700, exist_ok=True)
    except OSError as error:
        raise refuse(
            "cannot-write", f"cannot make `{labs()}`: {error.strerror}", hint=hint
        ) from error
    if {labs().stat().st_uid, labs().parent.stat().st_uid} != {os.getuid()}:
        raise refuse("cannot-write", f"`{labs()}` belongs to another user", hint=hint)


def clear_away() -> None:
    """Remove the directories of this user's labs that died."""
    for place in labs().glob("*"):
        unfinished = place.name.startswith(UNFINISHED)
        if not (
            started_at(int(place.name.removeprefix(UNFINISHED)))
            if unfinished
            else _lives(_read(place))
        ):
            shutil.rmtree(place, ignore_errors=True)


def running_labs() -> list[LabRegistry]:
    """Return this user's labs that are up, by name."""
    clear_away()
    return [
        LabRegistry(path.parent.name)
        for path in sorted(labs().glob(f"*/{RECORD}"))
        if not path.parent.name.startswith(UNFINISHED)
    ]


def only_lab() -> LabRegistry:
    """Return the lab that is up. Raises Refusal where there is none, or more than one."""
    found = running_labs()
    if len(found) == 1:
        return found[0]
    names = ", ".join(registry.name for registry in found)
    raise refuse(
        "no-such-lab",
        "several labs are up" if found else "no lab is up",
        hint=f"choose one with `--name`: {names}" if found else _UP,
    )


def serve(
    listening: socket.socket,
    answer: Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], None],
) -> None:
    """Answer requests one after the other until the lab ends."""
    while True:
        line, _ = listening.accept()
        with line, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            words = json.loads(line.makefile(encoding="utf-8").readline() or "{}")

            def emit(document: dict[str, Any], line: socket.socket = line) -> None:
                line.sendall(json.dumps(document).encode() + b"\n")

            answer(words, emit)


def refused(refusal: Refusal) -> dict[str, Any]:
    """Encode a refusal for another process."""
    return {
        "refused": [
            [finding.code, finding.fact, finding.because, finding.hint]
            for finding in refusal.findings
        ]
    }


def read_message(line: str) -> dict[str, Any]:
    """Decode a message of another process. Raises Refusal where it carries one."""
    document: dict[str, Any] = json.loads(line)
    if "refused" in document:
        raise Refusal(
            Finding(code, fact, because=tuple(because), hint=hint)
            for code, fact, because, hint in document["refused"]
        )
    return document
