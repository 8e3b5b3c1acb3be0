"""The colours of the workbooks' titles and cells; those of rails are `fabricgen.core.colours`.

Owns which colour means what. Which cell bears one is decided where the cell is written.
"""

from __future__ import annotations

SHADES = {"plain": "#37474F", "a": "#0B5CAD", "b": "#00695C"}
AMBER, GREY, LINE = "#FFE9A8", "#ECEFF1", "#B0BEC5"
