"""Files of a user's templates that nothing reads are refused; those that are read are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.unread import check_unread

if TYPE_CHECKING:
    from pathlib import Path

PACK = (
    "name: ours\ndescription: ours\nverified: never\ngroup: bom\n"
    "outputs: [{path: bom/ours.txt, template: ours.txt.j2, each: bom, reader: us}]\n"
)
NOS_PACK = (
    "name: nos\ndescription: a NOS\nverified: never\ngroup: configs\nnos: nos\n"
    "outputs: [{path: 'configs/{switch}/a', template: nos.cfg.j2, each: switch, reader: a,"
    " overrides: {}}]\n"
)
READ = {
    "frr/frr.conf.j2": "{% include 'frr/site.j2' %}",  # replaces a shipped template
    "frr/site.j2": "{% import 'shared/macros.j2' as macros %}",
    "shared/macros.j2": "",
    "ours/pack.yaml": PACK,
    "nos/pack.yaml": NOS_PACK,
    "nos/nos.cfg.j2": "",
    "nos/site.after.j2": "",
    "ours/ours.txt.j2": "{{ unfinished",  # a fault of the template has a refusal of its own
    "ours/README.md": "about us",
    ".git/config": "",
}


def unread(root: Path, files: dict[str, str]) -> list[str]:
    """Write the files and return the facts of the findings."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    try:
        check_unread(Packs([root]))
    except Refusal as refusal:
        return [f"{finding.code}: {finding.fact}" for finding in refusal.findings]
    return []


def test_what_is_read_is_accepted(tmp_path: Path) -> None:
    """Shadowed, named and included files are read, also through several includes."""
    assert unread(tmp_path, READ) == []


@pytest.mark.parametrize("name", ["eos/devicee.json.j2", "shared/other.j2", "loose.j2"])
def test_what_nothing_reads_is_refused(tmp_path: Path, name: str) -> None:
    """A mistyped name, an include that is missing, and a file outside of a pack."""
    assert unread(tmp_path, {**READ, name: ""}) == [f"unread-template: no pack reads `{name}`"]


def test_an_include_whose_name_is_computed_may_read_every_file(tmp_path: Path) -> None:
    """No file is refused that a template may choose when it is rendered."""
    computed = {"frr/frr.conf.j2": "{% include switch.name ~ '.j2' %}", "r0-leaf-1.j2": ""}
    assert unread(tmp_path, computed) == []
    assert unread(tmp_path, {"frr/frr.conf.j2": ""}) == [
        "unread-template: no pack reads `r0-leaf-1.j2`"
    ]
