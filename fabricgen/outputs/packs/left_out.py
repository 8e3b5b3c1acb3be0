"""What a pack leaves out of the files of a switch on purpose, as its pack.yaml declares it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabricgen.catalog.models.switch import Switch
    from fabricgen.views.switches.view import SwitchView


class LeftOut(BaseModel):
    """A setting that the files of some switches lack: those to which all conditions apply."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    what: str
    because: str
    """The reason, with its source and with what would keep the setting."""
    of: Literal["adaptive_routing"] | None = None
    """The property of the catalog that a switch has, with ports to other switches."""
    beside_speeds: Annotated[tuple[str, ...], Field(examples=[["200G", "400G"]])] = ()
    """One of its ports to switches has another speed than these."""
    rails_in_vrfs: bool | None = None
    """Whether its rails have a VRF each."""
    overlay: bool | None = None
    """Whether it takes part in EVPN, for bonds of LACP."""
    media: tuple[str, ...] = ()
    """One of its cables has such a medium."""

    def applies(self, switch: SwitchView, model: Switch, media: Collection[str]) -> bool:
        """Return whether the files of a switch lack the setting, with the media of its cables."""
        speeds = {port.speed for own in switch.instances for port in own.fabric_ports}
        in_vrfs = any(own.vrf for own in switch.instances)
        return (
            (self.of is None or bool(speeds and getattr(model, self.of)))
            and (not self.beside_speeds or bool(speeds.difference(self.beside_speeds)))
            and self.rails_in_vrfs in (None, in_vrfs)
            and self.overlay in (None, switch.overlay is not None)
            and (not self.media or not {*self.media}.isdisjoint(media))
        )
