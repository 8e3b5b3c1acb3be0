"""How a device runs in a container: its kind, image, files, and interface names.

Owns the section `containers` of a pack.yaml. A pack describes everything that a lab engine must
know of its switches, so that a new NOS in a lab needs no code. `outputs.lab_topologies` owns the
contents of a lab.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabricgen.views.switches.view import PortView

Thing = Literal["switch", "gpu", "hb-domain", "device"]
"""What may run in a container."""

PLAIN_NAME = "eth{n}"
"""How ports are named in a container if Linux does not accept their own names."""

_LINUX_NAME = re.compile(
    r"[^\s/:]{1,15}"
)  # of a device, and without what separates node and interface in a lab's file
_Name = Annotated[str, Field(pattern=r"^([A-Za-z0-9._-]|\{(n|cage|subport)\})+$")]


class Bind(BaseModel):
    """One file that is mounted read-only.

    It is an output of the pack by its path, or, with a `template`, a file for the container alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9{}._/-]+$")]
    at: Annotated[str, Field(pattern=r"^/[A-Za-z0-9._/-]+$")]
    template: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")] | None = None

    @model_validator(mode="after")
    def _belongs_to_the_lab(self) -> Self:
        """Refuse a container's own file that is outside of `lab`, or the same for two switches."""
        if self.template and not re.fullmatch(r"lab/([^{}]*/)?\{switch\}/[^{}]+", self.file):
            raise ValueError(
                f"`{self.file}`: a file with a template is written for each switch, to"
                " `lab/…/{switch}/…`"
            )
        if ".." in PurePosixPath(self.file).parts:
            raise ValueError(f"`{self.file}` leaves the output directory; write a path below OUT")
        return self


class Container(BaseModel):
    """A container of a lab, in the terms of containerlab, which the other engines share."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Annotated[str, Field(pattern=r"^[a-z0-9_-]+$")]
    image: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9./:_@-]*$")]
    type: Annotated[str, Field(pattern=r"^([a-z0-9-]+|\{[a-z_]+\})$")] | None = None
    """The model of its kind that it emulates, if an image has several; in braces, the fact of the
    switch that names it."""
    startup: str | None = None
    """The one of `binds` that the engine hands over at boot, for a system that overwrites it."""
    network: Literal["none"] | None = None
    """Whether there is a management network; without one no traffic leaves the fabric unseen."""
    interface: _Name | None = None
    """The pattern of a port's name: its number among the ports in use from 1, cage and position.

    Without one, the NOS's own names are used.
    """
    split: _Name | None = None
    """The pattern for a port of a split cage, if it differs."""
    binds: tuple[Bind, ...] = ()
    exec: tuple[Annotated[str, Field(pattern=r"^[^$]+$")], ...] = ()
    """Commands to run when the interfaces exist, without a shell; engines expand every `$`."""

    @property
    def type_fact(self) -> str:
        """The fact of a switch that names the type; empty where it is fixed."""
        return self.type[1:-1] if self.type and self.type.startswith("{") else ""

    @model_validator(mode="after")
    def _files_differ(self) -> Self:
        """Refuse two files of one name or place: a ConfigMap keeps files by name."""
        for names in (
            [PurePosixPath(bind.file).name for bind in self.binds],
            [bind.at for bind in self.binds],
        ):
            if len(set(names)) < len(names):
                raise ValueError("binds: two files have one name, or are mounted at one place")
        if self.startup and self.startup not in [bind.file for bind in self.binds]:
            raise ValueError(f"startup: `{self.startup}` is none of the binds")
        return self

    def interfaces(self, ports: Sequence[PortView]) -> list[str]:
        """Return the names of one switch's ports in use, in order.

        All are numbered if Linux does not accept every name as it is.
        """
        names = [self._name(number, port) for number, port in enumerate(ports, start=1)]
        if len(set(names)) == len(names) and all(_LINUX_NAME.fullmatch(name) for name in names):
            return names
        return [PLAIN_NAME.format(n=number) for number, _ in enumerate(ports, start=1)]

    def _name(self, number: int, port: PortView) -> str:
        """Return the name of one port."""
        pattern = (port.subport and self.split) or self.interface
        return (
            pattern.format(n=number, cage=port.cage, subport=port.subport)
            if pattern
            else port.interface
        )
