"""The devices that are neither hosts nor switches, with their ports in each network."""

from ipaddress import IPv4Network
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from fabricgen.core.terms import parse_speed
from fabricgen.inventory.fields import (
    DEVICES,
    Breakout,
    Count,
    InventoryModel,
    Model,
    Pattern,
    Ports,
    Prefix,
    Secret,
    Speed,
)
from fabricgen.inventory.site import Footprint


class AttachedPorts(InventoryModel):
    """The ports of a device in one network; a plain number of them has the network's speed."""

    count: Annotated[Ports, Field(examples=[2])]
    """Number of ports."""
    speed: Annotated[Speed | None, Field(examples=["100G"])] = None
    """Speed of each port; default: that of `breakout`, else of the network."""
    breakout: Annotated[
        Breakout | None, Field(examples=["2x200G"], exclude_if=lambda given: given is None)
    ] = None
    """How the cages of the leaf are split for these ports. They fill whole cages, so that the links
    of a cage lie in one splitter cable. Default: into the most ports of their speed."""

    @model_validator(mode="after")
    def _one_speed(self) -> Self:
        """Require that the speed is that of the breakout."""
        if self.speed not in {None, self.gbps}:
            raise ValueError("has a `speed` other than that of its `breakout`: leave it out")
        return self

    @property
    def gbps(self) -> int | None:
        """The speed of each port in Gbps; None for that of the network."""
        return parse_speed(self.breakout.split("x")[1]) if self.breakout else self.speed


def _attached_ports(value: object) -> object:
    """Read a plain number of ports as a group of them."""
    return {"count": value} if isinstance(value, int) else value


DevicePort = Annotated[
    AttachedPorts,
    BeforeValidator(_attached_ports, json_schema_input_type=Ports | AttachedPorts),
]


class DevicePorts(InventoryModel):
    """The ports of a device by network."""

    compute: Annotated[
        DevicePort, Field(examples=[2], exclude_if=lambda given: not given.count)
    ] = AttachedPorts(count=0)
    """Ports on leaves of the compute fabric, such as those of a fabric manager."""
    storage: Annotated[DevicePort, Field(examples=[2])] = AttachedPorts(count=0)
    """Ports in the network `storage`."""
    inband: Annotated[DevicePort, Field(examples=[{"count": 2, "speed": "100G"}])] = AttachedPorts(
        count=0
    )
    """Ports in the network `inband`."""
    oob: Annotated[
        DevicePort | None, Field(examples=[1], exclude_if=lambda given: given is None)
    ] = None
    """Ports in the network `oob`. Default: the management ports of the model in the catalog, less
    those that `peer_links` take; `oob: 0` for none."""

    def of(self, network: str) -> AttachedPorts:
        """Return the ports in a network, or in the compute fabric."""
        group: AttachedPorts | None = getattr(self, network, None)
        return group or AttachedPorts(count=0)


class EdgeBgp(InventoryModel):
    """BGP with the site's routers: a session of each of their ports with the leaf there."""

    asn: Annotated[int, Field(strict=True, ge=1, le=4294967294, examples=[65100])]
    """AS number of the routers."""
    accept: Annotated[tuple[Prefix, ...], Field(min_length=1, examples=[["0.0.0.0/0"]])] = (
        IPv4Network("0.0.0.0/0"),
    )
    """The prefixes that leaves accept from the routers, each by its length; all others are
    rejected. The switches of the network pass them on. Default: the default route alone."""
    password: Annotated[
        Secret | None, Field(examples=["env:EDGE_KEY"], exclude_if=lambda given: given is None)
    ] = None
    """Where the key of TCP MD5 (RFC 2385) is for these sessions: a reference like that of
    `addressing.bgp.password`, which `build --with-secrets` reads."""
    bfd: Annotated[
        bool, Field(strict=True, examples=[True], exclude_if=lambda given: not given)
    ] = False
    """Whether BFD watches these sessions, with the timers of `addressing.timers`."""


class DeviceGroup(InventoryModel):
    """Devices that are neither hosts of GPUs nor switches, such as storage and PDUs."""

    name: Annotated[
        Pattern,
        Field(pattern=f"^{DEVICES}$", examples=["mgmt-{n}"]),
    ]
    """Pattern of their names; `{n}` counts from 1."""
    count: Annotated[Count, Field(le=100_000, examples=[4])]
    """Number of such devices."""
    model: Annotated[Model | None, Field(examples=["management-node"])] = None
    """What the bill calls them."""
    ports: Annotated[DevicePorts, Field(examples=[{"inband": 2, "oob": 1}])]
    """Number of ports of each device by network."""
    peer_links: Annotated[
        Count | None, Field(le=16, examples=[1], exclude_if=lambda given: given is None)
    ] = None
    """Number of cables between the two devices of each pair: the first and the second, the third
    and the fourth, and so on. Both ends have ports of their own, of the speed of an access
    network. Default: none."""
    edge: Annotated[bool, Field(strict=True, examples=[True])] = False
    """Whether they are the site's routers, which join the network to the rest of the world."""
    bgp: Annotated[
        EdgeBgp | None,
        Field(examples=[{"asn": 65100}], exclude_if=lambda given: given is None),
    ] = None
    """BGP with devices that are `edge`: leaves announce the addresses of the network to them, and
    nothing else. Default: their sessions are left to you."""
    footprint: Annotated[
        Footprint | None,
        Field(examples=[{"units": 2, "power_w": 800}], exclude_if=lambda given: given is None),
    ] = None
    """Rack space, power and weight of each device; default: those of the catalog. A model of a PDU
    beside the rack units takes none: such PDUs are spread over the racks."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the devices."""
        return tuple(self.name.format(n=number + 1) for number in range(self.count))
