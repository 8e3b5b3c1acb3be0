"""Maps of the ports of switches, as views: a drawing of the front, or a list of its ports.

Owns the map in numbers: places and sizes, in units of the picture. A cage of a drawing shows the
cable and the far end of each of its connectors in the colour of the rail, and its plug order. Where
the catalog has no verified positions of the cages, the map is a list in the order of the ports,
which states why. `faceplate` owns the positions of cages, and which cable hides which cage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.core.text_fit import cut
from fabricgen.outputs.installation.chips import chip
from fabricgen.outputs.installation.picture_view import CageBox, PortBox, PortMapView, PortRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.models.switch import Switch
    from fabricgen.outputs.installation.bundles import Plug
    from fabricgen.outputs.installation.elevations import Elevations
    from fabricgen.planning.port_layout import Port
    from fabricgen.views.cables.view import CableView

MARGIN, TITLE, CAGE, GAP, NUMBER, SLOT = 16, 95, 104, 5, 17, 31
"""Sizes in a drawing.

The margin, the title above the cages, the width of a cage, the space between two, the height of its
number, and of a connector.
"""

NARROWEST = 700
"""The minimum width of a drawing, for its title."""

LONGEST = 15
"""Maximum characters of a name in a connector's box."""

LIST_COLUMNS, COLUMN, ROW, HEAD = 4, 330, 19, 118
"""Sizes in a list: its columns, their width, the height of a row, and the top of the first row."""

LABEL_X, PEER_X, LENGTH_X, ROW_WIDTH, CHARACTER = 52, 134, 314, 318, 7
"""Where the label and the far end begin in a column, where the length ends, and widths.

Longer labels move the far end to the right, and the column becomes wider.
"""


class PluggedEnd(NamedTuple):
    """One end of a cable in a switch: its port, and the position in its cage, from 0."""

    plug: Plug
    upper: bool
    port: Port
    slot: int

    @property
    def cable(self) -> CableView:
        """The row of the cable list."""
        return self.plug.cable

    @property
    def own(self) -> tuple[str, str, str]:
        """The switch, its interface and the text printed beside its port."""
        cable = self.cable
        return (
            (cable.b_device, cable.b_interface, cable.b_port)
            if self.upper
            else (cable.a_device, cable.a_interface, cable.a_port)
        )

    @property
    def peer(self) -> tuple[str, str, str]:
        """The same of the far end."""
        return self._replace(upper=not self.upper).own


@dataclass(frozen=True)
class PortMaps:
    """The maps of the switches of one fabric, which are in the racks of `elevations`."""

    elevations: Elevations

    @cached_property
    def switches(self) -> dict[str, int]:
        """The installed switches and their numbers, in the order of the racks."""
        return self.elevations.switches

    def port_map(self, switch: str) -> PortMapView:
        """Make the map of a switch."""
        pictures, device = self.elevations, self.switches[switch]
        role, fronts = pictures.role(device), pictures.own(device)
        assert role, "a port map is that of a switch"  # noqa: S101 - narrowed for mypy, as `switches` lists switches alone
        model, face = fronts.plan.fabric.port_layouts[role].model, fronts.faces[role]
        ends = self._ends.get(switch, {})
        slots = max([end.slot + 1 for held in ends.values() for end in held], default=1)
        high = NUMBER + slots * SLOT
        view = PortMapView(
            fabric=pictures.fabric,
            name=switch,
            role=role.value,
            model=model.model,
            place=pictures.room.place(device),
            chip=pictures.chip(switch),
            width=2 * MARGIN + LIST_COLUMNS * COLUMN,
            height=0,
            cage_height=high,
            slot=SLOT,
            reason=missing_faceplate(model) if face.assumed else "",
            connectors=self._connectors(ends),
            cages=[],
            rows=[],
        )
        if face.assumed or any(cage > face.cages for cage in ends):  # service cages are not drawn
            listed = [end for cage in sorted(ends) for end in _by_slot(ends[cage])]
            more = _more_width(listed)
            view.rows = [*_rows(listed, more)]
            view.width += LIST_COLUMNS * more
            deepest = max((row.y for row in view.rows), default=HEAD)
            view.height = deepest + ROW + MARGIN
            return view
        for cage in range(1, face.cages + 1):
            row, column = face.seat(cage)
            held = _by_slot(ends.get(cage, []))
            x, y = MARGIN + column * (CAGE + GAP), TITLE + row * (high + GAP)
            turn = str(face.turns[cage]) if held else ""
            view.cages.append(CageBox(cage, x, y, turn, [_box(end) for end in held]))
        view.width = max(2 * MARGIN + face.columns * (CAGE + GAP), NARROWEST)
        view.height = TITLE + face.rows * (high + GAP) + MARGIN + 20
        return view

    @cached_property
    def _ends(self) -> dict[str, dict[int, list[PluggedEnd]]]:
        """The cable ends in each cage of each switch."""
        found: dict[str, dict[int, list[PluggedEnd]]] = {}
        for bundle in self.elevations.bundles:
            for plug in bundle.plugs:
                for end in self._both(plug):
                    of_switch = found.setdefault(end.own[0], {})
                    of_switch.setdefault(end.port.cage, []).append(end)
        return found

    def _both(self, plug: Plug) -> Iterator[PluggedEnd]:
        """Yield the ends of a cable at switches."""
        cable, fronts = plug.cable, self.elevations.fronts.of(plug.cable)
        upper, lower = fronts.switch_roles(cable)
        for role, interface in ((upper, cable.b_interface), (lower, cable.a_interface)):
            if role:
                port = fronts.ports[role][interface]
                yield PluggedEnd(plug, role is upper, port, max(cable.connector - 1, port.sub))

    def _connectors(self, ends: dict[int, list[PluggedEnd]]) -> str:
        """Return which connector of a module with several is which; empty where there are none."""
        catalog = self.elevations.fronts.plan.catalog
        names = {
            end.cable.b_transceiver if end.upper else end.cable.a_transceiver
            for held in ends.values()
            for end in held
        }
        modules = [module for module in catalog.transceivers() if module.model in names]
        twins = [module for module in modules if module.ports > 1]
        known = [
            f"Connector 1 of a {module.model} is {module.first_connector}."
            for module in twins
            if module.first_connector
        ]
        unknown = [module.model for module in twins if not module.first_connector]
        if unknown:
            known.append(
                f"The catalog does not state which connector of a {' or '.join(unknown)} is 1:"
                " plug one, read on the switch which port comes up, and mark the rest alike."
            )
        return " ".join(known)


def missing_faceplate(model: Switch) -> str:
    """Return why no drawing of a switch can be made."""
    what = "verified only in part" if model.faceplate else "not in the catalog"
    return (
        f"Where the cages of a {model.model} sit is {what} (key faceplate), so this is a list by"
        " port and no drawing."
    )


def _by_slot(held: list[PluggedEnd]) -> list[PluggedEnd]:
    """Sort the ends in a cage by their positions in it."""
    return sorted(held, key=lambda end: end.slot)


def _more_width(ends: list[PluggedEnd]) -> int:
    """Return how much wider a column is for the longest label of a list."""
    longest = max((len(end.cable.cable) for end in ends), default=0)
    return max(LABEL_X + (longest + 1) * CHARACTER - PEER_X, 0)


def _rows(ends: list[PluggedEnd], more: int) -> Iterator[PortRow]:
    """Lay the list out: column by column, of equal height and `more` width."""
    deep = -(-len(ends) // LIST_COLUMNS)
    for at, end in enumerate(ends):
        column, row = divmod(at, deep)
        device, _, port = end.peer
        yield PortRow(
            x=MARGIN + column * (COLUMN + more),
            y=HEAD + row * ROW,
            port=end.own[2],
            chip=chip(end.cable.rail),
            cable=end.cable.cable,
            peer=cut(f"{device} {port}", 24),
            length=f"{end.cable.length_m} m",
            title=_title(end),
            peer_x=PEER_X + more,
            length_x=LENGTH_X + more,
            width=ROW_WIDTH + more,
        )


def _title(end: PluggedEnd) -> str:
    """Return the whole text of an end."""
    cable, (device, interface, _), (peer, far, _) = end.cable, end.own, end.peer
    return f"{cable.cable}: {device} {interface} to {peer} {far}, {cable.speed}, {cable.length_m} m"


def _box(end: PluggedEnd) -> PortBox:
    """Draw a connector."""
    cable = end.cable
    y = NUMBER + end.slot * SLOT
    return PortBox(
        y, chip(cable.rail), cut(cable.cable, LONGEST), cut(end.peer[0], LONGEST), _title(end)
    )
