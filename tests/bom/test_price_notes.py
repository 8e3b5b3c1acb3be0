"""Prices keep their currency, books come in order, and what nothing takes is named."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.price_notes import price_notes
from fabricgen.bom.priced_bill import make_bom
from fabricgen.core.diagnostics import Refusal, nearest
from fabricgen.planning.notices import advice
from tests.fabrics import CATALOG, plan_of

if TYPE_CHECKING:
    from pathlib import Path

SMALL: dict[str, Any] = {
    "gpus": 256,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "site": "unknown",
}
EXCHANGE = {"currency": "CNY", "rate": 7.12, "date": "2026-09-22"}
QUOTE = """part,price,currency,valid_until
sn5600,385000,CNY,2025-12-31
mma4z00-ns,4600,CNY,
hgx-h200,2000000,CNY,
MMS1X00-NS400,4100,CNY,
980-9I068-00NM00,4100,CNY,
nosuch,4,CNY,
sn5601,4,CNY,
"""


@pytest.fixture
def quote(tmp_path: Path) -> str:
    """Write a quote of Chinese prices."""
    path = tmp_path / "quote.csv"
    path.write_text(QUOTE, encoding="utf-8")
    return str(path)


def prices_of(**prices: Any) -> dict[str, tuple[Any, Any]]:  # noqa: ANN401 - keys of an inventory
    """Return the price paid and the currency of the list price, by part."""
    plan = plan_of(**SMALL, prices=prices)
    view = bom_view(make_bom(plan), plan)
    return {part.part: (part.unit_price, part.list_currency) for part in view.parts}


def test_net_prices_are_in_the_currency_of_payment() -> None:
    """A price without a currency is not exchanged, and one of the book's currency is."""
    parts = {"sn5600": 385000, "mfp7e10": {"price": 60, "currency": "USD"}}
    found = prices_of(book="street-2026-09", exchange=EXCHANGE, parts=parts)
    assert found["sn5600"] == ("385000", "CNY")
    assert found["mfp7e10"] == ("427.20", "USD")
    assert found["mma4z00-ns"] == ("6258.48", "USD")
    assert prices_of(book="street-2026-09", parts={"sn5600": 5})["sn5600"] == ("5", "USD")
    plan = plan_of(**SMALL, prices={"exchange": EXCHANGE, "parts": parts})
    assert [*price_notes(plan)] == [
        (
            "`prices.parts` of sn5600 are CNY, the currency of payment, and not exchanged:"
            " `{price, currency}` states another"
        ),
        "`prices.parts.mfp7e10` is in USD, and paid in CNY at 7.12",
    ]


def test_the_first_book_with_a_price_is_taken(quote: str) -> None:
    """A quote comes before list prices of another currency, which are exchanged at the rate."""
    found = prices_of(book=[quote, "street-2026-09"], exchange=EXCHANGE)
    assert found["sn5600"] == ("385000", "CNY")
    assert found["mma4z00-ns"] == ("4600", "CNY")
    assert found["mma4z00-ns-flt"] == (str(Decimal(1249) * Decimal("7.12")), "USD")
    assert found["mfp7e10"] == ("", "")
    rated = prices_of(book=["street-2026-09", "paper-v5"])
    assert rated["sn5600"] == ("67213", "USD")
    plan = plan_of(**SMALL, prices={"book": ["street-2026-09", "paper-v5"]})
    bought = {part.part: part.price_book for part in bom_view(make_bom(plan), plan).parts}
    assert bought["sn5600"] == "street-2026-09"
    with pytest.raises(Refusal, match="no-exchange-rate"):
        prices_of(book=[quote, "street-2026-09"])


def test_prices_that_nothing_takes_are_named(quote: str) -> None:
    """All of them: parts of the catalog, and others with the part of the plan that was meant."""
    prices: dict[str, Any] = {"book": quote, "parts": {"qm9700": 5}}
    found = [*price_notes(plan_of(**SMALL, prices=prices), dt.date(2026, 1, 1))]
    assert found == [
        f"`{quote}` has a price of `nosuch`, which is no part of the catalog",
        (
            f"`{quote}` has a price of `sn5601`, which is no part of the catalog: did you mean"
            " `sn5600`?"
        ),
        (
            f"`{quote}` has prices that nothing in this plan takes: hgx-h200, MMS1X00-NS400,"
            " 980-9I068-00NM00"
        ),
        "`prices.parts` has prices that nothing in this plan takes: qm9700",
        "the quote of sn5600 ended on 2025-12-31",
    ]
    in_time = price_notes(plan_of(**SMALL, prices=quote), dt.date(2025, 12, 31))
    assert not [text for text in in_time if "ended" in text]
    assert nearest("sn5601", CATALOG.names("switches")) == "sn5600"


def test_a_preferred_part_that_loses_to_the_medium_is_named() -> None:
    """One that fits a link of another medium, and one that fits none."""
    keys = {**SMALL, "design": "fat-tree", "host": None}
    wanted = {"prefer": {"part": ["mms4x00-ns", "mms4a00"]}}
    named = [text for text in advice(plan_of(**keys, prices=wanted)) if "prefer.part" in text]
    assert named == [
        (
            "`prices.prefer.part: mms4x00-ns` has no effect: it is smf, and links of mmf reach:"
            " `site.media` decides"
        ),
        "`prices.prefer.part: mms4a00` has no effect: it fits no link of this fabric",
    ]


def test_the_vendor_of_a_box_is_said_to_differ() -> None:
    """By kind of link; parts by standard are taken where the inventory asks for them alone."""
    keys: dict[str, Any] = {
        "gpus": 256,
        "hb_domain": {"gpus": 8},
        "host": {"model": "mi325x"},
        "switches": {"leaf": {"model": "7060x6-64pe"}},
        "site": "unknown",
    }
    (note,) = (text for text in advice(plan_of(**keys)) if "vendor of the box" in text)
    assert "host links: mma1z00-ns400 of NVIDIA in pollara-400 of AMD" in note
    assert "mma4z00-ns of NVIDIA in 7060x6-64pe of Arista" in note
    for wanted in ({"vendor": "generic"}, {"part": ["sr4-2x400g", "sr4-400g-qsfp112"]}):
        plan = plan_of(**keys, prices={"prefer": wanted})
        (joint,) = plan.candidates
        assert {part.model for part in joint.modules.values()} == {"sr4-2x400g", "sr4-400g-qsfp112"}
        assert not [text for text in advice(plan) if "vendor of the box" in text and "sr4" in text]
    assert not [text for text in advice(plan_of(**SMALL)) if "vendor of the box" in text]
