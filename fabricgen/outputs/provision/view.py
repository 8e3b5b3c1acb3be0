"""What templates see of the switches that boot from the network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class DhcpOptionView:
    """One DHCP option."""

    code: int
    text: str
    """Its value, or an empty text where it has sub-options."""
    octets: str
    """The sub-options as octets in hexadecimal digits, separated by colons."""


@dataclass(slots=True, kw_only=True)
class BootedSwitchView:
    """One switch."""

    name: str
    nos: str
    mac: str
    """Empty where the table of MAC addresses does not have it."""
    address: str
    options: list[DhcpOptionView]


@dataclass(slots=True, kw_only=True)
class BootedSystemView:
    """One NOS."""

    nos: str
    version: str
    """The version under `nos.versions`; empty without one."""
    switches: int
    follows: str
    """The document that describes how it boots; empty where its pack has no way."""
    unverified: str
    files: list[str]
    """The files of a switch in the web root."""


@dataclass(slots=True, kw_only=True)
class ProvisionView:
    """The network that switches boot from."""

    fabric: str
    server: str
    """The address of the DHCP and web server."""
    subnet: str
    first: str
    """The first address of the subnet, which names it."""
    netmask: str
    gateway: str
    dns: list[str]
    ntp: list[str]
    """Time servers given by their addresses; DHCP has no names."""
    switches: list[BootedSwitchView]
    """Those with a MAC address."""
    unknown: int
    """How many switches have none."""
    table: str
    """The table of MAC addresses; empty without one."""
    systems: list[BootedSystemView]
