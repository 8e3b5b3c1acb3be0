"""`audit`: the cabling as it is against the plan, what happened, and the fewest moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.output_file import OutputPath, force_option, forced, inputs
from fabricgen.cli.printing import echo, grouped, print_advice, print_json

if TYPE_CHECKING:
    from fabricgen.analysis.forwarding.failures import Failures
    from fabricgen.lifecycle.audit.audit import Audit
    from fabricgen.planning.plan import Plan

DOMAINS = "forwarding/domains.json"
FILE = click.Path(path_type=Path)

COUNTS = ("matched", "wrong", "missing", "extra", "silent")


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
    "heard",
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
    help="Output of ibnetdiscover; may be repeated.",
)
@click.option(
    "--degraded",
    "dead",
    type=FILE,
    metavar="FILE",
    help="Failed cables and ports, one per line; print the remaining capacity.",
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
    heard: tuple[Path, ...],
    discovered: tuple[Path, ...],
    dead: Path | None,
    tables: Path | None,
    *,
    strict: bool,
    as_json: bool,
) -> int:
    """Compare the installed cabling with the plan.

    Reads the output of `lldpctl -f json0`, NVUE, EOS and SONiC, a CSV of four columns, or the text
    of ibnetdiscover. An LLDP file is named after its device, such as r0-leaf-1.json. Exit code 1:
    the cabling differs from the plan. See also `fabricgen explain audit`.
    """
    from fabricgen.lifecycle.audit.audit import audit as compare
    from fabricgen.lifecycle.audit.load import read_evidence

    if not heard and not discovered and dead is None:
        raise click.UsageError(
            "give the neighbor records with --lldp or --ibnetdiscover, or the failures with --degraded"
        )
    plan, inventory = asked.plan()
    if tables is not None:
        from fabricgen.build.write.directory import check_target

        check_target(tables, inputs())
    with inventory.placing():
        found = compare(plan, read_evidence([*heard, *discovered])) if heard or discovered else None
        left = _left(plan, found, dead, tables)
    document = {**(found.document() if found else {}), **left}
    if found and strict:
        document["ok"] = found.ok and not found.silent
    if as_json:
        print_json(document)
    else:
        echo("\n\n".join(_text(found, document)))
        print_advice(document.get("notes", ()))
    return 0 if document["ok"] else 1


def _left(
    plan: Plan, found: Audit | None, dead: Path | None, tables: Path | None
) -> dict[str, Any]:
    """Say what is left without what is dead, and write tables around it; nothing where neither is asked for."""
    if dead is None and tables is None:
        return {}
    from fabricgen.analysis.forwarding.failures import find_failures
    from fabricgen.analysis.impact.measure import measure
    from fabricgen.lifecycle.audit.degraded_tables import read_dead

    names = list(
        dict.fromkeys([*(read_dead(plan, dead) if dead else ()), *(found.dead if found else ())])
    )
    failures = find_failures(plan, names)
    left = measure(plan, names, failures)
    if tables is not None:
        left["tables"] = _write(plan, failures, tables)
    return {"degraded": left, **({} if found else {"ok": not left["pairs_lost"]})}


def _write(plan: Plan, failures: Failures, out: Path) -> int:
    """Write the forwarding tables around what is dead, as `build` writes those of the whole fabric, and return how many there are."""
    from fabricgen.analysis.forwarding.tables import document_text, host_table, switch_table
    from fabricgen.build.write.directory import staging
    from fabricgen.build.write.files import write_manifest, write_text
    from fabricgen.lifecycle.audit.degraded_tables import Detours

    detours = Detours(plan, failures)
    with staging(out, force=forced()) as root:
        switches = (
            each for segment in range(plan.mapping.segments) for each in detours.switches(segment)
        )
        written = [
            write_text(root, switch_table(name), [document_text(table)]) for name, table in switches
        ]
        written += [
            write_text(root, host_table(name), detours.host(host))
            for host, name in enumerate(plan.hosts)
        ]
        written.append(write_text(root, DOMAINS, [document_text(detours.domains())]))
        write_manifest(
            root, written, plan.spec.model_dump(mode="json", exclude_none=True), ["degraded"]
        )
    return len(written)


def _text(found: Audit | None, document: dict[str, Any]) -> list[str]:
    """Lay out the audit for a person: the counts, then what happened, the worst first, with numbered moves."""
    parts = []
    if found:
        parts.append(
            f"{grouped(document['links'])} links: "
            + ", ".join(f"{grouped(document[key])} {key}" for key in COUNTS)
        )
        number = 0
        for finding in document["findings"]:
            lines = [f"{finding['severity']}[{finding['kind']}]: {finding['sentence']}"]
            for step in finding["fix"]:
                number += 1
                lines.append(f"  {number}. {step}")
            parts.append("\n".join(lines))
        parts.append(_verdict(document))
    if "degraded" in document:
        from fabricgen.analysis.impact.text import sentence

        left = document["degraded"]
        parts.append(
            sentence(left) if left["failed"] else "nothing is dead: the whole fabric is left"
        )
    return parts


def _verdict(document: dict[str, Any]) -> str:
    """Say in one line what to make of it."""
    if document["findings"]:
        return f"the cabling differs from the plan: {grouped(document['moves'])} move{'s' * (document['moves'] != 1)} to mend it"
    return "nothing contradicts the plan" + (
        f"; {grouped(document['silent'])} links could not be judged" if document["silent"] else ""
    )
