"""Reading inventories: files, standard input, flags, `--set` and plan files.

Every finding has its place.
"""

from __future__ import annotations

import io
import json
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.inventory.load import Flags, check_wiring_digest, read_inventory, read_text
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.inventory.load import Inventory

TEXT = """\
name: west
gpus: 64
hb_domain: {gpus: 8}
rails:
  count: 8
switches:
  leaf: {generic: {radix: 64}}
prices: paper-v5
nos: frr
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the inventory into an empty directory, and change to it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(TEXT, encoding="utf-8")
    return "fabric.yaml"


def refused(source: str | None, *sets: str, flags: Flags | None = None) -> tuple[Finding, ...]:
    """Return the findings with which a source is refused."""
    with pytest.raises(Refusal) as caught:
        read_inventory(source, sets, flags)
    return caught.value.findings


def places(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """Return the code and the place of each finding."""
    return [(finding.code, str(finding.place)) for finding in findings]


def later(inventory: Inventory, *findings: Finding) -> list[tuple[str, str]]:
    """Return findings of a later phase as the reader reports them."""
    with pytest.raises(Refusal) as caught, inventory.locate_findings():
        raise Refusal(findings)
    return places(caught.value.findings)


# --- sources


def test_a_file(file: str) -> None:
    """The result is the spec, and the place of every key."""
    inventory = read_inventory(file)
    assert (inventory.spec.name, inventory.spec.rails.count) == ("west", 8)
    assert str(inventory.document.locate(("rails", "count"))) == "fabric.yaml:5:10"


@pytest.mark.parametrize(
    "data",
    [TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), TEXT.replace("\n", "\r\n").encode()],
    ids=["plain", "mark", "windows"],
)
def test_standard_input(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads bytes, whatever the locale is; findings call it <stdin>."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
    inventory = read_inventory("-")
    assert inventory.spec.name == "west"
    assert str(inventory.document.locate(("gpus",))) == "<stdin>:2:7"


def test_a_file_is_the_same_however_its_lines_end(file: str, tmp_path: Path) -> None:
    """A byte order mark and Windows line ends change nothing."""
    spec = read_inventory(file).spec
    (tmp_path / file).write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert read_inventory(file).spec == spec


def test_an_endless_file_is_not_read() -> None:
    """A device is not read as an inventory."""
    (finding,) = refused("/dev/zero")
    assert (finding.code, finding.fact) == (
        "no-such-file",
        "`/dev/zero` cannot be read: it is a device, and not a regular file",
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("fabrik.yaml", "did you mean `fabric.yaml`?"),
        ("fabric", "did you mean `fabric.yaml`?"),
        ("nowhere/at/all.yaml", "`fabricgen init` writes one"),
        (".", "give the path of a YAML file, or `-`"),
        ("fabric.yaml/x", "give the path of a YAML file, or `-`"),
    ],
)
def test_a_missing_file(file: str, name: str, hint: str) -> None:
    """The nearest name in the same directory is suggested."""
    (finding,) = refused(name)
    assert file == "fabric.yaml"
    assert (finding.code, finding.hint) == ("no-such-file", hint)


def test_flags_in_place_of_an_inventory() -> None:
    """The place of each key is the flag that set it."""
    flags = Flags(
        {
            ("gpus",): ("--gpus 60", 60),
            ("hb_domain", "gpus"): ("--hb-domain 8", 8),
            ("switches", "leaf", "generic", "radix"): ("--radix 64", 64),
        }
    )
    inventory = read_inventory(None, (), flags)
    assert (inventory.spec.name, inventory.spec.gpus) == ("fabric", 60)
    assert later(
        inventory, Finding("x", "y", ("gpus",)), Finding("x", "z", ("switches", "leaf"))
    ) == [("x", "--gpus 60"), ("x", "--radix 64")]


# --- overrides


@pytest.mark.parametrize(
    ("setting", "path", "value"),
    [
        ("gpus=128", ("gpus",), 128),
        ("rails.count=4", ("rails", "count"), 4),
        ("rails={count: 2, tiers: 2}", ("rails", "tiers"), 2),
        ("nic.speed=200G", ("nic", "speed"), 200),
        ("addressing.mtu=1500", ("addressing", "mtu"), 1500),
        ("switches.spine.generic.radix=32", ("switches", "spine", "generic", "radix"), 32),
        (" rails . count = 4", ("rails", "count"), 4),
        ("prices=street-2026-09", ("prices", "book"), "street-2026-09"),
        ("prices.book=street-2026-09", ("prices", "book"), "street-2026-09"),
        ("nos.spine=sonic", ("nos", "spine"), "sonic"),
        ("nos=sonic", ("nos", "core"), "sonic"),
    ],
)
def test_an_override(file: str, setting: str, path: tuple[str, ...], value: object) -> None:
    """It sets one key, creates the mappings that it needs, and is the place of the value."""
    inventory = read_inventory(file, [setting])
    found: Any = inventory.spec
    for key in path:
        found = getattr(found, key)
    assert found == value
    assert later(inventory, Finding("x", "y", path)) == [("x", f"--set {setting}")]


def test_an_override_leaves_the_rest_alone(file: str) -> None:
    """One key below a short form keeps the rest of the short form."""
    spec = read_inventory(file, ["prices.parts.sn5600=5", "nos.spine=sonic", "rails.tiers=2"]).spec
    assert (spec.prices.book, dict(spec.prices.parts)) == ("paper-v5", {"sn5600": Decimal(5)})
    assert (spec.nos.leaf, spec.nos.spine, spec.nos.core) == ("frr", "sonic", "frr")
    assert (spec.rails.count, spec.rails.tiers) == (8, 2)


@pytest.mark.parametrize("key", ["nos", "prices", "rails.count", "rails", "site.rack", "naming"])
def test_null_restores_the_default(file: str, key: str) -> None:
    """The key is left out, and so are mappings around it that the file does not have."""
    spec = read_inventory(file, [f"{key}=null"]).spec
    without: Any = read_inventory(file).spec.model_dump(exclude_unset=True)
    *above, last = key.split(".")
    node = without
    for part in above:
        node = node.get(part, {})
    node.pop(last, None)
    assert spec == type(spec).model_validate(without)


def test_the_last_override_wins(file: str) -> None:
    """A whole mapping replaces the keys that were set in it before."""
    assert read_inventory(file, ["gpus=8", "gpus=16"]).spec.gpus == 16
    assert read_inventory(file, ["rails.count=4", "rails={tiers: 2}"]).spec.rails.count is None
    assert read_inventory(file, ["rails={tiers: 2}", "rails.count=4"]).spec.rails.tiers == 2


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("rails.cuont=4", "unknown-key"),
        ("rails=4", "wrong-type"),
        ("gpus.x=4", "wrong-type"),
        ("gpus=", "wrong-type"),
        ("rails.count=0", "out-of-range"),
        ("rails.a.b.c=1", "unknown-key"),
        ("spread=wide", "not-a-choice"),
        ("name=West", "bad-value"),
        ("site.racks=4", "unknown-key"),
    ],
)
def test_the_place_of_a_bad_override_is_its_argument(file: str, setting: str, code: str) -> None:
    """The finding points to the `--set` and not into the file."""
    assert places(refused(file, setting)) == [(code, f"--set {setting}")]


@pytest.mark.parametrize(
    ("setting", "known"),
    [("networks.storag.speed=400G", "storage"), ("rails.cuont=4", "count"), ("gpu=16", "gpus")],
)
def test_a_mistyped_override_of_a_key_in_the_file(file: str, setting: str, known: str) -> None:
    """The known key is proposed: `--set` replaces its value in the file."""
    storage = "networks.storage={switches: {leaf: {model: sn5600}}}"
    (finding,) = refused(file, storage, "rails.count=8", setting)
    assert (finding.code, finding.hint) == ("unknown-key", f"did you mean `{known}`?")


@pytest.mark.parametrize(
    "setting",
    ["gpus", "=8", "gpus:8", ".gpus=8", "a..b=8", "", "gpus=[8", "gpus={a: 1, a: 2}", "gpus=!x 8"],
)
def test_an_invalid_override(file: str, setting: str) -> None:
    """It is printed as it was typed."""
    assert places(refused(file, setting)) == [("bad-set", f"--set {setting}")]


def test_all_bad_overrides_are_reported_at_once(file: str) -> None:
    """Each is a finding of its own."""
    assert places(refused(file, "gpus", "rails.count=4", "nic=[")) == [
        ("bad-set", "--set gpus"),
        ("bad-set", "--set nic=["),
    ]


def test_a_key_removed_by_an_override_is_reported_there(file: str) -> None:
    """The place of the missing key is the override that removed it."""
    assert places(refused(file, "hb_domain={hosts: 1}")) == [
        ("missing-key", "--set hb_domain={hosts: 1}")
    ]


# --- findings


def test_findings_are_in_the_order_of_the_text(file: str, tmp_path: Path) -> None:
    """All of them at once, from every phase, those of the command line last."""
    text = (
        TEXT.replace("name: west", "nmae: west")
        .replace("gpus: 64", "gpus: many")
        .replace("count: 8", "cuont: 8")
        + "site: {racks: 4}\nspread: odd\n"
    )
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert places(refused(file, "nic.speed=fast")) == [
        ("unknown-key", "fabric.yaml:1:1"),
        ("wrong-type", "fabric.yaml:2:7"),
        ("unknown-key", "fabric.yaml:5:3"),
        ("unknown-key", "fabric.yaml:10:8"),
        ("not-a-choice", "fabric.yaml:11:9"),
        ("bad-value", "--set nic.speed=fast"),
    ]


def test_findings_of_later_phases_are_located_too(file: str) -> None:
    """In the order of the text.

    One that concerns several roles is reported once, and one without a key has no place.
    """
    inventory = read_inventory(file, ["nic.speed=400G"])
    found = later(
        inventory,
        Finding("e", "none"),
        Finding("d", "flag", ("nic", "speed")),
        Finding("c", "short", ("nos", "leaf")),
        Finding("c", "short", ("nos", "core")),
        Finding("b", "missing", ("switches", "leaf", "breakout")),
        Finding("a", "value", ("gpus",)),
    )
    assert found == [
        ("a", "fabric.yaml:2:7"),
        ("b", "fabric.yaml:7:3"),
        ("c", "fabric.yaml:9:6"),
        ("e", "None"),
        ("d", "--set nic.speed=400G"),
    ]


def test_other_exceptions_pass_through(file: str) -> None:
    """A fault of the program keeps its traceback."""
    with pytest.raises(KeyError), read_inventory(file).locate_findings():
        raise KeyError(file)


# --- plan files


@pytest.fixture
def plan_file(file: str, tmp_path: Path) -> Path:
    """Write the plan of the inventory into a file."""
    plan = make_plan(read_inventory(file).spec, Catalog())
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan_document(plan, {"name": "west"})), encoding="utf-8")
    return path


def test_a_plan_file_is_its_inventory(file: str, plan_file: Path) -> None:
    """The spec is the same with every default written out, and the recorded digest is verified."""
    inventory, plan = (
        read_inventory(str(plan_file)),
        make_plan(read_inventory(file).spec, Catalog()),
    )
    assert inventory.spec == read_inventory(file).spec
    check_wiring_digest(inventory, plan.digest)
    assert inventory.wiring_sha256 == plan.digest()


def test_a_plan_file_with_another_digest(plan_file: Path) -> None:
    """It is refused, unless keys are overridden, which makes it a new plan."""
    inventory = read_inventory(str(plan_file))
    with pytest.raises(Refusal, match="plan-of-another-version"):
        check_wiring_digest(inventory, lambda: "0" * 64)
    check_wiring_digest(read_inventory(str(plan_file), ["gpus=128"]), lambda: "0" * 64)


def test_a_plan_file_may_be_yaml(file: str, plan_file: Path, tmp_path: Path) -> None:
    """JSON spread over lines is valid YAML, and its keys have places."""
    document = json.loads(plan_file.read_text(encoding="utf-8"))
    path = tmp_path / "plan.yaml"
    path.write_text("# kept\n" + json.dumps(document, indent=1), encoding="utf-8")
    assert read_inventory(str(path)).spec == read_inventory(file).spec
    document["inventory"]["gpus"] = 0
    path.write_text(
        "# kept\n"
        + json.dumps({"format": document["format"], "inventory": document["inventory"]}, indent=1),
        encoding="utf-8",
    )
    ((code, place),) = places(refused(str(path)))
    assert code == "out-of-range"
    assert (
        path.read_text(encoding="utf-8").splitlines()[int(place.split(":")[1]) - 1].strip()
        == '"gpus": 0,'
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"inventory": None}, "bad-plan-file"),
        ({"inventory": []}, "bad-plan-file"),
        ({"format": "fabricgen-plan/2"}, "plan-of-another-version"),
        ({"inventory": {"name": "\ud800"}}, "yaml-syntax"),
        ({"inventory": {"name": "west", "gpus": 8}}, "missing-key"),
    ],
)
def test_an_edited_plan_file(plan_file: Path, change: dict[str, object], code: str) -> None:
    """It is refused like any other invalid input."""
    document = json.loads(plan_file.read_text(encoding="utf-8")) | change
    plan_file.write_text(json.dumps(document), encoding="utf-8")
    assert {found for found, _ in places(refused(str(plan_file)))} == {code}


@pytest.mark.parametrize("cut", [60, 400, -1])
def test_a_truncated_plan_file(plan_file: Path, cut: int) -> None:
    """Half a JSON document is a syntax error of YAML."""
    plan_file.write_text(plan_file.read_text(encoding="utf-8")[:cut], encoding="utf-8")
    assert {code for code, _ in places(refused(str(plan_file)))} == {"yaml-syntax"}


def test_a_text_is_read_like_a_file(file: str) -> None:
    """As `init` renders one."""
    assert read_text(TEXT, "init").spec == read_inventory(file).spec
    with pytest.raises(Refusal) as caught:
        read_text(TEXT + "rials: {}\n", "init")
    assert places(caught.value.findings) == [("unknown-key", "init:10:1")]
