"""What templates see: the shapes of finished, sorted, named values.

A view holds every decision as text or number, so that a template only loops, tests and joins. Views are slotted dataclasses, because a
million-GPU fabric renders four million ports and attribute access on slots is what Jinja does fastest. A template may use the fields,
and of properties and methods those that are marked `for_templates`.
`viewing` makes the views of a fabric, `tabulating` those of its bill.
"""

from fabricgen.views.bom import BomView, ComparisonView, FigureView, PartView
from fabricgen.views.cables.view import CABLE_COLUMNS, DIRECTION, CableSheet, CableView, Chunk, Join, opposite
from fabricgen.views.switches.view import CageView, IdlePort, Instance, PlatformView, PortView, RoceView, SwitchView

__all__ = [
    "CABLE_COLUMNS",
    "DIRECTION",
    "BomView",
    "CableSheet",
    "CableView",
    "CageView",
    "Chunk",
    "ComparisonView",
    "FigureView",
    "IdlePort",
    "Instance",
    "Join",
    "PartView",
    "PlatformView",
    "PortView",
    "RoceView",
    "SwitchView",
    "opposite",
]
