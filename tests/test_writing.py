"""The writer: whole or not at all, only ours, and never outside OUT."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from fabricgen import writing
from fabricgen.diagnostics import Refusal
from fabricgen.writing import MANIFEST, check_target, staging, write_file, write_manifest, write_text


def fill(out: Path, text: str) -> None:
    """Write a small output directory the way a build does."""
    with staging(out) as root:
        files = [write_text(root, "a/b.txt", [text, "\n"])]
        write_manifest(root, files, {"name": "x"}, ["cabling"])


def die_halfway(out: Path) -> None:
    """Write one file, then fail."""
    with staging(out) as root:
        write_text(root, "a/b.txt", ["half"])
        raise RuntimeError


def test_a_directory_is_replaced_whole(tmp_path: Path) -> None:
    """The second build leaves nothing of the first behind."""
    out = tmp_path / "out"
    fill(out, "one")
    (out / "stray.txt").write_text("left by hand")
    fill(out, "two")
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) == ["a/b.txt", MANIFEST]
    assert (out / "a/b.txt").read_text() == "two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("able", [True, False], ids=["exchange", "step aside"])
def test_a_directory_is_replaced_on_any_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, able: bool) -> None:
    """Where the system can exchange two directories in one step that is what happens, and elsewhere the old one steps aside."""
    exchange = writing._exchange  # noqa: SLF001 - what the system can do is not to be seen from outside
    done = []

    def watched(one: Path, other: Path) -> bool:
        done.append(able and exchange(one, other))
        return done[-1]

    monkeypatch.setattr(writing, "_exchange", watched)
    out = tmp_path / "out"
    fill(out, "one")
    fill(out, "two")
    assert len(done) == 1
    assert (out / "a/b.txt").read_text() == "two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_build_that_dies_leaves_the_last_good_one(tmp_path: Path) -> None:
    """Whatever goes wrong inside, OUT is as it was and no half of anything stays."""
    out = tmp_path / "out"
    fill(out, "good")
    with pytest.raises(RuntimeError):
        die_halfway(out)
    assert (out / "a/b.txt").read_text() == "good\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_first_build_that_dies_leaves_nothing(tmp_path: Path) -> None:
    """There is no OUT where there was none."""
    with pytest.raises(RuntimeError):
        die_halfway(tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["foreign.txt", MANIFEST])
def test_a_directory_of_others_is_refused(tmp_path: Path, content: str) -> None:
    """Neither a stranger's files nor a manifest that is not ours make a directory ours."""
    (tmp_path / content).write_text('{"format": "other"}')
    with pytest.raises(Refusal, match="not-ours"):
        check_target(tmp_path)
    assert (tmp_path / content).read_text() == '{"format": "other"}'


def test_a_file_and_a_link_are_refused(tmp_path: Path) -> None:
    """OUT is a directory: a file is not replaced, and a link is not followed."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("file", "link"):
        with pytest.raises(Refusal, match="not-ours"):
            check_target(tmp_path / name)


def test_the_current_directory_is_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-o .` in an empty directory, and again once it is ours."""
    here = tmp_path / "here"
    here.mkdir()
    for text in ("one", "two"):
        monkeypatch.chdir(here)
        fill(Path(), text)
    assert (here / "a/b.txt").read_text() == "two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_an_empty_directory_is_taken(tmp_path: Path) -> None:
    """An empty directory is nobody's."""
    out = tmp_path / "out"
    out.mkdir()
    fill(out, "x")
    assert (out / MANIFEST).exists()


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a\\..\\x", "a\0b"])
def test_no_path_leaves_the_directory(tmp_path: Path, path: str) -> None:
    """A pack may come from a stranger."""
    with pytest.raises(Refusal, match="path-escapes"):
        write_text(tmp_path, path, ["x"])
    assert not list(tmp_path.iterdir())


def test_the_manifest_holds_what_was_written(tmp_path: Path) -> None:
    """Every file with its digest, and no clock."""
    fill(tmp_path / "out", "x")
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["files"] == {"a/b.txt": hashlib.sha256(b"x\n").hexdigest()}
    assert set(manifest) == {"format", "version", "inventory_sha256", "groups", "files"}


def test_a_place_that_cannot_be_written_is_a_refusal(tmp_path: Path) -> None:
    """A file where a directory must be."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(Refusal, match="cannot-write"):
        fill(tmp_path / "file" / "out", "x")
    with pytest.raises(Refusal, match="cannot-write"):
        write_file(tmp_path / "missing" / "plan.json", "x")
