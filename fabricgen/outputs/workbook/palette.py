"""The colours of the workbooks' titles and cells; `fabricgen.core.colours` owns those of rails.

Owns the meaning of each colour. The code that writes a cell chooses its colour.
"""

from __future__ import annotations

SHADES = {"plain": "#37474F", "a": "#0B5CAD", "b": "#00695C"}
AMBER, GREY, LINE = "#FFE9A8", "#ECEFF1", "#B0BEC5"
