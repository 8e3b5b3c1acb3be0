"""Mutations of structured cabling."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.planning.baseline.kept_channels import KeptStrands, KeptTrunks
from tests.mutations.breaking import Mutation

if TYPE_CHECKING:
    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.planning.baseline.kept_channels import KeptChannels
    from fabricgen.planning.channels.channels import Channels
    from fabricgen.planning.channels.parts import ChannelParts


def _channels(evidence: Evidence) -> Channels:
    assert evidence.channels
    return evidence.channels


def _with(evidence: Evidence, **columns: Any) -> Evidence:  # noqa: ANN401 - the fields of channels
    """Replace columns of the channels."""
    return replace(evidence, channels=replace(_channels(evidence), **columns))


def _with_port(evidence: Evidence, row: int, port: int) -> Evidence:
    """Plug the lower jumper of a channel into another port of its panel."""
    lower = _channels(evidence).lower
    ports = lower.port.copy()
    ports[row] = port
    return _with(evidence, lower=lower._replace(port=ports))


def _with_leg(evidence: Evidence, row: int, leg: int) -> Evidence:
    """Let a channel take another connector of its trunk."""
    legs = _channels(evidence).leg.copy()
    legs[row] = leg
    return _with(evidence, leg=legs)


def _with_parts(evidence: Evidence, **facts: Any) -> Evidence:  # noqa: ANN401 - the fields of parts
    """Replace facts of the parts of all channels, and of their trunks."""
    channels = _channels(evidence)
    parts: tuple[ChannelParts, ...] = tuple(each._replace(**facts) for each in channels.parts)
    trunks = tuple(trunk._replace(parts=parts[0]) for trunk in channels.trunks)
    return _with(evidence, parts=parts, trunks=trunks)


def _parts(evidence: Evidence) -> ChannelParts:
    return _channels(evidence).parts[0]


def _with_cassette(evidence: Evidence, **facts: object) -> Evidence:
    """Replace facts of the cassettes."""
    return _with_parts(evidence, cassette=_parts(evidence).cassette.model_copy(update=facts))


def _with_path(evidence: Evidence, **polarity: Any) -> Evidence:  # noqa: ANN401 - fields of a path
    """Replace the polarity of a cable of each channel."""
    parts = _parts(evidence)
    return _with(evidence, parts=(parts._replace(path=parts.path._replace(**polarity)),))


def _with_fibre(evidence: Evidence, db_per_km: float | None) -> Evidence:
    """Let the fibre of the trunks lose as much light."""
    trunk = _parts(evidence).trunk.model_copy(update={"db_per_km": db_per_km})
    return _with_parts(evidence, trunk=trunk)


def _with_panel(evidence: Evidence, rack_unit: int) -> Evidence:
    """Move the first panel to another rack unit."""
    first, *others = _channels(evidence).panels
    return _with(evidence, panels=(first._replace(rack_unit=rack_unit), *others))


def _with_kept(evidence: Evidence, kept: KeptChannels) -> Evidence:
    """Let the plan keep something else."""
    mapping = evidence.plan.mapping
    assert mapping.baseline
    baseline = replace(mapping.baseline, channels=kept)
    return replace(
        evidence,
        plan=replace(evidence.plan, mapping=replace(mapping, baseline=baseline)),
    )


def _kept(evidence: Evidence) -> KeptChannels:
    assert evidence.plan.mapping.baseline
    assert evidence.plan.mapping.baseline.channels
    return evidence.plan.mapping.baseline.channels


def _with_other_strand(evidence: Evidence) -> Evidence:
    """Let the first link have another connector before than after."""
    kept = _kept(evidence)
    strands = kept.strands._replace(leg=(kept.strands.leg + 1) % 4)
    return _with_kept(evidence, kept._replace(strands=strands))


def _with_last_trunk_alone(evidence: Evidence) -> Evidence:
    """Let the last trunk, which is spare, be the only one that was there before."""
    channels, kept = _channels(evidence), _kept(evidence)
    last = channels.trunks[-1]
    columns = ([0], *([value] for value in (*last.a, *last.b)))
    alone = kept._replace(
        trunks=KeptTrunks(*(np.array(each, dtype=np.int32) for each in columns)),
        strands=KeptStrands(*(np.full_like(each, -1) for each in kept.strands)),
    )
    count = len(channels.trunks) - 1
    turned = _with(evidence, trunks=channels.trunks[::-1], trunk=count - channels.trunk)
    return _with_kept(turned, alone)


MUTATIONS = (
    Mutation(
        "two links at one panel port",
        "patched",
        lambda e: _with_port(e, 1, 0),
        "channels-apart",
        "port 1 of panel A01-01-P1 serves two links",
    ),
    Mutation(
        "two links on one connector of a trunk",
        "patched",
        lambda e: _with_leg(e, 1, 0),
        "channels-apart",
        "connector 1 of trunk",
    ),
    Mutation(
        "a port beyond the panel",
        "patched",
        lambda e: _with_port(e, 0, 48),
        "channels-apart",
        "takes a port that does not exist",
    ),
    Mutation(
        "a jumper one port beside its fibres",
        "patched",
        lambda e: _with_port(e, 0, 47),
        "fibres-cross",
        "do not meet its receivers",
    ),
    Mutation(
        "a trunk that does not cross",
        "patched",
        lambda e: _with_path(e, trunk="A"),
        "fibres-cross",
        "do not meet its receivers",
    ),
    Mutation(
        "a jumper that swaps pairs",
        "patched",
        lambda e: _with_path(e, near="C"),
        "fibres-cross",
        "do not meet its receivers",
    ),
    Mutation(
        "pins on both sides",
        "patched",
        lambda e: _with_cassette(e, rear="other", rear_pins=True, loss_db=0.35),
        "fibres-cross",
        "does not mate with the cassettes",
    ),
    Mutation(
        "dark fibre",
        "patched",
        lambda e: _with_fibre(e, 500),
        "light-suffices",
        "loses too much light",
    ),
    Mutation(
        "fibre of unknown loss",
        "patched",
        lambda e: _with_fibre(e, None),
        "light-suffices",
        "a loss of structured host links is unknown",
    ),
    Mutation(
        "splices that lose too much",
        "patched",
        lambda e: _with_parts(e, splices=1),
        "light-suffices",
        "loses too much light",
    ),
    Mutation(
        "a panel in another unit",
        "patched-grown",
        lambda e: _with_panel(e, 30),
        "trunks-stay",
        "panel A01-01-P1 is not where it was",
    ),
    Mutation(
        "links on other strands than before",
        "patched-grown",
        _with_other_strand,
        "trunks-stay",
        "has left its strand",
    ),
    Mutation(
        "a trunk beside spare strands",
        "patched-grown",
        _with_last_trunk_alone,
        "trunks-stay",
        "trunk A01-02/A02-01-T2 comes needlessly",
    ),
)
