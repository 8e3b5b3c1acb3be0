"""One fault that an audit finds, with the cables that it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fabricgen.core.diagnostics import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding(Finding):
    """One fault: `code` is its kind; `expected` and `found` are in the order of `cables`."""

    cables: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    fix: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Return the keys of every finding, and those of the audit."""
        return Finding.document(self) | {
            "kind": self.code,
            "cable": self.cables[0] if self.cables else "",
            "cables": self.cables,
            "expected": self.expected,
            "found": self.found,
            "fix": self.fix,
        }
