"""`lab`: the emitted files, booted and tried on this machine."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.options import ROOT, Asked, fabric_arguments, json_option
from fabricgen.cli.printing import print_json, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabricgen.lab.keeping import Keep
    from fabricgen.lab.session import Wish
    from fabricgen.planner import Plan

    Say = Callable[[dict[str, Any]], None]

SHOWN = 5
"""Findings of a trial that are printed."""

NAME = r"[a-z0-9][a-z0-9-]*"

name_option = click.option("--name", help="Name of the lab; default: the fabric's.")


@click.group()
def lab() -> None:
    """Boot the emitted files in network namespaces, and try them.

    Real FRR in each switch, a veth pair for each cable, a bridge for each HB domain. Needs Linux, FRR and iproute2, and no root where the
    kernel has user namespaces. Nothing of it reaches the machine outside its own namespaces.
    """


def slice_options(function: Any) -> Any:  # noqa: ANN401 - a click command, before and after
    """Add the options that choose what is booted."""
    for option in (
        click.option("--rails", type=click.IntRange(1), help="Boot the first rails only."),
        click.option("--hb-domains", "domains", type=click.IntRange(1), help="Boot so many HB domains only, taken from both ends."),
        click.option("-o", "--output", "out", type=click.Path(path_type=Path, file_okay=False), help="Directory that `build` wrote; default: built now."),
        click.option("--templates", type=ROOT, multiple=True, envvar="FABRICGEN_TEMPLATES", help="Directory of your own packs."),
    ):
        function = option(function)
    return function


failures_option = click.option(
    "--failures",
    type=click.Choice(["none", "clocked", "all"]),
    default="none",
    show_default=True,
    help="clocked: one of each kind dies while packets flow; all: every single thing dies once as well, and every pair is compared with the plan.",
)


@lab.command()
@fabric_arguments
@slice_options
@failures_option
@click.option("--rail-at-a-time", "one_rail", is_flag=True, help="Boot and try the rails one after the other, in the memory of one.")
@json_option
def run(asked: Asked, *, one_rail: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - the options above, by name
    """Boot a lab, try it, and end it, whatever happens."""
    from fabricgen.lab.session import run as run_lab

    with _wish(asked, options, one_rail=one_rail) as wish, _voice(as_json=as_json) as say:
        return run_lab(wish, say)


@lab.command()
@fabric_arguments
@slice_options
@name_option
@json_option
def up(asked: Asked, *, name: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - the options above, by name
    """Boot a lab and leave it up in the background."""
    from fabricgen.lab.keeping import Keep
    from fabricgen.lab.standing import put_up

    with _wish(asked, {"failures": "none"} | options, keep_files=True) as wish, _voice(as_json=as_json) as say:
        keep = Keep(name or wish.plan.spec.name)
        put_up(wish, keep, say)
        say({"say": f"{keep.name} is up: `fabricgen lab test`, `lab exec NODE -- CMD`, `lab shell NODE`, `lab down`"})
    return 0


@lab.command("test")
@click.argument("fabric", required=False)
@name_option
@failures_option
@json_option
def test_lab(fabric: str | None, name: str | None, failures: str, *, as_json: bool) -> int:
    """Try a lab that is up."""
    with _voice(as_json=as_json) as say:
        return _relay(_keep(fabric, name), {"do": "test", "failures": failures}, say)


@lab.command()
@click.argument("fabric", required=False)
@name_option
def down(fabric: str | None, name: str | None) -> None:
    """End a lab that is up."""
    keep = _keep(fabric, name)
    _ = keep.facts
    keep.end()
    click.echo(f"{keep.name} is down")


@lab.command()
@json_option
def status(*, as_json: bool) -> None:
    """List this user's labs, and what is up in each."""
    from fabricgen.lab.keeping import every_keep

    rows = []
    for keep in every_keep():
        facts = keep.facts
        answer = next(iter(keep.ask({"do": "status"})), {}) if keep.alive() else {}
        rows.append({"name": keep.name, "up": keep.alive(), **{key: facts[key] for key in ("fabric", "gpus", "switches", "out")}, **answer})
    if as_json:
        print_json({"labs": rows})
    elif not rows:
        click.echo("no lab is up")
    else:
        head = ["lab", "fabric", "GPUs", "switches", "BGP sessions", "files"]
        lines = [[row["name"], row["fabric"], str(row["gpus"]), str(row["switches"]), _sessions(row), row["out"]] for row in rows]
        click.echo(table([head, *lines], right=(2, 3)))


def _sessions(row: dict[str, Any]) -> str:
    """Say how many sessions are up."""
    return f"{row['sessions']} of {row['of']}" if "sessions" in row else "gone; `lab down` clears it away"


@lab.command("exec", context_settings={"ignore_unknown_options": True})
@click.argument("node")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@name_option
def execute(node: str, command: tuple[str, ...], name: str | None) -> int:
    """Run a command in a node: a switch, a GPU like d0-g3, or an HB domain like hb:0."""
    from fabricgen.lab.standing import inside

    return inside(_keep(None, name), node, list(command))


@lab.command()
@click.argument("node")
@name_option
def shell(node: str, name: str | None) -> int:
    """Open a shell in a node; in a switch, `vtysh --vty_socket /run/frr/NODE` speaks to FRR."""
    from fabricgen.lab.standing import inside

    return inside(_keep(None, name), node, [os.environ.get("SHELL", "/bin/sh")])


@lab.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@name_option
def lldp(out: Path, name: str | None) -> int:
    """Keep what each node of a lab hears by LLDP in OUT, a file per node as `lldpctl -f json0` prints it, and compare it with the cabling."""
    import json

    out.mkdir(parents=True, exist_ok=True)
    for answer in _keep(None, name).ask({"do": "lldp"}):
        for node, said in answer.get("neighbours", {}).items():
            (out / f"{node}.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
        if "title" in answer:
            click.echo(_line(answer))
        if "end" in answer:
            return int(answer["end"])
    return 1


@lab.command()
@json_option
def doctor(*, as_json: bool) -> int:
    """Say what this machine has and lacks for a lab, and the command that brings it."""
    from fabricgen.lab.fitting import available_mb
    from fabricgen.lab.fitting import doctor as examine

    needs = examine()
    if as_json:
        print_json({"ok": all(need.ok for need in needs), "memory_mb": available_mb(), "needs": [need._asdict() for need in needs]})
    else:
        click.echo(table([["", "needed", "found"], *(["ok" if need.ok else "MISSING", need.what, need.found] for need in needs)]))
        click.echo(f"\n{available_mb():,} MB of memory are free")
        for line in dict.fromkeys(need.install for need in needs if not need.ok):
            click.echo(f"install: {line}")
    return int(not all(need.ok or need.what.startswith("lldpd") for need in needs))


@contextlib.contextmanager
def _wish(asked: Asked, options: dict[str, Any], *, one_rail: bool = False, keep_files: bool = False) -> Iterator[Wish]:
    """Plan, check that the machine can, and build what is booted unless it is built already."""
    from fabricgen.lab.fitting import check_fits, check_machine
    from fabricgen.lab.layout import lay_out
    from fabricgen.lab.session import Wish

    planned, inventory = asked.plan()
    with inventory.placing():
        layout = lay_out(planned, 1 if one_rail else options["rails"], options["domains"])
    check_machine()
    check_fits(layout)
    if options["out"]:
        _check_same(planned, options["out"])
        yield Wish(planned, options["out"].resolve(), options["rails"], options["domains"], options["failures"], one_rail)
        return
    with _built(planned, options["templates"], keep=keep_files) as out:
        yield Wish(planned, out, options["rails"], options["domains"], options["failures"], one_rail)


def _check_same(plan: Plan, out: Path) -> None:
    """Refuse a directory that was built from another wiring."""
    from fabricgen.diagnostics import refuse
    from fabricgen.lab.session import digest_of

    if digest_of(out) != plan.digest():
        hint = f"`fabricgen build` it again: `fabricgen build FABRIC -o {out}`"
        raise refuse("lab-other-files", f"{out} was not built from this inventory", hint=hint)


@contextlib.contextmanager
def _built(plan: Plan, templates: tuple[Path, ...], *, keep: bool) -> Iterator[Path]:
    """Build what a lab needs into a directory of its own, which goes with it unless the lab stays up."""
    from fabricgen.building import Job, build
    from fabricgen.packs import Packs

    place = Path(tempfile.mkdtemp(prefix="fabricgen-lab-"))
    try:
        build(Job(plan, Packs(templates), ("configs", "forwarding", "lab"), frozenset({"forwarding", "lab"})), place / "out")
        yield place / "out"
    finally:
        if not keep or sys.exc_info()[0]:
            import shutil

            shutil.rmtree(place, ignore_errors=True)


def _keep(fabric: str | None, name: str | None) -> Keep:
    """Find the lab that is meant: by its name, by its inventory, or the only one."""
    from fabricgen.lab.keeping import Keep, only_keep

    if name:
        return Keep(name)
    if fabric:
        from fabricgen.cli.options import Asked

        inventory, _ = Asked(fabric, {}, None, (), ()).read()
        return Keep(inventory.spec.name)
    return only_keep()


def _relay(keep: Keep, words: dict[str, Any], say: Say) -> int:
    """Ask a lab and hand its answers on."""
    for answer in keep.ask(words):
        if "end" in answer:
            return int(answer["end"])
        say(answer)
    return 1


@contextlib.contextmanager
def _voice(*, as_json: bool) -> Iterator[Say]:
    """Yield what is told of each step: lines for a person, or one document at the end."""
    heard: list[dict[str, Any]] = []

    def say(document: dict[str, Any]) -> None:
        if as_json:
            heard.append(document)
        elif "title" in document:
            click.echo(_line(document))
        elif "step" in document:
            click.echo(f"{document['seconds']:6.2f} s  {document['step']}")
        elif "say" in document:
            click.echo(document["say"])
        elif "done" in document and sys.stderr.isatty():
            click.echo(f"\r{document['done']} of {document['total']}", nl=False, err=True)

    yield say
    if as_json:
        trials = [document for document in heard if "title" in document]
        print_json({"steps": [document for document in heard if "step" in document], "trials": trials, "ok": all(trial["ok"] for trial in trials)})


def _line(trial: dict[str, Any]) -> str:
    """Lay out the outcome of a trial, with its first findings below."""
    lines = [f"{'ok' if trial['ok'] else 'FAILED':<8}{trial['title']:<32}{trial['figure']}"]
    lines += [f"          {finding}" for finding in trial["findings"][:SHOWN]]
    more = len(trial["findings"]) - SHOWN
    return "\n".join([*lines, f"          and {more} more"] if more > 0 else lines)
