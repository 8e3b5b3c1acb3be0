"""A fabric of direct rails as a mapping: blocks without switches, one for each rail and plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import Role, parse_speed, speed_text
from fabricgen.inventory.sizing import RailTopology
from fabricgen.planning.clos import Sizing
from fabricgen.planning.direct.topology import make_topology
from fabricgen.planning.mapping import Mapping

if TYPE_CHECKING:
    from fabricgen.planning.resolve import ResolvedFabric


def map_direct(fabric: ResolvedFabric) -> Mapping:
    """Map each rail and plane to a block whose links join its GPUs.

    Raises Refusal where the topology does not fit.
    """
    _check_nic(fabric)
    nodes = fabric.coordinates.planned_rail_gpus
    asked = fabric.spec.rails.topology or RailTopology.model_construct()
    topology = make_topology(asked, nodes, (fabric.split, fabric.link_gbps), fabric.planes)
    return Mapping(fabric, direct_size(nodes), 1, topology=topology)


def _check_nic(fabric: ResolvedFabric) -> None:
    """Refuse a split that is not the whole NIC port, and a transport that hosts do not forward."""
    split, speed = fabric.spec.nic.split, speed_text(fabric.speed_gbps)
    count, each = (split or f"1x{speed}").split("x")
    if int(count) * parse_speed(each) != fabric.speed_gbps:
        whole = fabric.speed_gbps // int(count)
        raise refuse(
            "split-contradicts-nic",
            f"a NIC port of {speed} is not split {split}",
            path=("nic", "split"),
            because=(f"{count} x {each} = {speed_text(int(count) * parse_speed(each))}",),
            hint=f"use `split: {count}x{speed_text(whole)}`"
            if whole * int(count) == fabric.speed_gbps
            else "use a number of links that divides the speed",
        )
    model = fabric.port_layouts[Role.LEAF].model
    if model.transport == "infiniband":
        raise refuse(
            "medium-conflict",
            "direct rails of InfiniBand are not planned",
            path=("switches", "leaf"),
            because=(
                f"the leaf {model.model} speaks InfiniBand",
                "hosts forward between the links of a direct rail, and an HCA forwards no packets",
            ),
            hint="choose a leaf that speaks Ethernet, or write `rails.medium: packet`",
        )


def direct_size(nodes: int) -> Sizing:
    """Return the size of a block without switches."""
    return Sizing(
        tiers=0,
        slots=nodes,
        leaf=0,
        spine=0,
        core=0,
        leaf_down=0,
        leaf_up=0,
        spine_down=0,
        spine_up=0,
        core_down=0,
        pods=1,
        pod_leaves=0,
    )
