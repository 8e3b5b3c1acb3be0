"""Short forms of many names: Slurm's node expressions and Ansible's host ranges.

Owns the folding of names that end in consecutive numbers. Only the number at the end of a name is
folded, because Slurm allows nothing after a bracket; other names are written in full. A folded name
expands to the same name again, its zeros included.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST_RANGE = 65_536
"""Maximum names in one range for Slurm, which refuses more with `Too many hosts in range`."""

MOST_DIGITS = 9
"""Maximum digits of a folded number; digits before them belong to the prefix."""


class Run(NamedTuple):
    """Names of one prefix with the numbers `first` to `last`, as written.

    Both are empty for a name without a number at its end.
    """

    prefix: str
    first: str
    last: str


def folded(names: Iterable[str]) -> list[Run]:
    """Fold names, in their order, into runs of consecutive numbers.

    The numbers of a run have one width, or no leading zeros.

    >>> for run in folded(["h-8", "h-9", "h-10", "r007", "r008", "login"]):
    ...     print(run)
    Run(prefix='h-', first='8', last='10')
    Run(prefix='r', first='007', last='008')
    Run(prefix='login', first='', last='')
    """
    found: list[Run] = []
    start = 0
    for name in names:
        prefix = name.rstrip("0123456789")
        prefix = name[: max(len(prefix), len(name) - MOST_DIGITS)]
        number = name[len(prefix) :]
        last = found[-1] if found else Run("", "", "")
        if (
            number
            and prefix == last.prefix
            and number == _following(last)
            and int(number) - start < LONGEST_RANGE
        ):
            found[-1] = last._replace(last=number)
        else:
            found.append(Run(prefix, number, number))
            start = int(number or 0)
    return found


def _following(run: Run) -> str:
    """Return the number after a run.

    None for a name without one, and where padded numbers have used up their digits.
    """
    if not run.last:
        return ""
    following = str(int(run.last) + 1)
    padded = len(run.first) > 1 and run.first.startswith("0")
    if not padded:
        return following
    return following.zfill(len(run.first)) if len(following) <= len(run.first) else ""


def node_expression(names: Iterable[str]) -> str:
    """Return names as a node expression of Slurm.

    >>> node_expression(["host-01", "host-02", "host-03", "host-09", "login", "d0-1", "d0-2"])
    'host-[01-03,09],login,d0-[1-2]'
    """
    return ",".join(_bracketed(folded(names)))


def _bracketed(runs: list[Run]) -> Iterator[str]:
    """Return runs of one prefix with one pair of brackets, and a name alone without any."""
    for prefix, group in groupby(runs, key=lambda run: run.prefix):
        alike = list(group)
        if len(alike) == 1 and alike[0].first == alike[0].last:
            yield f"{prefix}{alike[0].first}"
            continue
        bare = [run for run in alike if not run.first]
        yield from (prefix for _ in bare)
        ranges = [
            run.first if run.first == run.last else f"{run.first}-{run.last}"
            for run in alike
            if run.first
        ]
        yield f"{prefix}[{','.join(ranges)}]"


def host_ranges(names: Iterable[str]) -> list[str]:
    """Return names as host ranges of Ansible, a pattern for each run.

    >>> host_ranges(["host-01", "host-02", "login"])
    ['host-[01:02]', 'login']
    """
    return [
        (
            f"{run.prefix}{run.first}"
            if run.first == run.last
            else f"{run.prefix}[{run.first}:{run.last}]"
        )
        for run in folded(names)
    ]
