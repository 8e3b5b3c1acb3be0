"""The management of the switches: their addresses, servers and software, and who may log in."""

from __future__ import annotations

import re
from ipaddress import IPv4Address
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    WithJsonSchema,
    model_validator,
)

from fabricgen.inventory.accounts import (
    Aaa,
    Address,
    Snmp,
    User,
    address_of,
)
from fabricgen.inventory.fields import (
    BANNER_ENDS,
    IMAGE,
    KEY_EXAMPLE,
    RELEASE,
    SERVER,
    SHA256,
    TABLE,
    VRF,
    ZONE,
    InventoryModel,
    Model,
    Prefix,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def host_address_of(value: object) -> IPv4Address:
    """Return an IPv4 address; a number would be one as well, and never means it."""
    try:
        return IPv4Address(value if isinstance(value, str | IPv4Address) else "")
    except ValueError:
        raise ValueError("an IPv4 address is written like 10.90.0.1") from None


def server_of(value: str) -> str:
    """Return an address in its usual form, or the name of a server."""
    return address_of(value) if ":" in value or value[-1].isdigit() else value.lower()


HostAddress = Annotated[
    IPv4Address,
    BeforeValidator(host_address_of),
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "pattern": r"^\d+(\.\d+){3}$", "maxLength": 15}),
]
Server = Annotated[
    str, Field(strict=True, pattern=f"^{SERVER}$", max_length=253), AfterValidator(server_of)
]


IMAGE_EXAMPLE = {
    "nos": "eos",
    "file": "EOS64-4.34.2F.swi",
    "version": "4.34.2F",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
}


class Image(InventoryModel):
    """The software of a NOS that switches install when they boot for the first time."""

    nos: Annotated[Model, Field(examples=["eos"])]
    """The NOS of the switches."""
    file: Annotated[str, Field(strict=True, pattern=f"^{IMAGE}$", examples=["EOS64-4.34.2F.swi"])]
    """The name of the file, which is put into `provision/www/images/`."""
    version: Annotated[str, Field(strict=True, pattern=f"^{RELEASE}$", examples=["4.34.2F"])]
    """The version as the NOS prints it; a switch that runs it installs nothing."""
    sha256: Annotated[
        str, Field(strict=True, pattern=f"^{SHA256}$", examples=[IMAGE_EXAMPLE["sha256"]])
    ]
    """The SHA-256 of the file, which a switch compares before it installs the file."""


class Management(InventoryModel):
    """How the switches are reached and by whom, by what clock they run, and where they report."""

    pool: Annotated[Prefix, Field(examples=["10.90.0.0/16"])]
    """IPv4 prefix of the switches' management addresses, which are counted in a stable order."""
    subnet: Annotated[Prefix | None, Field(examples=["10.90.0.0/16"])] = None
    """The subnet that the pool is a part of; default: the pool."""
    gateway: Annotated[HostAddress | None, Field(examples=["10.90.0.1"])] = None
    """The router of the subnet; default: its first address."""
    addresses: Annotated[
        dict[str, HostAddress], Field(examples=[{"r0-leaf-1": "10.90.0.200"}])
    ] = {}
    """Addresses in the subnet for switches and hosts by name; the others are counted. A further
    management port with a cable has the name of its switch and its own: `console-1-mgmt1`."""
    host_pool: Annotated[Prefix | None, Field(examples=["10.91.0.0/16"])] = None
    """Prefix of the addresses by which the hosts themselves are managed, counted in the order of
    the hosts. Default: hosts are managed by their names."""
    device_pool: Annotated[
        Prefix | None,
        Field(examples=["10.90.128.0/18"], exclude_if=lambda given: given is None),
    ] = None
    """Prefix of the addresses of all other ports on the out-of-band network, such as those of BMCs
    and PDUs: a part of the subnet, outside of the pool. They are counted by the ports of its
    switches, so that a device keeps its address as it keeps its port. Default: left to you."""
    skip: Annotated[
        tuple[HostAddress, ...] | None,
        Field(examples=[["10.90.0.53"]], exclude_if=lambda given: given is None),
    ] = None
    """Addresses that no switch, host or device is given from a pool. Default: all that the
    inventory names, such as those of `ntp` and `dns`. A plan file lists those that it skipped, so
    that no address changes when the fabric grows."""
    server: Annotated[HostAddress | None, Field(examples=["10.90.0.2"])] = None
    """The server of DHCP and HTTP that switches boot from, for `provision/`; default: the last
    address of the subnet that no device has."""
    macs: Annotated[str | None, Field(strict=True, pattern=f"^{TABLE}$", examples=["macs.csv"])] = (
        None
    )
    """The MAC addresses of the switches' management ports: a CSV file with the columns name and
    mac, relative to the inventory, and names as under `addresses`. With the columns oob_switch and
    oob_port, a switch is known by the remote ID and the circuit ID of DHCP option 82 instead.
    Without the file `provision/` has no reservations."""
    images: Annotated[tuple[Image, ...], Field(examples=[[IMAGE_EXAMPLE]])] = ()
    """The software that switches install when they boot for the first time, one image for a NOS;
    default: they keep what they have."""
    vrf: Annotated[str, Field(strict=True, pattern=f"^{VRF}$", examples=["mgmt"])] = "mgmt"
    """The VRF of management, where the NOS does not give it a fixed name."""
    dns: Annotated[tuple[Address, ...], Field(max_length=3, examples=[["10.90.0.53"]])] = ()
    """Addresses of name servers."""
    ntp: Annotated[tuple[Server, ...], Field(min_length=1, examples=[["10.90.0.123"]])]
    """Time servers."""
    syslog: Annotated[tuple[Server, ...], Field(examples=[["10.90.0.51"]])] = ()
    """Servers that the logs are sent to, over UDP port 514."""
    snmp: Annotated[
        Snmp | None,
        Field(
            examples=[
                {
                    "users": [
                        {"name": "monitor", "auth": "env:SNMP_AUTH", "privacy": "env:SNMP_PRIVACY"}
                    ]
                }
            ]
        ),
    ] = None
    """SNMPv3, read-only."""
    aaa: Annotated[
        Aaa | None,
        Field(
            examples=[{"protocol": "tacacs", "servers": ["10.90.0.49"], "secret": "env:TACACS_KEY"}]
        ),
    ] = None
    """Servers that authenticate logins."""
    users: Annotated[
        tuple[User, ...],
        Field(
            examples=[
                [
                    {
                        "name": "ops",
                        "key": KEY_EXAMPLE,
                    }
                ]
            ],
        ),
    ]
    """Local users; an `admin` among them has a key, which works without secrets."""
    banner: Annotated[
        str | None, Field(strict=True, min_length=1, max_length=2000, examples=["Authorized only."])
    ] = None
    """Text shown before a login, in ASCII."""
    allow: Annotated[
        tuple[Prefix, ...] | None,
        Field(max_length=100, examples=[["10.90.0.0/16"]]),
    ] = None
    """IPv4 prefixes from which SSH, SNMP and the interfaces of `api` of the switches are reached;
    from elsewhere and over IPv6 they are not. BGP, BFD and all that a switch asks others for work
    as before. Default: no filter."""
    api: Annotated[
        tuple[Literal["gnmi", "http", "netconf"], ...], Field(examples=[["gnmi", "http"]])
    ] = ()
    """Interfaces for programs beside SSH, which is always on: gNMI, the HTTP API of the NOS (NVUE,
    eAPI, NX-API, JSON-RPC), NETCONF."""
    time_zone: Annotated[
        str, Field(strict=True, pattern=f"^{ZONE}$", max_length=40, examples=["Europe/Berlin"])
    ] = "UTC"
    """The time zone, by its name in the tz database."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        """Refuse what no switch could be configured with."""
        for fault in (*self._pool_faults(), *self._user_faults(), *self._banner_faults()):
            raise ValueError(fault)
        if self.vrf == "default" or re.fullmatch(r"rail\d+", self.vrf):
            raise ValueError(f"has `vrf: {self.vrf}`, which is the name of a VRF of the fabric")
        if self.allow == ():
            raise ValueError("has no prefix in `allow`, so that no switch could be managed")
        images = [image.nos for image in self.images]
        if twice := [nos for nos in images if images.count(nos) > 1]:
            raise ValueError(f"has two `images` of `{twice[0]}`")
        named = [server for server in (*self.ntp, *self.syslog) if not is_address(server)]
        if named and not self.dns:
            raise ValueError(f"has the server `{named[0]}` and no `dns` to resolve its name")
        return self

    def _pool_faults(self) -> Iterator[str]:
        """Yield what is wrong with the subnet and the gateway."""
        subnet = self.subnet or self.pool
        if not self.pool.subnet_of(subnet):
            yield f"has `pool` {self.pool} outside of `subnet` {subnet}"
        if subnet.prefixlen > 30:  # noqa: PLR2004 - a gateway and a switch
            yield f"has `subnet` {subnet} without room for a gateway and a switch"
        outside = [at for at in [self.gateway] if at and at not in subnet]
        if outside:
            yield f"has `gateway` {outside[0]} outside of `subnet` {subnet}"
        if len(set(self.addresses.values())) < len(self.addresses):
            yield "has the same address twice in `addresses`"

    def _user_faults(self) -> Iterator[str]:
        """Yield what is wrong with the users."""
        names = [user.name for user in self.users]
        if twice := [name for name in names if names.count(name) > 1]:
            yield f"has two `users` called `{twice[0]}`"
        if not any(user.key and user.role == "admin" for user in self.users):
            yield "has no `users` of role `admin` with a `key`, which works without secrets"

    def _banner_faults(self) -> Iterator[str]:
        """Yield what is wrong with the banner: signs that no NOS takes, or that would end it."""
        banner = self.banner or ""
        if not re.fullmatch(r"[ -~\n]*", banner):
            yield "has a `banner` with a character that is not printable ASCII"
        if any(line.strip() == "EOF" for line in banner.split("\n")):
            yield "has a line EOF in `banner`, which ends it on EOS"
        if all(sign in banner for sign in BANNER_ENDS):
            yield f"has all of {BANNER_ENDS} in `banner`, one of which must end it on NX-OS"

    def secrets(self) -> list[str]:
        """List the references to secrets, each once, in order."""
        readers = self.snmp.users if self.snmp else ()
        found = chain(
            (user.secret for user in self.users if user.secret),
            (self.aaa.secret for _ in [0] if self.aaa),
            chain.from_iterable((reader.auth, reader.privacy) for reader in readers),
        )
        return list(dict.fromkeys(found))


def is_address(server: str) -> bool:
    """Return whether a server is given by its address."""
    return ":" in server or server[-1].isdigit()
