"""The bill: what is counted, what it costs, what nobody knows."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom import Line, make_bom
from fabricgen.diagnostics import Refusal
from tests.planned import planned

if TYPE_CHECKING:
    from pathlib import Path

DGX: dict[str, Any] = {
    "design": "rail-optimized", "gpus": 1024, "hb_domain": {"gpus": 8}, "host": {"model": "dgx-h100"}, "switches": {"leaf": {"model": "sn5600"}},
}  # fmt: skip


def lines_of(**keys: Any) -> dict[str, Line]:  # noqa: ANN401 - keys of an inventory
    """Return the lines of a bill by part."""
    return {line.part: line for line in make_bom(planned(**keys)).lines}


def test_a_twin_port_module_serves_two_links() -> None:
    """16 leaves and 8 spines of 128 ports: 2,048 links have 4,096 ends, and 2,048 modules, of which a DGX takes four."""
    lines = lines_of(**DGX)
    assert (lines["mma4z00-ns"].quantity, lines["mma4z00-ns"].purpose) == (1536, "leaf 1024, spine 512")
    assert (lines["mma4z00-ns-flt"].quantity, lines["mma4z00-ns-flt"].purpose) == (512, "host 512")
    assert lines["mfp7e10"].quantity == 2048
    assert lines["sn5600"].quantity == 24


def test_a_half_filled_cage_needs_its_module() -> None:
    """A rail of 31 hosts ends in the middle of a leaf's sixteenth cage, and the module there is bought whole."""
    lines = lines_of(gpus=31 * 8, hb_domain={"gpus": 8}, host={"model": "dgx-h100"}, switches={"leaf": {"model": "sn5600"}})
    assert lines["mma4z00-ns"].quantity == 8 * 16


def test_an_800g_link_takes_two_cables() -> None:
    """Both connectors of a twin-port module are one port of 800G."""
    both = {"leaf": {"model": "sn5600", "breakout": "2x400G"}, "spine": {"model": "sn5600", "breakout": "1x800G"}}
    plan = planned(**{**DGX, "switches": both})
    assert [plan.joints[kind].cables for kind in plan.kinds] == [1, 2]
    assert {line.part: line.quantity for line in make_bom(plan).lines}["mfp7e10"] == 1024 + 2 * 512


def test_the_papers_rates_scale_with_bandwidth() -> None:
    """$694 a port and $199 a transceiver at 400G: a box of 51.2 Tbps is 128 ports, and a module of 2 x 400G two transceivers."""
    for breakout in ("2x400G", "4x200G"):
        speed = breakout.split("x")[1]
        lines = lines_of(gpus=64, hb_domain={"gpus": 8}, nic={"speed": speed}, switches={"leaf": {"model": "sn5600", "breakout": breakout}})
        assert lines["sn5600"].unit_price == 128 * 694
    assert lines_of(**DGX)["mma4z00-ns"].unit_price == 2 * 199


def test_own_prices_win_over_the_book() -> None:
    """An inventory's price replaces the book's, and only that one."""
    lines = lines_of(**DGX, prices={"book": "street-2026-09", "parts": {"sn5600": 50000.5, "mfp7e10": 60}})
    assert [lines[part].unit_price for part in ("sn5600", "mfp7e10", "mma4z00-ns")] == [Decimal("50000.5"), Decimal(60), Decimal(879)]


def test_what_has_no_price_is_named_and_not_free() -> None:
    """The total leaves it out and says so; a class without any price has no cost at all."""
    bom = make_bom(planned(**DGX, prices="street-2026-09"))
    assert bom.unpriced == ["mfp7e10"]
    assert bom.cost("cables") is None
    assert bom.cost() == sum((line.total for line in bom.lines if line.total is not None), Decimal(0))


def test_what_has_no_power_makes_the_sum_unknown() -> None:
    """A sum that leaves something out would be read as a sum."""
    bom = make_bom(planned(gpus=64, hb_domain={"gpus": 8}, switches={"leaf": {"model": "qfx5240", "breakout": "2x400G"}}))
    assert "qfx5240" in bom.unknown_power
    assert bom.power_w is None


def test_spares_are_rounded_up_and_never_fewer_than_asked() -> None:
    """2 % of 1,536 are 30.72, so 31; and at least two switches."""
    lines = lines_of(**DGX, spares={"transceivers": {"percent": 2}, "switches": {"percent": 1, "minimum": 2}})
    assert (lines["mma4z00-ns"].spares, lines["sn5600"].spares, lines["mfp7e10"].spares) == (31, 2, 0)
    assert lines["sn5600"].total == 26 * 128 * 694


def test_nics_are_counted_where_one_is_named() -> None:
    """A DGX brings its own; a NIC in the inventory is bought."""
    assert "connectx-7" not in lines_of(**DGX)
    assert lines_of(**DGX, nic={"model": "connectx-7"})["connectx-7"].quantity == 1024


def test_a_book_of_ones_own(tmp_path: Path) -> None:
    """A path is a book; one that is not there is refused."""
    book = tmp_path / "ours.yaml"
    book.write_text("name: ours\ndescription: our quotation\ncurrency: EUR\nsource: a letter\nparts: {sn5600: 40000}\n", encoding="utf-8")
    bom = make_bom(planned(**DGX, prices=str(book)))
    assert bom.book.currency == "EUR"
    assert bom.cost("switches") == 24 * 40000
    with pytest.raises(Refusal, match="unknown-price-book"):
        make_bom(planned(**DGX, prices=str(tmp_path / "missing.yaml")))
