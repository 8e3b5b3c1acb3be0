"""`--explain-templates`: each line of a file is attributed to what wrote it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from fabricgen.build.context import BuildContext
from fabricgen.build.pack_outputs import config_packs, site_lines, switch_outputs
from fabricgen.build.template_origins import origins_of, switch_named
from fabricgen.core.terms import Role
from fabricgen.outputs.packs.render import Packs
from tests import ROOT
from tests.outputs.packs.test_nos_packs import mixed
from tests.outputs.packs.test_site_lines import with_overrides

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.conftest import Run

STATEMENTS = re.compile(r"{%.*?%}|{#.*?#}", re.DOTALL)


def context_of(plan: Plan, packs: Packs | None = None) -> BuildContext:
    """Return what a build of a plan starts from."""
    return BuildContext(plan, packs or Packs())


@pytest.mark.parametrize("name", ["r0p0-leaf-1", "r1p1-spine-1", "r2p0-leaf-1"])
def test_every_line_is_of_the_line_that_is_named(name: str) -> None:
    """The texts are those of a build, and a literal text is in the named line of its template."""
    context = context_of(with_overrides(mixed(), {"place": "after", "text": "{}"}))
    switch = switch_named(context, name)
    assert switch
    pack, segment = config_packs(context)[switch.nos], int(switch.rail) * 2 + switch.plane
    lines, compared = site_lines(context), 0
    for output in switch_outputs(context, segment, Role(switch.role)):
        found = lines.origins(pack, output, switch)
        if output.overrides and output.overrides.format == "lines":
            assert "".join(line.text for line in found) == lines.render(pack, output, switch)
        for line in found:
            if line.origin.endswith(".j2"):
                source = (ROOT / "templates" / line.origin).read_text(encoding="utf-8")
                wrote = source.splitlines()[line.number - 1]
                literal = STATEMENTS.sub("", wrote).partition("{{")[0].strip()
                assert line.text.lstrip().startswith(literal), (line, wrote)
                compared += bool(literal)
    assert compared > 20


def test_runs_cover_a_file_once() -> None:
    """They follow each other from line 1, and name the override and the document's fragment."""
    own = [
        {"match": {"nos": "frr"}, "place": "bgp", "text": "a\nb"},
        {"match": {"nos": "sonic"}, "place": "/NTP", "text": "{}"},
    ]
    context = context_of(with_overrides(mixed(), *own))
    switch = switch_named(context, "r2p0-leaf-1")
    assert switch
    (file,) = origins_of(context, switch, "frr.conf")
    assert file.path == "configs/r2p0-leaf-1/frr.conf"
    assert [run.first for run in file.runs] == [1, *(run.last + 1 for run in file.runs[:-1])]
    (run,) = (run for run in file.runs if run.origin == "overrides.0")
    assert (run.last - run.first, run.first_there, run.last_there) == (3, 1, 2)
    sonic = switch_named(context, "r1p0-leaf-1")
    assert sonic
    merged = {file.path.rsplit("/", 1)[1]: file.merged for file in origins_of(context, sonic)}
    assert merged == {"config_db.json": [("overrides.1", "/NTP")], "frr.conf": []}
    assert switch_named(context, "r9") is None


def test_a_macro_and_an_expression_are_of_the_line_that_prints_them(tmp_path: Path) -> None:
    """A captured block has the line of its use, an include that of the other template."""
    (tmp_path / "frr").mkdir()
    main = (
        "{% macro shout(word) %}\n{{ word }}!\n{% endmacro %}\n{% set kept %}\nkept\n{% endset %}\n"
        "{{ shout('a') -}}\n{{ kept -}}\n{% include 'frr/own.j2' %}\nlast {{ 1 }}\n"
    )
    (tmp_path / "frr" / "frr.conf.j2").write_text(main, encoding="utf-8")
    (tmp_path / "frr" / "own.j2").write_text(
        "\n{{ switch.name }}\n\0@bad\0\0-\0\n", encoding="utf-8"
    )
    context = context_of(mixed(), Packs([tmp_path]))
    switch = switch_named(context, "r2p0-leaf-1")
    assert switch
    (file,) = origins_of(context, switch, "frr.conf")
    own, main_file = str(tmp_path / "frr/own.j2"), str(tmp_path / "frr/frr.conf.j2")
    assert [run[:3] for run in file.runs] == [(1, 2, main_file), (3, 5, own), (6, 6, main_file)]
    assert file.runs[0][3:] == (7, 8)


def test_the_command_prints_them_and_writes_nothing(run_here: Run, tmp_path: Path) -> None:
    """As a table and as JSON; an unknown switch or file is named."""
    (tmp_path / "fabric.yaml").write_text(
        "name: s\ngpus: 64\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: 16}}}\n"
        "overrides: [{text: line}]\nnetworks: {storage: {switches: {leaf: {model: sn5600}}}}\n",
        encoding="utf-8",
    )
    shown = run_here("build", "fabric.yaml", "--explain-templates", "r0-leaf-1/frr.conf")
    first, *_, last = shown.stdout.splitlines()
    assert (first, last.split()[1]) == ("configs/r0-leaf-1/frr.conf", "overrides.0:1")
    asked = ("build", "fabric.yaml", "--explain-templates", "r0-leaf-1", "--json")
    files = json.loads(run_here(*asked).stdout)["files"]
    assert {file["path"] for file in files} >= {"configs/r0-leaf-1/hostname"}
    assert set(files[0]["lines"][0]) == {"first", "last", "origin", "first_there", "last_there"}
    shown = run_here("build", "fabric.yaml", "--explain-templates", "storage-leaf-1")
    assert shown.stdout.startswith("configs/storage-leaf-1/")
    for name, words in (
        ("storge-leaf-1", "mean `storage-leaf-1`?"),
        ("r0-laef-1", "did you mean `r0-leaf-1`?"),
        ("r0-leaf-1/x", "no pack"),
    ):
        assert words in run_here("build", "fabric.yaml", "--explain-templates", name).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["fabric.yaml"]
