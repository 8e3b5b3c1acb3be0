"""The bill of a plan or a draft: its counted parts, with prices and spares.

`cluster_bill` adds networks, `counts` counts modules and cables, `planning.price_book` finds the
prices, and `pricing` owns discounts and exchange. A part is priced by the inventory, else by the
first book that has a price: of a quote, of the part, or by a rate.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from fabricgen.bom.bill import BillLine, Bom
from fabricgen.bom.counts import count_parts
from fabricgen.bom.pricing import terms_of
from fabricgen.core.terms import Role
from fabricgen.inventory.purchasing import NO_SPARES
from fabricgen.planning.price_book import price_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.bom.bill import PartClass
    from fabricgen.bom.counts import PartCounts
    from fabricgen.bom.pricing import Terms
    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.prices import PriceBook
    from fabricgen.catalog.models.switch import Switch
    from fabricgen.inventory.purchasing import SparePolicy, Spares
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.price_book import Offer

Named = TypeVar("Named")
"""A model, or a model and a length."""


def make_bom(plan: Plan) -> Bom:
    """Count and price every part of a plan."""
    return priced(plan, switch_counts(plan), count_parts(plan))


def switch_counts(plan: Plan) -> dict[Role, int]:
    """Count the switches of a plan by role; devices on leaves of compute have none of their own."""
    counts = {role: plan.switch_count(role) for role in plan.roles}
    return {role: count for role, count in counts.items() if count}


def both(line: BillLine, other: BillLine) -> BillLine:
    """Return the line of a part that is bought for two purposes."""
    return replace(
        line,
        purposes=line.purposes + other.purposes,
        quantity=line.quantity + other.quantity,
    )


def priced(draft: Draft, switches: dict[Role, int], counted: PartCounts) -> Bom:
    """Price the switches of each role, and counted modules and cables; no links are needed."""
    return priced_lines(draft, lines_of(draft, switches, counted))


def lines_of(draft: Draft, switches: dict[Role, int], counted: PartCounts) -> list[BillLine]:
    """List the counted parts of a draft, without spares and prices of parts."""
    books = price_list(draft.spec, draft.catalog).books
    cables: dict[tuple[str, str], BillLine] = {}
    for line in (*_cables(draft, counted), *_patching(counted)):
        before = cables.get((line.part, line.length_m))
        cables[line.part, line.length_m] = both(before, line) if before else line
    return [
        *_switches(draft, switches, books),
        *_transceivers(draft, counted, books),
        *cables.values(),
        *_nics(draft),
    ]


def priced_lines(draft: Draft, lines: Iterable[BillLine]) -> Bom:
    """Add prices and spares to the lines of a bill."""
    spec = draft.spec
    prices = price_list(spec, draft.catalog)
    terms = terms_of(prices)
    installed: dict[str, int] = {}
    if spec.spare.leaves_per_rail:
        leaf = draft.fabric.port_layouts[Role.LEAF].model.model
        installed[leaf] = draft.mapping.spare_leaves
    counted = list(lines)
    offers = prices.offers(
        [(line.part, line.length_m, line.part_number, line.rates) for line in counted]
    )
    bought = tuple(
        _bought(line, offer, spec.spares, prices.books, terms, installed.get(line.part, 0))
        for line, offer in zip(counted, offers, strict=True)
    )
    return Bom(bought, prices.book.model_copy(update={"currency": terms.currency}), terms)


def _switches(
    draft: Draft, switches: dict[Role, int], books: tuple[PriceBook, ...]
) -> Iterator[BillLine]:
    """List boxes by model."""
    counts: dict[str, dict[Role, int]] = defaultdict(dict)
    for role, count in switches.items():
        counts[draft.fabric.port_layouts[role].model.model][role] = count
    for part, roles in counts.items():
        model = draft.fabric.port_layouts[next(iter(roles))].model
        line = line_of(
            "switches",
            part,
            model.part_number,
            model.description,
            {str(role): count for role, count in roles.items()},
            model.typical_w,
            tuple(_rate(model, book) for book in books),
        )
        yield replace(line, unit_power_max_w=exact_watts(model.maximum_w))


def _rate(model: Switch, book: PriceBook) -> Decimal | None:
    """Return the price of a box by the book's rates, however its cages are split.

    A panel and a console server have none: neither rate is one of their ports.
    """
    if model.transport == "serial":
        return None
    if model.circuits is None:
        return book.switch_port(model.capacity_gbps)
    return None if model.circuits.moved_by == "hand" else book.circuit_switch(model.cages)


def _transceivers(
    draft: Draft, counted: PartCounts, books: tuple[PriceBook, ...]
) -> Iterator[BillLine]:
    """List the modules by model."""
    models = {
        module.model: module for joint in draft.candidates for module in joint.modules.values()
    }
    for part, purposes in _by_part(counted.modules).items():
        module = models[part]
        yield line_of(
            "transceivers",
            part,
            module.opn,
            module.description,
            purposes,
            module.power_w,
            tuple(book.transceiver(module.ports * module.port_gbps) for book in books),
        )


def _cables(draft: Draft, counted: PartCounts) -> Iterator[BillLine]:
    """List the cables by model and length, the models in their order and the shortest first."""
    cables = {cable.model: cable for cable in _used_cables(draft)}
    named = {kind.key.replace("_", "-"): items for kind, items in counted.cables.items()}
    order = {item.model: place for place, item in reversed([*enumerate(_by_part(named))])}
    for item, purposes in sorted(
        _by_part(named).items(),
        key=lambda each: (order[each[0].model], Decimal(each[0].length_m or 0)),
    ):
        cable = cables[item.model]
        line = line_of(
            "cables",
            item.model,
            cable.order_number(item.length_m),
            cable.description,
            purposes,
            cable.power_w or 0,
        )
        yield replace(line, length_m=item.length_m)


def _used_cables(draft: Draft) -> Iterator[Cable]:
    """Yield the cables that links may take, and the jumpers that the inventory names."""
    yield from (joint.cable for joint in draft.candidates)
    cabling = draft.fabric.spec.cabling
    jumpers = cabling.jumpers if cabling else None
    for model in (jumpers.lower, jumpers.upper) if jumpers else ():
        cable = draft.catalog.cable(model) if model else None
        if cable:
            yield cable


def _patching(counted: PartCounts) -> Iterator[BillLine]:
    """List trunks, panels, cassettes and cords."""
    for purpose, part, length_m, description, quantity in counted.patching:
        line = line_of("cables", part, None, description, {purpose: quantity}, 0)
        yield replace(line, length_m=length_m)


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
        yield line_of(
            "nics", nic.model, nic.part_number, nic.description, {"GPUs": count}, nic.power_w
        )


def line_of(
    part_class: PartClass,
    part: str,
    number: str | None,
    description: str,
    purposes: dict[str, int],
    watts: float | None,
    rates: tuple[Decimal | None, ...] = (),
) -> BillLine:
    """Make the line of a part without spares, with the rates of the price books for its bandwidth.

    A part with one known power draws no more than that at most.
    """
    power = exact_watts(watts)
    return BillLine(
        part_class=part_class,
        part=part,
        part_number=number or "",
        description=description,
        purposes=tuple(purposes.items()),
        quantity=sum(purposes.values()),
        rates=rates,
        unit_power_w=power,
        unit_power_max_w=power,
    )


def _bought(
    line: BillLine,
    offer: Offer | None,
    spares: Spares,
    books: tuple[PriceBook, ...],
    terms: Terms,
    installed: int,
) -> BillLine:
    """Add price and spares: discount and exchange rate apply, and the last pack is filled.

    `installed` spares are beside those on the shelf.
    """
    part, part_class = line.part, line.part_class
    policy: SparePolicy = getattr(spares, part_class, None) or NO_SPARES
    packs = (book.packs[part] for book in books if part in book.packs)
    pack = policy.pack or next(packs, 1)
    ordered = line.quantity + spare_count(policy, line.quantity) + installed
    filled = -(-ordered // pack) * pack
    return replace(
        line,
        list_price=offer.price if offer else None,
        unit_price=terms.paid(offer, part_class, part) if offer else None,
        discount_pct=terms.discount_pct(part_class, part) if offer else Decimal(0),
        spares=filled - line.quantity,
        pack=pack,
        rates=(),
        offer=offer,
    )


def spare_count(policy: SparePolicy, quantity: int) -> int:
    """Return the spares of a part by its policy.

    >>> from fabricgen.inventory.purchasing import SparePolicy
    >>> spare_count(SparePolicy(percent=2, minimum=2), 1536)
    31
    """
    return max(math.ceil(Fraction(str(policy.percent)) * quantity / 100), policy.minimum)


def exact_watts(value: float | None) -> Fraction | None:
    """Return a power as an exact fraction of its decimal text."""
    return None if value is None else Fraction(str(value))
