"""The plan of an inventory that was read.

Owns the one call that commands, programs and the served page share. `planning.plan` makes the plan,
and `preconditions` verifies that it can be built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.build.preconditions import check_buildable
from fabricgen.inventory.load import check_wiring_digest
from fabricgen.planning.baseline.baseline import read_baseline
from fabricgen.planning.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.load import Inventory
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan


def plan_of(
    inventory: Inventory, catalog: Catalog, packs: Packs, only: Collection[str] = ()
) -> Plan:
    """Plan an inventory, or the one that a plan file keeps, and verify that it can be built.

    The plan of a plan file must have the digest that the file states. `only` are the groups that
    will be built, where they are not those that the inventory names. Raises Refusal with places.
    """
    with inventory.locate_findings():
        read_limits(catalog, packs)
        plan = make_plan(inventory.spec, catalog, read_baseline(inventory.kept))
        check_wiring_digest(inventory, plan.digest)
        check_buildable(plan, packs, only)
    return plan


def read_limits(catalog: Catalog, packs: Packs) -> None:
    """Let the default MTU follow what the packs state of each NOS.

    The catalog, which plans keep, has packs of its own, which render nothing and can be pickled.
    """
    catalog.nos_mtu = type(packs)(packs.roots).largest_mtu
