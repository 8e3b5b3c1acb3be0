"""The cables between the two devices of each pair, as a fabric without switches to plan.

Neighbours of a group of devices are a pair: the first and the second, and so on. Their ports and
cables are those of an access network.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.core.terms import PEERS, Role
from fabricgen.planning.block_links import TierLinks
from fabricgen.planning.device_fabric import on_compute
from fabricgen.planning.direct.topology import DirectTopology
from fabricgen.planning.direct_sizing import direct_size
from fabricgen.planning.management_ports import named_interfaces
from fabricgen.planning.mapping import Mapping
from fabricgen.planning.networks.attachments import AttachedDevices, Attachments
from fabricgen.planning.networks.rules import NetworkRules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.inventory.devices import DeviceGroup
    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.resolve import ResolvedFabric


def map_pairs(
    compute: ResolvedFabric,
    access: ResolvedFabric,
    groups: Sequence[DeviceGroup],
    kept: KeptBonds | None,
) -> Mapping:
    """Map the ports of paired devices, like those of an access network, to links of two.

    `kept` has the numbers of the cables of an older plan.
    """
    devices = [
        AttachedDevices(
            kind=group.name,
            names=group.names,
            interfaces=named_interfaces("peer", group.peer_links or 0),
            networks=(PEERS,),
            own=True,
        )
        for group in groups
    ]
    attached = Attachments(tuple(devices), 1)
    rules = NetworkRules(name=PEERS, attached=attached, served=(), kept=kept)
    base = replace(compute, port_layouts=access.port_layouts)
    down = access.port_layouts[Role.LEAF].down
    fabric = on_compute(base, down, rules, access.spec.addressing)
    return Mapping(fabric, direct_size(fabric.gpus), 1, topology=_pairs(groups))


def _pairs(groups: Sequence[DeviceGroup]) -> DirectTopology:
    """Join each port of the first device of a pair to the same port of the second."""
    lower, upper, start = [], [], 0
    for group in groups:
        links = group.peer_links or 0
        ports = np.arange(start, start + group.count * links, dtype=np.int32)
        pairs = ports.reshape(-1, 2, links)
        lower.append(pairs[:, 0].ravel())
        upper.append(pairs[:, 1].ravel())
        start += len(ports)
    low, high = np.concatenate(lower), np.concatenate(upper)
    same = np.zeros_like(low)
    return DirectTopology(
        kind="pairs",
        nodes=start,
        degree=1,
        parallel=1,
        idle=0,
        dimensions=(),
        strides=(),
        diameter=None,
        bisection=None,
        links=TierLinks(low, same, high, same),
    )
