"""A lab that stays up: who keeps it, where it is found again, and what it is told.

Owns the directory of a running lab and the words that go through its socket. A lab is known by a
name; a second one of another name does not touch it. Only processes that the lab itself started are
ever ended. Directories of labs that died are cleared away by whoever comes next.
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
"""What the name of a directory begins with until its record is written; the number of the process that writes it follows."""


@dataclass(frozen=True)
class LabRegistry:
    """The place of one lab, by its name."""

    name: str

    @property
    def place(self) -> Path:
        """The directory of this user's lab of this name."""
        return labs() / self.name

    def make(self, facts: dict[str, Any]) -> Path:
        """Make the directory, for this user alone, with what is known of the lab; until `record` tells of its guard, this process stands for it.

        Raises Refusal where a lab of this name is up, or the directory cannot be made.
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
        """Keep who guards the lab, and whether it is ready to be asked."""
        _write(self.place, _read(self.place) | _guarded_by(guard) | {"ready": ready})

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the lab. Raises Refusal where there is no such lab."""
        found = _read(self.place)
        if not _lives(found):
            others = ", ".join(keep.name for keep in every_keep())
            raise refuse(
                "no-such-lab",
                f"no lab called `{self.name}` is up",
                hint=f"labs that are up: {others}" if others else _UP,
            )
        return found

    def ask(self, words: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Ask the running lab something and yield its answers. Raises Refusal where there is none, where it does not answer, and where it refuses."""
        _ = self.facts
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.connect(str(self.place / CONTROL))
            except OSError as error:
                raise self._silent(str(error.strerror)) from error
            line.sendall(json.dumps(words).encode() + b"\n")
            ended = False
            for text in line.makefile(encoding="utf-8"):
                answer = heard(text)
                ended = "end" in answer
                yield answer
            if not ended:
                raise self._silent("it ended before it had answered")

    def _silent(self, why: str) -> Refusal:
        """Refuse to go on with a lab that does not answer."""
        return refuse(
            "no-such-lab",
            f"the lab `{self.name}` does not answer",
            because=(why,),
            hint="`fabricgen lab down` ends it",
        )

    def end(self) -> None:
        """End the lab: the guard's end ends everything in it."""
        facts = _read(self.place)
        if _lives(facts) and facts["guard"] != os.getpid():
            end(facts["guard"])
        shutil.rmtree(self.place, ignore_errors=True)


_UP = "`fabricgen lab up` boots one"


def _write(place: Path, facts: dict[str, Any]) -> None:
    """Write a record whole or not at all."""
    fresh = place / f"{RECORD}{UNFINISHED}"
    fresh.write_text(json.dumps(facts), encoding="utf-8")
    fresh.rename(place / RECORD)


def _read(place: Path) -> dict[str, Any]:
    """Read a record; empty where there is none."""
    try:
        found: dict[str, Any] = json.loads((place / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _guarded_by(guard: int) -> dict[str, Any]:
    """Return what a record says of a lab's guard."""
    return {"guard": guard, "guard_started": started_at(guard)}


def _lives(facts: dict[str, Any]) -> bool:
    """Say whether the process that keeps a lab lives, and is the one that was recorded."""
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
    """Make the directory of this user's labs. Raises Refusal where it is somebody else's, or cannot be made."""
    hint = "set XDG_RUNTIME_DIR to a directory of your own"
    try:
        labs().mkdir(parents=True, mode=0o700, exist_ok=True)
    except OSError as error:
        raise refuse(
            "cannot-write", f"cannot make `{labs()}`: {error.strerror}", hint=hint
        ) from error
    if {labs().stat().st_uid, labs().parent.stat().st_uid} != {os.getuid()}:
        raise refuse("cannot-write", f"`{labs()}` belongs to somebody else", hint=hint)


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


def every_keep() -> list[LabRegistry]:
    """List this user's labs that are up, by name."""
    clear_away()
    return [
        LabRegistry(path.parent.name)
        for path in sorted(labs().glob(f"*/{RECORD}"))
        if not path.parent.name.startswith(UNFINISHED)
    ]


def only_keep() -> LabRegistry:
    """Return the lab that is up. Raises Refusal where there is none, or more than one."""
    found = every_keep()
    if len(found) == 1:
        return found[0]
    names = ", ".join(keep.name for keep in found)
    raise refuse(
        "no-such-lab",
        "several labs are up" if found else "no lab is up",
        hint=f"`--name` says which: {names}" if found else _UP,
    )


def serve(
    listening: socket.socket,
    answer: Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], None],
) -> None:
    """Answer requests, one after the other, for as long as the lab lives."""
    while True:
        line, _ = listening.accept()
        with line, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            words = json.loads(line.makefile(encoding="utf-8").readline() or "{}")

            def say(document: dict[str, Any], line: socket.socket = line) -> None:
                line.sendall(json.dumps(document).encode() + b"\n")

            answer(words, say)


def refused(refusal: Refusal) -> dict[str, Any]:
    """Put a refusal into words that go to another process."""
    return {
        "refused": [
            [finding.code, finding.fact, finding.because, finding.hint]
            for finding in refusal.findings
        ]
    }


def heard(line: str) -> dict[str, Any]:
    """Read what another process said. Raises Refusal where it was one."""
    document: dict[str, Any] = json.loads(line)
    if "refused" in document:
        raise Refusal(
            Finding(code, fact, because=tuple(because), hint=hint)
            for code, fact, because, hint in document["refused"]
        )
    return document
