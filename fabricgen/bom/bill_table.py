"""The bill of materials as the view that tables and workbooks show.

Owns the sentences on its terms and the notes on unknown figures: they are empty with a note, never
0. `views.bom` defines the shape.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.bom.amounts import decimal_text, money_text
from fabricgen.bom.bill import BESIDE, CLASSES
from fabricgen.bom.figures import module_count
from fabricgen.bom.power_cords import power_cords
from fabricgen.core.count_text import counted
from fabricgen.inventory.purchasing import NO_SPARES
from fabricgen.views.bom import BomView, PartView, SuppliedView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.bom.bill import BillLine, Bom
    from fabricgen.catalog.models.prices import Quote
    from fabricgen.inventory.purchasing import SparePolicy, Spares
    from fabricgen.planning.plan import Plan

GENERIC = "generic"
"""The vendor of cables that stand for any, which have no order numbers."""

SUPPORT = "support_pct_per_year"
QUOTED = ("supplier", "item_number", "valid_until", "lead_time_days", SUPPORT)
"""The columns of a part that its quote fills."""


def bom_view(bom: Bom, plan: Plan) -> BomView:
    """Make the view of the bill of materials of a plan and its networks."""
    parts = [_part(line, bom) for line in bom.lines]
    by_class = {name: [line for line in bom.lines if line.part_class == name] for name in CLASSES}
    sums = [_sum("subtotal", name, lines, bom) for name, lines in by_class.items() if lines]
    link_ends = sum(each.module_count() for each in (plan, *plan.networks.values()))
    return BomView(
        fabric=plan.spec.name,
        design=plan.fabric.design.value,
        currency=bom.book.currency,
        price_book=bom.book.name,
        parts=parts,
        sums=[*sums, _sum("total", "", list(bom.lines), bom)],
        unpriced=[part for part in parts if not part.unit_price],
        link_ends=str(link_ends),
        modules=str(module_count(bom)),
        terms=[
            *terms_text(bom, plan.spec.spares),
            *_lengths_text(bom, plan),
            *_cords_text(plan),
            *_power_note(bom),
        ],
        supplied=[
            SuppliedView(each.part.model, each.model, each.purpose, str(each.supplied))
            for each in power_cords(plan)
            if each.supplied
        ],
    )


def terms_text(bom: Bom, spares: Spares) -> Iterator[str]:
    """Yield sentences on discounts, currency of payment and the policy of spares."""
    asked, used = (
        bom.terms.asked,
        [name for name in CLASSES if any(line.part_class == name for line in bom.lines)],
    )
    own = {name: off for name in used if (off := getattr(asked.discount, name)) is not None}
    if asked.discount.all or any(own.values()):
        every = (
            [f"{asked.discount.all.normalize():f} % off every price of the book"]
            if asked.discount.all or not own
            else []
        )
        by_class = [f"{off.normalize():f} % off {name}" for name, off in own.items()]
        yield f"discount: {', '.join([*every, *by_class])}; the inventory's own prices are net"
    if asked.exchange:
        rate = f"{asked.exchange.rate.normalize():f}"
        yield (
            f"paid in {asked.exchange.currency} at {rate} for 1 {bom.terms.book_currency}, the rate"
            f" of {asked.exchange.date} as the inventory states it"
        )
        if as_they_are := sorted(asked.parts.keys() - asked.stated.keys()):
            yield (
                f"own prices of {', '.join(as_they_are)} are {asked.exchange.currency}, and not"
                " exchanged"
            )
    policies = [
        text for name in used if (text := _policy(name, getattr(spares, name, None) or NO_SPARES))
    ]
    if policies:
        yield f"spares, once for the whole inventory, which is one site: {'; '.join(policies)}"
    packed = _distinct(f"{line.part} {line.pack} to a pack" for line in bom.lines if line.pack > 1)
    if packed:
        yield f"sold in packs, which quantity and spares fill: {', '.join(packed)}"


def _lengths_text(bom: Bom, plan: Plan) -> Iterator[str]:
    """Yield sentences on assumed lengths, and on lengths whose order number is not known."""
    cables = [line for line in bom.lines if line.part_class == "cables" and line.length_m]
    if cables and plan.lengths and plan.lengths.room.generated:
        yield "lengths are those of a generated room: describe yours under `site` before you order"
    unknown: dict[str, list[str]] = defaultdict(list)
    for line in cables:
        cable = plan.catalog.cable(line.part)
        if not line.part_number and cable and cable.vendor != GENERIC:
            unknown[line.part].append(line.length_m)
    if unknown:
        listed = "; ".join(f"{part} of {', '.join(each)} m" for part, each in unknown.items())
        yield f"the catalog states no order number of {listed}"


def _cords_text(plan: Plan) -> Iterator[str]:
    """Yield sentences on the power cords that are not bought, and on the length of the others."""
    cords = [*power_cords(plan)]
    for each in cords:
        if each.supplied:
            yield (
                f"{counted(each.supplied, 'power cord', 'power cords')} {each.part.model} of"
                f" {each.purpose}, in no line of the bill: each {each.model} has"
                f" {each.supplied_each} in its box"
            )
    if any(each.bought for each in cords):
        yield (
            "the lengths of power cords are yours to choose: the catalog does not know where the"
            " outlets of a PDU are"
        )
    if unknown := sorted({each.model for each in cords if each.bought and not each.part.inlet}):
        yield f"the catalog does not know the inlets of {', '.join(unknown)}: look their cords up"


def _power_note(bom: Bom) -> Iterator[str]:
    """Yield a sentence on the power of boxes that no sum has."""
    if any(line.part_class in BESIDE for line in bom.lines):
        yield "sums of power are without hosts and devices, whose power loads.csv has"


def _policy(name: str, policy: SparePolicy) -> str:
    """Format a policy of spares; empty where it asks for none."""
    least = f"at least {policy.minimum} of each" if policy.minimum else ""
    share = f"{policy.percent:g} %" if policy.percent else ""
    amounts = [text for text in (share, least) if text]
    return f"{name} {' and '.join(amounts)}" if amounts else ""


def _part(line: BillLine, bom: Bom) -> PartView:
    """Make the view of one part."""
    offer = line.offer
    origin = offer.book if offer else None
    book = "" if offer is None else origin.name if origin else "inventory"
    return PartView(
        row="part",
        part_class=line.part_class,
        part=line.part,
        length_m=line.length_m,
        part_number=line.part_number,
        description=line.description,
        purpose=line.purpose,
        quantity=str(line.quantity),
        spares=str(line.spares),
        order=str(line.order),
        unit_price=money_text(line.unit_price),
        price_book=book,
        price_date=str((origin and origin.date) or ""),
        currency=bom.book.currency if offer else "",
        total=money_text(line.total),
        power_w=decimal_text(line.power_w),
        pack=str(line.pack),
        list_price=money_text(line.list_price),
        list_currency=offer.currency if offer else "",
        discount_pct=_percent(line.discount_pct),
        power_max_w=decimal_text(line.power_max_w),
        **_quoted(line.quote),
        support_pct_per_year=_support(line, bom),
    )


def _quoted(quote: Quote | None) -> dict[str, str]:
    """Return the terms of a quote as texts."""
    facts = {} if quote is None else quote.model_dump(include={*QUOTED}, exclude_none=True)
    return {key: str(fact) for key, fact in facts.items() if key != SUPPORT}


def _support(line: BillLine, bom: Bom) -> str:
    """Return the support of a part in a year, in per cent of its price."""
    share = bom.book.support_pct(line.part, line.length_m, line.part_number)
    return "" if share is None else _percent(share)


def _percent(value: Decimal) -> str:
    """Format a discount; empty where there is none."""
    return f"{value.normalize():f}" if value else ""


class Sums(NamedTuple):
    """The sums of some lines as texts: prices as far as they are known, power where all of it is.

    The note names the parts that a sum leaves out.
    """

    currency: str
    total: str
    power_w: str
    note: str


def add_up(counted: Sequence[tuple[BillLine, Decimal | None, Fraction | None]], bom: Bom) -> Sums:
    """Add up lines, each with the total and the typical power that are counted of it.

    Power is that of networks.
    """
    powers = [each for each in counted if each[0].part_class not in BESIDE]
    priced = [total for _, total, _ in counted if total is not None]
    missing = [
        ("unpriced", bom.unpriced_of(line.item for line, _, _ in counted)),
        ("power unknown", _distinct(line.part for line, _, power in powers if power is None)),
    ]
    return Sums(
        bom.book.currency if priced else "",
        money_text(sum(priced, Decimal(0))) if priced else "",
        _power_text([power for _, _, power in powers]),
        "; ".join(f"{what}: {', '.join(names)}" for what, names in missing if names),
    )


def _power_text(powers: Sequence[Fraction | None]) -> str:
    """Add up powers; empty where one is not known, and where there is none."""
    known = [power for power in powers if power is not None]
    return decimal_text(sum(known, Fraction(0))) if known and len(known) == len(powers) else ""


def _sum(row: str, part_class: str, lines: list[BillLine], bom: Bom) -> PartView:
    """Make the row of a sum."""
    sums = add_up([(line, line.total, line.power_w) for line in lines], bom)
    return PartView(
        row=row,
        part_class=part_class,
        part=f"all {part_class or 'parts'}",
        part_number="",
        description=sums.note,
        purpose="",
        quantity="",
        spares="",
        unit_price="",
        price_book="",
        price_date="",
        currency=sums.currency,
        total=sums.total,
        power_w=sums.power_w,
        power_max_w=_power_text(
            [line.power_max_w for line in lines if line.part_class not in BESIDE]
        ),
    )


def _distinct(names: Iterable[str]) -> list[str]:
    """Return names in their order, each once."""
    return list(dict.fromkeys(names))
