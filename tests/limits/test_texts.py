"""Texts of a catalog file: no character of one is read as the syntax of a file of OUT."""

from __future__ import annotations

import contextlib
import csv
import json
import subprocess
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.kinds import KINDS
from fabricgen.catalog.models.switch import Switch
from fabricgen.catalog.parse import parse
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.yaml_text import load_facts
from tests import ROOT
from tests.limits.bounded import FABRIC
from tests.limits.test_catalog import text_of
from tests.outputs.libyaml import documents
from tests.outputs.packs.managed import FULL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Run

HOSTILE = "x,y\"z\\ '"
MARKED = f"{HOSTILE}<&>"
SWITCHES = ROOT / "inventories" / "catalog" / "switches"


def changes(facts: dict[str, Any], nos: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each text fact of a NOS with the facts in which it is hostile."""
    own = facts["nos"][nos]
    for name, fact in own.items():
        value: Any = None
        if isinstance(fact, str):
            value = HOSTILE
        elif isinstance(fact, list) and all(isinstance(each, str) for each in fact):
            value = [HOSTILE, *fact[1:]]
        elif isinstance(fact, dict) and "per_lane" not in fact:
            value = {**fact, next(iter(fact)): HOSTILE}
        if value is not None:
            yield name, {**facts, "nos": {**facts["nos"], nos: {**own, name: value}}}


def test_text_facts_of_every_nos_are_words(tmp_path: Path) -> None:
    """A text that a format could read as its own syntax is refused; templates quote the others."""
    tried = set()
    for model in Catalog().names("switches"):
        facts = load_facts(SWITCHES / f"{model}.yaml")
        path = tmp_path / f"{model}.yaml"
        for nos in facts.get("nos", {}):
            for name, changed in changes(facts, nos):
                if (nos, name) in tried:
                    continue
                tried.add((nos, name))
                path.write_text(json.dumps(changed), encoding="utf-8")
                with pytest.raises(Refusal, match="a fact of a NOS is"):
                    parse(path, Switch)
    assert len(tried) > 8


MODELS = (
    "switches/sn5600", "switches/sn2201", "hosts/dgx-h100", "nics/connectx-7",
    "accelerators/h100-sxm", "transceivers/mma4z00-ns", "transceivers/mma4z00-ns400",
    "cables/mfp7e10", "cables/cat6", "connectors/mpo12", "cassettes/adapters-12-mpo12",
    "panels/panel-1u", "trunks/trunk-mpo12-mmf", "devices/ap8886", "power-cords/c13-c14",
)  # fmt: skip
LINKS = frozenset({
    "model", "accelerator", "nic", "connector", "ends", "front", "rear", "inlet", "socket", "plug",
    "default_nos", "name", "unverified",
})  # fmt: skip
"""Texts by which a file names another one, or a part of itself."""


def hostile(facts: object) -> object:
    """Return facts in which each text that is no link is hostile."""
    if isinstance(facts, dict):
        return {name: value if name in LINKS else hostile(value) for name, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [*map(hostile, facts)]
    return MARKED if isinstance(facts, str) else facts


def free(kind: str, facts: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return facts in which each text is hostile that the model of the kind lets be so."""
    for name, value in facts.items():
        changed = {**facts, name: hostile(value)}
        if name in LINKS or changed == facts:
            continue
        path.write_text(text_of(changed), encoding="utf-8")
        with contextlib.suppress(Refusal):
            parse(path, KINDS[kind])
            facts = changed
    return facts


def catalog(folder: Path) -> set[str]:
    """Write a catalog with hostile texts, and return the facts that are."""
    found = set()
    for model in MODELS:
        kind, _, _ = model.partition("/")
        path = folder / f"{model}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        facts = load_facts(ROOT / "inventories" / "catalog" / f"{model}.yaml")
        changed = free(kind, facts, path)
        found |= {f"{kind}.{name}" for name, value in changed.items() if value != facts[name]}
        path.write_text(text_of(changed), encoding="utf-8")
    return found


def fabric(nos: str) -> dict[str, Any]:
    """Return an inventory whose free texts are hostile."""
    return FABRIC | {
        "gpus": 32,
        "devices": [{**FABRIC["devices"][0], "count": 10}],
        "nos": nos,
        "site": {
            "hosts_per_rack": 1,
            "rack": {"reserved": [{"first": 1, "last": 2, "use": MARKED}]},
        },
        "management": FULL | {"banner": MARKED},
    }


def read(path: Path) -> bool:
    """Parse a file whose format has a parser here, and return whether it holds a hostile text."""
    text = path.read_text(encoding="utf-8", errors="replace")  # a workbook is no text
    values: Any = text
    match path.suffix:
        case ".json":
            values = json.loads(text)
        case ".yaml" | ".yml":
            values = documents(text)
        case ".csv":
            values = [*csv.reader(text.splitlines(keepends=True), strict=True)]
            assert len({len(row) for row in values}) <= 1, path
        case ".svg" | ".drawio":
            values = [*ET.fromstring(text).itertext()]  # noqa: S314 - a file of this test
        case ".html":
            assert MARKED not in text, path
            return json.dumps(HOSTILE)[1:-1] in text  # in the data of the report
        case ".py":
            compile(text, str(path), "exec")
        case _:
            return False
    return MARKED in str(values) or repr(MARKED)[1:-1] in str(values)


def test_free_texts_stay_texts(tmp_path: Path, run_here: Run) -> None:
    """Each file parses where every free text of the catalog and of the inventory has quotes."""
    found = catalog(tmp_path / "own")
    assert found >= {
        f"{kind}.description" for kind in ("switches", "hosts", "nics", "transceivers", "cables")
    } | {"switches.vendor", "switches.part_number", "transceivers.opn", "devices.vendor"}
    holding: set[str] = set()
    for nos in ("sonic", "nvue"):
        (tmp_path / "f.yaml").write_text(json.dumps(fabric(nos)), encoding="utf-8")
        groups = () if nos == "sonic" else ("--only", "configs,provision,push")
        out = tmp_path / nos
        words = ("build", tmp_path / "f.yaml", "-o", out, "--catalog", tmp_path / "own", *groups)
        done = run_here(*words)
        assert done.returncode == 0, done.stderr
        holding |= {path.suffix for path in out.rglob("*.*") if read(path)}
        for path in {path.name: path for path in out.rglob("*.sh")}.values():
            subprocess.run(["/bin/sh", "-n", path], check=True)
    assert holding == {".json", ".yaml", ".csv", ".svg", ".html"}
