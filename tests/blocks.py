"""The blocks of code in a Markdown file, and a session that runs them as a reader would.

A `console` block holds commands and their output. A block with a title is the file of that name. A
block that cannot run everywhere has its reason in a comment above it, `not run: ...`, and one that
boots a lab has `lab: ...`. In the output `...` matches anything, and alone on a line any lines.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests import ROOT
from tests.conftest import clean_environment, in_process

if TYPE_CHECKING:
    from collections.abc import Iterable

FENCED = re.compile(
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
INDENTED = re.compile(r"(?<=\n\n)(?:(?: {4}.*)?\n)*? {4}.*\n(?=\n|\Z)")
MARK = re.compile(r"<!-- (?P<word>not run|lab): (?P<reason>[^>]+) -->\s*\Z")
PROGRAM = re.compile(r"fabricgen [^|&;<>$`\\*?~()]*")
"""A line that starts the program, without anything that a shell would do."""
SEEN_IN_A_CHECKOUT = ("examples", "inventories", "templates", "tests")


class Block(NamedTuple):
    """One block of code: its language, its file name, and the mark above it with its reason."""

    page: str
    language: str
    title: str
    text: str
    mark: str
    reason: str


def blocks_of(page: Path) -> list[Block]:
    """List the blocks of a page, fenced or indented; an indented one has no language."""
    text = page.read_text(encoding="utf-8")
    bare = FENCED.sub(
        lambda found: re.sub(r"[^\n]", "`", found[0]), text
    )  # of the same length, and without a fence
    found = sorted([*FENCED.finditer(text), *INDENTED.finditer(bare)], key=re.Match.start)
    return [_block(page, text, match) for match in found]


def _block(page: Path, text: str, match: re.Match[str]) -> Block:
    """Read one block, with the mark above it."""
    mark = MARK.search(text[: match.start()])
    parts = match.groupdict()
    word, reason = (mark["word"], mark["reason"]) if mark else ("", "")
    return Block(
        page.name,
        parts.get("language") or "",
        parts.get("title") or "",
        parts.get("text", match[0]),
        word,
        reason,
    )


def checkout(place: Path) -> Path:
    """Make a copy of a checkout, so that commands write there and not into the real one."""
    place.mkdir(exist_ok=True)
    for name in SEEN_IN_A_CHECKOUT:
        (place / name).symlink_to(ROOT / name)
    return place


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return each command of a console block with the lines below it."""
    pieces = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [
        (command, output.strip())
        for command, _, output in (piece.partition("\n") for piece in pieces)
    ]


def run_session(blocks: Iterable[Block], place: Path) -> int:
    """Write the files, run the commands in order and compare their output.

    Return the number of commands.

    The expected exit code is 2 where the output begins with an error, else 0.
    """
    counted = 0
    for block in blocks:
        if block.title:
            path = place / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        for command, output in commands_of(block) if block.language == "console" else []:
            done = run_line(command, place)
            printed = (done.stdout + done.stderr).strip()
            assert done.returncode == (2 if output.startswith("error[") else 0), (
                f"{command}\n{printed}"
            )
            assert not output or matches(output, printed), (
                f"{command}\nprinted:\n{printed}\nand the page has:\n{output}"
            )
            counted += 1
    return counted


def run_line(command: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Run a line: the program in this process, and anything else, like its filters, in a shell."""
    program, pipe, filters = command.partition(" | ")
    if not PROGRAM.fullmatch(program):
        return shell(command, place)
    done = in_process(shlex.split(program)[1:], place, clean_environment(place))
    if not pipe:
        return done
    last = shell(filters, place, done.stdout)
    last.stderr = done.stderr + last.stderr
    return last


def shell(command: str, place: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run one line, with the program of this environment."""
    environment = clean_environment(place)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    return subprocess.run(
        ["/bin/bash", "-c", command],
        input=stdin,
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def matches(stdout_text: str, printed: str) -> bool:
    r"""Compare texts: `...` matches anything on its line, and alone on a line any lines.

    >>> matches("a\n...\nd ... f", "a\nb\nc\nd e f"), matches("a ... c", "a\nc")
    (True, False)
    """
    lines = [
        r"(?:.*\n)*"
        if line.strip() == "..."
        else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"\s*?\n"
        for line in stdout_text.splitlines()
    ]
    return re.fullmatch("".join(lines), printed + "\n") is not None
