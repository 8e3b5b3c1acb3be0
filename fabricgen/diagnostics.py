"""What a finding is and how it prints.

A finding is a fact with its place, the arithmetic behind it and a hint that works. Whoever finds a problem names a path into the
inventory; `reading`, which holds the file, turns the path into a line. Printing is complete without colour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Path = tuple[str | int, ...]

RED, BOLD, BLUE, CYAN, YELLOW, RESET = "\x1b[31m", "\x1b[1m", "\x1b[34m", "\x1b[36m", "\x1b[33m", "\x1b[0m"


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
        """Return the finding with its path turned into a place, unless it has one."""
        return self if self.place else replace(self, place=locate(self.path))


class Refusal(Exception):  # noqa: N818 - the word of the house: a refusal is a proof, not an accident
    """Input that cannot be planned; carries every finding of the phase that refused it."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        """Keep the findings in the order in which they were made."""
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{finding.code}: {finding.fact}" for finding in self.findings))


def refuse(code: str, fact: str, *, path: Path = (), because: Iterable[str] = (), hint: str = "") -> Refusal:
    """Make a refusal of one finding; the caller raises it."""
    return Refusal([Finding(code, fact, path, tuple(because), hint)])


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a typist most likely meant, or None.

    >>> nearest("oversubscripton", ["oversubscription", "spread"])
    'oversubscription'
    """
    matches = get_close_matches(str(word), sorted(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


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
    lines = [f"{red}{bold}{finding.level}[{finding.code}]{reset}{bold}: {finding.fact}{reset}"]
    if finding.place:
        lines.append(f"  {blue}-->{reset} {finding.place}")
    lines += [f"   {blue}={reset} because {reason}" for reason in finding.because]
    if finding.hint:
        lines += ["", f"{cyan}hint{reset}: {finding.hint}"]
    return "\n".join(lines)
