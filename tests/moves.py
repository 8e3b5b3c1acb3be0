"""Run a command of the program, and print its moves between packages as JSON on the last line.

A move is a Python call where the function is in another top-level package of `fabricgen` than its
caller. Frames outside of `fabricgen`, such as those of numpy and Jinja2, are skipped: the caller is
the nearest frame inside. A property, a comprehension and each step of a generator are calls; the
body of a module is not.

A process of its own counts them, for modules and caches that another test has filled save moves.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fabricgen
from fabricgen.cli import run

if TYPE_CHECKING:
    from types import CodeType, FrameType

PACKAGE = f"{Path(fabricgen.__file__).parent}/"


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


def main() -> int:
    """Run the command of the arguments; return its exit code."""
    moves = Moves()
    sys.setprofile(moves)
    code = run(sys.argv[1:])
    sys.setprofile(None)
    found = json.dumps({" to ".join(pair): n for pair, n in moves.counted.items() if n})
    sys.stdout.write(f"\n{found}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
