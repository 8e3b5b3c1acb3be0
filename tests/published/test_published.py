"""Every published cell compared with ours.

They are equal, or differ by exactly the stated rule and reason.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.terms import LinkKind
from tests.fabrics import plan_of
from tests.published.counting import (
    Row,
    back_end,
    counts,
    fat_tree,
    front_end,
    largest,
    link_ends,
    modules,
)
from tests.published.tables import DIFFERENCES, Cell, Table, cells, differences, left_out, tables

CELLS = cells()
ROWS = [(table, index) for table in tables() for index in range(len(table.rows))]


@cache
def counted(name: str, index: int) -> Row:
    """Count a row once for all of its cells."""
    (table,) = (table for table in tables() if table.id == name)
    return counts(table, index)


def test_the_number_of_compared_figures() -> None:
    """No table, row or cell is missing from the comparison."""
    assert len(tables()) == 52
    assert len(ROWS) == 231
    assert len(CELLS) == 528
    assert len([cell for cell in CELLS if cell.difference]) == 44
    assert len(left_out()) == 8
    assert len({cell.name for cell in CELLS}) == len(CELLS)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_cell(cell: Cell) -> None:
    """Ours is the published figure. A stated difference exists, and is exactly that."""
    ours = counted(cell.table.id, cell.index)[cell.column]
    why = cell.difference.get("why", "")
    assert ours == cell.expected(), (
        f"{cell.name}: printed {cell.printed}, ours {ours}; {cell.table.source}. {why}"
    )
    assert bool(cell.difference) == (ours != cell.printed), (
        f"{cell.name}: printed {cell.printed}, ours {ours}, and the table differs"
    )


@pytest.mark.parametrize("table", tables(), ids=lambda table: table.id)
def test_a_table_has_its_address(table: Table) -> None:
    """Each table names its source and its reliability.

    Each difference has a reason and at least one cell.
    """
    assert len(table.source) > 20
    assert table.quality in {"A", "B", "C"}
    for entry in table.differs:
        assert len(entry["why"]) > 10
        assert [cell for cell in table.cells() if cell.difference is entry]


def test_differences_are_listed() -> None:
    """DIFFERENCES.md has the differences of the tables; `python -m tests.published` writes it."""
    assert DIFFERENCES.read_text(encoding="utf-8") == differences(), (
        f"DIFFERENCES.md should read:\n{differences()}"
    )


@pytest.mark.parametrize(
    ("table", "index"),
    [
        (table, index)
        for table, index in ROWS
        if table.id in {"dgx-h100-table-3", "dgx-h100-table-4", "dgx-b300-spectrum"}
    ],
)
def test_transceivers_both_ways(table: Table, index: int) -> None:
    """One per link end, as the paper counts, and as bought.

    A twin-port module serves two ends, and may leave one of them idle.
    """
    plan = plan_of(gpus=table.row(index)["nodes"] * 8, **table.fabric)
    ends, connectors = link_ends(plan, make_bom(plan))
    assert ends == 2 * sum(plan.link_count(kind) for kind in LinkKind)
    idle = (
        table.row(index)["nodes"] % 2 * 8
    )  # an odd node leaves half a cage idle on the leaf of each of its eight rails
    assert connectors == ends + idle
    assert 2 * sum(modules(plan)) == connectors


@pytest.mark.parametrize("servers", [8, 16, 32, 64])
def test_ocp_transceiver_rule(servers: int) -> None:
    """The rule for switch modules is be_down/2 + 2*be_up + fe_down/4 + 2*fe_up.

    Server modules are one per link, and link ends are another count.
    """
    back, port_layout = back_end(servers), front_end(servers)
    down, up = back.link_count(LinkKind.HOST), back.link_count(LinkKind.LEAF_SPINE)
    front_down, front_up = (
        port_layout.link_count(LinkKind.HOST),
        port_layout.link_count(LinkKind.LEAF_SPINE),
    )
    assert modules(back) == (down, down // 2 + 2 * up)
    assert modules(port_layout) == (front_down, front_down // 4 + 2 * front_up)
    assert link_ends(back, make_bom(back))[0] == 2 * (down + up)


@pytest.mark.parametrize("radix", [36, 40, 48, 64, 128, 144, 512])
def test_fat_tree_formulas(radix: int) -> None:
    """The largest network of two and three tiers follows the formulas in each of its parts."""
    two = largest(radix, 2)
    assert (two.leaf, two.spine, two.core) == (radix, radix // 2, 0)
    assert two.leaf + two.spine == Fraction(3 * radix, 2)
    assert two.leaf * two.leaf_up == radix**2 // 2
    assert two.slots == 2 * Fraction(radix, 2) ** 2
    if radix < 512:
        three = fat_tree(radix**3 // 4, radix, 3)
        assert three.slots == 2 * Fraction(radix, 2) ** 3
        assert three.leaf + three.spine + three.core == Fraction(5 * radix**2, 4)
        assert three.leaf * three.leaf_up + three.spine * three.spine_up == radix**3 // 2
