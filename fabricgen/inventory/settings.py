"""Settings of switches and hosts: addresses, timers, the lossless class, names, NOS and NCCL.

Newer keys are left out of written inventories where they have their default, so that the files of
older inventories stay the same.
"""

from functools import partial
from ipaddress import IPv4Network
from operator import eq
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.inventory.fields import (
    PREFIX,
    TABLE,
    VERSION,
    InventoryModel,
    Model,
    Pattern,
    Pool,
    Prefix,
    Secret,
)


class Timers(InventoryModel):
    """Timers of BGP and BFD, the same at both ends of every link."""

    hold_s: Annotated[int, Field(strict=True, ge=3, le=65535, examples=[9])] = 9
    """BGP hold time in seconds; keepalives are sent every third of it (RFC 4271, section 10).
    Default: that of FRR's datacenter profile."""
    connect_retry_s: Annotated[int, Field(strict=True, ge=1, le=65535, examples=[3])] = 3
    """Seconds between attempts of BGP to connect to another switch; FRR, NVUE and SR Linux."""
    bfd_interval_ms: Annotated[int, Field(strict=True, ge=50, le=60000, examples=[300])] = 300
    """Milliseconds between BFD packets, sent and expected (RFC 5880). Default: FRR's."""
    bfd_multiplier: Annotated[int, Field(strict=True, ge=1, le=255, examples=[3])] = 3
    """Lost BFD packets in a row after which a neighbour is down (RFC 5880). Default: FRR's."""

    @property
    def keepalive_s(self) -> int:
        """Seconds between BGP keepalives: a third of the hold time."""
        return self.hold_s // 3


class Bgp(InventoryModel):
    """Protection and restart of BGP sessions, the same at both ends of every link."""

    ttl_security: Annotated[bool, Field(strict=True, examples=[True])] = False
    """Whether a session accepts packets of its direct neighbour only, by a TTL of 255 (GTSM, RFC
    5082); Junos sends it and does not check it, and SR Linux has no such setting."""
    graceful_restart: Annotated[bool, Field(strict=True, examples=[True])] = False
    """Whether neighbours keep forwarding while BGP restarts (RFC 4724); with `bfd` only where BFD
    survives the restart. SR Linux helps others alone, and NX-OS does it by default."""
    password: Annotated[
        Secret | None, Field(examples=["env:BGP_KEY"], exclude_if=partial(eq, None))
    ] = None
    """Where the key of TCP MD5 (RFC 2385) is, for the sessions between switches, or between the
    hosts of direct rails: `env:NAME`,
    `file:PATH` or `sops:PATH#KEY`. `build --with-secrets` reads it; otherwise the files have none.
    SR Linux uses the first 20 characters of a key."""
    hosts_password: Annotated[
        Secret | None, Field(examples=["env:BGP_HOSTS_KEY"], exclude_if=partial(eq, None))
    ] = None
    """Where the key of TCP MD5 is for the sessions between leaves and hosts, which
    `host_links: unnumbered` has; in the files of both. A reference like `password`."""
    max_prefixes: Annotated[
        Literal["warn", "teardown"] | None,
        Field(examples=["teardown"], exclude_if=partial(eq, None)),
    ] = None
    """What a switch does where another one announces more than twice the prefixes that the plan
    counts: `warn` logs it, `teardown` ends the session. Default: what the NOS does."""


AsNumber = Annotated[int, Field(strict=True, ge=1, le=4294967294)]
AsNumberChoice = AsNumber | Annotated[tuple[AsNumber, ...], Field(min_length=1)]


class AsNumbersOfRoles(InventoryModel):
    """AS numbers by role: the first one, which is counted up, or a list in order."""

    leaf: Annotated[AsNumberChoice | None, Field(examples=[4200001000])] = None
    """One for each leaf, rail by rail and plane by plane."""
    spine: Annotated[AsNumberChoice | None, Field(examples=[[64600, 64601]])] = None
    """One for the spines of each block, or, with three tiers, of each pod; rail by rail and plane
    by plane."""
    core: Annotated[AsNumberChoice | None, Field(examples=[64700])] = None
    """One for the cores of each block."""
    hosts: Annotated[AsNumber | None, Field(examples=[64512])] = None
    """The one of all hosts, where `host_links` is `unnumbered`; on direct rails the first, as each
    host has its own."""


class Addressing(InventoryModel):
    """Addresses, AS numbers and the protocol settings of every link."""

    host_links: Annotated[Literal["numbered", "unnumbered"], Field(examples=["numbered"])] = (
        "numbered"
    )
    """`numbered`: a /31 between NIC port and leaf, or a /127 of IPv6. `unnumbered`: BGP over
    link-local addresses down to the host. The links of direct rails are numbered, and have BGP."""
    host_pool: Annotated[Pool, Field(examples=["10.0.0.0/9"])] = IPv4Network("10.0.0.0/9")
    """Prefix for the addresses of NIC ports, IPv4 or IPv6, divided equally among rails and planes,
    with room to grow."""
    loopback_pool: Annotated[Pool, Field(examples=["10.128.0.0/10"])] = IPv4Network("10.128.0.0/10")
    """Prefix for the loopbacks of switches, and of the GPUs of direct rails, of the same family as
    `host_pool`, divided equally among rails and planes, with room to grow."""
    router_id_pool: Annotated[
        Prefix | None, Field(examples=["10.128.0.0/10"], exclude_if=partial(eq, None))
    ] = None
    """IPv4 prefix for the BGP router IDs, which have 32 bits; needed where `loopback_pool` is IPv6.
    Default: the loopbacks."""
    asn_base: Annotated[int, Field(strict=True, ge=1, le=4294967294, examples=[4200000000])] = (
        4200000000
    )
    """First AS number. Each leaf has its own; the spines of a pod share one, as do the cores of a
    block and all unnumbered hosts. They are counted rail by rail: leaves, then spines, then one for
    cores, whether there are any or not."""
    asn: Annotated[
        AsNumbersOfRoles,
        Field(
            examples=[{"spine": 64600}], exclude_if=partial(eq, AsNumbersOfRoles.model_construct())
        ),
    ] = AsNumbersOfRoles.model_construct()
    """AS numbers of roles that do not count from `asn_base`."""
    mtu: Annotated[int, Field(strict=True, ge=1280, le=9216, examples=[9216])] = 9216
    """MTU of every fabric link in bytes; a rail-only fabric needs the same value everywhere. Where
    the NIC or the NOS takes less, the default is the largest that they take."""
    bfd: Annotated[bool, Field(strict=True, examples=[True])] = True
    """Bidirectional forwarding detection (BFD) on every BGP session between switches."""
    timers: Annotated[
        Timers, Field(examples=[{"hold_s": 9}], exclude_if=partial(eq, Timers.model_construct()))
    ] = Timers.model_construct()
    """Timers of BGP and BFD."""
    bgp: Annotated[
        Bgp, Field(examples=[{"ttl_security": True}], exclude_if=partial(eq, Bgp.model_construct()))
    ] = Bgp.model_construct()
    """Protection and restart of BGP sessions."""
    guids: Annotated[
        str | None, Field(strict=True, pattern=f"^{TABLE}$", examples=["guids.csv"])
    ] = None
    """CSV file of InfiniBand GUIDs, relative to the inventory, with the columns device, port (empty
    for a switch, which has a line for each of its planes) and guid. Default: placeholders."""

    @model_validator(mode="after")
    def _hosts_use_bgp(self) -> Self:
        """Refuse a key for the sessions of hosts that have none."""
        if self.bgp.hosts_password and self.host_links == "numbered":
            raise ValueError(
                "has `bgp.hosts_password`, and with `host_links: numbered` no host uses BGP"
            )
        return self


class Roce(InventoryModel):
    """The lossless class; every switch has the same."""

    dscp: Annotated[int, Field(strict=True, ge=1, le=63, examples=[26])] = 26
    """DSCP of RoCE traffic."""
    priority: Annotated[int, Field(strict=True, ge=1, le=7, examples=[3])] = 3
    """Traffic class, queue and PFC priority of RoCE traffic."""
    cnp_dscp: Annotated[int, Field(strict=True, ge=1, le=63, examples=[48])] = 48
    """DSCP of congestion notification packets (CNP)."""
    cnp_priority: Annotated[int, Field(strict=True, ge=1, le=7, examples=[6])] = 6
    """Traffic class and queue of congestion notification packets, and of CS6 and CS7, which BGP and
    BFD use; strict priority."""
    ecn_minimum_bytes: Annotated[int, Field(strict=True, ge=1, examples=[150000])] = 150_000
    """Queue depth in bytes at which ECN marking starts."""
    ecn_maximum_bytes: Annotated[int, Field(strict=True, ge=1, examples=[1500000])] = 1_500_000
    """Queue depth in bytes at which `ecn_probability_percent` of all packets are marked, and above
    which every packet is."""
    ecn_probability_percent: Annotated[
        int, Field(strict=True, ge=1, le=100, examples=[100], exclude_if=partial(eq, 100))
    ] = 100
    """Share of packets that are marked where the queue is `ecn_maximum_bytes` deep."""
    pfc_watchdog_ms: Annotated[
        int, Field(strict=True, ge=10, le=60000, examples=[200], exclude_if=partial(eq, 200))
    ] = 200
    """Milliseconds of pause after which the PFC watchdog drops the packets of a queue; EOS, Junos,
    SONiC and SR Linux. Default: SONiC's."""
    pfc_restore_ms: Annotated[
        int, Field(strict=True, ge=10, le=60000, examples=[200], exclude_if=partial(eq, 200))
    ] = 200
    """Milliseconds after which the PFC watchdog lets the queue send again; EOS, Junos, SONiC and
    SR Linux. Default: SONiC's."""
    headroom_bytes: Annotated[
        int | None, Field(strict=True, ge=1, examples=[262144], exclude_if=partial(eq, None))
    ] = None
    """Buffer of a port in bytes for packets that arrive after it sent a pause; FRR. Default: by the
    speed of the port and the length of its cable, or 300 m where no `site` is described."""


class Naming(InventoryModel):
    """Name patterns with the fields `{rail}`, `{plane}` and `{n}` (from 1); `{n:02}` pads.

    Patterns of hosts have `{domain}` and `{host}` too.
    """

    leaf: Annotated[Pattern | None, Field(examples=["r{rail}-leaf-{n}"])] = None
    """Leaf switches, with `{rail}` and `{plane}` from 0 and `{n}` from 1, which `{n:02}` pads; a
    leaf of several rails has no `{rail}`. Default: `r{rail}-leaf-{n}`, with `p{plane}` after the
    rail where there are planes."""
    spine: Annotated[Pattern | None, Field(examples=["r{rail}-spine-{n}"])] = None
    """Spine switches; default: like the leaves, with `spine`."""
    core: Annotated[Pattern | None, Field(examples=["r{rail}-core-{n}"])] = None
    """Core switches; default: like the leaves, with `core`."""
    host: Annotated[Pattern | None, Field(examples=["dgx-{n:03}"])] = None
    """Hosts, with `{n}` from 1; default: `host-{n}`. `{domain}` is the HB domain from 0, `{host}`
    the chassis or tray in it from 1."""
    rack: Annotated[Pattern | None, Field(examples=["{hall}{row}-{rack}"])] = None
    """Racks; default: `{hall}{row}-{rack}`, the hall's letter, the row and the rack in it, both
    from 1."""
    prefix: Annotated[
        str,
        Field(
            strict=True,
            pattern=f"^({PREFIX})?$",
            examples=["dc2-"],
            exclude_if=partial(eq, ""),
        ),
    ] = ""
    """What the names of all hosts and switches begin with, those of networks too, so that they
    differ from the names of another fabric."""
    models: Annotated[
        Literal["catalog", "library"],
        Field(examples=["library"], exclude_if=partial(eq, "catalog")),
    ] = "catalog"
    """The names of manufacturers and models in the files for NetBox: those of the catalog, or
    `library`, those of the community's device types (netbox-community/devicetype-library)."""


class Nos(InventoryModel):
    """The NOS of each role; spine and core default to the tier below."""

    leaf: Annotated[Model | None, Field(examples=["sonic"])] = None
    """NOS of the leaves; default: the default NOS of the switch model."""
    spine: Annotated[Model | None, Field(examples=["sonic"])] = None
    """NOS of the spines; default: that of the leaves, where the model runs it."""
    core: Annotated[Model | None, Field(examples=["sonic"])] = None
    """NOS of the cores; default: that of the spines, where the model runs it."""
    rails: Annotated[dict[Annotated[int, Field(ge=0)], Model], Field(examples=[{"3": "eos"}])] = {}
    """NOS of every switch of a rail, by the rail's number from 0, where it differs; rails that
    share switches have one NOS."""
    versions: Annotated[
        dict[str, Annotated[str, Field(strict=True, pattern=f"^{VERSION}$")]],
        Field(examples=[{"nvue": "5.14"}]),
    ] = {}
    """Version of a NOS, quoted, where its syntax depends on it; default: the newest that its pack
    supports."""


class Nccl(InventoryModel):
    """The collective communication library of the hosts: NCCL, or one with the same settings."""

    version: Annotated[
        str | None, Field(strict=True, pattern=f"^{VERSION}$", examples=["2.30.7"])
    ] = None
    """Version of NCCL or RCCL, quoted. Settings that need a minimum version are written only if
    this version is given and new enough."""
    pxn: Annotated[bool, Field(strict=True, examples=[True])] = True
    """Whether a GPU may send through the NIC of another GPU of its host (PXN); a rail-only fabric
    relies on this relay."""
