"""What tasks have in common.

Owns `OneFile`; the tasks of each group stand with the group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.building.sources import Sources


@dataclass(frozen=True)
class OneFile:
    """A task of one file; it needs nothing made before it, unless it says so."""

    path: str

    def paths(self, _: Sources) -> Iterator[str]:
        """List the one file."""
        yield self.path

    def prepare(self, sources: Sources) -> None:
        """Need nothing."""
