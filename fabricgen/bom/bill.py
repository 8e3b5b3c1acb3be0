"""Parts, prices, power and spares: what must be bought.

Owns the one list of parts that every total comes from: a module is counted as it is sold (a
twin-port module serves two links), while `transceivers` in a summary counts link ends, as the
rail-only paper does. A part without a price is listed as unpriced, never as 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from fabricgen.bom.counts import count_parts, item_name
from fabricgen.bom.pricing import terms_of
from fabricgen.planning.price_book import price_book

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from fabricgen.bom.counts import PartCounts
    from fabricgen.bom.pricing import Terms
    from fabricgen.catalog.models.prices import PriceBook, Quote
    from fabricgen.core.terms import Role
    from fabricgen.inventory.purchasing import SparePolicy, Spares
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan

Named = TypeVar("Named")
"""A model, or a model and a length."""

PartClass = Literal["switches", "transceivers", "cables", "nics"]
CLASSES: tuple[PartClass, ...] = ("switches", "transceivers", "cables", "nics")


@dataclass(frozen=True, kw_only=True)
class BillLine:
    """One part to buy; of cables, one part of one length.

    `unit_power_w` is the typical power of one, `unit_power_max_w` the maximum; powers and prices
    are None where they are unknown. `purposes` list what it is for, with a count each: a role, a
    kind of link, or GPUs. `spares` follow the policy, filled up to whole packs. `list_price` is the
    book's, in its currency; `unit_price` is the price paid.
    """

    part_class: PartClass
    part: str
    length_m: str = ""
    """Length of a cable in metres; empty for other parts, and where no lengths are planned."""
    part_number: str
    description: str
    purposes: tuple[tuple[str, int], ...]
    quantity: int
    spares: int = 0
    list_price: Decimal | None
    unit_power_w: Fraction | None
    unit_power_max_w: Fraction | None
    unit_price: Decimal | None = None
    discount_pct: Decimal = Decimal(0)
    pack: int = 1
    quote: Quote | None = None
    """The quote that the price is from, with the terms of its supplier."""

    @property
    def item(self) -> str:
        """The name of what is ordered: the part, and for a cable its length."""
        return item_name(self.part, self.length_m)

    @property
    def order(self) -> int:
        """The number to order: the quantity and its spares, in whole packs."""
        return self.quantity + self.spares

    @property
    def purpose(self) -> str:
        """The purposes as text, like `leaf 64, spine 32`."""
        return ", ".join(f"{name} {count}" for name, count in self.purposes)

    @property
    def total(self) -> Decimal | None:
        """Price of the order."""
        return None if self.unit_price is None else self.unit_price * self.order

    @property
    def power_w(self) -> Fraction | None:
        """Power of the quantity; spares are not powered."""
        return None if self.unit_power_w is None else self.unit_power_w * self.quantity

    @property
    def power_max_w(self) -> Fraction | None:
        """Maximum power of the quantity."""
        return None if self.unit_power_max_w is None else self.unit_power_max_w * self.quantity


@dataclass(frozen=True)
class Bom:
    """Every part of a fabric, priced by one book; `book.currency` is the currency of payment."""

    lines: tuple[BillLine, ...]
    book: PriceBook
    terms: Terms

    def cost(self, part_class: PartClass | None = None) -> Decimal | None:
        """Return the price of a class of parts, or of all; None where no part of it has a price."""
        priced = [
            line.total
            for line in self.lines
            if part_class in (None, line.part_class) and line.total is not None
        ]
        return sum(priced, Decimal(0)) if priced else None

    @cached_property
    def unpriced_lines(self) -> tuple[BillLine, ...]:
        """The lines without a price in the book."""
        return tuple(line for line in self.lines if line.unit_price is None)

    @cached_property
    def unpriced(self) -> list[str]:
        """The parts without a price in the book, or the items of a part with a few prices."""
        return self.unpriced_of(line.item for line in self.unpriced_lines)

    def unpriced_of(self, items: Iterable[str]) -> list[str]:
        """Return those of some items that have no price, by part where no length of it has one."""
        priced = {line.part for line in self.lines if line.unit_price is not None}
        missing = {line.item: line.part for line in self.unpriced_lines}
        names = (
            item if missing[item] in priced else missing[item] for item in items if item in missing
        )
        return list(dict.fromkeys(names))

    @cached_property
    def unknown_power(self) -> list[str]:
        """The parts whose power is not published."""
        unknown = (line.part for line in self.lines if line.unit_power_w is None)
        return list(dict.fromkeys(unknown))

    @property
    def power_w(self) -> float | None:
        """Typical power of the installed fabric, without hosts; None where a part's is unknown."""
        known = [line.power_w for line in self.lines]
        return (
            None
            if None in known
            else float(sum((power for power in known if power is not None), Fraction(0)))
        )


def role_of(purpose: str) -> str:
    """Return the role that a purpose belongs to: parts of hosts to hosts, a cable to its lower end.

    >>> [role_of(purpose) for purpose in ("host", "GPUs", "leaf", "leaf-spine", "spine-core")]
    ['host', 'host', 'leaf', 'leaf', 'spine']
    """
    return {"GPUs": "host"}.get(purpose, purpose.split("-", maxsplit=1)[0])


def make_bom(plan: Plan) -> Bom:
    """Count and price every part of a plan."""
    return priced(plan, {role: plan.switch_count(role) for role in plan.roles}, count_parts(plan))


def priced(draft: Draft, switches: dict[Role, int], counted: PartCounts) -> Bom:
    """Price the switches of each role, and counted modules and cables; no links are needed."""
    spec = draft.spec
    book = price_book(spec, draft.catalog)
    terms = terms_of(spec, book)
    lines = (
        *_switches(draft, switches, book),
        *_transceivers(draft, counted, book),
        *_cables(draft, counted),
        *_nics(draft),
    )
    bought = tuple(_bought(line, spec.spares, book, terms) for line in lines)
    return Bom(bought, book.model_copy(update={"currency": terms.currency}), terms)


def _switches(draft: Draft, switches: dict[Role, int], book: PriceBook) -> Iterator[BillLine]:
    """List boxes by model."""
    counts: dict[str, dict[Role, int]] = defaultdict(dict)
    for role, count in switches.items():
        counts[draft.fabric.port_layouts[role].model.model][role] = count
    for part, roles in counts.items():
        model = draft.fabric.port_layouts[next(iter(roles))].model
        watts = model.typical_w if model.typical_w is not None else model.maximum_w
        line = _line(
            "switches",
            part,
            model.part_number,
            model.description,
            {str(role): count for role, count in roles.items()},
            watts,
            book.switch_port(model.capacity_gbps),  # of a box, however its cages are split
        )
        yield replace(line, unit_power_max_w=_watts(model.maximum_w))


def _transceivers(draft: Draft, counted: PartCounts, book: PriceBook) -> Iterator[BillLine]:
    """List the modules by model."""
    models = {
        module.model: module for joint in draft.candidates for module in joint.modules.values()
    }
    for part, purposes in _by_part(counted.modules).items():
        module = models[part]
        yield _line(
            "transceivers",
            part,
            module.opn,
            module.description,
            purposes,
            module.power_w,
            book.transceiver(module.ports * module.port_gbps),
        )


def _cables(draft: Draft, counted: PartCounts) -> Iterator[BillLine]:
    """List the cables by model and length, the models in their order and the shortest first."""
    cables = {joint.cable.model: joint.cable for joint in draft.candidates}
    named = {kind.key.replace("_", "-"): items for kind, items in counted.cables.items()}
    order = {item.model: place for place, item in reversed([*enumerate(_by_part(named))])}
    for item, purposes in sorted(
        _by_part(named).items(),
        key=lambda each: (order[each[0].model], Decimal(each[0].length_m or 0)),
    ):
        cable = cables[item.model]
        line = _line(
            "cables",
            item.model,
            cable.order_number(item.length_m),
            cable.description,
            purposes,
            cable.power_w or 0,
        )
        yield replace(line, length_m=item.length_m)


def _by_part(counted: dict[str, Counter[Named]]) -> dict[Named, dict[str, int]]:
    """Regroup the counts of models by purpose into purposes by model."""
    found: dict[Named, dict[str, int]] = defaultdict(dict)
    for purpose, models in counted.items():
        for model, count in models.items():
            found[model][purpose] = count
    return found


def _nics(draft: Draft) -> Iterator[BillLine]:
    """Count NICs, where the inventory names one."""
    nic = draft.fabric.nic
    if nic and draft.spec.nic.model:
        count = draft.fabric.gpus * draft.fabric.nics_per_gpu
        yield _line(
            "nics", nic.model, nic.part_number, nic.description, {"GPUs": count}, nic.power_w
        )


def _line(
    part_class: PartClass,
    part: str,
    number: str | None,
    description: str,
    purposes: dict[str, int],
    watts: float | None,
    rate: Decimal | None = None,
) -> BillLine:
    """Make the line of a part without spares, at the book's rate for its bandwidth.

    A part with one known power draws no more than that at most.
    """
    power = _watts(watts)
    return BillLine(
        part_class=part_class,
        part=part,
        part_number=number or "",
        description=description,
        purposes=tuple(purposes.items()),
        quantity=sum(purposes.values()),
        list_price=rate,
        unit_power_w=power,
        unit_power_max_w=power,
    )


def _bought(line: BillLine, spares: Spares, book: PriceBook, terms: Terms) -> BillLine:
    """Add price and spares: discount and exchange rate apply, and the last pack is filled.

    A price of the inventory comes before a quote, that before the book's, and its rate is last.
    """
    part, part_class = line.part, line.part_class
    own = part in terms.asked.parts
    quote = None if own else book.quote(part, line.length_m, line.part_number)
    price = quote.price if quote else book.parts.get(part, line.list_price)
    policy: SparePolicy = getattr(spares, part_class)
    pack = policy.pack or book.packs.get(part, 1)
    filled = -(-(line.quantity + spare_count(policy, line.quantity)) // pack) * pack
    return replace(
        line,
        list_price=price,
        unit_price=None if price is None else terms.paid(price, part_class, part),
        discount_pct=Decimal(0) if price is None else terms.discount_pct(part_class, part),
        spares=filled - line.quantity,
        pack=pack,
        quote=quote,
    )


def spare_count(policy: SparePolicy, quantity: int) -> int:
    """Return the spares of a part by its policy.

    >>> from fabricgen.inventory.purchasing import SparePolicy
    >>> spare_count(SparePolicy(percent=2, minimum=2), 1536)
    31
    """
    return max(math.ceil(Fraction(str(policy.percent)) * quantity / 100), policy.minimum)


def _watts(value: float | None) -> Fraction | None:
    """Return a power as an exact fraction of its decimal text."""
    return None if value is None else Fraction(str(value))
