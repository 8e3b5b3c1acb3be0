"""Copies of shipped templates record the version of their original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.shadows import copy_of, shadow_notes, shipped_names
from tests.fabrics import generic, plan_of
from tests.nos.switch_files import PACKS, render_switches

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Copy a template and a pack.yaml of FRR."""
    (tmp_path / "frr").mkdir()
    copy = copy_of(PACKS, "frr/bgp.conf.j2")
    (tmp_path / "frr" / "bgp.conf.j2").write_text(copy, encoding="utf-8")
    return tmp_path


def test_a_copy_writes_what_its_original_writes(mine: Path) -> None:
    """The record prints nothing, and a fresh copy has no note."""
    one = render_switches(plan_of(nos="frr", **generic(64, gpus=64)))[0]
    packs = Packs([mine])
    assert packs.render("frr", "frr.conf.j2", switch=one.switch) == one.files["frr.conf"]
    assert [*shadow_notes(packs)] == []


def test_a_change_of_the_original_is_noted(mine: Path) -> None:
    """Another digest, and none, of templates and of YAML; hooks and own files have no original."""
    file = mine / "frr" / "bgp.conf.j2"
    record, _, text = file.read_text(encoding="utf-8").partition("\n")
    file.write_text(record.replace("sha256:", "sha256:0")[:-4] + " #}\n" + text, encoding="utf-8")
    (note,) = shadow_notes(Packs([mine]))
    assert note.startswith(f"{file} is a copy of another version of the shipped frr/bgp.conf.j2")
    assert note.endswith(f"then begin it with `{record}`")
    file.write_text(text, encoding="utf-8")
    (mine / "frr" / "site.after.j2").write_text("a", encoding="utf-8")
    (mine / "frr" / "own.j2").write_text("a", encoding="utf-8")
    (mine / "frr" / "pack.yaml").write_text("name: frr", encoding="utf-8")
    notes = [*shadow_notes(Packs([mine]))]
    assert ["does not record its version" in note for note in notes] == [True, True]
    assert notes[1].startswith(f"{mine / 'frr' / 'pack.yaml'} replaces a shipped file")
    assert "`# shadows frr/pack.yaml sha256:" in notes[1]


def test_init_copies_a_template_once(run_here: Run, tmp_path: Path) -> None:
    """It writes below the directory, prints with `-`, and does not overwrite."""
    name = "eos/bgp.cfg.j2"
    assert name in shipped_names(PACKS)
    printed = run_here("init", "--template", name, "-").stdout
    assert printed == copy_of(PACKS, name)
    assert run_here("init", "--template", name, "mine").returncode == 0
    assert (tmp_path / "mine" / name).read_text(encoding="utf-8") == printed
    assert "file-exists" in run_here("init", "--template", name, "mine").stderr
    assert run_here("init", "--template", name, "mine", "--force").returncode == 0
    assert "give the directory" in run_here("init", "--template", name).stderr
    assert (
        "did you mean `eos/bgp.cfg.j2`" in run_here("init", "--template", "eos/bgp.cfg", "-").stderr
    )
