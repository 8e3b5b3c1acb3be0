"""The places of a switch's files where an override can add lines.

Owns how a `place` is written. A text file has the places `before` and `after`, and its sections:
the templates that it includes, by the beginning of their names. A document has `before`, `after`
and JSON pointers.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.outputs.packs.pack_output import PackOutput
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs

ENDS = ("before", "after")


def hook_names(pack: Pack, output: PackOutput) -> dict[str, str]:
    """Return the names of the hooks of a file, by their places.

    Those of the main file are `site.before.j2` and `site.after.j2`; those of other files have the
    file's name as well: `site.after.chrony.conf.j2`.
    """
    own = "" if output in pack.open_outputs[:1] else f".{file_name(output)}"
    return {spot: f"site.{spot}{own}.j2" for spot in ENDS}


class OverridePlace(NamedTuple):
    """A place: a file of the pack, and a place in it."""

    output: PackOutput
    spot: str
    """`before`, `after`, a section, or a JSON pointer."""


def find_place(packs: Packs, pack: Pack, place: str) -> OverridePlace | None:
    """Return the place that an override names; None where the pack has none of that name."""
    name, colon, spot = ("", "", place) if place.startswith("/") else place.partition(":")
    if not colon:
        name, spot = "", place
    for output in pack.open_outputs:
        if not name or name == file_name(output):
            return OverridePlace(output, spot) if _has(packs, pack, output, spot) else None
    return None


def _has(packs: Packs, pack: Pack, output: PackOutput, spot: str) -> bool:
    """Return whether a file has a place."""
    if output.overrides and output.overrides.format != "lines":
        return spot in ENDS or spot.startswith("/")
    return spot in ENDS or spot in sections(packs, pack, output)


def known_places(packs: Packs, pack: Pack) -> Iterator[str]:
    """Yield the places of a pack, as an override names them."""
    for number, output in enumerate(pack.open_outputs):
        file = f"{file_name(output)}:" if number else ""
        is_text = output.overrides and output.overrides.format == "lines"
        own = sections(packs, pack, output) if is_text else ["/KEY"]
        yield from (f"{file}{spot}" for spot in (*ENDS, *own))


def file_name(output: PackOutput) -> str:
    """Return the name of an output's file."""
    return PurePosixPath(output.path).name


def sections(packs: Packs, pack: Pack, output: PackOutput) -> list[str]:
    """List the sections of a text file, in the order in which its templates first name them."""
    included = packs.included_in(f"{pack.name}/{output.template}")
    return list(dict.fromkeys(map(section_of, included)))


def section_of(template: str) -> str:
    """Return the section that a template writes.

    >>> section_of("eos/bgp.cfg.j2")
    'bgp'
    """
    return PurePosixPath(template).name.partition(".")[0]
