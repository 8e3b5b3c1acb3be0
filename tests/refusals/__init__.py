"""Refused inputs, one file for each error code.

A file is the invalid inventory itself. Comments below it have the command and the expected text:

    # run: fabricgen plan fabric.yaml        the command; the inventory is always fabric.yaml
    # file own/switches/box.yaml:            another file beside it, whose lines follow, indented
    # grown to: 1048577 bytes                the inventory is filled up with blanks
    # shown by: tests/lab/test_refused.py    the test that brings the machine into the state that
                                             the case needs, and compares the text
    # fixed by: --set rails.count=4          the hint, followed: words that are added to the command
    # fixed by: OLD => NEW                   the hint, followed: a change of inventory or command
    # expect:                                the exact text on stderr, to the end of the file

A second case of a code is called `<code>--<what>.yaml`. With FABRICGEN_UPDATE=1 the tests write the
expected text; read it before it is committed.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
INVENTORY = "fabric.yaml"
_FIRST = re.compile(rb"^# (run|file [^\n]+|grown to|shown by|fixed by|expect):", re.MULTILINE)


@dataclass
class Case:
    """One refusal file, read."""

    path: Path
    body: bytes
    command: list[str] = field(default_factory=list)
    reads_stdin: bool = False
    files: dict[str, str] = field(default_factory=dict)
    fixes: list[str] = field(default_factory=list)
    shown_by: str = ""
    expected: str = ""

    @property
    def code(self) -> str:
        """The error code of the file."""
        return self.path.stem.partition("--")[0]

    def lay_out(self, folder: Path) -> None:
        """Write the inventory and the files beside it."""
        for name, text in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        if self.body:
            (folder / INVENTORY).write_bytes(self.body)


def read_case(path: Path) -> Case:
    """Read a refusal file."""
    data = path.read_bytes()
    found = _FIRST.search(data)
    assert found, f"{path.name} has neither a command nor an expected text"
    case = Case(
        path, data[: found.start()].rstrip() + b"\n" if data[: found.start()].strip() else b""
    )
    command, below = f"fabricgen plan {INVENTORY}", None
    for line in data[found.start() :].decode("utf-8").splitlines():
        output = line.removeprefix("#").removeprefix(" ")
        key, _, value = output.partition(": ")
        if below is not None and not (below and output and not output.startswith(" ")):
            case.files[below] = case.files.get(below, "") + output.removeprefix("  ") + "\n"
        elif key == "run":
            command = value
        elif key == "grown to":
            case.body = case.body.ljust(int(value.removesuffix(" bytes")))
        elif key == "shown by":
            case.shown_by = value
        elif key == "fixed by":
            case.fixes.append(value)
        else:
            below = output.removeprefix("file ").rstrip(":") if output.startswith("file ") else ""
    case.expected = case.files.pop("", "")
    words, _, source = command.partition(" < ")
    case.command, case.reads_stdin = shlex.split(words)[1:], bool(source)
    return case


def write_expected(path: Path, text: str) -> None:
    """Replace what a refusal file expects."""
    data = path.read_bytes()
    lines = ["# expect:", *(f"#   {line}".rstrip() for line in text.rstrip("\n").split("\n"))]
    kept = data.partition(b"# expect:")[0].rstrip()
    path.write_bytes(kept + (b"\n" if kept else b"") + "\n".join(lines).encode() + b"\n")


CASES = [read_case(path) for path in sorted(FOLDER.glob("*.yaml"))]
