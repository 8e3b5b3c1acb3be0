"""Halls, rows and racks have names of any alphabet, in every file that shows them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from fabricgen.core.csv_text import MOST_BYTES
from fabricgen.core.files import csv_rows, read_text
from fabricgen.inventory.fabric import json_schema
from fabricgen.inventory.fields import PLACE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

INVENTORY = """\
name: cloud
gpus: 32
hb_domain: {gpus: 8}
host: {model: dgx-h100}
rails: {per_switch: auto}
switches: {leaf: {model: sn5600, breakout: 2x400G}}
site:
"""
TABLE = """\
device,hall,row,rack,unit
host-1,机房A,第1排,机柜K01,1
host-2,机房A,第1排,机柜K01,9
host-3,机房A,第1排,机柜K02,1
host-4,机房A,第1排,机柜K02,9
leaf-1,机房A,第1排,机柜K03,1
"""


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
def test_a_room_in_chinese_is_built(tmp_path: Path, run_here: Run, encoding: str) -> None:
    """The table is read as a spreadsheet saves it; sheets, drawings and DCIM have its names."""
    (tmp_path / "fabric.yaml").write_text(INVENTORY + "  positions: p.csv\n", encoding="utf-8")
    (tmp_path / "p.csv").write_bytes(TABLE.encode(encoding))
    only = "--only=cabling,bom,dcim" if encoding == "gb18030" else "--only=bom"
    built = run_here("build", "fabric.yaml", "-o", "out", only, "--csv-mark")
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "out/bom/by-rack.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert "机房A第1排-机柜K02" in read_text(tmp_path / "out/bom/by-rack.csv", MOST_BYTES)
    if encoding == "gb18030":
        assert (tmp_path / "out/cabling/racks/机房A第1排-机柜K01.svg").exists()
        rows = [*csv_rows(read_text(tmp_path / "out/cabling/cables.csv", MOST_BYTES))]
        assert rows[0][1][0] == "cable"
        dcim = (tmp_path / "out/dcim/netbox/00-2-locations.csv").read_text(encoding="utf-8")
        assert re.search(r"^cloud,机房A,[a-z0-9_-]+,planned$", dcim, re.MULTILINE)
        assert run_here("audit", "fabric.yaml", "--lldp", "out/cabling/cables.csv").returncode == 0
        assert run_here("verify", "out").returncode == 0


def test_lists_of_places_take_any_alphabet(tmp_path: Path, run_here: Run) -> None:
    """The example of the hint for a name without a number is accepted when it is followed."""
    site = "  positions: p.csv\n"
    (tmp_path / "p.csv").write_text(TABLE.replace("机房A", "机房"), encoding="utf-8")
    (tmp_path / "fabric.yaml").write_text(INVENTORY + site, encoding="utf-8")
    refused = run_here("plan", "fabric.yaml")
    assert "`halls: [机房, ...]`" in refused.stderr
    (tmp_path / "fabric.yaml").write_text(INVENTORY + site + "  halls: [机房]\n", encoding="utf-8")
    assert run_here("plan", "fabric.yaml").returncode == 0


@pytest.mark.parametrize("name", ["机房A", "DH3", "Köln", "Зал-2", "Keller.1", "हॉल1", "ホールB"])
def test_names_of_places(name: str) -> None:
    """Letters of any alphabet, with the marks that some have, in Python and in the schema."""
    assert re.fullmatch(PLACE, name)


@pytest.mark.parametrize(
    "name",
    ["", "a b", "a/b", "-a", "a.", "a\u202eb", "a\u200bb", "a\nb", "机 房", "=1+1", "\ue000"],
)
def test_no_names_of_places(name: str) -> None:
    """No separators of paths, spaces, invisible signs or signs that begin a formula."""
    assert not re.fullmatch(PLACE, name)


def test_a_wrong_name_in_a_list_is_one_finding(tmp_path: Path, run_here: Run) -> None:
    """Not two more on what else the key could be; the name of a fabric gets no fragment as hint."""
    text = INVENTORY.replace("name: cloud", "name: 华东2号集群") + '  halls: ["机 房"]\n'
    (tmp_path / "fabric.yaml").write_text(text, encoding="utf-8")
    findings = json.loads(run_here("plan", "fabric.yaml", "--json").stdout)["findings"]
    assert [finding["fact"] for finding in findings] == [
        '`name` is "华东2号集群"',
        '`site.halls.0` is "机 房"',
    ]
    assert 'write `name: "2"`' not in findings[0]["hint"]
    assert f"^{PLACE}$" in json.dumps(json_schema(), ensure_ascii=False).replace("\\\\", "\\")
