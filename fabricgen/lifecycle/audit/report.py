"""The result of an audit: the cabling as built, and what is left without failed parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabricgen.core.document import Document

if TYPE_CHECKING:
    from fabricgen.analysis.impact.measure import Impact
    from fabricgen.lifecycle.audit.audit import Audit


@dataclass(frozen=True)
class DegradedFabric(Document):
    """The fabric without failed parts; `tables` counts the forwarding tables around them."""

    impact: Impact
    tables: int | None = None

    def document(self) -> dict[str, Any]:
        """Return `degraded` of `audit --json`."""
        return self.impact.document() | ({} if self.tables is None else {"tables": self.tables})


@dataclass(frozen=True)
class AuditReport(Document):
    """The result of `audit`; if `strict`, a cable without a neighbor record is a finding."""

    audit: Audit | None
    degraded: DegradedFabric | None
    strict: bool = False

    @property
    def ok(self) -> bool:
        """Whether the cabling agrees with the plan, or, without records, every pair is left."""
        if self.audit:
            return self.audit.ok and not (self.strict and self.audit.silent)
        return not (self.degraded and self.degraded.impact.pairs_lost)

    def document(self) -> dict[str, Any]:
        """Return `audit --json`."""
        audited = self.audit.document() | {"ok": self.ok} if self.audit else {}
        left = {"degraded": self.degraded.document()} if self.degraded else {}
        return audited | left | ({} if self.audit else {"ok": self.ok})
