"""Findings and refusals, and how they are printed.

A finding is a fact with its place, the arithmetic behind it and a hint. The code that detects a
problem gives the path of a key in the inventory; `inventory.load`, which has the file, turns that
path into a line. The output is complete without colour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from fabricgen.core.document import Document

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
class Place(Document):
    """The place of a finding: a file with line and column from 1, or a source such as `--gpus`."""

    source: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """`file:line:column`, as editors and terminals link it."""
        return self.source if self.line is None else f"{self.source}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding(Document):
    """One finding: `code` names its kind, `because` is the arithmetic, `path` the inventory key."""

    code: str
    fact: str
    path: Path = ()
    because: tuple[str, ...] = ()
    hint: str = ""
    place: Place | None = None
    level: str = "error"

    def document(self) -> dict[str, Any]:
        """Return the finding in the keys of every `--json`."""
        return {
            "code": self.code,
            "level": self.level,
            "fact": self.fact,
            "place": self.place and self.place.document(),
            "because": list(self.because),
            "hint": self.hint,
        }

    def located(self, locate: Callable[[Path], Place]) -> Finding:
        """Return the finding with the place of its path, if it has a path and no place yet."""
        return self if self.place or not self.path else replace(self, place=locate(self.path))


MOST_FINDINGS = 20
"""Findings of a refusal that are shown, and for which hints are searched."""


class Refusal(Exception):  # noqa: N818 - the project's term: a refusal is a proof, not an accident
    """Input that cannot be planned; carries the findings of the phase that refused it.

    Those above `MOST_FINDINGS` are counted in `more`: a file may have as many faults as lines.
    """

    def __init__(self, findings: Iterable[Finding], more: int = 0) -> None:
        """Keep the first findings in the given order; `more` were counted before."""
        every = iter(findings)
        self.findings = tuple(islice(every, MOST_FINDINGS))
        self.more = more + sum(1 for _ in every)
        super().__init__("; ".join(f"{finding.code}: {finding.fact}" for finding in self.findings))

    def __reduce__(self) -> tuple[type[Refusal], tuple[tuple[Finding, ...], int]]:
        """Pickle by the findings, so that a worker process can raise it in its parent."""
        return Refusal, (self.findings, self.more)


def refuse(
    code: str, fact: str, *, path: Path = (), because: Iterable[str] = (), hint: str = ""
) -> Refusal:
    """Return a refusal with one finding; the caller raises it."""
    return Refusal([Finding(code, fact, path, tuple(because), hint)])


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was most likely meant, or None.

    A word matches where it differs in case and hyphens only, where it is the beginning or a part of
    one known word, or where it is nearly the same. Of several words that begin with it, the
    shortest matches if the others only add to that.

    >>> nearest("sn560", ["sn5600", "sn5600d", "sn5640"])
    'sn5600'
    >>> nearest("oversubscripton", ["oversubscription", "spread"])
    'oversubscription'
    >>> nearest("h100", ["dgx-h100", "gh200"]), nearest("sn5601", ["sn5640", "sn5600", "sn5610"])
    ('dgx-h100', 'sn5600')
    """
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415 - for mistyped words only

    words = {_plain(other): other for other in sorted(known)}
    typed = _plain(word)
    if typed in words:
        return words[typed]
    short = len(typed) < SHORTEST
    starts = [] if short else [other for other in words if other.startswith(typed)]
    if starts and all(other.startswith(min(starts, key=len)) for other in starts):
        starts = [min(starts, key=len)]
    inside = [] if short else [other for other in words if typed in other]
    close = get_close_matches(typed, words, n=5, cutoff=0.7)
    if close:  # of words that are as near, the one that begins alike
        best = SequenceMatcher(None, typed, close[0]).ratio()
        alike = [word for word in close if SequenceMatcher(None, typed, word).ratio() == best]
        close = [max(alike, key=lambda word: _begins_alike(typed, word))]
    found = next((group[0] for group in (starts, close, inside) if len(group) == 1), None)
    return found and words[found]


def _begins_alike(word: str, other: str) -> int:
    """Return with how many letters two words begin alike."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))
    )


SHORTEST = 3
"""Letters that a word needs before it matches a longer one of which it is a part."""


def _plain(word: str) -> str:
    """Return a word in lower case with hyphens for spaces and underscores."""
    return str(word).lower().replace("_", "-").replace(" ", "-")


def suggest(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint that names the known word most likely meant, or the text `otherwise`.

    >>> suggest("rials", ["rails", "spread"])
    'did you mean `rails`?'
    """
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else otherwise


def text_of(finding: Finding, *, colour: bool = False) -> str:
    """Return the text of one finding.

    >>> print(
    ...     text_of(
    ...         Finding(
    ...             "no-such-key",
    ...             "`rials` is not a key of an inventory",
    ...             place=Place("fabric.yaml", 3, 1),
    ...             hint="did you mean `rails`?",
    ...         )
    ...     )
    ... )
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
"""Characters of one line of a finding that are printed: a name may be as long as a file."""


def printable(text: object, keep: str = "") -> str:
    """Escape control characters, so that text from an inventory cannot drive the terminal.

    `keep` lists the control characters that stay as they are.
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in shown
    )


def _line(text: object) -> str:
    """Return one line of a finding, cut off at `MOST_SHOWN` characters."""
    shown = printable(text)
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"
