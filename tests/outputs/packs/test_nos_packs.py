"""Another NOS on the switches of single rails.

Ports have the names of their own NOS in every output, and nothing else differs.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from typing import TYPE_CHECKING

import pytest

from fabricgen.analysis.checks.laws import check
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.build.run import build
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.inventory.load import read_inventory
from fabricgen.lifecycle.audit.port_index import PortIndex
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.port_names import PlanNames
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import make_plan
from fabricgen.planning.plan_document import plan_document
from fabricgen.views.factory import Views
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import CATALOG, Inventory, build_job, plan_of
from tests.nos import eos, frr, sonic
from tests.nos.fabric import assert_is_plan, fabric
from tests.nos.switch_files import SwitchFiles, render_switches

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan
    from tests.nos.frr import Box

SYSTEMS = {0: "eos", 1: "sonic", 2: "frr", 3: "eos"}
STARTS = {"eos": "Ethernet", "sonic": "Ethernet", "frr": "swp"}
INVENTORY: Inventory = {
    "gpus": 80,
    "hb_domain": {"gpus": 4},
    "rails": {"tiers": 2, "planes": 2},
    "nic": {"speed": "200G"},
    "switches": {"leaf": {"model": "7060dx5-64s", "breakout": "2x200G"}},
    "addressing": {"mtu": 9214},
}


@cache
def mixed() -> Plan:
    """Plan four rails on two planes with three NOSes."""
    return plan_of(nos={"leaf": "eos", "rails": {"1": "sonic", "2": "frr"}}, **INVENTORY)


@cache
def plain() -> Plan:
    """Plan the same with one NOS."""
    return plan_of(nos="eos", **INVENTORY)


def rail_of(name: str) -> int:
    """Return the rail of a switch."""
    (rail,) = {
        mixed().mapping.rail(segment)
        for segment in range(mixed().mapping.segments)
        if name in mixed().naming.switches(segment)
    }
    assert rail is not None
    return rail


def _box(one: SwitchFiles) -> Box:
    if one.switch.nos == "sonic":
        return sonic.read(one.files["config_db.json"], one.files["frr.conf"])
    return (
        eos.read(one.files["startup-config.cfg"])
        if one.switch.nos == "eos"
        else frr.read(one.files["frr.conf"], one.files["interfaces"])
    )


def test_the_files_alone_rebuild_the_plan() -> None:
    """Each switch has the files of its own rail's NOS, and read back they are the plan."""
    found = render_switches(mixed())
    assert {one.switch.name: one.switch.nos for one in found} == {
        one.switch.name: SYSTEMS[int(one.switch.rail)] for one in found
    }
    assert_is_plan(fabric([_box(one) for one in found]), mixed())


def test_every_law_holds() -> None:
    """Also those that compare outputs with the wiring."""
    assert check(mixed()).ok


def test_a_port_has_one_name_everywhere(tmp_path: Path) -> None:
    """The cable sheet, configurations, host, routes, audit and a cut sheet have the same name."""
    plan, out = mixed(), tmp_path / "out"
    job = build_job(plan, Packs(), ("cabling", "configs", "hosts", "forwarding", "graph", "lab"))
    assert {file.path for file in build(job, out)} == set(job.paths()) - {"manifest.json"}
    lacks = ("PFC and its buffers", "adaptive routing", "auto-negotiation", "roce.sh")
    assert all(any(lack in reason for lack in lacks) for reason in job.skipped)
    with (out / "cabling/cables.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    ends = {
        (row[f"{side}_device"], row[f"{side}_interface"]): row["cable"]
        for row in rows
        for side in "ab"
    }
    switches = {(device, interface) for device, interface in ends if device not in plan.hosts}
    assert all(
        interface.startswith(STARTS[SYSTEMS[rail_of(device)]]) for device, interface in switches
    )
    assert {
        (one.switch.name, port.interface): port.cable
        for one in render_switches(plan)
        for port in one.switch.ports
    } == {end: ends[end] for end in switches}

    nics = [
        (nic.leaf, nic.leaf_interface)
        for host in Hosts(plan).views(range(len(plan.hosts)))
        for nic in host.nics
    ]
    assert len(set(nics)) == plan.link_count(LinkKind.HOST)
    assert set(nics) < switches
    routed = PathNames(Reach(plan)).nic(6, 1)  # the second domain's GPU of rail 2
    assert (routed.switch, routed.switch_interface) in switches
    assert routed.switch_interface.startswith("swp")
    neighbors = PortIndex(plan)
    assert all(neighbors.find(device, [interface]) >= 0 for device, interface in switches)
    sheet = PlanNames(plan)
    assert not [end for end in switches if isinstance(sheet.end(*end), str)]
    called = {
        (row["node"], row["interface"])
        for row in csv.DictReader(
            (out / "lab/containerlab/interfaces.csv").read_text().splitlines()
        )
    }
    assert called == {
        (device, interface) for device, interface in switches if SYSTEMS[rail_of(device)] != "frr"
    }


def test_only_names_differ_from_a_fabric_of_one_nos() -> None:
    """Wiring, addresses and labels are those of one NOS.

    Only the port names of the other rails differ.
    """
    one, other = plain(), mixed()
    assert one.digest() == other.digest()
    for segment in range(one.mapping.segments):
        same = SYSTEMS[other.mapping.rail(segment) or 0] == "eos"
        assert ([*Views(one).cables(segment)] == [*Views(other).cables(segment)]) is same
        assert [cable.cable for cable in Views(one).cables(segment)] == [
            cable.cable for cable in Views(other).cables(segment)
        ]


def test_two_plans_of_it_are_equal() -> None:
    """The diff of a plan with itself has no steps."""
    found = diff(mixed(), mixed())
    assert (found.moved, found.added, found.removed) == (0, 0, 0)


def test_a_plan_file_keeps_it(tmp_path: Path) -> None:
    """JSON writes a rail's number as text, and it is read back as the number."""
    path = tmp_path / "inventory.yaml"
    path.write_text(json.dumps(plan_document(mixed(), {})["inventory"]), encoding="utf-8")
    again = make_plan(read_inventory(str(path)).spec, CATALOG)
    assert again.spec.nos.rails == {1: "sonic", 2: "frr"}
    assert [
        port_layout.nos
        for segment in range(again.mapping.segments)
        for port_layout in again.port_layouts(segment).values()
    ] == [
        port_layout.nos
        for segment in range(mixed().mapping.segments)
        for port_layout in mixed().port_layouts(segment).values()
    ]


def test_a_rails_own_system_needs_a_pack() -> None:
    """The finding of a NOS that no pack configures names the rail's key."""
    switches = {"leaf": {"model": "ds5000", "breakout": "4x200G"}}
    plan = plan_of(
        **INVENTORY | {"switches": switches}, nos={"leaf": "frr", "rails": {"2": "hedgehog"}}
    )
    with pytest.raises(Refusal) as refused:
        list(build_job(plan, Packs(), ("configs",)).paths())
    (finding,) = refused.value.findings
    assert (finding.code, finding.path) == ("no-pack", ("nos", "rails", 2))
