"""The laws of a plan, one function each; a law asserts what its name states.

They read the wired columns, the names and the addresses, and recount by other means than the
planner's own.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.bom.priced_bill import make_bom
from fabricgen.bom.summary import summarize
from fabricgen.core.terms import Design, LinkKind, Role
from fabricgen.planning.plan import Plan, make_plan
from fabricgen.views.factory import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Link = tuple[int, ...]
"""A row of the columns: kind, block, lower, lower_port, upper, upper_port, slot, number."""


def links(plan: Plan) -> list[Link]:
    """Return the links of a segment as rows."""
    return list(zip(*(column.tolist() for column in plan.segment), strict=True))


def switch_ends(plan: Plan) -> Iterator[tuple[int, int]]:
    """Return the switch and the port of every link end that is at a switch of the segment."""
    for kind, _, lower, lower_port, upper, upper_port, _, _ in links(plan):
        yield upper, upper_port
        if kind != LinkKind.HOST:
            yield lower, lower_port


def every_switch_port_is_used_at_most_once(plan: Plan) -> None:
    """No two link ends share a port, and every port exists on its switch."""
    ends = list(switch_ends(plan))
    assert len(set(ends)) == len(ends)
    boxes = plan.naming.boxes
    assert all(0 <= port < len(plan.ports[boxes[switch].role]) for switch, port in ends)


def every_port_is_one_that_the_box_has(plan: Plan) -> None:
    """Ports differ, and a cage has one split of its model.

    The number of ports is within the limit.
    """
    for role, ports in plan.ports.items():
        model = plan.fabric.port_layouts[role].model
        assert len({(port.cage, port.sub) for port in ports}) == len(ports)
        assert len({(port.cage, port.breakout.name) for port in ports}) == len(
            {port.cage for port in ports}
        )
        assert all(
            1 <= port.cage <= model.cages and 0 <= port.sub < port.breakout.count for port in ports
        )
        assert all(port.breakout in model.breakouts_of(port.cage) for port in ports)
        assert len(ports) <= (model.port_limit or len(ports))


def ports_run_at_the_speed_of_their_links(plan: Plan) -> None:
    """Both ends of a link have its speed."""
    boxes = plan.naming.boxes
    for kind, _, lower, lower_port, upper, upper_port, _, _ in links(plan):
        speed = plan.link_parts[LinkKind(kind)].speed_gbps
        assert plan.ports[boxes[upper].role][upper_port].breakout.speed_gbps == speed
        assert (
            kind == LinkKind.HOST
            or plan.ports[boxes[lower].role][lower_port].breakout.speed_gbps == speed
        )


def gpus_of(plan: Plan, segment: int) -> list[tuple[int, int | None, Link]]:
    """Return the GPU, the rail of the block and the row of each host link of a segment."""
    rows = [row for row in links(plan) if row[0] == LinkKind.HOST]
    rails = [plan.mapping.rail(segment, row[1]) for row in rows]
    return [(row[2] + (rail or 0), rail, row) for row, rail in zip(rows, rails, strict=True)]


def every_nic_port_is_cabled_exactly_once(plan: Plan) -> None:
    """Over all segments, each installed GPU has one link on each plane."""
    cabled = Counter(
        (gpu, plan.mapping.plane(segment))
        for segment in range(plan.mapping.segments)
        for gpu, _, _ in gpus_of(plan, segment)
    )
    assert cabled == Counter(
        (gpu, plane) for gpu in range(plan.fabric.gpus) for plane in range(plan.fabric.planes)
    )


def a_rail_stays_to_itself(plan: Plan) -> None:
    """Where blocks are rails, a GPU's link is on its own rail.

    No link joins the blocks of two rails.
    """
    fabric, boxes = plan.fabric, plan.naming.boxes
    if fabric.design is not Design.RAIL_ONLY:
        return
    for segment in range(plan.mapping.segments):
        assert all(
            gpu % fabric.domain_gpus % fabric.rails == rail
            for gpu, rail, _ in gpus_of(plan, segment)
        )
    for kind, block, lower, _, upper, _, _, _ in links(plan):
        switches = [upper] if kind == LinkKind.HOST else [lower, upper]
        owners = {
            boxes[switch].block
            for switch in switches
            if boxes[switch].role is not Role.LEAF or plan.mapping.segment_blocks == 1
        }
        assert owners <= {block}


def a_leaf_serves_no_more_rails_than_asked(plan: Plan) -> None:
    """Where rails meet at the spine, a leaf still serves `per_switch` rails only."""
    if plan.fabric.design is not Design.RAIL_OPTIMIZED or plan.sizing.tiers == 1:
        return
    rails: dict[int, set[int]] = {}
    for gpu, _, row in gpus_of(plan, 0):
        rails.setdefault(row[4], set()).add(gpu % plan.fabric.domain_gpus % plan.fabric.rails)
    assert all(len(served) <= plan.mapping.per_switch for served in rails.values())


def meetings(plan: Plan, kind: LinkKind) -> dict[tuple[int, int], Counter[int]]:
    """Count the links of each lower switch of a block to each upper one."""
    met: dict[tuple[int, int], Counter[int]] = {}
    for row in links(plan):
        if row[0] == kind:
            met.setdefault((row[1], row[2]), Counter())[row[4]] += 1
    return met


def uplinks_are_spread_over_all_switches_above(plan: Plan) -> None:
    """Each leaf meets each spine of its pod, and each spine each core of its group.

    They meet equally often, or nearly so if `minimal`.
    """
    sizing = plan.sizing
    for kind, uplinks, reached in (
        (LinkKind.LEAF_SPINE, sizing.leaf_up, sizing.pod_spines),
        (LinkKind.SPINE_CORE, sizing.spine_up, sizing.group_cores),
    ):
        allowed = (
            {uplinks // max(reached, 1)}
            if plan.spec.spread == "even"
            else {uplinks // max(reached, 1), -(-uplinks // max(reached, 1))}
        )
        for met in meetings(plan, kind).values():
            assert sum(met.values()) == uplinks
            assert len(met) == reached
            assert set(met.values()) <= allowed


def every_leaf_has_an_endpoint_unless_reserved(plan: Plan) -> None:
    """Each sized leaf has a position for a planned GPU. Without a reserve it serves one."""
    served = {row[4] for row in links(plan) if row[0] == LinkKind.HOST}
    leaves, slots = plan.sizing.leaf, np.flatnonzero(plan.mapping.pattern() >= 0)
    assert len(plan.mapping.pattern()) == plan.sizing.slots == leaves * plan.sizing.leaf_down
    assert set((slots // plan.sizing.leaf_down).tolist()) == set(range(leaves))
    assert plan.spec.reserve is not None or served == set(range(leaves))


def an_installed_pod_is_whole(plan: Plan) -> None:
    """With three tiers a pod is installed with all of its leaves and spines, or not at all.

    Without a reserve, every one is.

    All pods but the last have as many leaves as a spine has downlinks, or those of a scalable unit,
    and the leaves of a pod have as many uplinks as its spines have downlinks.
    """
    sizing, block = plan.sizing, 0
    if sizing.tiers < 3:
        return
    rows = [row for row in links(plan) if row[1] == block]
    pods = {row[2] // sizing.pod_leaves for row in rows if row[0] == LinkKind.LEAF_SPINE}
    met = Counter(LinkKind(row[0]) for row in rows)
    leaves = {
        pod: min(sizing.pod_leaves, sizing.leaf - pod * sizing.pod_leaves)
        for pod in range(sizing.pods)
    }
    assert plan.spec.scalable_unit is not None or sizing.pod_leaves == sizing.spine_down
    assert sizing.pod_leaves * sizing.leaf_up == sizing.pod_spines * sizing.spine_down
    assert min(leaves.values()) > 0
    assert sum(leaves.values()) == sizing.leaf
    assert met[LinkKind.LEAF_SPINE] == sum(leaves[pod] for pod in pods) * sizing.leaf_up
    assert met[LinkKind.SPINE_CORE] == len(pods) * sizing.pod_spines * sizing.spine_up
    assert plan.spec.reserve is not None or len(pods) == sizing.pods


def a_leaf_is_not_oversubscribed_beyond_what_was_asked(plan: Plan) -> None:
    """Down over up is at most the ratio of the inventory at a leaf, and one at a spine.

    Both are bandwidths.
    """
    sizing, port_layouts = plan.sizing, plan.fabric.port_layouts
    if sizing.tiers > 1:
        leaf = port_layouts[Role.LEAF]
        assert (
            Fraction(sizing.leaf_down * leaf.down.speed_gbps, sizing.leaf_up * leaf.up.speed_gbps)
            <= plan.spec.oversubscription
        )
    if sizing.tiers == 3:
        spine = port_layouts[Role.SPINE]
        assert sizing.spine_down * spine.down.speed_gbps <= sizing.spine_up * spine.up.speed_gbps


def the_summary_counts_what_is_wired(plan: Plan) -> None:
    """Links, switches, transceivers and cables of the summary are those of the columns."""
    bom = make_bom(plan)
    summary, segments, boxes = (
        summarize(plan, bom).document(),
        plan.mapping.segments,
        plan.naming.boxes,
    )
    rows, wired = links(plan), {switch for switch, _ in switch_ends(plan)}
    by_kind = Counter(LinkKind(row[0]) for row in rows)
    counted = {kind: count for kind, count in summary["links"].items() if count}
    assert counted == {kind.key: segments * count for kind, count in by_kind.items()} | {
        "total": segments * len(rows)
    }
    assert summary["links"]["host"] == plan.fabric.gpus * plan.fabric.planes
    assert summary["transceivers"] == 2 * segments * len(rows)
    assert summary["cables"]["total"] == segments * sum(
        plan.link_parts[LinkKind(row[0])].cables for row in rows
    )
    by_role = Counter(boxes[switch].role.value for switch in wired)
    assert summary["switches"] == {role.value: segments * by_role[role.value] for role in Role} | {
        "total": segments * len(wired)
    }
    assert summary["switches"]["total"] == len(list(plan.switches()))
    assert summary["blocks"] * summary["per_block"]["endpoints"] == summary["links"]["host"]


def the_bill_adds_up(plan: Plan) -> None:
    """Switches and cables on the bill are those of the plan.

    Each line's purposes sum to it, and totals equal the sum.
    """
    bom = make_bom(plan)
    quantity = {
        name: sum(line.quantity for line in bom.lines if line.part_class == name)
        for name in ("switches", "cables")
    }
    summary = summarize(plan, bom).document()
    assert quantity == {
        "switches": summary["switches"]["total"],
        "cables": summary["cables"]["total"],
    }
    for line in bom.lines:
        assert line.quantity == sum(
            int(purpose.partition(" ")[0]) for purpose in line.purpose.split(", ")
        )
    priced = [line.total for line in bom.lines if line.total is not None]
    assert bom.cost() == (sum(priced) if priced else None)
    assert len(bom.unpriced) == len({line.part for line in bom.lines if line.unit_price is None})


def modules_have_a_connector_for_every_link_end(plan: Plan) -> None:
    """For every link end there is a connector on the bill.

    A partially used cage still takes a whole module.
    """
    bought = {
        line.part: line.quantity
        for line in make_bom(plan).lines
        if line.part_class == "transceivers"
    }
    modules = {
        module.model: module for joint in plan.candidates for module in joint.modules.values()
    }
    connectors = sum(count * modules[part].ports for part, count in bought.items())
    ends = sum(2 * plan.link_count(kind) * plan.link_parts[kind].cables for kind in plan.kinds)
    assert ends <= connectors


def addresses_of(plan: Plan) -> Iterator[int]:
    """Return the addresses of the NIC ports and of the leaf ports that face them."""
    for segment in range(plan.mapping.segments):
        for row in links(plan):
            if row[0] == LinkKind.HOST:
                (address,) = plan.addresses.host_addresses(
                    segment * plan.mapping.segment_blocks + row[1], [row[6]]
                )
                yield address
                if plan.addresses.numbered:
                    yield address - 1


def loopbacks_of(plan: Plan) -> Iterator[int]:
    """Return the loopbacks of the installed switches.

    A shared leaf has one for each of its rails.
    """
    for segment in range(plan.mapping.segments):
        for box, has in zip(plan.naming.boxes, plan.installed, strict=True):
            blocks = range(plan.mapping.segment_blocks) if box.block < 0 else [box.block]
            yield from (plan.addresses.loopback(segment, block, box) for block in blocks if has)


def addresses_are_unique_and_inside_their_pools(plan: Plan) -> None:
    """No address is used twice, and each is in its pool and in the slice of its block."""
    hosts, loopbacks, asked = (
        list(addresses_of(plan)),
        list(loopbacks_of(plan)),
        plan.spec.addressing,
    )
    assert len({*hosts, *loopbacks}) == len(hosts) + len(loopbacks)
    for pool, addresses in ((asked.host_pool, hosts), (asked.loopback_pool, loopbacks)):
        first = int(pool.network_address)
        assert all(first <= address < first + pool.num_addresses for address in addresses)


def neighbours_have_different_as_numbers(plan: Plan) -> None:
    """Every link between switches is an external BGP session, and no two leaves share a number."""
    boxes = plan.naming.boxes
    numbers = [
        plan.addresses.asn(segment, box)
        for segment in range(plan.mapping.segments)
        for box in boxes
        if box.role is Role.LEAF
    ]
    assert len(set(numbers)) == len(numbers)
    for kind, _, lower, _, upper, _, _, _ in links(plan):
        assert kind == LinkKind.HOST or plan.addresses.asn(0, boxes[lower]) != plan.addresses.asn(
            0, boxes[upper]
        )


def names_are_unique(plan: Plan) -> None:
    """No two devices share a name."""
    names = [*plan.switches(), *plan.hosts]
    assert len(set(names)) == len(names)


def no_two_cables_share_a_label(plan: Plan) -> None:
    """Labels name one cable of the whole fabric each.

    No port of a host or a switch has two links.
    """
    views = Views(plan)
    cables = [cable for segment in range(plan.mapping.segments) for cable in views.cables(segment)]
    labels = [cable.cable for cable in cables]
    assert len(set(labels)) == len(labels)
    firsts = [cable for cable in cables if cable.connector < 2]
    ends = [
        end
        for cable in firsts
        for end in ((cable.a_device, cable.a_interface), (cable.b_device, cable.b_interface))
    ]
    assert len(set(ends)) == len(ends) == 2 * sum(plan.link_count(kind) for kind in plan.kinds)


def ends_by_label(plan: Plan, segment: int) -> dict[str, tuple[str, str, str, str]]:
    """Return the ends of each link of a segment by its label.

    It is the cable's, without the letter where a link takes several cables.
    """
    firsts = (cable for cable in Views(plan).cables(segment) if cable.connector < 2)
    return {
        cable.cable[:-1] if cable.connector else cable.cable: (
            cable.a_device,
            cable.a_interface,
            cable.b_device,
            cable.b_interface,
        )
        for cable in firsts
    }


def both_ends_name_the_same_cable(plan: Plan) -> None:
    """Ports of switches have the data of the cable list, at both ends."""
    views, last = Views(plan), plan.mapping.segments - 1
    listed = ends_by_label(plan, last)
    seen: Counter[str] = Counter()
    for switch in views.switches(last):
        interfaces = [port.interface for port in switch.ports] + [
            port.interface for port in switch.idle_ports
        ]
        assert len(set(interfaces)) == len(interfaces)
        for port in switch.ports:
            own, peer = (switch.name, port.interface), (port.peer_device, port.peer_interface)
            assert listed[port.cable] in ((*own, *peer), (*peer, *own))
            seen[port.cable] += 1
    assert seen == {
        label: 1 if row[0] == LinkKind.HOST else 2
        for label, row in zip(listed, links(plan), strict=True)
    }


def every_port_of_an_instance_belongs_to_its_rail(plan: Plan) -> None:
    """On a shared box, the routing instances divide the ports by rail.

    On any box they have all of them.
    """
    for switch in Views(plan).switches(0):
        ports = [
            port
            for instance in switch.instances
            for port in (*instance.host_ports, *instance.fabric_ports)
        ]
        assert sorted(port.cable for port in ports) == sorted(port.cable for port in switch.ports)
        assert all(
            port.rail == instance.rail
            for instance in switch.vrfs
            for port in instance.host_ports + instance.fabric_ports
        )
        assert len({instance.loopback for instance in switch.instances}) == len(switch.instances)


def planning_again_gives_the_same(plan: Plan) -> None:
    """Equal inventories have equal wiring."""
    assert make_plan(plan.spec, plan.catalog).digest() == plan.digest()


LAWS: tuple[Callable[[Plan], None], ...] = (
    every_switch_port_is_used_at_most_once,
    every_port_is_one_that_the_box_has,
    ports_run_at_the_speed_of_their_links,
    every_nic_port_is_cabled_exactly_once,
    a_rail_stays_to_itself,
    a_leaf_serves_no_more_rails_than_asked,
    uplinks_are_spread_over_all_switches_above,
    every_leaf_has_an_endpoint_unless_reserved,
    an_installed_pod_is_whole,
    a_leaf_is_not_oversubscribed_beyond_what_was_asked,
    the_summary_counts_what_is_wired,
    the_bill_adds_up,
    modules_have_a_connector_for_every_link_end,
    addresses_are_unique_and_inside_their_pools,
    neighbours_have_different_as_numbers,
    names_are_unique,
    no_two_cables_share_a_label,
    both_ends_name_the_same_cable,
    every_port_of_an_instance_belongs_to_its_rail,
    planning_again_gives_the_same,
)


def growth_keeps_every_link(small: Plan, large: Plan) -> None:
    """Inside one reserve, the larger fabric has every row of the smaller.

    Its label, names and addresses are the same.
    """
    assert (small.mapping.segments, small.sizing) == (large.mapping.segments, large.sizing)
    assert set(links(small)) <= set(links(large))
    assert [host for host in small.hosts if host not in set(large.hosts)] == []
    for segment in {0, small.mapping.segments - 1}:
        assert small.naming.switches(segment) == large.naming.switches(segment)
        assert ends_by_label(small, segment).items() <= ends_by_label(large, segment).items()
    assert set(addresses_of(small)) <= set(addresses_of(large))
    assert set(loopbacks_of(small)) <= set(loopbacks_of(large))
    assert np.array_equal(small.mapping.pattern(), large.mapping.pattern())
