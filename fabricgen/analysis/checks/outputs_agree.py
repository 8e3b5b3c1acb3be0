"""The law of outputs: the files for people and for switches describe exactly the judged links.

`scope` owns what is read of a large fabric, and `expected_rows` what must be in it; the bill is
compared for all.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, repeat
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.expected_rows import (
    End,
    NamedLinks,
    Row,
    cable_rows,
    configured_ports,
    device_ports,
    named_links,
    rows_at,
    split_ports,
)
from fabricgen.analysis.checks.law import Verdict, Violation, Violations, violations
from fabricgen.analysis.checks.part_counts import parts_of
from fabricgen.analysis.checks.scope import scope, views_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabricgen.analysis.checks.evidence import Evidence


CABLE = (
    "rail", "plane", "tier", "a_device", "a_interface", "b_device", "b_interface",
    "a_rack", "a_unit", "b_rack", "b_unit", "length_m", "speed", "medium",
    "part", "a_transceiver", "b_transceiver",
)  # fmt: skip
PORT = ("peer_device", "peer_interface", "cable", "address")
"""The columns of the cable list, and the fields of a configured port, that are compared."""


Key = str | End


def outputs_agree(evidence: Evidence) -> Verdict:
    """Cable list, switches' views, graph and bill describe the same links."""
    read, total = scope(evidence), len(evidence.wiring.kind)
    per_segment = total // evidence.plan.mapping.segments
    found = []
    every = None if read.formula else named_links(evidence, np.arange(total))
    for run in read.rows:
        segment, start = divmod(run.start, per_segment)
        runs = (
            [(segment, start, start + len(run))]
            if read.formula
            else [(each, 0, per_segment) for each in range(evidence.plan.mapping.segments)]
        )
        views = list(chain.from_iterable(evidence.cables(*each) for each in runs))
        given = zip(map(attrgetter("cable"), views), map(attrgetter(*CABLE), views), strict=True)
        found.append(
            _compare(
                "cable list",
                CABLE,
                cable_rows(
                    evidence, run, every or named_links(evidence, np.arange(run.start, run.stop))
                ),
                given,
            )
        )
    devices = device_ports(evidence.plan)
    for run in read.switches:
        found += _configurations(
            evidence, run, every or named_links(evidence, rows_at(evidence, run)), devices
        )
    outputs = "cable list, configurations"
    if every:
        joined = zip(
            every.label.tolist(),
            zip(every.low.tolist(), every.high.tolist(), strict=True),
            strict=True,
        )
        found.append(_compare("graph", ("a_device", "b_device"), joined, evidence.edges().items()))
        outputs += ", graph"
    taken = ((part, (count,)) for part, count in parts_of(evidence).items())
    billed = Counter[str]()
    for line in evidence.bom.lines:
        billed[line.part] += line.quantity
    found.append(
        _compare(
            "bill",
            ("quantity",),
            taken,
            ((part, (count,)) for part, count in billed.items()),
        )
    )
    links = sum(map(len, read.rows))
    figure = f"{outputs} and bill agree on {links:,} links" + (
        f" of {total:,}" if links < total else ""
    )
    return Verdict(figure, tuple(found), read.formula and f"{read.formula}; the bill has all")


def _configurations(
    evidence: Evidence, switches: range, links: NamedLinks, devices: Mapping[End, Row]
) -> Iterator[Violations]:
    """Yield the differences in used ports, and in the number of idle ones, of some switches."""
    names = {evidence.switches[switch] for switch in switches}
    theirs = {end: row for end, row in devices.items() if end[0] in names}
    wanted = chain(configured_ports(links, switches), theirs.items())
    found: list[tuple[End, Row]] = []
    idle: list[tuple[str, Row]] = []
    interface, cells = attrgetter("interface"), attrgetter(*PORT)
    for view in views_of(evidence, switches):
        used = [*map(interface, view.ports)]
        found += zip(zip(repeat(view.name), used), map(cells, view.ports), strict=True)
        idle.append((view.name, (len({*map(interface, view.idle_ports)}.difference(used)),)))
    yield _compare("configuration", PORT, wanted, found)
    sizes = [*map(sum, evidence.port_counts)]
    used_ports, by_name = evidence.links_of, split_ports(evidence.plan)
    by_name.subtract(switch for switch, _ in theirs)
    spare = (
        (name, (sizes[switch % evidence.boxes] - int(used_ports[switch]) + by_name[name],))
        for switch in switches
        for name in [evidence.switches[switch]]
        if used_ports[switch]
    )
    yield _compare("list of idle ports", ("count",), spare, idle)


def _compare(
    output: str,
    columns: Sequence[str],
    wanted: Iterable[tuple[Key, Row]],
    given: Iterable[tuple[Key, Row]],
) -> Violations:
    """Return what an output lists twice, leaves out, adds, or lists with another value."""
    rows = list(given)
    want, have = dict(wanted), dict(rows)
    if want == have and len(have) == len(rows):
        return violations((), Violation)
    twice = [
        key for key, count in Counter(key for key, _ in rows).items() for _ in range(count - 1)
    ]
    wrong = [
        *twice,
        *(key for key in want if key not in have),
        *(key for key in have if key not in want),
    ]
    wrong += [key for key, row in want.items() if have.get(key, row) != row]

    def describe(key: Key) -> Violation:
        what = " ".join(key) if isinstance(key, tuple) else key
        if key in twice:
            return Violation(f"the {output} lists {what} twice")
        if key not in have or key not in want:
            row = want.get(key) or have[key]
            return Violation(
                f"the {output} {'adds' if key in have else 'leaves out'} {what}",
                (_cells_text(columns, row),),
            )
        cells = zip(columns, have[key], want[key], strict=True)
        return Violation(
            f"the {output} is wrong about {what}",
            tuple(
                f"it has {name} {given}, and the plan {planned}"
                for name, given, planned in cells
                if given != planned
            ),
        )

    return violations(wrong, describe)


def _cells_text(columns: Sequence[str], row: Row) -> str:
    """Return a row with the names of its columns."""
    return ", ".join(
        f"{name} {cell}" for name, cell in zip(columns, row, strict=True) if cell != ""
    )
