"""`cost`: what each design costs to buy and to run, and which prices decide between them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.design_sweep import csv_option, rows_of, save_rows, show_rows, sweep_option
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import force_option
from fabricgen.cli.printing import echo, print_result, table

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.bom.ownership import OwnershipCost

SWEPT = {
    "x": "value",
    "design": "design",
    "capital_total": "capital",
    "support": "support",
    "energy": "energy",
    "total": "total",
    "currency": "currency",
}
"""The columns of a sweep that the table has, with their titles."""


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
@sweep_option
@csv_option
@force_option
@json_option
def cost(
    asked: FabricArguments,
    years: int | None,
    kwh_price: float | None,
    pue: float | None,
    sweep: str | None,
    csv_file: Path | None,
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
    asked = replace(asked, sets=(*asked.sets, *sets))
    if sweep:
        rows = rows_of(asked, sweep, lambda own: cost_of_ownership(own.compare()[0]).rows())
        save_rows(csv_file, rows)
        show_rows(rows, SWEPT, "unpriced", as_json=as_json)
        return
    found = cost_of_ownership(asked.compare()[0])
    save_rows(csv_file, found.rows())
    if as_json:
        print_result(found)
    else:
        echo(cost_text(found))


def cost_text(found: OwnershipCost) -> str:
    """Lay out the designs as columns, then the changes of prices, then what decides."""
    from fabricgen.bom.ownership_tables import ownership_tables

    shown = ownership_tables(found)
    refused = [
        f"{each['design']} cannot be built: {each['fact']} [{each['code']}]"
        for each in found.refused
    ]
    return "\n".join(
        [
            f"{found.name}: {found.gpus:,} GPUs, {found.nic_gbps:,} Gbps of NIC ports",
            shown.terms,
            "",
            table(shown.costs, right=range(1, len(shown.costs[0]))),
            "",
            table(shown.changes, right=range(1, len(shown.changes[0]))),
            "",
            *shown.decides,
            *refused,
            "",
            "not included:",
            *(f"  {sentence}" for sentence in found.missing),
        ]
    )
