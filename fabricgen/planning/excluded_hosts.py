"""The positions of HB domains where hosts of the inventory are absent.

Owns the meaning of `exclude`. Host names, leaf ports, addresses and rack places belong to
positions. GPUs and HB domains are numbered without a gap: the installed ones at the positions that
are not excluded, in order, then those that a reserve plans, then those that are excluded.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path, Refusal, suggest
from fabricgen.planning.name_checks import check_host_pattern
from fabricgen.planning.naming import host_name, host_pattern
from fabricgen.planning.resolve import ResolvedFabric, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec

SHOWN = 5
"""The findings that one refusal shows."""


def resolve_positions(
    spec: FabricSpec, catalog: Catalog, kept: Sequence[int] = ()
) -> ResolvedFabric:
    """Resolve an inventory, and leave the positions of its excluded hosts vacant.

    `kept` are the positions of the HB domains of an older plan, which keep their numbers. Raises
    Refusal `bad-exclude`, `bad-name-pattern` or `cannot-grow`, or with the findings of `resolve`.
    """
    fabric = resolve(spec, catalog)
    if not spec.exclude and not kept:
        return fabric
    check_host_pattern(spec.naming.host)
    vacant = _vacant(fabric)
    if taken := sorted(vacant.intersection(kept)):
        raise Refusal([_installed(fabric, taken[0])])
    planned = max(fabric.planned_gpus, fabric.gpus + len(vacant) * fabric.domain_gpus)
    fabric = replace(fabric, planned_gpus=planned)
    rest = set(range(fabric.coordinates.planned_domains)) - vacant - set(kept)
    order = (*kept, *sorted(rest), *sorted(vacant))
    in_turn = order == tuple(range(len(order)))
    return replace(fabric, domain_positions=() if in_turn else order)


def _vacant(fabric: ResolvedFabric) -> set[int]:
    """Return the positions of the HB domains whose hosts are excluded."""
    patterns, hosts = fabric.spec.exclude, fabric.domain_hosts
    # the number of positions follows from the excluded hosts, and their names from that number
    planned, positions = fabric.coordinates.planned_hosts, 0
    wanted = planned + len(patterns) * hosts
    while wanted > positions:
        positions = wanted
        names = _names(fabric, positions)
        found = [_matching(fabric, names, pattern) for pattern in patterns]
        excluded = set[int]().union(*found)
        wanted = max(planned, fabric.coordinates.hosts + len(excluded))
        if len(excluded) == positions:
            raise Refusal([_every(patterns)])
    findings = [*_unknown(patterns, found, names[:wanted]), *_parts(fabric, excluded, names)]
    if findings:
        raise Refusal(findings[:SHOWN])
    return set(map(fabric.coordinates.domain_of_host, excluded))


def _names(fabric: ResolvedFabric, positions: int, digits: int | None = None) -> list[str]:
    """Name the hosts at the first so many positions."""
    pattern = host_pattern(fabric.spec.naming, digits or len(str(positions)))
    return [host_name(pattern, fabric.coordinates, place) for place in range(positions)]


def _matching(fabric: ResolvedFabric, names: Sequence[str], pattern: str) -> set[int]:
    """Return the positions that a name or a pattern means.

    A name may have fewer or more leading zeros than the number of hosts asks for, as in a fabric
    that has grown.
    """
    if any(sign in pattern for sign in "*?["):
        return {place for place, name in enumerate(names) if fnmatchcase(name, pattern)}
    widths = range(1, len(str(len(names))) + 2)
    variants = (_names(fabric, len(names), digits) for digits in widths)
    return {names.index(pattern) for names in variants if pattern in names}


def _unknown(
    patterns: Sequence[str], found: Sequence[set[int]], names: Sequence[str]
) -> Iterator[Finding]:
    """Refuse names that no position has."""
    for number, (pattern, places) in enumerate(zip(patterns, found, strict=True)):
        if not places or max(places) >= len(names):
            because = (f"the positions are {names[0]} to {names[-1]}",)
            hint = suggest(pattern, names, "leave it out: `gpus` counts installed GPUs only")
            fact = f"there is no position `{pattern}` to exclude"
            yield Finding("bad-exclude", fact, ("exclude", number), because, hint)


def _every(patterns: Sequence[str]) -> Finding:
    """Refuse patterns that every host has, however many positions there are."""
    because = (f"every name matches {', '.join(f'`{pattern}`' for pattern in patterns)}",)
    hint = "name the hosts that are absent"
    return Finding("bad-exclude", "no host would remain", ("exclude",), because, hint)


def _parts(fabric: ResolvedFabric, excluded: set[int], names: Sequence[str]) -> Iterator[Finding]:
    """Refuse hosts of an HB domain whose other hosts are not excluded."""
    coordinates = fabric.coordinates
    for domain in sorted(set(map(coordinates.domain_of_host, excluded))):
        own = coordinates.domain_host_range(domain)
        others = [names[place] for place in own if place not in excluded]
        if others:
            first = names[min(excluded.intersection(own))]
            because = (
                f"it is one of {len(own)} hosts of its HB domain, {len(others)} of them stay",
                "every HB domain has the same GPUs on every rail",
            )
            path: Path = ("exclude",)
            hint = f"exclude {others[0]} to {others[-1]} too, or plan the domain as it will be"
            yield Finding("bad-exclude", f"{first} cannot be excluded alone", path, because, hint)


def _installed(fabric: ResolvedFabric, domain: int) -> Finding:
    """Refuse a host that an older plan has installed."""
    place = fabric.coordinates.domain_host_range(domain)[0]
    name = _names(fabric, max(fabric.coordinates.planned_hosts, place + 1))[place]
    return Finding(
        "cannot-grow",
        f"{name} is installed and cannot be excluded",
        ("exclude",),
        ("growth keeps every host that the existing plan has",),
        "leave it out of `exclude`; `fabricgen audit --degraded` routes around a failed host",
    )
