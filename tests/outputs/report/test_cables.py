"""The table of cables: filters, sorting and the saved file agree with cables.csv."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.outputs.report.browsing import Built, build_file, number, reading, section

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

Row = dict[str, str]
FILTERS: dict[str, tuple[dict[str, str], Callable[[Row], bool]]] = {
    "rail": ({"Rail": "3"}, lambda row: row["rail"] == "3"),
    "device": (
        {"Device": "r1-leaf-2"},
        lambda row: "r1-leaf-2" in {row["a_device"], row["b_device"]},
    ),
    "host": ({"Device": "host-1"}, lambda row: "host-1" in {row["a_device"], row["b_device"]}),
    "piece of a device": (
        {"Device": "spine"},
        lambda row: "spine" in row["a_device"] or "spine" in row["b_device"],
    ),
    "rack": ({"Rack": "A01-01"}, lambda row: "A01-01" in {row["a_rack"], row["b_rack"]}),
    "text": ({"Text": "H0001"}, lambda row: "h0001" in row["cable"]),
    "GPU": (
        {"Text": "d2-g5"},
        lambda row: (row["a_device"], row["a_interface"]) == ("host-3", "nic5"),
    ),
    "several": (
        {"Rail": "0", "Device": "r0-leaf-1", "Text": "spine"},
        lambda row: (
            {row["a_device"], row["b_device"]} >= {"r0-leaf-1"} and "spine" in row["b_device"]
        ),
    ),
    "nothing": ({"Text": "no such thing"}, lambda _: False),
}
"""The text of each filter, and the rows of cables.csv that match."""


def narrow(page: Page, fields: dict[str, str]) -> None:
    """Fill in the fields of the section."""
    for label, value in fields.items():
        field = section(page, "cables").get_by_role(
            "searchbox" if label == "Text" else "combobox", name=label, exact=True
        )
        field.select_option(value) if label == "Rail" else field.fill(value)


def count_of(page: Page) -> int:
    """Return the number of cables shown."""
    return number(page.get_by_test_id("cable-count").inner_text())


def kept(page: Page) -> list[Row]:
    """Save the rows shown as a file, and read it."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    return list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))


def first_cells(page: Page, column: str) -> list[str]:
    """Return a column's cells of the rows that are in the document."""
    grid = section(page, "cables").get_by_role("table")
    found: list[str] = grid.evaluate(
        """(table, title) => {
            const titles = [...table.tHead.rows[0].cells].map(cell => cell.textContent.trim());
            const at = titles.indexOf(title);
            const rows = [...table.tBodies[0].rows].filter(row => row.ariaRowIndex);
            return rows.map(row => row.cells[at].textContent.trim());
        }""",
        column,
    )
    return found


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_leaves_the_rows_of_the_table(page: Page, lab: Built, name: str) -> None:
    """The count, the rows and the saved file are those of cables.csv.

    Clearing the filter restores all.
    """
    fields, passes = FILTERS[name]
    rows = lab.rows("cabling/cables.csv")
    page.get_by_role("button", name="Clear").click()
    left = [row for row in rows if passes(row)]
    narrow(page, fields)
    expect(page.get_by_test_id("cable-count")).to_have_text(f"{len(left)} of {len(rows)} cables")
    assert len(left) < len(rows)
    assert (
        first_cells(page, "Cable")
        == [row["cable"] for row in left][: len(first_cells(page, "Cable"))]
    )
    own = kept(page)
    assert own == [{key: row[key] for key in (own[0] if own else row)} for row in left]
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_test_id("cable-count")).to_have_text(f"{len(rows)} of {len(rows)} cables")


def test_the_saved_file_is_cables_csv(page: Page, lab: Built) -> None:
    """Without a filter the file has every row in order. The cells of its columns are the same."""
    page.get_by_role("button", name="Clear").click()
    rows, own = lab.rows("cabling/cables.csv"), kept(page)
    assert set(rows[0]) - set(own[0]) <= {"piece"}
    assert own == [{key: row[key] for key in own[0]} for row in rows]


def test_titles_sort(browser: Browser, lab: Built) -> None:
    """A first click sorts up, a second one down, and equal rows keep their order."""
    rows = lab.rows("cabling/cables.csv")
    with reading(browser, lab.report) as page:
        for title, key in (("Length", "length_m"), ("To", "b_device"), ("Rail", "rail")):
            head = section(page, "cables").get_by_role("columnheader", name=title, exact=True)
            for down in (False, True):
                head.get_by_role("button").click()
                expect(head).to_have_attribute("aria-sort", "descending" if down else "ascending")
                order = sorted(
                    rows,
                    key=lambda row: row[key] if key == "b_device" else float(row[key]),
                    reverse=down,
                )
                assert [row["cable"] for row in kept(page)] == [row["cable"] for row in order], (
                    title
                )


def test_a_long_table_holds_only_visible_rows(page: Page, lab: Built) -> None:
    """The keyboard reaches the last row, which is not in the document before."""
    page.get_by_role("button", name="Clear").click()
    rows = lab.rows("cabling/cables.csv")
    assert len(first_cells(page, "Cable")) < len(rows)
    section(page, "cables").get_by_role("region").focus()
    page.keyboard.press("End")
    expect(
        section(page, "cables").get_by_role("button", name=rows[-1]["cable"], exact=True)
    ).to_be_visible()


@pytest.mark.slow
def test_a_page_of_131072_cables_is_usable(browser: Browser, root: Path, tmp_path: Path) -> None:
    """It opens, and a filter for a device leaves that device's cables."""
    built = build_file(root / "inventories" / "paper-65k-r128.yaml", tmp_path / "out", "report")
    with reading(browser, built.report) as page:
        plan = built.json_of("plan")
        assert count_of(page) == plan["cables"]["total"] == 131_072
        narrow(page, {"Device": "r17-leaf-3"})
        ports = plan["per_block"]["leaf_down"] + plan["per_block"]["leaf_up"]
        expect(page.get_by_test_id("cable-count")).to_have_text(f"{ports} of 131,072 cables")
