"""Findings: their printed form, the characters removed, and the known word suggested."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.core.diagnostics import Finding, Place, Refusal, nearest, refuse, text_of

FULL = Finding(
    "block-too-large",
    "two tiers cannot hold it",
    ("rails", "tiers"),
    ("a leaf gives 32", "a spine reaches 64"),
    "add a tier",
    Place("f.yaml", 7, 10),
)
KEYS = [
    "name",
    "design",
    "gpus",
    "hb_domain",
    "host",
    "nic",
    "rails",
    "switches",
    "oversubscription",
    "spread",
    "reserve",
    "spares",
    "addressing",
    "naming",
]


def test_a_finding_prints_fact_place_arithmetic_and_hint() -> None:
    """The four parts are printed in this order."""
    assert text_of(FULL) == (
        "error[block-too-large]: two tiers cannot hold it\n  --> f.yaml:7:10\n   = because "
        "a leaf gives 32\n   = because a spine reaches 64\n\nhint: add a tier"
    )


def test_a_finding_may_have_no_more_than_a_fact() -> None:
    """Parts that are absent leave no empty line."""
    assert text_of(Finding("x", "so it is")) == "error[x]: so it is"
    assert (
        text_of(Finding("x", "so it is", place=Place("--gpus 8")))
        == "error[x]: so it is\n  --> --gpus 8"
    )


def test_colour_adds_only_escape_sequences() -> None:
    """Without its escape sequences the coloured text equals the plain one."""
    coloured = text_of(FULL, colour=True)
    assert coloured.count("\x1b[") > 6
    for code in ("31m", "1m", "34m", "36m", "33m", "0m"):
        coloured = coloured.replace(f"\x1b[{code}", "")
    assert coloured == text_of(FULL)


def test_a_warning_begins_with_its_level() -> None:
    """The level is the first word."""
    assert text_of(replace(FULL, level="warning")).startswith("warning[block-too-large]: ")


@given(st.text(max_size=40))
def test_control_characters_of_an_inventory_are_not_printed(text: str) -> None:
    """No key or value adds a control character or a line of its own to a finding."""
    shown = text_of(Finding("x", text, (), (text,), text or "y", Place(text, 1, 1)))
    assert shown.count("\n") == 4
    assert shown.replace("\n", "").isprintable()


def test_a_place_is_what_terminals_link() -> None:
    """A place is FILE:LINE:COLUMN, which terminals link, or the argument that was typed."""
    assert str(Place("f.yaml", 3, 1)) == "f.yaml:3:1"
    assert str(Place("--set gpus=8")) == "--set gpus=8"


def test_a_path_is_located_once() -> None:
    """Code that finds a fault names a path; code that holds the file adds the line.

    A known place is kept, and a finding without a path gets no place.
    """

    def locate(path: tuple[str | int, ...]) -> Place:
        return Place("f.yaml", len(path), 1)

    assert Finding("x", "y", ("a", "b")).located(locate).place == Place("f.yaml", 2, 1)
    assert FULL.located(locate).place == FULL.place
    assert Finding("x", "y").located(locate).place is None


def test_a_refusal_keeps_its_findings() -> None:
    """All of them, in their order. The text of the exception is for logs."""
    refusal = Refusal(iter([FULL, Finding("x", "so it is")]))
    assert [finding.code for finding in refusal.findings] == ["block-too-large", "x"]
    assert str(refusal) == "block-too-large: two tiers cannot hold it; x: so it is"
    assert refuse("x", "y", path=("a",), because=["b"], hint="c").findings == (
        Finding("x", "y", ("a",), ("b",), "c"),
    )


def test_findings_never_change() -> None:
    """They are immutable values."""
    with pytest.raises(FrozenInstanceError):
        FULL.code = "x"  # type: ignore[misc]  # the assignment must be refused


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *(("rials", "rails"), ("rail", "rails"), ("nmae", "name")),
        *(("gpu", "gpus"), ("GPUs", "gpus")),
        *(("hb-domain", "hb_domain"), ("HBdomain", "hb_domain"), ("adressing", "addressing")),
        *(("oversub", "oversubscription"), ("over_subscription", "oversubscription")),
        ("switch", "switches"),
        *((word, None) for word in ("planes", "breakout", "xy", "", "n", "re")),
    ],
)  # fmt: skip
def test_the_nearest_key(typed: str, meant: str | None) -> None:
    """Typing errors and abbreviations get a suggestion; an unrelated word gets none."""
    assert nearest(typed, KEYS) == meant


@pytest.mark.parametrize(
    ("typed", "known", "meant"),
    [
        ("sn560", ["sn5400", "sn5600", "sn5640"], "sn5600"),
        ("h100", ["dgx-a100", "dgx-h100", "gh200"], "dgx-h100"),
        ("SN5600", ["sn5600"], "sn5600"),
        ("sn5", ["sn5400", "sn5600", "sn5640"], None),
        ("dragonfly", ["rail-only", "rail-optimized", "fat-tree"], None),
        ("rail only", ["rail-only", "rail-optimized", "fat-tree"], "rail-only"),
    ],
)
def test_the_nearest_of_others(typed: str, known: list[str], meant: str | None) -> None:
    """Models and choices get suggestions; where two are equally near, none is given."""
    assert nearest(typed, known) == meant


@given(st.sampled_from(KEYS))
def test_a_known_word_is_its_own_nearest(word: str) -> None:
    """Upper and lower case are ignored."""
    assert nearest(word, KEYS) == nearest(word.upper(), KEYS) == word
