"""What templates of DCIM packs see: sites, racks, device types, devices, interfaces, cables.

Owns their shapes. `devices` and `cables` make them; a pack's templates name columns and files.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.core.diagnostics import refuse, suggest
from fabricgen.core.template_api import for_templates, template_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabricgen.planning.plan import Plan


def tag_of(plan: Plan) -> str:
    """Return the name of the tag of a network; empty where there is one network."""
    several = plan.networks or plan.fabric.network
    return f"network-{plan.fabric.network_name}" if several else ""


class HallView(NamedTuple):
    """A hall of the room."""

    name: str
    slug: str


class DcimRackView(NamedTuple):
    """A rack that contains a device."""

    name: str
    hall: str
    units: int


class NamedView(NamedTuple):
    """An object with nothing but a name: a site, a manufacturer, a role, a platform."""

    name: str
    slug: str


class VlanView(NamedTuple):
    """A VLAN of switches."""

    number: int
    name: str
    """Its network, or the VRF of its network."""


class DeviceTypeView(NamedTuple):
    """A model of devices."""

    maker: str
    model: str
    slug: str
    part_number: str
    units: int
    weight_kg: str
    description: str


class LoadedTypeView(NamedTuple):
    """A type of the community's library, which is loaded before the first device."""

    maker: str
    model: str


@dataclass(slots=True)
class AssetsView:
    """What must exist in the database before the first device."""

    site: NamedView
    halls: list[HallView]
    racks: list[DcimRackView]
    makers: list[NamedView]
    roles: list[NamedView]
    platforms: list[NamedView]
    types: list[DeviceTypeView]
    loaded: list[LoadedTypeView]
    """The types of the community's library; none with the names of the catalog."""
    tags: list[NamedView]
    """A tag for each network; none where there is one network."""
    vlans: list[VlanView]


@dataclass(slots=True, kw_only=True)
class DcimDeviceView:
    """One device; hall, rack, unit and face are empty where nothing is placed."""

    name: str
    role: str
    maker: str
    model: str
    site: str
    hall: str
    rack: str
    unit: str
    """Lowest rack unit, from 1."""
    face: str
    platform: str
    """The NOS; empty for a device that is no switch."""
    tag: str
    """The tag of its network; empty for a device that is no switch."""


@dataclass(slots=True)
class ManagementPortView:
    """A management port of a device, and its address."""

    device: str
    name: str
    prefix: str
    """The address with the length of its subnet."""
    primary: str
    """Whether the device is reached by it, as the first of its addresses: `true` or `false`."""


@dataclass(slots=True)
class InterfaceView:
    """One port of a host or a switch, with a cable or without, or a bond of ports."""

    device: str
    name: str
    label: str
    """The label printed beside the port."""
    type: str
    """Form and speed, as NetBox calls them; `other` where it has no name for them."""
    speed_kbps: int | None
    """None for a bond, which has the speed of its members."""
    enabled: str
    mtu: str
    description: str
    """The cable and the far end; empty without a cable."""
    tag: str
    """The tag of its network; empty where there is one network."""
    mgmt_only: str
    """Whether it is a port for management alone: `true` or `false`."""
    lag: str = ""
    """The bond of LACP that it is a member of."""
    vlan: str = ""
    """Its untagged VLAN; empty without one."""
    tagged_vlans: str = ""
    """Its tagged VLANs with commas; empty without any."""
    vlan_group: str = ""
    """The group of its VLANs; empty without any."""

    @property
    @for_templates
    def mode(self) -> str:
        """What NetBox calls the use of its VLANs; empty without any."""
        return "access" if self.vlan else "tagged" if self.tagged_vlans else ""


class ConsolePortView(NamedTuple):
    """A console port of a switch, or a serial port of a console server."""

    device: str
    name: str
    label: str
    """The label printed beside the port."""
    type: str
    """NetBox's name of its socket."""
    description: str
    """The cable and the far end; empty without a cable."""
    tag: str
    """The tag of its network."""


class EndView(NamedTuple):
    """One end of a cable, or of a leg of it."""

    device: str
    interface: str
    kind: str = "interface"
    """What NetBox calls the port: `interface`; of a serial cable `consoleport` or
    `consoleserverport`, of a panel `frontport` or `rearport`."""


class TrunkBundleView(NamedTuple):
    """A trunk between panels: the cables of its connectors."""

    name: str
    description: str


class RearPortView(NamedTuple):
    """A port at the rear of a panel."""

    device: str
    name: str
    type: str
    positions: int
    """The front ports that it serves."""
    description: str
    """The trunk behind it, and its end; empty where none is."""


class FrontPortView(NamedTuple):
    """A port at the front of a panel, and the position of a rear port that it is mapped to."""

    device: str
    name: str
    type: str
    positions: int
    rear_port: str
    rear_port_position: int


@dataclass(slots=True)
class PieceView:
    """One piece of cable, or the cables of one link or of one end of it.

    The ends at `a` and at `b` are paired in order; one end may face several.
    """

    label: str
    """The labels of its legs, or of its cables."""
    type: str
    """NetBox's name of the medium; empty where it is unknown."""
    color: str
    """Colour of the rail as six hexadecimal digits; empty where the cable carries several rails."""
    length_m: str
    part: str
    profile: str
    """The pairing of the ends in NetBox 4.5 and later; empty where it has no such profile."""
    a: list[EndView]
    b: list[EndView]
    tag: str
    """The tag of its network; empty where there is one network."""
    bundle: str = ""
    """The trunk that a connector belongs to."""

    @property
    @for_templates
    def a_type(self) -> str:
        """What NetBox calls the port at the lower end of the only leg."""
        return f"dcim.{self.a[0].kind}"

    @property
    @for_templates
    def b_type(self) -> str:
        """What it calls the port at the upper end."""
        return f"dcim.{self.b[0].kind}"

    @property
    @for_templates
    def length_unit(self) -> str:
        """The unit of the length; empty without a length."""
        return "m" if self.length_m else ""

    @property
    @for_templates
    def a_device(self) -> str:
        """Device at the lower end of the only leg."""
        return self.a[0].device

    @property
    @for_templates
    def a_interface(self) -> str:
        """Port there."""
        return self.a[0].interface

    @property
    @for_templates
    def b_device(self) -> str:
        """Device at the upper end of the only leg."""
        return self.b[0].device

    @property
    @for_templates
    def b_interface(self) -> str:
        """Port there."""
        return self.b[0].interface


@dataclass(slots=True)
class TableView:
    """A run of devices, interfaces or cables, which is one file."""

    rows: Sequence[object]
    tagged: bool = False
    """Whether there are several networks, each with a tag."""

    @for_templates
    def select(
        self, columns: Sequence[str], tagged: Sequence[str] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """Return these columns of every row, two or more, and those for a table with tags.

        `=planned` is a column with the same text in each row. Raises Refusal `bad-template`.
        """
        columns = [*columns, *tagged] if self.tagged else columns
        fixed = {at: column[1:] for at, column in enumerate(columns) if column.startswith("=")}
        read = attrgetter(*self._known(column for column in columns if not column.startswith("=")))
        for row in self.rows:
            cells = [*read(row)]
            for at, text in fixed.items():
                cells.insert(at, text)
            yield tuple(cells)

    def _known(self, columns: Iterable[str]) -> Iterator[str]:
        """Pass on columns that the rows have."""
        known = template_names(type(self.rows[0])) if self.rows else ()
        for column in columns:
            if self.rows and column not in known:
                raise refuse(
                    "bad-template",
                    f"a row has no column `{column}`",
                    hint=suggest(column, known, f"columns: {', '.join(sorted(known))}"),
                )
            yield column
