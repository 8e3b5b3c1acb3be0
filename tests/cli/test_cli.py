"""The commands: exit codes, the JSON that scripts rely on, streams, and the starter inventory."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from fabricgen import __version__
from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.kinds import KINDS
from fabricgen.cli import run
from tests import ROOT
from tests.conftest import clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = sorted(page.stem for page in (ROOT / "fabricgen" / "cli" / "pages").rglob("*.md"))
TEXT = """\
name: west
gpus: 64
hb_domain: {gpus: 8}
rails: {count: 8}
switches:
  leaf: {generic: {radix: 64}}
prices: paper-v5
"""
FLAGS = ["--gpus", "64", "--hb-domain", "8", "--radix", "64"]

SUMMARY: dict[str, Any] = {
    "name": str,
    "design": str,
    "gpus": int,
    "hb_domains": int,
    "rails": int,
    "planes": int,
    "tiers": int,
    "radix": int,
    "switches": {"leaf": int, "spine": int, "core": int, "total": int},
    "per_block": {
        "endpoints": int,
        "leaf": int,
        "spine": int,
        "core": int,
        "leaf_down": int,
        "leaf_up": int,
        "spine_down": int,
        "spine_up": int,
        "core_down": int,
    },
    "blocks": int,
    "links": {"host": int, "leaf_spine": int, "spine_core": int, "total": int},
    "cables": {"total": int},
    "longest_cable_m": (int, float),
    "room": str,
    "transceivers": int,
    "cost": {
        "currency": str,
        "switches": int,
        "transceivers": int,
        "cables": (int, type(None)),
        "total": int,
        "unpriced": list,
    },
    "power_w": (int, float),
    "oversubscription": str,
}
"""The keys of `plan --json` that scripts may rely on, with the types of their values."""


class Ended(NamedTuple):
    """The result of a run."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - a JSON document
        """The one document on stdout."""
        return json.loads(self.out)


class Cli(Protocol):
    """Run the program in this process."""

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ended:
        """Return the result."""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Return a function that runs the program in an empty directory with an inventory in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(TEXT, encoding="utf-8")

    def start(*arguments: str, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run(list(arguments))
        return Ended(code, *capsys.readouterr())

    return start


def faults_of(document: object, shape: Any, path: str = "") -> list[str]:  # noqa: ANN401 - a type, several, or a mapping of keys
    """List the keys of a document that are missing or of another type."""
    if not isinstance(shape, dict):
        return [] if isinstance(document, shape) else [f"{path} is {document!r}"]
    if not isinstance(document, dict):
        return [f"{path} is no mapping"]
    return [
        fault
        for key, below in shape.items()
        for fault in faults_of(document.get(key, ...), below, f"{path}.{key}")
    ]


# --- exit codes


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["-h"],
        ["--version"],
        ["plan", "--help"],
        ["plan", "fabric.yaml"],
        ["plan", *FLAGS],
        ["compare", "fabric.yaml"],
        ["schema"],
        ["explain"],
        ["explain", "rail"],
        ["catalog", "list"],
        ["catalog", "show", "sn5600"],
        ["init", "other.yaml"],
        ["build", "fabric.yaml", "-o", "out"],
        ["build", "fabric.yaml", "-o", "out", "--dry-run"],
    ],
    ids=" ".join,
)
def test_done_is_0(cli: Cli, arguments: list[str]) -> None:
    """The command does its work and prints to stdout."""
    ended = cli(*arguments)
    assert (ended.code, bool(ended.out)) == (0, True), ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "nowhere.yaml"],
        ["plan", "fabric.yaml", "--set", "gpus=7"],
        ["plan", "fabric.yaml", "--prices", "unknown"],
        ["plan", *FLAGS, "--speed", "fast"],
        ["compare", "fabric.yaml", "--set", "rails.count=3"],
        ["explain", "nothing"],
        ["catalog", "show", "nothing"],
        ["init"],
        ["build", "fabric.yaml", "-o", "fabric.yaml"],
        ["init", "other.yaml", "--gpus", "7"],
        ["init", "other.yaml", "--host", "unknown"],
    ],
    ids=" ".join,
)
def test_refused_is_2(cli: Cli, arguments: list[str]) -> None:
    """Refused input is reported on stderr, and nothing is on stdout."""
    ended = cli(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error[")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["plan", "--nothing"],
        ["plan", "fabric.yaml", "more.yaml"],
        ["plan", "fabric.yaml", "--gpus", "8"],
        ["plan", "--gpus", "8"],
        ["plan", "--gpus", "many", "--hb-domain", "8", "--radix", "64"],
        ["plan", "--gpus", "0", "--hb-domain", "8", "--radix", "64"],
        ["plan", *FLAGS, "--design", "torus"],
        ["build", "fabric.yaml"],
        ["build", "fabric.yaml", "-o", "out", "--only", "cabels"],
        ["build", "fabric.yaml", "-o", "out", "--only", ""],
        ["catalog", "list", "boxes"],
        ["init", "--leaf", "sn5600", "--radix", "64"],
        ["plan", "fabric.yaml", "--catalog", "nowhere"],
        ["plan", "fabric.yaml", "-o", "."],
    ],
    ids=" ".join,
)
def test_usage_is_2(cli: Cli, arguments: list[str]) -> None:
    """An invalid command line prints the usage on stderr."""
    ended = cli(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "Error: " in ended.err
    assert "Traceback" not in ended.err


def test_build_lists_directories_in_columns(cli: Cli) -> None:
    """The texts below each directory begin in the same column, however long its name is."""
    first, *lines = cli(
        "build", "fabric.yaml", "-o", "out", "--only", "configs,forwarding"
    ).out.splitlines()
    assert first.startswith("out: ")
    assert [line.split()[0] for line in lines] == [
        "manifest.json,",
        "configs/",
        "forwarding/",
        "hosts/",
    ]
    starts = [line.index(line.split()[at]) for line, at in zip(lines, (0, 1, 1, 1), strict=True)]
    assert len(set(starts)) == 1


MODEL = "switches.leaf={model: sn5600, breakout: 2x400G}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--gpus", "1024", "--hb-domain", "8", "--set", MODEL],
        ["--gpus", "1024", "--set", "hb_domain={gpus: 8}", "--set", "switches.leaf.model=sn5600"],
        ["--set", "gpus=1024", "--set", "hb_domain.gpus=8", "--set", MODEL],
        ["--gpus", "1024", "--hb-domain", "8", "--radix", "64", "--set", MODEL],
    ],
    ids=" ".join,
)
def test_set_replaces_a_sizing_flag(cli: Cli, arguments: list[str]) -> None:
    """A value given by `--set` needs no flag; both are allowed, and `--set` wins."""
    ended = cli("plan", *arguments, "--json")
    assert (ended.code, ended.json["gpus"], ended.json["radix"]) == (0, 1024, 128)


def test_another_set_replaces_no_sizing_flag(cli: Cli) -> None:
    """Every missing flag is named."""
    sets = ["--set", "hb_domain.hosts=2", "--set", "switches.spine.model=sn5600"]
    ended = cli("plan", "--gpus", "1024", *sets)
    assert ended.code == 2
    assert "size from flags: --hb-domain --radix missing" in ended.err


def test_a_fault_is_3(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the program prints its traceback and is named as such."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("fabricgen.bom.summary.summarize", broken)
    ended = cli("plan", "fabric.yaml")
    assert (ended.code, ended.out) == (3, "")
    assert "Traceback" in ended.err
    assert f"This is a fault of fabricgen {__version__}, not of your input." in ended.err


def test_an_interrupt_is_130(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C leaves nothing on the screen and on the disk."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fabricgen.build.run.write_manifest", interrupted)
    ended = cli("build", "fabric.yaml", "-o", "out")
    assert (ended.code, ended.out) == (130, "")
    assert "Traceback" not in ended.err
    assert sorted(path.name for path in Path().iterdir()) == ["fabric.yaml"]


# --- plan


@pytest.mark.parametrize(
    "arguments", [["fabric.yaml"], FLAGS, ["-"]], ids=["file", "flags", "stdin"]
)
def test_plan_json_has_the_keys_of_the_contract(cli: Cli, arguments: list[str]) -> None:
    """All of them, of their types, for every source of the inventory."""
    ended = cli("plan", *arguments, "--json", stdin=TEXT.encode())
    assert ended.code == 0, ended.err
    assert faults_of(ended.json, SUMMARY) == []
    assert ended.err == ""


def test_plan_json_adds_up(cli: Cli) -> None:
    """Eight rails of eight endpoints, one leaf each."""
    summary = cli("plan", "fabric.yaml", "--json").json
    assert (
        summary["gpus"],
        summary["hb_domains"],
        summary["rails"],
        summary["blocks"],
        summary["tiers"],
    ) == (64, 8, 8, 8, 1)
    assert summary["switches"] == {"leaf": 8, "spine": 0, "core": 0, "total": 8}
    assert (summary["links"]["total"], summary["transceivers"], summary["cost"]["book"]) == (
        64,
        128,
        "paper-v5",
    )


def test_plan_text_has_the_same_figures(cli: Cli) -> None:
    """The text has the figures of the JSON."""
    ended = cli("plan", "fabric.yaml", "--set", "gpus=4096")
    summary = cli("plan", "fabric.yaml", "--set", "gpus=4096", "--json").json
    for figure in (
        summary["gpus"],
        summary["switches"]["total"],
        summary["links"]["total"],
        summary["transceivers"],
        summary["cost"]["total"],
    ):
        assert f"{figure:,}" in ended.out


def test_a_plan_file_is_planned_again(cli: Cli) -> None:
    """`-o plan.json` and `plan plan.json` give the same numbers, and so does a plan of the plan."""
    first = cli("plan", "fabric.yaml", "-o", "plan.json", "--json")
    again = cli("plan", "plan.json", "-o", "second.json", "--json")
    assert first.code == again.code == 0
    assert first.json == again.json
    assert Path("plan.json").read_bytes() == Path("second.json").read_bytes()
    kept = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    assert kept["format"] == "fabricgen-plan/1"
    assert faults_of(kept, SUMMARY) == []


@pytest.mark.parametrize(
    ("arguments", "key", "value"),
    [
        (["--set", "gpus=128"], "gpus", 128),
        (["--set", "rails.count=4"], "rails", 4),
        (["--set", "prices=street-2026-09"], "cost", "street-2026-09"),
        (["--set", "prices.book=street-2026-09"], "cost", "street-2026-09"),
        (["--prices", "street-2026-09"], "cost", "street-2026-09"),
        (["--set", "nos=frr"], "tiers", 1),
        (["--set", "nos.leaf=frr", "--set", "rails.tiers=2"], "tiers", 2),
        (["--set", "switches.leaf={model: sn5600}"], "radix", 128),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_overrides_reach_the_plan(cli: Cli, arguments: list[str], key: str, value: object) -> None:
    """Short forms, mappings and single keys."""
    ended = cli("plan", "fabric.yaml", *arguments, "--json")
    assert ended.code == 0, ended.err
    assert (ended.json["cost"]["book"] if key == "cost" else ended.json[key]) == value


def test_a_users_price_book_is_relative_to_the_inventory(cli: Cli, tmp_path: Path) -> None:
    """A path in the inventory is; one on the command line is relative to the working directory."""
    (tmp_path / "far").mkdir()
    book = (
        "name: ours\ndescription: ours\nsource: our purchasing\ncurrency: "
        "EUR\nswitch_port_400g: 1\ntransceiver_400g: 1\n"
    )
    (tmp_path / "far" / "ours.yaml").write_text(book, encoding="utf-8")
    (tmp_path / "far" / "fabric.yaml").write_text(
        TEXT.replace("paper-v5", "./ours.yaml"), encoding="utf-8"
    )
    assert cli("plan", "far/fabric.yaml", "--json").json["cost"]["currency"] == "EUR"
    assert (
        cli("plan", "fabric.yaml", "--prices", "far/ours.yaml", "--json").json["cost"]["currency"]
        == "EUR"
    )


# --- compare


def test_compare_json(cli: Cli) -> None:
    """The three designs, each a summary, and the savings of the first against the last."""
    document = cli(
        "compare",
        "--gpus",
        "32768",
        "--hb-domain",
        "256",
        "--radix",
        "64",
        "--prices",
        "paper-v5",
        "--json",
    ).json
    assert [summary["design"] for summary in document["designs"]] == [
        "rail-only",
        "rail-optimized",
        "fat-tree",
    ]
    for summary in document["designs"]:
        assert faults_of(summary, SUMMARY) == []
    assert (
        faults_of(
            document["savings"],
            dict.fromkeys(("cost_pct", "power_pct", "switches_pct", "transceivers_pct"), float)
            | {"cost_bound": str},
        )
        == []
    )
    assert [document["designs"][index]["switches"]["total"] for index in (0, 2)] == [1536, 2560]
    assert [document["designs"][index]["cost"]["total"] for index in (0, 2)] == [
        94_306_304,
        152_829_952,
    ]
    assert document["savings"]["cost_pct"] == 38.3


def test_compare_text(cli: Cli) -> None:
    """Side by side, with the name and the book on top."""
    ended = cli("compare", "fabric.yaml")
    assert ended.out.startswith("west: 64 GPUs in 8 HB domains, prices paper-v5\n")
    assert "rail-only saves" in ended.out


def test_amounts_have_two_decimals_or_none(cli: Cli) -> None:
    """A total with cents is printed like money, as in the bill."""
    size = ("--gpus", "9", "--hb-domain", "3", "--radix", "4")
    cents = ("--set", "prices.parts={generic-fibre: 0.5}")
    (total,) = re.findall(r"cost +USD ([\d,.]+) by", cli("plan", *size, *cents).out)
    assert total.endswith(".50")
    assert f"cost, USD {total}" in " ".join(cli("compare", *size, *cents).out.split())


def test_compare_lists_the_designs_that_can_be_built(cli: Cli) -> None:
    """A design that does not fit is named with its code; the others are compared."""
    ended = cli("compare", "--gpus", "1048576", "--hb-domain", "256", "--radix", "64")
    assert ended.code == 0, ended.err
    assert "fat-tree cannot be built" in ended.out
    assert "[block-too-large]" in ended.out


# --- JSON and streams


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "fabric.yaml", "--json"],
        ["compare", "fabric.yaml", "--json"],
        ["build", "fabric.yaml", "-o", "out", "--json"],
        ["build", "fabric.yaml", "-o", "out", "--dry-run", "--json"],
        ["catalog", "list", "--json"],
        ["catalog", "show", "sn5600", "--json"],
        ["schema"],
    ],
    ids=" ".join,
)
def test_json_is_one_document(cli: Cli, arguments: list[str]) -> None:
    """There is nothing before or after it."""
    ended = cli(*arguments)
    assert ended.code == 0, ended.err
    assert isinstance(ended.json, dict)


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (["plan", "fabric.yaml", "--set", "gpus=7", "--json"], ["gpus-not-whole-domains"]),
        (
            ["plan", "--json", "fabric.yaml", "--set", "rials=7", "--set", "spread=odd"],
            ["unknown-key", "not-a-choice"],
        ),
        (["compare", "nowhere.yaml", "--json"], ["no-such-file"]),
        (["build", "fabric.yaml", "-o", "fabric.yaml", "--json"], ["not-ours"]),
        (["catalog", "show", "nothing", "--json"], ["unknown-model"]),
    ],
)
def test_refusals_are_json_too(cli: Cli, arguments: list[str], codes: list[str]) -> None:
    """With --json the findings are one document, and the text is still on stderr."""
    ended = cli(*arguments)
    assert ended.code == 2
    assert ended.json["ok"] is False
    assert [finding["code"] for finding in ended.json["findings"]] == codes
    for finding in ended.json["findings"]:
        assert set(finding) == {"code", "level", "fact", "place", "because", "hint"}
        assert finding["fact"] in ended.err
    assert ended.err.startswith(f"error[{codes[0]}]")


def test_the_place_of_a_finding_is_json(cli: Cli) -> None:
    """A file with line and column; a flag has neither."""
    Path("fabric.yaml").write_text(TEXT + "rials: {}\n", encoding="utf-8")
    found = cli("plan", "fabric.yaml", "--set", "spread=odd", "--json").json["findings"]
    assert [finding["place"] for finding in found] == [
        {"source": "fabric.yaml", "line": 8, "column": 1},
        {"source": "--set spread=odd", "line": None, "column": None},
    ]


def test_a_refusal_has_no_colour_in_a_pipe(cli: Cli) -> None:
    """Nor any other sequence that moves a cursor."""
    ended = cli("plan", "fabric.yaml", "--set", "gpus=7")
    assert not {"\x1b", "\r"} & set(ended.err)


@pytest.mark.parametrize(
    "variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}], ids=["NO_COLOR", "dumb", "colour"]
)
def test_colour_is_for_terminals_that_support_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: dict[str, str]
) -> None:
    """NO_COLOR and a dumb terminal disable it."""
    from fabricgen.cli import printing  # noqa: PLC0415 - the module is under test

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    assert printing.colours(Terminal()) is not bool(variable)
    assert not printing.colours(io.StringIO())
    assert cli("plan", "fabric.yaml").code == 0


@pytest.mark.parametrize("arguments", [["schema"], ["catalog", "list"], ["explain"]], ids=" ".join)
def test_a_closed_pipe_is_no_fault(arguments: list[str], tmp_path: Path) -> None:
    """`fabricgen schema | head -1` prints nothing on stderr."""
    with subprocess.Popen(
        [sys.executable, "-m", "fabricgen", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=clean_environment(tmp_path),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


# --- init

STARTS = [
    [],
    ["--gpus", "1024", "--host", "dgx-h100", "--leaf", "sn5600", "--nos", "sonic"],
    ["--gpus", "256", "--design", "fat-tree", "--radix", "32"],
    ["--gpus", "512", "--design", "rail-optimized", "--hb-domain", "16"],
    ["--gpus", "64", "--planes", "2", "--nos", "frr"],
    ["--gpus", "128", "--host", "dgx-b300", "--planes", "2", "--leaf", "sn5600"],
    ["--gpus", "128", "--host", "dgx-b300", "--leaf", "7060x6-64pe", "--name", "east-1"],
    ["--gpus", "160", "--host", "dgx-a100", "--leaf", "qm8790"],
    ["--gpus", "128", "--host", "dgx-b200", "--leaf", "ds5000", "--nos", "frr"],
    ["--gpus", "144", "--host", "gb200-nvl72", "--leaf", "sn5400"],
    ["--gpus", "144", "--host", "gb300-nvl72", "--leaf", "sn5600", "--planes", "2"],
    ["--gpus", "512", "--host", "gh200", "--leaf", "qm9700"],
    ["--gpus", "64", "--host", "hgx-b200", "--leaf", "sn5600"],
    ["--gpus", "64", "--host", "hgx-b300", "--leaf", "q3400"],
    ["--gpus", "64", "--host", "hgx-h100", "--leaf", "qm9700"],
    ["--gpus", "64", "--host", "hgx-h200", "--leaf", "z9864f"],
    ["--gpus", "64", "--host", "mi300x", "--leaf", "7060x6-64pe"],
    ["--gpus", "64", "--host", "mi325x", "--leaf", "n9364e-sg2"],
    ["--gpus", "64", "--host", "mi355x", "--leaf", "sn5600"],
    ["--gpus", "64", "--host", "dgx-rubin-nvl8", "--leaf", "q3400"],
    ["--gpus", "144", "--host", "vr-nvl72", "--leaf", "sn6600-ld"],
    ["--gpus", "128", "--host", "gaudi-3", "--leaf", "ds5000", "--nos", "frr"],
    ["--gpus", "256", "--host", "pcie-8gpu", "--leaf", "sn5600", "--design", "rail-optimized"],
]


@cache
def check_schema(text: str) -> None:
    """Verify a schema; every starter has the same."""
    Draft7Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("options", STARTS, ids=" ".join)
def test_a_starter_builds(cli: Cli, options: list[str]) -> None:
    """For all options it plans and builds. The schema named in its first line accepts it."""
    ended = cli("init", "start.yaml", *options)
    assert ended.code == 0, ended.err
    text = Path("start.yaml").read_text(encoding="utf-8")
    first = text.splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    check_schema(Path(first.partition("=")[2]).read_text(encoding="utf-8"))
    built = cli("build", "start.yaml", "-o", "out", "--only", "cabling,bom")
    assert built.code == 0, built.err
    assert cli("plan", "start.yaml", "--json").json["gpus"] == int(
        dict(zip(options[::2], options[1::2], strict=True)).get("--gpus", 1024)
    )


def test_every_host_has_a_starter() -> None:
    """The list above is complete."""
    assert {
        options[options.index("--host") + 1] for options in STARTS if "--host" in options
    } == set(Catalog().names("hosts"))


def test_a_starter_packs_its_leaves(cli: Cli) -> None:
    """Rails share leaves as far as they fit; a full fabric needs no note."""
    ended = cli("init", "start.yaml", "--gpus", "1152", "--host", "gb200-nvl72", "--leaf", "sn5600")
    assert (ended.code, len(ended.out.splitlines())) == (0, 1)
    planned = cli("plan", "start.yaml", "--json").json
    assert (planned["switches"]["total"], planned["cost"]["book"]) == (9, "street-2026-09")
    assert "connectx-7, 1 per GPU, 1 x 400G" in Path("start.yaml").read_text(encoding="utf-8")


def test_a_starter_has_the_newest_prices_of_its_switch(cli: Cli) -> None:
    """A book without the switch would leave the largest part of the cost out."""
    cli("init", "start.yaml", "--leaf", "sn4700")
    assert cli("plan", "start.yaml", "--json").json["cost"]["book"] == "paper-v5"


def test_init_prints_that_few_ports_are_used(cli: Cli) -> None:
    """On stdout, with the share of the bandwidth on one leaf; as a comment where `-` prints."""
    asked = ("--gpus", "16", "--host", "dgx-h100", "--leaf", "sn5600")
    few = "leaves use 16 of their 128 ports to hosts (12.5 %): choose smaller ones"
    ended = cli("init", "start.yaml", *asked)
    assert f"note: {few}" in ended.out
    assert "note: a failed leaf takes 100 % of the bandwidth" in ended.out
    assert f"\n# {few}\n" in cli("init", "-", *asked).out
    assert few in cli("init", "other.yaml", *asked, "--json").json["notes"]


def test_a_starter_can_be_printed(cli: Cli) -> None:
    """`-` prints it, and the output is a valid inventory; nothing is written."""
    ended = cli("init", "-", "--gpus", "64")
    assert sorted(path.name for path in Path().iterdir()) == ["fabric.yaml"]
    assert cli("plan", "-", "--json", stdin=ended.out.encode()).json["gpus"] == 64


def test_init_does_not_overwrite(cli: Cli) -> None:
    """Only --force allows it."""
    ended = cli("init", "fabric.yaml")
    assert (ended.code, ended.err.partition("]")[0]) == (2, "error[file-exists")
    assert Path("fabric.yaml").read_text(encoding="utf-8") == TEXT
    assert cli("init", "fabric.yaml", "--force").code == 0
    assert Path("fabric.yaml").read_text(encoding="utf-8") != TEXT


@pytest.mark.parametrize(
    "options",
    [
        ["--gpus", "1000", "--hb-domain", "16"],
        ["--leaf", "nothing"],
        ["--name", "West Coast"],
        ["--name", "x: y"],
        ["--nos", "nothing"],
    ],
    ids=" ".join,
)
def test_init_writes_nothing_that_does_not_plan(cli: Cli, options: list[str]) -> None:
    """What would be refused later is refused at once."""
    ended = cli("init", "start.yaml", *options)
    assert (ended.code, ended.out) == (2, "")
    assert sorted(path.name for path in Path().iterdir()) == ["fabric.yaml"]


# --- init --reference


def test_a_published_design_is_written(cli: Cli) -> None:
    """It has its source as a comment, the schema beside it, and the GPUs of its units."""
    ended = cli("init", "--reference", "dgx-gb300", "--units", "8", "-o", "superpod.yaml")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "wrote superpod.yaml and fabric.schema.json; next: fabricgen build superpod.yaml -o out\n"
    )
    text = Path("superpod.yaml").read_text(encoding="utf-8")
    assert "# Source: NVIDIA DGX SuperPOD GB300 reference architecture" in text
    planned = cli("plan", "superpod.yaml", "--json").json
    assert (planned["name"], planned["gpus"], planned["switches"]["leaf"]) == (
        "dgx-gb300-8",
        4608,
        64,
    )


def test_a_published_design_has_the_fewest_published_units(cli: Cli) -> None:
    """Where --units is left out; a size that the source does not count is marked."""
    assert "\ngpus: 248\n" in cli("init", "--reference", "dgx-h100", "-").out
    more = cli("init", "-", "--reference", "dgx-h100", "--units", "5").out
    assert "\ngpus: 1280\n" in more
    assert "# Extrapolated: the source counts no design of 5 units, only of 1, 2, 3, 4, 8" in more


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reference", "dgx-h10"], "did you mean `dgx-h100`?"),
        (["--reference", "dgx-h100", "--gpus", "64"], "--gpus and --reference exclude each other"),
        (["--units", "4"], "--units are those of a --reference"),
        (["start.yaml", "-o", "other.yaml"], "give the file once, as FILE or with -o"),
        (["--reference", "era-hgx", "--units", "99999"], "--> --units 99999"),
    ],
    ids=" ".join,
)
def test_a_published_design_is_refused(cli: Cli, options: list[str], message: str) -> None:
    """Unknown names, options that it excludes, and sizes that its switches cannot serve."""
    ended = cli("init", *options, "--force")
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_published_designs_are_listed(cli: Cli) -> None:
    """As text, and as JSON with the GPUs of a unit, the published sizes and the sources."""
    assert "dgx-gb200: NVIDIA DGX SuperPOD with DGX GB200" in cli("init", "--list-references").out
    listed = cli("init", "--list-references", "--json").json["references"]
    found = {each["name"]: each for each in listed}
    assert [*found] == Catalog().names("references")
    assert found["dgx-b300"] | {"source": ..., "description": ..., "unit": ...} == {
        "name": "dgx-b300",
        "description": ...,
        "unit": ...,
        "gpus_per_unit": 512,
        "published_units": [1, 2, 4, 8, 16],
        "largest_units": 16,
        "quality": "A",
        "source": ...,
    }


# --- catalog, schema, explain

MODELS = [(kind, name) for kind in KINDS for name in Catalog().names(kind)]


def test_the_catalog_is_listed(cli: Cli) -> None:
    """As text and as JSON, in whole and by kind."""
    listed = cli("catalog", "list", "--json").json
    assert [(kind, name) for kind in KINDS for name in listed[kind]] == MODELS
    text = cli("catalog", "list").out
    assert [name for _, name in MODELS if f"  {name} " not in text] == []
    for kind in KINDS:
        assert cli("catalog", "list", kind, "--json").json[kind] == listed[kind]


@pytest.mark.parametrize(("kind", "name"), MODELS, ids=[f"{kind}-{name}" for kind, name in MODELS])
def test_every_model_is_shown(cli: Cli, kind: str, name: str) -> None:
    """Every fact with its source; unverified facts are marked."""
    shown = cli("catalog", "show", name, "--json").json
    assert (shown["kind"], shown.get("model", name)) == (kind, name)
    assert shown["source"]
    text = cli("catalog", "show", name).out
    for key in set(shown) - {"ok", "findings", "kind"}:
        assert f"\n{key}:" in f"\n{text}"
    marks = [line.partition(":")[::2] for line in text.splitlines() if "  # unverified" in line]
    found = {
        f"{key}.{part}" if part else key
        for key, mark in marks
        for part in mark.partition("# unverified")[2].removeprefix(": ").split(", ")
    }
    wanted = set(shown.get("unverified", ()))
    assert found == {mark for mark in wanted if mark.partition(".")[0] not in wanted - {mark}}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_explained(cli: Cli, page: str) -> None:
    """By its name, in any case and with blanks."""
    ended = cli("explain", page)
    assert (ended.code, ended.out[:2]) == (0, "# ")
    assert cli("explain", page.replace("-", " ").upper()).out == ended.out


def test_pages_are_listed(cli: Cli) -> None:
    """A line each, with the title; the keys follow."""
    listed, _, keys = cli("explain").out.partition("\n\n")
    lines = listed.splitlines()
    assert [line.split()[0] for line in lines] == PAGES
    assert "rails, switches, oversubscription" in " ".join(keys.split())
    assert all(len(line.split()) > 3 for line in lines)


def test_the_schema_is_printed(cli: Cli) -> None:
    """It is the same that `init` writes."""
    assert cli("schema").json["$schema"] == "http://json-schema.org/draft-07/schema#"
    cli("init", "start.yaml")
    assert json.loads(Path("fabric.schema.json").read_text(encoding="utf-8")) == cli("schema").json


# --- anything at all

RICH = """\
name: rich
design: rail-only
gpus: 64
hb_domain: {gpus: 8, hosts: 1, bandwidth: 3.6Tbps}
host: {model: dgx-h100}
nic: {model: connectx-7, speed: 400G, per_gpu: 1}
rails: {count: 8, planes: 1, per_switch: auto, tiers: auto}
switches:
  leaf: {model: sn5600, breakout: 2x400G}
  spine: {generic: {radix: 64, speed: 400G}}
oversubscription: "1:1"
spread: even
reserve: {gpus: 128}
spares: {cables: {percent: 2, minimum: 1}}
addressing: {host_links: numbered, host_pool: 10.0.0.0/9, loopback_pool: 10.128.0.0/10,
             asn_base: 4200000000, mtu: 9216, bfd: true}
roce: {dscp: 26, priority: 3}
naming: {leaf: "leaf-{n}", host: "dgx-{n:03}"}
prices: {book: paper-v5, parts: {sn5600: 50000}}
nos: {leaf: frr, spine: frr}
"""
TOKENS = [
    "0",
    "-1",
    "7",
    "99999",
    "1e9",
    ".nan",
    "null",
    "~",
    "true",
    "[]",
    "{}",
    "{a: b}",
    '""',
    "'x",
    '"',
    "a: b",
    "&a",
    "*a",
    "!x",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "#",
    "---",
    "\t",
    "\n",
    "\n  ",
    "\x00",
    "\ufeff",
    "é",
    "\U0001f600",
    "2026-01-01",
    "{rail}",
    "{n!r}",
    "{",
    "%",
    "@",
    "`",
    "9" * 30,
    "400T",
    "0G",
    "1:0",
    "../x",
    "fat-tree",
    "rail-optimized",
    "auto",
    "minimal",
    "unnumbered",
    "generic",
    "10.0.0.0/30",
    "gb200-nvl72",
    "sonic",
    "2",
    "64",
    "4096",
    "3",
]
LINES = RICH.splitlines(keepends=True)
WORDS = sorted({word.strip("{},:\"'") for word in RICH.split()} - {""})
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("word"), st.sampled_from(WORDS), st.sampled_from(TOKENS)),
        st.tuples(st.just("drop"), st.integers(0, len(LINES) - 1), st.just("")),
        st.tuples(st.just("twice"), st.integers(0, len(LINES) - 1), st.just("")),
        st.tuples(st.just("insert"), st.integers(0, len(RICH)), st.sampled_from(TOKENS)),
        st.tuples(st.just("cut"), st.integers(0, len(RICH)), st.just("")),
    ),
    min_size=1,
    max_size=3,
)


def spoiled(changes: list[tuple[str, Any, str]]) -> str:
    """Return a valid inventory with a few things broken."""
    text = RICH
    for what, where, token in changes:
        lines = text.splitlines(keepends=True) or [""]
        if what == "word":
            text = text.replace(where, token, 1)
        elif what == "insert":
            text = text[:where] + token + text[where:]
        elif what == "cut":
            text = text[: max(where, 1)]
        else:
            line = where % len(lines)
            text = "".join(
                [*lines[:line], *([lines[line]] * 2 if what == "twice" else []), *lines[line + 1 :]]
            )
    return text


def assert_ends_well(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Plan a file, and assert that the program accepts or refuses it without a fault."""
    code = run(["plan", str(file), "--json"])
    printed = capsys.readouterr()
    assert code in (0, 2), printed.err
    assert "Traceback" not in printed.err
    document = json.loads(printed.out)
    assert document["ok"] is (code == 0) is (document["findings"] == [])


@pytest.fixture
def scratch(tmp_path: Path) -> Callable[[bytes], Path]:
    """Return a function that writes bytes into one file."""

    def write(data: bytes) -> Path:
        file = tmp_path / "fuzz.yaml"
        file.write_bytes(data)
        return file

    return write


@settings(max_examples=400)
@given(CHANGES)
def test_a_corrupted_inventory_causes_no_fault(
    scratch: Callable[[bytes], Path],
    capsys: pytest.CaptureFixture[str],
    changes: list[tuple[str, Any, str]],
) -> None:
    """Words replaced, lines dropped or doubled, tokens inserted, the end cut off."""
    assert_ends_well(scratch(spoiled(changes).encode()), capsys)


@settings(max_examples=200)
@given(st.binary(max_size=200), st.integers(0, len(RICH)))
def test_random_bytes_cause_no_fault(
    scratch: Callable[[bytes], Path], capsys: pytest.CaptureFixture[str], noise: bytes, where: int
) -> None:
    """Noise alone, and noise in the middle of an inventory."""
    assert_ends_well(scratch(noise), capsys)
    assert_ends_well(scratch(RICH[:where].encode() + noise[:8] + RICH[where:].encode()), capsys)


@settings(max_examples=200)
@given(
    st.sampled_from(
        [
            "gpus",
            "hb_domain.gpus",
            "rails",
            "rails.count",
            "switches.leaf",
            "nos",
            "prices",
            "naming.leaf",
            "x",
            "",
        ]
    ),
    st.sampled_from(TOKENS),
)
def test_overrides_cause_no_fault(
    scratch: Callable[[bytes], Path], capsys: pytest.CaptureFixture[str], key: str, token: str
) -> None:
    """Any value for any key."""
    code = run(["plan", str(scratch(RICH.encode())), "--set", f"{key}={token}"])
    printed = capsys.readouterr()
    assert code in (0, 2), printed.err
    assert "Traceback" not in printed.err
