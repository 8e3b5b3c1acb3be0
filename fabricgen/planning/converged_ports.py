"""The ports of a network on leaves of the compute fabric.

Owns which leaf serves a device and in which cage. Leaves form stripes of one leaf for each member
of a bond: the first leaf of each group of rails and of each plane, then the second leaves. Each
group of devices is divided over the stripes in runs, of which the first ones have one device more.
On a leaf, devices take the ports of the network's cages in their order.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import Role, speed_text
from fabricgen.inventory.fields import cages_of
from fabricgen.planning.baseline.kept_bonds import KeptBonds
from fabricgen.planning.port_layout import Port
from fabricgen.planning.shared_switches import share, shared_switches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.core.diagnostics import Refusal
    from fabricgen.inventory.networks import Network
    from fabricgen.planning.draft import Draft
    from fabricgen.planning.networks.attachments import AttachedDevices, Attachments
    from fabricgen.planning.networks.shared_leaves import SharedLeaves


def converge(
    draft: Draft,
    installed: Sequence[bool],
    name: str,
    attached: Attachments,
    ports: Sequence[Port],
    taken: Collection[int],
    kept: KeptBonds | None = None,
) -> SharedLeaves:
    """Give each device of a network its ports on some leaves of the compute fabric.

    `ports` are those of the network on each leaf, and `taken` the cages of other networks. Raises
    Refusal.
    """
    keys, columns = draft.spec.networks.converged()[name], attached.bond
    leaves = shared_switches(draft, installed)
    stripes = _stripes(name, keys, attached, len(leaves) // columns, len(ports))
    bonds = _bonds(attached, stripes, alternating=keys.distribution == "alternating")
    if kept and kept.fits([[len(bonds.stripe)]], columns) and max(kept.place) < len(ports):
        bonds = kept
    own = leaves[: len(bonds.groups) * columns]
    peers = (len(own) - 1) * (keys.peer_links or 0)
    in_use = ports[: max(bonds.place) + 1]
    free = _free_of_links(draft, {*taken, *(port.cage for port in in_use)})
    return replace(
        share(draft, installed, own, in_use, bonds, columns),
        peers=tuple(_peer_ports(draft, name, len(own), peers, free)) if keys.peer_links else (),
    )


def network_ports(draft: Draft, name: str, mode: Breakout, taken: Collection[int]) -> list[Port]:
    """List the ports of a network on each leaf: those of its cages, or of all that are free.

    `taken` are the cages of other networks. Raises Refusal `bad-convergence`.
    """
    layout, asked = draft.fabric.port_layouts[Role.LEAF], draft.spec.networks.converged()[name]
    used = {port.cage for port in draft.ports[Role.LEAF]}
    able = layout.model.cages_by_breakout[mode.name]
    given = cages_of(asked.cages or "")
    for cage in given:
        if cage not in able:
            raise refuse(
                "bad-convergence",
                f"cage {cage} of a {layout.model.model} has no ports of"
                f" {speed_text(mode.speed_gbps)}",
                path=("networks", name, "cages"),
                because=(f"the network `{name}` splits its cages {mode.name}",),
                hint=f"choose cages from {able[0]} to {able[-1]}" if able else "choose a `speed`",
            )
    free = (cage for cage in able if cage not in used and cage not in taken)
    cages = given or free
    return [Port(cage, sub, mode) for cage in cages for sub in range(mode.count)]


def _free_of_links(draft: Draft, taken: Collection[int]) -> list[int]:
    """List the cages of a leaf for links to other switches that are free."""
    layout = draft.fabric.port_layouts[Role.LEAF]
    used = {port.cage for port in draft.ports[Role.LEAF]}
    return [cage for cage in layout.high_cages(layout.up) if cage not in {*used, *taken}]


def _peer_ports(
    draft: Draft, name: str, leaves: int, ports: int, free: Sequence[int]
) -> list[Port]:
    """List the ports of each leaf to the others: the first of their zone, else the last free ones.

    Raises Refusal.
    """
    layout, path = draft.fabric.port_layouts[Role.LEAF], ("networks", name, "peer_links")
    if not ports:
        raise refuse(
            "bad-peer-links",
            f"`peer_links` of the network `{name}` have no second leaf",
            path=path,
            because=("all of its devices are on one leaf",),
            hint="leave `peer_links` out, or spread the devices by `leaves: 2`",
        )
    need = -(-ports // layout.up.count)
    if need > len(free):
        raise refuse(
            "no-free-ports",
            f"the leaves of the compute fabric have no free port for the `peer_links` of `{name}`",
            path=path,
            because=(
                (
                    f"each of {leaves} leaves needs {ports} ports of"
                    f" {speed_text(layout.up.speed_gbps)}, in {need} cages, and {len(free)} are"
                    " free"
                ),
            ),
            hint="keep cages free by `zones` of the leaf, like `zones: {up: 49-64}`",
        )
    cages = free[:need] if layout.up_zone else free[len(free) - need :]
    return [Port(cage, sub, layout.up) for cage in cages for sub in range(layout.up.count)][:ports]


def _stripes(name: str, keys: Network, attached: Attachments, most: int, ports: int) -> int:
    """Return the fewest stripes of leaves that hold the devices, or as many as asked for.

    Raises Refusal.
    """
    asked = -(-(keys.leaves or 0) // attached.bond)
    if not most:
        raise _no_pair(name, attached)
    held = next((each for each in range(1, most + 1) if _fullest(attached, each) <= ports), 0)
    if not held or asked > most or (asked and _fullest(attached, asked) > ports):
        raise _no_ports(name, attached, asked or most, ports)
    if held > 1 and not asked and not keys.peer_links:
        raise _not_joined(name, attached, held, ports)
    return asked or held


def _fullest(attached: Attachments, stripes: int) -> int:
    """Return the ports of the fullest leaf, where this many stripes share the devices."""
    return sum(
        -(-len(group.names) // stripes) * (len(group.interfaces) // attached.bond)
        for group in attached.groups
    )


def _bonds(attached: Attachments, stripes: int, *, alternating: bool) -> KeptBonds:
    """Return the stripe and the place there of each bond."""
    places = [count() for _ in range(stripes)]
    stripe = [
        own
        for group in attached.groups
        for own in (_turns if alternating else _runs)(group, stripes)
        for _ in range(len(group.interfaces) // attached.bond)
    ]
    return KeptBonds((0,) * stripes, tuple(stripe), tuple(next(places[own]) for own in stripe))


def _runs(group: AttachedDevices, stripes: int) -> Iterator[int]:
    """Yield the stripe of each device of a group."""
    each, more = divmod(len(group.names), stripes)
    for stripe in range(stripes):
        yield from [stripe] * (each + (stripe < more))


def _turns(group: AttachedDevices, stripes: int) -> Iterator[int]:
    """Yield the stripe of each device of a group, where devices take them in turn."""
    yield from (device % stripes for device in range(len(group.names)))


def _no_pair(name: str, attached: Attachments) -> Refusal:
    """Return the refusal of bonds over more leaves than there are."""
    return refuse(
        "no-free-ports",
        f"the compute fabric has too few leaves for the network `{name}`",
        path=("networks", name, "bond"),
        because=(f"its bonds are spread over {attached.bond} leaves, and there is one",),
        hint="use `bond: 1`, or a mapping with more leaves",
    )


def _no_ports(name: str, attached: Attachments, stripes: int, ports: int) -> Refusal:
    """Return the refusal of a network whose devices find no free ports."""
    return refuse(
        "no-free-ports",
        f"the leaves of the compute fabric have no free port for the network `{name}`",
        path=("networks", name),
        because=(
            (
                f"on {_count(stripes * attached.bond)}, its devices take"
                f" {_fullest(attached, stripes)} ports of the fullest, and {ports} are free there"
            ),
        ),
        hint="give more `cages` or `leaves`, or keep ports of each leaf free, like `spare_ports:"
        " {leaf: 8}`",
    )


def _not_joined(name: str, attached: Attachments, stripes: int, ports: int) -> Refusal:
    """Return the refusal of devices on leaves that nothing joins."""
    leaves = stripes * attached.bond
    return refuse(
        "bad-convergence",
        f"nothing joins the {leaves} leaves that the devices of the network `{name}` need",
        path=("networks", name, "converged_with"),
        because=(
            (
                f"on {_count(attached.bond)}, its devices take {_fullest(attached, 1)} ports"
                f"{' of each' if attached.bond > 1 else ''}, and {ports} are free there"
            ),
            "a leaf has the network in a VRF, which the links between compute switches are not in",
        ),
        hint="give more `cages`, or `peer_links: 2`, which join these leaves in that VRF;"
        f" `leaves: {leaves}` leaves it to you to join them",
    )


def _count(leaves: int) -> str:
    """Return a number of leaves as words."""
    return f"{leaves} leaves" if leaves > 1 else "one leaf"
