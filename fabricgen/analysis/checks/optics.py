"""The law of optics: the modules in the cages at both ends fit the cages, the cable and each other.

Generic parts fit everything: they are placeholders for parts that are not chosen yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.checks.end_cages import GENERIC, EndCage, end_cages
from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.analysis.checks.part_counts import nic_cages, switch_cages
from fabricgen.core.arrays import distinct
from fabricgen.core.terms import LinkKind, speed_text
from fabricgen.planning.cabling.candidates import ASSUMED_REACH_M, SERIAL_REACH_M, SPLIT_REACH_M

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.catalog.models.optics import Transceiver
    from fabricgen.core.arrays import IntArray
    from fabricgen.planning.cabling.compatibility import LinkParts

FIBRES, OWN_OPTICS = ("mmf", "smf"), ("mpo", "lc")
"""The media that need optics at both ends, and the form factors of boxes that take no module."""


def optics_match(evidence: Evidence) -> Verdict:
    """Modules and cables fit their cages, carry their links, share a medium and reach far enough.

    A cage holds one thing.
    """
    reaches = _reaches(evidence)
    used = [
        (evidence.candidates[number], reaches[number])
        for number in distinct(evidence.candidate).tolist()
    ]
    faults = [
        violation for parts, reach_m in used for violation in _part_faults(evidence, parts, reach_m)
    ]
    faults += _shared_cages(evidence)
    figure = "; ".join(
        f"{parts.kind.key.replace('_', '-')}: {', '.join(part for part in _models(parts) if part)}"
        for parts, _ in used
    )
    return Verdict(figure, (violations(faults, lambda violation: violation),))


def _models(parts: LinkParts) -> tuple[str, str, str]:
    """Return the models of lower module, cable and upper module; empty for a cable's own ends."""
    return (
        parts.lower.model if parts.lower else "",
        parts.cable.model,
        parts.upper.model if parts.upper else "",
    )


def _reaches(evidence: Evidence) -> list[float]:
    """Return how far each candidate must reach, in metres.

    That is its longest cable in a described room, else the reach assumed for its kind.
    """
    if evidence.lengths is None or evidence.plan.spec.site is None:
        if evidence.plan.fabric.is_serial:
            return [SERIAL_REACH_M] * len(evidence.candidates)
        return [
            SPLIT_REACH_M if parts.stated else ASSUMED_REACH_M[parts.kind]
            for parts in evidence.candidates
        ]
    found = [0.0] * len(evidence.candidates)
    for segment in range(evidence.plan.mapping.segments):
        stock_at = evidence.lengths.stock_at[segment]
        candidate = evidence.lengths.candidate[segment]
        longest = (
            evidence.lengths.stock_mm[stock_at[candidate == number]].max(initial=0)
            for number in range(len(found))
        )
        found = [
            max(before, int(stock) / 1000) for before, stock in zip(found, longest, strict=True)
        ]
    return found


def _part_faults(evidence: Evidence, parts: LinkParts, reach_m: float) -> Iterator[Violation]:
    """Yield what does not match in the parts of a link."""
    where, cages = f"{parts.kind.key.replace('_', '-')} links", end_cages(evidence, parts)
    for cage, module in zip(cages, (parts.lower, parts.upper), strict=True):
        if module:
            yield from _module_faults(where, cage, module, parts)
        elif parts.cable.medium in FIBRES and cage.form_factor not in OWN_OPTICS:
            yield Violation(
                f"the fibre {parts.cable.model} on {where} has no module in {cage.name}"
            )
        if cage.speed_gbps != parts.speed_gbps:
            yield Violation(
                f"{where} run at {speed_text(parts.speed_gbps)}, and the ports of {cage.name} at"
                f" {speed_text(cage.speed_gbps)}"
            )
    fibre = bool(parts.modules) or parts.cable.medium in FIBRES
    yield from _fibre_faults(where, parts) if fibre else _plug_faults(where, cages, parts)
    for what, part in (("", parts.lower), ("", parts.upper), ("cable ", parts.cable)):
        if part and part.reach_m is not None and part.reach_m < reach_m:
            yield Violation(
                f"the {what}{part.model} reaches {part.reach_m:g} m, and {where} may be {reach_m:g}"
                " m long"
            )
    modules = [(module.medium, module.model) for module in parts.modules.values()]
    media = dict([*modules, (parts.cable.medium, parts.cable.model)])
    named = {medium: part for medium, part in media.items() if medium != GENERIC}
    if len(named) > 1:
        yield Violation(
            f"the parts of {where} have no medium in common",
            (", ".join(f"{part} is {medium}" for medium, part in named.items()),),
        )
    if parts.medium != parts.cable.medium:
        yield Violation(
            f"{where} are listed as {parts.medium}, and their cable {parts.cable.model} is"
            f" {parts.cable.medium}"
        )


def _fibre_faults(where: str, parts: LinkParts) -> Iterator[Violation]:
    """Yield why a fibre does not fit both modules, or joins transmitter to transmitter."""
    plugs = {parts.cable.model: parts.cable.ends[0]} | {
        module.model: module.connector for module in parts.modules.values()
    }
    named = {plug: part for part, plug in plugs.items() if plug != GENERIC}
    if len(named) > 1:
        yield Violation(
            f"the parts of {where} have no plug in common",
            (", ".join(f"{part} has {plug}" for plug, part in named.items()),),
        )
    if not parts.cable.crosses:
        yield Violation(
            f"the fibre {parts.cable.model} on {where} does not cross",
            (f"it is of type {parts.cable.polarity}, and nothing lies between the two modules",),
        )


def _plug_faults(
    where: str, cages: tuple[EndCage, EndCage], parts: LinkParts
) -> Iterator[Violation]:
    """Yield why a cable with its own ends does not fit its cages, or does not carry their links."""
    near, far = cages if parts.near == "lower" else cages[::-1]
    cable = parts.cable
    if not cable.plugs_into(near.form_factor, far.form_factor):
        sums = (
            f"it goes from {cable.form_factors[0]} to {', '.join(cable.form_factors[1:])}; the"
            f" cages are {near.form_factor} and {far.form_factor}"
        )
        yield Violation(f"the ends of the {cable.model} on {where} do not fit", (sums,))
    if near.transport not in cable.transports:
        yield Violation(
            f"the {cable.model} on {where} does not carry {near.transport}, which {near.name} runs"
        )
    whole = cable.links * (cable.speed_gbps or 0)
    if whole != near.links * near.speed_gbps or whole != far.links * far.speed_gbps * cable.legs:
        yield Violation(
            f"the {cable.model} on {where} does not carry the links of {near.name}",
            (f"it has {cable.links} x {speed_text(cable.speed_gbps or 0)}",),
        )


def _module_faults(
    where: str, cage: EndCage, module: Transceiver, parts: LinkParts
) -> Iterator[Violation]:
    """Yield why a module does not fit a cage, or does not carry its links."""
    if GENERIC not in (module.form_factor, cage.form_factor) and not module.fits(
        cage.form_factor, cage.top
    ):
        need = f"{cage.form_factor}, {'either top' if cage.top == 'any' else f'{cage.top} top'}"
        yield Violation(
            f"the {module.model} on {where} does not fit {cage.name}",
            (f"the cage takes {need}; the module is {module.form_factor}, {module.cooling} top",),
        )
    if cage.transport not in module.transports:
        yield Violation(
            f"the {module.model} on {where} does not carry {cage.transport}, which {cage.name} runs"
        )
    if not _carries(module, cage, parts):
        sums = (
            f"the module has {module.ports} x {speed_text(module.port_gbps)}; the cage is split"
            f" into {cage.links} x {speed_text(cage.speed_gbps)}"
        )
        yield Violation(
            f"the {module.model} on {where} does not carry the links of {cage.name}",
            (sums, f"{parts.cables} cables a link"),
        )


def _carries(module: Transceiver, cage: EndCage, parts: LinkParts) -> bool:
    """Return whether a module carries the links of its cage.

    It does so by a connector for each, by one connector for all, or by splitters.
    """
    if parts.shared > 1:
        split = (module.ports * parts.shared, module.port_gbps) == (
            cage.links,
            parts.shared * cage.speed_gbps,
        )
        return split or (cage.links == 1 == module.ports and module.port_gbps >= cage.speed_gbps)
    whole = (
        cage.links == 1
        and module.ports == parts.cables
        and module.ports * module.port_gbps == cage.speed_gbps
    )
    return whole or (module.ports, module.port_gbps) == (cage.links, cage.speed_gbps)


def _shared_cages(evidence: Evidence) -> Iterator[Violation]:
    """Yield cages that would need two modules, or a module and a cable's own end.

    The links of such a cage have different parts.
    """
    wiring = evidence.wiring
    models = sorted({part for parts in evidence.candidates for part in _models(parts)})
    plugs = np.array(
        [
            [models.index(low or cable), models.index(high or cable)]
            for low, cable, high in map(_models, evidence.candidates)
        ]
    )[evidence.candidate]
    at_host, direct = wiring.kind <= LinkKind.HOST, wiring.kind == LinkKind.DIRECT
    yield from _two_in_one(
        evidence,
        nic_cages(evidence, at_host),
        np.concatenate([plugs[at_host, 0], plugs[direct, 1]]),
        np.concatenate([np.flatnonzero(at_host), np.flatnonzero(direct)]),
        models,
        "host",
    )
    for role in evidence.plan.roles:
        low = np.isin(wiring.kind, [kind for kind in LinkKind if kind.role("lower") is role])
        high = np.isin(wiring.kind, [kind for kind in LinkKind if kind.role("upper") is role])
        cages = [switch_cages(evidence, role.tier, wiring.lower[low], wiring.lower_port[low])]
        cages.append(switch_cages(evidence, role.tier, wiring.upper[high], wiring.upper_port[high]))
        plugged = np.concatenate([plugs[low, 0], plugs[high, 1]])
        rows = np.concatenate([np.flatnonzero(low), np.flatnonzero(high)])
        yield from _two_in_one(evidence, np.concatenate(cages), plugged, rows, models, str(role))


def _two_in_one(
    evidence: Evidence,
    cage: IntArray,
    plugged: IntArray,
    rows: IntArray,
    models: list[str],
    owner: str,
) -> Iterator[Violation]:
    """Yield the first cage that two different things are plugged into."""
    if not len(cage):
        return
    order = np.lexsort((plugged, cage))
    cage, plugged, rows = cage[order], plugged[order], rows[order]
    wrong = np.flatnonzero((cage[1:] == cage[:-1]) & (plugged[1:] != plugged[:-1]))
    if len(wrong):
        at = int(wrong[0])
        ends = [
            f"{evidence.link(int(rows[each]))} takes {models[int(plugged[each])]}"
            for each in (at, at + 1)
        ]
        yield Violation(
            f"a cage of a {owner} would need two modules", (*ends, f"{len(wrong)} such cages")
        )
