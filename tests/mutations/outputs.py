"""Mutations of outputs: the cable list, configurations, the graph and the bill."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.mutations.breaking import (
    Mutation,
    with_cables,
    with_configs,
    with_edges,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.views.cables.view import CableView
    from fabricgen.views.switches.view import SwitchView


def _quantity(evidence: Evidence, line: int, by: int) -> Evidence:
    """Buy more or fewer of a part."""
    lines = list(evidence.bom.lines)
    lines[line] = replace(lines[line], quantity=lines[line].quantity + by)
    return replace(evidence, bom=replace(evidence.bom, lines=tuple(lines)))


def _unbought(evidence: Evidence, line: int) -> Evidence:
    """Leave a part out of the bill."""
    return replace(
        evidence,
        bom=replace(evidence.bom, lines=evidence.bom.lines[:line] + evidence.bom.lines[line + 1 :]),
    )


def _cell(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change a cell of the first row of the cable list."""

    def edit(views: list[CableView]) -> None:
        setattr(views[0], column, value)

    return lambda evidence: with_cables(evidence, edit)


def _port(column: str, value: str) -> Callable[[Evidence], Evidence]:
    """Change a field of the first port of the first switch."""

    def edit(views: list[SwitchView]) -> None:
        setattr(views[0].ports[0], column, value)

    return lambda evidence: with_configs(evidence, edit)


def _leave_out_an_idle_port(views: list[SwitchView]) -> None:
    """Shorten the list of the first switch; others may share the list itself."""
    views[0] = replace(views[0], idle_ports=views[0].idle_ports[:-1])


MUTATIONS = (
    Mutation(
        "a wrong length in the cable list",
        "lab",
        _cell("length_m", "1"),
        "outputs-agree",
        "it has length_m 1, and the plan",
    ),
    Mutation(
        "a wrong rack in the cable list",
        "lab",
        _cell("a_rack", "A09-01"),
        "outputs-agree",
        "it has a_rack A09-01, and the plan A01-01",
    ),
    Mutation(
        "a wrong unit in the cable list",
        "superpod",
        _cell("b_unit", "1"),
        "outputs-agree",
        "it has b_unit 1, and the plan",
    ),
    Mutation(
        "a wrong far end in the cable list",
        "lab",
        _cell("b_interface", "Ethernet2"),
        "outputs-agree",
        "the cable list is wrong about r0-h00001",
    ),
    Mutation(
        "a wrong medium in the cable list",
        "superpod",
        _cell("medium", "smf"),
        "outputs-agree",
        "the cable list is wrong about h00001",
    ),
    Mutation(
        "another label in the cable list",
        "lab",
        _cell("cable", "r0-h00009"),
        "outputs-agree",
        "leaves out r0-h00001",
    ),
    Mutation(
        "a row less in the cable list",
        "lab",
        lambda e: with_cables(e, lambda views: views.pop()),
        "outputs-agree",
        "leaves out r0-u00008",
    ),
    Mutation(
        "a row twice in the cable list",
        "lab",
        lambda e: with_cables(e, lambda views: views.append(views[0])),
        "outputs-agree",
        "lists r0-h00001 twice",
    ),
    Mutation(
        "a wrong peer in a configuration",
        "lab",
        _port("peer_device", "host-2"),
        "outputs-agree",
        "the configuration is wrong about r0-leaf-1 swp1",
    ),
    Mutation(
        "a wrong cable in a configuration",
        "lab",
        _port("cable", "r0-h00002"),
        "outputs-agree",
        "it has cable r0-h00002, and the plan r0-h00001",
    ),
    Mutation(
        "a wrong address in a configuration",
        "lab",
        _port("address", "10.0.0.2/31"),
        "outputs-agree",
        "10.0.0.2/31",
    ),
    Mutation(
        "a wrong IPv6 address in a configuration",
        "ipv6",
        _port("address", "2001:db8:100::4/127"),
        "outputs-agree",
        "2001:db8:100::4/127",
    ),
    Mutation(
        "a switch without configuration",
        "lab",
        lambda e: with_configs(e, lambda views: views.pop()),
        "outputs-agree",
        "the configuration leaves out r0-spine-2 swp1",
    ),
    Mutation(
        "an idle port left out",
        "sn5600",
        lambda e: with_configs(e, _leave_out_an_idle_port),
        "outputs-agree",
        "list of idle ports",
    ),
    Mutation(
        "a switch too many on the bill",
        "lab",
        lambda e: _quantity(e, 0, 1),
        "outputs-agree",
        "the bill is wrong about generic-8",
    ),
    Mutation(
        "a cable too few on the bill",
        "superpod",
        lambda e: _quantity(e, -1, -1),
        "outputs-agree",
        "the bill is wrong about mfp7e10",
    ),
    Mutation(
        "a part that is not on the bill",
        "superpod",
        lambda e: _unbought(e, 1),
        "outputs-agree",
        "the bill leaves out mma4z00-ns-flt",
    ),
    Mutation(
        "a link less in the graph",
        "lab",
        lambda e: with_edges(e, lambda made: made.pop("r7-u00008")),
        "outputs-agree",
        "the graph leaves out r7-u00008",
    ),
    Mutation(
        "a link of the graph elsewhere",
        "lab",
        lambda e: with_edges(e, lambda made: made.update({"r0-h00001": ("host-1", "r1-leaf-1")})),
        "outputs-agree",
        "it has b_device r1-leaf-1, and the plan r0-leaf-1",
    ),
)
