"""Texts of a catalog file: no character of one is read as the syntax of a file of OUT."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.models.switch import Switch
from fabricgen.catalog.parse import parse
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.yaml_text import load_facts
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Run

HOSTILE = "x,y\"z\\ '"
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


@pytest.mark.parametrize(
    ("model", "nos"), [("sn5600", "sonic"), ("sn5600", "nvue"), ("7220-ixr-h6-64", "srlinux")]
)
def test_free_texts_of_a_part_stay_texts(
    model: str, nos: str, tmp_path: Path, run_here: Run
) -> None:
    """Each JSON and YAML file of OUT parses where every free text of a switch has quotes."""
    facts = load_facts(SWITCHES / f"{model}.yaml")
    texts = dict.fromkeys(("vendor", "description", "asic", "part_number"), HOSTILE)
    own = tmp_path / "own" / "switches" / f"{model}.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({**facts, **texts}), encoding="utf-8")
    (tmp_path / "f.yaml").write_text(
        json.dumps(
            {
                "name": "lab",
                "gpus": 32,
                "hb_domain": {"gpus": 8},
                "host": {"model": "dgx-h100"},
                "switches": {"leaf": {"model": model, "breakout": "2x400G"}},
                "nos": nos,
            }
        ),
        encoding="utf-8",
    )
    done = run_here(
        "build", tmp_path / "f.yaml", "-o", tmp_path / "out", "--catalog", own.parents[1]
    )
    assert done.returncode == 0, done.stderr
    read = 0
    for path in (tmp_path / "out").rglob("*"):
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix in {".yaml", ".yml"}:
            list(YAML(typ="safe").load_all(path.read_text(encoding="utf-8")))
        else:
            continue
        read += 1
    assert read > 5
