"""Tables around failed parts: every next hop leads to the destination, if any does."""

from __future__ import annotations

import json
import random
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.forwarding.tables import ForwardingTables
from fabricgen.core.diagnostics import Place, Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.lifecycle.audit.degraded_tables import DegradedTables, read_failures
from fabricgen.planning.addressing import address_text
from tests.fabrics import plan_of
from tests.lifecycle.change.test_network_diff import CLUSTER

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.planning.plan import Plan

FABRICS: dict[str, dict[str, Any]] = {
    "two tiers": {"gpus": 32, "hb_domain": {"gpus": 2}, "radix": 8},
    "three tiers": {"gpus": 32, "hb_domain": {"gpus": 2}, "radix": 4},
    "rail-optimized": {
        "gpus": 48,
        "hb_domain": {"gpus": 4},
        "design": "rail-optimized",
        "radix": 8,
    },
    "shared leaves": {
        "gpus": 64,
        "hb_domain": {"gpus": 4},
        "rails": {"per_switch": 2, "tiers": 2},
        "radix": 16,
    },
}
Table = dict[tuple[str, int | None], list[tuple[Any, list[dict[str, str]]]]]
"""The prefixes of a switch and rail with their next hops, the longest first."""


def tables_of(detours: ForwardingTables) -> Table:
    """Return the routes of every switch and rail, the longest prefixes first."""
    found: Table = {}
    for segment in range(detours.plan.mapping.segments):
        for name, table in detours.switches(segment):
            for instance in table["instances"]:
                routes = [
                    (ip_network(prefix), route["next_hops"])
                    for route in instance["routes"]
                    for prefix in route["prefixes"]
                ]
                found[name, instance["rail"]] = sorted(
                    routes, key=lambda route: -route[0].prefixlen
                )
    return found


def ends_of(
    tables: Table, switch: str, rail: int | None, address: str, cables: tuple[str, ...] = ()
) -> set[str]:
    """Follow every next hop to the devices where packets end.

    They may end at a switch without a route; a cable used twice is an error.
    """
    routes = tables.get((switch, rail))
    if routes is None:
        return {switch}
    hops = next((hops for prefix, hops in routes if ip_address(address) in prefix), [])
    assert not {hop["cable"] for hop in hops} & set(cables), "a packet comes back"
    return {
        end
        for hop in hops
        for end in ends_of(tables, hop["peer"], rail, address, (*cables, hop["cable"]))
    } or {switch}


def dead_of(plan: Plan, rng: random.Random) -> list[str]:
    """Return the names of some switches and cables as failures."""
    labels = []
    for segment in range(plan.mapping.segments):
        rows = zip(
            *(
                column.tolist()
                for column in (plan.segment.kind, plan.segment.block, plan.segment.number)
            ),
            strict=True,
        )
        labels += [
            f"link:{plan.label(LinkKind(kind), segment, block)}{number:0{plan.label_width}}"
            for kind, block, number in rows
        ]
    switches = [f"switch:{name}" for name in plan.switches()]
    return [*rng.sample(labels, rng.randint(1, 12)), *rng.sample(switches, rng.randint(0, 2))]


@pytest.mark.parametrize("fabric", FABRICS)
def test_every_next_hop_leads_to_the_destination(fabric: str) -> None:
    """From every leaf to every NIC port.

    Packets end at its host where a living path exists, else at the leaf or at the one whose port
    failed.
    """
    plan, lost = plan_of(**FABRICS[fabric]), 0
    for seed in range(12):
        rng = random.Random(seed)  # noqa: S311 - a random case, not a secret
        failures = find_failures(plan, dead_of(plan, rng))
        detours, reach = DegradedTables(plan, failures), Reach(plan, failures)
        tables = tables_of(detours)
        for source, target in (rng.sample(range(plan.fabric.gpus), 2) for _ in range(60)):
            if reach.home(source, 0) != reach.home(target, 0) or not reach.lives(source, 0):
                continue
            rail = (
                None
                if plan.mapping.spans_rails
                else source % plan.fabric.domain_gpus % plan.fabric.rails
            )
            leaf = detours.ends.nic(source, 0).switch
            found = ends_of(tables, leaf, rail, address_text(detours.ends.address(target, 0)))
            if reach.joined(source, target, 0):
                assert found == {detours.ends.host(target)}, f"case {seed}"
            else:
                last = set() if reach.lives(target, 0) else {detours.ends.nic(target, 0).switch}
                assert found in ({leaf}, last), f"case {seed}"
                lost += 1
    assert lost


@pytest.mark.parametrize("fabric", FABRICS)
def test_without_failures_the_tables_are_those_of_the_plan(fabric: str) -> None:
    """Nothing is added and nothing is omitted."""
    plan = plan_of(**FABRICS[fabric])
    plain, detours = ForwardingTables(plan), DegradedTables(plan, find_failures(plan, []))
    assert tables_of(detours) == tables_of(plain)
    assert [[*detours.host(host)] for host in range(len(plan.hosts))] == [
        [*plain.host(host)] for host in range(len(plan.hosts))
    ]


def test_relays_without_a_path_are_left_out() -> None:
    """A GPU without a NIC is neither an exit nor a landing, and no IP route uses it.

    Its HB domain still reaches it.
    """
    plan = plan_of(gpus=32, hb_domain={"gpus": 4}, radix=64)
    host = json.loads("".join(DegradedTables(plan, find_failures(plan, ["nic:d0-g1"])).host(0)))
    other, own = host["gpus"][0], host["gpus"][1]
    assert own["ports"] == []
    assert not any("d0-g1" in names for names in other["relays"].values())
    via = next(
        route["via"]
        for route in json.loads("".join(ForwardingTables(plan).host(0)))["gpus"][0]["routes"]
        if route["prefix"] == own_address(plan)
    )
    assert [route["prefix"] for route in other["routes"] if route["via"] == via] == [
        own_address(plan)
    ]


def own_address(plan: Plan) -> str:
    """Return the prefix of d0-g1's NIC port."""
    return f"{address_text(ForwardingTables(plan).ends.address(1, 0))}/32"


def test_a_list_of_failures(tmp_path: Path) -> None:
    """One name in a line, as text or as a YAML list.

    A port names its cable, and a port without one names nothing.
    """
    plan = plan_of(gpus=32, hb_domain={"gpus": 4}, radix=64)
    path = tmp_path / "dead.yaml"
    path.write_text(
        "# seen on Monday\n- nic:d0-g1\n\n- 'port:r0-leaf-1 swp2'  # no "
        "light\nswitch:r3-leaf-1\nport:r0-leaf-1 swp60\n",
        encoding="utf-8",
    )
    assert read_failures(plan, path) == ["nic:d0-g1", "link:r0-h00002", "switch:r3-leaf-1"]
    path.write_text("port:r0-leaf-9 swp2\n", encoding="utf-8")
    with pytest.raises(Refusal) as refused:
        read_failures(plan, path)
    assert str(refused.value.findings[0].place) == f"{path}:1:1"


def test_unknown_parts_of_networks_are_refused_by_line(tmp_path: Path) -> None:
    """A switch, a device, a cable and a port of a network are known, misspelt ones are not."""
    path = tmp_path / "dead.txt"
    known = ["switch:storage-leaf-1", "device:pdu-1", "link:oob-h00001", "port:oob-1 swp2"]
    wrong = ["switch:storage-leaf-99", "device:pdu-99", "link:oob-h99999", "port:oob-99 swp2"]
    path.write_text("\n".join([*known, *wrong]), encoding="utf-8")
    plan = plan_of(**CLUSTER)
    with pytest.raises(Refusal) as refused:
        read_failures(plan, path)
    found = [(each.code, each.place) for each in refused.value.findings]
    assert found == [("unknown-failure", Place(str(path), line, 1)) for line in (5, 6, 7, 8)]
    path.write_text("\n".join(known), encoding="utf-8")
    names = read_failures(plan, path)
    assert names[:3] == known[:3]
    assert names[3].startswith("link:oob-h")
