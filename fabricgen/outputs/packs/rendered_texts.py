"""The texts of files that other files of the same build contain: its report, and labs' topologies.

Owns how many of them a process keeps. A file that was not kept is rendered again, with the same
result.
"""

from __future__ import annotations

MOST_TEXT = 2**23
"""Characters that a process keeps: all files of switches and GPUs of a lab that runs containers."""


class RenderedTexts:
    """The texts of the first files that a process rendered, by their paths below OUT."""

    def __init__(self) -> None:
        """Start without texts."""
        self._texts: dict[str, str] = {}
        self._room = MOST_TEXT

    def keep(self, path: str, text: str) -> None:
        """Keep the text of a file if there is room for it."""
        if len(text) <= self._room:
            self._texts[path] = text
            self._room -= len(text)

    def find(self, path: str) -> str | None:
        """Return the text of a file; None where it was not kept."""
        return self._texts.get(path)
