"""The output as a directory, written whole or not at all.

Owns the swap of the old directory and the new one, and its conditions: fabricgen wrote the old one,
and neither files of the user nor inputs of the build are in it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.build.write.changes import changes_of, digests_of, fingerprint
from fabricgen.build.write.manifest import MANIFEST
from fabricgen.build.write.partial import OLD, SUFFIX, TREE, partial
from fabricgen.core.diagnostics import Finding, Refusal, refuse
from fabricgen.core.interrupts import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.build.write.changes import Changes

_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of renameat2(2)."""

NAMED = 5
"""Files that a refusal names; it counts the others."""


def check_target(out: Path, inputs: Iterable[Path] = ()) -> None:
    """Refuse an OUT that is not a directory of fabricgen, or that contains inputs of the build.

    Raises Refusal `not-ours`, `output-is-input` and, where OUT cannot be read, `cannot-write`.
    """
    with _refusing(out):
        if not os.path.lexists(out):
            return
        _refuse_inputs(out, inputs)
        if not _is_empty(out) and (out.is_symlink() or digests_of(out) is None):
            hint = "choose a directory that does not exist, or remove this one yourself"
            because = (f"it has no {MANIFEST} of ours",)
            raise refuse(
                "not-ours",
                f"`{out}` was not written by fabricgen, so it is not overwritten",
                because=because,
                hint=hint,
            )


class Tree:
    """A directory that is being written; every task writes into it."""

    def __init__(self, root: Path) -> None:
        """Write below `root`."""
        self._root = root

    def part(self, _: int) -> contextlib.AbstractContextManager[Path]:
        """Return the directory that the files of one task are written to, in any process."""
        return contextlib.nullcontext(self._root)

    def restrict(self) -> None:
        """Leave the mode of each file as it was written."""

    def take(self, _: int) -> None:
        """Leave the files of a task in their place."""


@contextlib.contextmanager
def staging(out: Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a directory beside OUT that replaces it when the block ends without an exception.

    Otherwise OUT is unchanged. Raises Refusal `cannot-write`, and `output-changed` where OUT has
    files of the user, unless `force`.
    """
    with _refusing(out):
        target = out.resolve()  # `.` has neither a name nor a place beside it
        with held() as gate:
            target.parent.mkdir(parents=True, exist_ok=True)
            with partial(target) as place:
                seen = None if force else _refuse_changes(out, None)
                staged = place / TREE
                staged.mkdir()
                with gate:
                    yield staged
                if not force:
                    _refuse_changes(out, seen)
                _swap(staged, target, place / OLD)


@contextlib.contextmanager
def _refusing(out: Path) -> Iterator[None]:
    """Turn errors of the system into refusals."""
    try:
        yield
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        if not any(part.endswith(SUFFIX) for part in Path(error.filename or "").parts):
            raise _unwritable(out, error) from None
        fact = f"`{Path(error.filename).name}` would be both a file and a directory"
        raise Refusal(
            [
                Finding(
                    "path-twice",
                    fact,
                    hint="give one of the two outputs another `path` in its pack.yaml",
                )
            ]
        ) from error
    except OSError as error:
        raise _unwritable(out, error) from error


def _unwritable(out: Path, error: OSError) -> Refusal:
    """Return the refusal for an OUT that the system cannot write."""
    full = error.errno is not None and os.strerror(error.errno).startswith("No space")
    return refuse(
        "cannot-write",
        f"`{out}` cannot be written: {error.strerror or error}",
        hint=f"{'free some space, or ' * full}choose another OUT",
    )


def _is_empty(out: Path) -> bool:
    """Return whether OUT is an empty directory."""
    return out.is_dir() and not out.is_symlink() and not any(out.iterdir())


def _refuse_inputs(out: Path, inputs: Iterable[Path]) -> None:
    """Refuse an OUT that contains an input of the build. Raises Refusal `output-is-input`."""
    real = out.resolve()
    inside = next(
        (path for path in inputs if path.exists() and path.resolve().is_relative_to(real)), None
    )
    if inside and out.is_dir():
        fact = f"`{inside}` is read by this command and lies in `{out}`, which would be replaced"
        raise refuse("output-is-input", fact, hint="move it elsewhere, or choose another OUT")


def _refuse_changes(out: Path, seen: str | None) -> str | None:
    """Refuse an OUT whose files differ from its manifest, and return its state.

    Nothing is compared where the state is `seen`. An OUT that was replaced by a foreign directory
    since the build began is refused as well.
    """
    check_target(out)
    if not out.exists():
        return None
    state = fingerprint(out)
    digests = None if state == seen else digests_of(out)
    changes = digests is not None and changes_of(out, digests)
    if changes and (changes.extra or changes.altered):  # what is missing cannot be lost
        raise refuse(
            "output-changed",
            _changed(out, changes),
            because=_named(changes),
            hint="move what you need elsewhere; `--force` replaces it all",
        )
    return state


def _changed(out: Path, changes: Changes) -> str:
    """Return how many files would be lost."""
    counts = (
        (changes.extra, "that fabricgen did not write"),
        (changes.altered, "edited since the last build"),
    )
    parts = [
        f"{len(paths)} {'file' if len(paths) == 1 else 'files'} {what}"
        for paths, what in counts
        if paths
    ]
    return f"`{out}` holds {' and '.join(parts)}, so it is not replaced"


def _named(changes: Changes) -> tuple[str, ...]:
    """Return the first files that would be lost, and the number of the others."""
    every = [f"`{path}` is not in {MANIFEST}" for path in changes.extra] + [
        f"`{path}` was edited" for path in changes.altered
    ]
    more = len(every) - NAMED
    return (*every[:NAMED], *([f"{more} more"] if more > 0 else []))


def _swap(staged: Path, out: Path, aside: Path) -> None:
    """Move the staged directory to OUT, and the old one beside it, where it is removed later."""
    if not out.exists():
        staged.rename(out)
    elif not _exchange(staged, out):
        _step_aside(staged, out, aside)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two directories in one step, so that OUT exists even after a kill -9.

    Returns whether the system can: Linux has renameat2(2), which Python does not offer.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return (
        rename is not None
        and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0
    )


def _step_aside(staged: Path, out: Path, aside: Path) -> None:
    """Exchange in two steps; if the second fails, the old directory is moved back."""
    out.rename(aside)
    try:
        staged.rename(out)
    except OSError:
        aside.rename(out)
        raise
