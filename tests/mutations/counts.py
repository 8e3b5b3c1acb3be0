"""Mutations of routing instances and of counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fabricgen.bom.summary import CableCounts
from tests.mutations.breaking import (
    Mutation,
    with_cables,
    with_configs,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.switches.view import SwitchView


def _second_row(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change a cell of the second row of the first piece that has two."""

    def edit(views: list[CableView]) -> None:
        piece = next(view.piece for view in views if view.piece)
        setattr([view for view in views if view.piece == piece][1], column, value)

    return lambda evidence: with_cables(evidence, edit)


def _total(evidence: Evidence, key: str, value: Any) -> Evidence:  # noqa: ANN401 - a figure, or several by name
    """Change a figure of `plan --json`."""
    return replace(evidence, summary=replace(evidence.summary, **{key: value}))


def _longer(evidence: Evidence) -> Evidence:
    """Bill the cables of one length as cables of the next."""
    *others, first, second = evidence.bom.lines
    merged = replace(second, quantity=first.quantity + second.quantity)
    lines = (*others, replace(first, quantity=0), merged)
    return replace(evidence, bom=replace(evidence.bom, lines=lines))


def _empty_rack(evidence: Evidence) -> Evidence:
    """Leave the last rack out of the bill by rack."""
    racks = dict(list(evidence.racks().items())[:-1])
    return replace(evidence, racks=lambda: racks)


def _instance(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change the first routing instance of the first switch."""

    def edit(views: list[SwitchView]) -> None:
        setattr(views[0].instances[0], column, value)

    return lambda evidence: with_configs(evidence, edit)


def _moved_port(views: list[SwitchView]) -> None:
    """Move a host port of the first VRF into the second."""
    first, second = views[0].instances[:2]
    second.host_ports.append(first.host_ports.pop())


def _lost_port(views: list[SwitchView]) -> None:
    """Remove an uplink of the first instance."""
    views[0].instances[0].fabric_ports.pop()


MUTATIONS = (
    Mutation(
        "a prefix of two rails",
        "lab",
        _instance("host_prefix", "10.0.0.0/23"),
        "routes-apart",
        "r0-leaf-1 announces 10.0.0.0/23",
    ),
    Mutation(
        "a prefix of another rail",
        "one-box",
        _instance("host_prefix", "10.0.1.0/24"),
        "routes-apart",
        "leaf-1 VRF rail0 announces 10.0.1.0/24",
    ),
    Mutation(
        "a prefix too narrow",
        "lab",
        _instance("host_prefix", "10.0.0.0/29"),
        "routes-apart",
        "lacks 4 of rail 0",
    ),
    Mutation(
        "loopbacks of two rails",
        "lab",
        _instance("loopback_prefix", "10.128.0.0/24"),
        "routes-apart",
        "announces 10.128.0.0/24",
    ),
    Mutation(
        "an IPv6 prefix of two rails",
        "ipv6",
        _instance("host_prefix", "2001:db8:100::/95"),
        "routes-apart",
        "r0-leaf-1 announces 2001:db8:100::/95",
    ),
    Mutation(
        "an IPv6 prefix of another rail",
        "ipv6",
        _instance("host_prefix", "2001:db8:100::1:0:0/96"),
        "routes-apart",
        "it contains 8 addresses of others, and lacks 8 of rail 0",
    ),
    Mutation(
        "IPv6 loopbacks of every rail",
        "ipv6",
        _instance("loopback_prefix", "2001:db8::/32"),
        "routes-apart",
        "announces 2001:db8::/32",
    ),
    Mutation(
        "a port in another VRF",
        "one-box",
        lambda e: with_configs(e, _moved_port),
        "routes-apart",
        "leaf-1 VRF rail1 routes leaf-1",
    ),
    Mutation(
        "an uplink without routing",
        "lab",
        lambda e: with_configs(e, _lost_port),
        "routes-apart",
        "leaves out r0-leaf-1 swp8",
    ),
    Mutation(
        "a VRF less",
        "one-box",
        lambda e: with_configs(e, lambda views: views[0].instances.pop()),
        "routes-apart",
        "3 routing instances for 4 blocks",
    ),
    Mutation(
        "an instance of another rail",
        "lab",
        _instance("rail", "5"),
        "routes-apart",
        "r0-leaf-1 is of rail 5",
    ),
    Mutation(
        "cables counted as links",
        "copper",
        lambda e: _total(e, "cables", CableCounts(768)),
        "counts-agree",
        "`plan --json` counts 768 cables",
    ),
    Mutation(
        "transceivers at copper",
        "copper",
        lambda e: _total(e, "transceivers", 1024),
        "counts-agree",
        "counts 1,024 transceivers",
    ),
    Mutation(
        "a kind of link left out",
        "lab",
        lambda e: _total(e, "links", replace(e.summary.links, host=0)),
        "counts-agree",
        "`plan --json`, by kind,",
    ),
    Mutation(
        "a label too many at a shared end",
        "copper",
        _second_row("label_ends", "B"),
        "counts-agree",
        "labels.csv counts 1,025 labels",
    ),
    Mutation(
        "a row that counts as a cable of its own",
        "copper",
        _second_row("label_ends", "AB"),
        "counts-agree",
        "by the first of each cable",
    ),
    Mutation(
        "a row for each link of a piece",
        "copper",
        _second_row("label_ends", "AB"),
        "counts-agree",
        "cables.csv counts 513 cables",
    ),
    Mutation(
        "a link that its cable does not list",
        "copper",
        _second_row("piece", "another"),
        "counts-agree",
        "cables.csv counts 767 links",
    ),
    Mutation(
        "a piece of another name",
        "copper",
        _second_row("piece", "another"),
        "counts-agree",
        "the list of links, by `piece`, counts",
    ),
    Mutation(
        "cables of two lengths on one line of the bill",
        "copper",
        _longer,
        "counts-agree",
        "the bill counts ",
    ),
    Mutation(
        "a rack less in the bill", "copper", _empty_rack, "counts-agree", "the bill by rack counts"
    ),
)
