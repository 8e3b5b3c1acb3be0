"""From bundles to the views of the pull sheets.

A sheet covers each rack that contains upper ends, with its bundles in the order of their steps: a
section for each run of bundles of one pair of racks. Owns the texts and sums of the sheets.
`bundles` and `pull_order` own the bundles and their order, `planning.cabling.trays` the contents of
trays, `progress` the days, and `host_lists` the cables of each host.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from fabricgen.core.terms import COMPUTE
from fabricgen.outputs.installation.bundles import FIBRES, MOST
from fabricgen.outputs.installation.chips import chip
from fabricgen.outputs.installation.progress import days_of
from fabricgen.outputs.installation.view import (
    BundleView,
    PairView,
    PlugView,
    PullingView,
    SheetView,
    StretchView,
)
from fabricgen.planning.cabling.stock_lengths import metres
from fabricgen.planning.cabling.trays import Trays, pairs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.catalog.models.optics import Cable
    from fabricgen.catalog.models.patch import Trunk
    from fabricgen.outputs.installation.bundles import Bundle, Fronts, Plug
    from fabricgen.planning.cabling.trays import TrayLoad, TraySegment
    from fabricgen.planning.room.room import Room


@dataclass(frozen=True)
class PullSheets:
    """The sheets of one fabric, with its room, its bundles and the facts of each cable part."""

    fabric: str
    fronts: Fronts
    room: Room
    bundles: list[Bundle]
    cables: Mapping[str, Cable | Trunk]

    @property
    def assumed(self) -> str:
        """The models whose faces are assumed, as text; empty where none is."""
        return self.fronts.assumed

    @property
    def racks(self) -> list[str]:
        """The racks that have a sheet, in the order of the room."""
        ends = {bundle.pair[1] for bundle in self.bundles}
        return [name for name in self.room.names if name in ends]

    @cached_property
    def trays(self) -> Trays:
        """The trays of the room."""
        return Trays(self.room)

    @cached_property
    def loads(self) -> dict[TraySegment, TrayLoad]:
        """The load of each segment of tray."""
        counted: Counter[tuple[str, str, str]] = Counter()
        for bundle in self.bundles:
            counted[*bundle.pair, bundle.first.part] += bundle.count
        return self.trays.loads(pairs_of(counted, self.room), self.cables)

    @cached_property
    def sheets(self) -> dict[str, SheetView]:
        """The sheet of each rack."""
        of: dict[str, list[BundleView]] = {name: [] for name in self.racks}
        for bundle in self.views:
            of[bundle.b_rack].append(bundle)
        return {rack: self._sheet(rack, bundles) for rack, bundles in of.items()}

    @cached_property
    def views(self) -> list[BundleView]:
        """Every bundle, in the order of installation."""
        steps = {
            step: [bundle.name for bundle in bundles]
            for step, bundles in groupby(self.bundles, key=lambda bundle: bundle.step)
        }
        done = accumulate(bundle.count for bundle in self.bundles)
        return [
            _bundle(
                bundle,
                [name for name in steps[bundle.step] if name != bundle.name],
                self.cables[bundle.first.part],
                -(-count // self.room.site.cables_per_day),
                _serves(bundle, self.fronts),
            )
            for bundle, count in zip(self.bundles, done, strict=True)
        ]

    @cached_property
    def pulling(self) -> PullingView:
        """Everything at once, for the index and the table of bundles."""
        stretches = [self._stretch(stretch) for stretch in self.loads]
        cables = sum(bundle.cables for bundle in self.views)
        steps = max((bundle.step for bundle in self.bundles), default=0)
        generated, sheets = self.room.generated, list(self.sheets.values())
        used = {rack for bundle in self.bundles for rack in bundle.pair}
        racks = [name for name in self.room.names if name in used]
        of_hosts = {
            plug.cable.a_rack
            for bundle in self.bundles
            for plug in bundle.plugs
            if self.fronts.on_host(plug.cable)
        }
        return PullingView(
            fabric=self.fabric,
            generated=generated,
            cables=cables,
            bundle_count=len(self.bundles),
            steps=steps,
            assumed=self.assumed,
            most=FIBRES,
            most_copper=min(MOST.values()),
            sheets=sheets,
            bundles=self.views,
            days=days_of(self.views),
            cables_per_day=self.room.site.cables_per_day,
            stretches=stretches,
            tray=self._tray,
            racks=racks,
            host_racks=[name for name in racks if name in of_hosts],
        )

    @property
    def _tray(self) -> str:
        """Return the known facts of a tray as text."""
        tray, limit = self.room.site.tray, self.trays.limit_percent
        if not self.trays.section_mm2:
            return (
                "The size of a tray is unknown, so no fill is shown: give `width_mm` and"
                " `depth_mm` under `site.tray`."
            )
        of = (
            "as the inventory demands"
            if tray.fill_percent
            else "as TIA-569 recommends for planning"
        )
        return (
            f"A tray is {tray.width_mm} mm wide and {tray.depth_mm} mm deep, and should be filled"
            f" to {limit} % at most, {of}."
        )

    def _sheet(self, rack: str, bundles: list[BundleView]) -> SheetView:
        """Make the sheet of a rack; its bundles are in the order of their steps."""
        runs = groupby(bundles, key=lambda bundle: bundle.a_rack)
        switches = sorted({plug.b_device for bundle in bundles for plug in bundle.plugs})
        made = [self._pair(one, rack, [*held]) for one, held in runs]
        cables, steps = sum(pair.cables for pair in made), [bundle.step for bundle in bundles]
        return SheetView(
            fabric=self.fabric,
            rack=rack,
            generated=self.room.generated,
            cables=cables,
            bundle_count=len(bundles),
            first_step=min(steps),
            last_step=max(steps),
            pairs=made,
            switches=switches,
            assumed=self.assumed,
        )

    def _pair(self, one: str, other: str, bundles: list[BundleView]) -> PairView:
        """Make the section of bundles that follow each other between two racks."""
        way = self.trays.way(self._numbers[one], self._numbers[other])
        loads = [(stretch, self.loads[stretch]) for stretch in way]
        fullest = (
            max(loads, key=lambda item: (item[1].section_mm2, item[1].cables))[0] if loads else None
        )
        weights = [bundle.weight_kg for bundle in bundles]
        weight = f"{sum(map(float, weights)):.1f}" if all(weights) else ""
        cables = sum(bundle.cables for bundle in bundles)
        return PairView(
            a_rack=one,
            b_rack=other,
            inside=one == other,
            first_step=bundles[0].step,
            last_step=bundles[-1].step,
            way=_words(way),
            cables=cables,
            bundle_count=len(bundles),
            weight_kg=weight,
            fullest=self._stretch(fullest) if fullest else None,
            bundles=bundles,
        )

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each rack."""
        return {name: number for number, name in enumerate(self.room.names)}

    def _stretch(self, stretch: TraySegment) -> StretchView:
        """Make the view of a segment of tray."""
        load = self.loads[stretch]
        percent = self.trays.percent(load)
        full = percent is not None and percent > self.trays.limit_percent
        notes = [f"fuller than {self.trays.limit_percent} %"] if full else []
        if 0 < load.unmeasured < load.cables:
            notes.append(f"diameter of {load.unmeasured} cables not known")
        if 0 < load.unweighed < load.cables:
            notes.append(f"weight of {load.unweighed} cables not known")
        section = f"{load.section_mm2:.0f}" if load.unmeasured < load.cables else ""
        weight = f"{load.kg_per_m:.2f}" if load.unweighed < load.cables else ""
        return StretchView(
            self.trays.name(stretch),
            load.cables,
            section,
            weight,
            "" if percent is None else f"{percent:.1f}",
            "; ".join(notes),
            full,
        )


def _serves(bundle: Bundle, fronts: Fronts) -> str:
    """Return what a bundle without a rail of its own serves: several rails, networks, or both."""
    plans = dict.fromkeys(fronts.of(plug.cable).plan for plug in bundle.plugs)
    names = [plan.fabric.network_name for plan in plans]
    return ", ".join("several rails" if name == COMPUTE else name for name in names)


def _bundle(
    bundle: Bundle, together: list[str], part: Cable | Trunk, day: int, serves: str
) -> BundleView:
    """Make the view of a bundle."""
    cable, count = bundle.first, bundle.count
    long = float(cable.length_m)
    weight = f"{count * long * part.kg_per_m:.1f}" if part.kg_per_m else ""
    firsts = {plug.piece: plug.cable.cable for plug in reversed(bundle.plugs)}
    labels = [first if first == last else f"{first}..{last}" for first, last in bundle.runs]
    return BundleView(
        name=bundle.name,
        step=bundle.step,
        together=together,
        a_rack=bundle.pair[0],
        b_rack=bundle.pair[1],
        chip=chip(bundle.common("rail")),
        serves=serves,
        plane=bundle.common("plane"),
        tier=bundle.common("tier"),
        part=cable.part,
        medium=cable.medium,
        length_m=cable.length_m,
        cables=count,
        metres=metres(round(count * long * 1000)),
        labels=labels,
        weight_kg=weight,
        plugs=[_plug(plug, bundle.pair, firsts[plug.piece]) for plug in bundle.plugs],
        day=day,
    )


def _plug(plug: Plug, pair: tuple[str, str], first: str) -> PlugView:
    """Make the view of a row; a leg that ends in another rack than its bundle names that rack."""
    cable = plug.cable
    near, far = (
        unit if rack == held else f"{rack} {unit}"
        for rack, held, unit in zip((cable.a_rack, cable.b_rack), pair, _units(plug), strict=True)
    )
    turns = str(plug.a_turn or ""), str(plug.b_turn or "")
    return PlugView(
        cable=cable.cable,
        inside=first if first != cable.cable else "",
        chip=chip(cable.rail),
        a_device=cable.a_device,
        a_unit=near,
        a_port=cable.a_port,
        a_turn=turns[0],
        b_device=cable.b_device,
        b_unit=far,
        b_port=cable.b_port,
        b_turn=turns[1],
    )


def _units(plug: Plug) -> tuple[str, str]:
    """Return the rack units of both ends; a PDU may be mounted beside them."""
    near, far = (
        f"U{unit}" if int(unit) else "beside the units"
        for unit in (plug.cable.a_unit, plug.cable.b_unit)
    )
    return near, far


def _words(way: list[TraySegment]) -> str:
    """Return the route of a cable as text."""
    kinds = {stretch.kind for stretch in way}
    if not way:
        return "inside the rack"
    return (
        "to another hall"
        if "halls" in kinds
        else "over a cross tray to another row"
        if "cross" in kinds
        else "along the row"
    )
