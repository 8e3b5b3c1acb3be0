"""`verify`: compares an output with its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import json_option
from fabricgen.cli.printing import echo, grouped, print_result
from fabricgen.core.diagnostics import Finding, Place, printable
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.build.write.changes import Changes

SHOWN = 20
"""Files of each kind that are printed; `--json` has all."""


@click.command(cls=Command, examples=("fabricgen verify out",))
@click.argument(
    "out", type=click.Path(path_type=Path), help="Directory or archive that `build` wrote."
)
@json_option
def verify(out: Path, *, as_json: bool) -> int:
    """Compare an output of `build` with its manifest.

    Hashes every file; an archive is read without unpacking it. Exit code 1: a file is missing,
    altered or extra.
    """
    from fabricgen.build.write.verification import verify as compare

    changes = compare(out)
    if as_json:
        found = Verification(
            str(out), changes.files, changes.missing, changes.altered, changes.extra
        )
        print_result(found, findings_of(out, changes))
    else:
        echo(verify_text(out, changes))
    return 1 if changes else 0


@dataclass(frozen=True)
class Verification(Document):
    """How an output differs from its manifest: `verify --json`."""

    out: str
    files: int
    missing: list[str]
    altered: list[str]
    extra: list[str]


def findings_of(out: Path, changes: Changes) -> Iterator[Finding]:
    """Yield a finding for each file that differs."""
    facts = (
        (changes.missing, "is missing", "build it again"),
        (changes.altered, "differs from its SHA-256 in manifest.json", "build it again"),
        (changes.extra, "is not in manifest.json", "remove it"),
    )
    for paths, fact, hint in facts:
        for path in paths:
            place = Place(f"{out}/{path}")
            yield Finding("output-changed", f"`{path}` {fact}", place=place, hint=hint)


def verify_text(out: Path, changes: Changes) -> str:
    """Lay out what differs, and the count of files."""
    lines = []
    for word, paths in (
        ("missing", changes.missing),
        ("altered", changes.altered),
        ("extra", changes.extra),
    ):
        lines += [f"{word:<9}{printable(path)}" for path in paths[:SHOWN]]
        lines += [f"{word:<9}{grouped(len(paths) - SHOWN)} more"] if len(paths) > SHOWN else []
    if not changes:
        return f"{out}: all {grouped(changes.files)} files match manifest.json"
    differ = len(changes.missing) + len(changes.altered)
    extra = f", {grouped(len(changes.extra))} are not listed" if changes.extra else ""
    return "\n".join(
        [
            *lines,
            (
                f"{out}: {grouped(differ)} of {grouped(changes.files)} files differ from "
                f"manifest.json{extra}"
            ),
        ]
    )
