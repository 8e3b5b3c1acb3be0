"""As-built against as-planned: what LLDP and InfiniBand say of the cabling, what happened, and the fewest moves to mend it.

`reading` and its dialects turn files into what is heard, `places` finds it in the plan, `joining` makes one picture of it, `moving` finds
the fewest moves, `naming` says what happened, `auditing` puts it together, and `degrading` plans around what is dead.
"""

from fabricgen.lifecycle.audit.audit import Audit, audit
from fabricgen.lifecycle.audit.degraded_tables import Detours, read_dead
from fabricgen.lifecycle.audit.load import read_evidence
from fabricgen.lifecycle.audit.neighbors import Evidence, Heard

__all__ = ["Audit", "Detours", "Evidence", "Heard", "audit", "read_dead", "read_evidence"]
