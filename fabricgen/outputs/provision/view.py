"""What templates see of the switches that boot from the network."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.core.template_api import for_templates


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
    """One switch, or a management port of it after the first."""

    name: str
    switch: str
    """The name of the switch, which its first port has too."""
    nos: str
    mac: str
    """Empty where the table does not give it."""
    circuit: str
    """Octets of the circuit ID of DHCP option 82, for a switch known by its OOB port."""
    remote: str
    """The same of the remote ID; empty where only the port is given."""
    address: str
    options: list[DhcpOptionView]

    @property
    @for_templates
    def circuit_digits(self) -> str:
        """The circuit ID without colons."""
        return self.circuit.replace(":", "")

    @property
    @for_templates
    def remote_digits(self) -> str:
        """The remote ID without colons."""
        return self.remote.replace(":", "")


@dataclass(slots=True, kw_only=True)
class ImageView:
    """The software that the switches of a NOS install."""

    file: str
    url: str
    version: str
    sha256: str


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
    image: ImageView | None
    """What its switches install; None where they keep what they have."""
    unverified_image: str
    afterwards: str
    """What is left to do after a load and after a boot, or nothing."""


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
    wired: list[BootedSwitchView]
    """Those known by the OOB port that they are connected to."""
    unknown: int
    """How many switches have neither, or management ports of switches."""
    several: bool
    """Whether a switch has several management ports with a cable."""
    table: str
    """The table of both; empty without one."""
    systems: list[BootedSystemView]
