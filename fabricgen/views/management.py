"""What templates see of the management of one switch: its address, servers, users and banner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from ipaddress import collapse_addresses
from typing import TYPE_CHECKING

from fabricgen.core.template_api import for_templates
from fabricgen.inventory.fields import BANNER_ENDS
from fabricgen.planning.addressing import address_text

if TYPE_CHECKING:
    from fabricgen.inventory.accounts import Aaa, Snmp, User
    from fabricgen.inventory.management import Management
    from fabricgen.planning.management import ManagementPlan


@dataclass(slots=True, kw_only=True)
class UserView:
    """One local user."""

    name: str
    role: str
    """`admin` or `operator`; `local.roles` of the pack has the word of the NOS."""
    key: str
    """The line of the public key of SSH; empty without one."""
    key_type: str
    key_data: str
    """The key itself, in base64."""
    secret: str
    """The reference to the hash of the password; empty without one."""


@dataclass(slots=True, kw_only=True)
class SnmpUserView:
    """One reader of SNMPv3."""

    name: str
    auth: str
    """The reference to the authentication password."""
    privacy: str
    """The reference to the privacy password."""


@dataclass(slots=True, kw_only=True)
class SnmpView:
    """SNMPv3, read-only."""

    users: list[SnmpUserView]
    location: str
    contact: str


@dataclass(slots=True, kw_only=True)
class AaaView:
    """Servers that authenticate logins, before local users."""

    protocol: str
    """`tacacs`, `radius` or `ldap`."""
    servers: list[str]
    secret: str
    """The reference to the shared key, or to the password of `bind_dn`."""
    base_dn: str
    bind_dn: str


@dataclass(slots=True, kw_only=True)
class ManagementView:
    """The management of one switch."""

    address: str
    """The address, without a length."""
    prefix_length: int
    netmask: str
    subnet: str
    gateway: str
    vrf: str
    """The VRF of management, where the pack has no fixed name for it."""
    dns: list[str]
    ntp: list[str]
    syslog: list[str]
    time_zone: str
    banner: str
    """The lines of the banner, without a line's end after the last; empty without one."""
    banner_end: str
    """A sign that is not in the banner."""
    users: list[UserView]
    snmp: SnmpView | None
    aaa: AaaView | None
    allow: list[str]
    """The prefixes from which the switch is managed, without overlaps; empty for all."""
    api: list[str]
    """Of `gnmi`, `http` and `netconf` those that are on."""

    @property
    @for_templates
    def prefix(self) -> str:
        """The address with the length of its subnet."""
        return f"{self.address}/{self.prefix_length}"


class ManagementViews:
    """Makes the view of each switch; what all switches share is computed once."""

    def __init__(self, asked: Management | None, planned: ManagementPlan | None) -> None:
        """Keep the inventory's keys and the planned addresses."""
        self._asked, self._planned = asked, planned

    def view(self, segment: int, box: int) -> ManagementView | None:
        """Return the management of a switch; None without `management`."""
        if self._planned is None or self._asked is None:
            return None
        asked, subnet = self._asked, self._planned.subnet
        banner = (asked.banner or "").rstrip("\n")
        return ManagementView(
            address=self._planned.switch(segment, box),
            prefix_length=subnet.prefixlen,
            netmask=str(subnet.netmask),
            subnet=str(subnet),
            gateway=address_text(self._planned.gateway),
            vrf=asked.vrf,
            dns=[*asked.dns],
            ntp=[*asked.ntp],
            syslog=[*asked.syslog],
            time_zone=asked.time_zone,
            banner=banner,
            banner_end=next(sign for sign in BANNER_ENDS if sign not in banner),
            users=self._users,
            snmp=self._snmp,
            aaa=self._aaa,
            allow=[str(prefix) for prefix in collapse_addresses(asked.allow or ())],
            api=sorted(asked.api),
        )

    @cached_property
    def _users(self) -> list[UserView]:
        """The local users."""
        return [_user(user) for user in self._asked.users] if self._asked else []

    @cached_property
    def _snmp(self) -> SnmpView | None:
        """The readers of SNMP."""
        return _snmp(self._asked.snmp) if self._asked and self._asked.snmp else None

    @cached_property
    def _aaa(self) -> AaaView | None:
        """The servers of logins."""
        return _aaa(self._asked.aaa) if self._asked and self._asked.aaa else None


def _user(user: User) -> UserView:
    """Return a local user."""
    key = user.key or ""
    kind, _, rest = key.partition(" ")
    return UserView(
        name=user.name,
        role=user.role,
        key=key,
        key_type=kind,
        key_data=rest.partition(" ")[0],
        secret=user.secret or "",
    )


def _snmp(snmp: Snmp) -> SnmpView:
    """Return the readers of SNMP."""
    return SnmpView(
        users=[
            SnmpUserView(name=user.name, auth=user.auth, privacy=user.privacy)
            for user in snmp.users
        ],
        location=snmp.location or "",
        contact=snmp.contact or "",
    )


def _aaa(aaa: Aaa) -> AaaView:
    """Return the servers of logins."""
    return AaaView(
        protocol=aaa.protocol,
        servers=[*aaa.servers],
        secret=aaa.secret,
        base_dn=aaa.base_dn or "",
        bind_dn=aaa.bind_dn or "",
    )
