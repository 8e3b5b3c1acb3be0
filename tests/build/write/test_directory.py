"""The writer: OUT is replaced whole or not at all, never a foreign directory, never outside OUT."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import signal
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.write import directory, partial
from fabricgen.build.write.directory import check_target, staging
from fabricgen.build.write.files import write_manifest, write_text
from fabricgen.build.write.manifest import MANIFEST
from fabricgen.build.write.single_file import write_file
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.interrupts import raise_on_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


def fill(out: Path, text: str, *, force: bool = False) -> None:
    """Write a small output directory the way a build does."""
    with staging(out, force=force) as root:
        files = [write_text(root, "a/b.txt", [text, "\n"])]
        write_manifest(root, files, {"name": "x"}, ["cabling"])


def die_halfway(out: Path) -> None:
    """Write one file, then fail."""
    with staging(out) as root:
        write_text(root, "a/b.txt", ["half"])
        raise RuntimeError


def test_a_directory_is_replaced_whole(tmp_path: Path) -> None:
    """The second build leaves no file of the first."""
    out = tmp_path / "out"
    fill(out, "one")
    (out / "stray.txt").write_text("left by hand")
    fill(out, "two", force=True)
    assert sorted(
        path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()
    ) == ["a/b.txt", MANIFEST]
    assert (out / "a/b.txt").read_text() == "two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("able", [True, False], ids=["exchange", "step aside"])
def test_a_directory_is_replaced_on_any_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, able: bool
) -> None:
    """Where the system can exchange two directories in one step that is used.

    Elsewhere the old one is renamed first.
    """
    exchange = directory._exchange  # noqa: SLF001 - the system's abilities are not visible otherwise
    done = []

    def watched(one: Path, other: Path) -> bool:
        done.append(able and exchange(one, other))
        return done[-1]

    monkeypatch.setattr(directory, "_exchange", watched)
    out = tmp_path / "out"
    fill(out, "one")
    fill(out, "two")
    assert len(done) == 1
    assert (out / "a/b.txt").read_text() == "two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failed_build_keeps_the_last_one(tmp_path: Path) -> None:
    """Whatever fails inside, OUT is as it was and no partial directory stays."""
    out = tmp_path / "out"
    fill(out, "good")
    with pytest.raises(RuntimeError):
        die_halfway(out)
    assert (out / "a/b.txt").read_text() == "good\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failed_first_build_leaves_nothing(tmp_path: Path) -> None:
    """OUT does not exist, as before."""
    with pytest.raises(RuntimeError):
        die_halfway(tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["foreign.txt", MANIFEST])
def test_a_foreign_directory_is_refused(tmp_path: Path, content: str) -> None:
    """Foreign files and a foreign manifest do not make a directory an output."""
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


def test_the_current_directory_can_be_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-o .` in an empty directory, and again once it is an output."""
    here = tmp_path / "here"
    here.mkdir()
    for text in ("one", "two"):
        monkeypatch.chdir(here)
        fill(Path(), text)
    assert (here / "a/b.txt").read_text() == "two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_an_empty_directory_is_used(tmp_path: Path) -> None:
    """An empty directory may become OUT."""
    out = tmp_path / "out"
    out.mkdir()
    fill(out, "x")
    assert (out / MANIFEST).exists()


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a\\..\\x", "a\0b"])
def test_no_path_leaves_the_directory(tmp_path: Path, path: str) -> None:
    """Packs are untrusted."""
    with pytest.raises(Refusal, match="path-escapes"):
        write_text(tmp_path, path, ["x"])
    assert not list(tmp_path.iterdir())


def test_the_manifest_holds_what_was_written(tmp_path: Path) -> None:
    """Every file with its digest, and no time."""
    fill(tmp_path / "out", "x")
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["files"] == {"a/b.txt": hashlib.sha256(b"x\n").hexdigest()}
    assert set(manifest) == {"format", "version", "inventory_sha256", "groups", "files"}


def test_a_file_is_whole_where_the_system_writes_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call of the system may write less than it is given; the mode is there from the first."""
    parts, modes = list[int](), set[int]()

    def write_part(file: int, content: bytes, real: Callable[..., int] = os.write) -> int:
        modes.add(stat.S_IMODE(os.fstat(file).st_mode))
        parts.append(real(file, content[:5]))
        return parts[-1]

    monkeypatch.setattr(os, "write", write_part)
    written = write_text(tmp_path, "a/key.txt", "0123456789ab", secret=True)
    assert (tmp_path / "a/key.txt").read_text(encoding="utf-8") == "0123456789ab"
    assert (written.size, parts, modes) == (12, [5, 5, 2], {0o600})


def test_a_path_that_cannot_be_written_is_a_refusal(tmp_path: Path) -> None:
    """A file where a directory must be."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(Refusal, match="cannot-write"):
        fill(tmp_path / "file" / "out", "x")
    with pytest.raises(Refusal, match="cannot-write"):
        write_file(tmp_path / "missing" / "plan.json", "x")


# --- what the user put into OUT


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda out: (out / "notes.txt").write_text("mine"), "notes.txt"),
        (lambda out: (out / ".git").mkdir(), ".git/"),
        (lambda out: (out / "a" / "mine").mkdir(), "a/mine/"),
        (lambda out: (out / "a" / "b.txt").write_text("ONE\n"), "a/b.txt"),
        (
            lambda out: (
                (out / "a" / "b.txt").unlink(),
                (out / "a" / "b.txt").symlink_to("/dev/null"),
            ),
            "a/b.txt",
        ),
    ],
    ids=["a file", "an empty directory", "a directory below", "an edit of the same size", "a link"],
)
def test_files_of_the_user_are_refused_by_name(
    tmp_path: Path, change: Callable[[Path], object], named: str
) -> None:
    """OUT is as it was, and `force` replaces it."""
    out = tmp_path / "out"
    fill(out, "one")
    change(out)
    with pytest.raises(Refusal) as refused:
        fill(out, "two")
    (finding,) = refused.value.findings
    assert finding.code == "output-changed"
    assert any(f"`{named}`" in reason for reason in finding.because)
    assert os.path.lexists(out / named)
    fill(out, "two", force=True)
    assert sorted(path.name for path in out.rglob("*")) == ["a", "b.txt", MANIFEST]


def test_many_files_of_the_user_are_counted(tmp_path: Path) -> None:
    """Some are named, the others counted; a missing file loses nothing."""
    out = tmp_path / "out"
    fill(out, "one")
    (out / "a" / "b.txt").unlink()
    fill(out, "one")
    for number in range(8):
        (out / f"{number}.txt").write_text("mine")
    with pytest.raises(Refusal) as refused:
        fill(out, "two")
    assert refused.value.findings[0].because[5:] == ("3 more",)


@pytest.mark.parametrize("path", ["late.txt", "a/b.txt"])
def test_a_change_during_the_build_is_found(tmp_path: Path, path: str) -> None:
    """The directory is compared again before it is replaced."""
    out = tmp_path / "out"
    fill(out, "one")

    def build() -> None:
        with staging(out) as root:
            write_manifest(root, [], {}, [])
            (out / path).write_text("mine")

    with pytest.raises(Refusal, match="output-changed"):
        build()
    assert (out / path).read_text() == "mine"


@pytest.mark.parametrize("name", ["out/mine.yaml", "out/a", "out"])
def test_an_input_inside_of_out_is_refused(tmp_path: Path, name: str) -> None:
    """A file that the build reads, and a directory of packs or catalog files."""
    fill(tmp_path / "out", "one")
    if name.endswith(".yaml"):
        (tmp_path / name).write_text("name: x")
    with pytest.raises(Refusal, match="output-is-input"):
        check_target(tmp_path / "out", [tmp_path / name])
    check_target(tmp_path / "out", [tmp_path, tmp_path / "out.yaml"])


# --- what a killed build leaves


def killed(work: Callable[[], object]) -> None:
    """Run a function in a process that kills itself before it is done."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            work()
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def die(*_: object, **__: object) -> None:
    """Exit as by kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


STEPS = {
    "while files are written": (directory, "write_nothing"),
    "before the lock": (partial, "_take"),
    "before the swap": (directory, "_swap"),
    "after the swap": (shutil, "rmtree"),
}


@pytest.mark.parametrize(("module", "step"), STEPS.values(), ids=STEPS)
def test_the_next_build_removes_the_files_of_a_killed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str
) -> None:
    """OUT is complete after every kill, and after the next build nothing else is left."""
    out = tmp_path / "out"
    fill(out, "good")

    def build() -> None:
        monkeypatch.setattr(module, step, die, raising=False)
        with staging(out) as root:
            write_text(root, "a/b.txt", ["half\n"])
            write_manifest(root, [], {}, [])
            if module is directory and step == "write_nothing":
                die()

    killed(build)
    assert len(list(tmp_path.iterdir())) == 2
    assert (out / "a/b.txt").read_text() == ("half\n" if step == "rmtree" else "good\n")
    fill(out, "next", force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_kill_between_two_renames_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some systems cannot exchange two directories in one step.

    There the next build finds the older one and restores it.
    """
    out = tmp_path / "out"
    fill(out, "good")

    def build() -> None:
        monkeypatch.setattr(directory, "_exchange", lambda *_: False)
        rename = Path.rename
        monkeypatch.setattr(
            Path,
            "rename",
            lambda path, target: die() if path.name == partial.TREE else rename(path, target),
        )
        fill(out, "half")

    killed(build)
    assert not out.exists()
    with pytest.raises(RuntimeError):
        die_halfway(out)
    assert (out / "a/b.txt").read_text() == "good\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_of_a_running_process_stay(tmp_path: Path) -> None:
    """Two builds into one OUT at the same time have their own directories. The later one wins."""
    out = tmp_path / "out"
    with staging(out) as first:
        write_text(first, "a/b.txt", ["first\n"])
        write_manifest(first, [], {}, [])
        fill(out, "second")
        assert (first / "a/b.txt").exists()
        shutil.rmtree(out)
    assert (out / "a/b.txt").read_text() == "first\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_foreign_directories_stay(tmp_path: Path) -> None:
    """Another output's, one with a similar name, and a file."""
    others = [
        ".out.abcdefgh.old",
        ".out.b.abcdefgh.partial",
        ".put.abcdefgh.partial",
        ".out.abcdefg.partial",
    ]
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / ".out.abcdefgh.partial").write_text("mine")
    fill(tmp_path / "out", "x")
    assert {path.name for path in tmp_path.iterdir()} == {*others, ".out.abcdefgh.partial", "out"}


# --- Ctrl-C and SIGTERM


@pytest.fixture
def polite() -> Iterator[None]:
    """Handle signals as the program does, also where the shell of the tests ignores them."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
    raise_on_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


MOMENTS = {
    "before": (partial, "_open_lock"),
    "while files are written": (directory, ""),
    "swap": (directory, "_swap"),
    "removal": (shutil, "rmtree"),
}


@pytest.mark.usefixtures("polite")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("module", "step"), MOMENTS.values(), ids=MOMENTS)
def test_an_interruption_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    step: str,
    sent: signal.Signals,
) -> None:
    """At any moment, and twice.

    OUT is complete, nothing is left beside it, and the interruption is raised.
    """
    out = tmp_path / "out"
    fill(out, "good")
    if step:
        usual = getattr(module, step)

        def interrupted(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - any argument of the step
            signal.raise_signal(sent)
            signal.raise_signal(sent)
            return usual(*arguments, **options)

        monkeypatch.setattr(module, step, interrupted)

    def build() -> None:
        with staging(out) as root:
            write_manifest(root, [], {}, [])
            if not step:
                signal.raise_signal(sent)

    with pytest.raises(KeyboardInterrupt):
        build()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (out / MANIFEST).exists()


def test_an_ignored_signal_stays_ignored() -> None:
    """`nohup` ignores SIGHUP for the processes that it starts."""
    before = signal.getsignal(signal.SIGTERM), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise_on_signals()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    signal.signal(signal.SIGTERM, before[0])
    signal.signal(signal.SIGHUP, before[1])


# --- single files


def test_a_file_is_replaced_only_where_it_is_of_the_same_kind(tmp_path: Path) -> None:
    """Its mark decides, or `force`."""
    path = tmp_path / "rows.csv"
    write_file(path, "a,b\n1,2\n", mark="a,b\n")
    write_file(path, "a,b\n3,4\n", mark="a,b\n")
    for mark in ("", "b,c\n"):
        with pytest.raises(Refusal, match="file-exists"):
            write_file(path, "x", mark=mark)
    assert path.read_text() == "a,b\n3,4\n"
    write_file(path, "x", force=True)
    assert path.read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_no_input_is_replaced(tmp_path: Path) -> None:
    """By any name, and `force` changes nothing."""
    path = tmp_path / "fabric.yaml"
    path.write_text("name: x")
    (tmp_path / "hard.yaml").hardlink_to(path)
    for name in ("fabric.yaml", "hard.yaml"):
        with pytest.raises(Refusal, match="output-is-input"):
            write_file(tmp_path / name, "x", inputs=[path, tmp_path / "gone.yaml"], force=True)
    assert path.read_text() == "name: x"


def test_no_link_and_no_directory_is_replaced(tmp_path: Path) -> None:
    """Neither its target nor the link itself, also where the target is missing."""
    (tmp_path / "real").write_text("x")
    for name, target in (("link", "real"), ("lost", "nowhere")):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(Refusal, match=f"it is a link to `{target}`"):
            write_file(tmp_path / name, "y", force=True)
    (tmp_path / "folder").mkdir()
    with pytest.raises(Refusal, match="it is a directory"):
        write_file(tmp_path / "folder", "y", force=True)
    assert (tmp_path / "real").read_text() == "x"
    assert (tmp_path / "lost").is_symlink()


def test_a_pipe_is_written(tmp_path: Path) -> None:
    """As in a process substitution of the shell; a device stays a device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_file(Path("/dev/null"), "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_temporary_file_is_removed_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old file stays until then."""

    def write() -> None:
        monkeypatch.setattr(Path, "replace", die)
        write_file(tmp_path / "plan.json", "half")

    killed(write)
    assert len(list(tmp_path.iterdir())) == 1
    write_file(tmp_path / "plan.json", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


# --- what the system refuses


ERRORS = [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT, errno.EIO, errno.ENAMETOOLONG]


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("call", ["mkdir", "mkdtemp", "open", "stat", "lstat", "iterdir"])
def test_errors_of_the_system_are_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, call: str
) -> None:
    """A full disk, a directory of another user, or a name that is too long.

    Each is tried for directories and for files.
    """

    def refused(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    out, path = tmp_path / "out", tmp_path / "plan.json"
    fill(out, "good")
    write_file(path, "good")
    monkeypatch.setattr(tempfile if call == "mkdtemp" else Path, call, refused)
    with contextlib.suppress(Refusal):
        fill(out, "bad")
    with contextlib.suppress(Refusal):
        write_file(path, "bad", force=True)
    monkeypatch.undo()
    assert (out / "a/b.txt").read_text() in ("good\n", "bad\n")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("name", ["x" * 300, "missing/" + "x" * 300])
def test_a_name_that_no_file_can_have_is_a_refusal(tmp_path: Path, name: str) -> None:
    """For directories and for files."""
    with pytest.raises(Refusal, match="cannot-write"):
        fill(tmp_path / name, "x")
    with pytest.raises(Refusal, match="cannot-write"):
        write_file(tmp_path / name, "x")


def test_a_long_name_is_written(tmp_path: Path) -> None:
    """The hidden directory's name is cut, so that a name of 255 bytes is possible."""
    name = "x" * 255
    fill(tmp_path / name, "x")
    write_file(tmp_path / name / "a" / ("y" * 255), "x")
    assert (tmp_path / name / "a" / "b.txt").exists()
