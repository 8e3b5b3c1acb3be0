"""The catalog models of the devices beside hosts and switches, and of power cords."""

from typing import Annotated, Literal

from pydantic import Field

from fabricgen.catalog.models.base import (
    Amount,
    Cords,
    Count,
    Facts,
    Index,
    Part,
    PortGroup,
    Text,
    Watts,
)


class Outlets(Facts):
    """Outlets of a PDU that are alike, by their IEC 60320 socket."""

    socket: Literal["C13", "C19"]
    count: Count


class PowerCord(Part):
    """A power cord from an outlet of a PDU to an inlet, by their names in IEC 60320.

    One without both stands for the cords of devices whose inlet is unknown.
    """

    socket: Literal["C13", "C19"] | None = None
    inlet: Text | None = None
    part_number: str | None = None


class Device(Part):
    """A device with ports that are not a GPU's: its place in the networks, its size and power.

    A PDU beside the rack units takes 0 of them.
    """

    role: Literal["fabric-manager", "management-node", "storage-node", "pdu"]
    part_number: str | None = None
    fabric: PortGroup | None = None  # on the fabric that it manages
    front: PortGroup | None = None  # for storage and in-band traffic, north-south
    management: PortGroup | None = None
    rack_units: Annotated[Index, Field(le=100)] | None = None
    weight_kg: Amount | None = None
    typical_w: Watts | None = None
    maximum_w: Watts | None = None
    cords: Cords | None = None
    outlets: tuple[Outlets, ...] = ()
    capacity_w: Watts | None = None  # of all outlets of a PDU together
