"""The bill of materials: counts, costs, and what is unpriced or unknown."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import Role
from tests.fabrics import CATALOG, plan_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.bom.bill import BillLine

DGX: dict[str, Any] = {
    "design": "rail-optimized",
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
}


ROOM = "lengths are those of a generated room: describe yours under `site` before you order"


def lines_of(**keys: Any) -> dict[str, BillLine]:  # noqa: ANN401 - keys of an inventory
    """Return the lines of a bill by part."""
    return {line.part: line for line in make_bom(plan_of(**keys)).lines}


def fibres_of(**keys: Any) -> list[BillLine]:  # noqa: ANN401 - keys of an inventory
    """Return the lines of the multimode fibre, one for each length."""
    return [line for line in make_bom(plan_of(**keys)).lines if line.part == "mfp7e10"]


def test_a_twin_port_module_serves_two_links() -> None:
    """16 leaves and 8 spines of 128 ports.

    2,048 links have 4,096 ends and 2,048 modules, of which a DGX takes four.
    """
    lines = lines_of(**DGX)
    assert (lines["mma4z00-ns"].quantity, lines["mma4z00-ns"].purpose) == (
        1536,
        "1024 leaf, 512 spine",
    )
    assert (lines["mma4z00-ns-flt"].quantity, lines["mma4z00-ns-flt"].purpose) == (512, "512 host")
    assert sum(line.quantity for line in fibres_of(**DGX)) == 2048
    assert lines["sn5600"].quantity == 24


def test_a_half_filled_cage_needs_its_module() -> None:
    """A rail of 31 hosts ends inside a leaf's sixteenth cage, whose module is bought whole."""
    lines = lines_of(
        gpus=31 * 8,
        hb_domain={"gpus": 8},
        host={"model": "dgx-h100"},
        switches={"leaf": {"model": "sn5600"}},
    )
    assert lines["mma4z00-ns"].quantity == 8 * 16


def test_an_800g_link_takes_two_cables() -> None:
    """Both connectors of a twin-port module are one port of 800G."""
    both = {
        "leaf": {"model": "sn5600", "breakout": "2x400G"},
        "spine": {"model": "sn5600", "breakout": "1x800G"},
    }
    plan = plan_of(**{**DGX, "switches": both})
    assert [plan.link_parts[kind].cables for kind in plan.kinds] == [1, 2]
    fibres = fibres_of(**{**DGX, "switches": both})
    assert sum(line.quantity for line in fibres) == 1024 + 2 * 512


def test_the_papers_rates_scale_with_bandwidth() -> None:
    """$694 a port and $199 a transceiver at 400G.

    A switch of 51.2 Tbps counts as 128 ports, and a module of 2 x 400G as two transceivers.
    """
    for breakout in ("2x400G", "4x200G"):
        speed = breakout.split("x")[1]
        lines = lines_of(
            gpus=64,
            hb_domain={"gpus": 8},
            nic={"speed": speed},
            switches={"leaf": {"model": "sn5600", "breakout": breakout}},
        )
        assert lines["sn5600"].unit_price == 128 * 694
    assert lines_of(**DGX)["mma4z00-ns"].unit_price == 2 * 199


def test_own_prices_win_over_the_book() -> None:
    """An inventory's price replaces the book's price of that part only."""
    lines = lines_of(
        **DGX, prices={"book": "street-2026-09", "parts": {"sn5600": 50000.5, "mfp7e10": 60}}
    )
    assert [lines[part].unit_price for part in ("sn5600", "mfp7e10", "mma4z00-ns")] == [
        Decimal("50000.5"),
        Decimal(60),
        Decimal(879),
    ]


def test_unpriced_parts_are_named_and_not_free() -> None:
    """The total leaves them out and names them; a class without any price has no cost."""
    bom = make_bom(plan_of(**DGX, prices="street-2026-09"))
    assert bom.unpriced == ["mfp7e10"]
    assert bom.cost("cables") is None
    assert bom.cost() == sum(
        (line.total for line in bom.lines if line.total is not None), Decimal(0)
    )


def test_unknown_power_makes_the_sum_unknown() -> None:
    """An incomplete sum would be read as a complete one."""
    bom = make_bom(
        plan_of(
            gpus=64,
            hb_domain={"gpus": 8},
            switches={"leaf": {"model": "qfx5240", "breakout": "2x400G"}},
        )
    )
    assert "qfx5240" in bom.unknown_power
    assert bom.power_w is None


def test_spares_are_rounded_up_and_never_fewer_than_asked() -> None:
    """2 % of 1,536 are 30.72, so 31; and at least two switches."""
    lines = lines_of(
        **DGX, spares={"transceivers": {"percent": 2}, "switches": {"percent": 1, "minimum": 2}}
    )
    assert (lines["mma4z00-ns"].spares, lines["sn5600"].spares, lines["mfp7e10"].spares) == (
        31,
        2,
        0,
    )
    assert lines["sn5600"].total == 26 * 128 * 694


def test_nics_are_counted_where_the_inventory_names_one() -> None:
    """A DGX includes its own; a NIC of the inventory is bought."""
    assert "connectx-7" not in lines_of(**DGX)
    assert lines_of(**DGX, nic={"model": "connectx-7"})["connectx-7"].quantity == 1024


def test_a_price_book_of_the_user(tmp_path: Path) -> None:
    """Its path is accepted, and a missing file is refused."""
    book = tmp_path / "ours.yaml"
    book.write_text(
        "name: ours\ndescription: our quotation\ncurrency: EUR\nsource: a letter\nparts: "
        "{sn5600: 40000}\n",
        encoding="utf-8",
    )
    bom = make_bom(plan_of(**DGX, prices=str(book)))
    assert bom.book.currency == "EUR"
    assert bom.cost("switches") == 24 * 40000
    with pytest.raises(Refusal, match="unknown-price-book"):
        make_bom(plan_of(**DGX, prices=str(tmp_path / "missing.yaml")))


def test_packs_are_filled_with_spares() -> None:
    """1,536 and 31 spares are 1,567, which fill 157 packs of ten.

    Packs are filled also where the policy asks for no spares, for each length of a cable.
    """
    spares = {"transceivers": {"percent": 2, "pack": 10}, "cables": {"pack": 100}}
    lines, fibres = lines_of(**DGX, spares=spares), fibres_of(**DGX, spares=spares)
    assert (lines["mma4z00-ns"].spares, lines["mma4z00-ns"].pack) == (1570 - 1536, 10)
    assert len(fibres) > 3
    assert [line.order for line in fibres] == [-(-line.quantity // 100) * 100 for line in fibres]
    assert lines["mma4z00-ns"].total == 1570 * 2 * 199
    assert lines["sn5600"].pack == 1


def test_the_pack_size_of_the_book_is_the_default(tmp_path: Path) -> None:
    """The price stays that of one part."""
    book = tmp_path / "ours.yaml"
    book.write_text(
        "name: ours\ndescription: ours\ncurrency: EUR\nsource: a letter\nparts: {mfp7e10: "
        "9}\npacks: {mfp7e10: 12}\n",
        encoding="utf-8",
    )
    fibre = fibres_of(**DGX, prices=str(book))[-1]
    assert (fibre.quantity, fibre.spares, fibre.pack) == (126, 6, 12)
    assert fibre.total == 132 * 9
    fibre = fibres_of(**DGX, prices=str(book), spares={"cables": {"pack": 5}})[-1]
    assert fibre.spares == 4


def test_discounts_apply_to_the_book_and_to_classes() -> None:
    """A price of the inventory is net; 0 % for a class replaces the general discount."""
    prices = {
        "book": "street-2026-09",
        "parts": {"mfp7e10": 60},
        "discount": {"all": 10, "switches": 25},
    }
    lines = lines_of(**DGX, prices=prices)
    assert [lines[part].unit_price for part in ("sn5600", "mma4z00-ns", "mfp7e10")] == [
        Decimal("50409.75"),
        Decimal("791.10"),
        Decimal(60),
    ]
    assert [lines[part].discount_pct for part in ("sn5600", "mma4z00-ns", "mfp7e10")] == [25, 10, 0]
    assert lines["sn5600"].list_price == 67213
    assert (
        lines_of(**DGX, prices=prices | {"discount": {"all": 10, "switches": 0}})[
            "sn5600"
        ].unit_price
        == 67213
    )


def test_another_currency_is_paid_at_the_stated_rate() -> None:
    """A price of the inventory is exchanged where it states the currency of the book.

    Cents are rounded once, in the unit price.
    """
    exchange = {"currency": "EUR", "rate": 0.92, "date": "2026-09-22"}
    prices = {
        "book": "street-2026-09",
        "parts": {"mfp7e10": {"price": 60.03, "currency": "USD"}},
        "exchange": exchange,
        "discount": {"transceivers": 33},
    }
    plan = plan_of(**DGX, prices=prices)
    bom = make_bom(plan)
    lines = {line.part: line for line in bom.lines}
    assert lines["mfp7e10"].unit_price == Decimal("55.23")
    assert lines["mma4z00-ns"].unit_price == (
        Decimal(879) * Decimal("0.67") * Decimal("0.92")
    ).quantize(Decimal("0.01"))
    assert lines["sn5600"].total == 24 * Decimal("61835.96")
    cost = summarize(plan, bom).document()["cost"]
    assert (cost["currency"], cost["exchange"], cost["discount_pct"]) == (
        "EUR", {"from": "USD", "rate": 0.92, "date": "2026-09-22"}, {"transceivers": 33},
    )  # fmt: skip
    assert bom.cost() == sum(line.total for line in bom.lines if line.total is not None)


def test_a_currency_has_no_rate_to_itself() -> None:
    """A rate from USD to USD is refused."""
    with pytest.raises(Refusal, match="same-currency"):
        make_bom(
            plan_of(
                **DGX, prices={"exchange": {"currency": "USD", "rate": 1, "date": "2026-09-22"}}
            )
        )


def test_terms_are_printed_where_there_are_any() -> None:
    """The bill prints them in words; a bill without terms prints none."""
    plan = plan_of(**DGX)
    assert bom_view(make_bom(plan), plan).terms == [ROOM]
    keys = {
        "prices": {
            "discount": {"all": 5, "cables": 0},
            "exchange": {"currency": "EUR", "rate": 0.5, "date": "2026-09-22"},
        },
        "spares": {"switches": {"percent": 1, "minimum": 2}, "cables": {"pack": 50}},
    }
    plan = plan_of(**DGX, **keys)
    assert bom_view(make_bom(plan), plan).terms == [
        (
            "discount: 5 % off every price of the book, 0 % off cables; the inventory's own "
            "prices are net"
        ),
        "paid in EUR at 0.5 for 1 USD, the rate of 2026-09-22 as the inventory states it",
        (
            "spares, once for the whole inventory, which is one site: switches 1 % and at "
            "least 2 of each"
        ),
        "sold in packs, which quantity and spares fill: mfp7e10 50 to a pack",
        ROOM,
    ]


def test_the_maximum_power_is_that_of_switches_and_modules() -> None:
    """It is the maker's maximum of a switch, and the only figure of a module."""
    plan = plan_of(**DGX | {"switches": {"leaf": {"model": "qm9700"}}})
    bom = make_bom(plan)
    boxes = plan.switch_count(Role.LEAF) + plan.switch_count(Role.SPINE)
    modules = sum(line.quantity for line in bom.lines if line.part_class == "transceivers")
    assert summarize(plan, bom).document()["power_max_w"] == boxes * 1720 + modules * 15
    assert make_bom(plan_of(**DGX)).lines[0].power_max_w is None


ROOMED: dict[str, Any] = DGX | {
    "design": "rail-only",
    "gpus": 2048,
    "site": {"hosts_per_rack": 4, "rack": {"units": 48}},
}


def test_a_line_of_the_bill_is_a_part_of_one_length() -> None:
    """With its order number and its own spares; the shortest comes first."""
    lines = [
        line
        for line in make_bom(plan_of(**ROOMED, spares={"cables": {"minimum": 2}})).lines
        if line.part_class == "cables"
    ]
    assert {line.item: (line.part_number, line.quantity, line.spares) for line in lines} == {
        "mfp7e10 5 m": ("MFP7E10-N005", 85, 2),
        "mfp7e10 7 m": ("MFP7E10-N007", 653, 2),
        "mfp7e10 10 m": ("MFP7E10-N010", 1963, 2),
        "mfp7e10 15 m": ("MFP7E10-N015", 371, 2),
        "mcp4y10 2 m": ("MCP4Y10-N002", 224, 2),
        "mcp4y10 3 m": ("MCP4Y10-N003", 288, 2),
    }
    assert all(line.order == line.quantity + 2 for line in lines)


def test_an_order_number_is_stated_or_missing() -> None:
    """Half metres have numbers of their own; a length outside the catalog has none.

    The bill names the lengths without an order number.
    """
    copper, unclear = CATALOG.cable("mcp4y10"), CATALOG.cable("mcp1660")
    assert copper
    assert unclear
    numbers = [copper.order_number(length) for length in ("0.5", "1", "1.5", "4", "")]
    assert numbers == ["MCP4Y10-N00A", "MCP4Y10-N001", "MCP4Y10-N01A", None, None]
    assert [unclear.order_number(length) for length in ("0.5", "1")] == ["MCP1660-W00AE30", None]
    plan = plan_of(**ROOMED | {"site": ROOMED["site"] | {"stock_lengths_m": {"dac": [2, 2.2]}}})
    assert bom_view(make_bom(plan), plan).terms == [
        "the catalog states no order number of mcp4y10 of 2.2 m"
    ]


def test_lengths_have_prices_of_their_own(tmp_path: Path) -> None:
    """A quote for a length comes before one for the part, the inventory's price before both.

    What has no price is named by its lengths, where others have one.
    """
    quotes = (
        "quotes: [{part: mfp7e10, length_m: 5, price: 40}, "
        "{part: mfp7e10, length_m: 7, price: 42.5}]"
    )
    book = tmp_path / "ours.yaml"
    book.write_text(
        f"name: ours\ndescription: ours\ncurrency: EUR\nsource: a letter\n{quotes}\n",
        encoding="utf-8",
    )
    bom = make_bom(plan_of(**ROOMED, prices=str(book)))
    fibres = {line.length_m: line.unit_price for line in bom.lines if line.part == "mfp7e10"}
    assert fibres == {"5": Decimal(40), "7": Decimal("42.5"), "10": None, "15": None}
    assert bom.cost("cables") == 85 * 40 + 653 * Decimal("42.5")
    assert "mfp7e10 10 m" in bom.unpriced
    assert "mcp4y10" in bom.unpriced
    own = {"book": str(book), "parts": {"mfp7e10": 60}}
    assert {line.unit_price for line in fibres_of(**ROOMED, prices=own)} == {Decimal(60)}
