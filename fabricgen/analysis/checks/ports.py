"""The laws of ports: they exist, carry one link each, and every NIC port has its cable.

Each public function is a law of `laws`. `spare_ports` owns the laws of unused ports, and
`isolation` those of where links lead.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.core.count_text import counted
from fabricgen.core.terms import LinkKind, Role, speed_text
from fabricgen.planning.switch_ports import port_set_of, port_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.port_layout import Port


def ports_exist(evidence: Evidence) -> Verdict:
    """Every box has its planned ports, and every link ends at one of the right tier and speed."""
    wiring, fabric = evidence.wiring, evidence.plan.fabric
    faults = [fault for role in evidence.plan.roles for fault in _box_faults(evidence, role)]
    high = _ends_nowhere(
        evidence, wiring.upper, wiring.upper_port, {kind: kind.role("upper") for kind in LinkKind}
    )
    low = np.where(
        evidence.has_host,
        (wiring.lower < 0)
        | (wiring.lower >= fabric.gpus)
        | (wiring.lower_port < 0)
        | (wiring.lower_port >= fabric.planes),
        _ends_nowhere(
            evidence,
            wiring.lower,
            wiring.lower_port,
            {kind: kind.role("lower") for kind in LinkKind},
        ),
    )
    high |= _in_other_set(evidence, wiring.upper, wiring.upper_port)
    low |= ~evidence.has_host & _in_other_set(evidence, wiring.lower, wiring.lower_port)
    boxes = zip(evidence.port_counts, evidence.plan.installed, strict=True)
    ports = evidence.plan.mapping.segments * sum(used for (used, _), has in boxes if has)
    switches = sum(map(evidence.plan.switch_count, evidence.plan.roles))
    return Verdict(
        f"{2 * len(wiring.kind):,} link ends; {counted(ports, 'planned port')} on"
        f" {counted(switches, 'switch', 'switches')}",
        (
            violations(faults, lambda fault: fault),
            violations(
                _rows(high), lambda row: _nowhere(evidence, row, "upper", evidence.upper(row))
            ),
            violations(
                _rows(low), lambda row: _nowhere(evidence, row, "lower", evidence.lower(row))
            ),
            *_speeds(evidence, ~(high | low)),
        ),
    )


def _rows(mask: BoolArray) -> IntArray:
    """Return the rows at which a mask is true."""
    return np.flatnonzero(mask)


def _nowhere(evidence: Evidence, row: int, end: str, name: str) -> Violation:
    """Describe a link that ends at no planned port of its tier."""
    kind = int(evidence.wiring.kind[row])
    what = LinkKind(kind).key.replace("_", "-") if kind in set(LinkKind) else "unknown"
    return Violation(
        f"the {end} end of cable {evidence.label(row)} is {name}, which takes no such link",
        (f"it is a {what} link",),
    )


def _ends_nowhere(
    evidence: Evidence, switch: IntArray, port: IntArray, ends: dict[LinkKind, Role | None]
) -> BoolArray:
    """Return whether link ends are not at a planned port of the role that `ends` has."""
    count = len(evidence.switches)
    known = (switch >= 0) & (switch < count)
    tiers = evidence.tier[np.where(known, switch, 0)]
    sizes = np.array([0, *(len(evidence.ports.get(role, ())) for role in Role)])
    wanted = np.zeros(max(LinkKind) + 1, dtype=np.int64)
    for kind, role in ends.items():
        wanted[kind] = role.tier if role else 0
    kinds = evidence.wiring.kind
    right = wanted[np.where((kinds >= 0) & (kinds < len(wanted)), kinds, 0)]
    missing: BoolArray = ~known | (tiers != right) | (port < 0) | (port >= sizes[tiers])
    return missing


def _in_other_set(evidence: Evidence, switch: IntArray, port: IntArray) -> BoolArray:
    """Return whether link ends are at ports that only other leaves of their network have."""
    plan, width = evidence.plan, len(evidence.ports.get(Role.LEAF, ()))
    sets = port_sets(plan.mapping, Role.LEAF, width)
    if len(sets) == 1:
        return np.zeros(len(switch), dtype=bool)
    has = np.zeros((len(sets), width), dtype=bool)
    for own, numbers in zip(has, sets, strict=True):
        own[numbers] = True
    known = (switch >= 0) & (switch < len(evidence.switches)) & (port >= 0) & (port < width)
    boxes = np.array(port_set_of(plan.mapping, plan.naming.boxes))
    leaf = known & (evidence.tier[np.where(known, switch, 0)] == Role.LEAF.tier)
    at = np.where(leaf, switch, 0), np.where(leaf, port, 0)
    wrong: BoolArray = leaf & ~has[boxes[at[0] % len(boxes)], at[1]]
    return wrong


def _box_faults(evidence: Evidence, role: Role) -> Iterator[Violation]:
    """Yield what the model of a role cannot do.

    That is a cage that it lacks, two splits of a cage, or more ports than the chip carries.
    """
    for ports in _port_lists(evidence, role):
        yield from _faults_of(evidence, role, ports)
    yield from _outside_zones(evidence, role)


def _port_lists(evidence: Evidence, role: Role) -> list[list[Port]]:
    """Return the ports that boxes of a role may have, each list once.

    Devices on compute leaves may split a cage on one leaf otherwise than on another.
    """
    shared = evidence.plan.fabric.shared_leaves
    if shared is None or role is not shared.role:
        return [ports for ports, _ in evidence.port_sets(role)]
    ports, bonds = evidence.ports[role], shared.bonds
    numbers: dict[int, set[int]] = {}
    for stripe, place in zip(bonds.stripe, bonds.place, strict=True):
        numbers.setdefault(stripe, set()).add(place)
    others = set(range(len(ports))).difference(bonds.place)
    lists = dict.fromkeys(frozenset(own | others) for own in numbers.values())
    return [[ports[number] for number in sorted(own)] for own in lists]


def _faults_of(evidence: Evidence, role: Role, ports: list[Port]) -> Iterator[Violation]:
    """Yield what the model of a role cannot do with these ports."""
    model = evidence.plan.fabric.port_layouts[role].model
    box, cages = f"each {role} ({model.model})", model.numbers
    for port in ports:
        if (
            port.cage not in cages
            or port.breakout not in model.breakouts_of(port.cage)
            or not 0 <= port.sub < port.breakout.count
        ):
            limit = (
                f"it has {model.cages} cages",
                f"cage {port.cage} is planned as {port.breakout.name}, port {port.sub + 1}",
            )
            yield Violation(f"{box} has no port {port.sub + 1} in cage {port.cage}", limit)
    for cage, names in sorted(_splits(ports).items()):
        if len(names) > 1:
            yield Violation(
                f"{box} would split cage {cage} in two ways", (f"as {' and as '.join(names)}",)
            )
    for (cage, sub), times in Counter((port.cage, port.sub) for port in ports).items():
        if times > 1:
            yield Violation(f"{box} would use port {sub + 1} of cage {cage} {times} times")
    layout, spare = (
        evidence.plan.fabric.port_layouts[role],
        getattr(evidence.plan.spec.spare_ports, role),
    )
    free = sum(port.breakout == layout.down for port in layout.idle(ports))
    if free < spare:
        because = (f"{free} ports of {layout.down.name} are free",)
        yield Violation(f"{box} would not keep {spare} ports free", because)
    if model.port_limit and len(ports) > model.port_limit:
        yield Violation(
            f"{box} would use {len(ports)} ports, and its chip carries {model.port_limit}"
        )


def _outside_zones(evidence: Evidence, role: Role) -> Iterator[Violation]:
    """Yield the cages with links that their zone does not have; devices take cages of no zone."""
    plan, ports = evidence.plan, evidence.ports[role]
    layout = plan.fabric.port_layouts[role]
    if not layout.zoned or plan.fabric.shared_leaves:
        return
    down = plan.widths[role][0]
    for name, own, zone, other in (
        ("down", ports[:down], layout.down_zone, layout.up_zone),
        ("up", ports[down:], layout.up_zone, layout.down_zone),
    ):
        cages = {port.cage for port in own}
        for cage in sorted(cages - zone if zone else cages & other):
            yield Violation(
                f"each {role} ({layout.model.model}) has links that face {name} in cage {cage}",
                ("the cage is outside of their zone",),
            )


def _splits(ports: list[Port]) -> dict[int, list[str]]:
    """Return the splits of each cage."""
    splits: dict[int, set[str]] = {}
    for port in ports:
        splits.setdefault(port.cage, set()).add(port.breakout.name)
    return {cage: sorted(names) for cage, names in splits.items()}


def _speeds(evidence: Evidence, sound: BoolArray) -> Iterator[Violations]:
    """Yield the links whose two ports run at different speeds."""
    wiring = evidence.wiring
    speeds = {
        role: np.array([port.breakout.speed_gbps for port in evidence.ports[role]])
        for role in evidence.plan.roles
    }
    for kind in evidence.plan.kinds:
        rows = _rows((wiring.kind == kind) & sound)
        high = speeds[kind.upper][wiring.upper_port[rows]]
        low = (
            _device_speeds(evidence, rows)
            if kind.lower is None
            else speeds[kind.lower][wiring.lower_port[rows]]
        )
        wrong = np.flatnonzero(low != high)

        def describe(
            one: int, rows: IntArray = rows, low: IntArray = low, high: IntArray = high
        ) -> Violation:
            ends = (
                f"{speed_text(int(low[one]))} at the lower end, {speed_text(int(high[one]))} at the"
                " upper"
            )
            return Violation(
                f"{evidence.link(int(rows[one]))} joins ports of different speeds", (ends,)
            )

        yield violations(wrong, describe)


def _device_speeds(evidence: Evidence, rows: IntArray) -> IntArray:
    """Return the speed of the port at the lower end of each of some host links."""
    fabric = evidence.plan.fabric
    if fabric.network is None:
        return np.full(len(rows), fabric.speed_gbps)
    attached = fabric.network.attached
    return attached.speeds_gbps(evidence.wiring.lower[rows] // attached.bond, fabric.speed_gbps)


def ports_once(evidence: Evidence) -> Verdict:
    """No switch port carries two links."""
    wiring, widest = evidence.wiring, max(map(len, evidence.ports.values()))
    between = _rows(~evidence.has_host)
    rows = np.concatenate([np.arange(len(wiring.kind)), between])
    ports = np.concatenate(
        [
            wiring.upper.astype(np.int64) * widest + wiring.upper_port,
            wiring.lower[between].astype(np.int64) * widest + wiring.lower_port[between],
        ]
    )
    used = np.bincount(ports, minlength=1)
    twice = np.flatnonzero(used > 1)

    def describe(port: int) -> Violation:
        cables = " and ".join(evidence.link(int(row)) for row in rows[ports == port][:2])
        return Violation(
            f"{evidence.port(*divmod(port, widest))} carries {used[port]} links", (cables,)
        )

    return Verdict(
        f"{len(ports):,} switch ports in use, one link each", (violations(twice, describe),)
    )


def nics_cabled(evidence: Evidence) -> Verdict:
    """Every NIC port of an installed GPU has one cable."""
    wiring, fabric = evidence.wiring, evidence.plan.fabric
    rows = _rows(evidence.has_host)
    coordinates = fabric.coordinates
    ports = coordinates.nic(*(each[rows].astype(np.int64) for each in wiring[3:5]))
    times = np.bincount(ports, minlength=fabric.gpus * fabric.planes)

    def describe(port: int) -> Violation:
        cables = ", ".join(evidence.label(int(row)) for row in rows[ports == port][:2])
        how = f"has {times[port]} cables: {cables}" if times[port] else "has no cable"
        name = evidence.nic(coordinates.nic_gpu(port), coordinates.nic_plane(port))
        return Violation(f"NIC port {name} {how}")

    planes = f" on {fabric.planes} planes" if fabric.planes > 1 else ""
    return Verdict(
        f"{fabric.gpus:,} GPUs{planes}: {len(times):,} NIC ports, {len(rows):,} host cables",
        (violations(np.flatnonzero(times != 1), describe),),
    )
