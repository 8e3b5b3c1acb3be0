"""The labels of cords: power cords, and the patch cords of panels in which a person moves them.

A power cord has a label at its device and one at its PDU, each with both ends, the near one first.
A patch cord has its name at both ends, as its ports change with the configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.planning.patch_cords import cord_length, panel_cords
from fabricgen.views.cables.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.outputs.installation.power_cords import PowerCordRow, PowerCordsView
    from fabricgen.planning.plan import Plan


def cord_labels(plan: Plan, power: PowerCordsView) -> Iterator[Label]:
    """Yield the labels of patch cords panel by panel, then those of power cords rack by rack."""
    length = cord_length(plan)
    for _, panel, cords in panel_cords(plan):
        for cord in cords:
            yield from (_label(cord, end, cord, "", device=panel, length_m=length) for end in "AB")
    for row in power.cords:
        yield from _of_power(row)


def _of_power(row: PowerCordRow) -> Iterator[Label]:
    """Yield both labels of a power cord; one without an outlet has that of its device."""
    name, feed = f"{row.device}-P{row.cord}", row.feed and f"feed {row.feed}"
    near = f"{row.device}:P{row.cord}"
    far = row.pdu and f"{row.pdu}:{row.socket}-{row.outlet}"
    yield _label(name, "A", near, far, device=row.device, peer=row.pdu, feed=feed)
    if far:
        yield _label(name, "B", far, near, device=row.pdu, peer=row.device, feed=feed)


def _label(
    cord: str,
    end: str,
    near: str,
    far: str,
    *,
    device: str,
    peer: str = "",
    feed: str = "",
    length_m: str = "",
) -> Label:
    """Make the label at an end of a cord; the feed takes the place of a colour."""
    return Label(
        end=end,
        cable_id=cord,
        line1=near,
        line2=far,
        qr=f"{cord}/{end}",
        rail="",
        colour=feed,
        device=device,
        far_device=peer,
        length_m=length_m,
    )
