"""The counts of the page are those of the command line, for each kind of fabric.

It opens from the disk without network requests or errors.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, NamedTuple

import pytest

from fabricgen.bom.breakdown.view import bounded
from tests.outputs.report.browsing import FABRICS, Built, number, reading, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Locator, Page


class Shown(NamedTuple):
    """An open report, and the build that it belongs to."""

    page: Page
    built: Built


@pytest.fixture(scope="module", params=FABRICS)
def shown(
    request: pytest.FixtureRequest, browser: Browser, fabric: Callable[[str], Built]
) -> Iterator[Shown]:
    """Open the report of each fabric, for tests that only read.

    At the end there must be no request and no error.
    """
    built = fabric(request.param)
    with reading(browser, built.report) as page:
        yield Shown(page, built)


def cells(rows: Locator) -> list[list[str]]:
    """Return the texts of the cells of rows."""
    found: list[list[str]] = rows.evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent.trim()))"
    )
    return found


def figures(report: Shown) -> dict[str, str]:
    """Return the figures of the first section by their keys."""
    found = section(report.page, "numbers").locator("[data-figure]")
    return dict(
        found.evaluate_all(
            "all => all.map(each => [each.dataset.figure, "
            "each.querySelector('.value').textContent])"
        )
    )


def test_every_section_exists_and_is_linked(shown: Shown) -> None:
    """Each link of the contents leads to a section with a heading and contents."""
    links = shown.page.get_by_role("navigation", name="Contents").get_by_role("link")
    targets = links.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert targets == [
        f"#{each}"
        for each in shown.page.locator("main section").evaluate_all(
            "all => all.map(each => each.id)"
        )
    ]
    assert len(targets) >= 10
    assert [
        target for target in targets if shown.page.locator(f"{target} > :not(h2)").count() == 0
    ] == []
    has_room = '"site": "unknown"' not in shown.built.inventory.read_text(encoding="utf-8")
    assert ("#racks" in targets) == (shown.page.locator("#racks").count() == 1) == has_room


def test_the_numbers_are_those_of_plan(shown: Shown) -> None:
    """GPUs, switches, cables, transceivers, cost and power."""
    plan, reported = shown.built.json_of("plan"), figures(shown)
    wanted = {
        "gpus": plan["gpus"],
        "hb_domains": plan["hb_domains"],
        "rails": plan["rails"],
        **({"tiers": plan["tiers"]} if plan["tiers"] else {"degree": plan["topology"]["degree"]}),
        "switches": plan["switches"]["total"],
        "cables": plan["cables"]["total"],
    }
    assert {key: number(reported[key]) for key in wanted} == wanted
    assert reported["cost"] == f"{plan['cost']['currency']} {plan['cost']['total']:,}"
    assert reported["power_w"] == (
        "not known" if plan["power_w"] is None else f"{plan['power_w']:,} W"
    )
    assert reported["longest_cable"] == (
        "not known" if plan["longest_cable_m"] is None else f"{plan['longest_cable_m']} m"
    )
    modules = sum(
        int(purpose.split(" ")[0])
        for row in shown.built.rows("bom/bom.csv")
        if (row["row"], row["class"]) == ("part", "transceivers")
        for purpose in row["for"].split(", ")
        if not purpose.endswith(")")  # of a network beside the compute fabric
    )
    assert number(reported["transceivers"]) == modules


def test_every_cable_is_listed(shown: Shown) -> None:
    """The table has the rows of links.csv where cables carry several, else of cables.csv."""
    rows, plan = shown.built.listed_rows, shown.built.json_of("plan")
    cables = sum(not row["piece"] for row in rows) + len({row["piece"] for row in rows} - {""})
    assert cables == (plan["totals"]["cables"] if "totals" in plan else plan["cables"]["total"])
    words = "cables" if cables == len(rows) else f"links; the fabric has {cables:,} cables"
    count = f"{len(rows):,} of {len(rows):,} {words}"
    assert shown.page.get_by_test_id("cable-count").inner_text() == count
    assert section(shown.page, "cables").get_by_role("table").get_attribute("aria-rowcount") == str(
        len(rows) + 1
    )


def test_failures_count_the_rows_of_the_table(shown: Shown) -> None:
    """Every row of the table is in one class of links.

    They are called cables where each link has its own.
    """
    rows, plan = shown.built.link_rows, shown.built.json_of("plan")
    word = "cable" if len(rows) == plan["cables"]["total"] else "link"
    tiers = {"0": "direct", "1": "host", "2": "leaf-spine", "3": "spine-core"}
    kinds = {tier: f"{name} {word}" for tier, name in tiers.items()}
    reported: Counter[str] = Counter()
    for what, alike, *_ in cells(section(shown.page, "failures").locator("tbody tr")):
        if what in {f"{tier} {each}" for tier in tiers.values() for each in ("cable", "link")}:
            reported[what] += int(alike.replace(",", ""))
    assert reported == Counter(kinds[row["tier"]] for row in rows)


def test_the_laws_are_those_of_check(shown: Shown) -> None:
    """Each law with its figure, in which words between backticks are code, and how many hold."""
    laws = shown.built.json_of("check")["laws"]
    rows = cells(section(shown.page, "laws").locator("tbody tr"))
    assert [(row[-1], row[2]) for row in rows] == [
        (law["code"], law["figure"].replace("`", "")) for law in laws
    ]
    assert [row[0] for row in rows] == [
        "yes" if law["ok"] else "not judged" if law["ok"] is None else "broken" for law in laws
    ]
    assert (
        shown.page.get_by_test_id("laws")
        .inner_text()
        .startswith(f"{sum(bool(law['ok']) for law in laws)} of {len(laws)} laws")
    )


def test_the_bill_is_that_of_bom_csv(shown: Shown) -> None:
    """Each row has the same class, part, quantity and cost, and the sums are the same."""
    table = section(shown.page, "bill").locator("table")
    head, *rows = cells(table.locator("tr"))
    lines = [dict(zip(head, row, strict=True)) for row in rows]
    wanted = [
        row
        for row in shown.built.rows("bom/bom.csv")
        if row["row"] in {"part", "subtotal", "total"}
    ]
    assert [(row["class"], row["part"]) for row in lines] == [
        (row["class"], row["part"]) for row in wanted
    ]
    (currency,) = {row["currency"] for row in wanted} - {""}
    assert f"in {currency}" in section(shown.page, "bill").locator(".terms").inner_text()
    for column in ("quantity", "spares", "total"):
        assert [row[column].replace(",", "") for row in lines] == [row[column] for row in wanted], (
            column
        )


BARS = {
    "switches": ("switches", "total"),
    "links": ("links", "total"),
    "transceivers, one per link end": ("transceivers",),
    "cables": ("cables", "total"),
    "cost": ("cost", "total"),
    "power": ("power_w",),
}
"""The key of `compare --json` for each chart."""


def test_the_bars_are_those_of_compare(shown: Shown) -> None:
    """Each figure of each design that can be built.

    Bars are as long as their shares of the largest.
    """
    summaries = shown.built.json_of("compare")["designs"]
    for figure, path in BARS.items():
        bars = section(shown.page, "comparison").locator(f"[data-figure='{figure}'] [data-design]")
        reported = bars.evaluate_all(
            "all => all.map(each => [each.dataset.design, "
            "each.querySelector('.amount').textContent, "
            "parseFloat(each.querySelector('.bar').style.width)])"
        )
        wanted = {summary["design"]: reduce(getitem, path, summary) for summary in summaries}
        most = max((value for value in wanted.values() if value is not None), default=0)
        assert {design for design, *_ in reported} >= set(wanted)
        for design, amount, width in reported:
            value = wanted.get(design)
            assert width == pytest.approx(100 * value / most if value else 0, abs=0.01), (
                figure,
                design,
            )
            assert (
                number(re.sub(r"^(>= )?([A-Z]{3} )?", "", amount)) == value
                if value is not None
                else amount in {"cannot be built", "not known", "unknown"}
            ), (figure, design)


def test_the_savings_of_rail_only_are_those_of_compare(shown: Shown) -> None:
    """It saves, costs more, or makes no difference.

    Without one of the two designs nothing is printed.
    """
    savings = shown.built.json_of("compare")["savings"]
    bounds = {"cost_pct": savings.pop("cost_bound")}
    for key, saved in savings.items():
        figure = {"transceivers": "transceivers, one per link end"}.get(
            name := key.removesuffix("_pct"), name
        )
        reported = (
            section(shown.page, "comparison")
            .locator(f"[data-figure='{figure}'] .saving")
            .all_text_contents()
        )
        if saved is None:
            assert reported == [], figure
        elif saved == 0 and bounds.get(key, "exact") == "exact":
            assert reported == ["no difference"], figure
        else:
            share = bounded(f"{abs(saved):g} %", bounds.get(key, "exact"))
            assert reported == [
                f"rail-only saves {share}" if saved >= 0 else f"rail-only takes {share} more"
            ], figure
