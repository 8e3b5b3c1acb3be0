"""`placement`: whether a set of GPUs can be one communicator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, grouped, print_result, table
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from fabricgen.analysis.communicator.forwarded import RailPaths
    from fabricgen.analysis.communicator.placement import JobFix, Placement
    from fabricgen.core.diagnostics import Finding

SHOWN = 3
"""Pairs without a path that are printed."""

LONGEST = 200
"""Characters of a job that are printed; `--json` has all."""


@click.command(
    cls=Command,
    examples=(
        "fabricgen placement fabric.yaml d0-d3",
        "fabricgen placement fabric.yaml host-01..host-04",
    ),
)
@fabric_arguments
@click.argument("job", required=False, metavar="JOB", help="GPUs of the job, such as d0-d15.")
@json_option
def placement(asked: FabricArguments, job: str | None, *, as_json: bool) -> int:
    """Check whether NCCL can use a set of GPUs together.

    JOB lists HB domains, GPUs and hosts, separated by commas: d0-d15, d0-g0,d1-g1, d0-g0..d0-g3,
    host-01..host-04, or @FILE. Exit code 1: some pair has no path that NCCL can use.
    """
    from fabricgen.analysis.communicator.placement import placement as place

    if job is None:
        asked, job = asked.without_fabric()
    if job is None:
        raise click.UsageError("name the GPUs of a job, such as d0-d15 or d0-g0,d1-g0")
    plan, inventory = asked.plan()
    with inventory.locate_findings():
        placed = place(plan, job)
    found = [] if placed.legal else [_illegal(placed)]
    if as_json:
        print_result(placed, found)
    else:
        echo(_text(placed))
    return int(bool(found))


def _illegal(placed: Placement) -> Finding:
    """Return the finding that some pairs of a job have no path."""
    from fabricgen.core.diagnostics import Finding

    fix = placed.fix()
    return Finding(
        "illegal-placement",
        f"{_lost(placed)} have no path that NCCL can use",
        because=tuple(_examples(placed)),
        hint=f"add {fix.added}, or keep {fix.keep}" if fix else "",
    )


def _text(placed: Placement) -> str:
    """Lay out the position of the job, the paths of its pairs, and the changes that it needs."""
    parts = [_title(placed), _pairs(placed)]
    if fix := placed.fix():
        return "\n\n".join([*parts, _wrong(placed), _changes(fix)])
    others = (
        f"; {grouped(placed.by_another)} pairs use another relay than planned, because the"
        " planned one is outside the job"
        if placed.outside_count
        else ""
    )
    return "\n\n".join([*parts, f"legal: every pair has a path{others}"])


def _title(placed: Placement) -> str:
    """Describe the position of the job."""
    from fabricgen.analysis.communicator.job_spec import job_text
    from fabricgen.views.hosts.nccl import rail_ranges

    rails, domains = placed.rails.tolist(), len(placed.domains)
    where = (
        f"{_cut(job_text(placed.plan, placed.gpus))}: {counted(len(placed.gpus), 'GPU')}"
        f" in {counted(domains, 'HB domain')}, rail{'s' * (len(rails) > 1)} {rail_ranges(rails)}"
    )
    if domains == 1:
        aligned = "one HB domain, so no rail matters"
    elif not placed.rail_aligned:
        aligned = "not rail-aligned: its HB domains use different rails"
    elif not placed.ranks_aligned:
        aligned = "rail-aligned: every HB domain uses the same rails, though not the same ranks"
    else:
        aligned = "rail-aligned: every HB domain uses the same ranks"
    return f"{where}\n{aligned}"


def _pairs(placed: Placement) -> str:
    """Lay out the paths of the pairs."""
    pairs = placed.pairs
    rows = [("inside an HB domain", pairs.hb)]
    if placed.plan.mapping.spans_rails:
        rows += [
            ("through the network, same rail", pairs.direct - pairs.cross_rail),
            ("through the network, rail to rail", pairs.cross_rail),
        ]
    else:
        rows += [
            ("direct, on one rail", pairs.direct),
            ("relayed by a GPU of the job", pairs.relayed),
            ("no path that NCCL can use", pairs.none),
        ]
    rows.append(("ordered pairs", pairs.total))
    text = table([(f"  {name}", grouped(count)) for name, count in rows], right=(1,))
    return "\n\n".join([text, *([_forwarded(paths)] if (paths := placed.rail_paths) else [])])


def _forwarded(paths: RailPaths) -> str:
    """Describe the paths on direct rails."""
    return (
        f"on its rails {grouped(paths.neighbours)} pairs are neighbours, and hosts forward between"
        f" {grouped(paths.forwarded)}: {paths.mean_links:.3g} links on average,"
        f" {paths.longest_links} at most;\n{grouped(paths.outside)} have no shortest path over"
        " hosts of the job alone"
    )


def _wrong(placed: Placement) -> str:
    """List pairs without a path, with the reason."""
    examples = _examples(placed)
    lines = [
        f"illegal: {_lost(placed)} have no path that NCCL can use",
        *(f"  {example}" for example in examples[:SHOWN]),
    ]
    return "\n".join([*lines, *(["  ..."] if len(examples) > SHOWN else [])])


def _lost(placed: Placement) -> str:
    """Return how many pairs have no path."""
    return f"{grouped(placed.pairs.none)} of {grouped(placed.pairs.total)} pairs"


def _examples(placed: Placement) -> list[str]:
    """Return some pairs without a path, each with the GPU that would relay."""
    return [
        f"{pair.src} to {pair.dst}: `{pair.relay}` or another GPU of its HB domain and rail"
        " would relay, but none is in the job"
        for pair in placed.examples()
    ]


def _changes(fix: JobFix) -> str:
    """List the changes that make the job legal."""
    return "\n".join(
        [
            f"add {counted(fix.added_gpus, 'GPU')}: {_cut(fix.added)}",
            f"  the job is then {_cut(fix.add)}",
            f"or keep {counted(fix.kept_gpus, 'GPU')}: {_cut(fix.keep)}",
        ]
    )


def _cut(job: str) -> str:
    """Shorten a long job at a comma."""
    return (
        job
        if len(job) <= LONGEST
        else f"{job[:LONGEST].rpartition(',')[0]},... (all of it with --json)"
    )
