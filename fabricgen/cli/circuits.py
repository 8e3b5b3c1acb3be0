"""`circuits`: which ports of optical circuit switches and panels are joined, phase by phase."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.completion import complete_models
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OutputPath, force_option, forced, inputs
from fabricgen.cli.printing import echo, grouped, print_result, table
from fabricgen.cli.streams import WRITTEN
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from fabricgen.analysis.circuits.result import CircuitResult
    from fabricgen.analysis.circuits.schedule import Schedule
    from fabricgen.planning.plan import Plan

PATTERN_NAMES = ("ring", "recursive-doubling", "tree", "all-to-all", "pipeline")


@click.command(
    cls=Command,
    examples=(
        "fabricgen circuits photonic.yaml",
        "fabricgen circuits photonic.yaml d0-d15 --pattern all-to-all",
        "fabricgen circuits photonic.yaml --llm gpt3 -o circuits-gpt3",
    ),
)
@fabric_arguments
@click.argument("job", required=False, metavar="JOB", help="GPUs of the job; default: all.")
@click.option(
    "--pattern",
    type=click.Choice(PATTERN_NAMES),
    help="Collective; default: a ring where its circuits fit the planes, else recursive-doubling.",
)
@click.option(
    "--llm",
    shell_complete=complete_models("workloads", or_file=True),
    metavar="NAME",
    help="Language model of the catalog or a .yaml file, whose parallelism gives the phases.",
)
@click.option(
    "--list", "listed", is_flag=True, help="List the configurations, and circuits port by port."
)
@click.option(
    "-o",
    "--output",
    type=OutputPath(file_okay=False, path_type=Path),
    help="Directory for the tables and the commands of boxes for this job, replaced as a whole.",
)
@force_option
@json_option
def circuits(
    asked: FabricArguments,
    job: str | None,
    pattern: str | None,
    llm: str | None,
    *,
    listed: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """List the circuits that a job needs in each phase of training.

    Prints how many configurations of circuits each collective has, how often they change, which HB
    domains they join, and what the loss of a box takes. FABRIC has `rails.medium: ocs` or
    `patch-panel`.
    """
    from fabricgen.analysis.circuits.result import result_of
    from fabricgen.analysis.circuits.schedule import schedule_of
    from fabricgen.analysis.workload.machine import find_llm

    plan, inventory = asked.plan()
    with inventory.locate_findings():
        model = find_llm(plan.catalog, llm) if llm else None
        schedule = schedule_of(plan, job or "", pattern or "", model)
        if output:
            _write(plan, asked, schedule, output)
    result = result_of(schedule)
    if as_json:
        print_result(result)
        return
    parts = [_sets(result), _list(plan, schedule)] if listed else []
    echo("\n\n".join([_text(result), *parts]))


def _text(result: CircuitResult) -> str:
    """Lay out the phases, the time to change circuits, and the loss of a box."""
    head = (
        f"{grouped(result.gpus)} GPUs in {grouped(result.hb_domains)} HB domains on"
        f" {grouped(result.rails)} rails, {counted(result.planes, 'port')} per GPU"
    )
    rows = [
        ("phase", "pattern", "group", "sets", "turns", "changes", "joined", "over domains"),
        *(
            (
                each.name,
                each.pattern,
                grouped(each.group),
                grouped(each.configurations),
                grouped(each.turns),
                grouped(each.changes),
                f"{each.reach.joined_pct:.4g} %",
                grouped(each.reach.relays),
            )
            for each in result.phases
        ),
    ]
    return "\n\n".join([head, table(rows, right=(2, 3, 4, 5, 6, 7)), _times(result), _loss(result)])


def _times(result: CircuitResult) -> str:
    """Describe the time in which circuits change."""
    changed = sum(each.added for each in result.configurations)
    lines = [f"one round of all sets joins {grouped(changed)} new circuits"]
    if result.moved_by == "hand":
        lines.append(f"a person moves the jumpers of {result.model}: each change is a visit")
    elif result.switching_ms is None:
        lines.append(f"the time in which {result.model} changes circuits is not published")
    else:
        total = sum(each.changing_s or 0.0 for each in result.phases)
        lines.append(
            f"{result.model} changes circuits in {result.switching_ms:g} ms:"
            f" {total * 1000:,.10g} ms in each iteration"
        )
    return "\n".join(lines)


def _loss(result: CircuitResult) -> str:
    """Describe what the loss of a box takes."""
    lost = result.blast_radius
    return (
        f"the loss of {lost.box} takes {grouped(lost.circuits)} circuits and the ports of"
        f" {grouped(lost.gpus)} GPUs: {lost.domain_bandwidth_pct:.4g} % of the bandwidth of each"
        " HB domain"
    )


def _write(plan: Plan, asked: FabricArguments, schedule: Schedule, output: Path) -> None:
    """Write the files of the job, as a build has those of all GPUs. Raises Refusal."""
    from fabricgen.build.context import BuildContext
    from fabricgen.build.group_circuits import job_of
    from fabricgen.build.run import build
    from fabricgen.build.selection import GroupSelection
    from fabricgen.build.write.directory import check_target

    check_target(output, inputs())
    context = BuildContext(plan, asked.packs, GroupSelection(groups=("circuits",)))
    files = build(job_of(context, schedule), output, force=forced())
    WRITTEN.append(output)
    echo(f"wrote {grouped(len(files) + 1)} files to {output}", err=True)


def _sets(result: CircuitResult) -> str:
    """List the configurations, with what each joins by itself."""
    rows = [
        (
            str(each.number),
            each.phase,
            grouped(each.circuits),
            grouped(each.added),
            grouped(each.removed),
            f"{each.reach.joined_pct:.4g} %",
            grouped(each.reach.relays),
            grouped(each.lost_with_box),
        )
        for each in result.configurations
    ]
    head = ("set", "phase", "circuits", "added", "removed", "joined", "over domains", "lost")
    return table([head, *rows], right=(2, 3, 4, 5, 6, 7))


def _list(plan: Plan, schedule: Schedule) -> str:
    """List every circuit of every configuration."""
    from fabricgen.analysis.circuits.port_map import PortMap

    ports = PortMap(plan)
    rows = [
        (str(found.number), found.phase, one.low.box, one.low.port, one.high.port,
         one.low.gpu, one.high.gpu)
        for found in schedule.configurations
        for one in ports.circuits(schedule, found)
    ]  # fmt: skip
    return table([("set", "phase", "box", "port", "port", "GPU", "GPU"), *rows])
