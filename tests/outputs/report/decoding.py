"""Reads a report as a browser does: its elements, its documents, and their columns."""

from __future__ import annotations

import json
from base64 import b64decode
from gzip import decompress
from html.parser import HTMLParser
from itertools import accumulate
from typing import Any


def cells(column: dict[str, Any]) -> list[str]:
    """Decode a column as the page does."""
    return [column["values"][code] for code in accumulate(column["steps"])]


class Blocks(HTMLParser):
    """Reads a page as a browser does: its elements in order, the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        """Read a whole page."""
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.policy = ""
        self._open: dict[str, str | None] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element."""
        self.tags.append(tag)
        self._open = dict(attrs) if tag == "script" else None
        if tag == "meta" and dict(attrs).get("http-equiv"):
            self.policy = dict(attrs)["content"] or ""

    def handle_data(self, data: str) -> None:
        """Record the text of a script."""
        if self._open is not None:
            self.scripts.append((self._open, data))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - a name of the parser's
        """Leave an element."""
        self._open = None

    @property
    def documents(self) -> dict[str, Any]:
        """The page and its parts, by their names."""
        found = {}
        for attributes, text in self.scripts:
            if attributes.get("type") == "application/json":
                found[str(attributes["data-part"])] = json.loads(text)
            elif attributes.get("type") == "application/gzip":
                found[str(attributes["data-part"])] = json.loads(decompress(b64decode(text)))
        return found
