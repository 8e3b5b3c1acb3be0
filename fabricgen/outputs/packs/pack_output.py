"""One file that a pack writes, as `outputs` of its `pack.yaml` describes it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from fabricgen.core.diagnostics import suggest
from fabricgen.outputs.packs.kinds import KINDS

if TYPE_CHECKING:
    from fabricgen.inventory.management import Management
    from fabricgen.views.management import ManagementView

RESERVED = ("manifest.json", "plan.json", "report.html")
"""The files that a build writes beside the packs' files."""


class OverrideForm(BaseModel):
    """How a file of a switch accepts the site's own lines."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    format: Literal["lines", "json", "yaml"] = "lines"
    comment: str = ""
    """What a comment begins with; empty where the reader has no comments."""
    statement: str = ""
    """A regular expression that the beginning of each line must match, if the reader has one."""
    below: Annotated[str, Field(pattern=r"^(/[^/]+)*$")] = ""
    """The JSON pointer of the part of a document that fragments are merged into."""
    keys: tuple[str, ...] = ()
    """The keys that identify an entry of a list in a document."""


class PackOutput(BaseModel):
    """One file that a pack writes; `each` selects what it is for, and its template's view."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    path: Annotated[str, Field(pattern=r"^[A-Za-z0-9{}._/-]+$")]
    template: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    each: str
    """One of `kinds`."""
    access: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")] | None = None
    """For switches: the template for those of an access network, which else lack the file."""
    roles: tuple[Literal["leaf", "spine", "core"], ...] = ("leaf", "spine", "core")
    transport: Literal["ethernet", "infiniband"] | None = None
    """For hosts, NICs and GPUs: written only if the leaves run this."""
    host_links: Literal["numbered", "unnumbered"] | None = None
    """For hosts, NICs and GPUs: written only if their links are of this kind."""
    medium: Literal["packet", "direct"] | None = None
    """For hosts: written only if their rails have switches, or have none."""
    library: str | None = None
    """For hosts: written only if their accelerators have this collective communication library."""
    roce_tools: bool = False
    """For hosts: written only if the catalog lists what configures their NICs."""
    shared_cables: bool = False
    """For links: written only if a cable carries several links."""
    networks: bool = False
    """For hosts: written only if they have addresses in the networks beside compute."""
    most_lines: int | None = None
    """For drawings, links of a simulation and nodes of a lab: written only up to this number."""
    mode: Literal["600", "755"] | None = None
    """Mode of the file, if its reader needs one: 755 for a script, 600 for a file of root."""
    overrides: OverrideForm | None = None
    """How `overrides` of an inventory add to the file; None where they cannot."""
    management: bool | Literal["allow", "images"] = False
    """Written only if the inventory has `management`, or a key of it."""
    lossless: bool = False
    """For switches: written only for those with the lossless class."""
    replaces: bool = False
    """Whether its reader drops a management configuration that the switch has."""
    merge: str = ""
    """How to load the file so that the switch keeps the rest of its configuration."""
    reader: str
    """The reader of the file, and after a colon the contents or their use, in one line."""

    @property
    def bits(self) -> int | None:
        """The mode as a number."""
        return int(self.mode, 8) if self.mode else None

    def is_written(self, managed: Management | ManagementView | None) -> bool:
        """Return whether the `management` of an inventory, or of a switch, has what it needs."""
        key = self.management
        return not key or (managed is not None and (key is True or bool(getattr(managed, key))))

    @field_validator("each")
    @classmethod
    def _is_known(cls, each: str) -> str:
        """Refuse a kind that no build writes."""
        if each not in KINDS:
            near = suggest(each, KINDS, f"kinds: {', '.join(KINDS)}")
            raise ValueError(f"`each: {each}` is not a kind of output; {near}")
        return each

    @model_validator(mode="after")
    def _stays_below_out(self) -> Self:
        """Refuse a path that leaves OUT, is one of the build's own, or is the same for two things.

        The things are switches, hosts, NICs or GPUs.
        """
        if self.path.startswith("/") or ".." in PurePosixPath(self.path).parts:
            raise ValueError(f"`{self.path}` leaves the output directory; write a path below OUT")
        if self.path in RESERVED:
            raise ValueError(f"`{self.path}` is written by every build; choose another name")
        fields = re.findall(r"[{][^{}]*[}]", self.path)
        wanted = KINDS[self.each].fields
        if tuple(sorted(set(fields))) != wanted or self.path.count("{") != len(fields):
            named = " and ".join(f"`{field}`" for field in wanted)
            fault = (
                f"a file for each {self.each} names it by {named}"
                if wanted
                else "a file that is written once has no fields in its path"
            )
            raise ValueError(f"`{self.path}`: {fault}")
        return self
