"""The bill of a plan with its networks, devices, power cords, hosts and racks."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.bom.bill import CLASSES, DEVICES
from fabricgen.bom.counts import count_parts
from fabricgen.bom.housing import housing
from fabricgen.bom.power_cords import power_cords
from fabricgen.bom.priced_bill import (
    both,
    exact_watts,
    line_of,
    lines_of,
    make_bom,
    priced_lines,
    switch_counts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import BillLine, Bom
    from fabricgen.catalog.models.device import PowerCord
    from fabricgen.planning.plan import Plan


def cluster_bom(plan: Plan) -> Bom:
    """Count and price every part of a plan and its networks, with spares for all of them."""
    found: dict[tuple[str, str], BillLine] = {}
    for name, each in {"": plan, **plan.networks}.items():
        for line in lines_of(each, switch_counts(each), count_parts(each)):
            purposes = tuple((f"{purpose} ({name})", n) for purpose, n in line.purposes)
            own = replace(line, purposes=purposes) if name else line
            before = found.get((line.part, line.length_m))
            found[line.part, line.length_m] = both(before, own) if before else own
    others = (*_devices(plan), *_power_cords(plan), *_housing(plan))
    found |= {(line.part, ""): line for line in others}
    order = {part_class: number for number, part_class in enumerate(CLASSES)}
    return priced_lines(plan, sorted(found.values(), key=lambda line: order[line.part_class]))


def bill_of(plan: Plan) -> Bom:
    """Count and price every part of a plan, with those of its networks where it has any."""
    return cluster_bom(plan) if plan.networks else make_bom(plan)


def _devices(plan: Plan) -> Iterator[BillLine]:
    """List the devices that are neither hosts nor switches by model, as far as they have one."""
    counts = Counter[str | None]()
    for group in plan.spec.devices:
        counts[group.model] += group.count
    for model, count in counts.items():
        facts = plan.catalog.device(model)
        if facts:
            yield line_of(
                "devices",
                facts.model,
                facts.part_number,
                facts.description,
                {DEVICES: count},
                facts.typical_w,
            )


def _power_cords(plan: Plan) -> Iterator[BillLine]:
    """List the power cords by model, without those that come with their devices."""
    counts: dict[PowerCord, Counter[str]] = defaultdict(Counter)
    for each in power_cords(plan):
        if each.bought:
            counts[each.part][each.purpose] += each.bought
    for cord, purposes in counts.items():
        yield line_of("cords", cord.model, cord.part_number, cord.description, {**purposes}, 0)


def _housing(plan: Plan) -> Iterator[BillLine]:
    """List the hosts and the racks."""
    for each in housing(plan):
        typical, most = each.power_w
        purposes = {each.purpose: each.quantity}
        line = line_of(each.part_class, each.part, None, each.description, purposes, typical)
        yield replace(line, unit_power_max_w=exact_watts(most))
