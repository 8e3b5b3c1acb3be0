"""The uplinks of other networks' switches on the compute fabric, as a fabric to plan.

Owns which spine, or leaf where there are no spines, has each uplink, and in which cage: as many
switches side by side as a switch has uplinks, each with the same free port for it. The fewest that
have free ports are taken, as nothing joins them in the VRF. Uplinks keep their ports when the
cluster grows.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from fabricgen.core.count_text import plain_count
from fabricgen.core.diagnostics import refuse
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import COMPUTE, UPLINKS, Role, speed_text
from fabricgen.inventory.networks import Network
from fabricgen.planning.baseline.kept_bonds import KeptBonds
from fabricgen.planning.device_fabric import on_compute, served_by
from fabricgen.planning.lanes import joining_mode, port_lanes
from fabricgen.planning.network_uplinks import uplink_ports
from fabricgen.planning.networks.addressing import network_addressing
from fabricgen.planning.networks.attachments import AttachedDevices, Attachments
from fabricgen.planning.networks.rules import NetworkRules
from fabricgen.planning.port_layout import Port
from fabricgen.planning.shared_switches import share, shared_switches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.core.diagnostics import Refusal
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.network_devices import SwitchGroup
    from fabricgen.planning.resolve import ResolvedFabric


def uplinks_fabric(
    draft: Draft,
    installed: Sequence[bool],
    switches: Sequence[SwitchGroup],
    taken: Collection[int],
) -> ResolvedFabric | None:
    """Return the uplinks of switches on the compute fabric as a fabric; None where it has none.

    `taken` are the cages of networks on compute leaves. Raises Refusal `no-free-ports`.
    """
    groups = [*_groups(draft, switches)]
    if not groups:
        return None
    role = Role.SPINE if draft.sizing.tiers > 1 else Role.LEAF
    boxes = shared_switches(draft, installed, role)
    each = gcd(*(len(group.interfaces) for group in groups))
    columns = max(number for number in divisors(each) if number <= len(boxes))
    attached = Attachments(tuple(groups), columns)
    mode = _mode(draft, role, groups[0])
    ports = _free_ports(draft, role, mode, taken if role is Role.LEAF else ())
    most = len(boxes) // columns
    if len(attached.devices) > most * len(ports):
        raise _no_ports(groups[0], role, mode, -(-len(attached.devices) // most), len(ports))
    bonds = _bonds(attached, -(-len(attached.devices) // len(ports)))
    known = draft.mapping.baseline and draft.mapping.baseline.networks.get(UPLINKS)
    kept = known.bonds if known else None
    if (
        kept
        and kept.fits([[len(bonds.stripe)]], columns)
        and len(kept.groups) <= most
        and max(kept.place) < len(ports)
    ):
        bonds = kept
    own, in_use = boxes[: len(bonds.groups) * columns], ports[: max(bonds.place) + 1]
    shared = share(draft, installed, own, in_use, bonds, columns, role)
    rules = NetworkRules(
        name=UPLINKS,
        attached=attached,
        served=served_by(shared, attached.ports),
        shared=shared,
        kept=bonds,
    )
    pools = network_addressing(draft.spec.addressing, UPLINKS, Network.model_construct(kind="clos"))
    return on_compute(draft.fabric, mode, rules, pools)


def _groups(draft: Draft, switches: Sequence[SwitchGroup]) -> Iterator[AttachedDevices]:
    """Yield the switches with uplinks on the compute fabric."""
    networks = draft.spec.networks.each()
    for group in switches:
        uplink = networks[group.network].uplink
        if uplink and uplink.network == COMPUTE and group.layout.role is Role.LEAF:
            ports = uplink_ports(draft.spec, group.network, group.layout)
            mode = ports[0].breakout
            yield AttachedDevices(
                kind=group.kind,
                names=group.names,
                interfaces=tuple(map(group.layout.interface, ports)),
                networks=(UPLINKS,),
                speed_gbps=mode.speed_gbps,
                connector=group.layout.model.form_factor_of(mode),
                lanes=port_lanes(group.layout.model, mode),
            )


def _mode(draft: Draft, role: Role, group: AttachedDevices) -> Breakout:
    """Return the breakout of the cages for uplinks. Raises Refusal `no-uplink-speed`."""
    model, speed = draft.fabric.port_layouts[role].model, group.speed_gbps or 0
    lanes = group.lanes_at(speed)
    mode = joining_mode(model, speed, lanes, draft.catalog) or model.mode_at(speed)
    if mode is None:
        network = group.kind.split(" ")[0]
        offered = ", ".join(each.name for each in model.breakouts)
        raise refuse(
            "no-uplink-speed",
            f"a {role} of the compute fabric has no port of {speed_text(speed)} for the uplinks of"
            f" `{network}`",
            path=("networks", network, "uplink"),
            because=(f"the cages of {model.model} offer {offered}",),
            hint="choose another `speed` of these uplinks",
        )
    return mode


def _free_ports(draft: Draft, role: Role, mode: Breakout, taken: Collection[int]) -> list[Port]:
    """List the free ports of a switch, in cages that no link of compute uses."""
    used = {port.cage for port in draft.ports[role]}.union(taken)
    able = draft.fabric.port_layouts[role].model.cages_by_breakout[mode.name]
    return [Port(cage, sub, mode) for cage in able if cage not in used for sub in range(mode.count)]


def _bonds(attached: Attachments, stripes: int) -> KeptBonds:
    """Return the stripe of each bond, which its devices take in runs, and the place there."""
    bonds = len(attached.devices)
    share = -(-bonds // stripes)
    stripe, place = zip(*(divmod(bond, share) for bond in range(bonds)), strict=True)
    return KeptBonds((0,) * (stripe[-1] + 1), stripe, place)


def _no_ports(group: AttachedDevices, role: Role, mode: Breakout, used: int, free: int) -> Refusal:
    """Return the refusal of uplinks that find no free ports."""
    network = group.kind.split(" ")[0]
    needed = f"{plain_count(used, 'port')} of {speed_text(mode.speed_gbps)}"
    return refuse(
        "no-free-ports",
        f"the {role} switches of the compute fabric have no free port for the uplinks of"
        f" `{network}`",
        path=("networks", network, "uplink"),
        because=(f"each needs {needed}, and {free} are free",),
        hint=f"give fewer `ports`, or keep ports free, like `spare_ports: {{{role}: 4}}`",
    )
