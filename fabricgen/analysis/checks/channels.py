"""The laws of structured cabling: fibres and ports are used once, lanes arrive, and light suffices.

They judge fabrics whose inventory has `cabling`. Planning follows fibres by formula; these laws
follow them by tables, from the columns of the channels and the facts of the catalog.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.analysis.checks.law import Verdict, Violation, violations
from fabricgen.core.count_text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.core.arrays import BoolArray, IntArray
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.parts import ChannelParts
    from fabricgen.planning.channels.patch_ends import PatchEnds


class _Channel(NamedTuple):
    """A channel by its number, and its names in findings."""

    evidence: Evidence
    channels: Channels
    number: int

    @property
    def link(self) -> str:
        """The link that it carries."""
        links = len(self.evidence.plan.segment.kind)
        row = int(self.channels.segment[self.number]) * links + int(self.channels.row[self.number])
        return self.evidence.link(row)

    def port(self, end: PatchEnds) -> str:
        """Name the panel port at one end."""
        panel = self.channels.panels[int(end.panel[self.number])]
        return f"port {int(end.port[self.number]) + 1} of panel {panel.name}"

    @property
    def fibres(self) -> str:
        """The connector of its trunk."""
        trunk = self.channels.trunks[int(self.channels.trunk[self.number])]
        return f"connector {int(self.channels.leg[self.number]) + 1} of trunk {trunk.name}"

    @property
    def way(self) -> str:
        """Its way, port by port."""
        return f"{self.port(self.channels.lower)}, {self.fibres}, {self.port(self.channels.upper)}"


def channels_apart(evidence: Evidence) -> Verdict:
    """Every panel port and every fibre of a trunk serves one link, and every port exists."""
    channels = _channels(evidence)
    both = [(end, _key(end.panel, end.port)) for end in (channels.lower, channels.upper)]
    ports, count = np.concatenate([key for _, key in both]), len(channels.row)
    fanout = _of_parts(channels, [parts.cassette.fanout for parts in channels.parts])
    port_at_a = np.where(channels.lower_is_a, channels.lower.port, channels.upper.port)
    place = channels.leg.astype(np.int64) * 1000 + port_at_a % fanout
    fibres = _key(channels.trunk, np.asarray(place, dtype=np.int64))

    def twice(at: int) -> Violation:
        channel = _Channel(evidence, channels, at % count)
        end = channels.lower if at < count else channels.upper
        return Violation(f"{channel.port(end)} serves two links", (f"one is {channel.link}",))

    def shared(at: int) -> Violation:
        channel = _Channel(evidence, channels, at)
        return Violation(f"{channel.fibres} serves two links", (f"one is {channel.link}",))

    def absent(at: int) -> Violation:
        channel = _Channel(evidence, channels, at)
        return Violation(f"{channel.link} takes a port that does not exist", (channel.way,))

    found = (
        violations(_repeated(ports), twice),
        violations(_repeated(fibres), shared),
        violations(np.flatnonzero(_absent(channels)), absent),
    )
    figure = f"{counted(count, 'channel')} over {counted(len(channels.trunks), 'trunk')}"
    return Verdict(f"{figure}: {len(ports):,} ports of {len(channels.panels):,} panels", found)


def fibres_cross(evidence: Evidence) -> Verdict:
    """Every transmitter meets its receiver, and of two plugs that mate one has pins."""
    channels = _channels(evidence)
    crossed = np.zeros(len(channels.row), dtype=bool)
    for number, parts in enumerate(channels.parts):
        here = channels.part == number
        crossed[here] = _arrives(channels, parts)[here]

    def lost(at: int) -> Violation:
        channel = _Channel(evidence, channels, at)
        fact = f"the transmitters of {channel.link} do not meet its receivers"
        return Violation(fact, (channel.way,))

    lanes = _of_parts(channels, [2 * len(parts.front.transmit) for parts in channels.parts])
    return Verdict(
        f"{int(lanes.sum()):,} lanes of {len(crossed):,} channels, each followed end to end",
        (
            violations(list(_genders(channels)), lambda fault: fault),
            violations(np.flatnonzero(~crossed), lost),
        ),
    )


def light_suffices(evidence: Evidence) -> Verdict:
    """No channel loses more light than the modules at its ends allow."""
    channels = _channels(evidence)
    found, margins = [], []
    for number, parts in enumerate(channels.parts):
        here = np.flatnonzero(channels.part == number)
        budgets = [module.budget_db for module in parts.joint.modules.values()]
        figures = [*_plugs(parts), *_fibres(parts), *_splices(parts), *budgets]
        if not len(here):  # all channels with these parts are reserved
            continue
        if None in figures:
            kind = parts.joint.kind.key.replace("_", "-")
            fault = Violation(f"a loss of structured {kind} links is unknown")
            found.append(violations([fault], lambda fault: fault))
            continue
        budget = min(map(_fraction, budgets))
        loss = {at: _loss(channels, parts, at) for at in here.tolist()}
        over = [(at, loss[at], budget) for at in loss if loss[at] > budget]
        found.append(violations(over, lambda each: _dark(evidence, *each)))
        margins.append((max(loss.values()), budget))
    least = min(margins, key=lambda each: each[1] - each[0], default=(Fraction(0), Fraction(0)))
    figure = f"{len(channels.row):,} channels; the least margin has {float(least[0]):.3f} dB"
    return Verdict(f"{figure} of a budget of {float(least[1]):g} dB", tuple(found))


def _channels(evidence: Evidence) -> Channels:
    """Return the channels; these laws are judged where there are some."""
    if evidence.channels is None:
        raise ValueError("no link of this fabric runs through panels")
    return evidence.channels


def _key(one: IntArray, other: IntArray) -> IntArray:
    """Return one number for each pair."""
    return np.asarray(one.astype(np.int64) * (1 << 32) + other)


def _of_parts(channels: Channels, values: list[int]) -> IntArray:
    """Return for each channel the value of its parts."""
    return np.array(values, dtype=np.int64)[channels.part]


def _repeated(keys: IntArray) -> IntArray:
    """Return the places of keys that are there before."""
    first = np.unique(keys, return_index=True)[1]
    again = np.ones(len(keys), dtype=bool)
    again[first] = False
    return np.flatnonzero(again)


def _absent(channels: Channels) -> BoolArray:
    """Return which channels take a port that their panel does not have, or not their trunk."""
    ports = np.array([panel.parts.ports for panel in channels.panels])
    legs = np.array([trunk.parts.legs for trunk in channels.trunks])
    found = channels.leg >= legs[channels.trunk]
    for end in (channels.lower, channels.upper):
        found |= (end.port < 0) | (end.port >= ports[end.panel])
    return np.asarray(found)


def _order(polarity: str | None, positions: int) -> IntArray:
    """Return where the fibres of a cable arrive, from 0; the type is one of TIA-568."""
    straight = np.arange(positions)
    if polarity in ("A", "A-A"):
        return straight
    return straight.reshape(-1, 2)[:, ::-1].ravel() if polarity == "C" else straight[::-1]


def _arrives(channels: Channels, parts: ChannelParts) -> BoolArray:
    """Return for which channels all lanes arrive, if they had these parts."""
    ways = (
        (channels.lower, channels.upper, parts.path.near, parts.path.far),
        (channels.upper, channels.lower, parts.path.far, parts.path.near),
    )
    found = np.ones(len(channels.row), dtype=bool)
    for near, far, first, last in ways:
        found &= _one_way(channels, parts, (near, far), (first, last))
    return found


def _one_way(
    channels: Channels,
    parts: ChannelParts,
    ends: tuple[PatchEnds, PatchEnds],
    jumpers: tuple[str | None, str | None],
) -> BoolArray:
    """Return for which channels all lanes arrive at the second end."""
    (near, far), size, fanout = ends, parts.front.positions, parts.cassette.fanout
    trunk = _order(parts.path.trunk, parts.rear.positions)
    leave, arrive = (_order(jumper, size) for jumper in jumpers)
    plugged = _plugged(channels, near, far, fanout)
    found = plugged.copy()
    for transmit, receive in zip(parts.front.transmit, parts.front.receive, strict=True):
        rear = near.port % fanout * size + leave[transmit - 1]
        port, position = np.divmod(trunk[rear], size)
        found &= (port == far.port % fanout) & (arrive[position] == receive - 1)
    return found


def _plugged(channels: Channels, near: PatchEnds, far: PatchEnds, fanout: int) -> BoolArray:
    """Return whether both ends of channels are in front of the same connector of their trunk."""
    a, b = (
        np.array([getattr(trunk, end) for trunk in channels.trunks])[channels.trunk]
        for end in ("a", "b")
    )
    found = np.zeros(len(channels.row), dtype=bool)
    for one, other in ((a, b), (b, a)):
        found |= (
            (one[:, 0] == near.panel)
            & (one[:, 1] + channels.leg == near.port // fanout)
            & (other[:, 0] == far.panel)
            & (other[:, 1] + channels.leg == far.port // fanout)
        )
    return found


def _genders(channels: Channels) -> Iterator[Violation]:
    """Yield trunks whose plugs do not mate with the jumpers, or with the plugs of cassettes.

    Jumpers have no pins, because modules have them.
    """
    for trunk in channels.trunks:
        cassette, rear = trunk.parts.cassette, trunk.parts.rear
        mate = False if cassette.is_adapter else cassette.rear_pins
        if rear.pins and mate is not None and trunk.pins == mate:
            what = "jumpers" if cassette.is_adapter else f"the cassettes {cassette.model}"
            have = "have pins" if mate else "have no pins"
            yield Violation(
                f"trunk {trunk.name} does not mate with {what}", (f"the plugs of both {have}",)
            )


def _plugs(parts: ChannelParts) -> list[float | None]:
    """Return the losses at each end: a plug at the module, and those at the panel."""
    cassette = parts.cassette
    return [parts.front.loss_db, parts.rear.loss_db if cassette.is_adapter else cassette.loss_db]


def _fibres(parts: ChannelParts) -> list[float | None]:
    """Return the losses per kilometre of jumper, trunk and jumper."""
    return [parts.lower.db_per_km, parts.trunk.db_per_km, parts.upper.db_per_km]


def _splices(parts: ChannelParts) -> list[float | None]:
    """Return the losses of the splices of a fibre of the trunk."""
    return [parts.trunk.splice_db] * parts.splices


def _loss(channels: Channels, parts: ChannelParts, at: int) -> Fraction:
    """Return the loss of a channel in decibels."""
    lengths = (
        channels.lower.length_mm[at],
        channels.trunks[int(channels.trunk[at])].length_mm,
        channels.upper.length_mm[at],
    )
    loss = 2 * sum(map(_fraction, _plugs(parts)), Fraction(0))
    loss += sum(map(_fraction, _splices(parts)), Fraction(0))
    for rate, length_mm in zip(_fibres(parts), lengths, strict=True):
        loss += _fraction(rate) * int(length_mm) / 10**6
    return loss


def _fraction(value: float | None) -> Fraction:
    """Return a fact of the catalog exactly."""
    return Fraction(str(value))


def _dark(evidence: Evidence, at: int, loss: Fraction, budget: Fraction) -> Violation:
    """Describe a channel over its budget."""
    channel = _Channel(evidence, _channels(evidence), at)
    return Violation(
        f"{channel.link} loses too much light",
        (f"{float(loss):.3f} dB of a budget of {float(budget):g} dB", channel.way),
    )
