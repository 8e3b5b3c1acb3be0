"""A whole inventory, and its JSON Schema."""

from fractions import Fraction
from functools import cache, partial
from itertools import chain
from operator import eq
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fabricgen.core.bounds import LONGEST
from fabricgen.core.diagnostics import Path
from fabricgen.core.terms import Design, Role
from fabricgen.inventory.fields import (
    KEY_EXAMPLE,
    LEAF_PORTS,
    NAME,
    Count,
    InventoryModel,
    OnDemand,
    Ratio,
    Word,
)
from fabricgen.inventory.networks import Networks
from fabricgen.inventory.overrides import Override, Vars
from fabricgen.inventory.purchasing import Ownership, Prices, Spares
from fabricgen.inventory.settings import Addressing, Naming, Nccl, Nos, Roce
from fabricgen.inventory.site import Labels, Site
from fabricgen.inventory.sizing import (
    HbDomain,
    HostChoice,
    NicChoice,
    Phase,
    Rails,
    Reserve,
    ScalableUnit,
    Spare,
    SparePorts,
    Switches,
)

if TYPE_CHECKING:
    from fabricgen.inventory.cabling import Cabling
    from fabricgen.inventory.devices import DeviceGroup
    from fabricgen.inventory.management import Management
    from fabricgen.inventory.search import Search
else:  # most inventories have none of them
    Cabling = Annotated[Any, OnDemand("cabling", "Cabling")]
    DeviceGroup = Annotated[Any, OnDemand("devices", "DeviceGroup")]
    Management = Annotated[Any, OnDemand("management", "Management")]
    Search = Annotated[Any, OnDemand("search", "Search")]

MOST_DEVICES = 250_000
"""The most devices beside hosts and switches: twice the PDUs of a million GPUs."""


def few_devices(groups: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse more devices than can be listed, by their counts."""
    count = sum(group.count for group in groups)
    if count > MOST_DEVICES:
        raise ValueError(
            f"its groups have {count} devices in all, and at most {MOST_DEVICES} are planned"
        )
    return groups


SHORT_FORMS: dict[str, tuple[str, ...]] = {
    "prices": ("book",),
    "nos": tuple(role.value for role in Role),
    "nccl": ("version",),
    "site": ("lengths",),
}
"""Keys that accept one word instead of a mapping -> the keys that the word sets."""


def has_short_form(path: Path) -> bool:
    """Return whether a key accepts one word instead of a mapping: only keys of the top level do."""
    return len(path) == 1 and path[0] in SHORT_FORMS


def long_form(key: str, word: str) -> dict[str, Any]:
    """Return the mapping that a short form is written for.

    >>> long_form("prices", "paper-v5")
    {'book': 'paper-v5'}
    """
    return dict.fromkeys(SHORT_FORMS[key], word)


class FabricSpec(InventoryModel):
    """One inventory, complete."""

    name: Annotated[
        str, Field(strict=True, pattern=f"^{NAME}$", max_length=40, examples=["paper-32k"])
    ]
    """Name of the fabric, in lower case letters, digits and hyphens."""
    design: Annotated[Design, Field(examples=["rail-only"])] = Design.RAIL_ONLY
    """How NIC ports are mapped onto switches."""
    gpus: Annotated[Count, Field(examples=[1024])]
    """Number of GPUs to install; a multiple of `hb_domain.gpus`."""
    hb_domain: Annotated[HbDomain, Field(examples=[{"gpus": 8}])]
    """The scale-up (HB) domain."""
    host: Annotated[HostChoice | None, Field(examples=[{"model": "dgx-h100"}])] = None
    """The host model."""
    nic: Annotated[NicChoice, Field(examples=[{"speed": "400G", "per_gpu": 1}])] = (
        NicChoice.model_construct()
    )
    """The NICs of the GPUs."""
    rails: Annotated[Rails, Field(examples=[{"count": 8, "tiers": "auto"}])] = (
        Rails.model_construct()
    )
    """Rails, planes and tiers."""
    switches: Annotated[
        Switches, Field(examples=[{"leaf": {"model": "sn5600", "breakout": "2x400G"}}])
    ]
    """The switch model of each role."""
    oversubscription: Annotated[Ratio, Field(examples=["1:1", "3:1"])] = Fraction(1)
    """Bandwidth of a leaf towards hosts : bandwidth towards spines."""
    spread: Annotated[Literal["even", "minimal"], Field(examples=["even"])] = "even"
    """`even`: the number of spines divides a leaf's uplinks. `minimal`: the fewest spines, as the
    rail-only paper counts."""
    leaf_ports: Annotated[
        str,
        Field(
            strict=True,
            pattern=f"^{LEAF_PORTS}$",
            examples=["79:40"],
            exclude_if=lambda given: given == "fewest",
        ),
    ] = "fewest"
    """Downlinks and uplinks of a leaf where `oversubscription` is above 1:1. `fewest`: those that
    take the fewest switches, so that a higher ratio never takes more. `widest`: as many downlinks
    as the ratio allows. `79:40` gives both numbers; a plan that grows keeps those that it has."""
    reserve: Annotated[Reserve | None, OnDemand(), Field(examples=[{"gpus": 65536}])] = None
    """Room for growth: a larger size that is numbered now."""
    scalable_unit: Annotated[
        ScalableUnit | None,
        OnDemand(),
        Field(examples=[{"hosts": 32, "leaf": "per-unit"}], exclude_if=lambda unit: unit is None),
    ] = None
    """A number of hosts that is installed as a whole. Default: leaves are filled in order of HB
    domain."""
    spare_ports: Annotated[SparePorts, Field(examples=[{"leaf": 4}])] = SparePorts.model_construct()
    """Ports of each switch that stay free, for example for test equipment or a broken port."""
    spare: Annotated[
        Spare,
        Field(examples=[{"leaves_per_rail": 1}], exclude_if=partial(eq, Spare.model_construct())),
    ] = Spare.model_construct()
    """Leaves and GPUs of each rail that take the place of failed ones."""
    exclude: Annotated[
        tuple[Annotated[str, Field(strict=True, min_length=1, max_length=80)], ...],
        Field(examples=[["host-017"]]),
    ] = ()
    """Names of hosts that are broken or absent, or patterns such as `rack16-*`: their positions in
    racks, on leaves and in pools stay vacant, and `gpus` does not count them."""
    phases: Annotated[
        tuple[Phase, ...],
        OnDemand(most=100),
        Field(
            examples=[
                [{"gpus": 256}, {"gpus": 1024}],
                [{"name": "first", "planes": 1}, {"name": "second"}],
            ]
        ),
    ] = ()
    """The order in which the fabric is bought and cabled: by GPUs, which may go beyond the
    top-level `gpus`, or by planes, rails and spines. Default: all at once."""
    spares: Annotated[Spares, Field(examples=[{"transceivers": {"percent": 2, "minimum": 2}}])] = (
        Spares.model_construct()
    )
    """Spare parts to buy."""
    site: Annotated[
        Site | None, OnDemand(), Field(examples=[{"rack": {"units": 48}, "racks_per_row": 16}])
    ] = None
    """The room. Default: a generated room; `unknown` leaves racks and lengths open."""
    cabling: Annotated[
        Cabling | None,
        Field(
            examples=[{"panels": [{"connector": "mpo12"}], "trunks": {"fibres": 144}}],
            exclude_if=lambda cabling: cabling is None,
        ),
    ] = None
    """Structured cabling: panels, and trunks between them. Default: each link is one cable from
    device to device."""
    labels: Annotated[
        Labels,
        Field(
            examples=[{"layout": "a4-21-flag"}], exclude_if=partial(eq, Labels.model_construct())
        ),
    ] = Labels.model_construct()
    """The labels of the cables."""
    addressing: Annotated[Addressing, Field(examples=[{"host_links": "numbered", "mtu": 9216}])] = (
        Addressing.model_construct()
    )
    """Addresses, AS numbers and link settings."""
    management: Annotated[
        Management | None,
        Field(
            examples=[
                {
                    "pool": "10.90.0.0/16",
                    "ntp": ["10.90.0.123"],
                    "users": [{"name": "ops", "key": KEY_EXAMPLE}],
                }
            ]
        ),
    ] = None
    """Addresses, users and servers for the management of the switches. Default: the site manages
    them, and the files have none of it."""
    roce: Annotated[Roce, Field(examples=[{"dscp": 26, "priority": 3}])] = Roce.model_construct()
    """The lossless traffic class for RoCE."""
    naming: Annotated[Naming, Field(examples=[{"host": "dgx-{n:03}"}])] = Naming.model_construct()
    """Name patterns of switches, hosts and racks."""
    prices: Annotated[Prices, Field(examples=["paper-v5"])] = Prices.model_construct()
    """The name or path of a price book, or a mapping with `book` and `parts`."""
    ownership: Annotated[
        Ownership | None, OnDemand(), Field(examples=[{"years": 4, "kwh_price": 0.12, "pue": 1.3}])
    ] = None
    """The terms of the cost of ownership, which `cost` prints."""
    nos: Annotated[Nos, Field(examples=[{"leaf": "sonic"}])] = Nos.model_construct()
    """The network operating systems; one word sets that of all roles."""
    nccl: Annotated[Nccl, Field(examples=["2.30.7"])] = Nccl.model_construct()
    """The version of NCCL, or a mapping with `version` and `pxn`."""
    outputs: Annotated[
        tuple[Word, ...], Field(examples=[["cabling", "bom", "sonic", "slurm"]])
    ] = ()
    """The groups of files or the packs that `build` writes, by name; `--only` takes precedence.
    Default: what the NOS and the transport require."""

    vars: Annotated[
        Vars, Field(examples=[{"contact": "noc@example.net"}], exclude_if=lambda given: not given)
    ] = {}
    """Values of your own for templates, which read them as `switch.vars` or `host.vars`."""
    overrides: Annotated[
        tuple[Override, ...],
        OnDemand(most=1000),
        Field(
            examples=[[{"match": {"role": "leaf", "nos": "eos"}, "text": "no aaa root"}]],
            exclude_if=lambda given: not given,
        ),
    ] = ()
    """Lines of your own in the configurations of switches, added last and in this order, and
    values for their templates."""

    networks: Annotated[
        Networks,
        OnDemand(),
        Field(
            examples=[{"inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G"}}],
            exclude_if=lambda given: not given.every(),
        ),
    ] = Networks.model_construct()
    """The networks beside the compute fabric: storage, in-band and out-of-band."""
    devices: Annotated[
        tuple[DeviceGroup, ...],
        AfterValidator(few_devices),
        Field(
            max_length=1000,
            examples=[[{"name": "mgmt-{n}", "count": 4, "ports": {"inband": 2}}]],
            exclude_if=lambda given: not given,
        ),
    ] = ()
    """Devices on these networks that are neither hosts nor switches."""

    search: Annotated[Search | None, Field(examples=[{"max_tiers": 2, "budget": 25_000_000}])] = (
        None
    )
    """The candidates and limits of the `search` command, the only one that reads this key."""

    @property
    def has_networks(self) -> bool:
        """Whether the room contains more than the compute fabric."""
        return bool(self.devices or self.networks.every())

    @property
    def leaf_rule(self) -> str:
        """`leaf_ports` for another design or other rails, whose leaves have other numbers."""
        return "fewest" if ":" in self.leaf_ports else self.leaf_ports

    @property
    def oversubscribed(self) -> bool:
        """Whether leaves of compute or of a network have fewer uplinks than downlinks."""
        networks = self.networks.each().values()
        own = chain.from_iterable((each, *each.leaf_groups) for each in networks)
        ratios = (self.oversubscription, *(each.oversubscription for each in own))
        return max(ratios) > 1

    def without_networks(self) -> Self:
        """Return the inventory of the compute fabric alone.

        Positions, measured lengths and stated addresses are of the whole cluster, so its room and
        its addresses follow the rule.
        """
        if not self.has_networks:
            return self
        site = self.site and self.site.model_copy(update={"positions": None, "measured_m": {}})
        own: dict[str, object] = {"device_pool": None, "addresses": {}}
        management = self.management and self.management.model_copy(update=own)
        alone = {"networks": Networks.model_construct(), "devices": ()}
        return self.model_copy(update=alone | {"site": site, "management": management})

    def secrets(self) -> dict[str, tuple[str | int, ...]]:
        """Return the references to secrets, each with the key that has it."""
        bgp = self.addressing.bgp
        keys = {"password": bgp.password, "hosts_password": bgp.hosts_password}
        found: dict[str, tuple[str | int, ...]] = {
            key: ("addressing", "bgp", name) for name, key in keys.items() if key
        }
        for number, devices in enumerate(self.devices):
            if devices.bgp and devices.bgp.password:
                found[devices.bgp.password] = ("devices", number, "bgp", "password")
        if self.management:
            found |= dict.fromkeys(self.management.secrets(), ("management",))
            hashes = [user.secret for user in self.management.users if user.secret]
            found |= dict.fromkeys(hashes, ("management", "users"))
        return found

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, values: Any) -> Any:  # noqa: ANN401 - what YAML holds before it is checked
        """Expand `prices: NAME`, `nos: NAME`, `nccl: VERSION` and `site: unknown`."""
        if not isinstance(values, dict):
            return values
        return {
            key: long_form(key, value) if isinstance(value, str) and key in SHORT_FORMS else value
            for key, value in values.items()
        }


@cache
def json_schema() -> dict[str, Any]:
    """Return the inventory's JSON Schema in the draft-07 subset that yaml-language-server reads.

    Every caller gets the same dictionary.
    """
    schema = FabricSpec.model_json_schema(mode="validation")
    keys = schema["properties"]
    for key in SHORT_FORMS:
        kept = {fact: keys[key][fact] for fact in ("description", "examples")}
        keys[key] = {
            "anyOf": [
                {"type": "string", "maxLength": LONGEST},
                {"$ref": f"#/$defs/{key.capitalize()}"},
            ],
            **kept,
        }
    definitions = schema.pop("$defs")
    draft_07 = _as_draft_07({"definitions": definitions, **schema})
    return {"$schema": "http://json-schema.org/draft-07/schema#", **draft_07}


def _as_draft_07(node: Any) -> Any:  # noqa: ANN401 - any node of a JSON document
    """Rewrite 2020-12 references as draft-07 ones.

    Draft 07 ignores the siblings of a reference, so a reference with siblings moves into an
    `allOf`.
    """
    if isinstance(node, list):
        return [_as_draft_07(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _as_draft_07(value) for key, value in node.items() if key != "$ref"}
    if "$ref" in node:
        reference = {"$ref": node["$ref"].replace("#/$defs/", "#/definitions/")}
        return {**out, "allOf": [reference]} if out else reference
    return out
