"""What becomes of a fabric that stands: it grows, it is compared with another, it is taken over from a cut sheet.

`growing` plans a larger fabric around an older one with `keeping`, and `bounding` says how few cables could move. `differing` compares any two
plans in steps that a technician can follow; `importing` reads how a fabric is cabled from `cutsheets`.
"""

from __future__ import annotations

from fabricgen.lifecycle.change.cut_sheet import read_cut_sheet
from fabricgen.lifecycle.change.diff import diff
from fabricgen.lifecycle.change.expand import grow
from fabricgen.lifecycle.change.import_cut_sheet import take_over
from fabricgen.lifecycle.change.lower_bound import fewest_moves
from fabricgen.lifecycle.change.renumbering import outgrown

__all__ = ["diff", "fewest_moves", "grow", "outgrown", "read_cut_sheet", "take_over"]
