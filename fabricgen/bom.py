"""Parts, prices, power and spares: what must be bought.

Owns the one list of parts that every total comes from: a module is counted as it is sold (a twin-port module serves two links), while
`transceivers` in a summary counts link ends, as the rail-only paper does. A part without a price is listed as unpriced, never as 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from fabricgen.diagnostics import nearest, refuse
from fabricgen.terms import LinkKind, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog import Catalog
    from fabricgen.clos import Ints
    from fabricgen.parts import PriceBook, Transceiver
    from fabricgen.planner import Plan
    from fabricgen.spec import FabricSpec

PartClass = Literal["switches", "transceivers", "cables", "nics"]
CLASSES: tuple[PartClass, ...] = ("switches", "transceivers", "cables", "nics")
DEFAULT_BOOK = "paper-v5"


@dataclass(frozen=True)
class Line:
    """One part to buy. `unit_power_w` is typical; `unit_price` and `unit_power_w` are None where nobody knows them."""

    part_class: PartClass
    part: str
    part_number: str
    description: str
    purpose: str
    quantity: int
    spares: int
    unit_price: Decimal | None
    unit_power_w: Fraction | None

    @property
    def total(self) -> Decimal | None:
        """Price of the quantity and the spares."""
        return None if self.unit_price is None else self.unit_price * (self.quantity + self.spares)

    @property
    def power_w(self) -> Fraction | None:
        """Power of the quantity; spares lie on a shelf."""
        return None if self.unit_power_w is None else self.unit_power_w * self.quantity


@dataclass(frozen=True)
class Bom:
    """Every part of a fabric, priced by one book."""

    lines: tuple[Line, ...]
    book: PriceBook

    def cost(self, part_class: PartClass | None = None) -> Decimal | None:
        """Return the price of a class of parts, or of all; None where no part of it has a price."""
        priced = [line.total for line in self.lines if part_class in (None, line.part_class) and line.total is not None]
        return sum(priced, Decimal(0)) if priced else None

    @cached_property
    def unpriced(self) -> list[str]:
        """The parts that the book has no price for."""
        return [line.part for line in self.lines if line.unit_price is None]

    @cached_property
    def unknown_power(self) -> list[str]:
        """The parts whose power nobody published."""
        return [line.part for line in self.lines if line.unit_power_w is None]

    @property
    def power_w(self) -> float | None:
        """Typical power of the installed fabric, without hosts; None where a part's is unknown."""
        known = [line.power_w for line in self.lines]
        return None if None in known else float(sum((power for power in known if power is not None), Fraction(0)))


def price_book(spec: FabricSpec, catalog: Catalog) -> PriceBook:
    """Find the book that the inventory names, with its own prices laid over. Raises Refusal `unknown-price-book`."""
    name = spec.prices.book or DEFAULT_BOOK
    book = catalog.price_book(name)
    if book is None:
        near = nearest(name, catalog.names("prices"))
        is_path = name.endswith((".yaml", ".yml"))
        known = "a path is relative to the inventory; " if is_path else f"did you mean `{near}`? " if near else ""
        hint = f"{known}books: {', '.join(catalog.names('prices'))}, or the path of a .yaml file"
        raise refuse("unknown-price-book", f"there is no price book {'file ' if is_path else ''}`{name}`", path=("prices", "book"), hint=hint)
    return book.model_copy(update={"parts": {**book.parts, **spec.prices.parts}})


def make_bom(plan: Plan) -> Bom:
    """Count and price every part of a plan."""
    book = price_book(plan.spec, plan.catalog)
    return Bom((*_switches(plan, book), *_transceivers(plan, book), *_cables(plan, book), *_nics(plan, book)), book)


def _switches(plan: Plan, book: PriceBook) -> Iterator[Line]:
    """Count boxes by model."""
    counts: dict[str, dict[Role, int]] = defaultdict(dict)
    for role in plan.roles:
        counts[plan.request.fronts[role].model.model][role] = plan.switch_count(role)
    for part, roles in counts.items():
        model = plan.request.fronts[next(iter(roles))].model
        price = book.parts.get(part, book.switch_port(model.capacity_gbps))  # a box costs the same however its cages are split
        watts = model.typical_w if model.typical_w is not None else model.maximum_w
        yield _line(plan, "switches", part, model.part_number, model.description, {str(role): count for role, count in roles.items()}, price, watts)


def _transceivers(plan: Plan, book: PriceBook) -> Iterator[Line]:
    """Count modules by the cages that hold one: a cage whose second port is idle still needs its module."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    models: dict[str, Transceiver] = {}
    for module, purpose, count in _modules(plan):
        models[module.model] = module
        counts[module.model][purpose] += count
    for part, purposes in counts.items():
        module = models[part]
        rate = book.transceiver(module.ports * module.port_gbps)
        yield _line(plan, "transceivers", part, module.opn, module.description, purposes, book.parts.get(part, rate), module.power_w)


def _modules(plan: Plan) -> Iterator[tuple[Transceiver, str, int]]:
    """Count the cages in use, and what is in them, on hosts and on the switches of each role."""
    yield plan.joints[LinkKind.HOST].lower, "host", _host_cages(plan)
    unit, units = plan.unit, plan.mapping.units
    modules = {module.model: module for joint in plan.joints.values() for module in (joint.lower, joint.upper)}
    for role in plan.roles:
        ends: dict[str, list[tuple[Ints, Ints]]] = defaultdict(list)
        for kind, joint in plan.joints.items():
            rows = unit.kind == kind
            if kind.upper is role:
                ends[joint.upper.model].append((unit.upper[rows], unit.upper_port[rows]))
            if kind.lower is role:
                ends[joint.lower.model].append((unit.lower[rows], unit.lower_port[rows]))
        for model, pairs in ends.items():
            yield modules[model], str(role), units * _cages(plan, role, pairs)


def _cages(plan: Plan, role: Role, pairs: list[tuple[Ints, Ints]]) -> int:
    """Count the distinct cages behind (switch, port) columns of one unit; a downlink and an uplink may share one."""
    cages = np.array([used.cage for used in plan.ports[role]], dtype=np.int64)
    keys = [switch.astype(np.int64) * (cages.max(initial=0) + 1) + cages[port] for switch, port in pairs]
    return len(np.unique(np.concatenate(keys)))


def _host_cages(plan: Plan) -> int:
    """Count the hosts' cages; where the chassis is unknown each NIC port is a cage of its own."""
    request = plan.request
    if request.host is None:
        return request.gpus * request.planes
    return len(plan.hosts) * len({port.cage for port in request.host.ports if port.plane < request.planes})


def _cables(plan: Plan, book: PriceBook) -> Iterator[Line]:
    """Count cables by part."""
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for kind, joint in plan.joints.items():
        counts[joint.cable.model][kind.key.replace("_", "-")] = plan.cable_count(kind)
    for part, purposes in counts.items():
        cable = next(joint.cable for joint in plan.joints.values() if joint.cable.model == part)
        number = None if cable.lengths_m else cable.opn  # an order number is of one length, and the length is open
        yield _line(plan, "cables", part, number, cable.description, purposes, book.parts.get(part), cable.power_w or 0)


def _nics(plan: Plan, book: PriceBook) -> Iterator[Line]:
    """Count NICs, where the inventory names one."""
    nic = plan.request.nic
    if nic and plan.spec.nic.model:
        count = plan.request.gpus * plan.request.nics_per_gpu
        yield _line(plan, "nics", nic.model, nic.part_number, nic.description, {"GPUs": count}, book.parts.get(nic.model), nic.power_w)


def _line(
    plan: Plan, part_class: PartClass, part: str, number: str | None, description: str, purposes: dict[str, int], price: Decimal | None, watts: float | None
) -> Line:
    """Add up the purposes of a part and its spares."""
    quantity = sum(purposes.values())
    policy = getattr(plan.spec.spares, part_class)
    spares = max(math.ceil(Fraction(str(policy.percent)) * quantity / 100), policy.minimum)
    purpose = ", ".join(f"{name} {count}" for name, count in purposes.items())
    return Line(part_class, part, number or "", description, purpose, quantity, spares, price, None if watts is None else Fraction(str(watts)))
