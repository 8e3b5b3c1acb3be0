"""The structured cabling that a plan keeps of an earlier one: panels, trunks, and strands of links.

Owns `KeptChannels` and its form in a plan file. `lifecycle.change.keep_channels` decides what is
kept, and `planning.channels.kept_cabling` finds it in the room of the larger fabric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fabricgen.planning.baseline.run_length import decode_runs, encode_runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabricgen.core.arrays import Int32Array


MOST_UNITS = 200
"""An upper bound of the rack units of a rack."""


class KeptPanels(NamedTuple):
    """Panels as columns: the place of the rack, the entry of `cabling.panels`, and the rack units.

    `rack_unit` is the lowest one, and `height` the number of them.
    """

    hall: Int32Array
    row: Int32Array
    at: Int32Array
    entry: Int32Array
    rack_unit: Int32Array
    height: Int32Array

    def units(self) -> dict[tuple[int, ...], int]:
        """Return the rack units that panels take by the place of the rack, as bits from unit 1."""
        found: dict[tuple[int, ...], int] = {}
        for *place, _, unit, height in zip(*(column.tolist() for column in self), strict=True):
            rack = tuple(place)
            found[rack] = found.get(rack, 0) | ((1 << height) - 1) << unit - 1
        return found


class KeptTrunks(NamedTuple):
    """Trunks as columns: their make, and at both ends the panel and its first rear port, from 0."""

    make: Int32Array
    a_panel: Int32Array
    a_port: Int32Array
    b_panel: Int32Array
    b_port: Int32Array


class KeptStrands(NamedTuple):
    """The strand of each cable of each link, in the order of the plan; -1 where it has none.

    A strand is a trunk, a connector of it, and at its end A the front port of that connector.
    `lower_is_a` is 1 where the lower end of the link is at end A.
    """

    trunk: Int32Array
    leg: Int32Array
    port: Int32Array
    lower_is_a: Int32Array


class TrunkMake(NamedTuple):
    """What all trunks of a make have in common."""

    model: str
    polarity: str
    fibres: int
    splices: int


class KeptChannels(NamedTuple):
    """The panels, the trunks and the strands of a plan.

    `entries` has the models of panel and cassette, and the front ports, of each entry of
    `cabling.panels`.
    """

    entries: tuple[tuple[str, str, int], ...]
    makes: tuple[TrunkMake, ...]
    panels: KeptPanels
    trunks: KeptTrunks
    strands: KeptStrands

    def document(self) -> dict[str, Any]:
        """Return the form of a plan file; columns are runs of [first, step, count]."""
        return {
            "entries": [[*each] for each in self.entries],
            "makes": [[*each] for each in self.makes],
            **{name: _document(getattr(self, name)) for name in ("panels", "trunks", "strands")},
        }


def _document(columns: KeptPanels | KeptTrunks | KeptStrands) -> dict[str, list[list[int]]]:
    """Return columns as runs."""
    return {name: encode_runs(column) for name, column in columns._asdict().items()}


def read_kept_channels(values: Any) -> KeptChannels | None:  # noqa: ANN401 - any value of a plan file
    """Read the structured cabling of a plan file; None where it has none.

    Raises KeyError, TypeError or ValueError where it does not have this form, or where a trunk or a
    link names something that is not there.
    """
    if values is None:
        return None
    found = KeptChannels(
        tuple(
            (str(panel), str(cassette), int(ports)) for panel, cassette, ports in values["entries"]
        ),
        tuple(_make(*make) for make in values["makes"]),
        KeptPanels(*_columns(values["panels"], KeptPanels._fields)),
        KeptTrunks(*_columns(values["trunks"], KeptTrunks._fields)),
        KeptStrands(*_columns(values["strands"], KeptStrands._fields)),
    )
    panels, trunks = len(found.panels.hall), len(found.trunks.make)
    for column, least, most in (
        (found.panels.entry, 0, len(found.entries)),
        (found.trunks.make, 0, len(found.makes)),
        (found.trunks.a_panel, 0, panels),
        (found.trunks.b_panel, 0, panels),
        (found.strands.trunk, -1, trunks),
    ):
        if len(column) and not least <= column.min() <= column.max() < most:
            raise ValueError("a trunk or a link of it ends at nothing")
    units = (found.panels.rack_unit, found.panels.height)
    if any(((column < 1) | (column > MOST_UNITS)).any() for column in units):
        raise ValueError("a panel of it is in no rack unit")
    return found


def _make(model: str, polarity: str, fibres: int, splices: int) -> TrunkMake:
    """Read the make of trunks. Raises TypeError or ValueError."""
    return TrunkMake(str(model), str(polarity), int(fibres), int(splices))


def _columns(values: Any, names: Iterable[str]) -> list[Int32Array]:  # noqa: ANN401 - any value of a plan file
    """Read columns of one length. Raises ValueError where they are not."""
    found = [decode_runs(values[name]) for name in names]
    if len({len(column) for column in found}) > 1:
        raise ValueError("its columns of structured cabling are not of one length")
    return found
