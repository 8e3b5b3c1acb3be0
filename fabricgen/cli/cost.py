"""`cost`: what each design costs to buy and to run, and which prices decide between them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, grouped, print_result, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.bom.ownership import BreakEven, OwnershipCost


@click.command(
    cls=Command,
    examples=(
        "fabricgen cost fabric.yaml --years 4 --kwh 0.12 --pue 1.3",
        "fabricgen cost fabric.yaml --years 5 --set ownership.support_pct.switches=8",
    ),
)
@fabric_arguments
@click.option("--years", metavar="N", type=click.IntRange(1, 30), help="Years of operation.")
@click.option(
    "--kwh",
    "kwh_price",
    metavar="PRICE",
    type=click.FloatRange(0),
    help="Price of a kilowatt-hour in the currency of payment.",
)
@click.option(
    "--pue",
    metavar="RATIO",
    type=click.FloatRange(1, 10),
    help="Power usage effectiveness of the data center.",
)
@json_option
def cost(
    asked: FabricArguments,
    years: int | None,
    kwh_price: float | None,
    pue: float | None,
    *,
    as_json: bool,
) -> None:
    """Compute the cost of ownership of the three designs.

    Adds support and energy to what is bought, varies the prices of switches and optics by 20 %, and
    prints the price at which rail-only costs as much as each other design. What has no price,
    percentage or power is listed and left out. Options take precedence over `ownership` of the
    inventory.
    """
    from fabricgen.bom.ownership import cost_of_ownership

    given = {"years": years, "kwh_price": kwh_price, "pue": pue}
    sets = [f"ownership.{key}={value}" for key, value in given.items() if value is not None]
    comparison, _ = replace(asked, sets=(*asked.sets, *sets)).compare()
    found = cost_of_ownership(comparison)
    if as_json:
        print_result(found)
    else:
        echo(cost_text(found))


def cost_text(found: OwnershipCost) -> str:
    """Lay out the designs as columns, then the changes of prices, then what decides."""
    designs = [each.design for each in found.designs]
    saved = [f"less than {design}" for design in found.savings]
    costs, changes = list(_costs(found)), list(_changes(found))
    refused = [
        f"{each['design']} cannot be built: {each['fact']} [{each['code']}]"
        for each in found.refused
    ]
    return "\n".join(
        [
            f"{found.name}: {found.gpus:,} GPUs, {found.nic_gbps:,} Gbps of NIC ports",
            _terms(found),
            "",
            table([["", *designs], *costs], right=range(1, len(designs) + 1)),
            "",
            table(
                [["total if prices change", *designs, *saved], *changes],
                right=range(1, len(designs) + len(saved) + 1),
            ),
            "",
            *(_decides(each, found.savings[each.against].bound) for each in found.break_even),
            *refused,
            "",
            "not included:",
            *(f"  {sentence}" for sentence in found.missing),
        ]
    )


def _terms(found: OwnershipCost) -> str:
    """Describe the terms."""
    terms = found.terms
    years = "" if terms.years is None else f", {terms.years} years"
    price = "" if terms.kwh_price is None else f", {found.currency} {terms.kwh_price:g} a kWh"
    pue = "" if terms.pue is None else f", PUE {terms.pue:g}"
    return f"{found.currency}, prices {found.book}{years}{price}{pue}"


def _costs(found: OwnershipCost) -> Iterator[list[str]]:
    """Yield the rows of costs."""
    designs = found.designs
    for name in designs[0].capital:
        title = "capital" if name == "total" else f"  {name}"
        yield [title, *(_whole(each.capital.get(name)) for each in designs)]
    yield ["support", *(_whole(each.support) for each in designs)]
    yield ["energy", *(_whole(each.energy) for each in designs)]
    yield ["total", *(_whole(each.total) for each in designs)]
    yield ["  per GPU", *(grouped(each.total_per_gpu) for each in designs)]
    yield ["  per Gbps of NIC ports", *(grouped(each.total_per_gbps) for each in designs)]
    yield ["power, W", *(_whole(each.power_w) for each in designs)]
    yield ["energy, kWh", *(_whole(each.energy_kwh) for each in designs)]


def _changes(found: OwnershipCost) -> Iterator[list[str]]:
    """Yield the rows of changed prices, the unchanged ones first."""
    saved = [_saved(saving.total_pct, saving.bound) for saving in found.savings.values()]
    yield ["unchanged", *(_whole(each.total) for each in found.designs), *saved]
    for change in found.sensitivity:
        savings = [
            _saved(pct, found.savings[design].bound) for design, pct in change.savings_pct.items()
        ]
        totals = [_whole(change.totals[each.design]) for each in found.designs]
        yield [f"{change.group} {change.change_pct:+} %", *totals, *savings]


def _whole(value: float | None) -> str:
    """Format a figure without decimals."""
    return grouped(None if value is None else round(value))


def _saved(pct: float | None, bound: str) -> str:
    """Format a saving, qualified where a part has no price."""
    if pct is None:
        return "-"
    return f"{pct:g} %" if bound == "exact" else f"{bound} {pct:g} %"


def _decides(found: BreakEven, bound: str) -> str:
    """Describe at which prices rail-only is cheaper than another design."""
    against, group = found.against, found.group
    unpriced = "" if bound == "exact" else ", by the parts with a price"
    if found.price_pct is None:
        result = {
            "always": f"rail-only is cheaper than {against}",
            "never": f"{against} is cheaper than rail-only",
        }.get(found.rail_only_is_cheaper, f"rail-only costs as much as {against}")
        return f"{result} at every price of {group}{unpriced}"
    prices = ", ".join(f"{part} {grouped(price)}" for part, price in found.prices.items())
    return (
        f"rail-only is cheaper than {against} {found.rail_only_is_cheaper} {found.price_pct:g} % of"
        f" the price of {group}{f' ({prices})' if prices else ''}{unpriced}"
    )
