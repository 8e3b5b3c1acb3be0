"""Failures in a lab, measured with packets and compared with the plan.

Owns cutting and repairing. Failures have their usual names: `switch:NAME`, `link:LABEL`,
`nic:GPU[/plane]`, `gpu:GPU`, `hb:DOMAIN`, `plane:N`, `rail:N`. A communication library would choose
relays; here they follow the order of the emitted tables over the measured crossings.
"""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.analysis.forwarding.failures import find_failures
from fabricgen.analysis.forwarding.path_selection import PathSelector
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.analysis.impact.measure import impact
from fabricgen.lab.boot import batch, wait_for_carrier
from fabricgen.lab.measure import Trial, probes
from fabricgen.lab.probes import send_all
from fabricgen.lab.table_walk import Crossing, Walker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fabricgen.lab.boot import End
    from fabricgen.lab.measure import RunningLab

Key = tuple[str, int]
"""The scope of a failure: a rail, a plane where blocks span rails, or an HB domain."""


QUICK_S = 0.1
"""Silence after which the remaining packets count as lost; lost packets are sent twice."""


class Measured(NamedTuple):
    """Ordered pairs of GPUs, measured: joined by the network, or by an HB domain."""

    crossings: frozenset[tuple[str, str]]
    inside: frozenset[tuple[str, str]]


class MeasuredWalker(Walker):
    """Walks the emitted tables over measured crossings."""

    measured: Measured

    def crossed(self, crossing: Crossing) -> int:
        """Return 1 where a packet crossed."""
        return int(tuple(crossing) in self.measured.crossings)

    def meets(self, one: str, other: str) -> bool:
        """Return whether a packet went from one GPU to the other inside their HB domain."""
        return one == other or (one, other) in self.measured.inside


@dataclass(frozen=True)
class Breaker:
    """Cuts and repairs a running lab."""

    lab: RunningLab

    @cached_property
    def _ends(self) -> dict[str, list[tuple[str, End]]]:
        """The upper ends of wires by their names: the label, and the node at either end."""
        found: dict[str, list[tuple[str, End]]] = defaultdict(list)
        machines = self.lab.machines
        for wire in machines.layout.wires:
            end = wire.b, machines.ends[wire.b][wire.b_interface]
            for name in {wire.label, wire.a, wire.b} - {""}:
                found[name].append(end)
        return found

    def ends(self, failure: str) -> list[tuple[str, End]]:
        """Return the ends of wires that a failure takes down.

        They are the upper ends, so that a GPU keeps its routes and loses its carrier.
        """
        kind, _, name = failure.partition(":")
        lab = self.lab
        if kind in ("switch", "link", "gpu"):
            return self._ends[name]
        if kind == "hb":
            return self._ends[failure]
        if kind == "nic":
            gpu, _, plane = name.partition("/")
            return [
                end
                for end in self._ends[gpu]
                if end[1].wire.label and plane in ("", end[1].wire.a_interface.removeprefix("nic"))
            ]
        switches = lab.machines.layout.switches
        mapping = lab.machines.layout.plan.mapping
        number = mapping.plane if kind == "plane" else mapping.rail
        return [
            end
            for switch in switches
            if str(number(switch.segment)) == name
            for end in self._ends[switch.name]
        ]

    def cut(self, failures: Iterable[str]) -> None:
        """Take down the wires of failures."""
        self._set("down", failures)

    def repair(self, failures: Iterable[str]) -> None:
        """Bring the wires of failures up again."""
        self._set("up", failures)

    def _set(self, state: str, failures: Iterable[str]) -> None:
        """Set the ends of wires, node by node."""
        by_node, by_gpu = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for failure in failures:
            for node, end in self.ends(failure):
                by_node[node] += (
                    self.lab.machines.up(node, end.interface)
                    if state == "up"
                    else [f"link set {end.interface} down"]
                )
                if end.wire.a not in self.lab.tiers:
                    by_gpu[end.wire.a].append(end.wire.a_interface)
        networks = self.lab.machines.networks
        networks.each(list(by_node), lambda node: batch(by_node[node], node))
        networks.each(list(by_gpu), lambda gpu: wait_for_carrier(by_gpu[gpu], up=state == "up"))

    def dead(self, failures: Iterable[str]) -> set[str]:
        """Return the labels of cables and names of switches that failures disconnect."""
        found: set[str] = set()
        for failure in failures:
            kind, _, name = failure.partition(":")
            found |= {end.wire.label for _, end in self.ends(failure)} - {""}
            found |= {name} if kind == "switch" else set()
            if kind in ("plane", "rail"):
                found |= {node for node, _ in self.ends(failure) if node in self.lab.tiers}
        return found

    def touches(self, failure: str) -> set[Key]:
        """Return the scopes of a failure; failures without a common scope can be tried at once.

        Without its HB domain a GPU crosses the network to those of the domain that share its rail,
        so that rail is touched as well.
        """
        gpus, found = self.lab.tables.gpus, set[Key]()
        mapping = self.lab.machines.layout.plan.mapping
        for _, end in self.ends(failure):
            wire = end.wire
            found |= {self._key(end) for end in (wire.a, wire.b) if end in self.lab.tiers}
            if not wire.label:
                found.add(("hb", gpus[wire.a]["domain"]))
                if mapping.spans_rails or mapping.fabric.ranks_per_rail > 1:
                    found.add(
                        ("plane", 0) if mapping.spans_rails else ("rail", gpus[wire.a]["rail"])
                    )
        return found

    def _key(self, switch: str) -> Key:
        """Return the rail of a switch, or its plane where blocks span rails."""
        return self._keys[switch]

    def same_rail(self, switch: str) -> list[str]:
        """Return the switches of the rail of one, or all where blocks span rails."""
        return [name for name, key in self._keys.items() if key == self._key(switch)]

    @cached_property
    def _keys(self) -> dict[str, Key]:
        """The rail of each switch, or its plane where blocks span rails."""
        layout = self.lab.machines.layout
        mapping = layout.plan.mapping
        return {
            switch.name: ("plane", 0)
            if mapping.spans_rails
            else ("rail", mapping.first_rail(switch.segment, 0))
            for switch in layout.switches
        }

    def measure(self) -> Measured:
        """Send a packet over every crossing and inside every HB domain, with relays off.

        Returns the pairs whose packet arrived, by the way it took.
        """
        lab = self.lab
        asked = probes(lab, self._neighbours())
        lab.forwarding(on=False)
        try:
            sockets = lab.sockets()
            found = send_all(sockets, asked, asked, QUICK_S)
            lost = [probe for probe in asked if probe not in found]
            found |= send_all(sockets, lost, lost, QUICK_S)
            sockets.close()
        finally:
            lab.forwarding(on=True)
        crossed = {
            asked[probe][:2]
            for probe, record in found.items()
            if any(lab.owner.get(address) in lab.tiers for address in record)
        }
        return Measured(
            frozenset(crossed), frozenset(asked[probe][:2] for probe in found) - crossed
        )

    def _neighbours(self) -> Iterator[tuple[str, str]]:
        """Yield the ordered pairs of GPUs that need no relay."""
        gpus, spans = self.lab.tables.gpus, self.lab.machines.layout.plan.mapping.spans_rails
        for one, other in permutations(self.lab.addresses, 2):
            if (
                spans
                or gpus[one]["rail"] == gpus[other]["rail"]
                or gpus[one]["domain"] == gpus[other]["domain"]
            ):
                yield one, other


def groups(breaker: Breaker, failures: list[str]) -> Iterator[list[str]]:
    """Yield groups of failures without a common scope, which do not affect each other."""
    left = [(failure, breaker.touches(failure)) for failure in failures]
    while left:
        taken: list[str] = []
        busy: set[Key] = set()
        rest = []
        for failure, keys in left:
            if busy & keys:
                rest.append((failure, keys))
            else:
                taken.append(failure)
                busy |= keys
        yield taken
        left = rest


def every_failure(lab: RunningLab) -> list[str]:
    """Return the name of every single failure in a lab."""
    layout = lab.machines.layout
    fabric = layout.plan.fabric
    found = [f"link:{wire.label}" for wire in layout.wires if wire.label]
    found += [f"switch:{name}" for name in lab.switches]
    found += [f"{kind}:{gpu}" for kind in ("nic", "gpu") for gpu in lab.addresses]
    found += [f"hb:{domain}" for domain in layout.domains] + [
        f"plane:{plane}" for plane in range(fabric.planes)
    ]
    return found + (
        [] if layout.plan.mapping.spans_rails else [f"rail:{rail}" for rail in sorted(layout.rails)]
    )


class Survival:
    """Tries failures, independent ones at once, and compares them with the plan."""

    def __init__(self, lab: RunningLab) -> None:
        """Measure the healthy lab first."""
        self.lab, self.breaker = lab, Breaker(lab)
        self.healthy = self.breaker.measure()
        self.findings: list[str] = []
        self.pairs = self.lost = self.relayed = 0
        self.slowest_s = 0.0

    def run(self, failures: list[str], emit: Callable[[int, int], None] | None = None) -> Trial:
        """Try every failure; a comparison runs while the next failures converge."""
        done, compared = 0, list[Future[None]]()
        with ThreadPoolExecutor(1) as comparing:
            for group in groups(self.breaker, failures):
                measured = self._try(group)
                compared += [
                    comparing.submit(self._compare, failure, self._alone(failure, measured))
                    for failure in group
                ]
                done += len(group)
                if emit:
                    emit(done, len(failures))
        for each in compared:
            each.result()
        pairs = (
            f"{self.pairs:,} pairs as planned ({self.lost:,} lost, {self.relayed:,} by relay now)"
        )
        figure = (
            f"{len(failures):,} failures, {pairs}, reconverged in {self.slowest_s:.1f} s at most"
        )
        return Trial("survival", "every single failure", figure, self.findings)

    def _try(self, group: list[str]) -> Measured:
        """Try independent failures at once, and return the measurement."""
        breaker = self.breaker
        breaker.cut(group)
        took, wrong = self.lab.converge(breaker.dead(group))
        self.slowest_s = max(self.slowest_s, took)
        self.findings += [f"{', '.join(group)}: {name} does not converge" for name in wrong]
        measured = breaker.measure()
        breaker.repair(group)
        return measured

    def _alone(self, failure: str, measured: Measured) -> Measured:
        """Return the measurement of one failure alone.

        The scope of the failure is as measured with the others, the rest as measured in health.
        """
        touched, gpus, spans = (
            self.breaker.touches(failure),
            self.lab.tables.gpus,
            self.lab.machines.layout.plan.mapping.spans_rails,
        )

        def mine(pair: tuple[str, str], *, inside: bool) -> bool:
            domain, rail = (
                ("hb", gpus[pair[0]]["domain"]),
                ("plane", 0) if spans else ("rail", gpus[pair[0]]["rail"]),
            )
            return (domain if inside else rail) in touched

        return Measured(
            frozenset(
                pair
                for source in (measured, self.healthy)
                for pair in source.crossings
                if mine(pair, inside=False) == (source is measured)
            ),
            frozenset(
                pair
                for source in (measured, self.healthy)
                for pair in source.inside
                if mine(pair, inside=True) == (source is measured)
            ),
        )

    def _compare(self, failure: str, measured: Measured) -> None:
        """Compare the path of each pair with the plan's, and the counts with those of `impact`."""
        layout = self.lab.machines.layout
        failures, names = find_failures(layout.plan, [failure]) | layout.missing, layout.gpus
        choice = PathSelector(Reach(layout.plan, failures))
        walker = MeasuredWalker(
            self.lab.tables, [names[gpu] for gpu in failures.gpus if gpu in names]
        )
        walker.measured = measured
        walks = {
            (one, other): walker.walk(names[one], names[other])
            for one, other in permutations(names, 2)
        }
        for (one, other), walked in walks.items():
            way = choice.way(one, other)
            planned = (
                None
                if way is None
                else [Crossing(names[leg.exit], names[leg.landing]) for leg in way.legs]
            )
            if planned != walked:
                self._object(
                    f"{failure}: {names[one]} to {names[other]} goes {_text(walked)}, "
                    f"and the plan says {_text(planned)}"
                )
        self.pairs += len(walks)
        shown = self._cost(
            {(names[one], names[other]): walked for (one, other), walked in walks.items()}, measured
        )
        if not layout.left_out():  # `impact` counts the whole fabric
            output = impact(layout.plan, [failure])
            for key, value in shown.items():
                expected = getattr(output, key)
                if expected != value:
                    self._object(f"{failure}: {key} is {value} here, and impact says {expected}")

    def _cost(
        self, walks: dict[tuple[str, str], list[Crossing] | None], measured: Measured
    ) -> dict[str, float]:
        """Return the counts of a failure in the keys of `impact`."""
        gpus, healthy = self.lab.tables.gpus, self.healthy
        alive = {pair for pair, walked in walks.items() if walked is not None}
        straight, before = measured.crossings | measured.inside, healthy.crossings | healthy.inside
        relayed = sum(pair in before and pair not in straight for pair in alive)
        away = {one for one, other in alive if gpus[one]["domain"] != gpus[other]["domain"]}
        self.lost += len(walks) - len(alive)
        self.relayed += relayed
        return {
            "gpus_cut_off": len(gpus) - len(away),
            "pairs_needing_relay": relayed,
            "reachable_pairs_pct": round(100 * len(alive) / len(walks), DIGITS),
        }

    def _object(self, finding: str) -> None:
        """Keep a finding, up to `LISTED`."""
        if len(self.findings) < LISTED:
            self.findings.append(finding)


DIGITS = 6
"""Decimals of a percentage, as `impact` rounds it."""

LISTED = 50
"""Findings that are kept."""


def _text(walked: list[Crossing] | None) -> str:
    """Return a path as text."""
    if walked is None:
        return "nowhere"
    return ", ".join(f"over {one} and {other}" for one, other in walked) or "inside its HB domain"
