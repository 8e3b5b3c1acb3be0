"""The count of this project for each row of a published table, under the column's own name.

Counts are taken from the wired columns and from the bill of materials, not from the sizing alone,
so that a table tests what is built.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.analysis.search.side_by_side import side_by_side
from fabricgen.bom.breakdown.breakdown import by_role
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.bom.comparison import Comparison, compare
from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.terms import LinkKind, Role
from fabricgen.planning.clos import spread_over
from fabricgen.planning.designs import map_design
from fabricgen.planning.resolve import resolve
from fabricgen.views.factory import Views
from tests.fabrics import CATALOG, plan_of, spec_of
from tests.published.cluster_counting import cluster_figures, cluster_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.search.side_by_side import RailFigures
    from fabricgen.bom.bill import Bom
    from fabricgen.planning.clos import Sizing
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView
    from tests.published.tables import Table

Row = dict[str, Any]


def counts(table: Table, index: int) -> Row:
    """Count a row."""
    return _COUNTERS[table.id](table.row(index), table)


def superpod(row: Row, table: Table) -> Row:
    """Plan the nodes of a SuperPOD row; a scalable unit is 32 nodes, or 64 of the B300's."""
    plan = plan_of(gpus=row["nodes"] * 8, **table.fabric)
    links = {kind: plan.link_count(kind) for kind in LinkKind}
    return {
        "gpus": plan.fabric.gpus,
        "su": row["nodes"] // 32,
        **{role.value: plan.switch_count(role) for role in Role},
        "node_leaf": links[LinkKind.HOST] + sum(each.links for each in plan.networks.values()),
        "leaf_spine": links[LinkKind.LEAF_SPINE],
        "spine_core": links[LinkKind.SPINE_CORE],
    }


def twin_plane(row: Row, table: Table) -> Row:
    """Plan the nodes of a row, and count cages of 800G, as the table prints a cable for each."""
    return superpod(row, table) | cages(plan_of(gpus=row["nodes"] * 8, **table.fabric))


def cages(plan: Plan) -> Row:
    """Count the modules at the end of each kind of link that has all of its cages: one a cage."""
    found = kit(plan)
    return {
        "node_leaf": found["host", "transceivers"],
        "leaf_spine": found["spine", "transceivers"],
    }


def rack_scale(row: Row, table: Table) -> Row:
    """Plan the scalable units of a row by its GPUs."""
    plan = plan_of(gpus=row["gpus"], **table.fabric)
    return {
        "node_leaf": plan.link_count(LinkKind.HOST),
        "leaf_spine": plan.link_count(LinkKind.LEAF_SPINE),
        **{role.value: plan.switch_count(role) for role in Role},
        "leaf_down": plan.sizing.leaf_down,
        "leaf_up": plan.sizing.leaf_up,
    }


def quantum_x800(row: Row, _table: Table) -> Row:
    """Spread the 72 uplinks of each leaf over switches of 144 ports."""
    return {"spine": spread_over(row["leaf"] * 72, 72, 144, even=True)}


DS5000 = {
    "leaf": {"model": "ds5000", "breakout": "2x400G"},
    "spine": {"model": "ds5000", "breakout": "1x800G"},
}


@cache
def back_end(servers: int, planes: int = 1) -> Plan:
    """Plan the back end of an OCDAI composition.

    It has 8 GPUs per server, and as many rails on a leaf as fill it.
    """
    names = {
        "leaf": "plane-{plane}-leaf-{n:02}" if planes > 1 else "be-rail-leaf-{n:02}",
        "spine": "be-spine-p{plane}-{n:02}" if planes > 1 else "be-spine-{n:02}",
    }
    rails = {"per_switch": "auto", "tiers": 2, "planes": planes}
    return plan_of(
        design="rail-optimized",
        gpus=servers * 8,
        hb_domain={"gpus": 8},
        nic={"speed": "400G"},
        rails=rails,
        switches=DS5000,
        nos="hedgehog",
        naming={**names, "host": "compute-{n:03}"},
    )


@cache
def front_end(servers: int) -> Plan:
    """Plan the front end: the two 200G ports of a server as a domain of two on two rails."""
    switches = {"leaf": {"model": "ds5000", "breakout": "4x200G"}, "spine": DS5000["spine"]}
    names = {"leaf": "fe-leaf-{n:02}", "spine": "fe-spine-{n:02}", "host": "compute-{n:03}"}
    return plan_of(
        design="rail-optimized",
        gpus=servers * 2,
        hb_domain={"gpus": 2},
        nic={"speed": "200G"},
        rails={"tiers": 2},
        switches=switches,
        nos="hedgehog",
        naming=names,
    )


def modules(plan: Plan) -> tuple[int, int]:
    """Count the modules that are bought: those in hosts, and those in switches."""
    purposes = [
        purpose.split(" ")
        for line in make_bom(plan).lines
        if line.part_class == "transceivers"
        for purpose in line.purpose.split(", ")
    ]
    return sum(int(count) for count, end in purposes if end == "host"), sum(
        int(count) for count, end in purposes if end != "host"
    )


def composition(row: Row, _table: Table) -> Row:
    """Plan both fabrics of a composition."""
    back, port_layout = back_end(row["servers"]), front_end(row["servers"])
    unit = back.segment
    pair = (unit.kind == LinkKind.LEAF_SPINE) & (unit.lower == 0) & (unit.upper == back.sizing.leaf)
    (back_hosts, back_switches), (front_hosts, front_switches) = modules(back), modules(port_layout)
    return {
        "gpus": back.fabric.gpus,
        "planes": back.fabric.planes,
        "be_leaf": back.switch_count(Role.LEAF),
        "be_spine": back.switch_count(Role.SPINE),
        "server_be_links_400g": back.link_count(LinkKind.HOST),
        "leaf_spine_links_800g": back.link_count(LinkKind.LEAF_SPINE),
        "be_leaf_spine_parallel": int(np.count_nonzero(pair)),
        "fe_leaf": port_layout.switch_count(Role.LEAF),
        "fe_spine": port_layout.switch_count(Role.SPINE),
        "server_fe_links_200g": port_layout.link_count(LinkKind.HOST),
        "fe_leaf_spine_links_800g": port_layout.link_count(LinkKind.LEAF_SPINE),
        "server_xcvr": back_hosts + front_hosts,
        "switch_xcvr": back_switches + front_switches,
    }


def cable_at(plan: Plan, host: str, interface: str, unit: int = 0) -> CableView:
    """Find the cable at a port of a host."""
    (found,) = (
        cable
        for cable in Views(plan).cables(unit)
        if (cable.a_device, cable.a_interface) == (host, interface)
    )
    return found


def port_map(row: Row, _table: Table) -> Row:
    """Find what the port of server 1 is cabled to."""
    port_layout = row["port"].startswith("fe-p")
    number = row["port"].removeprefix("fe-p").removeprefix("be")
    found = cable_at(front_end(32) if port_layout else back_end(32), "compute-001", f"nic{number}")
    return {"peer": f"{found.b_device}:{found.b_interface}"}


def uplink_map(row: Row, _table: Table) -> Row:
    """Follow a run of cages of leaf 1 to their common spine.

    Name its ports where they are published.
    """
    first, last = (int(row[key].removeprefix("E1/")) for key in ("first", "last"))
    own = [
        cable
        for cable in Views(back_end(32)).cables(0)
        if cable.tier == 2 and cable.a_device == "be-rail-leaf-01" and cable.connector < 2
    ]
    run = [cable for cable in own if first <= int(cable.a_interface.removeprefix("E1/")) <= last]
    spines = {cable.b_device for cable in run}
    assert (len(run), len(spines)) == (last - first + 1, 1)
    ends = [cable.b_interface for cable in run]
    assert ends == [f"E1/{port}" for port in range(1, len(run) + 1)]
    return {"peer": f"{spines.pop()} {ends[0]}..{ends[-1]}" if first == 33 else spines.pop()}


def dual_plane(row: Row, table: Table) -> Row:
    """Verify the published rule at each of the 256 NIC ports of a plane of 32 servers.

    The result is the rule where it holds at all of them.
    """
    plane = int(row["port"].removeprefix("port"))
    holds = [
        (cable.b_device, cable.b_interface)
        == (
            f"plane-{plane}-leaf-{-(-(gpu + 1) // 2):02}",
            f"E1/{int(cable.a_device[-3:])}/{gpu % 2 + 1}",
        )
        for cable in Views(back_end(32, planes=2)).cables(plane)
        if cable.tier == 1
        for gpu in [int(cable.a_interface[3])]
    ]
    assert len(holds) == 256
    return {"peer": table.row(plane)["peer"] if all(holds) else "another rule"}


def stripes(row: Row, _table: Table) -> Row:
    """Describe the first stripe of a fabric of four.

    These are the domains behind leaf 1, and their leaves.
    """
    plan = plan_of(
        design="rail-optimized",
        gpus=row["ports_400g"] * 16,
        hb_domain={"gpus": 8},
        switches={"leaf": row["switch"]},
    )
    hosts = plan.segment.kind == LinkKind.HOST
    domain, leaf = plan.segment.lower[hosts] // 8, plan.segment.upper[hosts]
    first = np.unique(domain[leaf == 0])
    own = np.isin(domain, first)
    return {
        "ports_400g": plan.fabric.port_layouts[Role.LEAF].radix,
        "servers_per_stripe": len(first),
        "gpus_per_stripe": int(np.count_nonzero(own)),
        "leafs_per_stripe": len(np.unique(leaf[own])),
    }


QFX5240 = {"leaf": {"model": "qfx5240", "breakout": "2x400G"}}
STRIPE = {"QFX5220-32CD": 32, "QFX5230-64CD": 64, "QFX5240-64OD": 128}


def jvd_example(row: Row, _table: Table) -> Row:
    """Plan the worked example; a stripe is eight leaves."""
    plan = plan_of(
        design="rail-optimized", gpus=row["gpus"], hb_domain={"gpus": 8}, switches=QFX5240
    )
    return {"stripes": plan.switch_count(Role.LEAF) // 8}


def jvd_clusters(row: Row, _table: Table) -> Row:
    """Sum the GPUs of stripes, each the largest that eight leaves of its model hold."""
    sizes = [
        stripes(
            {"ports_400g": STRIPE[model], "switch": {"generic": {"radix": STRIPE[model]}}}, _table
        )
        for model in row["stripes"]
    ]
    return {"gpus": sum(size["gpus_per_stripe"] for size in sizes)}


def jvd_interfaces(row: Row, _table: Table) -> Row:
    """Describe server 1 on leaves 1 and 2."""
    pool = {"host_pool": "10.200.0.0/16"}
    plan = plan_of(
        design="rail-optimized", gpus=1024, hb_domain={"gpus": 8}, switches=QFX5240, addressing=pool
    )
    one, two = [
        next(view.ports[0] for view in Views(plan).switches(0) if view.name == name)
        for name in ("leaf-01", "leaf-02")
    ]
    assert (one.peer_device, one.peer_interface, two.peer_device, two.peer_interface) == (
        "host-001",
        "nic0",
        "host-001",
        "nic1",
    )
    (server,) = plan.addresses.host_addresses(0, [0])
    own = {
        "leaf 1 interface to server 1": one.interface,
        "leaf 1 address to server 1": one.address,
        "server 1 address on leaf 1": f"10.200.0.{server & 255}/31",
        "leaf 2 address to server 1": two.address,
    }
    return {"printed": own[row["of"]]}


PAPER_ROWS = ((32768, 64), (32768, 128), (32768, 256), (65536, 64), (65536, 128), (65536, 256))


@cache
def paper(gpus: int, radix: int, book: str = "paper-v5") -> Comparison:
    """Compare the designs of one row of the rail-only paper."""
    return compare(
        spec_of(
            gpus=gpus,
            hb_domain={"gpus": 256},
            radix=radix,
            rails={"per_switch": "auto"},
            prices=book,
        ),
        CATALOG,
    )


def whole(pct: float | None) -> float | None:
    """Round to whole per cents, as the paper prints them.

    A half is kept, because its rounding is unknown.
    """
    return pct if pct is None or pct % 1 == 0.5 else round(pct)


def paper_row(row: Row, _table: Table) -> Row:
    """Compare rail-only with the any-to-any fat-tree."""
    made = paper(row["gpus"], row["radix"])
    by_design = {summary.design: summary for summary in made.summaries}
    ours, theirs = by_design["rail-only"], by_design["fat-tree"]
    return {
        "switches_any": theirs.switches.total,
        "switches_rail_only": ours.switches.total,
        "transceivers_any": theirs.transceivers,
        "transceivers_rail_only": ours.transceivers,
        "cost_reduction_pct": whole(made.savings.cost_pct),
        "power_reduction_pct": whole(made.savings.power_pct),
    }


def paper_cost(row: Row, _table: Table) -> Row:
    """Price row 1."""
    return {
        "usd": next(
            summary.cost.total
            for summary in paper(32768, 64).summaries
            if summary.design == row["design"]
        )
    }


def paper_range(row: Row, table: Table) -> Row:
    """Find the smallest and the largest saving of the six rows."""
    book = "paper-v1-fit" if table.id.endswith("v1") else "paper-v5"
    savings = [
        whole(paper(gpus, radix, book).savings.document()[f"{row['claim']}_pct"]) or 0
        for gpus, radix in PAPER_ROWS
    ]
    return {"lowest": min(savings), "highest": max(savings)}


@cache
def photonic() -> tuple[RailFigures, RailFigures]:
    """Compare rail-optimized packet switches with photonic rails."""
    spec = spec_of(
        gpus=2048,
        hb_domain={"gpus": 8},
        host={"model": "dgx-h100"},
        prices="opus-h200",
        switches={"leaf": {"model": "sn5600"}},
    )
    found = side_by_side(
        spec, CATALOG, ["sn5600", "polatis-384"], Fraction(1), CATALOG.workload("gpt3")
    )
    _, packet, light = found.rails
    return packet, light


def opus(row: Row, _table: Table) -> Row:
    """Compute one claim from the figures of both."""
    packet, light = photonic()
    figures = {
        "times cheaper": (packet.cost or 0) / (light.cost or 1),
        "times less power": (packet.power_w or 0) / (light.power_w or 1),
        "per cent slower": 100 * ((light.iteration_s or 0) / (packet.iteration_s or 1) - 1),
    }
    digits = 1 if row["claim"] == "per cent slower" else 2
    return {"figure": round(figures[row["claim"]], digits)}


def formulas(row: Row, _table: Table) -> Row:
    """Find the largest fat-tree of a number of tiers, by asking for one endpoint more."""
    radix = row["k"]
    two = largest(radix, 2)
    three = largest(radix, 3) if radix < 512 else None
    return {
        "t2": two.slots,
        "t3": three and three.slots,
        "t3_switches": three and three.leaf + three.spine + three.core,
    }


def fat_tree(endpoints: int, radix: int, tiers: int) -> Sizing:
    """Size a fat-tree of exactly this number of tiers. Raises Refusal where it does not fit."""
    return map_design(
        resolve(
            spec_of(
                design="fat-tree",
                gpus=endpoints,
                hb_domain={"gpus": 1},
                radix=radix,
                rails={"tiers": tiers},
            ),
            CATALOG,
        )
    ).sizing


def largest(radix: int, tiers: int) -> Sizing:
    """Return the largest fat-tree: bisect between one endpoint and more than any formula gives."""
    low, high = 1, min(radix**tiers, 2**22)
    while low < high:
        middle = (low + high + 1) // 2
        try:
            fat_tree(middle, radix, tiers)
        except Refusal:
            high = middle - 1
        else:
            low = middle
    return fat_tree(low, radix, tiers)


def threshold(row: Row, _table: Table) -> Row:
    """Find the largest number of GPUs that two tiers hold, in steps of a domain of 8."""
    return {
        "largest_two_tier_gpus": max(
            gpus for gpus in range(1024, 20000, 8) if _tiers(row, gpus) == 2
        )
    }


def _tiers(row: Row, gpus: int) -> int:
    """Count the tiers that a fabric takes."""
    return map_design(
        resolve(
            spec_of(design=row["design"], gpus=gpus, hb_domain={"gpus": 8}, radix=row["radix"]),
            CATALOG,
        )
    ).sizing.tiers


def kit(plan: Plan) -> Counter[tuple[str, str]]:
    """Count the bill of a plan by role and class of part, without spares."""
    found: Counter[tuple[str, str]] = Counter()
    for portion in by_role(cluster_bom(plan)):
        found[portion.place, portion.line.part_class] += portion.quantity
    return found


def superpod_kit(row: Row, table: Table) -> Row:
    """Read the bill of a SuperPOD: switches by role, and cables by the role at their lower end."""
    found = kit(plan_of(gpus=row["nodes"] * 8, **table.fabric))
    return {
        "leaf": found["leaf", "switches"],
        "spine": found["spine", "switches"],
        "node_leaf": found["host", "cables"],
        "leaf_spine": found["leaf", "cables"],
    }


def composition_kit(row: Row, _table: Table) -> Row:
    """Read the bills of both fabrics of a composition."""
    back, port_layout = kit(back_end(row["servers"])), kit(front_end(row["servers"]))
    both = back + port_layout
    return {
        "be_leaf": back["leaf", "switches"],
        "be_spine": back["spine", "switches"],
        "fe_leaf": port_layout["leaf", "switches"],
        "fe_spine": port_layout["spine", "switches"],
        "server_xcvr": both["host", "transceivers"],
        "switch_xcvr": both["leaf", "transceivers"] + both["spine", "transceivers"],
    }


def link_ends(plan: Plan, bom: Bom) -> tuple[int, int]:
    """Count transceivers both ways.

    One is per link end, the other per connector of the modules on the bill.
    """
    bought = [
        (line, CATALOG.transceiver(line.part))
        for line in bom.lines
        if line.part_class == "transceivers"
    ]
    return summarize(plan, bom).transceivers, sum(
        line.quantity * module.ports for line, module in bought if module
    )


_COUNTERS: dict[str, Callable[[Row, Table], Row]] = {
    "dgx-h100-table-3": superpod,
    "dgx-h100-table-3-web": superpod,
    "dgx-h100-table-4": superpod,
    "dgx-b200": superpod,
    "dgx-b200-table-4.1": superpod,
    "dgx-b300-spectrum": twin_plane,
    "quantum-x800-spines": quantum_x800,
    "gb200-scalable-unit": rack_scale,
    "gb300-enterprise": rack_scale,
    "gb300-superpod": rack_scale,
    "hgx-b300-enterprise": rack_scale,
    "hgx-enterprise": rack_scale,
    "pollara-supermicro": rack_scale,
    "gaudi-3": rack_scale,
    "dgx-h100-4su-kit": superpod_kit,
    "dgx-h100-4su-ufm-kit": superpod_kit,
    "ocdai-kits": composition_kit,
    "ocdai-compositions": composition,
    "ocdai-readme": composition,
    "ocdai-port-map": port_map,
    "ocdai-uplink-map": uplink_map,
    "ocdai-dual-plane": dual_plane,
    "dgx-h100-superpod": cluster_figures,
    "dgx-h100-superpod-racks": cluster_figures,
    "dgx-b200-superpod": cluster_figures,
    "dgx-basepod": cluster_rows,
    "dgx-b300-xdr-cluster": cluster_figures,
    "hgx-b300-cluster": cluster_rows,
    "net-configurator-b300": cluster_rows,
    "net-configurator-hgx": cluster_rows,
    "net-configurator-gb300": cluster_rows,
    "era-2-4-3-200-oob": cluster_rows,
    "era-2-8-5-200-oob": cluster_rows,
    "era-2-8-9-800-oob": cluster_rows,
    "era-2-4-3-200-links": cluster_figures,
    "era-2-8-5-200-links": cluster_figures,
    "gb200-front-end": cluster_figures,
    "gb300-front-end": cluster_figures,
    "pollara-front-end": cluster_figures,
    "ocdai-mesh-conv": cluster_figures,
    "ocdai-collapsed-conv": cluster_figures,
    "jvd-stripes": stripes,
    "jvd-example": jvd_example,
    "jvd-clusters": jvd_clusters,
    "jvd-interfaces": jvd_interfaces,
    "rail-only-table-2": paper_row,
    "rail-only-cost": paper_cost,
    "rail-only-abstract": paper_range,
    "rail-only-abstract-v1": paper_range,
    "opus-claims": opus,
    "fat-tree-formulas": formulas,
    "third-tier-threshold": threshold,
}
