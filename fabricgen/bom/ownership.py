"""What a fabric costs to buy and to run in each design, and which prices decide between them.

Owns the keys of `cost --json`. Every figure follows from prices, percentages and powers that the
inventory, the price book or the catalog states; what none of them states is left out and named.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from fabricgen.bom.bill import CLASSES, NETWORK_CLASSES
from fabricgen.bom.comparison import bound, saving_pct
from fabricgen.bom.owned_bom import GROUPS, HOURS_PER_YEAR, OwnedBom
from fabricgen.bom.summary import number
from fabricgen.core.document import Document, flat
from fabricgen.core.terms import Design
from fabricgen.inventory.purchasing import Ownership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.bill import BillLine, Bom
    from fabricgen.bom.comparison import Bound, Comparison
    from fabricgen.planning.plan import Plan

CHANGES_PCT = (-20, 20)
"""Changes of prices, in per cent."""


@dataclass(frozen=True, kw_only=True)
class OwnershipTerms(Document):
    """The terms of a cost of ownership; None where one is not stated."""

    years: int | None
    kwh_price: float | None
    pue: float | None
    hours_per_year: int = HOURS_PER_YEAR


@dataclass(frozen=True, kw_only=True)
class DesignCost(Document):
    """The cost of one design; None where its terms or every price are missing.

    `capital` is by class of parts, spares included. Sums are of the parts with a price, a
    percentage or a power; the last three lists name the parts without.
    """

    design: str
    capital: dict[str, float | None]
    support_per_year: float | None
    support: float | None
    power_w: float
    energy_kwh: float | None
    energy: float | None
    total: float | None
    total_per_gpu: float | None
    total_per_gbps: float | None
    unpriced: list[str]
    without_support: list[str]
    unknown_power: list[str]


@dataclass(frozen=True)
class TotalSaving(Document):
    """What rail-only saves of a total, in per cent, and how unpriced parts bound it."""

    total_pct: float | None
    bound: Bound


@dataclass(frozen=True, kw_only=True)
class PriceChange(Document):
    """The totals by design after a change of the prices of a group, and the savings of rail-only.

    `savings_pct` is by the other design.
    """

    group: str
    change_pct: int
    totals: dict[str, float]
    savings_pct: dict[str, float | None]


@dataclass(frozen=True, kw_only=True)
class BreakEven(Document):
    """At which prices of a group rail-only costs as much as another design.

    `price_pct` is that price in per cent of today's, None where there is none; `prices` are those
    of the models that both designs have. `rail_only_is_cheaper` above or below it, or at every
    price.
    """

    against: str
    group: str
    price_pct: float | None
    prices: dict[str, float]
    rail_only_is_cheaper: Literal["always", "never", "above", "below", "same"]


@dataclass(frozen=True, kw_only=True)
class OwnershipCost(Document):
    """The cost of ownership of one cluster in each design: `cost --json`."""

    name: str
    gpus: int
    nic_gbps: int
    """Total bandwidth of all NIC ports, in one direction."""
    currency: str
    book: str
    terms: OwnershipTerms
    designs: list[DesignCost]
    refused: list[dict[str, str]]
    savings: dict[str, TotalSaving]
    """What rail-only saves of the total of each other design."""
    sensitivity: list[PriceChange]
    break_even: list[BreakEven]
    missing: list[str]
    """What no sum contains, each with the reason."""

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each design."""
        return [flat(each.document()) | {"currency": self.currency} for each in self.designs]


def cost_of_ownership(comparison: Comparison) -> OwnershipCost:
    """Compute the cost of ownership of each design by the terms of its inventory."""
    asked = comparison.built[0][0].spec.ownership or Ownership()
    owned = {plan.fabric.design: OwnedBom(plan, bom, asked) for plan, bom in comparison.built}
    ours, first = owned.get(Design.RAIL_ONLY), next(iter(owned.values()))
    others = [each for design, each in owned.items() if design is not Design.RAIL_ONLY]
    return OwnershipCost(
        name=first.plan.spec.name,
        gpus=first.plan.fabric.gpus,
        nic_gbps=nic_gbps(first.plan),
        currency=first.bom.book.currency,
        book=first.bom.book.name,
        terms=OwnershipTerms(
            years=asked.years, kwh_price=number(asked.kwh_price), pue=number(asked.pue)
        ),
        designs=[_design(each) for each in owned.values()],
        refused=[
            {"design": design.value, "code": finding.code, "fact": finding.fact}
            for design, finding in comparison.refused
        ],
        savings={
            other.design: TotalSaving(
                _saving_pct(ours.total, other.total),
                bound(ours_unpriced=_is_partial(ours), theirs_unpriced=_is_partial(other)),
            )
            for other in others
            if ours
        },
        sensitivity=list(_sensitivity(list(owned.values()))),
        break_even=[
            _break_even(ours, other, group) for other in others for group in GROUPS if ours
        ],
        missing=[
            *_missing(asked, list(owned.values())),
            *(f"the network {name} beside the compute fabric" for name in comparison.networks),
        ],
    )


def _is_partial(owned: OwnedBom) -> bool:
    """Return whether a total lacks the price of a part, or the energy of one."""
    return owned.bom.is_partial() or (owned.energy is not None and bool(_unpowered(owned.bom)))


def _unpowered(bom: Bom) -> list[str]:
    """Return the parts whose typical power is not published."""
    return _parts(bom, [line for line in bom.lines if line.unit_power_w is None])


def nic_gbps(plan: Plan) -> int:
    """Return the bandwidth of all NIC ports in one direction."""
    return plan.fabric.gpus * plan.fabric.planes * plan.fabric.speed_gbps


def _design(owned: OwnedBom) -> DesignCost:
    """Return the cost of a design."""
    plan, bom, years = owned.plan, owned.bom, owned.asked.years
    yearly = sum(owned.support_per_year.values(), Fraction())
    total = None if bom.cost() is None else owned.total
    return DesignCost(
        design=owned.design,
        capital={
            name: number(bom.cost(name))
            for name in CLASSES
            if name in NETWORK_CLASSES or bom.has(name)
        }
        | {"total": number(bom.cost())},
        support_per_year=_money(yearly) if owned.states_support else None,
        support=_money(yearly * years) if owned.states_support and years else None,
        power_w=number(owned.power_w) or 0,
        energy_kwh=_money(owned.energy_kwh),
        energy=_money(owned.energy),
        total=_money(total),
        total_per_gpu=_money(None if total is None else total / plan.fabric.gpus),
        total_per_gbps=_money(None if total is None else total / nic_gbps(plan)),
        unpriced=bom.unpriced,
        without_support=_parts(
            bom, [line for line in bom.lines if owned.support_pct(line) is None]
        ),
        unknown_power=_unpowered(bom),
    )


def _parts(bom: Bom, lines: list[BillLine]) -> list[str]:
    """Return the parts of some lines of a bill, each once."""
    return list(dict.fromkeys(line.part for line in bom.lines if line in lines))


def _money(value: Fraction | None) -> float | None:
    """Round an amount to cents."""
    return None if value is None else number(round(value, 2))


def _saving_pct(ours: Fraction, theirs: Fraction) -> float | None:
    """Return what rail-only saves of the total of another design, in per cent."""
    return saving_pct(float(ours), float(theirs))


def _sensitivity(owned: list[OwnedBom]) -> Iterator[PriceChange]:
    """Yield the totals after each change of prices."""
    for group, change in product(GROUPS, CHANGES_PCT):
        totals = {each.design: each.changed(group, change) for each in owned}
        ours = totals.get(Design.RAIL_ONLY.value)
        yield PriceChange(
            group=group,
            change_pct=change,
            totals={design: float(round(total, 2)) for design, total in totals.items()},
            savings_pct={
                design: _saving_pct(ours, total)
                for design, total in totals.items()
                if ours is not None and design != Design.RAIL_ONLY
            },
        )


def _break_even(ours: OwnedBom, other: OwnedBom, group: str) -> BreakEven:
    """Return at which prices of a group rail-only costs as much as another design."""
    less = other.of_group(group) - ours.of_group(group)
    rest = (ours.total - ours.of_group(group)) - (other.total - other.of_group(group))
    factor = rest / less if less else None
    factor = factor if factor and factor > 0 else None
    return BreakEven(
        against=other.design,
        group=group,
        price_pct=None if factor is None else round(float(100 * factor), 1),
        prices={} if factor is None else _prices(ours, other, group, factor),
        rail_only_is_cheaper=(
            ("above" if less > 0 else "below")
            if factor
            else "same"
            if ours.total == other.total
            else "always"
            if ours.total < other.total
            else "never"
        ),
    )


def _prices(ours: OwnedBom, other: OwnedBom, group: str, factor: Fraction) -> dict[str, float]:
    """Return the price at which both cost alike of each model that both designs have.

    A cable whose lengths differ in price has one for each length.
    """
    theirs = {line.part for line in other.bom.lines}
    prices: dict[str, dict[str, Fraction]] = {}
    for line in ours.bom.lines:
        if line.part_class in GROUPS[group] and line.part in theirs and line.unit_price is not None:
            prices.setdefault(line.part, {})[line.item] = Fraction(line.unit_price) * factor
    return {
        name: float(round(price, 2))
        for part, items in prices.items()
        for name, price in _by_length(part, items).items()
    }


def _by_length(part: str, items: dict[str, Fraction]) -> dict[str, Fraction]:
    """Return the prices of the lengths of a part; one for the part where they agree."""
    alike = {*items.values()}
    return {part: alike.pop()} if len(alike) == 1 else items


def _missing(asked: Ownership, owned: list[OwnedBom]) -> Iterator[str]:
    """Yield each thing that no sum contains, and the reason."""
    designs = [_design(each) for each in owned]

    def named(key: str) -> str:
        return ", ".join(dict.fromkeys(part for each in designs for part in getattr(each, key)))

    if asked.years is None:
        yield "support and energy (no years: `--years`, or `ownership.years`)"
    if asked.kwh_price is None:
        yield "energy (no price of a kilowatt-hour: `--kwh`, or `ownership.kwh_price`)"
    elif asked.pue is None:
        yield "energy of cooling and power supply (no PUE: `--pue`, or `ownership.pue`)"
    if not any(each.states_support for each in owned):
        yield (
            "support (no percentage: `support_pct_per_year` of the price book, or"
            " `ownership.support_pct`)"
        )
    elif parts := named("without_support"):
        yield f"support of {parts} (no percentage)"
    if parts := named("unpriced"):
        yield f"{parts} (no price), so that sums are at least those that are printed"
    if parts := named("unknown_power"):
        yield (
            f"energy of {parts} (typical power is not published), so that energy and totals are at"
            " least those that are printed"
        )
    yield "hosts, GPUs, racks, power distribution, licences, freight, tax and labor"
