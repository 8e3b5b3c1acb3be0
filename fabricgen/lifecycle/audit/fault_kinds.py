"""The kinds of faults, and how severe each is."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "rail-crossed", "plane-crossed", "network-crossed", "exchanged", "breakout-reversed", "shifted",
    "swapped", "misplugged", "mixed-up", "missing", "stranger", "extra", "unknown-port", "unjudged",
    "contradiction",
]  # fmt: skip
Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor")
MINOR: frozenset[Kind] = frozenset({"stranger", "extra", "contradiction"})
FEWEST = 2
"""Cables that make an exchange, a reversed cage or a shifted run; a single one is misplugged."""
