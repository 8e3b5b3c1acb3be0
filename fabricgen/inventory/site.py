"""The room: racks, rack positions, cable trays, and the lengths and media of cables."""

from decimal import Decimal
from functools import partial
from operator import eq, not_
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from fabricgen.inventory.fields import (
    PLACE,
    TABLE,
    Count,
    InventoryModel,
    Lengths,
    Word,
    decimal_of,
)


class Footprint(InventoryModel):
    """Rack space, power and weight of one device."""

    units: Annotated[Count | None, Field(le=100, examples=[8])] = None
    """Height in rack units; default: that of the catalog."""
    power_w: Annotated[Count | None, Field(le=10_000_000, examples=[10200])] = None
    """Power in watts that the rack must provide; default: the maximum in the catalog, else the
    typical value."""
    weight_kg: Annotated[Count | None, Field(le=1_000_000, examples=[131])] = None
    """Weight in kg; default: that of the catalog."""


class Footprints(InventoryModel):
    """Footprints of a host and of a switch of each role, which take precedence over the catalog."""

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


class ReservedUnits(InventoryModel):
    """Rack units that no device of the fabric takes."""

    first: Annotated[Count, Field(le=100, examples=[47])]
    """Lowest of the rack units, counted from the bottom."""
    last: Annotated[Count | None, Field(le=100, examples=[48])] = None
    """Highest of the rack units; default: the first."""
    use: Annotated[str, Field(strict=True, min_length=1, max_length=40, examples=["PDU"])]
    """What they are reserved for, such as a PDU, a cable manager or a patch panel."""
    racks: Annotated[Literal["all", "hosts", "switches"], Field(examples=["switches"])] = "all"
    """Which racks have them: all, those with hosts, or those with switches alone."""

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        """Refuse units from the top down."""
        if self.last is not None and self.last < self.first:
            raise ValueError(f"runs from unit {self.first} down to {self.last}; begin at the lower")
        return self


class Rack(InventoryModel):
    """Capacity of one rack; all racks are alike."""

    units: Annotated[Count, Field(le=100, examples=[48])] = 42
    """Height in rack units, counted from the bottom."""
    power_w: Annotated[Count | None, Field(le=10_000_000, examples=[45000])] = None
    """Power supply of a rack in watts; default: no limit is checked."""
    weight_kg: Annotated[Count | None, Field(le=1_000_000, examples=[1360])] = None
    """Load capacity of a rack in kg; default: no limit is checked."""
    pitch_mm: Annotated[Count, Field(le=10_000, examples=[600, 800])] = 600
    """Distance in mm between the centres of neighbouring racks in a row."""
    max_switches: Annotated[Count | None, Field(le=100, examples=[12])] = None
    """Maximum number of switches in a rack; default: as many as fit."""
    reserved: Annotated[
        tuple[ReservedUnits, ...],
        Field(examples=[[{"first": 41, "last": 42, "use": "PDU"}]], exclude_if=partial(eq, ())),
    ] = ()
    """Rack units for cable managers, PDUs and other equipment, which elevations show."""

    @model_validator(mode="after")
    def _inside(self) -> Self:
        """Refuse reserved units that the rack does not have."""
        for each in self.reserved:
            if (each.last or each.first) > self.units:
                raise ValueError(
                    f"reserves unit {each.last or each.first} for {each.use}, and has {self.units}"
                )
        return self


class Tray(InventoryModel):
    """The cable path: rack, tray of the row, cross tray to another row, rack."""

    run: Annotated[Literal["overhead", "underfloor"], Field(examples=["overhead"])] = "overhead"
    """Whether trays run above the racks or below the floor."""
    gap_mm: Annotated[int, Field(strict=True, ge=0, le=20_000, examples=[300])] = 300
    """Distance in mm from the top of a rack up to the tray, or from its foot down to it."""
    cross: Annotated[Literal["middle", "ends"], Field(examples=["middle"])] = "middle"
    """Where cross trays join the rows: one over the middle of every row, or one at each of the two
    ends."""
    slack_mm: Annotated[int, Field(strict=True, ge=0, le=20_000, examples=[500])] = 500
    """Spare cable in mm at each end, in and before the device."""
    width_mm: Annotated[Count | None, Field(le=10_000, examples=[300])] = None
    """Inner width in mm of row and cross trays; with `depth_mm` it gives their fill."""
    depth_mm: Annotated[Count | None, Field(le=10_000, examples=[100])] = None
    """Depth in mm to which a tray may be filled."""
    fill_percent: Annotated[Count | None, Field(le=100, examples=[25, 40])] = None
    """Maximum share of a tray's cross section for cables, in per cent; more is refused. Default:
    nothing is refused, and more than 25 is reported."""


class StockLengths(InventoryModel):
    """Lengths in stock by medium, in metres; default: those of the chosen part or common ones."""

    dac: Annotated[Lengths | None, Field(examples=[[1, 2, 3]])] = None
    """Passive copper (DAC), in metres."""
    acc: Annotated[Lengths | None, Field(examples=[[3, 4, 5]])] = None
    """Active copper (ACC), in metres."""
    aoc: Annotated[Lengths | None, Field(examples=[[5, 10, 20, 30]])] = None
    """Active optical cables (AOC), in metres."""
    mmf: Annotated[Lengths | None, Field(examples=[[3, 5, 10, 20, 30, 50]])] = None
    """Multimode fibre, in metres."""
    smf: Annotated[Lengths | None, Field(examples=[[5, 10, 20, 50, 100]])] = None
    """Single-mode fibre, in metres."""
    utp: Annotated[Lengths | None, Field(examples=[[1, 2, 3, 5, 10, 20, 30]])] = None
    """Twisted-pair copper (Cat5e, Cat6) between RJ45 sockets, in metres."""
    generic: Annotated[Lengths | None, Field(examples=[[1, 2, 3, 5, 10, 20, 50]])] = None
    """Cables without a chosen part, in metres."""


EVERY_MEDIUM: tuple[Literal["dac", "acc", "aoc", "mmf", "smf"], ...] = (
    "dac",
    "acc",
    "aoc",
    "mmf",
    "smf",
)
Media = Annotated[tuple[Literal["dac", "acc", "aoc", "mmf", "smf"], ...], Field(min_length=1)]


class MediaChoice(InventoryModel):
    """Allowed media by kind of link, preferred first; a link uses the first that reaches."""

    host: Annotated[Media, Field(examples=[["dac", "mmf"]])] = EVERY_MEDIUM
    """Between hosts and leaves."""
    leaf_spine: Annotated[Media, Field(examples=[["mmf", "smf"]])] = EVERY_MEDIUM
    """Between leaves and spines."""
    spine_core: Annotated[Media, Field(examples=[["smf"]])] = EVERY_MEDIUM
    """Between spines and cores."""


PlaceName = Annotated[str, Field(strict=True, pattern=f"^{PLACE}$", max_length=20)]
"""The name of a hall, a row or a rack."""
PlaceNames = Annotated[tuple[PlaceName, ...], Field(min_length=1, max_length=1000)]
"""The names of all halls, rows or racks, in their order."""


class Labels(InventoryModel):
    """The printed labels of cables."""

    layout: Annotated[Word, Field(examples=["a4-48", "a4-21-flag", "a4-40-wrap"])] = "a4-48"
    """Layout of `labels.html` by name: the sheet, the size of a label and its lines. `a4-48` is
    flat, `a4-21-flag` folds round fibres, `a4-40-wrap` is wrapped round them; `layouts.yaml` in a
    directory given with `--templates` adds others."""


class Site(InventoryModel):
    """The room: racks, positions and cable paths. Missing keys have planned defaults."""

    lengths: Annotated[Literal["planned", "unknown"], Field(examples=["planned"])] = "planned"
    """`unknown` leaves racks and cable lengths open."""
    positions: Annotated[
        str | None, Field(strict=True, pattern=f"^{TABLE}$", examples=["positions.csv"])
    ] = None
    """CSV file of rack positions, relative to the inventory, with the columns device, hall, row,
    rack and unit. Default: planned positions."""
    halls: Annotated[
        Annotated[Count, Field(le=100)] | PlaceNames | None, Field(examples=[2, ["DH3", "DH4"]])
    ] = None
    """Number of halls, or their names in order; default: one where `rows` is given, else as many
    as needed."""
    rows: Annotated[
        Annotated[Count, Field(le=1000)] | PlaceNames | None, Field(examples=[16, ["A", "B"]])
    ] = None
    """Number of rows in a hall, or their names in order; default: at most 32."""
    racks_per_row: Annotated[
        Annotated[Count, Field(le=1000)] | PlaceNames | None, Field(examples=[20, ["K1", "K2"]])
    ] = None
    """Number of racks in a row, or their names in order, which are the same in every row; default:
    at most 20. Rows are filled evenly, and are shorter where that suffices."""
    row_pitch_mm: Annotated[Count, Field(le=100_000, examples=[2400])] = 2400
    """Distance in mm between neighbouring rows."""
    hall_pitch_mm: Annotated[Count | None, Field(le=1_000_000, examples=[20000])] = None
    """Cable length in mm from the cross tray of a hall, at its first row, to that of the next hall;
    default: the length of a row plus 6 m."""
    rack: Annotated[Rack, Field(examples=[{"units": 48, "power_w": 45000}])] = (
        Rack.model_construct()
    )
    """Capacity of a rack."""
    hosts_per_rack: Annotated[Count | None, Field(le=1000, examples=[4])] = None
    """Number of hosts in a rack; default: as many as fit, or fewer where the host model's file has
    a limit."""
    network_racks: Annotated[
        Literal["row-middle", "row-end", "hall-middle"], Field(examples=["row-middle"])
    ] = "row-middle"
    """Position of the racks of switches: in the middle of rows, at the end of rows, or in rows of
    their own in the middle of a hall."""
    leaves: Annotated[Literal["network-rack", "top-of-rack"], Field(examples=["network-rack"])] = (
        "network-rack"
    )
    """Whether leaves are mounted in racks of switches, or at the top of the hosts' racks."""
    footprints: Annotated[
        Footprints, Field(examples=[{"host": {"units": 8, "power_w": 10200}}])
    ] = Footprints.model_construct()
    """Footprints of the devices, where they differ from the catalog or are missing there."""
    tray: Annotated[Tray, Field(examples=[{"gap_mm": 300, "width_mm": 300, "depth_mm": 100}])] = (
        Tray.model_construct()
    )
    """The cable trays."""
    stock_lengths_m: Annotated[StockLengths, Field(examples=[{"mmf": [3, 5, 10, 20, 30, 50]}])] = (
        StockLengths.model_construct()
    )
    """The available cable lengths in metres; a length is rounded up to the next one."""
    equal_lengths: Annotated[bool, Field(strict=True, examples=[True], exclude_if=not_)] = False
    """Whether all cables of one part between two racks are as long as the longest of them, so that
    a crew lays them as one bundle. Default: each cable has the stock length that it needs."""
    media: Annotated[MediaChoice, Field(examples=[{"host": ["dac", "mmf"]}])] = (
        MediaChoice.model_construct()
    )
    """The allowed media by kind of link, in order of preference. Default: passive copper, active
    copper, active optical cables, multimode fibre, single-mode fibre."""
    cables_per_day: Annotated[
        Count, Field(le=100_000, examples=[120], exclude_if=partial(eq, 120))
    ] = 120
    """Number of cables that are pulled, plugged and tested in a day, for the progress sheets. The
    default is an assumption: one crew that takes four minutes for a cable, for eight hours."""
    measured_m: Annotated[
        dict[
            str,
            Annotated[
                Decimal, Field(gt=0, le=10_000, decimal_places=3), BeforeValidator(decimal_of)
            ],
        ],
        Field(examples=[{"r0-h00001": 12.5}]),
    ] = {}
    """Measured cable lengths in metres with slack, by the label of the cable, or by two racks for
    all others between them (`A01-01/A01-09: 9`); they take precedence over computed lengths."""

    @model_validator(mode="after")
    def _places_or_not(self) -> Self:
        """Refuse positions that would be ignored."""
        if self.lengths == "unknown" and self.positions:
            raise ValueError("has `positions`, which `lengths: unknown` would ignore")
        for key in ("halls", "rows", "racks_per_row"):
            names = self.names(key)
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise ValueError(f"names `{twice}` twice under `{key}`")
        return self

    def names(self, key: str) -> tuple[str, ...]:
        """Return the names under `halls`, `rows` or `racks_per_row`; none where it is a number."""
        value: object = getattr(self, key)
        return value if isinstance(value, tuple) else ()

    def most(self, key: str) -> int | None:
        """Return the number of halls, of rows or of racks in a row; None where none is given."""
        value: int | tuple[str, ...] | None = getattr(self, key)
        return len(value) if isinstance(value, tuple) else value
