"""`model --traffic`: the traffic matrix of one iteration, and the load of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabricgen.cli.output_file import save_table
from fabricgen.cli.printing import echo, grouped, print_result, table
from fabricgen.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fabricgen.analysis.workload.collectives import Collective, Groups, TrafficShares
    from fabricgen.analysis.workload.idle_links import Traffic
    from fabricgen.analysis.workload.link_traffic import LinkTraffic
    from fabricgen.analysis.workload.published import Compared
    from fabricgen.analysis.workload.sweep import Point
    from fabricgen.planning.plan import Plan

NAMES = {"mp": "MP", "dp_within": "DP within", "dp_across": "DP across", "pipeline": "pipeline"}


def links_of(plan: Plan, point: Point, collective: Collective, *, any_to_any: bool) -> LinkTraffic:
    """Route the traffic of an iteration over a plan, or over a fat-tree of the same cluster.

    The pods of that fat-tree hold whole rails. Raises Refusal.
    """
    from fabricgen.analysis.workload.collectives import Groups
    from fabricgen.analysis.workload.link_traffic import LinkTraffic
    from fabricgen.bom.comparison import plan_as
    from fabricgen.core.terms import Design

    groups = Groups(point.llm, point.machine, int(point.times.n_m), collective)
    return LinkTraffic(
        plan_as(plan.spec, Design.FAT_TREE, plan.catalog) if any_to_any else plan,
        groups,
        any_to_any,
    )


@dataclass(frozen=True)
class TrafficResult(Document):
    """The traffic of one iteration: `model --traffic --json`."""

    OPTIONAL = frozenset({"published"})

    name: str
    llm: str
    traffic: Traffic
    published: list[Compared] | None


def print_traffic(
    links: LinkTraffic, name: str, traffic: Traffic, compared: list[Compared], *, as_json: bool
) -> None:
    """Print the matrix by class and the links by kind."""
    if as_json:
        print_result(TrafficResult(name, links.groups.llm.name, traffic, compared or None))
        return
    parts = [
        *_matrix(links.groups, name, traffic.shares),
        *_links(links, traffic),
        *(each.words for each in compared),
    ]
    echo("\n\n".join(parts))


def _matrix(groups: Groups, name: str, shares: TrafficShares) -> list[str]:
    """Lay out the classes."""
    total = shares.bytes
    rows = [["traffic", "group", "peers", "GB per GPU", "MB per pair", "pairs", "% of bytes"]]
    for key, each in shares.classes.items():
        share = 100 * each.pairs * each.bytes_per_pair / total
        amounts = [
            f"{each.bytes_per_gpu / 1e9:.4g}",
            f"{each.bytes_per_pair / 1e6:.4g}",
            grouped(each.pairs),
            f"{share:.2f}",
        ]
        rows.append([NAMES[key], grouped(each.size), grouped(each.peers), *amounts])
    head = (
        f"{groups.llm.name} on {name}: {total / 1e12:,.4g} TB in an iteration, model-parallel "
        f"groups of {groups.n_m}, {groups.collective} exchange"
    )
    idle = (
        f"{shares.pairs_idle_pct:.2f} % of the {grouped(shares.pairs)} pairs of GPUs "
        "carry no traffic."
    )
    kept = (
        f"{shares.hb_pairs_pct:.3g} % are inside HB domains, and carry "
        f"{shares.hb_bytes_pct:.1f} % of the bytes."
    )
    return [head, table(rows, right=range(1, 7)), f"{idle} {kept}"]


def _links(links: LinkTraffic, traffic: Traffic) -> list[str]:
    """Lay out the links."""
    design = traffic.design + (", GPUs ordered by rail" if links.gathered else "")
    rows = [[design, "links", "idle", "TB up", "most, GB", "takes, s"]]
    for key, each in traffic.load.links.items():
        words = [
            grouped(each.links),
            grouped(each.idle),
            f"{each.bytes_up / 1e12:.4g}",
            f"{each.most_bytes / 1e9:.4g}",
            f"{each.most_s:.4f}",
        ]
        rows.append([key.replace("_", "-"), *words])
    busy, hashing = traffic.load.busiest, traffic.load.hashing
    lines = [
        (
            f"{grouped(traffic.load.idle_links)} links carry no traffic, "
            f"{traffic.load.idle_links_pct:.1f} % of all."
        )
    ]
    if busy.bytes:
        way = "upwards" if busy.up else "downwards"
        lines.append(
            f"The busiest is {busy.cable}, {busy.bytes / 1e9:.4g} GB {way} in "
            f"{busy.seconds:.4f} s, like {grouped(busy.alike - 1)} others."
        )
    if hashing:
        lines.append(
            f"ECMP is assumed to be even; of {grouped(hashing.flows)} hashed flows the "
            f"fullest uplink of a leaf has {hashing.fullest:.2f} times its share."
        )
    return [table(rows, right=range(1, 6)), "\n".join(lines)]


def write_pairs(path: Path, groups: Groups) -> None:
    """Write the sparse matrix as CSV: a row for each pair of GPUs and class."""
    names = [groups.machine.coordinates.name(gpu) for gpu in range(groups.machine.gpus)]

    def rows() -> Iterator[str]:
        yield "source,target,class,bytes\n"
        for each, sources, targets in groups.matrix():
            tail = f",{each.name},{each.bytes_per_pair!r}\n"
            yield "".join(
                f"{names[source]},{names[target]}{tail}"
                for source, target in zip(sources.tolist(), targets.tolist(), strict=True)
            )

    _write(path, rows())


def write_idle(path: Path, links: LinkTraffic) -> None:
    """Write the links without traffic."""
    from fabricgen.analysis.workload.idle_links import idle_csv

    _write(path, (f"{line}\n" for line in idle_csv(links)))


def _write(path: Path, pieces: Iterable[str]) -> None:
    """Write a CSV and print its name."""
    save_table(path, pieces)
    echo(f"wrote {path}", err=True)
