"""Outputs to any path: over the inventory, into devices, through links, under any name.

Owns the campaign `targets`. Whatever the command does, the existing files are unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.fuzz.documents import SMALL
from tests.fuzz.program import Case, execute, faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = (
    "f.yaml",
    "./f.yaml",
    "own/../f.yaml",
    "own",
    "own/kept.txt",
    "kept.csv",
    "link",
    "new",
    "new/deep/er",
    "",
    ".",
    "..",
    "/dev/null",
    "/dev/full",
    "/dev/zero",
    "/proc/x",
    "-",
    "a" * 300,
    "x/" * 200,
    "\x1b[31m",
    "é",
    "a b",
    "=1+1",
    "new.tar.zst",
    "new.zip",
    "new.tar",
    "f.yaml.zip",
    "x\ny",
    "\udcff",
)
COMMANDS = (
    ("plan", "f.yaml", "-o"),
    ("search", "f.yaml", "-o"),
    ("build", "f.yaml", "--only", "graph", "-o"),
    ("build", "f.yaml", "--only", "graph", "--archive"),
    ("model", "f.yaml", "--llm", "gpt3", "--batch-tokens", "1M", "--accelerator", "h100", "--csv"),
    (
        "model",
        "f.yaml",
        "--llm",
        "gpt3",
        "--batch-tokens",
        "1M",
        "--accelerator",
        "h100",
        "--sweep",
        "batch=1M..4M",
        "--svg",
    ),
    ("import", "sheet.csv", "f.yaml", "-o"),
    ("init",),
    ("verify",),
    ("catalog", "import", "type.yaml", "-o"),
    ("audit", "f.yaml", "--degraded", "dead.txt", "--tables"),
    ("plan", "f.yaml", "--from"),
    ("plan", "f.yaml", "--prices"),
    ("plan", "f.yaml", "--catalog"),
    ("build", "f.yaml", "-o", "new", "--templates"),
)
FILES = {
    "f.yaml": SMALL,
    "own/kept.txt": "kept\n",
    "kept.csv": "a,b\n1,2\n",
    "sheet.csv": "a_device,a_interface,b_device,b_interface\n",
    "dead.txt": "r0-h00001\n",
    "type.yaml": "manufacturer: X\nmodel: SN5600\nslug: sn5600\n",
}


@st.composite
def targets(draw: st.DrawFn) -> Case:
    """Draw a command and its output path."""
    force = draw(st.sampled_from(((), (), ("--json",))))
    return Case((*draw(st.sampled_from(COMMANDS)), draw(st.sampled_from(NAMES)), *force), FILES)


def search_targets(case: Case, home: Path) -> Iterator[tuple[Case, str]]:
    """Run one command beside a link to a file that must stay."""
    (home / "link").symlink_to("own/kept.txt")
    ended = execute(case, home)
    yield from ((case, fault) for fault in faults(case, ended))
    if not (home / "link").is_symlink():
        yield case, "a link was replaced"
