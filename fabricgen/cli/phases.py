"""`phases`: what to buy and cable in each phase, and, by GPUs, the ways to grow compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import PLAN_MARK, OutputPath, force_option, save
from fabricgen.cli.printing import (
    echo,
    grouped,
    print_advice,
    print_result,
    sum_of_prices,
    table,
)
from fabricgen.cli.ways_text import WAYS, ways_text
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.lifecycle.change.growth_ways import Way, Ways
    from fabricgen.lifecycle.change.phases import Stage
    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView

UNSAVED = (
    "`build` of the inventory is of its `gpus` alone, without regard to later phases;"
    " `-o DIR` saves a plan for each phase, which `build` accepts"
)
"""A note beside phases whose plans are not saved."""

COMPUTE_ALONE = (
    "phases by planes, rails and spines are of the compute fabric alone: its `networks` and"
    " `devices` are in none of them; phases by GPUs have them too"
)
"""A note beside phases by parts of an inventory with networks."""

CABLE_COLUMNS = ("cable", "a_device", "a_interface", "b_device", "b_interface")


@click.command(
    cls=Command,
    examples=(
        "fabricgen phases fabric.yaml --set 'phases=[{gpus: 256}, {gpus: 1024}]'",
        "fabricgen phases fabric.yaml --set 'phases=[{name: now, rails: 4}, {name: later}]'",
        "fabricgen phases fabric.yaml --set 'phases=[{gpus: 256}, {gpus: 1024}]' -o .",
    ),
)
@fabric_arguments
@click.option(
    "--cables", "name", metavar="PHASE", help="Print the cables to pull in this phase, as CSV."
)
@click.option(
    "--way",
    type=click.Choice(list(WAYS)),
    help="Way to grow for --cables and -o; default: the recommended one.",
)
@click.option(
    "-o",
    "--output",
    type=OutputPath(file_okay=False, path_type=Path),
    help="Directory to save the plan of each phase in; phases by GPUs only.",
)
@force_option
@click.option(
    "--from",
    "older",
    metavar="PLAN",
    type=click.Path(),
    help="Saved plan that is installed, which the ways begin with; phases by GPUs only.",
)
@json_option
def phases(
    asked: FabricArguments,
    name: str | None,
    way: str | None,
    output: Path | None,
    older: str | None,
    *,
    as_json: bool,
) -> None:
    """Show what to buy and cable in each phase.

    Reads `phases` of the inventory. Phases by GPUs are planned in three ways, with the cost of each
    and the cables that move. Phases by planes, rails or spines are parts of one plan: no cable is
    pulled twice, and names, ports and addresses are final from the first day; they are of the
    compute fabric alone.
    """
    from fabricgen.lifecycle.change.growth_ways import ways_to_grow
    from fabricgen.lifecycle.change.phase_sizes import by_gpus

    plan, inventory = asked.plan()
    installed = asked.older(older).plan()[0] if older else None
    with inventory.locate_findings():
        if by_gpus(plan.spec):
            ways = ways_to_grow(plan.spec, plan.catalog, installed)
            _by_gpus(ways, name, way, output, as_json=as_json)
        elif way or output or older:
            options = "--way, --from and -o"
            raise click.UsageError(f"{options} need phases by GPUs: `phases: [{{gpus: N}}, …]`")
        else:
            _by_parts(plan, name, as_json=as_json)


def _by_gpus(
    ways: Ways,
    name: str | None,
    way: str | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print phases by GPUs, or the cables of one, and save their plans."""
    from fabricgen.lifecycle.change.phase_summary import summarize_ways

    chosen = _chosen(ways, way)
    at = None if name is None else _index([phase.name for phase in chosen.phases], name)
    if output:
        _save(chosen, output)
    if at is not None:
        echo(_cables(_new_cables(chosen, at)))
    elif as_json:
        print_result(summarize_ways(ways))
    else:
        echo(ways_text(summarize_ways(ways)))
        print_advice(f"{each.name}: {text}" for each in ways.found for text in each.changed)
        if not output:
            print_advice([UNSAVED])


def _by_parts(plan: Plan, name: str | None, *, as_json: bool) -> None:
    """Print phases by planes, rails and spines, or the cables of one."""
    from fabricgen.lifecycle.change.phase_summary import summarize_phases
    from fabricgen.lifecycle.change.phases import cables_of, phase_in

    stages = phase_in(plan)
    if name is not None:
        echo(_cables(cables_of(plan, stages[_index([stage.name for stage in stages], name)])))
    elif as_json:
        print_result(summarize_phases(plan, stages))
    else:
        echo(phases_text(plan, stages))
    print_advice([COMPUTE_ALONE] if plan.networks else [])


def _index(names: list[str], name: str) -> int:
    """Return the index of a phase. Raises BadParameter."""
    if name in names:
        return names.index(name)
    raise click.BadParameter(
        f"there is no phase `{name}`; phases: {', '.join(names)}", param_hint="'--cables'"
    )


def _chosen(ways: Ways, name: str | None) -> Way:
    """Return the way of a name, or the recommended one. Raises Refusal for one that is refused."""
    from fabricgen.core.diagnostics import Refusal

    if name is None:
        return ways.recommended
    for refused, finding in ways.refused:
        if refused == name:
            raise Refusal([finding])
    return next(way for way in ways.found if way.name == name)


def _save(way: Way, directory: Path) -> None:
    """Save the plan of each phase of a way."""
    from fabricgen.bom.priced_bill import make_bom
    from fabricgen.bom.summary import summarize
    from fabricgen.build.write.manifest import json_document
    from fabricgen.planning.plan_document import plan_document

    directory.mkdir(parents=True, exist_ok=True)
    for phase in way.phases:
        path = directory / f"{phase.plan.spec.name}-{phase.name}.json"
        document = plan_document(phase.plan, summarize(phase.plan, make_bom(phase.plan)).document())
        save(path, json_document(document), mark=PLAN_MARK)
        echo(f"saved plan to {path}", err=True)


_WORST = "with all phases, the worst permutation of leaves gets"


def phases_text(plan: Plan, stages: list[Stage]) -> str:
    """Lay out phases by planes, rails and spines as columns."""
    from fabricgen.lifecycle.change.phase_summary import summarize_phases

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
        ["cost", *(sum_of_prices(each.cost, partial=bool(each.unpriced)) for each in shown)],
        ["NIC bandwidth by then, Gbps", *(grouped(phase.nic_gbps_by_then) for phase in shown)],
        [
            "GPUs with no NIC port cabled by then",
            *(grouped(phase.gpus_without_nic_by_then) for phase in shown),
        ],
        ["oversubscription by then", *(phase.oversubscription_by_then or "-" for phase in shown)],
    ]
    from fabricgen.planning.worst_permutation import worst_permutation_pct

    unpriced = sorted({part for stage in stages for part in stage.unpriced})
    notes = [
        "spares are not included",
        *([f"{_WORST} {worst:g} %"] if (worst := worst_permutation_pct(plan)) is not None else []),
        *([f"no price, excluded from the cost: {', '.join(unpriced)}"] if unpriced else []),
    ]
    head = f"{plan.spec.name} in {counted(len(stages), 'phase')}"
    return "\n\n".join([head, table(rows, right=range(1, len(shown) + 1)), "\n".join(notes)])


def _cables(views: Iterable[CableView]) -> str:
    """List cables."""
    return "\n".join([",".join(CABLE_COLUMNS), *map(",".join, map(_ends, views))])


def _ends(view: CableView) -> tuple[str, ...]:
    """Return the label of a cable and its ends."""
    return view.cable, view.a_device, view.a_interface, view.b_device, view.b_interface


def _new_cables(way: Way, phase: int) -> Iterator[CableView]:
    """Yield the cables that a phase pulls or moves: those that were not there before."""
    from fabricgen.views.factory import Views

    def views(plan: Plan) -> Iterator[CableView]:
        return (
            view
            for own in plan.cluster
            for rows in map(Views(own).cables, range(own.mapping.segments))
            for view in rows
        )

    asked = way.phases[phase]
    before = {_ends(view) for view in views(asked.before)} if asked.before else set()
    yield from (view for view in views(asked.plan) if _ends(view) not in before)
