"""Every published design that ships, at every size that its source counts.

`init --reference` writes an inventory that plans to the counts of the tables beside this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.cli.init import SCHEMA
from fabricgen.cli.references import reference_text
from fabricgen.core.terms import LinkKind, Role
from fabricgen.inventory.load import read_text
from fabricgen.planning.plan import make_plan
from tests.fabrics import CATALOG
from tests.published.counting import cages
from tests.published.tables import tables

if TYPE_CHECKING:
    from fabricgen.catalog.models.reference import Reference
    from fabricgen.planning.plan import Plan
    from tests.published.tables import Cell

TABLES = {
    "dgx-b200": ("dgx-b200",),
    "dgx-b300": ("dgx-b300-spectrum",),
    "dgx-b300-xdr": ("quantum-x800-spines",),
    "dgx-gb200": ("gb200-scalable-unit",),
    "dgx-gb300": ("gb300-superpod",),
    "dgx-h100": ("dgx-h100-table-4", "dgx-h100-table-3"),
    "dgx-rubin-nvl8": ("quantum-x800-spines",),
    "era-gb300": ("gb300-enterprise",),
    "era-hgx": ("hgx-enterprise",),
    "era-hgx-b300": ("hgx-b300-enterprise",),
    "gaudi-3": ("gaudi-3",),
    "mi325x": ("pollara-supermicro",),
    "mi355x": ("pollara-supermicro",),
    "ocp-opg": ("ocdai-compositions",),
}
"""The tables of each design; the first that has a size is compared."""

ROWS = {"dgx-b300-xdr": "XDR", "dgx-rubin-nvl8": "Rubin"}
"""The rows of a design in a table of several."""

DESIGNS = [
    pytest.param(reference, units, id=f"{reference.name}-{units}")
    for reference in CATALOG.references()
    for units in reference.published
]


def plan_of(reference: Reference, units: int) -> Plan:
    """Plan the inventory that `init` writes."""
    text = reference_text(reference, units, SCHEMA)
    return make_plan(read_text(text, reference.name).spec, CATALOG)


def counts(plan: Plan) -> dict[str, int]:
    """Count what tables print, by the names of their columns."""
    links = {kind: plan.link_count(kind) for kind in LinkKind}
    return {
        **{role.value: plan.switch_count(role) for role in Role},
        "be_leaf": plan.switch_count(Role.LEAF),
        "be_spine": plan.switch_count(Role.SPINE),
        "gpus": plan.fabric.gpus,
        "nodes": len(plan.hosts),
        "servers": len(plan.hosts),
        "leaf_down": plan.sizing.leaf_down,
        "leaf_up": plan.sizing.leaf_up,
        "node_leaf": links[LinkKind.HOST] + device_links(plan),
        "server_be_links_400g": links[LinkKind.HOST],
        "leaf_spine": links[LinkKind.LEAF_SPINE],
        "leaf_spine_links_800g": links[LinkKind.LEAF_SPINE],
        "spine_core": links[LinkKind.SPINE_CORE],
    }


def device_links(plan: Plan) -> int:
    """Count the links between devices and leaves."""
    return plan.networks["devices"].links if plan.networks else 0


def published(reference: Reference, units: int) -> list[Cell]:
    """Return the cells of the row of a size."""
    for name in TABLES[reference.name]:
        (table,) = (table for table in tables() if table.id == name)
        for index in range(len(table.rows)):
            row = table.row(index)
            size = row.get("su", row.get("servers", 0) // reference.hosts_per_unit)
            if size == units and row.get("table") == ROWS.get(reference.name):
                return [cell for cell in table.cells() if cell.index == index]
    raise KeyError((reference.name, units))


def test_every_reference_has_its_tables() -> None:
    """No design ships without a table to compare it with."""
    assert [reference.name for reference in CATALOG.references()] == sorted(TABLES)
    assert len(DESIGNS) == 39


@pytest.mark.parametrize(("reference", "units"), DESIGNS)
def test_a_reference_has_the_published_counts(reference: Reference, units: int) -> None:
    """Each count is the printed one, or that of the difference which the table states."""
    plan = plan_of(reference, units)
    ours = counts(plan)
    if reference.name == "dgx-b300":  # its table has a cable for each cage of two links
        ours |= cages(plan)
    cells = [cell for cell in published(reference, units) if cell.column in ours]
    assert cells
    for cell in cells:
        # `spread: minimal` gives the printed spines, where the default would not
        expected = cell.printed if "spread: minimal" in reference.keys else cell.expected()
        assert ours[cell.column] == expected, cell.name
    row = cells[0].table.row(cells[0].index)
    assert all(row[key] == ours[key] for key in ("gpus", "nodes", "servers") if row.get(key))


@pytest.mark.parametrize("reference", CATALOG.references(), ids=lambda reference: reference.name)
def test_a_written_reference_states_its_source(reference: Reference) -> None:
    """The file begins with what it is and its source; a size that is not published is marked."""
    units = max(reference.published)
    text = reference_text(reference, units, SCHEMA)
    head = text.partition("\nname: ")[0].replace("\n# ", " ")
    sources = [f"Source: {source} (quality {reference.quality})." for source in reference.source]
    assert all(part in head for part in (reference.description, *sources, *reference.differences))
    assert "Extrapolated" not in head
    more = reference_text(reference, units + 1, SCHEMA)
    assert "Extrapolated: the source counts no design of" in more.replace("\n# ", " ")
    assert read_text(more, "more").spec.gpus == (units + 1) * reference.gpus_per_unit
