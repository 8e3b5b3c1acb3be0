"""The filter of templates whose files have their own checksum."""

from __future__ import annotations

import hashlib


def md5(text: str) -> str:
    """Return the MD5 sum of a text, as switches compare it with a file that they fetched.

    >>> md5("exit 0")
    '071e4bf47ce06eae6d6cc42f400215ec'
    """
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
