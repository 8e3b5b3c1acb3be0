"""The catalog models of structured cabling: connectors, cassettes, panels and trunks."""

from typing import Literal, Self

from pydantic import model_validator

from fabricgen.catalog.models.base import (
    Count,
    Medium,
    Metres,
    Part,
    Positive,
    RackUnits,
    Text,
)

Polarity = Literal["A", "B", "C"]
"""The order of a trunk's fibres at its far end, by TIA-568: as at the near end, reversed, or with
each pair swapped."""


class Connector(Part):
    """A fibre connector: the positions of its fibres, and which of them a link uses.

    `transmit` and `receive` have the position of each lane at a module. With `pins`, one of
    two plugs that mate has pins and the other holes, and modules have pins.
    """

    name: Text  # as modules and cables call it
    positions: Count
    transmit: tuple[Count, ...]
    receive: tuple[Count, ...]
    pins: bool
    loss_db: Positive | None = None  # of a mated pair, at most

    @model_validator(mode="after")
    def _verify_lanes(self) -> Self:
        used = [*self.transmit, *self.receive]
        if len(self.transmit) != len(self.receive) or len({*used}) < len(used):
            raise ValueError("transmit: each lane has a position of its own to send and to receive")
        if max(used) > self.positions:
            raise ValueError(f"transmit: the connector has {self.positions} positions")
        return self


class Cassette(Part):
    """What fills a slot of a panel: adapters that mate plug to plug, or fibres to other plugs.

    The fibres of the front ports follow each other at the rear. `rear_pins` and `loss_db` are those
    of a cassette with fibres of its own; an adapter mates two plugs and has neither.
    """

    front: Text
    front_ports: Count
    rear: Text
    rear_ports: Count
    rear_pins: bool | None = None
    loss_db: Positive | None = None  # of both of its mated pairs together, at most

    @model_validator(mode="after")
    def _verify_ports(self) -> Self:
        if self.front_ports % self.rear_ports:
            raise ValueError("front_ports: each rear port serves as many front ports")
        return self

    @property
    def is_adapter(self) -> bool:
        """Whether front and rear plug mate in it."""
        return self.front == self.rear

    @property
    def fanout(self) -> int:
        """The front ports that a rear port serves."""
        return self.front_ports // self.rear_ports


class PatchPanel(Part):
    """A housing for cassettes."""

    rack_units: RackUnits
    slots: Count


class Trunk(Part):
    """A cable of many fibres, with connectors of one kind at both ends."""

    connector: Text
    medium: Medium
    fibres: tuple[Count, ...]
    polarities: tuple[Polarity, ...]
    lengths_m: tuple[Metres, ...] = ()
    db_per_km: Positive | None = None
    splice_db: Positive | None = None  # of a splice of one fibre, at most
    diameter_mm: Positive | None = None
    kg_per_m: Positive | None = None
