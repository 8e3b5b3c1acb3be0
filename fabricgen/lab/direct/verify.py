"""The trials of a lab of direct rails: paths as `route` plans them, and hosts that forward.

Owns the comparison of packets with the plan; `failures` cuts links. The routes of kernels are
compared with the wires by `routes` of `lab.verify`, and a packet's record shows the GPUs that
forwarded it.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations
from operator import or_
from typing import TYPE_CHECKING

from fabricgen.analysis.forwarding.direct_paths import DirectRouting
from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.lab.measure import Trial, probes
from fabricgen.lab.path_checks import met_by
from fabricgen.lab.verify import routes, sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from fabricgen.lab.direct.measure import DirectLab
    from fabricgen.lab.probes import Probe

RECORDED = 8
"""Links on a path that a packet records whole: the option has nine addresses (RFC 791)."""


class PlannedPaths:
    """What the plan has for every pair, with some failures."""

    def __init__(self, lab: DirectLab, failures: Collection[str] = ()) -> None:
        """Take the failures out of the plan."""
        self._lab, plan = lab, lab.layout.plan
        self._routing = DirectRouting(plan, find_failures(plan, list(failures)))
        labels = [each.removeprefix("link:") for each in failures]
        self._graphs = [lab.graph(plane, labels) for plane in lab.planes]

    def links(self, source: str, target: str, plane: int) -> int | None:
        """Return the links of a path between two GPUs, relayed at the source; None without one."""
        layout = self._lab.layout
        if layout.same_domain(source, target):
            return 0
        one, other = layout.number(source), layout.number(target)
        coordinates = layout.plan.fabric.coordinates
        if not layout.same_rail(source, target):
            one = coordinates.on_rail(one, coordinates.rail(other), 0)
        return self._routing.links_between(one, other, plane)

    def fault(self, source: str, target: str, plane: int, record: list[str] | None) -> str | None:
        """Return what is wrong with the record of a packet; None if nothing is."""
        planned, where = self.links(source, target, plane), f"{source} to {target}"
        if record is None or planned is None:
            if (record is None) == (planned is None):
                return None
            return f"{where}: {'no packet arrived' if planned is not None else 'a packet arrived'}"
        met = met_by(self._lab, record)
        met += [target] if met[-1] != target else []
        if planned > RECORDED:
            return None
        hops = [*pairwise(met)]
        cabled = [self._joined(*hop, plane) for hop in hops]
        inside = [self._lab.layout.same_domain(*hop) for hop in hops]
        if not all(map(or_, cabled, inside)):
            return f"{where}: met {' '.join(met)}, and not all of them are joined"
        # a hop between two GPUs of an HB domain on one rail may have been over their cable
        if not inside.count(False) <= planned <= cabled.count(True):
            return f"{where}: met {' '.join(met)}, and the plan has {planned} links"
        return None

    def _joined(self, one: str, other: str, plane: int) -> bool:
        """Return whether a cable that works joins two GPUs."""
        return any(link.gpu == other for link in self._graphs[plane][one])


def paths(lab: DirectLab) -> Trial:
    """Verify that every packet takes a path that `route` plans, of as many links."""
    asked = probes(lab, permutations(lab.switches, 2))
    found, again = lab.deliver(asked, asked)
    planned = PlannedPaths(lab)
    findings = faults(planned, asked, found)
    counts = Counter(planned.links(*pair_of(asked[probe])) for probe in asked)
    lengths = ", ".join(f"{counts[links]:,} of {links} links" for links in sorted(_known(counts)))
    resent = f"; {again:,} sent twice" if again else ""
    return Trial(
        "paths",
        "paths as planned",
        f"{len(found):,} of {len(asked):,} packets (every pair{resent}): {lengths}",
        findings,
    )


def _known(counts: Counter[int | None]) -> Iterator[int]:
    """Yield the lengths of paths."""
    return (links for links in counts if links is not None)


def pair_of(asked: tuple[str, str, str]) -> tuple[str, str, int]:
    """Return the source, the target and the plane of a probe."""
    source, target, interface = asked
    return source, target, int(interface.removeprefix("nic"))


def faults(
    planned: PlannedPaths,
    asked: dict[Probe, tuple[str, str, str]],
    found: dict[Probe, list[str]],
) -> list[str]:
    """Return what is wrong with the records of probes."""
    faults = (planned.fault(*pair_of(pair), found.get(probe)) for probe, pair in asked.items())
    return [fault for fault in faults if fault]


def hosts_forward(lab: DirectLab) -> Trial:
    """Verify that without forwarding a GPU reaches its neighbours and its HB domain alone."""
    asked = probes(lab, permutations(lab.switches, 2))
    planned = PlannedPaths(lab)
    near = [
        probe
        for probe, (source, target, interface) in asked.items()
        if lab.layout.same_domain(source, target)
        or (
            lab.layout.same_rail(source, target)
            and planned.links(*pair_of((source, target, interface))) == 1
        )
    ]
    lab.forwarding(on=False)
    try:
        found, _ = lab.deliver(asked, near)
    finally:
        lab.forwarding(on=True)
    wrong = {*near} ^ found.keys()
    findings = [
        f"{source} to {target}: "
        + ("does not arrive" if probe in near else "arrives without a host that forwards")
        for probe, (source, target, _) in asked.items()
        if probe in wrong
    ]
    return Trial(
        "forwarding",
        "hosts join all but neighbours",
        f"{len(found):,} of {len(asked):,} packets arrive without forwarding, {len(near):,} may",
        findings,
    )


TRIALS: tuple[Callable[[DirectLab], Trial], ...] = (sessions, routes, paths, hosts_forward)
"""The trials in the order in which they run."""
