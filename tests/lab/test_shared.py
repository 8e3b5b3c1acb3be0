"""Leaves that rails share, in a lab: each VRF is a namespace, where its part of the FRR runs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from fabricgen.lab.frr_parts import part_of_vrf
from fabricgen.lab.topology import LabLayout
from tests.fabrics import plan_of
from tests.lab.conftest import SMALL
from tests.nos.switch_files import render_switches

if TYPE_CHECKING:
    from tests.lab.conftest import Machine

SHARED = {
    "rails": {"count": 2, "tiers": 2, "per_switch": 2},
    "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}},
}
BOTH = {**SHARED, "addressing": {"host_links": "unnumbered"}}


def test_every_line_of_a_leaf_runs_in_the_namespace_of_a_vrf() -> None:
    """The parts differ from the file in the name of the VRF alone."""
    plan = plan_of(**SMALL | BOTH)
    one = render_switches(plan)[0]
    text = one.files["frr.conf"]
    ran = set()
    for instance in one.switch.vrfs:
        part = part_of_vrf(text, instance.vrf)
        assert len(re.findall("^router bgp ", part, re.MULTILINE)) == 1
        named = re.sub(r"^(router bgp \d+)$", rf"\1 vrf {instance.vrf}", part, flags=re.MULTILINE)
        ran |= set(named.splitlines())
    assert ran == set(text.splitlines())


def test_a_shared_leaf_has_a_node_for_each_rail() -> None:
    """The spines of a rail meet the nodes of the rail; with one rail, those of the other go."""
    plan = plan_of(**SMALL | SHARED)
    layout = LabLayout(plan, frozenset({0, 1}), (0, 1))
    leaves = [each.name for each in layout.switches if each.vrf]
    assert leaves[:2] == ["leaf-1:rail0", "leaf-1:rail1"]
    assert {wire.b.partition(":")[2] or wire.b[:2] for wire in layout.wires if wire.label} == {
        *("rail0", "rail1", "r0", "r1")
    }
    alone = LabLayout(plan, frozenset({0}), (0, 1))
    assert [each.name for each in alone.switches if each.vrf] == leaves[::2]
    assert len(alone.wires) * 2 == len(layout.wires)
    assert alone.size.sessions * 2 == layout.size.sessions


def test_every_trial_holds(machine: Machine) -> None:
    """Rails stay apart on shared leaves, with unnumbered hosts below them."""
    done = machine.run("lab", "run", machine.write(**BOTH), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["ok"]
    assert machine.left() == []
