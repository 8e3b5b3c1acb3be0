"""Who may log in to the switches and read them: users, readers of SNMP, and servers that decide.

An inventory never has a secret itself: it names an environment variable, a file or a key of a file
that sops encrypts, and `build.secrets` reads it where the user asks for it.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fabricgen.inventory.fields import (
    ACCOUNT,
    ADDRESS,
    DN,
    KEY_EXAMPLE,
    PLAIN_TEXT,
    SNMP_NAME,
    SSH_KEY,
    InventoryModel,
    Secret,
)

SECRET_KEYS = frozenset({"secret", "auth", "privacy", "password", "hosts_password"})
"""Keys that refer to secrets: what is written there by mistake is shown in no message."""


def address_of(value: str) -> str:
    """Return an IPv4 or IPv6 address in its usual form."""
    try:
        return str(ip_address(value))
    except ValueError:
        raise ValueError("an address is written like 10.90.0.53") from None


Text = Annotated[str, Field(strict=True, max_length=200)]


Address = Annotated[str, Field(strict=True, pattern=f"^{ADDRESS}$"), AfterValidator(address_of)]


Account = Annotated[str, Field(strict=True, pattern=f"^{ACCOUNT}$")]


class User(InventoryModel):
    """A local user of every switch."""

    name: Annotated[Account, Field(examples=["ops"])]
    """The name of the user."""
    role: Annotated[Literal["admin", "operator"], Field(examples=["admin"])] = "admin"
    """`admin` may change everything, `operator` may read."""
    key: Annotated[
        str | None,
        Field(
            strict=True,
            pattern=f"^{SSH_KEY}$",
            max_length=1000,
            examples=[KEY_EXAMPLE],
        ),
    ] = None
    """The public key of SSH, one line as in `id_ed25519.pub`."""
    secret: Annotated[Secret | None, Field(examples=["env:OPS_SECRET"])] = None
    """Where the hash of the password is: `env:NAME`, `file:PATH` or `sops:PATH#KEY`; never the
    password. `build --with-secrets` reads it; otherwise the user has the key alone."""

    @model_validator(mode="after")
    def _can_log_in(self) -> Self:
        """Refuse a user without key and secret."""
        if not (self.key or self.secret):
            raise ValueError("has neither `key` nor `secret`")
        return self


class SnmpUser(InventoryModel):
    """A reader of SNMPv3 with SHA authentication and AES-128 privacy."""

    name: Annotated[str, Field(strict=True, pattern=f"^{SNMP_NAME}$", examples=["monitor"])]
    """The name of the reader."""
    auth: Annotated[Secret, Field(examples=["env:SNMP_AUTH"])]
    """Where the authentication password is; 8 characters at least (RFC 3414)."""
    privacy: Annotated[Secret, Field(examples=["env:SNMP_PRIVACY"])]
    """Where the privacy password is; 8 characters at least."""


class Snmp(InventoryModel):
    """SNMPv3, read-only; older versions send passwords in clear text and are not offered."""

    users: Annotated[
        tuple[SnmpUser, ...],
        Field(
            examples=[
                [{"name": "monitor", "auth": "env:SNMP_AUTH", "privacy": "env:SNMP_PRIVACY"}]
            ],
        ),
    ]
    """The readers."""
    location: Annotated[
        Text | None, Field(pattern=f"^{PLAIN_TEXT}$", examples=["DC 3, hall B"])
    ] = None
    """The value of sysLocation."""
    contact: Annotated[
        Text | None, Field(pattern=f"^{PLAIN_TEXT}$", examples=["noc@example.com"])
    ] = None
    """The value of sysContact."""

    @model_validator(mode="after")
    def _has_readers(self) -> Self:
        """Refuse SNMP without a reader."""
        if not self.users:
            raise ValueError("has no `users`")
        if "none" in (self.location, self.contact):
            raise ValueError("has the text `none`, by which NVUE removes a setting")
        return self


class Aaa(InventoryModel):
    """Servers that authenticate logins; local users are the fallback."""

    protocol: Annotated[Literal["tacacs", "radius", "ldap"], Field(examples=["tacacs"])]
    """TACACS+, RADIUS or LDAP."""
    servers: Annotated[tuple[Address, ...], Field(min_length=1, examples=[["10.90.0.49"]])]
    """Addresses of the servers, in the order in which they are asked."""
    secret: Annotated[Secret, Field(examples=["file:/run/secrets/tacacs"])]
    """Where the key shared with the servers is, or the password of `bind_dn`."""
    base_dn: Annotated[Text | None, Field(pattern=f"^{DN}$", examples=["dc=example,dc=com"])] = None
    """LDAP: where the search for users begins."""
    bind_dn: Annotated[
        Text | None, Field(pattern=f"^{DN}$", examples=["cn=switch,dc=example,dc=com"])
    ] = None
    """LDAP: the account that searches."""

    @model_validator(mode="after")
    def _has_names(self) -> Self:
        """Refuse LDAP without its names, and the names without LDAP."""
        given = [name for name in ("base_dn", "bind_dn") if getattr(self, name)]
        if self.protocol == "ldap" and len(given) < 2:  # noqa: PLR2004 - both names
            raise ValueError("needs `base_dn` and `bind_dn` for LDAP")
        if self.protocol != "ldap" and given:
            raise ValueError(f"has `{given[0]}`, which is for `protocol: ldap` only")
        return self
