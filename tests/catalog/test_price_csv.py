"""Price books in CSV and in YAML: terms of suppliers, and findings in plain words."""

from __future__ import annotations

import csv
import datetime as dt
import io
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.bom.bill_table import bom_view
from fabricgen.bom.price_notes import price_notes
from fabricgen.bom.priced_bill import make_bom
from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.kinds import KINDS
from fabricgen.catalog.parse import parse
from fabricgen.catalog.price_csv import read_price_csv
from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "Part,Length m,price,currency,remark,supplier,item_number,valid_until,lead_time_days"
QUOTE = f"""{HEAD},support_pct_per_year
sn5600,,51200,EUR,2U,Example Networks,EN-5600,2026-12-31,84,8
mma4z00-ns-flt,,640,EUR,,,,,,
980-9I510-00NS00,,655.50,EUR,,,,,,

MFP7E10-N005,,41.50,EUR,,Example Networks,EN-MPO-5,,14,
mfp7e10,7,43,EUR,,,,,,
mfp7e10,,60,EUR,,,,,,
"""
ROOM: dict[str, Any] = {
    "gpus": 2048,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
    "site": {"hosts_per_rack": 4, "rack": {"units": 48}, "media": {"leaf_spine": ["mmf"]}},
}


def book_of(tmp_path: Path, text: str, name: str = "quote.csv") -> Path:
    """Write a price book."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_quote_prices_models_lengths_and_order_numbers(tmp_path: Path) -> None:
    """Each line has the terms of its supplier, on the bill too; the currency is that of the book.

    Blank lines and other columns are ignored; an order number is as good as a model.
    """
    path = book_of(tmp_path, QUOTE)
    plan = plan_of(Catalog(base=tmp_path), **ROOM, prices="quote.csv")
    bom = make_bom(plan)
    assert {line.item: line.unit_price for line in bom.lines} == {
        "sn5600": Decimal(51200),
        "mma4z00-ns-flt": Decimal(640),
        "mma4z00-ns": Decimal("655.50"),
        "mfp7e10 3 m": Decimal(60),
        "mfp7e10 5 m": Decimal("41.50"),
        "mfp7e10 7 m": Decimal(43),
        "mfp7e10 10 m": Decimal(60),
        "mfp7e10 15 m": Decimal(60),
    }
    assert (bom.book.name, bom.book.currency, bom.unpriced) == ("quote", "EUR", [])
    assert read_price_csv(path).quotes[0].valid_until == dt.date(2026, 12, 31)
    text = Packs().render("bom", "bom.csv.j2", bom=bom_view(bom, plan))
    rows = list(csv.DictReader(io.StringIO(text)))
    terms = ("supplier", "item_number", "valid_until", "lead_time_days", "support_pct_per_year")
    assert [rows[0][column] for column in terms] == [
        "Example Networks",
        "EN-5600",
        "2026-12-31",
        "84",
        "8",
    ]
    assert [rows[4][column] for column in ("part_number", "lead_time_days")] == [
        "MFP7E10-N005",
        "14",
    ]


def test_the_same_quote_in_yaml(tmp_path: Path) -> None:
    """`quotes` have the columns of the CSV."""
    made = read_price_csv(book_of(tmp_path, QUOTE))
    facts = made.model_dump(mode="json", exclude_defaults=True)
    path = book_of(tmp_path, str(facts), "quote.yaml")
    book = Catalog(base=tmp_path).price_book(path.name)
    assert book
    assert book.quotes == made.quotes


def test_a_spreadsheet_may_write_semicolons(tmp_path: Path) -> None:
    """Its separator is found in the header."""
    path = book_of(tmp_path, QUOTE.replace(",", ";"))
    assert read_price_csv(path).quotes == read_price_csv(book_of(tmp_path, QUOTE, "b.csv")).quotes


@pytest.mark.parametrize(
    ("text", "line", "fact"),
    [
        ("", 1, "the column `currency` is missing"),
        ("part,price\n", 1, "the column `currency` is missing"),
        ("part,price,currency\n", 1, "has no price"),
        ("part,price,currency\nsn5600,,EUR\n", 2, "there is no price"),
        ("part,price,currency\n,4,EUR\n", 2, "there is no part"),
        ("part,price,currency\nsn5600,4,\n", 2, "there is no currency"),
        ("part,price,currency\nsn5600,nan,EUR\n", 2, "`price` is `nan`"),
        ("part,price,currency,lenght_m\nsn5600,4,EUR,1\n", 1, "`lenght_m` is not a column"),
        ("part,price,currency,item\nsn5600,4,EUR,1\n", 1, "`item` is not a column"),
        ('part,price,currency\nsn5600,4,EUR\n"x', 3, "line 3 is not CSV"),
    ],
)
def test_a_finding_has_its_line(tmp_path: Path, text: str, line: int, fact: str) -> None:
    """And names the fault in plain words."""
    with pytest.raises(Refusal) as refused:
        read_price_csv(book_of(tmp_path, text))
    finding = refused.value.findings[0]
    assert finding.place
    assert (finding.code, finding.place.line) == ("bad-price-book", line)
    assert fact in finding.fact


@pytest.mark.parametrize("value", ["x", -1, 1.5, [], {}, None, True, [{}], {"a": {}}, 10**400])
@pytest.mark.parametrize("kind", KINDS)
def test_no_finding_has_the_words_of_a_library(tmp_path: Path, kind: str, value: object) -> None:
    """Whatever a fact of a file is, a finding states what it must be."""
    shape = KINDS[kind]
    lines = "\n".join(f"{key}: {value!r}" for key in shape.model_fields)
    path = book_of(tmp_path, lines.replace("None", "null").replace("True", "true"), "own.yaml")
    with pytest.raises(Refusal) as refused:
        parse(path, shape)
    for finding in refused.value.findings:
        text = " ".join([finding.fact, *finding.because])
        assert "nput should" not in text
        assert "ydantic" not in text
        assert "should be" not in text
        assert finding.place


def test_a_price_of_a_mistyped_part_is_named(tmp_path: Path) -> None:
    """What is no model is named, with the part that was meant; an order number is one."""
    keys = {"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": {"model": "sn5600"}}}
    text = "part,price,currency\nsn5600,5,EUR\nmma4z0-ns,4,EUR\nMFP7E10-N005,3,EUR\nfreight,9,EUR\n"
    book = str(book_of(tmp_path, text))
    noted = [text for text in price_notes(plan_of(**keys, prices=book)) if "no part" in text]
    what = "which is no part of the catalog"
    assert noted == [
        f"`{book}` has a price of `mma4z0-ns`, {what}: did you mean `mma4z00-ns`?",
        f"`{book}` has a price of `freight`, {what}",
    ]
