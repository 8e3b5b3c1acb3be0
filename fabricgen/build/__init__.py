"""Everything that a plan is rendered into, group by group, and written at once.

`sources` owns what one build is made from, `documents`, `cable_sheets`, `devices` and `labs` the tasks of the groups, `job` their list, and
`running` the work of doing them on every core. Contents come from packs, workbook and graph; files go through `writing`.
"""

from fabricgen.build.context import Part
from fabricgen.build.group_cable_sheets import SheetAsked
from fabricgen.build.job import GROUPS, Group, Job
from fabricgen.build.run import build, build_archive

__all__ = ["GROUPS", "Group", "Job", "Part", "SheetAsked", "build", "build_archive"]
