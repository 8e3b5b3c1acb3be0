"""The tables of circuits, and the commands of boxes, read back."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.bom.loads import loads_of
from fabricgen.bom.patch_counts import CORDS
from fabricgen.bom.priced_bill import make_bom
from fabricgen.build import group_dcim
from fabricgen.build.context import BuildContext
from fabricgen.build.group_circuits import CircuitTask, circuit_files, tasks
from fabricgen.build.pack_outputs import unconfigured
from fabricgen.outputs.dcim.devices import Assets
from fabricgen.outputs.dcim.interfaces import InterfaceRows
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.schedulers.build import devices_view
from fabricgen.views.factory import Views
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from fabricgen.outputs.circuits.view import BoxCircuitsView
    from fabricgen.planning.plan import Plan


def light(
    model: str,
    gpus: int = 40,
    medium: str = "ocs",
    **keys: Any,  # noqa: ANN401 - keys of an inventory
) -> Plan:
    """Plan a small fabric of circuits."""
    return plan_of(
        gpus=gpus,
        hb_domain={"gpus": 8},
        rails={"medium": medium},
        switches={"leaf": {"model": model}},
        **keys,
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
    listed = rows(context, "sets")
    circuits = {int(row["configuration"]): int(row["circuits"]) for row in listed}
    assert circuits == {number: len(found) for number, found in sets.items()}
    assert {row["lost_with_box"] for row in listed} == {"1", "2"}
    changed = {int(row["after"]) for row in rows(context, "changes")}
    assert {row["change_ms"] for row in listed if int(row["configuration"]) in changed} == {"200"}


def test_the_commands_of_a_polatis_set_each_configuration() -> None:
    """Played back, the lines of a box join what the table lists, both ways."""
    context = BuildContext(light("polatis-384"), Packs())
    box = circuit_files(context).boxes["r0-leaf-1"]
    text = context.packs.render("polatis", "box.scpi.j2", box=box)
    joined: set[tuple[int, int]] = set()
    blocks = re.split(r"# configuration (\d+), data\n", text)[1:]
    for number, block in zip(map(int, blocks[::2]), blocks[1::2], strict=True):
        for action, inputs, outputs in re.findall(r"CONN:(SUB|ADD) \(@(.*)\),\(@(.*)\)", block):
            both = zip(inputs.split(","), outputs.split(","), strict=True)
            pairs = {(int(one), int(other) - 384) for one, other in both}
            assert action == "ADD" or pairs <= joined
            joined = joined | pairs if action == "ADD" else joined - pairs
            assert len({one for one, _ in joined}) == len(joined)
        assert joined == directed(box, number)


def test_the_commands_of_a_calient_set_each_configuration() -> None:
    """Played back by the rules of TL1, only connections that exist are deleted."""
    context = BuildContext(light("s320"), Packs())
    box = circuit_files(context).boxes["r0-leaf-1"]
    text = context.packs.render("calient", "box.tl1.j2", box=box)
    form = r"(ENT|ACT|CANC|DLT)-CRS::(\d+),(\d+):(\d+)::(?:,2WAY|(?:,SYSTEM,)?\2-\3);"
    entered, active = set[tuple[int, int]](), set[tuple[int, int]]()
    number = 1
    for line in map(re.compile(form).fullmatch, text.splitlines()):
        assert line
        pair = (int(line[2]), int(line[3]))
        if int(line[4]) != number:
            assert active == entered == undirected(box, number)
            number = int(line[4])
        {"ENT": entered, "ACT": active}.get(line[1], set()).add(pair)
        {"CANC": active, "DLT": entered}.get(line[1], {pair}).remove(pair)
        assert active <= entered
        ports = [port for each in entered for port in each]
        assert len(ports) == len(set(ports))
    assert active == undirected(box, 1)


def undirected(box: BoxCircuitsView, number: int) -> set[tuple[int, int]]:
    """Return the pairs of ports that a configuration joins."""
    return {(int(pair.a), int(pair.b)) for pair in box.configurations[number - 1].circuits}


def directed(box: BoxCircuitsView, number: int) -> set[tuple[int, int]]:
    """Return the inputs and outputs that a configuration joins, both counted from 1."""
    pairs = undirected(box, number)
    return {*pairs, *((high, low) for low, high in pairs)}


def test_documents_hold_each_configuration() -> None:
    """The XML of a Polatis and the patch of SONiC-OCS have each input with one output."""
    context = BuildContext(light("polatis-384"), Packs())
    box = circuit_files(context).boxes["r0-leaf-1"]
    spaces = {"o": "http://www.polatis.com/yang/optical-switch"}
    operation = "{urn:ietf:params:xml:ns:netconf:base:1.0}operation"
    for each in box.configurations:
        text = context.packs.render("polatis", "netconf.xml.j2", configuration=each)
        root = ET.fromstring(text)  # noqa: S314 - the pack wrote it
        (joined,) = root.findall("o:cross-connects", spaces)
        assert joined.attrib == {operation: "replace"}
        ends = [[int(end.text or 0) for end in pair] for pair in joined.findall("o:pair", spaces)]
        assert {(one, other - 384) for one, other in ends} == directed(box, each.number)
        assert len(ends) == len({one for one, _ in ends}) == len({other for _, other in ends})
        text = context.packs.render("sonic-ocs", "configuration.json.j2", configuration=each)
        (change,) = json.loads(text)
        assert (change["op"], change["path"]) == ("add", "/OCS_CROSS_CONNECT")
        sides = {
            (int(value["a_side"][:-1]), int(value["b_side"][:-1]))
            for name, value in change["value"].items()
            if name == f"{value['a_side']}-{value['b_side']}"
        }
        assert sides == directed(box, each.number)


@pytest.mark.parametrize(
    ("model", "nos", "kinds"),
    [
        ("palomar", None, set()),
        ("s320", None, {".tl1"}),
        ("s320", "circuits", set()),
        ("polatis-576", None, {".scpi", ".xml"}),
        ("r300", None, set()),
        ("r300", "sonic-ocs", {".json"}),
    ],
)
def test_only_boxes_with_public_commands_get_some(
    model: str, nos: str | None, kinds: set[str]
) -> None:
    """Four tables, and the commands of its NOS: one file, or one for each set."""
    own: dict[str, Any] = {"nos": {"leaf": nos}} if nos else {}
    context = BuildContext(light(model, **own), Packs())
    paths = [path for task in tasks(context) for path in task.paths(context)]  # type: ignore[union-attr]  # no limit is reached
    assert sum(path.endswith(".csv") for path in paths) == 4
    found = Counter("." + path.rpartition(".")[2] for path in paths)
    assert {*found} - {".csv"} == kinds
    sets = len(circuit_files(context).schedule.configurations)
    assert all(found[kind] == (8 if kind in (".tl1", ".scpi") else 8 * sets) for kind in kinds)
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize(
    ("model", "nos", "reason"),
    [
        ("patch-144", None, "is a patch panel, in which a person moves cords"),
        ("s320", "calient", "is an optical circuit switch, which takes circuits alone"),
        ("r300", "sonic-ocs", "is an optical circuit switch, which takes circuits alone"),
    ],
)
def test_boxes_of_light_take_circuits_in_place_of_configurations(
    model: str, nos: str | None, reason: str
) -> None:
    """A whole build names the reason, and the NOS of a box is not refused for want of a pack."""
    own: dict[str, Any] = {"nos": {"leaf": nos}} if nos else {}
    medium = "patch-panel" if model == "patch-144" else "ocs"
    context = BuildContext(light(model, medium=medium, **own), Packs())
    [skipped] = unconfigured(context)
    assert f"the {model} {reason}: the group `circuits` has them" in skipped.reason


def test_validators_of_neighbours_and_a_planner_of_packets_get_no_boxes_of_light() -> None:
    """Boxes of light have no neighbours to report, and no addresses; databases list them."""
    context = BuildContext(light("s320", host={"model": "dgx-h100"}), Packs())
    paths = [path for task in group_dcim.tasks(context) for path in task.paths(context)]  # type: ignore[union-attr]  # no limit is reached
    assert {path.split("/")[1] for path in paths} == {"netbox"}


@pytest.mark.parametrize(
    ("model", "medium", "platforms"),
    [("s320", "ocs", {"calient"}), ("patch-144", "patch-panel", set[str]())],
)
def test_databases_hold_no_mtu_of_light(model: str, medium: str, platforms: set[str]) -> None:
    """Hosts have an MTU; the ports of a box of light have none, and a panel has no platform."""
    plan = light(model, medium=medium)
    switches = {*plan.switches()}
    rows = [*InterfaceRows(plan, Views(plan)).rows()]
    assert {(bool(row.mtu), row.device in switches) for row in rows} == {
        (True, False),
        (False, True),
    }
    assert {device.platform for device in Assets(plan).devices()} == {"", *platforms}
    assert {each.name for each in Assets(plan).assets().platforms} == platforms


def test_the_inventory_of_ansible_has_no_addresses_of_boxes_of_light() -> None:
    """They route no packets, so AS numbers and loopbacks are not theirs."""
    (group,) = devices_view(light("s320")).roles
    assert len(group.devices) == 8
    assert all({*switch.facts} == {"role", "nos", "plane", "rails"} for switch in group.devices)


def test_a_panel_draws_no_power() -> None:
    """Neither typical nor maximum power of a passive panel is unknown."""
    plan = light("patch-144", medium="patch-panel")
    panel = loads_of(plan, make_bom(plan)).boxes["leaf"]
    assert [panel.power_w, panel.power_max_w] == [Fraction(0)] * 2


def test_packet_switches_have_no_circuits() -> None:
    """No file is written for leaves that forward packets."""
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64)
    assert list(tasks(BuildContext(plan, Packs()))) == []


def test_each_circuit_of_a_panel_has_a_cord_and_keeps_it() -> None:
    """As many as the bill has, at the ports of each configuration; spare ones have none."""
    plan = plan_of(
        gpus=40,
        hb_domain={"gpus": 8},
        rails={"medium": "patch-panel"},
        switches={"leaf": {"model": "patch-144"}},
    )
    context = BuildContext(plan, Packs())
    cords, circuits = rows(context, "cords"), rows(context, "configurations")
    joined = Counter(
        (row["configuration"], row["box"], row["a_port"], row["b_port"]) for row in circuits
    )
    plugged = [row for row in cords if row["a_port"]]
    assert joined == Counter(
        (row["configuration"], row["box"], row["a_port"], row["b_port"]) for row in plugged
    )
    billed = sum(dict(line.purposes).get(CORDS, 0) for line in make_bom(plan).lines)
    assert len({row["cord"] for row in cords}) == billed == 16
    places: dict[str, list[tuple[str, ...]]] = {}
    for row in plugged:
        pair = (row["box"], row["a_port"], row["b_port"])
        places.setdefault(row["configuration"], []).append((row["cord"], *pair))
    for now, later in pairwise(places.values()):
        kept = {place[1:] for place in now} & {place[1:] for place in later}
        assert {place for place in now if place[1:] in kept} == {
            place for place in later if place[1:] in kept
        }
    assert check(plan).ok


def test_boxes_that_move_their_circuits_have_no_cords() -> None:
    """Neither on the bill nor as a file."""
    context = BuildContext(light("s320"), Packs())
    assert rows(context, "cords") == []
    written = [each for each in tasks(context) if isinstance(each, CircuitTask)]
    assert all("cords" not in path for task in written for path in task.paths(context))
    assert all(CORDS not in dict(line.purposes) for line in make_bom(context.plan).lines)
