"""Digests of every file that the shipped inventories, references and examples build.

`make golden` compares them with `tests/golden.txt`, and names each class of files that a change
touches. A line has the inventory, the paths with `#` in place of numbers, their count, and the
digest of their contents in the order of the paths. Fabrics of 32,768 GPUs and more are planned
alone: their line has sizes and counts. `make golden UPDATE=--update` writes the file anew, and
`KEEP=DIR` leaves the files of both sides of a comparison for `diff -r`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests import ROOT

KEPT = ROOT / "tests" / "golden.txt"
TOO_LARGE = re.compile(r"million|paper-(32|65)k")
COUNTS = (
    "gpus",
    "hb_domains",
    "rails",
    "planes",
    "tiers",
    "switches",
    "per_block",
    "blocks",
    "links",
    "cables",
    "transceivers",
    "cost",
)


def fabricgen(*words: str | Path) -> str:
    """Run the command in a process of its own, and return what it prints."""
    command = [sys.executable, "-m", "fabricgen", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def inventories(folder: Path) -> list[Path]:
    """List the shipped inventories and examples, and write a starter of each reference."""
    shipped = [*(ROOT / "inventories").glob("*.yaml"), *(ROOT / "examples").glob("*.yaml")]
    for path in sorted((ROOT / "inventories" / "references").glob("*.yaml")):
        starter = folder / f"reference-{path.stem}.yaml"
        fabricgen("init", "--reference", path.stem, "-o", starter)
        shipped.append(starter)
    return sorted(shipped, key=lambda path: path.stem)


def lines(path: Path, folder: Path) -> list[str]:
    """Return the lines of one inventory."""
    if TOO_LARGE.match(path.stem):
        summary = json.loads(fabricgen("plan", path, "--json"))
        counts = {key: summary[key] for key in COUNTS}
        return [f"{path.stem} plan {json.dumps(counts, sort_keys=True)}"]
    out = folder / path.stem
    fabricgen("build", path, "-o", out)
    return [f"{path.stem} {line}" for line in digests(out)]


def digests(out: Path) -> list[str]:
    """Digest the files of a folder by class.

    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = [(Path(name) / f"leaf-{n}.txt").write_text("same") for n in (1, 2)]
    ...     digests(Path(name))
    ['leaf-#.txt 2 4dbd4c6d6f2faae7']
    """
    classes = defaultdict(list)
    for path in sorted(out.rglob("*")):
        if path.is_file():
            name = path.relative_to(out).as_posix()
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            classes[re.sub(r"\d+", "#", name).replace(" ", "_")].append(f"{name} {digest}")
    return [
        f"{name} {len(files)} {hashlib.sha256('/'.join(files).encode()).hexdigest()[:16]}"
        for name, files in sorted(classes.items())
    ]


def differences(kept: list[str], now: list[str]) -> list[str]:
    """Name what only one side has.

    >>> differences(["lab a.csv 1 0f", "lab b.csv 1 0f"], ["lab a.csv 1 10", "lab c.csv 2 10"])
    ['changed: lab a.csv', 'gone: lab b.csv', 'new: lab c.csv']
    """
    old, new = ({tuple(line.split(" ", 2)[:2]): line for line in side} for side in (kept, now))
    words = {(True, True): "changed", (True, False): "gone", (False, True): "new"}
    return [
        f"{words[key in old, key in new]}: {' '.join(key)}"
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def main() -> None:
    """Compare, or write the digests anew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write tests/golden.txt anew")
    parser.add_argument("--keep", type=Path, help="build into this folder, and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep.resolve() if options.keep else Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = pool.map(lambda path: lines(path, folder), inventories(folder))
            now = [line for part in parts for line in part]
    found = differences(KEPT.read_text(encoding="utf-8").splitlines(), now)
    sys.stdout.write(("\n".join(found) or f"{len(now)} classes of files, all as kept") + "\n")
    if options.update:
        KEPT.write_text("\n".join(now) + "\n", encoding="utf-8")
    elif found:
        sys.exit(1)


if __name__ == "__main__":
    main()
