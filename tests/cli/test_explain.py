"""The pages of `explain` are short, link to existing pages, and have correct examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.checks.circuits import CIRCUIT_LAWS
from fabricgen.analysis.checks.cluster_laws import (
    ALTERNATION_LAWS,
    CLUSTER_LAWS,
    CONSOLE_LAWS,
    PEER_LAWS,
    UPLINK_LAWS,
)
from fabricgen.analysis.checks.laws import CHANNEL_LAWS, DIRECT_LAWS, GROWTH_LAWS, LAWS
from fabricgen.bom.priced_bill import make_bom
from fabricgen.build.preconditions import check_buildable
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.cli.explain import WIDTH, key_text
from fabricgen.cli.topics import ALIASES
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.yaml_text import read_document, write_yaml
from fabricgen.inventory.fabric import json_schema
from fabricgen.inventory.keys import inventory_keys
from fabricgen.inventory.load import read_text
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import make_plan
from tests import ROOT
from tests.refusals import CASES

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.inventory.keys import InventoryKey

PAGES = sorted((ROOT / "fabricgen" / "cli" / "pages").rglob("*.md"))
TERMS = {
    "hb-domain",
    "host",
    "rail",
    "rail-only",
    "direct",
    "rail-optimized",
    "fat-tree",
    "plane",
    "tier",
    "stripe",
    "networks",
    "scalable-unit",
    "channel",
    "pod",
    "phases",
    "block",
    "cage",
    "breakout",
    "port",
    "radix",
    "interface",
    "link",
    "cable",
    "transceiver",
    "oversubscription",
    "relay",
    "spread",
    "reserve",
    "impact",
    "placement",
    "site",
    "audit",
    "model",
    "exit-code",
}
"""The vocabulary with pages; `ALIASES` maps other words of the field to them."""
CODES = {case.code for case in CASES}
ONE_FABRIC = (*LAWS, *CHANNEL_LAWS, *GROWTH_LAWS, *CIRCUIT_LAWS, *DIRECT_LAWS)
CLUSTER_CODES = {
    law.code for law in (*CLUSTER_LAWS, *ALTERNATION_LAWS, *PEER_LAWS, *UPLINK_LAWS, *CONSOLE_LAWS)
}
LAW_CODES = {law.code for law in ONE_FABRIC} | CLUSTER_CODES
SMALL: dict[str, Any] = {
    "name": "small",
    "gpus": 1024,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"model": "sn5600"}},
}
"""The inventory that the examples of the pages change."""


def examples(page: Path, verdict: str) -> list[dict[str, Any]]:
    """Return the examples of a page with the comment `verdict`, as plain values."""
    blocks = [
        block
        for block in page.read_text(encoding="utf-8").split("\n\n")
        if block.startswith("    ") and f"# {verdict}" in block
    ]
    texts = ["\n".join(line[4:] for line in block.rstrip("\n").split("\n")) for block in blocks]
    return [read_document(text, page.name).values for text in texts if "$ fabricgen" not in text]


PACKS = Packs()
EXAMPLES = [
    (page, verdict, change)
    for page in PAGES
    for verdict in ("refused", "instead")
    for change in examples(page, verdict)
    if page.stem in CODES
]


def codes_of(change: dict[str, Any]) -> set[str]:
    """Return the codes with which an example is refused."""
    catalog = Catalog()
    try:
        plan = make_plan(read_text(write_yaml({**SMALL, **change}), "page").spec, catalog)
        make_bom(plan)
        check_buildable(plan, PACKS)
    except Refusal as refusal:
        return {finding.code for finding in refusal.findings}
    return set()


def test_there_is_a_page_for_exactly_every_code_and_term() -> None:
    """Codes of findings, laws, and the words of the documentation.

    A law is no refusal, and one law is a term as well.
    """
    assert {page.stem for page in PAGES} == CODES | TERMS | LAW_CODES
    assert {page.stem for page in PAGES if page.parent.name == "terms"} == TERMS
    assert set(ALIASES.values()) <= {page.stem for page in PAGES}
    assert CODES.isdisjoint(LAW_CODES)
    assert TERMS.intersection(LAW_CODES) == {"oversubscription"}
    assert len(PAGES) >= 77


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_plain(page: Path) -> None:
    """A title, then 8 to 24 lines that fit a terminal, with an example."""
    text = page.read_text(encoding="utf-8")
    lines = text.split("\n")
    assert re.fullmatch(r"# [A-Z].*[^.]", lines[0])
    assert lines[1] == ""
    assert 8 <= text.count("\n") <= 24
    assert max(map(len, lines)) <= 105
    assert "\n    " in text
    assert text.replace("\n", "").isprintable()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_pages_link_to_existing_pages() -> None:
    """Every `See also` names a page."""
    named = {
        name
        for page in PAGES
        for line in page.read_text(encoding="utf-8").split("See also: ")[1:]
        for name in re.findall(r"`([a-z-]+)`", line)
    }
    assert named
    assert named <= {page.stem for page in PAGES}


@pytest.mark.parametrize(
    ("page", "verdict", "change"),
    EXAMPLES,
    ids=[f"{page.stem}: {verdict}" for page, verdict, _ in EXAMPLES],
)
def test_an_example_has_the_result_of_the_page(
    page: Path, verdict: str, change: dict[str, Any]
) -> None:
    """An example marked as refused is refused with the code of the page. The one below it plans."""
    found = codes_of(change)
    assert page.stem in found if verdict == "refused" else found == set()


def test_many_pages_have_examples() -> None:
    """Pages about an inventory have them; those about files and commands cannot."""
    assert len({page.stem for page, _, _ in EXAMPLES}) >= 30
    assert len(EXAMPLES) >= 60


@pytest.mark.parametrize("key", inventory_keys().values(), ids=lambda key: key.name)
def test_every_key_is_explained(key: InventoryKey) -> None:
    """With its meaning, its values, an example, and its default where it has one."""
    text = key_text(key)
    assert f"# Key of the inventory: {key.name}" in text
    assert key.description
    assert key.values
    assert key.examples
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "None" not in text


def test_the_keys_are_those_of_the_schema() -> None:
    """The list has every definition, and `--set` names keys outside of lists."""
    schema, keys = json_schema(), inventory_keys()
    declared = {
        word
        for part in [schema, *schema["definitions"].values()]
        for word in part.get("properties", ())
    }
    below_free_names = {"price"}  # of `prices.parts`, whose keys are the user's parts
    assert {name.rpartition(".")[2] for name in keys} | below_free_names == declared
    assert keys["phases.planes"].in_list
    assert not keys["rails.planes"].in_list
    rails = ("count", "planes", "per_switch", "grouping", "medium", "topology", "tiers")
    assert keys["rails"].below == tuple(f"rails.{key}" for key in rails)
    assert keys["addressing.mtu"].values == "integer from 1280 to 9216"
    assert keys["design"].choices == ("rail-only", "rail-optimized", "fat-tree")


@pytest.mark.parametrize(
    ("topic", "line"),
    [
        ("rails.per_switch", "    default       1"),
        ("rails.per-switch", "    default       1"),
        ("mtu", "# Key of the inventory: addressing.mtu"),
        ("percent", "# Key of the inventory: spares.cables.percent"),
        ("site", "# Key of the inventory: site"),
        ("HB domain", "# HB domain"),
        ("leaf", "# Tier"),
        ("SU", "# Scalable unit"),
        ("hb_domain.gpus", "    default       none: the key is required"),
    ],
)
def test_a_topic_is_found_by_any_of_its_names(
    topic: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key by its dotted name or its last part, a term in any spelling, and synonyms."""
    assert run(["explain", topic]) == 0
    assert any(each.startswith(line) for each in capsys.readouterr().out.splitlines())


def test_an_unknown_topic_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """Keys are suggested as well as pages."""
    assert run(["explain", "rials.count"]) != 0
    assert "did you mean `rails.count`?" in capsys.readouterr().err
