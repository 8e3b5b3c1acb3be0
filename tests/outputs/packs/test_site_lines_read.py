"""The vendors' parsers read files with overrides: valid ones are accepted, wrong ones are found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.outputs.packs.site_lines import SiteLines
from fabricgen.views.factory import Views
from tests.fabrics import plan_of
from tests.nos import frr, sonic_yang, srlinux_yang
from tests.nos.switch_files import PACKS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODELS = {"frr": "sn5600", "sonic": "sn5600", "srlinux": "7220-ixr-h5-64"}


def text_of(nos: str, own: dict[str, Any]) -> str:
    """Render the main file of a leaf with one override."""
    leaf = {"model": MODELS[nos], "breakout": "2x400G"}
    keys = {"gpus": 16, "hb_domain": {"gpus": 2}, "nos": nos, "switches": {"leaf": leaf}}
    pack = PACKS.for_nos(nos)
    assert pack
    (switch,) = Views(plan_of(**keys, overrides=[own])).switches(0, boxes=[0])
    return SiteLines(PACKS).render(pack, pack.open_outputs[0], switch)


@pytest.mark.parametrize("place", ["before", "after", "interfaces", "filters", "bgp"])
def test_frr_reads_lines_at_every_place(
    place: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Between its sections too; a misspelt line is found."""
    program = tool("vtysh")
    for line, code in (("ip prefix-list SITE permit any", 0), ("ip prefx-list SITE", 2)):
        text = text_of("frr", {"place": place, "text": line})
        assert frr.validate(program, text, tmp_path).returncode == code, place


def test_the_models_of_sonic_read_a_merged_document(
    tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """A row of a known table, and one with a wrong prefix."""
    program, models = tool("yanglint"), oracles / "sonic-yang"
    for bits, good in ((32, True), (33, False)):
        rows: dict[str, dict[str, str]] = {"Loopback1": {}, f"Loopback1|192.0.2.1/{bits}": {}}
        text = text_of("sonic", {"text": json.dumps({"LOOPBACK_INTERFACE": rows})})
        done = sonic_yang.validate(program, models, tmp_path, json.loads(text))
        assert (done.returncode == 0) is good, done.stderr[-400:]


def test_the_models_of_sr_linux_read_a_merged_document(
    tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """A leaf of an interface that the document has, and an unknown leaf."""
    program, home = tool("yanglint"), srlinux_yang.prepare(oracles / "srlinux-yang", tmp_path)
    for leaf, good in (("description", True), ("descriptio", False)):
        entry = {"name": "ethernet-1/1/1", leaf: "site"}
        own = {"text": json.dumps({"srl_nokia-interfaces:interface": [entry]})}
        text = text_of("srlinux", own)
        assert text.count('"ethernet-1/1/1"') == text_of("srlinux", {"text": "{}"}).count(
            '"ethernet-1/1/1"'
        )
        done = srlinux_yang.validate(program, home, tmp_path, text)
        assert (srlinux_yang.complaints(done) == []) is good, done.stderr[-400:]
