"""`route`: the path from one GPU to another, hop by hop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import FabricArguments, fabric_arguments, json_option
from fabricgen.cli.printing import echo, grouped, print_result
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from fabricgen.analysis.forwarding.path_selection import RelayPath
    from fabricgen.analysis.forwarding.paths import Hop, Path, Routing
    from fabricgen.core.diagnostics import Finding
    from fabricgen.planning.plan import Plan

RELAYED = {
    "direct": "direct",
    "source-relay": "source relay: over the HB domain first",
    "destination-relay": "destination relay: over the HB domain last",
    "third-rail-relay": "third-rail relay: over both HB domains, on another rail",
    "third-domain-relay": "third-domain relay: over GPUs of other HB domains",
}
"""Kind of path -> its description."""


@click.command(
    cls=Command,
    examples=(
        "fabricgen route fabric.yaml d0-g0 d1-g3",
        "fabricgen route fabric.yaml d0-g0 d1-g0 --fail switch:leaf-1",
    ),
)
@fabric_arguments
@click.argument("source", required=False, metavar="SRC", help="Source GPU, such as d0-g0.")
@click.argument("target", required=False, metavar="DST", help="Destination GPU, such as d1-g3.")
@click.option(
    "--fail",
    "failed",
    multiple=True,
    metavar="PART",
    help="Failed part, such as switch:r0-leaf-1, link:LABEL, nic:d0-g3; may be repeated.",
)
@click.option("--all-kinds", is_flag=True, help="Show a path of every kind, the default first.")
@click.option(
    "--flow",
    "number",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    help="Flow to follow; the number is hashed as the UDP source port.",
)
@json_option
def route(
    asked: FabricArguments,
    source: str | None,
    target: str | None,
    failed: tuple[str, ...],
    number: int,
    *,
    all_kinds: bool,
    as_json: bool,
) -> int:
    """Show the path between two GPUs, hop by hop.

    Exit code 1: no path is left.
    """
    from fabricgen.analysis.forwarding.ecmp_hash import flow_of
    from fabricgen.analysis.forwarding.failures import find_failures, find_gpu
    from fabricgen.analysis.forwarding.paths import PathList, Routing
    from fabricgen.analysis.forwarding.reachability import Reach

    asked, source, target = _ends(asked, source, target)
    plan, inventory = asked.plan()
    with inventory.locate_findings():
        failures = find_failures(plan, failed)
        ends = find_gpu(plan, source), find_gpu(plan, target)
    if plan.mapping.topology:
        from fabricgen.analysis.forwarding.direct_paths import DirectRouting

        paths = DirectRouting(plan, failures).paths(*ends, number, all_kinds=all_kinds)
        why = "what is left of the rails and HB domains does not connect them"
    else:
        routing = Routing(Reach(plan, failures))
        paths = [
            routing.path(*ends, way, flow_of(number))
            for way in _shown(routing, ends, all_kinds=all_kinds)
        ]
        why = "" if paths else _why(routing, ends)
    same_rail = len({plan.fabric.coordinates.rail(gpu) for gpu in ends}) == 1
    lost = [] if paths else [_unreachable((source, target), why)]
    if as_json:
        relay = next((relay for path in paths[:1] for relay in path.relays), None)
        print_result(PathList(source, target, same_rail, relay, paths, bool(paths)), lost)
    elif paths:
        echo(
            "\n\n".join(
                [
                    _title(plan, ends, same_rail=same_rail),
                    *(_drawing(path, planes=plan.fabric.planes) for path in paths),
                    *_circuits(plan),
                ]
            )
        )
    for finding in lost:
        echo(f"{finding.fact}: {finding.because[0]}", err=True)
    return int(bool(lost))


def _circuits(plan: Plan) -> list[str]:
    """Return a note for leaves that do not forward packets; none for those that do."""
    if not plan.fabric.has_circuits:
        return []
    return ["a leaf joins two ports while a circuit is set: `fabricgen circuits` lists when"]


def _ends(
    asked: FabricArguments, source: str | None, target: str | None
) -> tuple[FabricArguments, str, str]:
    """Return the two GPUs; where FABRIC is left out, they take the places of FABRIC and SRC."""
    if target is None:
        asked, word = asked.without_fabric()
        source, target = (word, source) if word else (source, None)
    if source is None or target is None:
        raise click.UsageError("name two GPUs, such as d0-g0 and d1-g3")
    if source == target:
        raise click.UsageError(f"{source} is source and destination; name two GPUs")
    return asked, source, target


def _shown(routing: Routing, ends: tuple[int, int], *, all_kinds: bool) -> list[RelayPath]:
    """Choose the paths to print: one of every kind, or the default.

    Where blocks span rails, the relay path of the other designs is added.
    """
    ways = routing.choice.each_kind(*ends)
    if all_kinds:
        return ways
    beside = [
        way
        for way in ways[1:]
        if way.kind == "source-relay"
        and routing.reach.plan.mapping.spans_rails
        and ways[0].kind == "direct"
    ]
    return [*ways[:1], *beside]


def _title(plan: Plan, ends: tuple[int, int], *, same_rail: bool) -> str:
    """Describe the relation of the two GPUs."""
    coordinates = plan.fabric.coordinates
    names = [coordinates.name(gpu) for gpu in ends]
    domains = {coordinates.domain(gpu) for gpu in ends}
    where = f"both in HB domain {min(domains)}" if len(domains) == 1 else "in different HB domains"
    return (
        f"{names[0]} to {names[1]}: {where}, "
        f"{'on the same rail' if same_rail else 'on different rails'}"
    )


def _drawing(path: Path, *, planes: int) -> str:
    """Draw a path from top to bottom: nodes flush left, and the links between them."""
    hops = [hop for hop in path.hops if hop.kind not in ("nic", "hb-domain")]
    width = max(len(hop.node) for hop in hops)
    lines = [_heading(path)]
    for index, hop in enumerate(path.hops):
        if hop in hops:
            relay = ": relay" if hop.node in path.relays else ""
            lines.append(f"  {hop.node:<{width}}  {_described(hop, planes=planes)}{relay}")
        if joint := _joint(path, index):
            lines.append(f"    |  {joint}")
    return "\n".join(lines)


def _heading(path: Path) -> str:
    """Describe a path: its kind, its length, and the number of equal ones."""
    if not path.links:
        return f"{RELAYED[path.kind]}: inside the HB domain"
    equal = (
        f"one of {grouped(path.equal)} equal paths"
        if path.equal > 1
        else "the only path of its length"
    )
    forwarders = sum(hop.kind == "forwarder" for hop in path.hops)
    if forwarders:
        hosts = counted(forwarders, "host forwards", "hosts forward")
        equal += f"; {hosts}, and it takes the bandwidth of {path.links} links"
    return f"{RELAYED[path.kind]}; {counted(path.links, 'link')}, {equal}"


def _described(hop: Hop, *, planes: int) -> str:
    """Describe a node; its plane only where there are several."""
    rail = f", rail {hop.rail}" if hop.rail is not None else ""
    plane = f", plane {hop.plane}" if planes > 1 else ""
    if hop.kind == "forwarder":
        return f"forwarded{rail}{plane}, {hop.device}"
    return f"GPU{rail}, {hop.device}" if hop.kind == "gpu" else f"{hop.kind}{rail}{plane}"


def _joint(path: Path, index: int) -> str:
    """Describe what follows a hop: an HB domain, or a cable with its interfaces.

    Empty between a GPU and its own NIC port.
    """
    following = path.hops[index + 1] if index + 1 < len(path.hops) else None
    if following is None or following.via == "nic":
        return ""
    if following.via == "hb":
        return (
            f"HB domain {following.node.partition(':')[2]}" if following.kind == "hb-domain" else ""
        )
    return f"{following.out} -- {following.via} -- {following.into}"


def _unreachable(names: tuple[str, str], why: str) -> Finding:
    """Return the finding that two GPUs cannot reach each other."""
    from fabricgen.core.diagnostics import Finding

    fact = f"no path from {names[0]} to {names[1]}"
    return Finding("unreachable", fact, because=(why,))


def _why(routing: Routing, ends: tuple[int, int]) -> str:
    """Return why two GPUs cannot reach each other."""
    reach, coordinates = routing.reach, routing.reach.plan.fabric.coordinates
    for gpu in ends:
        name = routing.ends.gpu(gpu)
        if gpu in reach.failures.gpus:
            return f"{name} itself has failed"
        around = [
            other
            for other in coordinates.domain_range(coordinates.domain(gpu))
            if other == gpu or (reach.hb_lives(gpu) and reach.hb_lives(other))
        ]
        if not any(
            reach.lives(other, plane)
            for other in around
            for plane in range(reach.plan.fabric.planes)
        ):
            return f"no NIC port of {name} is up" + (
                "" if reach.hb_lives(gpu) else ", and its HB domain has failed"
            )
    return "the remaining network connects them neither on a rail nor over an HB domain"
