"""Bundles of cables: which cables are pulled together.

Owns the rule. A bundle holds cables from one rack to another, or inside one, that are alike: of one
rail, plane, tier, part and length, and at most `MOST` of them. Cables of one switch stay together,
in the order in which its cages are plugged. A cable that carries several links is one piece, and
all its links are in one bundle: that of its first. The order of bundles belongs to `pulling`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.terms import ROLES
from fabricgen.outputs.installation.faceplate import face_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.core.terms import Role
    from fabricgen.outputs.installation.faceplate import Faceplate
    from fabricgen.planning.plan import Plan
    from fabricgen.planning.port_layout import Port
    from fabricgen.views.cables.view import CableView

MOST = 24
"""Cables of one bundle: of fibres of 3 mm a strand of 18 mm, which a hand closes around and which bends into a rack."""


class Plug(NamedTuple):
    """A row of the cable list with its place there, the number of its piece, and at both ends its cage and that cage's turn; 0 at a host."""

    cable: CableView
    at: int
    piece: int
    a_cage: int
    a_turn: int
    b_cage: int
    b_turn: int


@dataclass(slots=True)
class Bundle:
    """Cables that are pulled together; all share racks, rail, plane, tier, part and length. `step` counts from 1."""

    plugs: list[Plug]
    name: str = ""
    step: int = 0

    @property
    def first(self) -> CableView:
        """One of its cables, which stands for what all have in common."""
        return self.plugs[0].cable

    @property
    def pair(self) -> tuple[str, str]:
        """The racks of the lower and of the upper end."""
        return self.first.a_rack, self.first.b_rack

    @property
    def count(self) -> int:
        """How many cables it is, as pieces."""
        return len({plug.piece for plug in self.plugs})

    @property
    def rail(self) -> str:
        """The rail of its cables; empty where they serve several."""
        rails = {plug.cable.rail for plug in self.plugs}
        return self.first.rail if len(rails) == 1 else ""

    @property
    def runs(self) -> list[tuple[str, str]]:
        """The labels as runs, first and last: cables that stand below each other in the list of cables are one run."""
        plugs = sorted(self.plugs, key=lambda plug: plug.at)
        runs = (
            list(run) for _, run in groupby(enumerate(plugs), key=lambda item: item[1].at - item[0])
        )
        return [(run[0][1].cable.cable, run[-1][1].cable.cable) for run in runs]


@dataclass(frozen=True)
class Fronts:
    """The fronts of a fabric's switches by role, and which cage an interface of theirs belongs to."""

    plan: Plan

    @cached_property
    def faces(self) -> dict[Role, Faceplate]:
        """The front of each role's box."""
        return {
            role: face_of(self.plan.fabric.port_layouts[role].model) for role in self.plan.roles
        }

    @cached_property
    def ports(self) -> dict[Role, dict[str, Port]]:
        """The port of each interface that links use."""
        nos_variants = self.plan.fabric.nos_variants
        return {
            role: {
                port_layout.interface(port): port
                for port_layout in nos_variants(role)
                for port in ports
            }
            for role, ports in self.plan.ports.items()
        }

    def plug(self, cable: CableView, at: int, piece: int) -> Plug:
        """Find both ends of a cable on the fronts of its switches."""
        upper = ROLES[cable.tier - 1]
        lower = ROLES[cable.tier - 2] if cable.tier > 1 else None
        b_cage = self.ports[upper][cable.b_interface].cage
        a_cage = self.ports[lower][cable.a_interface].cage if lower else 0
        return Plug(
            cable,
            at,
            piece,
            a_cage,
            self.faces[lower].turns[a_cage] if lower else 0,
            b_cage,
            self.faces[upper].turns[b_cage],
        )

    def used(self, bundles: list[Bundle]) -> dict[str, tuple[Faceplate, dict[int, list[int]]]]:
        """Return for each switch its front, and the bundles that go into each cage, by number."""
        found: dict[str, tuple[Faceplate, dict[int, list[int]]]] = {}
        for number, bundle in enumerate(bundles):
            tier = bundle.first.tier
            for plug in bundle.plugs:
                ends = [
                    (plug.cable.b_device, plug.b_cage, tier - 1),
                    (plug.cable.a_device, plug.a_cage, tier - 2),
                ]
                for device, cage, role in ends[: min(tier, 2)]:
                    found.setdefault(device, (self.faces[ROLES[role]], {}))[1].setdefault(
                        cage, []
                    ).append(number)
        return found


def bundled(plugs: list[Plug]) -> Iterator[list[Plug]]:
    """Put cables that are alike together, switch by switch, at most `MOST`; more of one switch than that are shared out evenly."""
    pieces: dict[int, list[Plug]] = {}
    for plug in plugs:
        pieces.setdefault(plug.piece, []).append(plug)
    alike: dict[tuple[object, ...], dict[str, list[list[Plug]]]] = {}
    for piece in pieces.values():
        cable = piece[0].cable
        key = (
            cable.a_rack,
            cable.b_rack,
            cable.tier,
            cable.plane,
            cable.rail,
            cable.part,
            cable.length_m,
        )
        alike.setdefault(key, {}).setdefault(
            cable.b_device if cable.tier == 1 else cable.a_device, []
        ).append(piece)
    for switches in alike.values():
        held: list[list[Plug]] = []
        for run in switches.values():
            run.sort(
                key=lambda piece: (
                    piece[0].b_turn if piece[0].cable.tier == 1 else piece[0].a_turn,
                    piece[0].at,
                )
            )
            for share in _shared_out(run):
                if len(held) + len(share) > MOST:
                    yield list(chain.from_iterable(held))
                    held = []
                held = held + share
        yield list(chain.from_iterable(held))


def _shared_out(run: list[list[Plug]]) -> Iterator[list[list[Plug]]]:
    """Cut a run into as few shares as it takes, of equal length as near as can be."""
    shares = -(-len(run) // MOST)
    cuts = [share * len(run) // shares for share in range(shares + 1)]
    return (run[start:stop] for start, stop in pairwise(cuts))
