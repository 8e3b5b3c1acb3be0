"""Killed switches of an InfiniBand lab, and the paths after OpenSM has routed around each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.lab.infiniband.subnets import RunningSubnets, lost_paths
from fabricgen.lab.infiniband.tables import SubnetTables
from fabricgen.lab.measure import Trial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.lab.infiniband.opensm import Subnet

SWEEPS = 5
"""Sweeps after a failure; the first may begin before the last link of a dead switch has gone."""


class Killed(NamedTuple):
    """A killed switch: seconds until re-routed, engine, connected pairs, lost pairs."""

    switch: str
    seconds: float
    engine: str
    pairs: int
    lost: list[str]


def survives(fabric: RunningSubnets) -> Trial:
    """Kill switches and verify that the new tables connect every pair that the wires still connect.

    By default the last switch of each tier is killed, except the leaf of the manager; with
    `--failures single` every switch is, one after the other.
    """
    killed = [
        each
        for some in fabric.each(lambda subnet: list(_kill_one_by_one(fabric, subnet)))
        for each in some
    ]
    findings = [f"without {each.switch}: {lost}" for each in killed for lost in each.lost]
    if not killed:
        return Trial(
            "ib-survives", "a switch killed is routed around", "no switch can be spared", findings
        )
    engines = ", ".join(sorted({each.engine or "no engine" for each in killed}))
    slowest, pairs = max(each.seconds for each in killed), sum(each.pairs for each in killed)
    figure = (
        f"{len(killed)} killed, {pairs:,} surviving pairs reached, "
        f"re-routed by {engines} within {slowest:.2f} s"
    )
    return Trial("ib-survives", "a switch killed is routed around", figure, findings)


def _kill_one_by_one(fabric: RunningSubnets, subnet: Subnet) -> Iterator[Killed]:
    """Kill switches of a subnet one after the other, each restored before the next."""
    net, manager = subnet.net, int(subnet.net.leaves[0])
    every = [switch for switch in range(net.switches) if switch != manager]
    last = [
        max((switch for switch in every if fabric.tiers[switch] == tier), default=-1)
        for tier in sorted(set(fabric.tiers.tolist()))
    ]
    for switch in (
        every
        if fabric.failures in ("single", "all")
        else [switch for switch in last if switch >= 0]
    ):
        yield _kill(subnet, switch)


def _kill(subnet: Subnet, switch: int) -> Killed:
    """Unlink a switch, wait until OpenSM has routed around it, and link it again."""
    net, rest = subnet.net, subnet.net.without(switch)
    for routed in subnet.sweeps(f'Unlink "{net.ids[switch]}"', SWEEPS):  # noqa: B007 - the last one is reported
        walk = SubnetTables(rest, subnet.dumps / "opensm-lfts.dump").walk()
        if not walk.lost:
            break
    lost = lost_paths(rest, walk)
    subnet.relink(f'Relink "{net.ids[switch]}"')
    shown = [f"{lost[0]}, and {len(lost) - 1} more" if len(lost) > 1 else lost[0]] if lost else []
    return Killed(net.names[switch], routed.seconds, routed.engine, walk.pairs, shown)
