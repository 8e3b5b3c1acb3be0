"""Bundles of cables that are pulled together.

Owns the rule. A bundle holds the cables from one rack to another, or inside one, of one part and
one length, whatever their rails: so a crew lays one bundle for a pair of racks and a length. More
than `MOST` of them are divided evenly. Cables of one switch stay together, in the order in which
its cages are plugged. A cable that carries several links is one piece, and all its links are in the
bundle of its first. `pull_order` orders the bundles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import LinkKind, Role
from fabricgen.outputs.installation.faceplate import face_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.outputs.installation.faceplate import Faceplate
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port
    from fabricgen.views.cables.view import CableView

MOST = {"dac": 12, "acc": 12, "utp": 12}
"""Maximum cables of a bundle of a medium: twinax and twisted pairs of 6 mm make a strand of 25 mm.

`FIBRES` make one too; a strand of that thickness still bends into a rack.
"""

FIBRES = 48
"""Maximum cables of a bundle of any other medium: fibres of 3 mm make a strand of 24 mm."""


_ROLES = {int(kind): (kind.role("upper"), kind.role("lower")) for kind in LinkKind}
"""The roles of the switches at the upper and at the lower end of each kind of link."""


def most_of(medium: str) -> int:
    """Return the maximum cables of a bundle."""
    return MOST.get(medium, FIBRES)


class Plug(NamedTuple):
    """A row of the cable list with its index, its piece, and at both ends cage and plug order.

    Cage and plug order are 0 at a host and at a panel.
    """

    cable: CableView
    at: int
    piece: int
    a_cage: int
    a_turn: int
    b_cage: int
    b_turn: int


@dataclass(slots=True)
class Bundle:
    """Cables that are pulled together.

    All have the same racks, part and length. `step` counts from 1.
    """

    plugs: list[Plug]
    name: str = ""
    step: int = 0

    @property
    def first(self) -> CableView:
        """The first of its cables, which has what all have in common."""
        return self.plugs[0].cable

    @property
    def pair(self) -> tuple[str, str]:
        """The racks of the lower and of the upper end."""
        return self.first.a_rack, self.first.b_rack

    @property
    def count(self) -> int:
        """The number of its cables, as pieces."""
        return len({plug.piece for plug in self.plugs})

    def common(self, column: str) -> str:
        """Return the common value of its cables in a column of the cable list, or empty."""
        values = {str(getattr(plug.cable, column)) for plug in self.plugs}
        return values.pop() if len(values) == 1 else ""

    @property
    def runs(self) -> list[tuple[str, str]]:
        """The labels as runs, first and last, of neighbours in the cable list."""
        plugs = sorted(self.plugs, key=lambda plug: plug.at)
        runs = (
            list(run) for _, run in groupby(enumerate(plugs), key=lambda item: item[1].at - item[0])
        )
        return [(run[0][1].cable.cable, run[-1][1].cable.cable) for run in runs]


def _leaf_ports(network: Plan) -> Iterator[tuple[str, str]]:
    """Yield the ports of a network on compute leaves."""
    shared, layout = network.fabric.shared_leaves, network.fabric.port_layouts[Role.LEAF]
    if shared:
        for leaf, port in shared.taken():
            yield shared.names[leaf], layout.interface(port)


@dataclass(frozen=True)
class Fronts:
    """The fronts of a fabric's switches by role, and the cages of their interfaces.

    Those of the networks beside the compute fabric are `of` their cables.
    """

    plan: Plan

    @cached_property
    def networks(self) -> dict[str, Fronts]:
        """The fronts of each network beside the compute fabric."""
        return {name: Fronts(network) for name, network in self.plan.networks.items()}

    @cached_property
    def _owners(self) -> dict[str, Fronts]:
        """The fronts of each switch of these networks."""
        return {
            name: fronts for fronts in self.networks.values() for name in fronts.plan.switches()
        }

    def of(self, cable: CableView) -> Fronts:
        """Return the fronts of the network that a cable belongs to."""
        ends = (cable.b_device, cable.b_interface), (cable.a_device, cable.a_interface)
        shared = (self._on_leaves[end] for end in ends if end in self._on_leaves)
        return self._owners.get(cable.b_device) or next(shared, self)

    @cached_property
    def _on_leaves(self) -> dict[tuple[str, str], Fronts]:
        """The fronts of networks on leaves of the compute fabric, by their ports there."""
        return {
            port: self.networks[name]
            for name, network in self.plan.converged.items()
            for port in _leaf_ports(network)
        }

    @cached_property
    def faces(self) -> dict[Role, Faceplate]:
        """The front of each role's box."""
        return {
            role: face_of(self.plan.fabric.port_layouts[role].model) for role in self.plan.roles
        }

    @property
    def assumed(self) -> str:
        """The models whose faces are assumed, as text; empty where none is."""
        models = {
            fronts.plan.fabric.port_layouts[role].model.model
            for fronts in (self, *self.networks.values())
            for role, face in fronts.faces.items()
            if face.assumed
        }
        *others, last = [*sorted(models)] or [""]
        return f"{', '.join(others)} and {last}" if others else last

    @cached_property
    def ports(self) -> dict[Role, dict[str, Port]]:
        """The port of each interface that links use."""
        nos_variants = self.plan.fabric.nos_variants
        return {
            role: {
                name: port
                for port_layout in nos_variants(role)
                for name, port in zip(self.plan.names[role, port_layout.nos], ports, strict=True)
            }
            for role, ports in self.plan.ports.items()
        }

    def plug(self, cable: CableView, at: int, piece: int) -> Plug:
        """Find both ends of a cable on the fronts of its switches."""
        (upper, lower), own = self.switch_roles(cable), self.of(cable)
        b_cage = own.ports[upper][cable.b_interface].cage if upper else 0
        a_cage = own.ports[lower][cable.a_interface].cage if lower else 0
        return Plug(
            cable,
            at,
            piece,
            a_cage,
            own.faces[lower].turn(a_cage) if lower else 0,
            b_cage,
            own.faces[upper].turn(b_cage) if upper else 0,
        )

    def switch_roles(self, cable: CableView) -> tuple[Role | None, Role | None]:
        """Return the role of the switch at the upper and at the lower end; None without one."""
        upper, lower = _ROLES[cable.tier]
        panels = self.panels
        return None if cable.b_device in panels else upper, (
            None if cable.a_device in panels else lower
        )

    @cached_property
    def panels(self) -> frozenset[str]:
        """The names of the panels."""
        if self.plan.fabric.spec.cabling is None:
            return frozenset()
        every = (plan.channels for plan in self.plan.cluster)
        return frozenset(panel.name for each in every if each for panel in each.panels)

    def on_host(self, cable: CableView) -> bool:
        """Return whether the lower end of a cable is at a host, or a device on a network."""
        return cable.tier <= LinkKind.HOST and cable.a_device not in self.panels

    def used(self, bundles: list[Bundle]) -> dict[str, tuple[Faceplate, dict[int, list[int]]]]:
        """Return each switch's front, and the bundles that go into each of its cages, by number."""
        found: dict[str, tuple[Faceplate, dict[int, list[int]]]] = {}
        for number, bundle in enumerate(bundles):
            for plug in bundle.plugs:
                upper, lower = self.switch_roles(plug.cable)
                ends = (
                    (plug.cable.b_device, plug.b_cage, upper),
                    (plug.cable.a_device, plug.a_cage, lower),
                )
                for device, cage, role in ends:
                    if role:
                        face = self.of(plug.cable).faces[role]
                        used = found.setdefault(device, (face, {}))[1]
                        used.setdefault(cage, []).append(number)
        return found


def bundled(plugs: list[Plug]) -> Iterator[list[Plug]]:
    """Group equal cables, switch by switch, in as few bundles as `most_of` allows, evenly."""
    pieces: dict[int, list[Plug]] = {}
    for plug in plugs:
        pieces.setdefault(plug.piece, []).append(plug)
    alike: dict[tuple[str, ...], list[list[Plug]]] = {}
    for piece in pieces.values():
        cable = piece[0].cable
        alike.setdefault((cable.a_rack, cable.b_rack, cable.part, cable.length_m), []).append(piece)
    for held in alike.values():
        firsts = {_switch(piece[0]): piece[0].at for piece in reversed(held)}
        held.sort(key=lambda piece: (firsts[_switch(piece[0])], _turn(piece[0]), piece[0].at))
        shares = -(-len(held) // most_of(held[0][0].cable.medium))
        cuts = [share * len(held) // shares for share in range(shares + 1)]
        for start, stop in pairwise(cuts):
            yield list(chain.from_iterable(held[start:stop]))


def _switch(plug: Plug) -> str:
    """Return the switch by which the cables of a bundle are sorted: the leaf, or else the spine."""
    return plug.cable.b_device if plug.cable.tier == 1 else plug.cable.a_device


def _turn(plug: Plug) -> int:
    """Return the plug order of a cable at that switch."""
    return plug.b_turn if plug.cable.tier == 1 else plug.a_turn
