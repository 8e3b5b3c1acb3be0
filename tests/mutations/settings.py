"""Mutations of the settings that both ends of a link share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.mutations.breaking import Mutation, with_configs, with_hosts

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.analysis.checks.evidence import Evidence
    from fabricgen.views.hosts.view import HostView
    from fabricgen.views.switches.view import SwitchView


def _setting(column: str, **values: object) -> Callable[[Evidence], Evidence]:
    """Change some settings of a group on the first switch."""

    def edit(views: list[SwitchView]) -> None:
        setattr(views[0], column, replace(getattr(views[0], column), **values))

    return lambda evidence: with_configs(evidence, edit)


def _small_packets(views: list[SwitchView] | list[HostView]) -> None:
    """Give the first device another MTU than the fabric has."""
    views[0].mtu = 1500


def _without_bfd(views: list[SwitchView]) -> None:
    """Switch BFD off on the first switch."""
    views[0].bfd = False


MUTATIONS: tuple[Mutation, ...] = (
    Mutation(
        "another MTU on a leaf",
        "lab",
        lambda e: with_configs(e, _small_packets),
        "ends-agree",
        "mtu is 1500 at r0-leaf-1, and 9216 at r0-spine-1",
    ),
    Mutation(
        "another MTU on a host",
        "lab",
        lambda e: with_hosts(e, _small_packets),
        "ends-agree",
        "mtu is 9216 at r0-leaf-1, and 1500 at host-1",
    ),
    Mutation(
        "another hold time on a leaf",
        "lab",
        _setting("timers", hold_s=30),
        "ends-agree",
        "timers.hold_s is 30 at r0-leaf-1, and 9 at r0-spine-1",
    ),
    Mutation(
        "another BFD interval on a leaf",
        "shared",
        _setting("timers", bfd_interval_ms=50),
        "ends-agree",
        "timers.bfd_interval_ms is 50 at",
    ),
    Mutation(
        "no BFD at one end",
        "lab",
        lambda e: with_configs(e, _without_bfd),
        "ends-agree",
        "bfd is False at r0-leaf-1, and True at r0-spine-1",
    ),
    Mutation(
        "another lossless priority on a leaf",
        "lab",
        _setting("roce", priority=4),
        "ends-agree",
        "roce.priority is 4 at r0-leaf-1, and 3 at r0-spine-1",
    ),
)
