"""An inventory that a build would refuse is refused when it is planned, by every command."""

from __future__ import annotations

import json
import random
import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.api import plan_inventory
from fabricgen.build.cable_sheets import sheets
from fabricgen.build.context import BuildContext
from fabricgen.build.group_bom import phased
from fabricgen.build.group_lab import topologies
from fabricgen.build.job import make_job
from fabricgen.build.listing import every_output
from fabricgen.build.preconditions import TAKEN
from fabricgen.build.selection import GroupSelection, choose
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.load import inventory_text
from fabricgen.outputs.groups import GROUPS
from fabricgen.outputs.packs.render import Packs
from tests import ROOT
from tests.fabrics import plan_file, spec_of
from tests.outputs.packs.managed import LEAST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fabricgen.planning.plan import Plan

SN5600: dict[str, Any] = {
    "gpus": 128,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "rails": {"tiers": 2},
}
H5 = {"switches": {"leaf": {"model": "7060x6-64pe"}}, "nic": {"speed": "400G"}}
WRONG: dict[str, dict[str, Any]] = {
    "no-pack": {
        "switches": {"leaf": {"model": "ds5000", "breakout": "2x400G"}},
        "nos": {"leaf": "hedgehog", "spine": "hedgehog"},
    },
    "above-nos-limit": {
        **H5,
        "nos": {"leaf": "eos", "spine": "eos"},
        "addressing": {"mtu": 9215},
    },
    "bad-phases": {"phases": [{"name": "first", "rails": 9}]},
    "unknown-output": {"outputs": ["cabling", "slrum"]},
    "bad-guids": {"addressing": {"guids": "guids.csv"}},
    "label-too-long": {"naming": {"rack": "{rack}-is-the-rack-of-row-{row}"}},
    "unknown-price-book": {"prices": {"book": "nope"}},
    "unknown-model": {"search": {"switches": ["nope"]}},
    "name-twice": {"naming": {"leaf": "d{rail}-g{n}"}, "rails": {"tiers": 2}},
    "bad-management-address": {
        "management": LEAST | {"addresses": {"r0-leaf-99": "10.200.0.9"}},
        "phases": [{"gpus": 64}],
    },
    "path-twice": {"naming": {"leaf": "domains"}, "gpus": 16, "rails": {"per_switch": "auto"}},
}
"""Invalid keys of an inventory that can be sized and wired, by the code of the refusal."""

COMMANDS = (
    ("plan",),
    ("check",),
    ("compare",),
    ("cost",),
    ("phases",),
    ("route", "d0-g0", "d1-g1"),
    ("impact", "--fail", "gpu:d0-g0"),
    ("placement", "d0,d1"),
    ("build", "-o", "out", "--dry-run"),
)


def written(keys: dict[str, Any], folder: Path) -> Path:
    """Write an inventory."""
    path = folder / "fabric.yaml"
    path.write_text(inventory_text(spec_of(**SN5600 | keys)), encoding="utf-8")
    return path


def test_the_valid_inventory_is_read_by_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The inventory itself is valid."""
    monkeypatch.chdir(tmp_path)
    path = str(written({}, tmp_path))
    assert [run([command, path, *rest]) for command, *rest in COMMANDS] == [0] * len(COMMANDS)


@pytest.mark.parametrize("code", WRONG)
def test_every_command_refuses(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command that reads the inventory refuses it with the same words.

    So does a program that plans it.
    """
    monkeypatch.chdir(tmp_path)
    path = str(written(WRONG[code], tmp_path))
    printed = set()
    for command, *rest in COMMANDS:
        assert run([command, path, *rest]) != 0, command
        printed.add(capsys.readouterr().err)
    (text,) = printed
    assert f"error[{code}]: " in text
    with pytest.raises(Refusal) as refused:
        plan_inventory(SN5600 | WRONG[code])
    assert [finding.code for finding in refused.value.findings] == [code]


def test_only_requested_outputs_must_be_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A NOS without a pack is accepted where configurations are left out.

    `outputs` or `--only` leave them out.
    """
    monkeypatch.chdir(tmp_path)
    path = str(written(WRONG["no-pack"], tmp_path))
    assert run(["build", path, "-o", "out", "--dry-run", "--only", "cabling"]) == 0
    assert run(["build", path, "-o", "out", "--dry-run", "--only", "configs"]) != 0
    assert run(["build", path, "-o", "out", "--only", "dcim"]) == 0
    path = str(written(WRONG["above-nos-limit"] | {"outputs": ["dcim"]}, tmp_path))
    assert run(["build", path, "-o", "out", "--force"]) == 0
    assert (
        run(["plan", str(written(WRONG["no-pack"] | {"outputs": ["cabling", "bom"]}, tmp_path))])
        == 0
    )


PINNED: dict[str, Any] = {
    "networks": {"oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"}},
    "phases": [{"name": "first", "gpus": 32}, {"name": "second", "gpus": 64}],
    "management": LEAST
    | {
        "host_pool": "10.201.0.0/24",
        "addresses": {
            "oob-1": "10.200.0.99",
            "r7-leaf-1": "10.200.0.98",
            "host-16": "10.201.0.99",
        },
    },
    "search": {"switches": ["sn5600"], "planes": [1]},
    "outputs": ["bom", "cluster"],
}
"""Addresses of a host that the first phases lack, and of switches that other designs lack."""


def test_an_address_may_be_of_a_device_that_another_plan_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Plans of other designs, of compute alone and of earlier phases are made from it as well."""
    monkeypatch.chdir(tmp_path)
    path = str(written(PINNED, tmp_path))
    assert run(["build", path, "-o", "out"]) == 0
    assert run(["phases", path, "-o", "phases"]) == 0
    saved = sorted(str(each) for each in (tmp_path / "phases").iterdir())
    assert [run(["plan", each]) for each in saved] == [0, 0, 0]
    capsys.readouterr()
    assert run(["compare", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["refused"] == []
    assert run(["search", path, "--json"]) == 0
    assert "bad-management-address" not in capsys.readouterr().out


def test_a_users_pack_is_used_by_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--templates`, or its variable, names packs for every reader of the inventory.

    Programs have `templates`.
    """
    monkeypatch.chdir(tmp_path)
    pack = tmp_path / "mine" / "hedgehog-fabric"
    pack.mkdir(parents=True)
    output = "{path: 'configs/{switch}/ports', template: ports.j2, each: switch, reader: us}"
    text = (
        "name: hedgehog-fabric\ndescription: ours\nnos: hedgehog\ngroup: "
        f"configs\nverified: never\noutputs: [{output}]\n"
    )
    (pack / "pack.yaml").write_text(text, encoding="utf-8")
    (pack / "ports.j2").write_text("{{ switch.name }}\n", encoding="utf-8")
    path = str(written(WRONG["no-pack"], tmp_path))
    assert {run([command, path, *rest, "--templates", "mine"]) for command, *rest in COMMANDS} == {
        0
    }
    monkeypatch.setenv("FABRICGEN_TEMPLATES", "mine")
    assert run(["plan", path]) == 0
    assert (
        plan_inventory(SN5600 | WRONG["no-pack"], templates=[tmp_path / "mine"]).spec.nos.leaf
        == "hedgehog"
    )


def test_every_name_that_may_collide_with_a_document_is_listed() -> None:
    """Files of switches and racks that are beside a document are listed here.

    Only their names could be those of documents.
    """
    paths = [listed.path for listed in every_output(Packs())]
    found = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        for kind in ("switch", "rack"):
            before, field, after = name.partition(f"{{{kind}}}")
            beside = [
                other
                for other in paths
                if field
                and "{" not in other
                and other.rpartition("/")[0] == folder
                and other.endswith(after)
            ]
            found |= {
                (kind, other.rpartition("/")[2].removesuffix(after), other)
                for other in beside
                if not before
            }
    assert found == set(TAKEN)


def drawn() -> Iterator[dict[str, Any]]:
    """Draw inventories with every key that only a build verifies, the same each time."""
    chance = random.Random(11)  # noqa: S311 - a random case, not a secret
    leaves: list[tuple[dict[str, Any], str, tuple[str | None, ...]]] = [
        (
            {"model": "sn5600", "breakout": "2x400G"},
            "400G",
            (None, None, "cumulus", "nvue", "sonic"),
        ),
        ({"model": "qm9700"}, "400G", (None,)),
        ({"generic": {"radix": 16}}, "400G", (None,)),
        ({"model": "7060x6-64pe"}, "400G", (None, "eos")),
        ({"model": "ds5000", "breakout": "4x200G"}, "200G", (None, "sonic", "hedgehog")),
        ({"model": "qfx5240", "breakout": "2x400G"}, "400G", (None, "junos")),
    ]
    bad = [
        [{"name": "first", "rails": 4}],
        [{"name": "first", "spines": 1}],
        [{"name": "first", "planes": 2}],
        [{"name": "a", "rails": 3}] * 2,
    ]
    for _ in range(160):
        leaf, speed, systems = chance.choice(leaves)
        nos = chance.choice(systems)
        yield {
            "design": chance.choice(("rail-only", "rail-optimized", "fat-tree")),
            "gpus": 8 * chance.choice((2, 8, 16)),
            "hb_domain": {"gpus": 8},
            "nic": {"speed": speed},
            "switches": {"leaf": leaf},
            "addressing": {
                "mtu": chance.choice((9000, 9000, 9214, 9216)),
                "host_links": chance.choice(("numbered", "unnumbered")),
                **chance.choice(({}, {}, {}, {}, {"guids": "none.csv"})),
            },
            "phases": chance.choice([[]] * 6 + bad),
            "outputs": chance.choice(
                ([], [], [], [], ["cabling"], ["sonic", "bom"], ["slrum"], ["lab"])
            ),
            "naming": chance.choice(
                ({}, {}, {}, {}, {"leaf": "d0-g{n}"}, {"rack": "{rack}-is-the-rack-of-row-{row}"})
            ),
            "site": chance.choice(
                (
                    None,
                    "unknown",
                    {
                        "footprints": {
                            "host": {"units": 4},
                            "leaf": {"units": 2},
                            "spine": {"units": 2},
                        }
                    },
                )
            ),
            **({"nos": nos} if nos else {}),
        }


def assert_portable(paths: Iterable[str]) -> None:
    """Assert that any file system can hold the paths of a build, and keeps them apart."""
    listed = [*paths]
    folders = {
        folder for path in listed for folder in accumulate(path.split("/")[:-1], "{}/{}".format)
    }
    assert len({path.casefold() for path in listed}) == len(listed)
    assert len({folder.casefold() for folder in folders}) == len(folders)
    parts = {part for path in listed for part in path.split("/")}
    reserved = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*[. ]", re.IGNORECASE)
    assert not [part for part in parts if reserved.fullmatch(part)]


@pytest.mark.parametrize(
    "fabric",
    [path for path in sorted(ROOT.glob("inventories/*.yaml")) if "million" not in path.stem],
    ids=lambda path: path.stem,
)
def test_paths_are_portable(fabric: Path) -> None:
    """Those of the shipped inventories, with every group."""
    context = BuildContext(plan_file(fabric), Packs(), GroupSelection(tuple(GROUPS)))
    assert_portable(make_job(context).paths())


def laid_out(plan: Plan) -> BuildContext:
    """Return the context of a whole build with the first view of each kind made."""
    packs = Packs()
    context = BuildContext(plan, packs, choose((), plan.spec.outputs, packs))
    assert_portable(make_job(context).paths())
    _ = context.bom, sheets(context), phased(context), context.views.switches(0, boxes=[0])
    if "lab" in context.selection.groups and not topologies(context).gap():
        _ = topologies(context).view
    return context


def test_what_is_planned_is_built() -> None:
    """A build refuses nothing that `plan` accepts. Both kinds of inventories are drawn."""
    seen: dict[str, int] = {}
    for keys in drawn():
        try:
            plan = plan_inventory({key: value for key, value in keys.items() if value is not None})
        except Refusal as refusal:
            for code in {finding.code for finding in refusal.findings}:
                seen[code] = seen.get(code, 0) + 1
            continue
        assert set(laid_out(plan).selection.groups) <= set(GROUPS)
        seen[""] = seen.get("", 0) + 1
    assert seen[""] >= 8
    assert {
        "bad-phases",
        "no-pack",
        "above-nos-limit",
        "unknown-output",
        "bad-guids",
        "label-too-long",
    } <= set(seen)
