"""The conditions of a build, verified as soon as an inventory is planned.

Owns their order. Each refusal belongs to the module that needs the condition: phases to
`lifecycle.change`, packs to `nos_packs` and `selection`, labels to `label_fit`, GUIDs to
`views.infiniband`, prices to `bom`, and models to search among to `analysis.search`. Conditions of
some groups are verified where these are built: by `outputs` of the inventory, or, before that, by
the groups that a caller names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabricgen.bom.pricing import terms_of
from fabricgen.build.selection import choose
from fabricgen.core.diagnostics import refuse
from fabricgen.outputs.groups import GROUPS
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.planning.price_book import price_list

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan

TAKEN = (
    ("switch", "domains", "forwarding/domains.json"),
    ("rack", "index", "cabling/pull-sheets/index.html"),
    ("rack", "progress", "cabling/pull-sheets/progress.html"),
)
"""Names that a switch or a rack cannot have, because its file would have this document's path."""

_LAB_NAME = re.compile(r"d(0|[1-9]\d*)-g(0|[1-9]\d*)|hb-(0|[1-9]\d*)")


def check_inventory(spec: FabricSpec, catalog: Catalog, packs: Packs) -> None:
    """Verify what needs no plan.

    Raises Refusal for templates that nothing reads, and for unknown `outputs`, prices and models.
    """
    if packs.roots:
        from fabricgen.outputs.packs.unread import check_unread

        check_unread(packs)
    choose((), spec.outputs, packs)
    terms_of(price_list(spec, catalog))
    if spec.search:
        from fabricgen.analysis.search.candidates import check_models

        check_models(spec.search, catalog)


def check_buildable(plan: Plan, packs: Packs, only: Collection[str] = ()) -> None:
    """Verify that a build of a plan will not be refused.

    `only` are the groups to build, where they are not those that the inventory names. Raises
    Refusal.
    """
    spec = plan.spec
    check_inventory(spec, plan.catalog, packs)
    phases = _last_phase(plan)
    if spec.management and spec.management.addresses:
        from fabricgen.planning.managed_names import check_addresses

        check_addresses(plan, *phases)
    _check_switch_names(plan)
    _check_taken(plan)
    groups = choose(sorted(only), spec.outputs, packs).groups
    configures = bool(plan.roles) and any(GROUPS[group].configures for group in groups)
    configured = [nos_packs(own, packs).packs for own in plan.cluster] if configures else None
    if spec.overrides:
        from fabricgen.outputs.packs.override_checks import check_overrides

        check_overrides(plan, packs, configured)
    if "cabling" in groups:
        from fabricgen.views.cables.label_fit import fitting

        fitting(plan)
    if spec.management and spec.management.macs:
        from fabricgen.outputs.provision.macs_csv import identities

        identities(plan)
    if spec.addressing.guids:
        from fabricgen.views.infiniband.build import Subnets

        Subnets(plan).prepare()


def _last_phase(plan: Plan) -> list[Plan]:
    """Return the plan of the last phase by GPUs, if there are any.

    Raises Refusal for phases that do not build on each other, or whose last cannot be planned.
    """
    if not plan.spec.phases:
        return []
    from fabricgen.lifecycle.change.growth_ways import plan_of_end
    from fabricgen.lifecycle.change.phase_sizes import by_gpus, sizes_of

    if by_gpus(plan.spec):
        return [plan_of_end(plan.spec, plan.catalog)]
    sizes_of(plan)
    return []


def _check_switch_names(plan: Plan) -> None:
    """Refuse switches with the name of a GPU or an HB domain, which graphs and labs list too.

    Raises Refusal `name-twice`.
    """
    named = (getattr(plan.spec.naming, role) for role in plan.roles)
    fabric = plan.fabric
    for name in plan.switches() if any(named) else ():
        if found := _LAB_NAME.fullmatch(name):
            domain, rank = int(found[1] or found[3] or 0), int(found[2] or 0)
            if domain < fabric.coordinates.domains and rank < fabric.domain_gpus:
                hint = (
                    "change the pattern under `naming`: GPUs are called `d0-g0`,"
                    " and HB domains `hb-0`"
                )
                raise refuse(
                    "name-twice",
                    "a switch is called like a GPU or an HB domain of the lab",
                    path=("naming",),
                    hint=hint,
                )


def _check_taken(plan: Plan) -> None:
    """Refuse names whose files would have the path of a document. Raises Refusal `path-twice`."""
    naming, named_by = plan.spec.naming, ("prefix", *plan.roles)
    switches = plan.switches() if any(getattr(naming, key) for key in named_by) else ()
    racks = plan.lengths.room.names if naming.rack and plan.lengths else ()
    named = {"switch": switches, "rack": racks}
    for kind, name, path in TAKEN:
        if any(name == each.casefold() for each in named[kind]):
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
