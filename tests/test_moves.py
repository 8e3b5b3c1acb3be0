"""How often a run of the program moves between packages, on a fabric of 16 GPUs.

A reader of the code follows every move, so the runs of three commands have limits. A package that
asks its neighbor for a column, a table or a list moves once; one that asks for each row moves once
for each row.

A move is a Python call where the function is in another top-level package of `fabricgen` than its
caller. Frames outside of `fabricgen`, such as those of numpy and Jinja2, are skipped: the caller is
the nearest frame inside. A property, a comprehension and each step of a generator are calls; the
body of a module is not.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fabricgen
from fabricgen.cli import run

if TYPE_CHECKING:
    from types import CodeType, FrameType

PACKAGE = f"{Path(fabricgen.__file__).parent}/"
INVENTORY = "{name: tiny, gpus: 16, hb_domain: {gpus: 8}, switches: {leaf: {generic: {radix: 8}}}}"
LIMITS = {
    "plan": (["plan", "tiny.yaml"], 500),
    "cabling": (["build", "tiny.yaml", "--only", "cabling", "-o", "out"], 2400),
    "configs": (["build", "tiny.yaml", "--only", "configs", "-o", "out"], 2050),
}
"""The arguments of each command, and the limit of its moves.

That is half of what each took before packages were drawn anew (1,018, 5,135 and 4,110), or less.
Each file of the catalog that is read adds two moves."""


class Moves:
    """A profile function that counts moves by the pair of packages."""

    def __init__(self) -> None:
        """Count none yet."""
        self.counted = Counter[tuple[str, str]]()
        self._packages: dict[CodeType, str] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401 - as sys.setprofile has it
        """Count a call, if it is a move."""
        if event != "call" or frame.f_code.co_name == "<module>":
            return
        callee, before = self._package(frame.f_code), frame.f_back
        while callee and before:
            if caller := self._package(before.f_code):
                self.counted[caller, callee] += caller != callee
                return
            before = before.f_back

    def _package(self, code: CodeType) -> str:
        """Return the top-level package of a function; empty for code outside of `fabricgen`."""
        if code not in self._packages:
            inside = code.co_filename.removeprefix(PACKAGE)
            own = inside != code.co_filename and inside.endswith(".py")
            self._packages[code] = inside.partition("/")[0] if own else ""
        return self._packages[code]


@pytest.mark.parametrize(("arguments", "most"), LIMITS.values(), ids=LIMITS)
def test_a_run_moves_seldom_between_packages(
    arguments: list[str], most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run stays within its limit; where it does not, the pairs with most moves are shown."""
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(INVENTORY)
    moves, before = Moves(), sys.getprofile()
    sys.setprofile(moves)
    try:
        code = run(arguments)
    finally:
        sys.setprofile(before)
    assert code == 0
    assert 0 < sum(moves.counted.values()) <= most, moves.counted.most_common(8)
