"""The networks beside the compute fabric; `devices` owns the groups of devices on them."""

from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from fabricgen.inventory.fields import (
    Cages,
    Count,
    InventoryModel,
    Model,
    Pattern,
    Ports,
    Prefix,
    Ratio,
    Speed,
    cages_of,
)
from fabricgen.inventory.sizing import SwitchChoice, Switches


class Leaves(InventoryModel):
    """How many leaves serve some devices, and with how many uplinks."""

    oversubscription: Annotated[Ratio, Field(examples=["4:3"])] = Fraction(1)
    """Bandwidth of a leaf towards devices : bandwidth towards spines."""
    uplinks: Annotated[Count | None, Field(le=4096, examples=[4])] = None
    """Number of uplinks of each leaf, in place of `oversubscription`."""
    fill: Annotated[int, Field(strict=True, ge=1, le=100, examples=[85])] = 100
    """The ports for devices that are planned to be in use, in percent."""
    leaves: Annotated[Count | None, Field(le=100_000, examples=[4])] = None
    """Number of leaves; default: the fewest that hold the devices."""


class LeafGroup(Leaves):
    """Leaves that serve some groups of devices alone."""

    devices: Annotated[tuple[Pattern, ...], Field(min_length=1, examples=[["storage-{n}"]])]
    """The groups of devices, by the `name` that they have under `devices`."""


class Uplink(InventoryModel):
    """The network that joins the switches of an access network, and the ports there of each."""

    network: Annotated[
        Literal["inband", "storage", "compute"], Field(examples=["inband", "compute"])
    ] = "inband"
    """The network that has the other ends. With `compute` these are on its spines, or on its leaves
    where it has no spines, in a VRF of their own."""
    ports: Annotated[Count, Field(le=16, examples=[2])] = 2
    """Number of uplinks of each switch, over the two switches of a bond there, or over as many
    spines of `compute` as it has uplinks."""
    speed: Annotated[Speed | None, Field(examples=["100G"])] = None
    """Speed of an uplink; default: that of the network with the other ends."""


class NetworkAddressing(InventoryModel):
    """Addresses and AS numbers of a network; timers, BFD and BGP are those of `addressing`."""

    host_pool: Annotated[Prefix | None, Field(examples=["10.192.0.0/12"])] = None
    """IPv4 prefix for the addresses of devices. Default: 10.192.0.0/12 for `storage`, and
    10.208.0.0/12 for `inband`. An access network has the subnet of `management`."""
    loopback_pool: Annotated[Prefix | None, Field(examples=["10.240.0.0/14"])] = None
    """IPv4 prefix for the loopbacks of switches. Default: 10.240.0.0/14 for `storage`, and
    10.244.0.0/14 for `inband`."""
    asn_base: Annotated[
        int | None, Field(strict=True, ge=1, le=4294967294, examples=[4210000000])
    ] = None
    """First AS number, counted as that of `addressing`. Default: 4210000000 for `storage`, and
    4220000000 for `inband`."""
    mtu: Annotated[int | None, Field(strict=True, ge=1280, le=9216, examples=[9216])] = None
    """MTU of every link in bytes. Default: that of `addressing`; in a network of kind `access`,
    1500."""


NO_SWITCHES = Switches.model_construct(leaf=SwitchChoice.model_construct())
"""The switches of a network that is on leaves of the compute fabric."""


class Carried(InventoryModel):
    """A network that is on the switches of another; a plain name has the defaults."""

    network: Annotated[Literal["inband", "storage"], Field(examples=["inband"])]
    """The network."""
    vlan: Annotated[
        int | None,
        Field(strict=True, ge=2, le=4094, examples=[310], exclude_if=lambda given: given is None),
    ] = None
    """Its VLAN, where bonds use LACP. Default: 300 for `inband`, 400 for `storage`."""
    host_pool: Annotated[
        Prefix | None,
        Field(examples=["10.40.0.0/16"], exclude_if=lambda given: given is None),
    ] = None
    """IPv4 prefix whose second half has its subnet, where bonds use LACP. Default: 10.208.0.0/12
    for `inband`, and 10.192.0.0/12 for `storage`."""


def _carried_network(value: object) -> object:
    """Read a plain name as a network without keys of its own."""
    return {"network": value} if isinstance(value, str) else value


CarriedNetwork = Annotated[
    Carried,
    BeforeValidator(
        _carried_network, json_schema_input_type=Literal["inband", "storage"] | Carried
    ),
]


class Network(Leaves):
    """A network beside the compute fabric, with switches of its own or on leaves of compute."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["switches"]}, {"required": ["converged_with"]}]}
    )

    converged_with: Annotated[
        Literal["compute"] | None,
        Field(examples=["compute"], exclude_if=lambda given: given is None),
    ] = None
    """`compute`: the network is on leaves of the compute fabric, in a VRF of its own, and has no
    `switches`. Default: it has switches of its own."""
    cages: Annotated[
        Cages | None, Field(examples=["27,29,31-34"], exclude_if=lambda given: given is None)
    ] = None
    """With `converged_with`: the cages of each leaf that its devices take, from the first on; the
    compute fabric leaves them free. Default: those that compute does not use."""
    kind: Annotated[Literal["clos", "access"] | None, Field(examples=["access"])] = None
    """`clos`: leaves in pairs, joined by spines where two do not suffice. `access`: switches that
    are not joined to each other, with a port for every management port. Default: `access` for
    `oob` and `console`, else `clos`."""
    switches: Annotated[
        Switches,
        Field(
            examples=[{"leaf": {"model": "sn5600"}}], exclude_if=lambda given: given == NO_SWITCHES
        ),
    ] = NO_SWITCHES
    """The switch model of each role; required without `converged_with`."""
    speed: Annotated[Speed | None, Field(examples=["100G"])] = None
    """Speed of a device's port; default: that of the leaf's breakout, else 400G."""
    host_ports: Annotated[Ports | None, Field(examples=[2])] = None
    """Number of ports of each host in this network. Default: one for each member of a bond; in a
    network of kind `access`, the management ports of the host model, else 1."""
    switch_ports: Annotated[
        Ports | None, Field(examples=[1], exclude_if=lambda ports: ports is None)
    ] = None
    """Number of management ports of each switch of other networks that have a cable in a network of
    kind `access`; default: all that its model has."""
    distribution: Annotated[
        Literal["consecutive", "alternating"],
        Field(examples=["alternating"], exclude_if=lambda given: given == "consecutive"),
    ] = "consecutive"
    """How devices are spread over the leaves of a group. `consecutive`: each leaf, or pair of a
    bond, has devices that follow each other. `alternating`: devices of a kind take the leaves in
    turn, and each kind begins again at the first one."""
    per: Annotated[Literal["cluster", "domain"], Field(examples=["domain"])] = "cluster"
    """`cluster`: leaves serve the hosts of all HB domains. `domain`: those of each HB domain, such
    as a rack of NVL72, have leaves of their own, beside the leaves of all other devices."""
    bond: Annotated[Literal[1, 2] | None, Field(examples=[2])] = None
    """Number of leaves that the ports of a device are spread over: the members of a bond. Default:
    2 in a network of kind `clos`, 1 in one of kind `access`."""
    bonding: Annotated[Literal["routed", "lacp"], Field(examples=["lacp"])] = "routed"
    """`routed`: each port of a device is a routed link of its own. `lacp`: the ports of a device in
    pairs are bonds of IEEE 802.3ad, on two leaves by EVPN multihoming; each network on the leaves
    is a VLAN with a VRF of its own. Ports of the site's routers stay routed."""
    carries: Annotated[
        tuple[CarriedNetwork, ...],
        Field(examples=[["storage"], [{"network": "inband", "vlan": 310}]]),
    ] = ()
    """Networks that are on the switches of this one: they have no entry of their own. Hosts have
    them on the same ports, devices on those that they state. With `bonding: lacp` each has a VLAN
    and a VRF, else they share one routing table."""
    peer_links: Annotated[Count | None, Field(le=64, examples=[2])] = None
    """Number of links between the two leaves of a pair, or with `converged_with` between each two
    leaves; default: none."""
    leaf_groups: Annotated[
        tuple[LeafGroup, ...],
        Field(examples=[[{"devices": ["storage-{n}"], "oversubscription": "1:1"}]]),
    ] = ()
    """Leaves of their own for some devices; those of the network serve the others."""
    uplink: Annotated[Uplink | None, Field(examples=[{"network": "inband", "ports": 2}])] = None
    """What joins the switches of an access network to the rest."""
    vlan: Annotated[int | None, Field(strict=True, ge=2, le=4094, examples=[200])] = None
    """The VLAN of all ports of an access network, or of the bonds of one with `bonding: lacp`.
    Default: 300 for `inband`, 400 for `storage`, else 200."""
    addressing: Annotated[
        NetworkAddressing, Field(examples=[{"host_pool": "10.192.0.0/12", "mtu": 9216}])
    ] = NetworkAddressing.model_construct()
    """Addresses and AS numbers, which no other network has."""
    nos: Annotated[Model | None, Field(examples=["sonic"])] = None
    """NOS of all switches of the network; default: the default NOS of each model."""
    lossless: Annotated[bool | None, Field(strict=True, examples=[True])] = None
    """Whether the switches have the lossless class of `roce`. Default: those of `storage` do."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        """Require exactly one of switches and converged_with."""
        if (self.switches == NO_SWITCHES) == (self.converged_with is None):
            raise ValueError("needs `switches`, or `converged_with: compute`: one of the two")
        return self

    @property
    def carried(self) -> tuple[str, ...]:
        """The names of the networks that are on the switches of this one."""
        return tuple(each.network for each in self.carries)


class Networks(InventoryModel):
    """The networks beside the compute fabric."""

    storage: Annotated[
        Network | None, Field(examples=[{"switches": {"leaf": {"model": "sn5600"}}}])
    ] = None
    """Between hosts and storage."""
    inband: Annotated[
        Network | None,
        Field(examples=[{"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"}]),
    ] = None
    """Between hosts, management nodes and the rest of the site."""
    oob: Annotated[
        Network | None,
        Field(examples=[{"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G", "fill": 85}]),
    ] = None
    """Out-of-band: to the management ports of all devices."""
    console: Annotated[
        Network | None,
        Field(
            examples=[{"switches": {"leaf": {"model": "cm8148"}}, "fill": 85}],
            exclude_if=lambda given: given is None,
        ),
    ] = None
    """Console servers: a cable to the serial console port of every switch. Of the keys of a network
    it has `switches`, `fill`, `leaves`, `distribution` and `nos`."""

    def carrier(self, name: str) -> str:
        """Return the network on whose switches a network is: itself, or the one that carries it."""
        given = ((other, network) for other, network in self if network is not None)
        return next((other for other, network in given if name in network.carried), name)

    def every(self) -> dict[str, Network]:
        """Return the networks of the inventory by name, with defaults by their names."""
        given = {name: network for name, network in self if network is not None}
        return {name: _filled(name, network) for name, network in given.items()}

    @property
    def with_management(self) -> list[str]:
        """The networks with the management ports of all devices; `planning` refuses a second."""
        each = self.each().items()
        return [name for name, own in each if own.kind == "access" and name != CONSOLE]

    @property
    def management(self) -> str | None:
        """The network with the management ports of all devices, if there is one."""
        return next(iter(self.with_management), None)

    def each(self) -> dict[str, Network]:
        """Return the networks with switches of their own, as `every` has them."""
        return {name: each for name, each in self.every().items() if not each.converged_with}

    @property
    def reserved_cages(self) -> frozenset[int]:
        """The cages of each compute leaf that networks on these leaves reserve."""
        given = (each.cages or "" for each in self.converged().values())
        return frozenset(cage for text in given for cage in cages_of(text))

    def converged(self) -> dict[str, Network]:
        """Return the networks on leaves of the compute fabric, as `every` has them."""
        return {name: each for name, each in self.every().items() if each.converged_with}


CONSOLE = "console"
"""The network of console servers, whose ports are serial."""

VLANS = {"inband": 300, "storage": 400, "oob": 200}
"""The VLAN of each network, where the inventory has no other."""


def _filled(name: str, network: Network) -> Network:
    """Return a network with its kind, its bond, its VLAN, and whether it is lossless."""
    kind = network.kind or ("access" if name in {"oob", CONSOLE} else "clos")
    bond = network.bond or (2 if kind == "clos" else 1)
    lossless = name == "storage" if network.lossless is None else network.lossless
    vlan = 0 if name == CONSOLE else network.vlan or VLANS["oob" if kind == "access" else name]
    filled = {"kind": kind, "bond": bond, "lossless": lossless, "vlan": vlan}
    return network.model_copy(update=filled)
