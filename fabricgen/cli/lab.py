"""`lab`: boots and tests the generated files on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.command import CommandGroup
from fabricgen.cli.lab_options import (
    check_network_failures,
    failures_option,
    find_lab,
    lab_request,
    name_option,
    slice_options,
)
from fabricgen.cli.lab_output import printed_steps
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, print_document, table
from fabricgen.cli.streams import WRITTEN

if TYPE_CHECKING:
    from fabricgen.cli.lab_output import Emit
    from fabricgen.core.diagnostics import Finding
    from fabricgen.lab.registry import LabRegistry
    from fabricgen.lab.requirements import Need


@click.group(cls=CommandGroup)
def lab() -> None:
    """Boot the generated files in network namespaces and test them.

    Runs FRR in each switch, a veth pair for each cable and a bridge for each HB domain. Needs
    Linux, FRR and iproute2, and no root where the kernel has user namespaces. The lab stays in its
    own namespaces.
    """


@lab.command(
    examples=(
        "fabricgen lab run fabric.yaml --failures clocked",
        "fabricgen lab run fabric.yaml --rails 2 --hb-domains 8",
    ),
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

    Boxes of circuits are bridges, patched anew for each configuration of `circuits` while the lab
    runs; a spare GPU is spliced in where the inventory has `spare`.

    GPUs of direct rails run the FRR of their hosts; `--failures clocked` cuts a link of
    each port once, `--failures single` every link.
    """
    from fabricgen.lab.infiniband.session import run as run_subnets
    from fabricgen.lab.session import run as run_lab
    from fabricgen.views.infiniband.transport import is_infiniband

    request = lab_request(asked, options, one_rail=one_rail, infiniband=True)
    with printed_steps(as_json=as_json) as emit:
        if request.plan.fabric.has_circuits and not request.network:
            from fabricgen.lab.circuits import run as run_circuits

            return run_circuits(request, emit)
        if request.plan.mapping.topology:
            from fabricgen.lab.direct.session import run as run_direct

            return run_direct(request, emit)
        subnets = is_infiniband(request.plan) and not request.network
        return run_subnets(request, emit) if subnets else run_lab(request, emit)


@lab.command(examples=("fabricgen lab up fabric.yaml",))
@fabric_arguments
@slice_options
@name_option
@json_option
def up(asked: FabricArguments, *, name: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - options of click
    """Boot a lab and leave it running in the background."""
    from fabricgen.lab.daemon import put_up
    from fabricgen.lab.registry import LabRegistry

    request = lab_request(asked, {"failures": "none"} | options)
    running = LabRegistry(name or request.plan.spec.name)
    with printed_steps(as_json=as_json) as emit:
        put_up(request, running, emit)
        emit(
            {
                "text": (
                    f"{running.name} is up: `fabricgen lab test`, `lab exec NODE -- CMD`, `lab "
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
    running = find_lab(fabric, name)
    if running.facts.get("network"):
        check_network_failures(failures)
    with printed_steps(as_json=as_json) as emit:
        return _relay(running, {"do": "test", "failures": failures}, emit)


@lab.command(examples=("fabricgen lab down",))
@click.argument(
    "fabric", required=False, metavar="[FABRIC]", help="Inventory of the lab, in place of --name."
)
@name_option
@json_option
def down(fabric: str | None, name: str | None, *, as_json: bool) -> None:
    """Tear down a lab that is up."""
    running = find_lab(fabric, name)
    _ = running.facts
    running.end()
    print_document({"name": running.name}) if as_json else echo(f"{running.name} is down")


@lab.command(examples=("fabricgen lab status",))
@json_option
def status(*, as_json: bool) -> None:
    """List the labs of this user with their BGP sessions."""
    from fabricgen.lab.registry import running_labs

    rows = []
    for running in running_labs():
        facts = running.facts
        sessions = next(iter(running.ask({"do": "status"}))) if facts["ready"] else {}
        rows.append(
            {
                "name": running.name,
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
@click.argument(
    "node", help="Switch, GPU such as d0-g3, HB domain such as hb:0, or VRF such as leaf-1:mgmt."
)
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
    from fabricgen.lab.node_commands import inside

    return inside(find_lab(None, name), node, list(command))


@lab.command(examples=("fabricgen lab shell r0-leaf-1",))
@click.argument(
    "node", help="Switch, GPU such as d0-g3, HB domain such as hb:0, or VRF such as leaf-1:mgmt."
)
@name_option
def shell(node: str, name: str | None) -> int:
    """Open a shell in a node of the lab.

    In a switch, `vtysh --vty_socket /run/frr/NODE` opens the shell of FRR.
    """
    from fabricgen.lab.node_commands import inside

    return inside(find_lab(None, name), node, [os.environ.get("SHELL", "/bin/sh")])


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

    with printed_steps(as_json=as_json) as emit:
        for answer in find_lab(None, name).ask({"do": "lldp"}):
            if "neighbours" in answer:
                out.mkdir(parents=True, exist_ok=True)
                WRITTEN.append(out)
            for node, records in answer.get("neighbours", {}).items():
                (out / f"{node}.json").write_text(
                    json.dumps(records, indent=1) + "\n", encoding="utf-8"
                )
            emit(answer)
    return int(answer["end"])


@lab.command(examples=("fabricgen lab doctor",))
@json_option
def doctor(*, as_json: bool) -> int:
    """Check what the lab needs here, and print the install command."""
    from fabricgen.lab.infiniband.requirements import needs as examine_infiniband
    from fabricgen.lab.requirements import available_mb
    from fabricgen.lab.requirements import doctor as examine

    needs = [*examine(), *examine_infiniband()]
    missing = [need for need in needs if not need.ok and not need.optional]
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


def _relay(running: LabRegistry, words: dict[str, Any], emit: Emit) -> int:
    """Send a request to a lab and pass its answers on."""
    for answer in running.ask(words):
        emit(answer)
    return int(answer["end"])
