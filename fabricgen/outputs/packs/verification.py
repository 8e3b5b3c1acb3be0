"""What verified the files of a pack: an independent tool, and the statements unknown to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict, model_validator

if TYPE_CHECKING:
    from collections.abc import Sequence


class FileVerification(BaseModel):
    """The tool that the tests run on some files of a pack, and what only a document covers."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    tool: str | None = None
    """A parser, model or program of another project; None where there is none."""
    files: tuple[str, ...]
    """The last parts of the files' paths."""
    unknown: dict[str, str] = {}
    """Statements that the tool does not know, by their first words, each with its document.

    `*` replaces any word; a single `*` is every statement of the files.
    """

    @model_validator(mode="after")
    def _states_what_is_left(self) -> Self:
        """Refuse files without a tool and without a document."""
        if not self.tool and not self.unknown:
            raise ValueError("name the `tool` that reads the files, or what documents them")
        return self

    def document(self, statement: Sequence[str]) -> str | None:
        """Return the key of `unknown` with which a statement begins; None if the tool knows it."""
        return next((key for key in self.unknown if begins(statement, key)), None)


def begins(statement: Sequence[str], key: str) -> bool:
    """Return whether a statement begins with the words of a key.

    >>> begins(["interface", "swp1", "link", "mtu", "9216"], "interface * link")
    True
    """
    words = key.split()
    return len(words) <= len(statement) and all(
        word in ("*", given) for word, given in zip(words, statement, strict=False)
    )
