"""The text of the two labels of a cable.

Owns the text and its shortening. TIA-606 writes an end as `<cabinet>-<rack unit>:<port>`, the near
end first. Each end is a line, so that long names of cabinets fit, and both labels of a cable have
the same two lines in opposite order. The QR code names the end as well: `r0-h00001/A`. A connector
that several links share has one label, that of the first of them. Without a room, the name of the
device takes the place of cabinet and rack unit. `label_fit` verifies that every line fits.
"""

from __future__ import annotations

import csv
import io
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple, Protocol

from fabricgen.core.colours import colour
from fabricgen.views.cables.cable_list import cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LINE = 24
"""Characters of a line: as many as a label 25 mm wide holds at a size that is legible in a rack."""

_KEYS = (
    "label_ends",
    "cable",
    "piece_rail",
    "a_rack",
    "a_unit",
    "a_device",
    "a_port",
    "b_rack",
    "b_unit",
    "b_device",
    "b_port",
    "length_m",
)

_PLAIN = ("a_port", "b_port", "label_ends")
"""The columns by which a list of labels needs no quoting, and both labels of each cable."""


class LabelledCable(Protocol):
    """The attributes of `CableView` that a label reads: those in `_KEYS`, among them both ports."""

    @property
    def a_port(self) -> str:
        """The text printed beside the lower port."""

    @property
    def b_port(self) -> str:
        """The text printed beside the upper port."""

    @property
    def counts(self) -> bool:
        """Whether both of its ends have its label."""


class Label(NamedTuple):
    """One label, with the text of its QR code, the colour of the rail, both devices and the length.

    Rail and colour are empty where a link or a piece carries several rails, the length without a
    room. No cell contains a comma, so that programs without quoting read the same.
    """

    end: str
    cable_id: str
    line1: str
    line2: str
    qr: str
    rail: str
    colour: str
    device: str
    far_device: str
    length_m: str


class Labelling(NamedTuple):
    """How the ends of a fabric's cables are written.

    `racks` and `devices` are the beginnings that all such names share, and that labels omit.
    """

    racks: str = ""
    devices: str = ""

    def end(self, rack: str, rack_unit: str, device: str, port: str) -> str:
        """Write one end.

        >>> Labelling().end("A01-09", "41", "r0-leaf-1", "33/2")
        'A01-09-41:33/2'
        >>> Labelling("dc3-").end("dc3-A01", "7", "host-1", "OSFP4P2")
        'A01-7:OSFP4P2'
        >>> Labelling(devices="dc3-").end("", "", "dc3-leaf-1", "33/2")
        'leaf-1:33/2'
        """
        return (
            f"{rack[len(self.racks) :]}-{rack_unit}:{port}"
            if rack
            else f"{device[len(self.devices) :]}:{port}"
        )

    def labels(self, cables: Iterable[LabelledCable]) -> list[Label]:
        """Write the labels of cables: of each that of end A, then that of end B.

        Of a piece with several rows each connector has one.
        """
        return [*self._labels(cables)]

    def _labels(self, cables: Iterable[LabelledCable]) -> Iterator[Label]:
        """Write the labels one by one."""
        for ends, cable, rail, *between, hue, device, peer, length in self._ends(cables):
            for end in ends:
                step = 1 if end == "A" else -1
                (line1, line2), (own, far) = between[::step], (device, peer)[::step]
                yield Label(
                    end=end,
                    cable_id=cable,
                    line1=line1,
                    line2=line2,
                    qr=f"{cable}/{end}",
                    rail=rail,
                    colour=hue,
                    device=own,
                    far_device=far,
                    length_m=length,
                )

    def lines(self, cables: Sequence[LabelledCable]) -> str:
        """Write the same labels as lines of a CSV, in half the time.

        Only ports may contain characters that must be quoted.
        """
        if not cables:
            return ""
        near_ports, far_ports, ends = map(set, zip(*cells(cables, _PLAIN), strict=True))
        ports = near_ports | far_ports
        if any(sign in port for port in ports for sign in ',"\r\n') or ends != {"AB"}:
            writer = csv.writer(text := io.StringIO(), lineterminator="\n")
            writer.writerows(self.labels(cables))
            return text.getvalue().removesuffix("\n")
        return "\n".join(
            [
                f"A,{name},{near},{far},{name}/A,{rail},{hue},{device},{peer},{length}\n"
                f"B,{name},{far},{near},{name}/B,{rail},{hue},{peer},{device},{length}"
                for _, name, rail, near, far, hue, device, peer, length in self._ends(cables)
            ]
        )

    def _ends(self, cables: Iterable[LabelledCable]) -> Iterator[tuple[str, ...]]:
        """Write both ends of cables as `end` does, without a call for each.

        A row is: the ends with a label, the name, the rail, end A, end B, the colour, both devices,
        the length.
        """
        racks, devices = len(self.racks), len(self.devices)
        named = cache(lambda rail: colour(int(rail)).replace(",", "") if rail else "")
        for (
            ends,
            cable,
            rail,
            a_rack,
            a_unit,
            a_device,
            a_port,
            b_rack,
            b_unit,
            b_device,
            b_port,
            length,
        ) in cells(cables, _KEYS):
            near = (
                f"{a_rack[racks:]}-{a_unit}:{a_port}"
                if a_rack
                else f"{a_device[devices:]}:{a_port}"
            )
            far = (
                f"{b_rack[racks:]}-{b_unit}:{b_port}"
                if b_rack
                else f"{b_device[devices:]}:{b_port}"
            )
            yield ends, cable, rail, near, far, named(rail), a_device, b_device, length


def shared(names: Iterable[str]) -> str:
    """Return the whole words that all names begin with.

    Without them different names still differ, and begin with a letter or a digit.

    >>> shared(["dc3-row-01", "dc3-row-02"]), shared(["dc3-a1", "dc4-a1"])
    ('dc3-row-', '')
    >>> shared(["leaf"]), shared(["a-1", "a--2"])
    ('', '')
    """
    every = sorted(names)
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(every[0], every[-1], strict=False))
    begin = "".join(sign for sign, _ in alike)
    begin = begin[: max(begin.rfind(sign) for sign in "-._") + 1]
    return begin if all(name[len(begin)].isalnum() for name in every) else ""
