"""How often a run of the program moves between packages, on a fabric of 16 GPUs.

A reader of the code follows every move, so the runs of three commands have limits. A package that
asks its neighbor for a column, a table or a list moves once; one that asks for each row moves once
for each row. `tests.moves` counts them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests import ROOT

if TYPE_CHECKING:
    from pathlib import Path

INVENTORY = "{name: tiny, gpus: 16, hb_domain: {gpus: 8}, switches: {leaf: {generic: {radix: 8}}}}"
LIMITS = {
    "plan": (["plan", "tiny.yaml"], 650),
    "cabling": (["build", "tiny.yaml", "--only", "cabling", "-o", "out"], 2600),
    "configs": (["build", "tiny.yaml", "--only", "configs", "-o", "out"], 2350),
}
"""The arguments of each command, and the limit of its moves.

That is half of what each took before packages were drawn anew (1,018, 5,135 and 4,110), or less.
Each file of the catalog that is read adds two moves."""


@pytest.mark.parametrize(("arguments", "most"), LIMITS.values(), ids=LIMITS)
def test_a_run_moves_seldom_between_packages(
    arguments: list[str], most: int, tmp_path: Path
) -> None:
    """A run stays within its limit; where it does not, the pairs with most moves are shown."""
    (tmp_path / "tiny.yaml").write_text(INVENTORY)
    done = subprocess.run(
        [sys.executable, "-m", "tests.moves", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    moves = Counter[str](json.loads(done.stdout.splitlines()[-1]))
    assert 0 < moves.total() <= most, moves.most_common(8)
