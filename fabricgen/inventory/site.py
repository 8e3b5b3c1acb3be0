"""The room: racks, what stands in them, trays, and the lengths and media of cables."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from fabricgen.inventory.fields import TABLE, Count, Lengths, Part, decimal_of


class Footprint(Part):
    """What one device takes of its rack."""

    units: Annotated[Count | None, Field(le=100, examples=[8])] = None
    """Rack units; default: what the catalog says."""
    power_w: Annotated[Count | None, Field(le=10_000_000, examples=[10200])] = None
    """Watts that the rack must provide; default: the most that the catalog says, else what is typical."""
    weight_kg: Annotated[Count | None, Field(le=1_000_000, examples=[131])] = None
    """Kilograms; default: what the catalog says."""


class Footprints(Part):
    """What a host and a switch of each role take of a rack, where the catalog does not know, or knows it otherwise."""

    host: Annotated[Footprint, Field(examples=[{"units": 8, "power_w": 10200}])] = (
        Footprint.model_construct()
    )
    """Each host: a chassis or a tray."""
    leaf: Annotated[Footprint, Field(examples=[{"units": 2}])] = Footprint.model_construct()
    """Each leaf switch."""
    spine: Annotated[Footprint, Field(examples=[{"units": 2}])] = Footprint.model_construct()
    """Each spine switch."""
    core: Annotated[Footprint, Field(examples=[{"units": 4}])] = Footprint.model_construct()
    """Each core switch."""


class Rack(Part):
    """What one rack holds and carries; all racks are alike."""

    units: Annotated[Count, Field(le=100, examples=[48])] = 42
    """Rack units, counted from the bottom."""
    power_w: Annotated[Count | None, Field(le=10_000_000, examples=[45000])] = None
    """Watts that a rack is fed; default: no limit is checked."""
    weight_kg: Annotated[Count | None, Field(le=1_000_000, examples=[1360])] = None
    """Kilograms that a rack carries; default: no limit is checked."""
    pitch_mm: Annotated[Count, Field(le=10_000, examples=[600, 800])] = 600
    """From the middle of a rack to the middle of the next one in its row."""


class Tray(Part):
    """The way of a cable: out of the rack, along the tray of the row, over a cross tray to another row, and down again."""

    run: Annotated[Literal["overhead", "underfloor"], Field(examples=["overhead"])] = "overhead"
    """Whether trays run above the racks or below the floor."""
    gap_mm: Annotated[int, Field(strict=True, ge=0, le=20_000, examples=[300])] = 300
    """From the top of a rack up to the tray, or from its foot down to it."""
    cross: Annotated[Literal["middle", "ends"], Field(examples=["middle"])] = "middle"
    """Where cross trays join the rows: one over the middle of every row, or one at each of the two ends."""
    slack_mm: Annotated[int, Field(strict=True, ge=0, le=20_000, examples=[500])] = 500
    """Cable to spare at each end, in and before the device."""
    width_mm: Annotated[Count | None, Field(le=10_000, examples=[300])] = None
    """Inner width of a tray, rows' and cross trays alike; with `depth_mm` it says how full trays become."""
    depth_mm: Annotated[Count | None, Field(le=10_000, examples=[100])] = None
    """Depth to which a tray may be filled."""
    fill_percent: Annotated[Count | None, Field(le=100, examples=[25, 40])] = None
    """Per cent of a tray's section that cables may take; more is refused. Default: nothing is refused, and more than 25 is pointed out."""


class StockLengths(Part):
    """The lengths that cables of a medium are kept in, in metres; default: those of the chosen part, else the usual ones."""

    dac: Annotated[Lengths | None, Field(examples=[[1, 2, 3]])] = None
    """Passive copper."""
    acc: Annotated[Lengths | None, Field(examples=[[3, 4, 5]])] = None
    """Active copper."""
    aoc: Annotated[Lengths | None, Field(examples=[[5, 10, 20, 30]])] = None
    """Active optical cables."""
    mmf: Annotated[Lengths | None, Field(examples=[[3, 5, 10, 20, 30, 50]])] = None
    """Multimode fibre."""
    smf: Annotated[Lengths | None, Field(examples=[[5, 10, 20, 50, 100]])] = None
    """Single-mode fibre."""
    generic: Annotated[Lengths | None, Field(examples=[[1, 2, 3, 5, 10, 20, 50]])] = None
    """Cables of which nothing is chosen yet."""


EVERY_MEDIUM: tuple[Literal["dac", "acc", "aoc", "mmf", "smf"], ...] = (
    "dac",
    "acc",
    "aoc",
    "mmf",
    "smf",
)
Media = Annotated[tuple[Literal["dac", "acc", "aoc", "mmf", "smf"], ...], Field(min_length=1)]


class MediaChoice(Part):
    """The media that may serve a kind of link, the preferred one first; each link takes the first that reaches."""

    host: Annotated[Media, Field(examples=[["dac", "mmf"]])] = EVERY_MEDIUM
    """From hosts to leaves."""
    leaf_spine: Annotated[Media, Field(examples=[["mmf", "smf"]])] = EVERY_MEDIUM
    """From leaves to spines."""
    spine_core: Annotated[Media, Field(examples=[["smf"]])] = EVERY_MEDIUM
    """From spines to cores."""


class Site(Part):
    """The room: what a rack holds, where racks stand, and how cables run. What is left out is planned by rule."""

    lengths: Annotated[Literal["planned", "unknown"], Field(examples=["planned"])] = "planned"
    """`unknown` leaves racks and lengths of cables open."""
    positions: Annotated[
        str | None, Field(strict=True, pattern=f"^{TABLE}$", examples=["positions.csv"])
    ] = None
    """A table of where everything stands, relative to the inventory: device, hall, row, rack, unit. Default: placed by rule."""
    halls: Annotated[Count | None, Field(le=100, examples=[2])] = None
    """Halls that there are; default: one where `rows` is given, else as many as it takes."""
    rows: Annotated[Count | None, Field(le=1000, examples=[16])] = None
    """Rows of a hall; default: at most 32."""
    racks_per_row: Annotated[Count | None, Field(le=1000, examples=[20])] = None
    """Racks of a row; default: at most 20. Rows are filled alike, and are shorter where that suffices."""
    row_pitch_mm: Annotated[Count, Field(le=100_000, examples=[2400])] = 2400
    """From a row to the next one."""
    hall_pitch_mm: Annotated[Count | None, Field(le=1_000_000, examples=[20000])] = None
    """Cable from the cross tray of a hall, at its first row, to that of the next hall; default: a row's length and 6 m."""
    rack: Annotated[Rack, Field(examples=[{"units": 48, "power_w": 45000}])] = (
        Rack.model_construct()
    )
    """What a rack holds."""
    hosts_per_rack: Annotated[Count | None, Field(examples=[4])] = None
    """Hosts of a rack; default: as many as fit, or fewer where the host's file says so."""
    network_racks: Annotated[
        Literal["row-middle", "row-end", "hall-middle"], Field(examples=["row-middle"])
    ] = "row-middle"
    """Where racks of switches stand: in the middle of rows, at the end of rows, or in rows of their own in the middle of a hall."""
    leaves: Annotated[Literal["network-rack", "top-of-rack"], Field(examples=["network-rack"])] = (
        "network-rack"
    )
    """Whether leaves stand in racks of switches, or on top of the hosts' racks."""
    footprints: Annotated[
        Footprints, Field(examples=[{"host": {"units": 8, "power_w": 10200}}])
    ] = Footprints.model_construct()
    """What the devices take of a rack, where the catalog does not know it."""
    tray: Annotated[Tray, Field(examples=[{"gap_mm": 300, "width_mm": 300, "depth_mm": 100}])] = (
        Tray.model_construct()
    )
    """How cables run."""
    stock_lengths_m: Annotated[StockLengths, Field(examples=[{"mmf": [3, 5, 10, 20, 30, 50]}])] = (
        StockLengths.model_construct()
    )
    """The lengths that cables come in; each is rounded up to the next."""
    media: Annotated[MediaChoice, Field(examples=[{"host": ["dac", "mmf"]}])] = (
        MediaChoice.model_construct()
    )
    """Copper and fibre by length: which media may be used, and which is preferred."""
    measured_m: Annotated[
        dict[
            str,
            Annotated[
                Decimal, Field(gt=0, le=10_000, decimal_places=3), BeforeValidator(decimal_of)
            ],
        ],
        Field(examples=[{"r0-h00001": 12.5}]),
    ] = {}
    """Ways that somebody measured, in metres with the slack, by the label of the cable; they win over what is reckoned."""

    @model_validator(mode="after")
    def _places_or_not(self) -> Self:
        """Refuse positions that nobody would read."""
        if self.lengths == "unknown" and self.positions:
            raise ValueError("has `positions`, and with `lengths: unknown` nobody reads them")
        return self
