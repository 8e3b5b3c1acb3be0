"""Small random fabrics of every design and what may fail in them.

The graph that a failure leaves is an oracle without shortcuts.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.graph import graph
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind
from fabricgen.planning.coordinates import gpu_name
from tests.fabrics import plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import networkx as nx

    from fabricgen.planning.plan import Plan

DESIGNS = ("rail-only", "rail-only", "rail-optimized", "fat-tree")
RESERVED = 0.25
"""The share of fabrics with room to grow."""


def small_inventory(random: Random, gpus: int = 40) -> dict[str, Any]:
    """Draw an inventory of few GPUs on switches of few ports.

    One to three tiers, planes and shared boxes are common.
    """
    domain = random.choice((1, 2, 3, 4, 4, 6))
    rails = random.choice([part for part in range(1, domain + 1) if domain % part == 0])
    domains, design = random.randint(1, gpus // domain), random.choice(DESIGNS)
    shared = [part for part in range(1, rails + 1) if rails % part == 0]
    inventory: dict[str, Any] = {
        "design": design,
        "gpus": domain * domains,
        "hb_domain": {"gpus": domain},
        "rails": {
            "count": rails,
            "planes": random.choice((1, 1, 2)),
            "tiers": random.choice(("auto", 2, 3)),
            "per_switch": 1 if design == "fat-tree" else random.choice([1, 1, "auto", *shared]),
        },
        "radix": random.choice((4, 4, 5, 6, 8, 12)),
        "oversubscription": random.choice(("1:1", "1:2", "2:1")),
        "spread": random.choice(("even", "minimal")),
    }
    return inventory | (
        {"reserve": {"gpus": domain * random.randint(domains, domains + 8)}}
        if random.random() < RESERVED
        else {}
    )


def small_plans(seed: int, numbers: range, gpus: int = 40) -> Iterator[tuple[Plan, Random]]:
    """Draw an inventory for each number, and plan those that are not refused.

    Each plan comes with the random numbers that the test may go on to draw.
    """
    for number in numbers:
        random = Random(f"{seed}-{number}")  # noqa: S311 - the same fabrics in every run
        plan = plan_or_none(small_inventory(random, gpus))
        if plan:
            yield plan, random


def plan_or_none(inventory: dict[str, Any]) -> Plan | None:
    """Plan an inventory, unless it is refused."""
    try:
        return plan_of(**inventory)
    except Refusal:
        return None


def gpus_of(plan: Plan) -> list[str]:
    """Return the name of every GPU."""
    return [gpu_name(*divmod(gpu, plan.fabric.domain_gpus)) for gpu in range(plan.fabric.gpus)]


def every_failure(plan: Plan, kind: str) -> list[str]:
    """Return every part of a kind, as `--fail` takes it."""
    fabric, mapping = plan.fabric, plan.mapping
    counts = {
        "hb": fabric.gpus // fabric.domain_gpus,
        "plane": fabric.planes,
        "rail": fabric.rails,
    }
    if kind in counts:
        return [f"{kind}:{number}" for number in range(counts[kind])]
    if kind in ("nic", "gpu"):
        return [f"{kind}:{gpu}" for gpu in gpus_of(plan)]
    if kind in ("leaf", "spine", "core"):
        boxes = [
            index
            for index, box in enumerate(plan.naming.boxes)
            if box.role == kind and plan.installed[index]
        ]
        return [
            f"switch:{plan.naming.switches(segment)[index]}"
            for segment in range(mapping.segments)
            for index in boxes
        ]
    link = {
        "host-cable": LinkKind.HOST,
        "leaf-spine-cable": LinkKind.LEAF_SPINE,
        "spine-core-cable": LinkKind.SPINE_CORE,
    }[kind]
    kinds, blocks = plan.segment.kind.tolist(), plan.segment.block.tolist()
    rows = zip(kinds, blocks, plan.segment.number.tolist(), strict=True)
    links = [(block, number) for kind, block, number in rows if kind == link]
    cables = plan.link_parts[link].cables if links else 1
    letters = "abcdefgh"[:cables] if cables > 1 else " "
    return [
        f"link:{plan.label(link, segment, block)}{number:0{plan.label_width}}{letter}".strip()
        for segment in range(mapping.segments)
        for block, number in links
        for letter in letters
    ]


PARTS = (
    "leaf",
    "spine",
    "core",
    "host-cable",
    "leaf-spine-cable",
    "spine-core-cable",
    "nic",
    "gpu",
    "hb",
    "plane",
    "rail",
)


def some_failures(plan: Plan, random: Random, count: int) -> list[str]:
    """Return some parts of random kinds."""
    kinds = [random.choice(PARTS) for _ in range(count)]
    named = [every_failure(plan, kind) for kind in kinds]
    return [random.choice(names) for names in named if names]


def left_of(plan: Plan, names: list[str]) -> nx.MultiGraph[str]:
    """Return the fabric's graph without the failed parts."""
    made = graph(plan)
    for name in names:
        kind, _, rest = name.partition(":")
        if kind == "link":
            label = rest.rstrip("abcdefgh")
            made.remove_edges_from([edge for edge in made.edges(keys=True) if edge[2] == label])
        else:
            made.remove_nodes_from(
                [
                    node
                    for node, shown in made.nodes.items()
                    if _is_down(plan, kind, rest, node, shown)
                ]
            )
    return made


def _is_down(plan: Plan, kind: str, rest: str, node: str, shown: dict[str, Any]) -> bool:
    """Return whether a failure removes a node."""
    switch = shown["kind"] in ("leaf", "spine", "core")
    if kind in ("nic", "gpu"):
        return shown["kind"] == kind and rest in (node, node.partition("/")[0])
    if kind == "hb":
        return node == f"hb:{rest}"
    if kind == "rail" and plan.mapping.spans_rails:
        return shown["kind"] == "nic" and str(shown["rail"]) == rest
    return switch and str(shown.get(kind)) == rest
