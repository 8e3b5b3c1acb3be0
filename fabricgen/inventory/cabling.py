"""Structured cabling: the panels, the trunks between them, and the jumpers to the devices."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from fabricgen.inventory.fields import Count, InventoryModel, Model, Percent
from fabricgen.inventory.site import PlaceNames

TWO_ROWS = ("mpo24", "mpo32")
"""Connectors with two rows of fibres."""


def _one_row(value: object) -> object:
    """Refuse connectors of which no published source states where each fibre arrives."""
    if value in TWO_ROWS:
        raise ValueError(
            "it has two rows of fibres, and no published source states where each arrives"
        )
    return value


FibrePlug = Annotated[Literal["mpo12", "mpo16", "lc"], BeforeValidator(_one_row)]
Way = Literal["direct", "structured"]


class Panels(InventoryModel):
    """Panels of one kind, in some racks or in all."""

    racks: Annotated[PlaceNames | None, Field(examples=[["A01-05", "A02-05"]])] = None
    """Names of the racks that have them. Default: those of `rows`, else every rack with an end of a
    structured link. An end in another rack goes to the nearest rack with panels."""
    rows: Annotated[PlaceNames | None, Field(examples=[["A1", "A2"]])] = None
    """Names of rows, a hall and its row: each of their racks with an end of a structured link has
    panels."""
    rack_unit: Annotated[Count | None, Field(le=100, examples=[38])] = None
    """Rack unit of the lowest panel of a rack; others are above it. Default: the highest units that
    are free."""
    count: Annotated[Count | None, Field(le=100, examples=[4])] = None
    """Maximum number of panels in a rack; default: as many as the trunks need and as fit."""
    ports: Annotated[Count | None, Field(le=1000, examples=[48])] = None
    """Ports of a panel's front that are used; default: all ports of its cassettes."""
    connector: Annotated[FibrePlug, Field(examples=["mpo12"])] = "mpo12"
    """The connector in front, which is that of the modules."""
    panel: Annotated[Model, Field(examples=["panel-1u", "panel-4u"])] = "panel-1u"
    """Model of the panel in the catalog."""
    cassette: Annotated[Model | None, Field(examples=["mpo12-to-lc"])] = None
    """Model of the cassettes or plates of adapters in the catalog; default: the first one with
    these connectors."""

    @model_validator(mode="after")
    def _racks_or_rows(self) -> Self:
        """Refuse racks beside rows."""
        if self.racks and self.rows:
            raise ValueError("has `racks` and `rows`; keep one of them")
        return self


class Trunks(InventoryModel):
    """The trunks between two racks with panels."""

    fibres: Annotated[Count, Field(ge=12, le=288, examples=[144, 288])] = 144
    """Fibres of a trunk; the catalog lists which numbers there are."""
    connector: Annotated[FibrePlug | None, Field(examples=["mpo12"])] = None
    """The connector of the trunks; default: that at the rear of the cassettes."""
    polarity: Annotated[Literal["A", "B", "C"], Field(examples=["B"])] = "B"
    """Order of the fibres at the far end, by TIA-568: A as at the near end, B reversed, C with each
    pair swapped."""
    spare: Annotated[Percent, Field(examples=[10])] = Decimal(10)
    """Spare connectors of the trunks between two racks, in per cent; whole trunks are laid."""
    splices: Annotated[int, Field(strict=True, ge=0, le=20, examples=[2])] = 0
    """Splices of each fibre of a trunk: 2 where pigtails with connectors are spliced to both ends
    of a cable. The catalog has the loss of one."""


class Jumpers(InventoryModel):
    """The cables between devices and panels."""

    lower: Annotated[Model | None, Field(examples=["jumper-mpo12-mmf-a"])] = None
    """Model of the jumper at the lower end of a link; default: the cable that joins the devices
    where a link is direct."""
    upper: Annotated[Model | None, Field(examples=["mfp7e10"])] = None
    """Model of the jumper at the upper end; default: as for `lower`."""


class WhichLinks(InventoryModel):
    """Which links run through panels. Copper and cables with their own ends never do."""

    host: Annotated[Way, Field(examples=["direct"])] = "direct"
    """Links between hosts and leaves."""
    leaf_spine: Annotated[Way, Field(examples=["structured"])] = "structured"
    """Links between leaves and spines."""
    spine_core: Annotated[Way, Field(examples=["structured"])] = "structured"
    """Links between spines and cores."""


class Cabling(InventoryModel):
    """Structured cabling: links of some kinds run through panels and trunks."""

    panels: Annotated[
        tuple[Panels, ...],
        Field(
            min_length=1, examples=[[{"connector": "mpo12", "rack_unit": 38}], [{"rows": ["A1"]}]]
        ),
    ] = (Panels.model_construct(),)
    """The panels; of several that fit the rack and the connector of a link, the first."""
    trunks: Annotated[Trunks, Field(examples=[{"fibres": 144, "polarity": "B"}])] = (
        Trunks.model_construct()
    )
    """The trunks between the panels."""
    jumpers: Annotated[Jumpers, Field(examples=[{"lower": "jumper-mpo12-mmf-a"}])] = (
        Jumpers.model_construct()
    )
    """The jumpers between devices and panels."""
    where: Annotated[WhichLinks, Field(examples=[{"host": "structured"}])] = (
        WhichLinks.model_construct()
    )
    """Which links run through panels. A link whose two ends share a rack of panels stays direct,
    which is shorter."""
    networks: Annotated[
        tuple[Literal["storage", "inband", "oob"], ...], Field(examples=[["storage"]])
    ] = ()
    """The networks beside the compute fabric whose links run through panels too, by the same rules:
    through panels and trunks of their own in the same racks. Default: none."""
