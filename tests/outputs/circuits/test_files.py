"""The tables of circuits, and the commands of a Polatis, read back."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest

from fabricgen.build.context import BuildContext
from fabricgen.build.group_circuits import circuit_files, tasks
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.planning.plan import Plan


def light(model: str, gpus: int = 40) -> Plan:
    """Plan a small fabric of circuits."""
    return plan_of(
        gpus=gpus,
        hb_domain={"gpus": 8},
        rails={"medium": "ocs"},
        switches={"leaf": {"model": model}},
    )


def rows(context: BuildContext, name: str) -> list[dict[str, str]]:
    """Render a table and read it."""
    view = circuit_files(context).view
    text = context.packs.render("circuits", f"{name}.csv.j2", circuits=view)
    return list(csv.DictReader(text.splitlines()))


def test_the_changes_lead_from_one_configuration_to_the_next() -> None:
    """Removed and added circuits turn each configuration into the next; ports are in one."""
    context = BuildContext(light("s320"), Packs())
    found = rows(context, "configurations")
    numbers = sorted({int(row["configuration"]) for row in found})
    sets = {
        number: {
            (row["box"], row["a_port"], row["b_port"])
            for row in found
            if int(row["configuration"]) == number
        }
        for number in numbers
    }
    for row in rows(context, "changes"):
        before, after = int(row["before"]), int(row["after"])
        pair = (row["box"], row["a_port"], row["b_port"])
        assert (pair in sets[before], pair in sets[after]) == (
            (True, False) if row["action"] == "remove" else (False, True)
        )
    for number in numbers:
        ends = [(box, port) for box, *ports in sets[number] for port in ports]
        assert len(ends) == len(set(ends))
    assert len(rows(context, "ports")) == 40


def test_the_commands_of_a_polatis_set_each_configuration() -> None:
    """Played back, the lines of a box join what the table lists, both ways."""
    context = BuildContext(light("polatis-384"), Packs())
    box = circuit_files(context).boxes["r0-leaf-1"]
    text = context.packs.render("polatis", "box.scpi.j2", box=box)
    joined: set[tuple[int, int]] = set()
    blocks = re.split(r"# configuration \d+, data\n", text)[1:]
    for block in [*blocks, *blocks]:  # the first round begins without circuits
        for action, inputs, outputs in re.findall(r"CONN:(SUB|ADD) \(@(.*)\),\(@(.*)\)", block):
            both = zip(inputs.split(","), outputs.split(","), strict=True)
            pairs = {(int(one), int(other) - 384) for one, other in both}
            joined = joined | pairs if action == "ADD" else joined - pairs
        assert len({one for one, _ in joined}) == len(joined)
    last = {(int(pair.a), int(pair.b)) for pair in box.configurations[-1].circuits}
    assert joined == last | {(other, one) for one, other in last}


@pytest.mark.parametrize(("model", "commands"), [("s320", 0), ("polatis-576", 1)])
def test_only_boxes_with_public_commands_get_some(model: str, commands: int) -> None:
    """Three tables for each box, and a file of commands for a Polatis."""
    context = BuildContext(light(model), Packs())
    paths = [path for task in tasks(context) for path in task.paths(context)]  # type: ignore[union-attr]  # no limit is reached
    assert [path.endswith(".scpi") for path in paths].count(True) == 8 * commands
    assert sum(path.endswith(".csv") for path in paths) == 3


def test_packet_switches_have_no_circuits() -> None:
    """No file is written for leaves that forward packets."""
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64)
    assert list(tasks(BuildContext(plan, Packs()))) == []
