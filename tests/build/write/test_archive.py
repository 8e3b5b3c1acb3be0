"""Archives hold the directory's files with the same bytes each time.

They are verified without being unpacked.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import stat
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest
import zstandard

from fabricgen.build.write.archive import KINDS, archiving
from fabricgen.build.write.files import adopt, reserve, write_manifest, write_text
from fabricgen.build.write.manifest import MANIFEST, Written
from fabricgen.build.write.verification import verify
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIZING = (
    "--gpus",
    "64",
    "--hb-domain",
    "8",
    "--radix",
    "4",
    "--set",
    "name=west",
    "--set",
    "nos=frr",
)


def make(
    path: Path,
    texts: dict[str, str],
    *,
    manifest: dict[str, str] | None = None,
    force: bool = False,
) -> None:
    """Write an archive of some texts; its manifest may list others."""
    with archiving(path, "west", force=force) as archive:
        written = []
        for number, (name, text) in enumerate(texts.items()):
            with archive.part(number) as root:
                written.append(
                    write_text(root, name, [text], 0o755 if name.endswith(".sh") else None)
                )
            archive.take(number)
        with archive.part(len(texts)) as root:
            listed = (
                [Written(name, digest, 0) for name, digest in manifest.items()]
                if manifest is not None
                else written
            )
            write_manifest(root, listed, {}, [])
        archive.take(len(texts))


def unpacked(path: Path) -> dict[str, bytes]:
    """Return the files of an archive, as other programs read it."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    data = path.read_bytes()
    if path.suffix == ".zst":
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as frames:
            data = frames.read()
    elif path.suffix == ".gz":
        data = gzip.decompress(data)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {info.name: stream.read() for info in tar if (stream := tar.extractfile(info))}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a directory, and an archive of each kind beside it."""
    folder = tmp_path_factory.mktemp("built")
    for target in ("-o=out", *(f"--archive=west{kind}" for kind in KINDS)):
        option, _, name = target.partition("=")
        assert (
            run(["build", *SIZING, "--only", "configs,hosts,bom", option, str(folder / name)]) == 0
        )
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_holds_the_directory(built: Path, kind: str) -> None:
    """File by file, with the manifest, below a directory named after the fabric."""
    wanted = {
        f"west/{path.relative_to(built / 'out')}": path.read_bytes()
        for path in (built / "out").rglob("*")
        if path.is_file()
    }
    assert unpacked(built / f"west{kind}") == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_is_verified_like_the_directory(
    built: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """Both are as the manifest lists them."""
    counts = []
    for name in (f"west{kind}", "out"):
        assert run(["verify", str(built / name), "--json"]) == 0
        counts.append(json.loads(capsys.readouterr().out)["files"])
    assert counts[0] == counts[1] > 10
    assert run(["verify", str(built / f"west{kind}")]) == 0
    assert f"all {counts[0]} files match manifest.json" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_build_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Whatever the name of the archive, at any time, with one process or several."""
    texts = {"a/b.txt": "one\n", "run.sh": "#!/bin/sh\n"}
    make(tmp_path / f"first{kind}", texts)
    monkeypatch.setattr("time.time", lambda: 2e9)
    mask = os.umask(0o077)
    make(tmp_path / f"second{kind}", texts)
    os.umask(mask)
    assert (tmp_path / f"first{kind}").read_bytes() == (tmp_path / f"second{kind}").read_bytes()


@pytest.mark.slow
def test_several_processes_make_the_same_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A segment of the archive belongs to a task, not to the process that runs it."""
    for name, most in (("one.tar.zst", 10**9), ("many.tar.zst", 0)):
        monkeypatch.setattr("fabricgen.build.run.SERIAL_LINKS", most)
        assert run(["build", *SIZING, "--archive", str(tmp_path / name)]) == 0
    assert (tmp_path / "one.tar.zst").read_bytes() == (tmp_path / "many.tar.zst").read_bytes()


def test_modes_and_owners_are_fixed(tmp_path: Path) -> None:
    """A script is executable, and the owner is not recorded."""
    make(tmp_path / "a.tar", {"run.sh": "", "b.txt": ""})
    with tarfile.open(tmp_path / "a.tar") as tar:
        found = {info.name: (info.mode, info.uid, info.gid, info.uname, info.mtime) for info in tar}
    assert found["west/run.sh"] == (0o755, 0, 0, "", 0)
    assert found["west/b.txt"] == (0o644, 0, 0, "", 0)
    make(tmp_path / "a.zip", {"run.sh": ""})
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert stat.S_IMODE(archive.getinfo("west/run.sh").external_attr >> 16) == 0o755


def test_files_of_a_library_are_added(tmp_path: Path) -> None:
    """The library writes a file of its own first.

    One that exceeds the memory limit passes through a file too.
    """
    with archiving(tmp_path / "a.tar", "west") as archive:
        with archive.part(0) as root:
            reserve(root, "bom/bom.xlsx").write_bytes(b"book")
            adopted = adopt(root, "bom/bom.xlsx")
            large = write_text(root, "large.txt", ("x" * 2**20 for _ in range(20)))
        archive.take(0)
    found = unpacked(tmp_path / "a.tar")
    assert (found["west/bom/bom.xlsx"], adopted.size) == (b"book", 4)
    assert len(found["west/large.txt"]) == large.size == 20 * 2**20


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a\\..\\x"])
def test_no_path_leaves_the_archive(tmp_path: Path, path: str) -> None:
    """As for directories."""
    with pytest.raises(Refusal, match="path-escapes"):
        make(tmp_path / "a.tar", {path: "x"})
    assert not list(tmp_path.iterdir())


def edit_tar(path: Path, extra: str) -> None:
    """Add a file to a tar."""
    with tarfile.open(path, "a") as tar:
        tar.addfile(tarfile.TarInfo(extra), io.BytesIO())


@pytest.mark.parametrize("kind", ["", *KINDS], ids=["directory", *KINDS])
def test_each_difference_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """A missing, an altered and an extra file; exit code 1."""
    path = tmp_path / f"west{kind}"
    texts, listed = {"altered": "x", "extra": "y"}, {"altered": "0" * 64, "missing": "0" * 64}
    if kind:
        make(path, texts, manifest=listed)
    else:
        make(tmp_path / "west.tar", texts, manifest=listed)
        for name, data in unpacked(tmp_path / "west.tar").items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
    assert run(["verify", str(path)]) == 1
    printed = capsys.readouterr().out
    assert printed == (
        f"missing  missing\naltered  altered\nextra    extra\n{path}: 2 of 2 files "
        "differ from manifest.json, 1 are not listed\n"
    )
    assert run(["verify", str(path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    findings = document.pop("findings")
    assert document == {
        "ok": False,
        "out": str(path),
        "files": 2,
        "missing": ["missing"],
        "altered": ["altered"],
        "extra": ["extra"],
    }
    assert {tuple(found) for found in findings} == {
        ("code", "level", "fact", "place", "because", "hint")
    }
    assert [(found["code"], found["fact"], found["place"]["source"]) for found in findings] == [
        ("output-changed", "`missing` is missing", f"{path}/missing"),
        (
            "output-changed",
            "`altered` differs from its SHA-256 in manifest.json",
            f"{path}/altered",
        ),
        ("output-changed", "`extra` is not in manifest.json", f"{path}/extra"),
    ]


def test_a_second_copy_of_a_file_is_an_alteration(tmp_path: Path) -> None:
    """Unpacking gives the last copy. A link and a second top directory are found as well."""
    make(tmp_path / "a.tar", {"a.txt": "x"})
    edit_tar(tmp_path / "a.tar", "west/a.txt")
    assert verify(tmp_path / "a.tar").altered == ["a.txt"]
    edit_tar(tmp_path / "a.tar", "east/b.txt")
    with pytest.raises(Refusal, match="not-ours"):
        verify(tmp_path / "a.tar")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "damage",
    [lambda data: data[: len(data) // 2], lambda data: b"no" + data[2:], lambda _: b""],
    ids=["cut", "head", "empty"],
)
def test_a_damaged_archive_is_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes], kind: str
) -> None:
    """At any position. It is not recognised as fabricgen's, so that replacing it takes --force."""
    path = tmp_path / f"a{kind}"
    make(path, {f"{number}.txt": "x" * 2000 for number in range(20)})
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(Refusal, match=r"broken-archive|not-ours"):
        verify(path)


@pytest.mark.parametrize("kind", KINDS)
def test_only_our_own_archives_are_replaced(tmp_path: Path, kind: str) -> None:
    """A user's file takes `force`; otherwise nothing changes."""
    path = tmp_path / f"a{kind}"
    texts = {"plan.json": '{\n "format": "fabricgen-plan/1"\n}\n'}
    make(path, texts)
    make(path, texts)
    make(path, {"mine.txt": "x"}, force=True)
    for _ in range(2):
        with pytest.raises(Refusal, match="file-exists"):
            make(path, texts)
        shutil.copyfile(__file__, path)
    make(path, texts, force=True)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "name", ["hard.tar", "link.tar", "x" * 300 + ".tar", "missing/a.tar", "fabric.yaml/a.tar"]
)
def test_what_an_archive_does_not_replace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """An input by another name, a link, and names that no file can have."""
    fabric = tmp_path / "fabric.yaml"
    fabric.write_text(
        "name: west\ngpus: 64\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: 8}}}\n",
        encoding="utf-8",
    )
    (tmp_path / "hard.tar").hardlink_to(fabric)
    (tmp_path / "link.tar").symlink_to(fabric)
    before = sorted(tmp_path.iterdir())
    assert (
        run(["build", str(fabric), "--only", "bom", "--archive", str(tmp_path / name), "--force"])
        == 2
    )
    assert re.match(r"error\[(output-is-input|cannot-write)\]", capsys.readouterr().err)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["-o", "out", "--archive", "a.zip"], "give one of them"),
        (["--archive", "a.rar"], "its name ends in .tar.zst, .tar.gz, .tar, .zip"),
        ([], "Missing option '-o'"),
    ],
)
def test_a_build_has_one_target(
    capsys: pytest.CaptureFixture[str], arguments: list[str], printed: str
) -> None:
    """A directory, or an archive of a known kind."""
    assert run(["build", *SIZING, *arguments]) == 2
    assert printed in " ".join(capsys.readouterr().err.split())


def test_what_is_not_an_output_is_not_verified(tmp_path: Path) -> None:
    """A directory of the user, another archive, and a missing path."""
    with pytest.raises(Refusal, match="not-ours"):
        verify(tmp_path)
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo(f"x/{MANIFEST}"), io.BytesIO())
    with pytest.raises(Refusal, match="not-ours"):
        verify(tmp_path / "a.tar")
    with pytest.raises(Refusal, match="no-such-file"):
        verify(tmp_path / "b.tar")
