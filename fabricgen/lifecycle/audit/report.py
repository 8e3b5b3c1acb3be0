"""The result of an audit: the cabling as built, and what is left without failed parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.impact.network_loss import sentence
from fabricgen.core.document import Document, plain
from fabricgen.lifecycle.audit.finding import AuditFinding
from fabricgen.lifecycle.audit.unreported import fewest_readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.impact.measure import Impact
    from fabricgen.analysis.impact.network_loss import NetworkLoss
    from fabricgen.lifecycle.audit.audit import Audit
    from fabricgen.lifecycle.audit.cross_connects import PatchAudit


@dataclass(frozen=True)
class DegradedFabric(Document):
    """The fabric without failed parts; `tables` counts the forwarding tables around them."""

    impact: Impact
    tables: int | None = None
    networks: tuple[NetworkLoss, ...] | None = None
    """What the networks lose; None where all that failed is of the compute fabric."""

    def document(self) -> dict[str, Any]:
        """Return `degraded` of `audit --json`."""
        networks = {} if self.networks is None else {"networks": plain(self.networks)}
        tables = {} if self.tables is None else {"tables": self.tables}
        return self.impact.document() | networks | tables

    def findings(self) -> Iterator[AuditFinding]:
        """Yield what the failures disconnect."""
        if lost := self.impact.pairs_lost:
            fact = f"{lost:,} ordered pairs of GPUs have no path"
            yield AuditFinding("unreachable", fact, level="critical")
        for loss in self.networks or ():
            if loss.cut_off:
                yield AuditFinding("unreachable", sentence(loss).rstrip("."), level="critical")


@dataclass(frozen=True)
class AuditReport(Document):
    """The result of `audit`; if `strict`, a cable without a neighbor record is a finding."""

    audit: Audit | None
    degraded: DegradedFabric | None
    strict: bool = False
    patching: PatchAudit | None = None

    @cached_property
    def findings(self) -> list[AuditFinding]:
        """How the cabling differs from the plan, and what the failures disconnect."""
        found = list(self.audit.findings) if self.audit else []
        found += self.patching.findings if self.patching else []
        if self.strict and self.audit and (silent := self.audit.silent_cables):
            fact = f"{len(silent):,} links could not be verified: no record is about them"
            readings = [
                f"read the neighbors of {one.place}: it has {len(one.links):,} of these links"
                for one in fewest_readings(self.audit.unreported)
            ]
            found.append(AuditFinding("silent", fact, level="minor", cables=silent, fix=readings))
        return found + ([*self.degraded.findings()] if self.degraded else [])

    def document(self) -> dict[str, Any]:
        """Return the keys of `audit --json`, without its findings."""
        audited = self.audit.document() if self.audit else {}
        if self.patching:
            audited |= {"cross_connects": self.patching.document()}
        return audited | ({"degraded": self.degraded.document()} if self.degraded else {})
