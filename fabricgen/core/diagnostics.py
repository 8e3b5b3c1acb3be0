"""What a finding is and how it prints.

A finding is a fact with its place, the arithmetic behind it and a hint that works. Whoever finds a
problem names a path into the inventory; `reading`, which holds the file, turns the path into a
line. Printing is complete without colour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Path = tuple[str | int, ...]

RED, BOLD, BLUE, CYAN, YELLOW, RESET = (
    "\x1b[31m",
    "\x1b[1m",
    "\x1b[34m",
    "\x1b[36m",
    "\x1b[33m",
    "\x1b[0m",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding stands: a file with line and column from 1, or only a source such as `--gpus`."""

    source: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """`file:line:column`, as editors and terminals link it."""
        return self.source if self.line is None else f"{self.source}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One refused fact: `code` names the kind, `because` is the arithmetic, `path` the key in the inventory."""

    code: str
    fact: str
    path: Path = ()
    because: tuple[str, ...] = ()
    hint: str = ""
    place: Place | None = None
    level: str = "error"

    def located(self, locate: Callable[[Path], Place]) -> Finding:
        """Return the finding with its path turned into a place, unless it has one or is not about a key."""
        return self if self.place or not self.path else replace(self, place=locate(self.path))


class Refusal(Exception):  # noqa: N818 - the word of the house: a refusal is a proof, not an accident
    """Input that cannot be planned; carries every finding of the phase that refused it."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        """Keep the findings in the order in which they were made."""
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{finding.code}: {finding.fact}" for finding in self.findings))

    def __reduce__(self) -> tuple[type[Refusal], tuple[tuple[Finding, ...]]]:
        """Travel from a worker process whole: by its findings, not by its message."""
        return Refusal, (self.findings,)


def refuse(
    code: str, fact: str, *, path: Path = (), because: Iterable[str] = (), hint: str = ""
) -> Refusal:
    """Make a refusal of one finding; the caller raises it."""
    return Refusal([Finding(code, fact, path, tuple(because), hint)])


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a typist most likely meant, or None: the same but for case and hyphens, a beginning, or nearly the same.

    >>> nearest("oversubscripton", ["oversubscription", "spread"])
    'oversubscription'
    >>> nearest("h100", ["dgx-h100", "gh200"])
    'dgx-h100'
    """
    words = {_plain(other): other for other in sorted(known)}
    typed = _plain(word)
    if typed in words:
        return words[typed]
    short = len(typed) < SHORTEST
    starts = [] if short else [other for other in words if other.startswith(typed)]
    inside = [] if short else [other for other in words if typed in other]
    close = get_close_matches(typed, words, n=1, cutoff=0.7)
    found = next((group[0] for group in (starts, close, inside) if len(group) == 1), None)
    return found and words[found]


SHORTEST = 3
"""Letters that a word must have to stand for a longer one that it begins, or is part of."""


def _plain(word: str) -> str:
    """Return a word without what typists mix up: case, hyphens and underscores."""
    return str(word).lower().replace("_", "-").replace(" ", "-")


def suggest(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint: the known word that was most likely meant, or what to say `otherwise`.

    >>> suggest("rials", ["rails", "spread"])
    'did you mean `rails`?'
    """
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else otherwise


def text_of(finding: Finding, *, colour: bool = False) -> str:
    """Print one finding in full.

    >>> print(text_of(Finding("no-such-key", "`rials` is not a key of an inventory", place=Place("fabric.yaml", 3, 1), hint="did you mean `rails`?")))
    error[no-such-key]: `rials` is not a key of an inventory
      --> fabric.yaml:3:1
    <BLANKLINE>
    hint: did you mean `rails`?
    """
    red, bold, blue, cyan, reset = (RED, BOLD, BLUE, CYAN, RESET) if colour else ("",) * 5
    if finding.level != "error":
        red = YELLOW if colour else ""
    lines = [
        f"{red}{bold}{finding.level}[{finding.code}]{reset}{bold}: {_line(finding.fact)}{reset}"
    ]
    if finding.place:
        lines.append(f"  {blue}-->{reset} {_line(finding.place)}")
    lines += [f"   {blue}={reset} because {_line(reason)}" for reason in finding.because]
    if finding.hint:
        lines += ["", f"{cyan}hint{reset}: {_line(finding.hint)}"]
    return "\n".join(lines)


MOST_SHOWN = 2000
"""Characters of a line of a finding that are printed: a name may be as long as a file."""


def printable(text: object, keep: str = "") -> str:
    """Write out what would move a terminal's cursor or break a line: whoever wrote the inventory must not write on the screen.

    `keep` lists the control characters that stay.
    """
    said = str(text)
    if said.isprintable():
        return said
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in said
    )


def _line(text: object) -> str:
    """Write out one line of a finding, or its beginning."""
    said = printable(text)
    return said if len(said) <= MOST_SHOWN else f"{said[:MOST_SHOWN]}…"
