"""Texts that must fit a box."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def cut_each(texts: Mapping[str, str], most: Mapping[str, int]) -> dict[str, str]:
    """Shorten the texts of some keys to so many characters; the others stay whole.

    >>> cut_each({"cable": "r0-h00001", "device": "rack12-tray07"}, {"device": 9})
    {'cable': 'r0-h00001', 'device': 'rack…ay07'}
    """
    return {key: cut(text, most[key]) if key in most else text for key, text in texts.items()}


def cut(text: str, most: int) -> str:
    """Shorten a text to so many characters; its middle is cut because names differ at their ends.

    >>> cut("r0-leaf-1", 15), cut("rack12-tray07-and-more", 15), cut("host-1", 2)
    ('r0-leaf-1', 'rack12-…nd-more', 'h…')
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}…{text[len(text) - (most - half - 1) :]}"
