"""From an inventory that was read to its plan.

Owns the one call that commands, programs and the served page share; who plans is `planner`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.heritage.rings import read_heritage
from fabricgen.planner import make_plan
from fabricgen.reading import check_promise

if TYPE_CHECKING:
    from fabricgen.catalog import Catalog
    from fabricgen.planner import Plan
    from fabricgen.reading import Inventory


def plan_of(inventory: Inventory, catalog: Catalog) -> Plan:
    """Plan what was read, with all that a plan file keeps, and hold it to what that file promises. Raises Refusal with places."""
    with inventory.placing():
        plan = make_plan(inventory.spec, catalog, read_heritage(inventory.kept))
        check_promise(inventory, plan.digest)
    return plan
