"""Values of the shipped YAML files as JSON, which is parsed in a hundredth of the time.

Owns `compiled_facts.jsonl`, which `make catalog` writes: a line per YAML file in `inventories` and
`templates`, with the SHA-256 of its bytes, its path and its values. A file is looked up by its
bytes alone, so an edited file or a user's file never matches a shipped one. YAML is parsed by
`yaml_text`. Standard library only.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("compiled_facts.jsonl")
_DIGITS = 64


def find(data: bytes) -> dict[str, Any] | None:
    """Return the values of a YAML file with these bytes; None where it was not compiled.

    Each call returns new values, which the caller may change.
    """
    line = _lines().get(hashlib.sha256(data).hexdigest())
    return None if line is None else json.loads(line[line.index("{") :], object_hook=_restored)


def compile_line(path: str, data: bytes, values: dict[str, Any]) -> str:
    """Return the line of one file. Raises TypeError for a value that JSON cannot represent.

    >>> compile_line("hosts/h.yaml", b"", {"speeds_gbps": {1: 400}})[65:]
    'hosts/h.yaml {"speeds_gbps": {"": [[1, 400]]}}'
    """
    text = json.dumps(_written(values), ensure_ascii=False)
    return f"{hashlib.sha256(data).hexdigest()} {path} {text}"


@cache
def _lines() -> dict[str, str]:
    """Return the line of each file without its digest, by that digest."""
    lines = FILE.read_text(encoding="utf-8").split("\n")
    return {line[:_DIGITS]: line[_DIGITS:] for line in lines}


def _written(value: Any) -> Any:  # noqa: ANN401 - any value of a YAML file
    """Encode a date as its text, and a mapping with keys other than strings as its pairs.

    Both are stored below the key "", which no file uses.
    """
    if isinstance(value, dict):
        pairs = {key: _written(below) for key, below in value.items()}
        texts = all(isinstance(key, str) and key for key in pairs)
        return pairs if texts else {"": list(pairs.items())}
    if isinstance(value, list):
        return [_written(below) for below in value]
    return {"": value.isoformat()} if type(value) is dt.date else value


def _restored(node: dict[str, Any]) -> Any:  # noqa: ANN401 - any value of a YAML file
    """Decode what `_written` encoded."""
    if "" not in node:
        return node
    return dt.date.fromisoformat(node[""]) if isinstance(node[""], str) else dict(node[""])
