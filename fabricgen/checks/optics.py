"""The law of optics: what stands in the cages at both ends, and the cable between, go together.

Generic parts go with everything: they stand for what nobody chose yet.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.cabling import ASSUMED_REACH_M
from fabricgen.checks.judging import Objection, Verdict, against
from fabricgen.terms import LinkKind, Role, speed_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.cabling import Joint
    from fabricgen.checks.evidence import Evidence
    from fabricgen.parts import Top, Transceiver

GENERIC = "generic"


class _Cage(NamedTuple):
    """The cage at one end of a kind of link."""

    name: str
    form_factor: str
    top: Top
    links: int
    speed_gbps: int
    transport: str


def optics_match(evidence: Evidence) -> Verdict:
    """Modules fit their cages, carry their links, share a medium with the cable, and reach as far as it may have to."""
    objections = [objection for kind, joint in evidence.joints.items() for objection in _joint_faults(evidence, kind, joint)]
    objections += _shared_cages(evidence)
    figure = "; ".join(
        f"{kind.key.replace('_', '-')}: {joint.lower.model}, {joint.cable.model}, {joint.upper.model}" for kind, joint in evidence.joints.items()
    )
    return Verdict(figure, (against(objections, lambda objection: objection),))


def _joint_faults(evidence: Evidence, kind: LinkKind, joint: Joint) -> Iterator[Objection]:
    """Find what does not go together on one kind of link."""
    where, reach_m = f"{kind.key.replace('_', '-')} links", ASSUMED_REACH_M[kind]
    for cage, module in zip(_cages(evidence, kind), (joint.lower, joint.upper), strict=True):
        yield from _module_faults(where, cage, module, joint)
        if module.reach_m is not None and module.reach_m < reach_m:
            yield Objection(f"the {module.model} reaches {module.reach_m:g} m, and {where} may be {reach_m} m long")
        if cage.speed_gbps != joint.speed_gbps:
            yield Objection(f"{where} run at {speed_text(joint.speed_gbps)}, and the ports of {cage.name} at {speed_text(cage.speed_gbps)}")
    media = {joint.lower.medium: joint.lower.model, joint.upper.medium: joint.upper.model, joint.cable.medium: joint.cable.model}
    named = {medium: part for medium, part in media.items() if medium != GENERIC}
    if len(named) > 1:
        yield Objection(f"the parts of {where} have no medium in common", (", ".join(f"{part} is {medium}" for medium, part in named.items()),))
    if joint.medium != joint.cable.medium:
        yield Objection(f"{where} are listed as {joint.medium}, and their cable {joint.cable.model} is {joint.cable.medium}")
    if joint.cable.reach_m is not None and joint.cable.reach_m < reach_m:
        yield Objection(f"the cable {joint.cable.model} reaches {joint.cable.reach_m:g} m, and {where} may be {reach_m} m long")


def _module_faults(where: str, cage: _Cage, module: Transceiver, joint: Joint) -> Iterator[Objection]:
    """Find why a module cannot stand in a cage, or not carry its links."""
    if GENERIC not in (module.form_factor, cage.form_factor) and not module.fits(cage.form_factor, cage.top):
        need = f"{cage.form_factor}, {'either top' if cage.top == 'any' else f'{cage.top} top'}"
        yield Objection(
            f"the {module.model} on {where} does not fit {cage.name}", (f"the cage takes {need}; the module is {module.form_factor}, {module.cooling} top",)
        )
    if cage.transport not in module.transports:
        yield Objection(f"the {module.model} on {where} does not carry {cage.transport}, which {cage.name} runs")
    if (module.ports, module.port_gbps) != (cage.links, cage.speed_gbps) and not (
        cage.links == 1 and module.ports == joint.cables and module.ports * module.port_gbps == cage.speed_gbps
    ):
        sums = f"the module has {module.ports} x {speed_text(module.port_gbps)}; the cage is split into {cage.links} x {speed_text(cage.speed_gbps)}"
        yield Objection(f"the {module.model} on {where} does not carry the links of {cage.name}", (sums, f"{joint.cables} cables a link"))


def _cages(evidence: Evidence, kind: LinkKind) -> tuple[_Cage, _Cage]:
    """Return the cages at both ends of a kind of link."""
    request = evidence.plan.request
    above, below, host = request.fronts[kind.upper], kind.lower and request.fronts[kind.lower], request.host
    high = _Cage(
        f"a cage of the {kind.upper} {above.model.model}",
        above.model.form_factor,
        above.model.module_top,
        above.down.count,
        above.down.speed_gbps,
        above.model.transport,
    )
    if below:
        model = below.model
        return _Cage(
            f"a cage of the {below.role} {model.model}", model.form_factor, model.module_top, below.up.count, below.up.speed_gbps, model.transport
        ), high
    if host is None:
        return _Cage("a NIC port of the host", GENERIC, "any", 1, request.speed_gbps, high.transport), high
    links = max(sum(port.cage == cage for port in host.ports if port.plane < request.planes) for cage in {port.cage for port in host.ports})
    return _Cage(f"a cage of the {host.model}", host.form_factor, host.module_top, links, request.speed_gbps, high.transport), high


def _shared_cages(evidence: Evidence) -> Iterator[Objection]:
    """Find cages that would need two modules, because a downlink and an uplink share them."""
    for below, above in pairwise(evidence.plan.kinds):
        role: Role = below.upper
        down, modules = evidence.plan.widths[role][0], (evidence.joints[below].upper.model, evidence.joints[above].lower.model)
        ports = evidence.ports[role]
        shared = sorted({port.cage for port in ports[:down]} & {port.cage for port in ports[down:]})
        if shared and modules[0] != modules[1]:
            yield Objection(f"cage {shared[0]} of each {role} would need two modules", (f"its downlinks take {modules[0]}, its uplinks {modules[1]}",))
