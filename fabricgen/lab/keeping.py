"""A lab that stays up: who keeps it, where it is found again, and what it is told.

Owns the directory of a running lab and the words that go through its socket. A lab is known by a name; a second one of another name does
not touch it. Only processes that the lab itself started are ever ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONTROL, RECORD, LOG = "control", "lab.json", "log"
START_S, END_S = 600.0, 10.0
"""How long a lab may take to come up, and to go."""


@dataclass(frozen=True)
class Keep:
    """The place of one lab, by its name."""

    name: str

    @property
    def place(self) -> Path:
        """The directory of this user's lab of this name."""
        return labs() / self.name

    def make(self) -> Path:
        """Make the directory, for this user alone. Raises Refusal where a lab of this name is up, or the directory is somebody else's."""
        if self.alive():
            hint = "`fabricgen lab down` ends it, `--name` gives this one another name"
            raise refuse("lab-is-up", f"a lab called `{self.name}` is up already", hint=hint)
        shutil.rmtree(self.place, ignore_errors=True)
        labs().mkdir(parents=True, mode=0o700, exist_ok=True)
        if labs().stat().st_uid != os.getuid():
            raise refuse("cannot-write", f"{labs()} belongs to somebody else")
        self.place.mkdir(mode=0o700)
        return self.place

    def record(self, facts: dict[str, Any]) -> None:
        """Keep what is known of the lab."""
        (self.place / RECORD).write_text(json.dumps(facts), encoding="utf-8")

    @property
    def facts(self) -> dict[str, Any]:
        """What was kept. Raises Refusal where there is no such lab."""
        try:
            found: dict[str, Any] = json.loads((self.place / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise refuse("no-such-lab", f"no lab called `{self.name}` is up", hint="`fabricgen lab up` boots one") from None
        return found

    def alive(self) -> bool:
        """Say whether the lab's first process lives, and is the one that was recorded."""
        try:
            facts = json.loads((self.place / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(started_at(facts["guard"]) == facts["guard_started"])

    def ask(self, words: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Ask the running lab something and yield its answers. Raises Refusal where it does not answer."""
        _ = self.facts
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.connect(str(self.place / CONTROL))
            except OSError as error:
                because = (f"{self.place / CONTROL}: {error.strerror}",)
                raise refuse("no-such-lab", f"the lab `{self.name}` does not answer", because=because, hint="`fabricgen lab down` clears it away") from error
            line.sendall(json.dumps(words).encode() + b"\n")
            for text in line.makefile(encoding="utf-8"):
                yield json.loads(text)

    def end(self) -> None:
        """End the lab: the guard's end ends everything in it."""
        if self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.facts["guard"], signal.SIGKILL)
            deadline = time.monotonic() + END_S
            while self.alive() and time.monotonic() < deadline:
                time.sleep(0.02)
        shutil.rmtree(self.place, ignore_errors=True)


def labs() -> Path:
    """Return the directory of this user's labs."""
    base = os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/fabricgen-{os.getuid()}"  # noqa: S108 - made for this user alone, and refused where it is another's
    return Path(base) / "fabricgen-lab"


def every_keep() -> list[Keep]:
    """List this user's labs, by name."""
    return [Keep(path.parent.name) for path in sorted(labs().glob(f"*/{RECORD}"))]


def only_keep() -> Keep:
    """Return the lab that is up. Raises Refusal where there is none, or more than one."""
    found = every_keep()
    if len(found) == 1:
        return found[0]
    names = ", ".join(keep.name for keep in found)
    hint = f"`--name` says which: {names}" if found else "`fabricgen lab up` boots one"
    raise refuse("no-such-lab", "several labs are up" if found else "no lab is up", hint=hint)


def started_at(number: int) -> str:
    """Return when a process started, in the kernel's own ticks, or nothing where there is none; a number alone may have been given out again."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def serve(listening: socket.socket, answer: Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], None]) -> None:
    """Answer requests, one after the other, for as long as the lab lives."""
    while True:
        line, _ = listening.accept()
        with line, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            words = json.loads(line.makefile(encoding="utf-8").readline() or "{}")

            def say(document: dict[str, Any], line: socket.socket = line) -> None:
                line.sendall(json.dumps(document).encode() + b"\n")

            answer(words, say)
