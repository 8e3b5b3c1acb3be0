"""The refusal of channels that would not work: polarity, loss and length.

Each kind of parts is verified once for polarity, and by its worst channel for loss and length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.planning.cabling.stock_lengths import metres, millimetres
from fabricgen.planning.channels.loss import decibels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.parts import ChannelParts


def verify(channels: Channels) -> None:
    """Refuse channels whose lanes, losses or lengths do not fit. Raises Refusal."""
    findings: list[Finding] = []
    for number, parts in enumerate(channels.parts):
        findings += _polarity(parts)
        here = np.flatnonzero(channels.part == number)
        findings += _loss(channels, number, int(here[np.argmax(channels.loss[here])]))
        findings += _reach(channels, number, int(here[np.argmax(channels.length_mm[here])]))
    if findings:
        raise Refusal(dict.fromkeys(findings))


def _polarity(parts: ChannelParts) -> Iterator[Finding]:
    """Refuse parts by which a transmitter does not meet its receiver."""
    faults = [fault for port in range(parts.cassette.fanout) for fault in parts.path.faults(port)]
    if not faults:
        return
    lane, sent, arrives = faults[0]
    lower, upper = (
        f"{cable.model} at the {end} end of type {cable.polarity or 'B'}"
        for end, cable in (("lower", parts.lower), ("upper", parts.upper))
    )
    because = (
        f"the trunk is of polarity {parts.path.trunk}, {lower}, {upper}",
        (
            f"lane {lane} leaves on fibre {sent} and arrives on fibre {arrives}, not on"
            f" {parts.front.receive[lane - 1]}, where the far module receives it"
        ),
    )
    yield Finding(
        "wrong-polarity",
        f"structured {_kind(parts)} links join transmitters to transmitters",
        ("cabling", "trunks", "polarity"),
        because,
        "use `polarity: B` with jumpers of type B; A takes one jumper of type A and one of B, and C"
        " one of C and one of B, which `cabling.jumpers` names",
    )


def _loss(channels: Channels, number: int, worst: int) -> Iterator[Finding]:
    """Refuse a loss above the budget of the modules."""
    loss, rates, parts = int(channels.loss[worst]), channels.rates[number], channels.parts[number]
    if loss <= rates.budget:
        return
    lengths = (
        channels.lower.length_mm[worst],
        channels.trunk_mm[worst],
        channels.upper.length_mm[worst],
    )
    fibre = " + ".join(metres(int(each)) for each in lengths)
    plugs, whole = decibels(rates.plugs), decibels(loss)
    splices = f", the splices {decibels(rates.splices)} dB" if rates.splices else ""
    because = (
        (
            f"the plugs at modules and panels lose {plugs} dB at most{splices}, and with {fibre} m"
            f" of fibre the channel loses {whole} dB"
        ),
        f"the budget of the modules is {decibels(rates.budget)} dB",
    )
    yield Finding(
        "loss-over-budget",
        f"structured {_kind(parts)} links lose more light than their modules allow",
        ("cabling", "where", parts.joint.kind.setting),
        because,
        f"use cassettes with less loss or other modules, or `{parts.joint.kind.setting}: direct`",
    )


def _reach(channels: Channels, number: int, longest: int) -> Iterator[Finding]:
    """Refuse a channel that is longer than its parts reach."""
    parts, length = channels.parts[number], int(channels.length_mm[longest])
    reach = parts.joint.reach_m
    if reach is None or length <= millimetres(reach[0]):
        return
    lengths = (
        channels.lower.length_mm[longest],
        channels.trunk_mm[longest],
        channels.upper.length_mm[longest],
    )
    because = (f"jumper, trunk and jumper: {' + '.join(metres(int(each)) for each in lengths)} m",)
    yield Finding(
        "link-too-long",
        f"structured {_kind(parts)} links are up to {metres(length)} m long, and {reach[1]} reaches"
        f" {metres(millimetres(reach[0]))} m",
        ("cabling", "where", parts.joint.kind.setting),
        because,
        f"choose another medium under `site.media`, or `{parts.joint.kind.setting}: direct`",
    )


def _kind(parts: ChannelParts) -> str:
    """Name the kind of link."""
    return parts.joint.kind.key.replace("_", "-")
