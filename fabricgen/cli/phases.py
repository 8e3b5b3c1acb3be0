"""`phases`: what to buy and cable in each phase, and the bandwidth after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, grouped, print_result, table

if TYPE_CHECKING:
    from fabricgen.lifecycle.change.phases import Stage
    from fabricgen.planning.plan import Plan


@click.command(
    cls=Command,
    examples=(
        "fabricgen phases fabric.yaml --set 'phases=[{name: now, rails: 4}, {name: later}]'",
    ),
)
@fabric_arguments
@click.option(
    "--cables", "name", metavar="PHASE", help="Print the cables to pull in this phase, as CSV."
)
@json_option
def phases(asked: FabricArguments, name: str | None, *, as_json: bool) -> None:
    """Show what to buy and cable in each phase.

    Reads `phases` of the inventory and prints the bandwidth after each of them. No cable is pulled
    twice, and names, ports and addresses are final from the first day.
    """
    from fabricgen.lifecycle.change.phases import phase_in, summarize_phases

    plan, inventory = asked.plan()
    with inventory.locate_findings():
        stages = phase_in(plan)
    if name is not None:
        chosen = next((stage for stage in stages if stage.name == name), None)
        if chosen is None:
            raise click.BadParameter(
                f"there is no phase `{name}`; phases: {', '.join(stage.name for stage in stages)}",
                param_hint="'--cables'",
            )
        echo(_cables(plan, chosen))
    elif as_json:
        print_result(summarize_phases(plan, stages))
    else:
        echo(phases_text(plan, stages))


def phases_text(plan: Plan, stages: list[Stage]) -> str:
    """Lay out the phases as columns."""
    from fabricgen.lifecycle.change.phases import summarize_phases

    shown = summarize_phases(plan, stages).phases
    parts = dict.fromkeys(part for stage in stages for part in stage.parts)
    rows = [
        ["", *(phase.name for phase in shown)],
        *(
            [f"{key.replace('_', '-')} links", *(grouped(phase.links[key]) for phase in shown)]
            for key in shown[0].links
        ),
        ["cables", *(grouped(phase.cables) for phase in shown)],
        *([part, *(grouped(phase.parts.get(part, 0)) for phase in shown)] for part in parts),
        ["cost", *(grouped(phase.cost) for phase in shown)],
        ["NIC bandwidth by then, Gbps", *(grouped(phase.nic_gbps_by_then) for phase in shown)],
        [
            "GPUs with no NIC port cabled by then",
            *(grouped(phase.gpus_without_nic_by_then) for phase in shown),
        ],
        ["oversubscription by then", *(phase.oversubscription_by_then or "-" for phase in shown)],
    ]
    unpriced = sorted({part for stage in stages for part in stage.unpriced})
    notes = [
        "spares are not included",
        *([f"no price, excluded from the cost: {', '.join(unpriced)}"] if unpriced else []),
    ]
    return (
        f"{plan.spec.name} in {len(stages)} "
        f"phase{'s' * (len(stages) != 1)}\n\n{table(rows, right=range(1, len(shown) + 1))}\n\n"
    ) + "\n".join(notes)


def _cables(plan: Plan, stage: Stage) -> str:
    """List the cables of a phase."""
    from fabricgen.lifecycle.change.phases import cables_of

    lines = (
        f"{view.cable},{view.a_device},{view.a_interface},{view.b_device},{view.b_interface}"
        for view in cables_of(plan, stage)
    )
    return "\n".join(["cable,a_device,a_interface,b_device,b_interface", *lines])
