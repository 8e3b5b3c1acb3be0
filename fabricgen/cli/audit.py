"""`audit`: the installed cabling compared with the plan, and the fewest moves that fix it."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OutputPath, force_option, forced, inputs
from fabricgen.cli.printing import echo, grouped, print_advice, print_result
from fabricgen.cli.streams import WRITTEN
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.forwarding.failures import Failures
    from fabricgen.lifecycle.audit.audit import Audit
    from fabricgen.lifecycle.audit.cross_connects import PatchAudit
    from fabricgen.lifecycle.audit.finding import AuditFinding
    from fabricgen.lifecycle.audit.report import AuditReport, DegradedFabric
    from fabricgen.planning.plan import Plan

DOMAINS = "forwarding/domains.json"
FILE = click.Path(path_type=Path)


@click.command(
    cls=Command,
    examples=(
        "fabricgen audit fabric.yaml --lldp neighbors",
        "fabricgen audit fabric.yaml --degraded dead.txt --tables around",
    ),
)
@fabric_arguments
@click.option(
    "--lldp",
    "records",
    type=FILE,
    multiple=True,
    metavar="PATH",
    help="LLDP neighbors: a file, or a directory with a file per device; may be repeated.",
)
@click.option(
    "--ibnetdiscover",
    "discovered",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Output of ibnetdiscover, ibnetdiscover -p or iblinkinfo; may be repeated.",
)
@click.option(
    "--cross-connects",
    "patched",
    type=FILE,
    metavar="FILE",
    help="Jumpers at panels as built: a CSV with panel, port, device and device_port.",
)
@click.option(
    "--degraded",
    "dead",
    type=FILE,
    metavar="FILE",
    help="Failed cables, ports, switches, …, one per line; print the remaining capacity.",
)
@click.option(
    "--tables",
    type=OutputPath(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write forwarding tables that avoid failed, wrong and missing cables.",
)
@force_option
@click.option(
    "--strict", is_flag=True, help="Report a cable without any neighbor record as a finding."
)
@json_option
def audit(
    asked: FabricArguments,
    records: tuple[Path, ...],
    discovered: tuple[Path, ...],
    patched: Path | None,
    dead: Path | None,
    tables: Path | None,
    *,
    strict: bool,
    as_json: bool,
) -> int:
    """Compare the installed cabling with the plan.

    Reads the output of `lldpctl`, as text, keyvalue or JSON, LLDP of NVUE, EOS, SONiC, NX-OS,
    Junos and SR Linux, as JSON or as the text of `show lldp neighbors`, a sheet of cables as
    `import` reads it, or the text of ibnetdiscover or iblinkinfo. An LLDP file is named after its
    device, such as r0-leaf-1.json. Exit code 1: the cabling differs from the plan. See also
    `fabricgen explain audit`.
    """
    from fabricgen.lifecycle.audit.audit import audit as compare
    from fabricgen.lifecycle.audit.load import read_evidence
    from fabricgen.lifecycle.audit.report import AuditReport
    from fabricgen.views.infiniband.guids import guid_owners

    if not records and not discovered and dead is None and patched is None:
        raise click.UsageError(
            "give the neighbor records with --lldp or --ibnetdiscover, the jumpers at panels with "
            "--cross-connects, or the failures with --degraded"
        )
    plan, inventory = asked.plan()
    if tables is not None:
        from fabricgen.build.write.directory import check_target

        check_target(tables, inputs())
    with inventory.locate_findings():
        found = (
            compare(plan, read_evidence([*records, *discovered], partial(guid_owners, plan)))
            if records or discovered
            else None
        )
        jumpers = _patched(plan, patched)
        report = AuditReport(found, _degraded(plan, found, dead, tables), strict, jumpers)
    if as_json:
        print_result(report, report.findings)
    else:
        echo("\n\n".join(_text(report)))
        print_advice(found.notes() if found else ())
    return int(bool(report.findings))


def _patched(plan: Plan, path: Path | None) -> PatchAudit | None:
    """Compare the jumpers at panels with the plan; None without a list."""
    if path is None:
        return None
    from fabricgen.lifecycle.audit.cross_connects import audit_cross_connects

    return audit_cross_connects(plan, path)


def _degraded(
    plan: Plan, found: Audit | None, dead: Path | None, tables: Path | None
) -> DegradedFabric | None:
    """Measure what is left without the failed parts, and write tables around them.

    None where neither is asked for.
    """
    if dead is None and tables is None:
        return None
    from fabricgen.analysis.forwarding.failures import find_failures
    from fabricgen.analysis.impact.measure import measure
    from fabricgen.analysis.impact.network_loss import NetworkFailures
    from fabricgen.lifecycle.audit.degraded_tables import read_failures
    from fabricgen.lifecycle.audit.report import DegradedFabric

    names = list(
        dict.fromkeys(
            [*(read_failures(plan, dead) if dead else ()), *(found.failed if found else ())]
        )
    )
    own, networks = NetworkFailures(plan).split(names)
    failures = find_failures(plan, own)
    impact = measure(plan, names, failures)
    written = _write(plan, failures, tables) if tables is not None else None
    return DegradedFabric(impact, written, networks)


def _write(plan: Plan, failures: Failures, out: Path) -> int:
    """Write forwarding tables that avoid the failures, and return their number."""
    from fabricgen.analysis.forwarding.tables import document_text, host_table, switch_table
    from fabricgen.build.write.directory import staging
    from fabricgen.build.write.files import write_manifest, write_text
    from fabricgen.lifecycle.audit.degraded_tables import DegradedTables

    detours = DegradedTables(plan, failures)
    with staging(out, force=forced()) as root:
        switches = (
            each for segment in range(plan.mapping.segments) for each in detours.switches(segment)
        )
        written = [
            write_text(root, switch_table(name), document_text(table)) for name, table in switches
        ]
        written += [
            write_text(root, host_table(name), detours.host(host))
            for host, name in enumerate(plan.hosts)
        ]
        written.append(write_text(root, DOMAINS, document_text(detours.domains())))
        write_manifest(
            root, written, plan.spec.model_dump(mode="json", exclude_none=True), ["degraded"]
        )
    WRITTEN.append(out)
    return len(written)


def _text(report: AuditReport) -> list[str]:
    """Lay out the counts, the findings with numbered moves, the verdict, and the failures."""
    found, number = report.audit, count(1)
    parts = [_counts(found)] if found else []
    if report.patching:
        shown = ", ".join(
            f"{grouped(ends)} {state}" for state, ends in report.patching.counts.items()
        )
        parts.append(f"{grouped(len(report.patching.planned))} panel ports: {shown}")
    parts += [_finding(finding, number) for finding in report.findings]
    parts += [_verdict(found, report.findings)] if found else []
    if report.degraded:
        from fabricgen.analysis.impact import network_loss
        from fabricgen.analysis.impact.text import sentence

        left, networks = report.degraded.impact, report.degraded.networks or ()
        parts.append(sentence(left) if left.failed else "nothing has failed")
        parts += map(network_loss.sentence, networks)
    return parts


def _counts(found: Audit) -> str:
    """Return the number of links in each state."""
    counts = {
        "matched": len(found.matched),
        "wrong": found.wrong,
        "missing": found.missing,
        "extra": found.extra,
        "silent": len(found.silent),
    }
    shown = ", ".join(f"{grouped(links)} {state}" for state, links in counts.items())
    return f"{grouped(found.places.link_count)} links: {shown}"


def _finding(finding: AuditFinding, number: Iterator[int]) -> str:
    """Lay out a finding, then the steps that repair it."""
    from fabricgen.core.diagnostics import text_of

    steps = [f"  {next(number)}. {step}" for step in finding.fix]
    return "\n".join([text_of(finding), *steps])


def _verdict(found: Audit, findings: list[AuditFinding]) -> str:
    """Return the verdict in one line."""
    if found.moves:
        moves = counted(found.moves, "move")
        return f"the cabling differs from the plan: {moves} to fix it"
    verdict = "the findings name no cable to move" if findings else "no record contradicts the plan"
    silent = len(found.silent)
    links = counted(silent, "link")
    return f"{verdict}; {links} could not be verified" if silent else verdict
