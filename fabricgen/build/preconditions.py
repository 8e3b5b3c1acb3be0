"""What a build needs of an inventory beyond a plan, refused as soon as the inventory is planned.

Owns the order in which it is asked. Each refusal belongs to the module that needs it: phases to
`growth`, packs to `nos_packs` and `choosing`, labels to `label_fit`, GUIDs to `subnets`, prices to
`bom`, and what a search chooses among to `search`. What only some files need is asked where those
are wanted: `outputs` of the inventory says so, and the groups that a caller names win over it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.bom.pricing import price_book, terms_of
from fabricgen.build.selection import choose
from fabricgen.core.diagnostics import refuse
from fabricgen.outputs.groups import GROUPS
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.views.cables.label_fit import fitting

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan

TAKEN = {
    "switch": ("domains", "forwarding/domains.json"),
    "rack": ("index", "cabling/pull-sheets/index.html"),
}
"""Names that a switch or a rack cannot have, because its own file would be this document."""

_LAB_NAME = re.compile(r"d(0|[1-9]\d*)-g(0|[1-9]\d*)|hb-(0|[1-9]\d*)")


def check_inventory(spec: FabricSpec, catalog: Catalog, packs: Packs) -> None:
    """Refuse what no plan is needed to refuse. Raises Refusal for `outputs` and prices that there are not, and for `search`."""
    choose((), spec.outputs, packs)
    terms_of(spec, price_book(spec, catalog))
    if spec.search:
        from fabricgen.analysis.search.candidates import check_models

        check_models(spec.search, catalog)


def check_buildable(plan: Plan, packs: Packs, only: Collection[str] = ()) -> None:
    """Refuse a plan of which a build would refuse to write something, `only` these groups or what the inventory names. Raises Refusal."""
    spec = plan.spec
    check_inventory(spec, plan.catalog, packs)
    _check_switch_names(plan)
    _check_taken(plan)
    if spec.phases:
        from fabricgen.lifecycle.change.phases import sizes_of

        sizes_of(plan)
    groups = choose(sorted(only), spec.outputs, packs).groups
    if any(GROUPS[group].configures for group in groups):
        nos_packs(plan, packs)
    if spec.naming.rack or "cabling" in groups:
        _ = plan.lengths  # names racks
    if "cabling" in groups:
        fitting(plan)
    if spec.addressing.guids:
        from fabricgen.views.infiniband.build import Subnets

        Subnets(plan).prepare()


def _check_switch_names(plan: Plan) -> None:
    """Refuse switches that are called like a GPU or an HB domain, which graphs and labs name beside them. Raises Refusal `name-twice`."""
    named = (getattr(plan.spec.naming, role) for role in plan.roles)
    fabric = plan.fabric
    for name in plan.switches() if any(named) else ():
        if found := _LAB_NAME.fullmatch(name):
            domain, rank = int(found[1] or found[3] or 0), int(found[2] or 0)
            if domain < fabric.coordinates.domains and rank < fabric.domain_gpus:
                hint = "change the pattern under `naming`: GPUs are called `d0-g0`, and HB domains `hb-0`"
                raise refuse(
                    "name-twice",
                    "a switch is called like a GPU or an HB domain of the lab",
                    path=("naming",),
                    hint=hint,
                )


def _check_taken(plan: Plan) -> None:
    """Refuse names whose files would be written over a document. Raises Refusal `path-twice`."""
    naming = plan.spec.naming
    switches = plan.switches() if any(getattr(naming, role) for role in plan.roles) else ()
    racks = plan.lengths.room.names if naming.rack and plan.lengths else ()
    for kind, names in (("switch", switches), ("rack", racks)):
        name, path = TAKEN[kind]
        if name in names:
            because = (
                f"a {kind} is called `{name}`, and so is a document beside the files of the {kind}",
            )
            raise refuse(
                "path-twice",
                f"two outputs are written to `{path}`",
                path=("naming",),
                because=because,
                hint="change the pattern under `naming`",
            )
