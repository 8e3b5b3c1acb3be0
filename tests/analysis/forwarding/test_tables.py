"""The emitted tables alone deliver every packet.

Ready and random inventories are walked with and without failures, and networkx is the oracle.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import groupby, islice, permutations, product
from math import gcd
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest

from fabricgen.analysis.forwarding.failures import find_failures, find_gpu
from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.forwarding.tables import ForwardingTables as Writer
from fabricgen.analysis.graph import graph
from fabricgen.api import plan_file
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.load import read_inventory
from fabricgen.lab.emitted_tables import EmittedTables, number_of
from fabricgen.lab.table_walk import Walker
from tests import ROOT
from tests.fabrics import plan_of
from tests.laws.drawn import drawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.planning.plan import Plan
    from tests.laws.drawing import Inventory

LARGEST = 1024
"""GPUs of a ready inventory that is walked to every target."""

FEW_SOURCES, SOURCES = (128, 7), (512, 5)
"""Up to how many GPUs an inventory is walked from every one, and the step in a larger one.

The step has no divisor in common with a domain or a leaf, so every rank, domain and leaf has a
source.
"""

ENTRIES, ALL_PAIRS, SAMPLE, PACKETS = 30_000, 48, 24, 50
"""Limits of a random fabric.

They are entries of its tables, GPUs whose pairs are all walked, pairs of a larger one, and pairs of
IP packets.
"""

WALKED = (
    "dgx-h100-superpod-1su",
    "dgx-h100-superpod-2su",
    "dgx-h100-superpod-3su",
    "dgx-h100-superpod-4su",
    "lab-64",
    "first-fabric",
    "growing",
    "nvl72-four-rails",
    "nvl72",
    "ocdai-256",
    "twin-plane",
    "two-rails-one-leaf",
)
"""The ready inventories of at most `LARGEST` GPUs."""
ALIKE = {"dgx-h100-superpod-2su", "dgx-h100-superpod-3su", "dgx-h100-superpod-4su", "growing"}
"""Those that differ from another in size alone."""
PLANS = {
    path.stem: path
    for folder in ("inventories", "examples")
    for path in sorted((ROOT / folder).glob("*.yaml"))
}


def tables_of(plan: Plan) -> EmittedTables:
    """Return the tables of a plan as parsed from its files."""
    writer = Writer(plan)
    switches = [
        document
        for segment in range(plan.mapping.segments)
        for _, document in writer.switches(segment)
    ]
    written = (
        [json.loads("".join(writer.host(host))) for host in range(len(plan.hosts))],
        switches,
        writer.domains(),
    )
    return EmittedTables(*json.loads(json.dumps(written)))


def dead_things(made: nx.MultiGraph[str], names: Iterable[str]) -> set[str]:
    """List everything that fails with these failures."""
    dead = set[str]()
    for name in names:
        kind, _, rest = name.partition(":")
        if kind in ("switch", "gpu"):
            dead.add(rest)
        elif kind == "link":
            dead.add(rest.rstrip("abcdefgh"))
        elif kind == "hb":
            dead.add(name)
        else:
            dead |= {
                node
                for node, shown in made.nodes.items()
                if shown["kind"] == "nic" and fails(kind, rest, node, shown)
            }
    return dead


def fails(kind: str, which: str, node: str, shown: dict[str, Any]) -> bool:
    """Return whether a NIC port fails with a rail, a plane or its NIC."""
    return (
        str(shown[kind]) == which
        if kind in ("rail", "plane")
        else which in (node, node.partition("/")[0])
    )


def islands(made: nx.MultiGraph[str], dead: set[str]) -> dict[str, int]:
    """Divide the living GPUs into parts that reach each other, and number them.

    Switches forward up and then down, and only GPUs turn traffic up again.

    A switch is two vertices, one on the way up and one on the way down. This is what any tables
    could reach.
    """
    ranks = {"nic": 0, "leaf": 1, "spine": 2, "core": 3}
    oracle: nx.DiGraph[tuple[str, str]] = nx.DiGraph()
    kind = {node: shown["kind"] for node, shown in made.nodes.items()}
    gone = {
        node
        for node, shown in made.nodes.items()
        if {node, node.split("/")[0] if kind[node] == "nic" else node, shown.get("switch")} & dead
    }
    oracle.add_nodes_from((node, "") for node in made if kind[node] == "gpu" and node not in gone)
    for one, other, shown in made.edges(data=True):
        if one in gone or other in gone or shown.get("cable") in dead:
            continue
        if shown["kind"] in ("hb", "nic"):
            oracle.add_edges_from([((one, ""), (other, "")), ((other, ""), (one, ""))])
            continue
        low, high = sorted((one, other), key=lambda node: ranks[kind[node]])
        oracle.add_edge((low, "up" if kind[low] != "nic" else ""), (high, "up"))
        oracle.add_edge((high, "down"), (low, "down" if kind[low] != "nic" else ""))
    oracle.add_edges_from(
        ((node, "up"), (node, "down")) for node in made if kind[node] in ("leaf", "spine", "core")
    )
    parts = enumerate(nx.strongly_connected_components(oracle))
    return {node: number for number, part in parts for node, _ in part if kind[node] == "gpu"}


def test_every_small_inventory_is_walked() -> None:
    """Every ready inventory of packet switches that is small enough is walked."""
    specs = {name: read_inventory(str(path)).spec for name, path in PLANS.items()}
    assert [
        name
        for name, spec in specs.items()
        if spec.gpus <= LARGEST and spec.rails.medium == "packet"
    ] == list(WALKED)


@pytest.mark.parametrize(
    ("name", "everywhere", "step"),
    [
        *((name, *FEW_SOURCES) for name in WALKED if name not in ALIKE),
        *(pytest.param(name, *SOURCES, marks=pytest.mark.slow) for name in WALKED),
    ],
)
def test_every_pair_is_connected(name: str, everywhere: int, step: int) -> None:
    """Without failures no pair takes more than one crossing, and none of a domain takes any.

    IP routes alone deliver packets too.
    """
    plan = plan_file(PLANS[name])
    tables = tables_of(plan)
    walker, routed, domain = Walker(tables), 0, plan.fabric.domain_gpus
    gpus = list(tables.gpus)
    step = 1 if len(gpus) <= everywhere else step
    assert len(gpus) == plan.fabric.gpus
    assert domain > step
    assert gcd(domain, step) == 1
    for (i, source), (j, target) in product(
        islice(enumerate(gpus), None, None, step), enumerate(gpus)
    ):
        crossings = walker.walk(source, target)
        assert crossings is not None
        assert len(crossings) == (i // domain != j // domain)
    addresses = {
        gpu: [number_of(port["address"]) for port in tables.gpus[gpu]["ports"]] for gpu in gpus
    }
    for source, target in product(gpus[:: max(len(gpus) // 64, 1)], gpus):
        for address in addresses[target] if tables.routes and source != target else []:
            way = walker.forwarded(source, address)
            assert way[-1] == target
            assert len(way) <= 3
            routed += 1
    assert bool(routed) == bool(tables.routes)


def single_failures(plan: Plan) -> Iterator[str]:
    """Return every part of a plan that can fail, one by one."""
    made = graph(plan)
    yield from (f"switch:{name}" for name in plan.switches())
    yield from sorted(
        {f"link:{shown['cable']}" for *_, shown in made.edges(data=True) if "cable" in shown}
    )
    for node, shown in made.nodes.items():
        if shown["kind"] == "nic":
            yield f"nic:{node}"
        elif shown["kind"] == "gpu":
            yield f"gpu:{node}"
            yield f"nic:{node}"
    yield from (f"hb:{domain}" for domain in range(plan.fabric.gpus // plan.fabric.domain_gpus))
    yield from (f"plane:{plane}" for plane in range(plan.fabric.planes))
    yield from (f"rail:{rail}" for rail in range(plan.fabric.rails))


def compare_walks(
    plan: Plan,
    tables: EmittedTables,
    made: nx.MultiGraph[str],
    names: list[str],
    pairs: Iterable[tuple[str, str]],
    every: int = 1,
) -> Counter[str]:
    """Walk some pairs with some failures, and compare with the oracle.

    Every so-many-th pair is compared with `route`; the kinds of path are counted.
    """
    dead = dead_things(made, names)
    parts, walker = islands(made, dead), Walker(tables, dead)
    choice, kinds = PathSelector(Reach(plan, find_failures(plan, names))), Counter[str]()
    numbers = {name: find_gpu(plan, name) for name in tables.gpus}
    for number, (source, target) in enumerate(pairs):
        walked = walker.walk(source, target)
        assert (walked is not None) == (source in parts and parts[source] == parts.get(target)), (
            names,
            source,
            target,
        )
        if number % every:
            continue
        way = choice.way(numbers[source], numbers[target])
        assert (way is None) == (walked is None), (names, source, target)
        if way is None or walked is None:
            kinds["none"] += 1
            continue
        kinds[way.kind] += 1
        assert len(way.legs) == len(walked), (names, source, target)
        if len(walked) == 1:
            assert [numbers[gpu] for gpu in walked[0]] == list(way.legs[0]), (
                names,
                source,
                target,
            )
    return kinds


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)])
def test_every_single_failure_of_the_lab(step: int) -> None:
    """The tables find a path between any two GPUs that still have one. `route` names the same.

    The step has no divisor in common with the 63 pairs of a GPU, so every GPU sends and receives.
    """
    plan = plan_file(PLANS["lab-64"])
    tables, made, kinds = tables_of(plan), graph(plan), Counter[str]()
    names = list(single_failures(plan))
    assert len(names) == 32 + (64 + 64) + 3 * 64 + 8 + 1 + 8
    pairs = list(permutations(tables.gpus, 2))[::step]
    for name in names:
        kinds += compare_walks(plan, tables, made, [name], pairs, every=5)
    assert set(kinds) == {
        "direct",
        "source-relay",
        "destination-relay",
        "third-rail-relay",
        "third-domain-relay",
        "none",
    }


def test_the_walker_finds_a_loop_and_a_wrong_port() -> None:
    """A spine sends one leaf's packets to the other, or a leaf swaps two hosts."""
    tables = tables_of(plan_file(PLANS["lab-64"]))
    spine, leaf = ("r0-spine-1", ""), ("r0-leaf-1", "")
    first, second = (
        tables.instances[spine].find(number_of(address)) for address in ("10.0.0.1", "10.0.0.9")
    )
    own, other = (
        tables.instances[leaf].find(number_of(address)) for address in ("10.0.0.1", "10.0.0.3")
    )
    second[0][:], own[0][:] = first[0], other[0]
    with pytest.raises(LookupError, match="a loop"):
        Walker(tables).walk("d0-g0", "d7-g0")
    with pytest.raises(LookupError, match="delivers"):
        Walker(tables).walk("d1-g0", "d0-g0")


def by_kind(plan: Plan) -> list[list[str]]:
    """Group what can fail by its kind, so that a rail is drawn as often as a cable."""
    return [
        list(names)
        for _, names in groupby(
            sorted(single_failures(plan)), key=lambda name: name.partition(":")[0]
        )
    ]


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_two_to_four_failures_of_the_lab(step: int) -> None:
    """Sixty draws: every kind of path is used."""
    plan = plan_file(PLANS["lab-64"])
    tables, made, named, kinds = tables_of(plan), graph(plan), by_kind(plan), Counter[str]()
    pairs = list(permutations(tables.gpus, 2))[::step]
    for number in range(60):
        draw = random.Random(number)  # noqa: S311 - a seeded choice of cases, not a secret
        names = [draw.choice(draw.choice(named)) for _ in range(2 + number % 3)]
        kinds += compare_walks(plan, tables, made, names, pairs, every=5)
    assert (
        min(
            kinds[kind]
            for kind in (
                "direct",
                "source-relay",
                "destination-relay",
                "third-rail-relay",
                "third-domain-relay",
            )
        )
        >= 50
    ), kinds


def not_too_large(inventory: Inventory) -> Plan | None:
    """Plan a random inventory with so few domains that its tables stay short.

    The result is None where it is refused, or one domain is too many.
    """
    domain = inventory["hb_domain"]["gpus"]
    entries = domain * domain * (inventory["rails"]["count"] + 1)
    domains = min(inventory["gpus"] // domain, ENTRIES // entries)
    try:
        return plan_of(**{**inventory, "gpus": domains * domain}) if domains else None
    except Refusal:
        return None


@pytest.mark.parametrize(
    "draws", [slice(28), pytest.param(slice(28, None), marks=pytest.mark.slow)], ids=str
)
def test_random_failures_of_random_fabrics(draws: slice) -> None:
    """Up to three failures in random fabrics.

    These have every design, tier and plane, and shared boxes.
    """
    seen: Counter[str] = Counter()
    for number, (inventory, _) in [*enumerate(drawn())][draws]:
        plan = not_too_large(inventory)
        if plan is None:
            continue
        draw = random.Random(number)  # noqa: S311 - a seeded choice of cases, not a secret
        tables, made = tables_of(plan), graph(plan)
        named = by_kind(plan)
        names = [draw.choice(draw.choice(named)) for _ in range(number % 4)]
        gpus = list(tables.gpus)
        ends = gpus if len(gpus) <= ALL_PAIRS else draw.sample(gpus, SAMPLE)
        seen.update(compare_walks(plan, tables, made, names, permutations(ends, 2)))
        walker = Walker(tables)
        for source, target in islice(permutations(ends, 2), PACKETS if tables.routes else 0):
            for port in tables.gpus[target]["ports"]:
                assert walker.forwarded(source, number_of(port["address"]))[-1] == target
        seen.update([plan.spec.design.value, f"{plan.sizing.tiers} tiers"])
    assert (
        min(
            seen[each]
            for each in ("rail-only", "rail-optimized", "fat-tree", "1 tiers", "2 tiers", "3 tiers")
        )
        >= 5
    ), seen
    assert set(seen) >= {"direct", "source-relay", "none"}, seen
