"""The contents of a `pack.yaml`: the files that the pack writes, and what it requires."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from fabricgen.core.terms import Family
from fabricgen.inventory.fields import VERSION
from fabricgen.outputs.groups import PACK_GROUPS
from fabricgen.outputs.packs.containers import Container, Thing
from fabricgen.outputs.packs.left_out import LeftOut
from fabricgen.outputs.packs.pack_output import PackOutput
from fabricgen.outputs.packs.verification import FileVerification

Constant = str | int | float
Word = str | bool | dict[str, str]

SWITCH = "configs/{switch}/"
"""The folder of the files of a switch."""

STEPS = ("compare", "load", "verify", "rollback")
"""The task lists of a NOS for Ansible."""


class Limit(BaseModel):
    """The values that a NOS accepts of a number of the inventory: `least` to `most`, in steps."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    least: int | None = None
    most: int | None = None
    step: Annotated[int, Field(ge=1)] = 1

    def fault(self, value: int) -> tuple[str, str, int | str] | None:
        """Return what the NOS accepts, by how much a value is off, and the nearest value.

        It is None if the NOS accepts the value. A setting that it lacks has 0 as the most.
        """
        if isinstance(value, bool):
            return (
                ("`false` alone", "it has no such setting", "false")
                if value > bool(self.most)
                else None
            )
        if self.most is not None and value > self.most:
            return (
                f"{self.most} at most",
                f"{value} - {self.most} = {value - self.most} too many",
                self.most,
            )
        if self.least is not None and value < self.least:
            return (
                f"{self.least} at least",
                f"{self.least} - {value} = {self.least - value} too few",
                self.least,
            )
        if value % self.step:
            above = value + self.step - value % self.step
            return f"multiples of {self.step}", f"{value} is {value % self.step} above one", above
        return None

    def __str__(self) -> str:
        """Return the limit as text."""
        ends = {"at least": self.least, "at most": self.most}
        bounds = [f"{end} {value}" for end, value in ends.items() if value is not None]
        return ", ".join([*bounds, *([f"in steps of {self.step}"] if self.step > 1 else [])])


def _as_limit(value: object) -> object:
    """Return a number as the most."""
    return {"most": value} if isinstance(value, int) else value


class OlderVersion(BaseModel):
    """The syntax of a NOS before a version."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    before: Annotated[str, Field(pattern=f"^{VERSION}$")]
    words: dict[str, Word]


class ReservedAccounts(BaseModel):
    """The names that no user of an inventory may have, as the NOS has or reserves them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    names: tuple[str, ...] = ("admin", "root")
    source: str = ""
    """The documents and packages that list them."""
    unverified: str = ""
    """What none of them confirms."""


class ManagementTerms(BaseModel):
    """What a NOS calls the parts of its management; templates see it as `terms`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    interface: str = ""
    """The management port."""
    vrf: str = ""
    """The name of its VRF, where the NOS has a fixed one."""
    roles: dict[str, str] = {}
    """Its words for the roles `admin` and `operator`."""
    protocols: dict[str, str] = {}
    """Its words for the protocols of `aaa` that its pack writes."""
    secrets: dict[str, str] = {}
    """The form in which it takes secrets, by the key of the inventory."""
    accounts: ReservedAccounts = ReservedAccounts.model_construct()
    """The accounts that it has itself."""
    unsupported: dict[str, str] = {}
    """Keys of `management`, and values of `api` and `aaa.protocol`, that are left out, with why."""


class BondNames(BaseModel):
    """What a NOS calls bonds of LACP; a name is empty where its pack does not write such bonds."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    leaf: str = ""
    """A bond of a leaf by its `{number}`, with EVPN multihoming and a VRF for each network."""
    uplinks: str = ""
    """The bond of an access switch's uplinks."""
    needs: tuple[str, ...] = ()
    """The facts without which a leaf cannot have bonds."""


class ZeroTouchFile(BaseModel):
    """A file of the web root that a switch fetches besides its configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    template: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    image: bool = False
    """Whether it is written only if the inventory has an image of the NOS."""
    reader: str


class ZeroTouch(BaseModel):
    """How a switch without configuration finds its own: by DHCP, then from a web server."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    follows: str
    """The document that describes it."""
    unverified: str
    """What is not in the document, or was never tried."""
    options: dict[int, str | dict[int, str]]
    """DHCP options by code: a text, or texts of sub-options by their codes; `{url}` is the switch's
    folder of the web root, `{server}` the address of the server, `{switch}` the switch's name."""
    fetches: tuple[str, ...]
    """The files of the switch that are copied to the web root, below `configs/{switch}/`."""
    files: tuple[ZeroTouchFile, ...]
    unverified_image: str = ""
    """The same of the image of `management.images`, which its scripts install."""
    no_image: str = ""
    """Why its switches install no image of `management.images`; empty where they do."""


class Push(BaseModel):
    """How Ansible loads configurations onto switches, by the templates of `templates`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    follows: str
    """The documents that the tasks follow."""
    restores: str
    """How a switch restores what it had before."""
    unverified: str
    """What is not in the documents, or was never tried."""
    api: Literal["gnmi", "http", "netconf"] | None = None
    """The entry of `management.api` that Ansible connects by; None for SSH."""
    collections: dict[str, str] = {}
    """The collections of Ansible that the tasks use, with their versions."""
    variables: dict[str, str | bool | tuple[str | dict[str, str], ...]] = {}
    """Variables of Ansible for all switches of the NOS."""

    @property
    def templates(self) -> dict[str, str]:
        """The templates of the task lists, by the names of their files."""
        return {f"{step}.yml": f"push_{step}.yml.j2" for step in STEPS}


class Pack(BaseModel):
    """The contents of a pack.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    description: str
    nos: str | None = None
    """The NOS that the pack configures; None for documents."""
    nos_versions: tuple[str, ...] = ()
    group: str
    """The group of outputs of its files: a key of `PACK_GROUPS`."""
    verified: str
    """How the syntax was verified, or why it could not be."""
    verified_by: tuple[FileVerification, ...] = ()
    """The same file by file: the tool that the tests run, and the statements unknown to it."""
    facts: dict[str, str] = {}
    """Facts that it reads under `nos` of the switch model, with their meaning."""
    needs: tuple[str, ...] = ()
    """The facts without which it cannot configure a switch."""
    wants: dict[str, str] = {}
    """The facts without which its files are incomplete, with what they then lack."""
    left_out: tuple[LeftOut, ...] = ()
    """What its files leave out on purpose, and on which switches."""
    unnumbered_with: dict[str, str] = {}
    """Faults of unnumbered BGP with another NOS, or with `hosts`, by name, each with its source."""
    limits: dict[str, Annotated[Limit, BeforeValidator(_as_limit)]] = {}
    """The values that the NOS accepts of a number of the inventory, like `addressing.mtu`.

    A number alone is the most.
    """
    assumed: dict[str, Constant | tuple[Constant, ...] | dict[str, Constant]] = {}
    """Values that its files need and no plan has, such as a latency; its templates see them."""
    terms: ManagementTerms = ManagementTerms.model_construct()
    """What the NOS calls the parts of its management; its templates see it."""
    words: dict[str, Word] = {}
    """The syntax of the newest version of the NOS, if versions differ; its templates see it."""
    older: tuple[OlderVersion, ...] = ()
    """The same for older versions, the oldest first."""
    bonds: BondNames = BondNames.model_construct()
    """The bonds of LACP that its files have."""
    families: dict[Family, dict[str, Word]] = {}
    """The address families that its files may have, with the syntax of each beside `words`.

    Without it, a pack of a NOS has IPv4 alone, and documents have both.
    """
    outputs: tuple[PackOutput, ...]
    zero_touch: ZeroTouch | None = None
    """How its switches boot from the network; None where this pack has no way."""
    afterwards: str = ""
    """What is left to do after a load and after a boot, however the files were loaded."""
    push: Push | None = None
    """How Ansible loads its files onto switches; None where this pack has no way."""
    containers: dict[Thing, Container] = {}
    """How its switches run in a lab, or, for a pack of group `lab`, GPUs and HB domains."""
    instead_of_lab: str = ""
    """What can be run instead where `containers` has no switch, with its source."""

    @property
    def templates(self) -> set[str]:
        """The templates that it names: of its outputs, first boot, task lists and containers."""
        booted = self.zero_touch.files if self.zero_touch else ()
        binds = chain.from_iterable(own.binds for own in self.containers.values())
        named = (
            *chain.from_iterable((output.template, output.access) for output in self.outputs),
            *(file.template for file in booted),
            *(self.push.templates.values() if self.push else ()),
            *(bind.template for bind in binds),
        )
        return set(filter(None, named))

    @property
    def fetched_outputs(self) -> list[PackOutput]:
        """The files that a switch fetches when it boots from the network."""
        names = self.zero_touch.fetches if self.zero_touch else ()
        return [output for output in self.outputs if output.path.removeprefix(SWITCH) in names]

    def for_access(self) -> Self | None:
        """Return the pack as it is for switches of an access network; None where it has no way."""
        outputs = tuple(
            output.model_copy(update={"template": output.access})
            for output in self.outputs
            if output.access
        )
        return self.model_copy(update={"outputs": outputs}) if outputs else None

    @property
    def open_outputs(self) -> list[PackOutput]:
        """The files that `overrides` of an inventory can add to, the main one first."""
        return [output for output in self.outputs if output.overrides]

    @property
    def configures_fabric(self) -> bool:
        """Whether it writes more of a switch than its management."""
        return self.nos is not None and not all(output.management for output in self.outputs)

    @model_validator(mode="after")
    def _needs_are_facts(self) -> Self:
        """Refuse a required fact that is not declared."""
        for key in ("needs", "wants", "bonds.needs"):
            if unknown := [name for name in attrgetter(key)(self) if name not in self.facts]:
                raise ValueError(f"`{key}`: `{unknown[0]}` is not declared under `facts`")
        kind = self.containers.get("switch")
        if kind and kind.type_fact and kind.type_fact not in self.facts:
            raise ValueError(f"`type`: `{kind.type_fact}` is not declared under `facts`")
        return self

    @model_validator(mode="after")
    def _verified_files_are_written(self) -> Self:
        """Refuse a verified file that is no output."""
        written = {output.path.split("/")[-1] for output in self.outputs}
        named = [file for each in self.verified_by for file in each.files]
        if unknown := [file for file in named if file not in written]:
            raise ValueError(f"`verified_by`: `{unknown[0]}` is not the name of an output")
        return self

    @model_validator(mode="after")
    def _fetched_files_are_written(self) -> Self:
        """Refuse a fetched file that is no output."""
        if self.zero_touch and len(self.fetched_outputs) < len(self.zero_touch.fetches):
            raise ValueError(f"`zero_touch.fetches` names a file that is no output below {SWITCH}")
        return self

    @field_validator("group")
    @classmethod
    def _is_known(cls, group: str) -> str:
        """Refuse a group that no build writes."""
        if group not in PACK_GROUPS:
            raise ValueError(f"`group: {group}` is not a group of packs: {', '.join(PACK_GROUPS)}")
        return group

    def supports(self, family: Family) -> bool:
        """Return whether its files may have addresses of a family."""
        return family in self.families if self.families else family == "ipv4" or not self.nos

    def words_of(self, version: str, family: Family = "ipv4") -> dict[str, Word]:
        """Return the syntax of a version of the NOS for the addresses of a family.

        Without a version it is that of the newest.
        """
        older = (each.words for each in self.older if version and _is_older(version, each.before))
        return self.families.get(family, {}) | self.words | next(older, {})


def _is_older(version: str, other: str) -> bool:
    """Return whether a version comes before another.

    >>> _is_older("5.9", "5.10")
    True
    """
    ours, theirs = ([*map(int, text.split("."))] for text in (version, other))
    return ours < theirs
