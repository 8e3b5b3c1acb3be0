"""Streams that are closed or full, warnings of libraries, and control characters in names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fabricgen.catalog.models.prices import PriceBook
from fabricgen.cli import run
from fabricgen.cli.printing import echo, print_json
from fabricgen.core.diagnostics import MOST_SHOWN, Finding, Refusal, printable, text_of
from fabricgen.core.yaml_text import load_facts
from tests.refusals import CASES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

TINY = "name: small\ngpus: 16\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: 16}}}\n"
EVIL = "a\x1b[2J\x9bb\x07\u202ec"
SHOWN = "a\\x1b[2J\\x9bb\\x07\\u202ec"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


def shell(
    command: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a shell command line where `fabricgen` is this program.

    The filter of warnings is the strictest.
    """
    (folder / "fabric.yaml").write_text(TINY, encoding="utf-8")
    line = command.replace("fabricgen", f"{sys.executable} -W error -m fabricgen", 1)
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("command", "code", "printed"),
    [
        (
            "fabricgen plan fabric.yaml > /dev/full",
            2,
            "error[cannot-write]: standard output cannot be written: No space left on device",
        ),
        (
            "fabricgen plan nothing.yaml --json > /dev/full",
            2,
            "error[no-such-file]: there is no file `nothing.yaml`",
        ),
        (
            "fabricgen --help > /dev/full",
            2,
            "error[cannot-write]: standard output cannot be written: No space left on device",
        ),
        (
            "fabricgen build fabric.yaml -o out --only cabling > /dev/full",
            2,
            "error[cannot-write]: standard output cannot be written: No space left on device",
        ),
        (
            "fabricgen plan fabric.yaml >&-",
            2,
            "error[cannot-write]: standard output cannot be written: it is closed",
        ),
        ("fabricgen plan - <&-", 2, "error[no-such-file]: standard input is closed"),
        ("fabricgen build fabric.yaml -o out --only cabling > /dev/null 2>&-", 0, ""),
        ("fabricgen plan nothing.yaml 2> /dev/full", 2, ""),
    ],
)
def test_an_unusable_stream_is_refused(
    command: str, code: int, printed: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """The refusal has the reason, without Python's words."""
    done = shell(command, tmp_path, environment)
    assert (done.returncode, done.stderr.partition("\n")[0]) == (code, printed)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_no_warning_reaches_a_user(run: Run, tmp_path: Path) -> None:
    """Neither as text nor as a fault, for any filter of warnings."""
    (tmp_path / "fabric.yaml").write_text(TINY + "nos: &a frr\nnccl: &a 2.27.3\n", encoding="utf-8")
    for filters in ("error", "default"):
        done = run(
            "plan",
            "fabric.yaml",
            "--set",
            "rails={count: &a 8, planes: &b 1}",
            env={"PYTHONWARNINGS": filters},
        )
        assert done.returncode == 2
        assert "anchor `&a` is defined twice" in done.stderr
        assert "because it is defined in line 5 already" in done.stderr
        assert "Warning" not in done.stderr


def test_an_encoding_without_a_character_is_no_fault(run: Run) -> None:
    """A character that the encoding of a terminal lacks is escaped."""
    done = run("explain", "rail", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stderr) == (0, "")


def test_an_error_of_the_system_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unexpected error of the system names the file and the reason."""
    case = next(case for case in CASES if case.code == "system-error")
    case.lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)

    def closed(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "shared/prices")

    monkeypatch.setattr("fabricgen.inventory.load.read_inventory", closed)
    assert run(case.command) == 2
    assert capsys.readouterr().err == case.expected


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    """On stdout, on stderr, in findings and in JSON, where a program reads the name unchanged."""
    echo(f"{EVIL}\n\tnext")
    echo(EVIL, err=True)
    print_json({EVIL: ["x", "half \ud800"]})
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{SHOWN}\n\tnext\n")
    assert printed.err == f"{SHOWN}\n"
    assert not RAW.search(printed.out)
    assert json.loads(printed.out.split("next\n")[1]) == {EVIL: ["x", "half \ud800"]}
    assert text_of(Finding("code", EVIL)).endswith(SHOWN)
    assert printable("plain") == "plain"


def test_a_finding_about_a_long_name_is_short() -> None:
    """A name may be as long as a file; its beginning identifies it."""
    assert len(text_of(Finding("code", "x" * 10**6))) < MOST_SHOWN + 100


COMMANDS = [
    ["plan", EVIL],
    ["plan", "--gpus", EVIL],
    ["plan", "fabric.yaml", "--set", f"{EVIL}=1"],
    ["plan", "fabric.yaml", "--prices", EVIL],
    ["plan", "fabric.yaml", "-o", f"{EVIL}.json"],
    ["plan", f"--{EVIL}"],
    [EVIL],
    ["build", "fabric.yaml", "--only", "bom", "-o", EVIL],
    ["audit", "fabric.yaml", "--lldp", "r0-leaf-1.json"],
    ["audit", "fabric.yaml", "--lldp", "r0-leaf-1.json", "--json"],
    ["explain", EVIL],
    ["placement", "fabric.yaml", EVIL],
    ["route", "fabric.yaml", EVIL, "d0-g0"],
    ["impact", "fabric.yaml", "--fail", f"switch:{EVIL}"],
    ["catalog", "show", EVIL],
    ["catalog", "list", "workloads", "--catalog", "own"],
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: " ".join(command).encode("unicode_escape").decode()
)
def test_no_command_prints_control_characters_of_its_input(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Names on the command line, in evidence and in files of a catalog are escaped."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(TINY, encoding="utf-8")
    neighbors = [
        {
            "name": "swp1",
            "chassis": [{"name": [{"value": EVIL}]}],
            "port": [{"id": [{"value": EVIL}]}],
        }
    ]
    (tmp_path / "r0-leaf-1.json").write_text(
        json.dumps({"lldp": [{"interface": neighbors}]}), encoding="utf-8"
    )
    book = (
        '{name: x, description: "a\\x1b[2J", source: "-", layers: 1, hidden: 1, '
        "sequence: 1, batch_tokens: 1, bytes_per_element: 1}"
    )
    (tmp_path / "own/workloads").mkdir(parents=True)
    (tmp_path / "own/workloads/x.yaml").write_text(book, encoding="utf-8")
    run(command)
    printed = capsys.readouterr()
    assert not RAW.search(printed.out + printed.err)
    assert printed.out + printed.err


@pytest.mark.parametrize("text", ["a\x1b[2J", "a\x9b", "a\u202eb", "two\nlines"])
def test_facts_are_lines_of_plain_text(text: str) -> None:
    """The texts of a bill, of NetBox and of a terminal have no control characters.

    They are refused when they are read.
    """
    with pytest.raises(ValueError, match="a text is one line, without control characters"):
        PriceBook(name="x", description=text, source=("-",), currency="USD")
    assert (
        PriceBook(name="x", description="folded\n", source=("-",), currency="USD").description
        == "folded"
    )


@pytest.mark.parametrize("written", ['"x\\x1b": 1', 'x: ["\\x9b"]', 'x: {y: "\\x07"}'])
def test_a_file_of_facts_has_no_control_characters(written: str, tmp_path: Path) -> None:
    """YAML escapes them, in keys and in values at any depth."""
    (tmp_path / "x.yaml").write_text(f"a: b\n{written}\n", encoding="utf-8")
    with pytest.raises(Refusal, match="has control characters in"):
        load_facts(tmp_path / "x.yaml")


def test_commands_print_by_echo(root: Path) -> None:
    """No command prints without the function that escapes control characters."""
    modules = sorted((root / "fabricgen/cli").glob("*.py"))
    assert [module.name for module in modules if "click.echo(" in module.read_text("utf-8")] == [
        "printing.py"
    ]


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (["plan", ""], "an argument is empty"),
        (["plan", "fabric.yaml", "--from", ""], "--from is given an empty value"),
        (["plan", "fabric.yaml", "-o", ""], "-o is given an empty value"),
        (["plan", "fabric.yaml", "--set", ""], "--set is given an empty value"),
        (["plan", "fabric.yaml", "--catalog="], "--catalog is given an empty value"),
        (["audit", "fabric.yaml", "--lldp", ""], "--lldp is given an empty value"),
        (["build", "fabric.yaml", "--only", "", "-o", "out"], "--only is given an empty value"),
        (["placement", "fabric.yaml", ""], "an argument is empty"),
        (["catalog", "import", ""], "an argument is empty"),
    ],
)
def test_an_empty_value_is_refused(
    command: list[str],
    printed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An unset variable of a script is neither the working directory nor a missing argument."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(TINY, encoding="utf-8")
    assert run(command) == 2
    assert printed in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["fabric.yaml"]


def test_an_empty_key_is_allowed_in_set(tmp_path: Path) -> None:
    """`--set KEY=` removes a key, and the command of `lab exec` may have empty words."""
    (tmp_path / "fabric.yaml").write_text(TINY, encoding="utf-8")
    assert run(["plan", str(tmp_path / "fabric.yaml"), "--set", "rails="]) in {0, 2}
    assert run(["lab", "exec", "no-node", "echo", ""]) == 2


@pytest.mark.parametrize(
    "key", ["layers", "hidden", "sequence", "batch_tokens", "bytes_per_element", "pipeline_stages"]
)
@pytest.mark.parametrize("value", ["9" * 400, "1" + "0" * 19, "1e400", ".nan"])
def test_numbers_beyond_all_models_are_refused(
    key: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number that overflows arithmetic is refused."""
    facts = {
        "name": "x",
        "description": "x",
        "source": "x",
        "layers": 1,
        "hidden": 1,
        "sequence": 1,
        "batch_tokens": 1,
        "bytes_per_element": 2.0,
    }
    (tmp_path / "x.yaml").write_text(
        "\n".join(f"{name}: {printed}" for name, printed in (facts | {key: value}).items()),
        encoding="utf-8",
    )
    (tmp_path / "fabric.yaml").write_text(TINY, encoding="utf-8")
    command = [
        "model",
        str(tmp_path / "fabric.yaml"),
        "--llm",
        str(tmp_path / "x.yaml"),
        "--accelerator",
        "h100-sxm",
    ]
    assert run(command) == 2
    assert f"error[bad-catalog-file]: x.yaml: `{key}`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--llm", f"gpt3@{'9' * 400}seq"], ["--llm", "gpt3", "--batch-tokens", "9" * 400]]
)
def test_a_batch_beyond_all_models_is_refused(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So is one on the command line."""
    (tmp_path / "fabric.yaml").write_text(TINY, encoding="utf-8")
    assert run(["model", str(tmp_path / "fabric.yaml"), *words, "--accelerator", "h100-sxm"]) == 2
    assert "a batch has at most" in capsys.readouterr().err


def test_a_speed_beyond_all_links_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So is a speed."""
    (tmp_path / "fabric.yaml").write_text(TINY, encoding="utf-8")
    assert run(["plan", str(tmp_path / "fabric.yaml"), "--set", f"nic.speed={'9' * 30}G"]) == 2
    assert "a speed is at most 1000T" in capsys.readouterr().err
