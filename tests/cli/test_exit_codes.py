"""The exit code of every command, and `ok` and `findings` of its JSON document.

Each command is run where it finds nothing, where it finds something, and where it cannot run.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from fabricgen.cli import program, run
from fabricgen.cli.topics import ALIASES, pages
from fabricgen.core.yaml_text import write_yaml
from fabricgen.lifecycle.audit.fault_kinds import Kind
from tests.catalog.test_importers import DEVICE_TYPE
from tests.cli.test_documents import commands, commands_with_documents

KEYS = ("code", "level", "fact", "place", "because", "hint")
"""The keys of every finding."""

AUDIT_KEYS = ("kind", "cable", "cables", "expected", "found", "fix")
"""The additional keys of a finding of `audit`."""

INVENTORY = """
name: small
gpus: 64
hb_domain: {gpus: 8}
host: {model: dgx-h100}
switches: {leaf: {generic: {radix: 4}}}
"""

FILES = {
    "fabric.yaml": INVENTORY,
    "light.yaml": (
        "{name: light, gpus: 64, hb_domain: {gpus: 8}, rails: {medium: ocs},"
        " switches: {leaf: {model: s320}}}"
    ),
    "other.yaml": f"{INVENTORY}oversubscription: '3:1'\n",
    "neighbors.csv": "r0-leaf-1,swp1,host-1,enp24s0np0\n",
    "swapped.csv": "r0-leaf-1,swp3,r0-spine-2,swp1\nr0-leaf-1,swp4,r0-spine-1,swp1\n",
    "dead.txt": "hb:0\n",
    "cut.txt": "".join(f"switch:r{rail}-leaf-1\n" for rail in range(8)),
    "empty.csv": "",
    "device-type.yaml": write_yaml(DEVICE_TYPE),
    "notes/mine.txt": "",
}
PREPARED = (
    "plan fabric.yaml -o plan.json",
    "build fabric.yaml -o out --only cabling",
    "build fabric.yaml -o altered --only bom",
)
"""Commands that write what later ones read."""

CUT = " ".join(f"--fail switch:r{rail}-leaf-1" for rail in range(8))


class Runs(NamedTuple):
    """The arguments of a command where it ends with 0, 1 and 2; None where it has no such end."""

    fine: str | None
    finding: str | None
    refused: str


COMMANDS = {
    "plan": Runs("fabric.yaml", None, "fabric.yaml --set gpus=7"),
    "compare": Runs("fabric.yaml", None, "nowhere.yaml"),
    "cost": Runs("fabric.yaml --years 4", None, "fabric.yaml --pue 0.5"),
    "search": Runs(
        "fabric.yaml --set search.designs=[rail-only] --set search.switches=[sn5600]",
        None,
        "fabric.yaml --set search.switches=[nothing]",
    ),
    "model": Runs("fabric.yaml --llm gpt3", None, "fabric.yaml --llm nothing"),
    "phases": Runs("fabric.yaml", None, "nowhere.yaml"),
    "build": Runs("fabric.yaml -o other --only bom", None, "fabric.yaml -o notes"),
    "verify": Runs("out", "altered", "notes"),
    "catalog list": Runs("nics", None, "boxes"),
    "catalog show": Runs("gpt3", None, "nothing"),
    "route": Runs(
        "fabric.yaml d0-g0 d1-g1", f"fabric.yaml d0-g0 d2-g1 {CUT}", "fabric.yaml d0-g0 x"
    ),
    "impact": Runs("fabric.yaml --fail hb:0", None, "fabric.yaml --fail hb:99"),
    "placement": Runs("fabric.yaml d0-d1", "fabric.yaml d0-g0,d1-g1", "fabric.yaml d99"),
    "circuits": Runs("light.yaml", None, "fabric.yaml"),
    "audit": Runs(
        "fabric.yaml --lldp neighbors.csv",
        "fabric.yaml --lldp swapped.csv",
        "fabric.yaml --lldp empty.csv",
    ),
    "diff": Runs(
        "plan.json fabric.yaml --exit-code", "plan.json other.yaml --exit-code", "plan.json no.yaml"
    ),
    "import": Runs(
        "out/cabling/cables.csv fabric.yaml -o imported.json",
        "crossed.csv fabric.yaml -o crossed.json",
        "empty.csv fabric.yaml -o no.json",
    ),
    "check": Runs("fabric.yaml", "crossed.json", "nowhere.yaml"),
    "init": Runs("new.yaml --force", None, "new.yaml --gpus 7"),
    "explain": Runs("rail", None, "nothing"),
    "catalog import": Runs("device-type.yaml", None, "fabric.yaml"),
    "lab run": Runs(None, None, "nowhere.yaml"),
    "lab up": Runs(None, None, "nowhere.yaml"),
    "lab test": Runs(None, None, "--name nothing"),
    "lab down": Runs(None, None, "--name nothing"),
    "lab lldp": Runs(None, None, "neighbors --name nothing"),
    "lab status": Runs("", None, "nothing"),
}

ELSEWHERE = {"lab doctor"}
"""Its exit code is a fact of the machine."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the files that the commands read."""
    folder = tmp_path_factory.mktemp("commands")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in PREPARED:
            assert run(command.split()) == 0
    (folder / "altered" / "plan.json").write_text("{}", encoding="utf-8")
    sheet = (folder / "out" / "cabling" / "cables.csv").read_text(encoding="utf-8")
    (folder / "crossed.csv").write_text(crossed(sheet), encoding="utf-8")
    return folder


def crossed(sheet: str) -> str:
    """Exchange the spine ends of a cable of two leaves in every rail: their uplinks are uneven."""
    ends = {"1,swp1,1": "2,swp2,2", "2,swp2,2": "1,swp1,1"}
    return re.sub(r"(?<=-spine-)(1,swp1,1|2,swp2,2)(?=,)", lambda end: ends[end[0]], sheet)


def cases(end: int) -> list[str]:
    """Return the command lines of the table that end with an exit code."""
    return [
        f"{name} {runs[end]}".strip() for name, runs in COMMANDS.items() if runs[end] is not None
    ]


def ended(
    place: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Run a command there, and return its exit code and standard output."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place / "run"))
    code = run(command.split())
    return code, capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "expected"),
    [pytest.param(command, end, id=command) for end in (0, 1, 2) for command in cases(end)],
)
def test_the_exit_code_with_and_without_json(
    place: Path,
    command: str,
    expected: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With --json there is one document, whose `ok` and `findings` agree with the exit code."""
    code, out = ended(place, f"{command} --json", monkeypatch, capsys)
    document = json.loads(out)
    assert (code, document["ok"], bool(document["findings"])) == (
        expected,
        expected == 0,
        expected != 0,
    )
    for finding in document["findings"]:
        own = AUDIT_KEYS if command.startswith("audit") and expected == 1 else ()
        assert tuple(finding) == KEYS + own
        assert finding["code"] in pages() or finding["code"] in ALIASES
        assert finding["fact"]
    again, _ = ended(
        place, f"{command} --force" if " -o " in command else command, monkeypatch, capsys
    )
    assert again == expected


@pytest.mark.parametrize(
    "command",
    [*cases(0), *(f"{one} --json" for one in cases(1)), "schema", "--version", "--help"],
)
def test_a_full_output_is_refused_as_such(
    place: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By every command, however short its text is, with what it wrote before."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place / "run"))
    words = [*command.split(), *(["--force"] if " -o " in command else [])]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run(words) == 2
    error = capsys.readouterr().err
    start = "error[cannot-write]: standard output cannot be written: No space left on device\n"
    assert start in error
    found = {path for _, path in re.findall(r"because (`(.*)`) is complete", error)}
    written = words[1:2] if words[0] == "init" else re.findall(r"(?<= -o )\S+", command)
    assert ({*written} <= found, bool(found)) == (True, bool(written))


def test_the_table_has_every_command() -> None:
    """A command with --json is in the table, with a finding where it looks for faults."""
    assert COMMANDS.keys() | ELSEWHERE == set(commands_with_documents(program))
    others = dict(commands(program)).keys() - COMMANDS.keys() - ELSEWHERE
    assert others == {"schema", "serve", "lab exec", "lab shell"}
    finding = {name for name, runs in COMMANDS.items() if runs.finding}
    assert finding == {"verify", "check", "route", "placement", "audit", "diff", "import"}


def test_diff_ends_with_0_unless_asked(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two fabrics that differ are the result of `diff`, and a finding only with --exit-code."""
    code, out = ended(place, "diff plan.json other.yaml --json", monkeypatch, capsys)
    document = json.loads(out)
    assert (code, document["ok"], document["findings"], bool(document["steps"])) == (
        0,
        True,
        [],
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "fact"),
    [
        ("", "unreachable", "pairs of GPUs have no path"),
        ("--strict --lldp neighbors.csv", "silent", "links could not be verified"),
    ],
)
def test_an_audit_finds_silence_and_lost_pairs(
    place: Path,
    arguments: str,
    code: str,
    fact: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each is a finding as any other."""
    command = f"audit fabric.yaml --degraded cut.txt --json {arguments}"
    exit_code, out = ended(place, command, monkeypatch, capsys)
    facts = {finding["code"]: finding["fact"] for finding in json.loads(out)["findings"]}
    assert exit_code == 1
    assert fact in facts[code]


def test_a_fault_is_a_document_too(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3, with the exception as the fact of a finding."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("fabricgen.bom.summary.summarize", broken)
    code, out = ended(place, "plan fabric.yaml --json", monkeypatch, capsys)
    (finding,) = json.loads(out)["findings"]
    assert (code, finding["code"], "ZeroDivisionError" in finding["fact"]) == (3, "fault", True)


def test_every_kind_of_miscabling_is_explained() -> None:
    """By the page on audits."""
    assert {ALIASES[kind] for kind in get_args(Kind)} == {"audit"}
