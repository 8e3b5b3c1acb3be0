"""The files of a build whose inventory names its outputs, and the table of all outputs."""

from __future__ import annotations

import json
import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.context import BuildContext
from fabricgen.build.job import BuildJob, make_job
from fabricgen.build.listing import OWN, OutputRow, every_output, outputs_of
from fabricgen.build.selection import GroupSelection, choose
from fabricgen.outputs.groups import GROUPS, PARTS
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

PACKS = Packs()
SMALL: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 8}
SONIC: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    "nos": "sonic",
}
FABRICS: dict[str, dict[str, Any]] = {
    "frr": SMALL,
    "sonic": SONIC,
    "unnumbered": SMALL | {"addressing": {"host_links": "unnumbered"}},
    "infiniband": {"gpus": 64, "hb_domain": {"gpus": 8}, "switches": {"leaf": {"model": "qm9700"}}},
}
PANELS = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "rails": {"medium": "patch-panel"},
    "switches": {"leaf": {"model": "patch-144"}},
}


def job_of(*outputs: str, only: tuple[str, ...] = (), **keys: Any) -> BuildJob:  # noqa: ANN401 - keys of an inventory
    """Return the build job of an inventory that names its outputs."""
    plan = plan_of(**keys or SMALL, outputs=outputs)
    return make_job(BuildContext(plan, PACKS, choose(only, plan.spec.outputs, PACKS)))


def places(job: BuildJob) -> set[str]:
    """Return the paths of a build, without the names of devices."""
    return {re.sub(r"(hosts|configs|gpus)/[^/]+", r"\1/*", path) for path in job.paths()} - {
        "manifest.json",
        "plan.json",
    }


def fits(row: OutputRow, path: str) -> bool:
    """Return whether a path belongs to an output; a long table is cut into numbered files."""
    whole = "[^/]+".join(re.escape(part) for part in re.split(r"[{][a-z_]+[}]", row.path))
    return (
        re.fullmatch(whole, re.sub(r"-\d+(\.csv)$", r"\1", path)) is not None
        or re.fullmatch(whole, path) is not None
    )


def test_without_the_key_the_defaults_are_written() -> None:
    """They are all outputs that need no request."""
    default = tuple(name for name, spec in GROUPS.items() if not spec.on_request)
    assert choose((), (), PACKS) == GroupSelection(default)


def test_a_group_includes_all_of_it() -> None:
    """A group in the inventory writes the files of the same group on the command line."""
    for group in GROUPS:
        assert places(job_of(group)) == places(job_of(only=(group,)))


@pytest.mark.parametrize(
    ("outputs", "written"),
    [
        (("ptm",), {"graph/topology.dot"}),
        (("netplan",), {"hosts/*/netplan/60-rails.yaml"}),
        (
            ("kueue", "topograph"),
            {
                "cluster/kueue/label-nodes.sh",
                "cluster/kueue/topology.yaml",
                "cluster/topograph/model.yaml",
            },
        ),
        (("nccl", "hosts"), places(job_of("hosts"))),
    ],
)
def test_a_pack_is_written_alone(outputs: tuple[str, ...], written: set[str]) -> None:
    """A pack is written without the others of its group, unless the group is named too.

    A name of both is the group.
    """
    assert places(job_of(*outputs)) == written


def test_a_pack_of_another_nos_writes_nothing() -> None:
    """The pack of a NOS writes the files of its switches only."""
    assert {path.split("/")[0] for path in places(job_of("sonic", **SONIC))} == {"configs"}
    assert places(job_of("eos", **SONIC)) == set()
    assert places(job_of("room")) < places(job_of("cabling"))


def test_a_lab_includes_what_it_boots() -> None:
    """A topology mounts the scripts of GPUs and the configurations. They are therefore included."""
    assert places(job_of("containerlab")) == places(job_of("lab")) > places(job_of("configs"))


@pytest.mark.parametrize("word", PARTS)
def test_a_part_is_written_on_request(word: str) -> None:
    """Parts that need a request can be requested in the inventory, as on the command line."""
    selection = choose((), (word,), PACKS)
    assert (selection.groups, word in selection.named) == ((PARTS[word],), True)


def test_only_overrides_the_inventory() -> None:
    """What is typed is written, and nothing that the inventory names."""
    assert places(job_of("bom", "slurm", only=("graph",))) == places(job_of("graph"))


@pytest.mark.parametrize("fabric", FABRICS)
def test_the_table_lists_every_file(fabric: str) -> None:
    """Each file of a build belongs to an output that is listed for it.

    Each listed output is in the table of all.
    """
    job = job_of(*GROUPS, **FABRICS[fabric])
    rows, paths = outputs_of(job.context), set(job.paths())
    assert [path for path in sorted(paths) if not any(fits(row, path) for row in rows)] == []
    assert set(rows) <= set(every_output(PACKS))
    silent = {row.path for row in rows if not any(fits(row, path) for path in paths)}
    assert [row.path for row in OWN if row.path in silent] == []
    assert [
        path
        for path in sorted(silent)
        if path.split("/")[0] in ("cluster", "configs", "hosts", "subnets", "graph", "bom")
    ] == []


@pytest.mark.parametrize("fabric", [*FABRICS, "panels"])
def test_no_task_carries_the_plan(fabric: str) -> None:
    """A task is sent to workers, which inherit the plan: it has names and ranges only."""
    tasks = job_of(*GROUPS, **FABRICS.get(fabric, PANELS)).tasks
    assert max(len(pickle.dumps(task)) for task in tasks) < 2000


def test_every_reader_is_named_before_a_colon() -> None:
    """The text of a reader has one form in every pack: the reader, then what it gets or does."""
    form = re.compile(r"[^:\n]+: [^\n]+")
    assert [row for row in every_output(PACKS) if not form.fullmatch(row.reader)] == []


def test_the_table_is_printed(run_here: Run, tmp_path: Path) -> None:
    """With and without an inventory, as a table and as JSON.

    Nothing is written, and no OUT is needed.
    """
    (tmp_path / "fabric.yaml").write_text(
        "name: s\ngpus: 64\nhb_domain: {gpus: 8}\nswitches: {leaf: {generic: {radix: "
        "16}}}\noutputs: [slurm]\n",
        encoding="utf-8",
    )
    shown = run_here("build", "--list-outputs")
    assert (shown.returncode, shown.stderr) == (0, "")
    head, *lines = shown.stdout.splitlines()
    assert head.split() == ["PACK", "PATH", "READ", "BY"]
    assert len(lines) == len(every_output(PACKS))
    listed = json.loads(run_here("build", "fabric.yaml", "--list-outputs", "--json").stdout)[
        "outputs"
    ]
    assert {row["pack"] for row in listed} == {"", "slurm"}
    assert all(set(row) == {"pack", "group", "path", "reader"} for row in listed)
    assert [path.name for path in tmp_path.iterdir()] == ["fabric.yaml"]
    assert "'-o'" in run_here("build", "fabric.yaml").stderr
