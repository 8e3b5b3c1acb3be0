"""Completion: the values offered to a shell through click's own protocol."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete

from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import program

if TYPE_CHECKING:
    from pathlib import Path

COMPLETING = """
import sys
from click.shell_completion import ShellComplete
from fabricgen.cli import program
(item,) = ShellComplete(program, {}, "fabricgen", "_FABRICGEN_COMPLETE").get_completions([], "bui")
print(item.value, *sys.modules)
"""


def offered(*words: str) -> list[str]:
    """Return the values offered for the last word."""
    shell = ShellComplete(program, {}, "fabricgen", "_FABRICGEN_COMPLETE")
    return [item.value for item in shell.get_completions([*words[:-1]], words[-1])]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("init", "--leaf", "sn56"), ["sn5600", "sn5600d", "sn5610", "sn5640"]),
        (("init", "--reference", "dgx-gb"), ["dgx-gb200", "dgx-gb300"]),
        (("init", "--host", "dgx-h"), ["dgx-h100"]),
        (("init", "--nos", "so"), ["sonic"]),
        (("init", "--design", "rail-op"), ["rail-optimized"]),
        (("plan", "f.yaml", "--prices", "paper-v5"), ["paper-v5"]),
        (("model", "--llm", "opt"), ["opt-175b"]),
        (("search", "--accelerator", "h100-s"), ["h100-sxm"]),
        (("catalog", "show", "sn54"), ["sn5400"]),
        (("catalog", "list", "swi"), ["switches"]),
        (("build", "f.yaml", "--only", "cab"), ["cabling"]),
        (("build", "f.yaml", "--only", "bom,cab"), ["bom,cabling"]),
        (("build", "f.yaml", "--only", "cabling,cab"), []),
        (("build", "f.yaml", "--columns", "cable,a_int"), ["cable,a_interface"]),
        (("build", "f.yaml", "--columns", "run-"), ["run-list"]),
        (("plan", "--set", "rails.c"), ["rails.count="]),
        (("plan", "--set", "roce.dsc"), ["roce.dscp="]),
        (("plan", "--set", "phases"), ["phases="]),
        (("plan", "--set", "spread="), ["spread=even", "spread=minimal"]),
        (("plan", "--set", "host.model=dgx-h"), ["host.model=dgx-h100"]),
        (("plan", "--set", "gpus=1"), []),
        (("explain", "block-t"), ["block-too-large"]),
        (("explain", "rails.per"), ["rails.per_switch"]),
        (("explain", "hb-"), ["hb-domain"]),
        (("impact", "--each", "hos"), ["host-cable"]),
    ],
    ids=" ".join,
)
def test_a_value_is_offered(words: tuple[str, ...], values: list[str]) -> None:
    """Models, books, groups, columns, keys, values, codes and terms."""
    assert offered(*words) == values


def test_every_switch_is_offered() -> None:
    """Without a typed prefix the whole list is offered."""
    assert offered("init", "--leaf", "") == Catalog().names("switches")


def test_a_users_models_are_offered(tmp_path: Path) -> None:
    """The directory of a preceding --catalog is read."""
    (tmp_path / "switches").mkdir()
    (tmp_path / "switches" / "acme-32.yaml").touch()
    assert offered("catalog", "show", "--catalog", str(tmp_path), "acme") == ["acme-32"]
    assert offered("catalog", "show", "acme") == []


def test_a_file_is_offered_where_no_book_matches() -> None:
    """The shell completes paths itself, as it does for FABRIC."""
    shell = ShellComplete(program, {}, "fabricgen", "_FABRICGEN_COMPLETE")
    for words in (["plan", "--prices"], ["plan"], ["build", "--serials"]):
        (item,) = shell.get_completions(words, "./our")
        assert item.type == "file"


def test_a_key_is_offered_with_its_meaning() -> None:
    """Shells that can show it beside the value do."""
    shell = ShellComplete(program, {}, "fabricgen", "_FABRICGEN_COMPLETE")
    (item,) = shell.get_completions(["plan", "--set"], "rails.pl")
    assert item.help == "Number of NIC ports per GPU, each on its own plane"


def test_completing_a_command_reads_no_catalog() -> None:
    """What a value needs is imported when that value is completed."""
    ended = subprocess.run(
        [sys.executable, "-c", COMPLETING], capture_output=True, text=True, check=True
    )
    modules = ended.stdout.split()
    assert modules[0] == "build"
    assert not {"pydantic", "numpy", "ruamel.yaml", "jinja2"}.intersection(modules)
