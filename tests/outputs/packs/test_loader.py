"""Files of packs and catalogs that are links: a link that leaves its folder is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.outputs.packs.loader import MOST_BYTES
from fabricgen.outputs.packs.render import Packs
from tests.refusals import CASES

if TYPE_CHECKING:
    from collections.abc import Callable

PACK = "name: own\ndescription: ours\nverified: not verified\ngroup: bom\noutputs: []\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a directory with a pack and folders of a catalog.

    A file beside them is not part of it.
    """
    (tmp_path / "secret").write_text("secret: word\n", encoding="utf-8")
    folder = tmp_path / "root"
    for name in ("own", "cabling", "switches", "prices", "workloads"):
        (folder / name).mkdir(parents=True)
    (folder / "own" / "pack.yaml").write_text(PACK, encoding="utf-8")
    (folder / "own" / "inner.j2").write_text("inner", encoding="utf-8")
    (folder / "own" / "outer.j2").write_text('{% include "own/leak.j2" %}', encoding="utf-8")
    return folder


LINKS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a template": ("own/leak.j2", lambda root: Packs([root]).render("own", "leak.j2")),
    "an included template": ("own/leak.j2", lambda root: Packs([root]).render("own", "outer.j2")),
    "a pack.yaml": ("new/pack.yaml", lambda root: Packs([root]).pack("new")),
    "profiles of columns": (
        "cabling/profiles.yaml",
        lambda root: Packs([root]).files("cabling", "profiles.yaml"),
    ),
    "a switch": ("switches/box.yaml", lambda root: Catalog([root]).switch("box")),
    "all switches": ("switches/box.yaml", lambda root: Catalog([root]).switches()),
    "a price book": ("prices/book.yaml", lambda root: Catalog([root]).price_book("book")),
    "a language model": ("workloads/llm.yaml", lambda root: Catalog([root]).workload("llm")),
}


@pytest.mark.parametrize("what", LINKS)
@pytest.mark.parametrize("target", ["../../secret", "../inner/../../secret", "{root}/../secret"])
def test_a_link_out_of_the_folder_is_refused(what: str, target: str, root: Path) -> None:
    """Every kind of file, by a relative link and by an absolute one, is refused by its name."""
    path, read = LINKS[what]
    (root / "inner").mkdir()
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).symlink_to(target.format(root=root))
    with pytest.raises(Refusal) as caught:
        read(root)
    (finding,) = caught.value.findings
    assert finding.code == "link-leaves-folder"
    assert f"`{path}`" in finding.fact


def test_a_linked_folder_outside_is_refused(root: Path) -> None:
    """A folder of the directory must be inside of it."""
    (root.parent / "other").mkdir()
    (root.parent / "other" / "pack.yaml").write_text(PACK.replace("own", "other"), encoding="utf-8")
    (root / "other").symlink_to("../other")
    with pytest.raises(Refusal, match="link-leaves-folder"):
        Packs([root]).pack("other")


def test_links_within_a_folder_are_followed(root: Path, tmp_path: Path) -> None:
    """A template may be a link to another of its pack, and the directory itself may be a link."""
    (root / "own" / "leak.j2").symlink_to("inner.j2")
    (tmp_path / "linked").symlink_to("root")
    assert Packs([root]).render("own", "outer.j2") == "inner"
    assert Packs([tmp_path / "linked"]).render("own", "outer.j2") == "inner"


@pytest.mark.parametrize(
    ("make", "fact"),
    [
        (lambda path: path.symlink_to(path.name), "own/leak.j2"),
        (os.mkfifo, "own/leak.j2"),
        (
            lambda path: path.write_bytes(b" " * (MOST_BYTES + 1)),
            f"own/leak.j2 is larger than {MOST_BYTES} bytes",
        ),
        (lambda path: path.write_bytes(b"\xff"), "own/leak.j2 is not UTF-8 text: byte 0xff"),
    ],
)
def test_what_is_not_a_template_is_refused(
    make: Callable[[Path], object], fact: str, root: Path
) -> None:
    """Neither hangs nor raises: a link to itself, a pipe, a huge file, a binary file."""
    make(root / "own" / "leak.j2")
    with pytest.raises(Refusal) as caught:
        Packs([root]).render("own", "leak.j2")
    assert [finding.code for finding in caught.value.findings] == ["bad-template"]
    assert caught.value.findings[0].fact.startswith(fact)


def test_the_refusal_has_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text is that of the case's file."""
    monkeypatch.chdir(tmp_path)
    case = next(case for case in CASES if case.code == "link-leaves-folder")
    case.lay_out(tmp_path)
    Path("own/bom").mkdir(parents=True)
    Path("own/bom/bom.csv.j2").symlink_to("../../secret")
    assert run(case.command) == 2
    assert capsys.readouterr().err == case.expected


def test_a_pack_is_looked_for_once(root: Path) -> None:
    """However often it is used; what is removed afterwards is still rendered."""
    packs = Packs([root])
    assert packs.render("own", "inner.j2") == "inner"
    (root / "own" / "pack.yaml").unlink()
    assert packs.pack("own") is not None
    assert packs.render("own", "inner.j2") == "inner"
