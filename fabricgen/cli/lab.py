"""`lab`: boots and tests the generated files on this machine."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import CommandGroup
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, print_document, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.core.diagnostics import Finding
    from fabricgen.lab.registry import LabRegistry
    from fabricgen.lab.requirements import Need
    from fabricgen.lab.session import LabRequest
    from fabricgen.planning.plan import Plan

    Say = Callable[[dict[str, Any]], None]

SHOWN = 5
"""Findings of a trial that are printed."""

NAME = r"[a-z0-9][a-z0-9-]*"


def _check_name(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """Refuse a name that could be a path."""
    if name is not None and not re.fullmatch(NAME, name):
        raise click.BadParameter(f"`{name}` may have lower case letters, digits and hyphens only")
    return name


name_option = click.option(
    "--name",
    callback=_check_name,
    help="Name of the lab; default: that of the fabric, or of the only lab that is up.",
)


@click.group(cls=CommandGroup)
def lab() -> None:
    """Boot the generated files in network namespaces and test them.

    Runs FRR in each switch, a veth pair for each cable and a bridge for each HB domain. Needs
    Linux, FRR and iproute2, and no root where the kernel has user namespaces. The lab stays in its
    own namespaces.
    """


def slice_options(function: Any) -> Any:  # noqa: ANN401 - a click command, before and after
    """Add the options that choose what is booted."""
    for option in (
        click.option(
            "--rails", metavar="N", type=click.IntRange(1), help="Boot the first N rails only."
        ),
        click.option(
            "--hb-domains",
            "domains",
            metavar="N",
            type=click.IntRange(1),
            help="Boot N HB domains only, the first and the last ones.",
        ),
        click.option(
            "-o",
            "--output",
            "out",
            type=click.Path(path_type=Path, file_okay=False),
            help="Output of `build` to boot; default: build it now.",
        ),
    ):
        function = option(function)
    return function


failures_option = click.option(
    "--failures",
    type=click.Choice(["none", "clocked", "single", "all"]),
    default="none",
    show_default=True,
    help=(
        "clocked: fail one part of each kind while packets flow; single: fail every part once "
        "and compare every pair with the plan; all: both."
    ),
)


@lab.command(
    examples=(
        "fabricgen lab run fabric.yaml --failures clocked",
        "fabricgen lab run fabric.yaml --rails 2 --hb-domains 8",
    )
)
@fabric_arguments
@slice_options
@failures_option
@click.option(
    "--rail-at-a-time",
    "one_rail",
    is_flag=True,
    help="Boot and test the rails one after the other, in the memory of one.",
)
@json_option
def run(asked: FabricArguments, *, one_rail: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - options of click
    """Boot a lab, test it, and always tear it down.

    An InfiniBand fabric runs over ibsim, with OpenSM and the generated files: one subnet manager
    per subnet, a test of every pair, and the failure of a switch.
    """
    from fabricgen.lab.infiniband.session import run as run_subnets
    from fabricgen.lab.session import run as run_lab
    from fabricgen.views.infiniband.transport import is_infiniband

    wish = _wish(asked, options, one_rail=one_rail, infiniband=True)
    with _voice(as_json=as_json) as say:
        return run_subnets(wish, say) if is_infiniband(wish.plan) else run_lab(wish, say)


@lab.command(examples=("fabricgen lab up fabric.yaml",))
@fabric_arguments
@slice_options
@name_option
@json_option
def up(asked: FabricArguments, *, name: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - options of click
    """Boot a lab and leave it running in the background."""
    from fabricgen.lab.daemon import put_up
    from fabricgen.lab.registry import LabRegistry

    wish = _wish(asked, {"failures": "none"} | options)
    keep = LabRegistry(name or wish.plan.spec.name)
    with _voice(as_json=as_json) as say:
        put_up(wish, keep, say)
        say(
            {
                "say": (
                    f"{keep.name} is up: `fabricgen lab test`, `lab exec NODE -- CMD`, `lab "
                    "shell NODE`, `lab down`"
                )
            }
        )
    return 0


@lab.command("test", examples=("fabricgen lab test --failures single",))
@click.argument(
    "fabric", required=False, metavar="[FABRIC]", help="Inventory of the lab, in place of --name."
)
@name_option
@failures_option
@json_option
def test_lab(fabric: str | None, name: str | None, failures: str, *, as_json: bool) -> int:
    """Test a lab that is up."""
    with _voice(as_json=as_json) as say:
        return _relay(_keep(fabric, name), {"do": "test", "failures": failures}, say)


@lab.command(examples=("fabricgen lab down",))
@click.argument(
    "fabric", required=False, metavar="[FABRIC]", help="Inventory of the lab, in place of --name."
)
@name_option
@json_option
def down(fabric: str | None, name: str | None, *, as_json: bool) -> None:
    """Tear down a lab that is up."""
    keep = _keep(fabric, name)
    _ = keep.facts
    keep.end()
    print_document({"name": keep.name}) if as_json else echo(f"{keep.name} is down")


@lab.command(examples=("fabricgen lab status",))
@json_option
def status(*, as_json: bool) -> None:
    """List the labs of this user with their BGP sessions."""
    from fabricgen.lab.registry import running_labs

    rows = []
    for keep in running_labs():
        facts = keep.facts
        sessions = next(iter(keep.ask({"do": "status"}))) if facts["ready"] else {}
        rows.append(
            {
                "name": keep.name,
                **{key: facts[key] for key in ("ready", "fabric", "gpus", "switches")},
                **sessions,
            }
        )
    if as_json:
        print_document({"labs": rows})
    elif not rows:
        echo("no lab is up")
    else:
        head = ["lab", "fabric", "GPUs", "switches", "BGP sessions up"]
        lines = [
            [row["name"], row["fabric"], str(row["gpus"]), str(row["switches"]), _sessions(row)]
            for row in rows
        ]
        echo(table([head, *lines], right=(2, 3)))


def _sessions(row: dict[str, Any]) -> str:
    """Return how many sessions are up."""
    return f"{row['sessions']} of {row['of']}" if "sessions" in row else "still booting"


@lab.command(
    "exec",
    examples=("fabricgen lab exec r0-leaf-1 -- ip route",),
    context_settings={"ignore_unknown_options": True},
)
@click.argument("node", help="Switch, GPU such as d0-g3, or HB domain such as hb:0.")
@click.argument(
    "command",
    nargs=-1,
    required=True,
    type=click.UNPROCESSED,
    help="Command with its arguments.",
)
@name_option
def execute(node: str, command: tuple[str, ...], name: str | None) -> int:
    """Run a command in a node of the lab."""
    from fabricgen.lab.daemon import inside

    return inside(_keep(None, name), node, list(command))


@lab.command(examples=("fabricgen lab shell r0-leaf-1",))
@click.argument("node", help="Switch, GPU such as d0-g3, or HB domain such as hb:0.")
@name_option
def shell(node: str, name: str | None) -> int:
    """Open a shell in a node of the lab.

    In a switch, `vtysh --vty_socket /run/frr/NODE` opens the shell of FRR.
    """
    from fabricgen.lab.daemon import inside

    return inside(_keep(None, name), node, [os.environ.get("SHELL", "/bin/sh")])


@lab.command(examples=("fabricgen lab lldp neighbors",))
@click.argument(
    "out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory for a file per node, in the form of `lldpctl -f json0`.",
)
@name_option
@json_option
def lldp(out: Path, name: str | None, *, as_json: bool) -> int:
    """Compare the LLDP neighbors of every node with the cabling.

    Needs root, because lldpd does.
    """
    import json

    with _voice(as_json=as_json) as say:
        for answer in _keep(None, name).ask({"do": "lldp"}):
            if "neighbours" in answer:
                out.mkdir(parents=True, exist_ok=True)
            for node, said in answer.get("neighbours", {}).items():
                (out / f"{node}.json").write_text(
                    json.dumps(said, indent=1) + "\n", encoding="utf-8"
                )
            say(answer)
    return int(answer["end"])


@lab.command(examples=("fabricgen lab doctor",))
@json_option
def doctor(*, as_json: bool) -> int:
    """Check what the lab needs here, and print the install command."""
    from fabricgen.lab.infiniband.requirements import needs as examine_infiniband
    from fabricgen.lab.requirements import available_mb
    from fabricgen.lab.requirements import doctor as examine

    needs = [*examine(), *examine_infiniband()]
    missing = [need for need in needs if not need.ok and not need.what.endswith(" only")]
    if as_json:
        print_document(
            {"memory_mb": available_mb(), "needs": [need._asdict() for need in needs]},
            map(_missing, missing),
        )
    else:
        echo(
            table(
                [
                    ["", "needed", "found"],
                    *(["ok" if need.ok else "MISSING", need.what, need.found] for need in needs),
                ]
            )
        )
        echo(f"\n{available_mb():,} MB of memory are free")
        for line in dict.fromkeys(need.install for need in needs if not need.ok):
            echo(f"install: {line}")
    return int(bool(missing))


def _missing(need: Need) -> Finding:
    """Return the finding that this machine lacks something."""
    from fabricgen.core.diagnostics import Finding

    hint = f"`{need.install}` installs it" if need.install else ""
    return Finding("lab-needs", f"needed: {need.what}", because=(need.found,), hint=hint)


def _wish(
    asked: FabricArguments,
    options: dict[str, Any],
    *,
    one_rail: bool = False,
    infiniband: bool = False,
) -> LabRequest:
    """Plan, and check that this machine can boot the lab.

    `infiniband` allows subnets over ibsim.
    """
    from fabricgen.lab import requirements
    from fabricgen.lab.infiniband import requirements as ib_requirements
    from fabricgen.lab.session import LabRequest
    from fabricgen.lab.slice import lay_out
    from fabricgen.views.infiniband.build import Subnets
    from fabricgen.views.infiniband.transport import is_infiniband

    planned, inventory = asked.plan()
    out = options["out"] and options["out"].resolve()
    subnets = infiniband and is_infiniband(planned)
    if subnets and options["domains"]:
        raise click.UsageError("an InfiniBand lab runs whole subnets; leave --hb-domains out")
    with inventory.locate_findings():
        if subnets:
            Subnets(planned).prepare()
        else:
            requirements.check_fits(
                lay_out(planned, options["rails"], options["domains"]), one_rail=one_rail
            )
        _check_same(planned, out, options["out"])
    (ib_requirements if subnets else requirements).check_machine()
    templates = tuple(root.resolve() for root in asked.template_roots)
    return LabRequest(
        planned, out, templates, options["rails"], options["domains"], options["failures"], one_rail
    )


def _check_same(plan: Plan, out: Path | None, typed: Path) -> None:
    """Refuse a directory that was built for another wiring."""
    from fabricgen.core.diagnostics import refuse
    from fabricgen.lab.session import digest_of

    if out and digest_of(out) != plan.digest():
        hint = (
            f"`fabricgen build FABRIC --only configs,forwarding,lab -o {typed}` builds it; "
            "without -o the lab builds what it needs"
        )
        raise refuse("lab-other-files", f"`{typed}` was not built from this inventory", hint=hint)


def _keep(fabric: str | None, name: str | None) -> LabRegistry:
    """Find a lab by its name, by its inventory, or because it is the only one."""
    from fabricgen.lab.registry import LabRegistry, only_lab

    if name:
        return LabRegistry(name)
    if fabric:
        from fabricgen.cli.options import FabricArguments

        inventory, _ = FabricArguments(fabric, {}, None, (), ()).read()
        return LabRegistry(inventory.spec.name)
    return only_lab()


def _relay(keep: LabRegistry, words: dict[str, Any], say: Say) -> int:
    """Send a request to a lab and pass its answers on."""
    for answer in keep.ask(words):
        say(answer)
    return int(answer["end"])


@contextlib.contextmanager
def _voice(*, as_json: bool) -> Iterator[Say]:
    """Yield a function that prints each step: as lines, or as one JSON document at the end."""
    messages: list[dict[str, Any]] = []

    def say(document: dict[str, Any]) -> None:
        messages.append(document)
        if "fault" in document:
            echo(f"the lab failed to answer: {document['fault']}", err=True)
        elif "done" in document:
            if sys.stderr.isatty():
                echo(
                    f"\r{document['done']} of {document['total']}\r",
                    nl=False,
                    err=True,
                    cleaned=True,
                )
        elif not as_json and (line := _spoken(document)):
            echo(line)

    yield say
    if as_json:
        steps = [document for document in messages if "step" in document]
        trials = [document for document in messages if "title" in document]
        print_document({"steps": steps, "trials": trials}, _failed(messages))


def _failed(messages: list[dict[str, Any]]) -> Iterator[Finding]:
    """Yield a finding for each fault of a lab and for each finding of a trial that failed."""
    from fabricgen.core.diagnostics import Finding

    for message in messages:
        if "fault" in message:
            yield Finding("fault", f"the lab failed to answer: {message['fault']}")
        elif not message.get("ok", True):
            because = (f"{message['title']}: {message['figure']}",)
            for fact in message["findings"] or because:
                yield Finding(message["code"], fact, because=because)


def _spoken(document: dict[str, Any]) -> str:
    """Lay out one message."""
    if "title" in document:
        return _line(document)
    return (
        f"{document['seconds']:6.2f} s  {document['step']}"
        if "step" in document
        else str(document.get("say", ""))
    )


def _line(trial: dict[str, Any]) -> str:
    """Lay out the result of a trial with its first findings."""
    lines = [f"{'ok' if trial['ok'] else 'FAILED':<8}{trial['title']:<40}{trial['figure']}"]
    lines += [f"          {finding}" for finding in trial["findings"][:SHOWN]]
    more = len(trial["findings"]) - SHOWN
    return "\n".join([*lines, f"          and {more} more"] if more > 0 else lines)
