"""Options that name an output: files that are never overwritten, and errors of the system.

The rules are those of every command.
"""

from __future__ import annotations

import io
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from fabricgen.cli import program, run
from fabricgen.cli.output_file import OutputPath
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = """\
name: west
gpus: 64
hb_domain: {gpus: 8}
host: {model: dgx-h100}
switches:
  leaf: {generic: {radix: 64}}
prices: book.yaml
"""
FILES: dict[str, list[str]] = {
    "plan -o": ["plan", "fabric.yaml", "-o"],
    "plan --from -o": ["plan", "--from", "fabric.yaml", "--set", "gpus=72", "-o"],
    "search -o": [
        "search",
        "fabric.yaml",
        "--set",
        "search={switches: [sn5600], designs: [rail-only], max_tiers: 1}",
        "-o",
    ],
    "import -o": ["import", "cables.csv", "fabric.yaml", "-o"],
    "model --csv": ["model", "fabric.yaml", "--llm", "gpt3", "--batch-tokens", "32M", "--csv"],
    "model --svg": ["model", "fabric.yaml", "--llm", "gpt3", "--svg"],
    "model --traffic --csv": ["model", "fabric.yaml", "--llm", "gpt3", "--traffic", "own", "--csv"],
    "model --idle-links": [
        "model",
        "fabric.yaml",
        "--llm",
        "gpt3",
        "--traffic",
        "own",
        "--idle-links",
    ],
}
"""A run of each option that names a file; the file is the last argument."""

KEEPS_KIND = [name for name in FILES if not name.startswith("search")]
"""Those that replace the file of an earlier run; an inventory may have been edited since."""

INPUT_OPTIONS = {
    "fabric",
    "roots",
    "serials",
    "templates",
    "older",
    "old",
    "new",
    "sheet",
    "file",
    "published",
    "records",
    "discovered",
    "dead",
    "patched",
    "out",
}
"""Options and arguments that name an input. `out` is what a lab boots, and what `verify` reads."""


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a cut sheet of the fabric."""
    folder = tmp_path_factory.mktemp("built")
    write_inputs(folder)
    assert (
        run(["build", str(folder / "fabric.yaml"), "--only", "cabling", "-o", str(folder / "out")])
        == 0
    )
    return (folder / "out" / "cabling" / "cables.csv").read_bytes()


def write_inputs(folder: Path) -> None:
    """Write an inventory and the price book that it names."""
    (folder / "fabric.yaml").write_text(TEXT, encoding="utf-8")
    book = ROOT / "inventories" / "prices" / "paper-v5.yaml"
    (folder / "book.yaml").write_bytes(book.read_bytes())


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sheet: bytes) -> Callable[..., int]:
    """Return a function that runs the program beside an inventory, a price book and a cut sheet."""
    monkeypatch.chdir(tmp_path)
    write_inputs(tmp_path)
    Path("cables.csv").write_bytes(sheet)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    return lambda *arguments: run([*map(str, arguments)])


def options(group: click.Command) -> Iterator[click.Parameter]:
    """Yield every option and argument of a command and those below it."""
    yield from group.params
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            yield from options(command) if command else ()


def test_every_path_is_an_input_or_an_output() -> None:
    """A new option must be listed as one of them. Only outputs may name files that are not read."""
    paths = [each for each in options(program) if isinstance(each.type, click.Path)]
    assert {each.name for each in paths if isinstance(each.type, OutputPath)} == {
        "out",
        "archive",
        "markdown",
        "output",
        "csv_file",
        "svg_file",
        "idle_file",
        "tables",
    }
    assert {
        each.name for each in paths if not isinstance(each.type, OutputPath)
    } == INPUT_OPTIONS | {"folder"}


@pytest.mark.parametrize("arguments", FILES.values(), ids=FILES)
@pytest.mark.parametrize("name", ["fabric.yaml", "book.yaml", "./fabric.yaml", "hard.yaml"])
def test_no_input_is_overwritten(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: list[str], name: str
) -> None:
    """Neither files of the command line nor of the inventory are, by any name.

    With --force they are not either.
    """
    Path("hard.yaml").hardlink_to("fabric.yaml")
    before = Path(name).read_bytes()
    assert command(*arguments, name, "--force") == 2
    assert "error[output-is-input]" in capsys.readouterr().err
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("arguments", FILES.values(), ids=FILES)
def test_only_written_files_are_overwritten(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """A file of the user takes --force, and a link is refused."""
    Path("notes").write_text("mine", encoding="utf-8")
    Path("link").symlink_to("notes")
    assert command(*arguments, "notes") == 2
    assert "error[file-exists]" in capsys.readouterr().err
    assert command(*arguments, "link", "--force") == 2
    assert (
        "error[cannot-write]: `link` cannot be written: it is a link to `notes`"
        in capsys.readouterr().err
    )
    assert Path("notes").read_text(encoding="utf-8") == "mine"
    assert command(*arguments, "notes", "--force") == 0
    assert Path("notes").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("name", KEEPS_KIND)
def test_a_second_run_replaces_the_first(command: Callable[..., int], name: str) -> None:
    """The first wrote a file of the same kind."""
    assert command(*FILES[name], "made") == 0
    assert command(*FILES[name], "made") == 0


@pytest.mark.parametrize("arguments", FILES.values(), ids=FILES)
def test_a_device_is_written(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """/dev/null stays a device, and a full device is a refusal."""
    assert command(*arguments, "/dev/null") == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert command(*arguments, "/dev/full") == 2
    assert (
        "error[cannot-write]: `/dev/full` cannot be written: No space left on device"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("name", ["missing/file", "x" * 300, "fabric.yaml/file"])
@pytest.mark.parametrize(
    "arguments",
    [*FILES.values(), ["build", "fabric.yaml", "--only", "bom", "-o"], ["init"]],
    ids=[*FILES, "build -o", "init"],
)
def test_errors_of_the_system_are_refusals(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: list[str], name: str
) -> None:
    """No such directory, a name that is too long, a file where a directory should be."""
    if arguments[0] == "build" and name.startswith("missing"):
        return  # its parents are created
    assert command(*arguments, name) == 2
    assert "error[cannot-write]" in capsys.readouterr().err


def test_a_redirected_input_is_not_overwritten(
    command: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`plan - -o fabric.yaml < fabric.yaml`."""
    exists = Path("/dev/stdin").samefile
    monkeypatch.setattr(
        Path, "samefile", lambda path, other: path == Path("/dev/stdin") or exists(other)
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert command("plan", "-", "-o", "fabric.yaml", "--force") == 2
    assert "error[output-is-input]" in capsys.readouterr().err


def test_a_build_keeps_files_of_the_user_in_out(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """An inventory in OUT is refused, --force or not.

    Other files are named, and --force replaces them.
    """
    build = ["build", "fabric.yaml", "--only", "bom", "-o", "o"]
    assert command(*build) == 0
    Path("o/mine.yaml").write_text(TEXT.replace("book.yaml", "paper-v5"), encoding="utf-8")
    Path("o/.git").mkdir()
    assert command("build", "o/mine.yaml", "--only", "bom", "-o", "o", "--force") == 2
    assert (
        "error[output-is-input]: `o/mine.yaml` is read by this command and lies in `o`"
        in capsys.readouterr().err
    )
    assert command(*build) == 2
    assert "`.git/` is not in manifest.json" in capsys.readouterr().err
    assert Path("o/.git").exists()
    assert command(*build, "--force") == 0
    assert not Path("o/.git").exists()


def test_a_file_in_out_that_the_inventory_names_is_an_input(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """For example a price book or a list of positions."""
    assert command("build", "fabric.yaml", "--only", "bom", "-o", "o") == 0
    Path("book.yaml").rename("o/book.yaml")
    Path("fabric.yaml").write_text(TEXT.replace("book.yaml", "o/book.yaml"), encoding="utf-8")
    assert command("build", "fabric.yaml", "-o", "o", "--force") == 2
    assert "error[output-is-input]: `o/book.yaml` is read" in capsys.readouterr().err


def test_out_may_be_called_like_the_fabric(command: Callable[..., int]) -> None:
    """A second build replaces the first: a word of an inventory names no directory."""
    build = ["build", "fabric.yaml", "--only", "bom", "-o", "west"]
    assert [command(*build), command(*build)] == [0, 0]
