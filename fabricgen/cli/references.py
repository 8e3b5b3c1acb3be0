"""Published designs: their list, and the inventory of one of them for `init --reference`.

The designs are files in `inventories/references`; this module writes their text and knows none.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from fabricgen.cli.printing import echo
from fabricgen.core.diagnostics import refuse, suggest
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.reference import Reference

WIDTH = 98
"""Characters of a comment's text: lines of 100 with the `# ` before it."""


@dataclass(frozen=True)
class ReferenceList(Document):
    """The published designs: `init --list-references --json`."""

    references: tuple[Reference, ...]

    def document(self) -> dict[str, Any]:
        """Return the facts of each design but its inventory."""
        return {
            "references": [
                {
                    "name": each.name,
                    "description": each.description,
                    "unit": each.unit,
                    "gpus_per_unit": each.gpus_per_unit,
                    "published_units": list(each.published),
                    "largest_units": each.published[-1],
                    "quality": each.quality,
                    "source": list(each.source),
                }
                for each in self.references
            ]
        }


def find_reference(name: str, catalog: Catalog) -> Reference:
    """Return a published design by its name. Raises Refusal `unknown-model`."""
    found = catalog.reference(name)
    if found is None:
        hint = suggest(
            name, catalog.names("references"), "`fabricgen init --list-references` shows them"
        )
        raise refuse("unknown-model", f"the catalog has no published design `{name}`", hint=hint)
    return found


def reference_text(reference: Reference, units: int, schema: str) -> str:
    """Return the inventory of a design of so many units, with its source as a comment."""
    vacancy = reference.vacancy(units)
    head = [line for text in _comments(reference, units) for line in _wrapped(text)]
    return "\n".join(
        [
            f"# yaml-language-server: $schema=./{schema}",
            *(f"# {line}" for line in head),
            f"name: {reference.name}-{units}",
            f"gpus: {reference.gpus(units)}",
            reference.keys.rstrip("\n"),
            *([f"exclude: [{', '.join(vacancy.hosts)}]  # {vacancy.why}"] if vacancy else []),
            *(vacancy.keys.splitlines() if vacancy else []),
            "",
        ]
    )


def _wrapped(text: str) -> list[str]:
    """Return the lines of a comment; an address stays whole."""
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def print_references(references: tuple[Reference, ...]) -> None:
    """Print each design: what it is, its unit, the published sizes and the source."""
    for each in references:
        echo(f"{each.name}: {each.description}")
        sizes = f"of which {_listed(each.published)} are published"
        units = _units(each.published[-1])
        echo(f"  {each.gpus_per_unit:,} GPUs a unit ({each.unit}); up to {units}, {sizes}")
        echo(f"  {'; '.join(each.source)}")


def _comments(reference: Reference, units: int) -> Iterator[str]:
    """Yield the comments at the head of an inventory."""
    size = f"{_units(units)} ({reference.unit}), {reference.gpus(units):,} GPUs"
    yield f"{reference.description}: {size}."
    for source in reference.source:
        yield f"Source: {source} (quality {reference.quality})."
    for difference in reference.differences:
        yield f"Difference: {difference}."
    if extrapolated := extrapolation(reference, units):
        yield f"Extrapolated: {extrapolated}."


def extrapolation(reference: Reference, units: int) -> str:
    """Return which sizes the source counts, where it does not count this one; else nothing."""
    if units in reference.published:
        return ""
    counted = _listed(reference.published)
    return f"the source counts no design of {_units(units)}, only of {counted}"


def _units(number: int) -> str:
    """Format a number of units."""
    return f"{number:,} {'unit' if number == 1 else 'units'}"


def _listed(numbers: tuple[int, ...]) -> str:
    """Format numbers of units, like `1, 2 and 4`."""
    *most, last = map(str, numbers)
    return f"{', '.join(most)} and {last}" if most else last
