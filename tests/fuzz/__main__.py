"""Search at random until the time is over: `python -m tests.fuzz --seed 7 --seconds 600`.

The same seed draws the same cases in the same order. Every fault is printed once, and its case is
saved in `found/` as a file that `tests/test_fuzz.py` runs again. A search with a find ends with 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisWarning

from tests.build.canary import managed_fabrics
from tests.fuzz.documents import readings, search_documents
from tests.fuzz.fabrics import search_fabrics, sessions
from tests.fuzz.kills import kills, search_kills
from tests.fuzz.packs import search_packs, templates
from tests.fuzz.program import Case, runs
from tests.fuzz.requests import close, requests, search_requests
from tests.fuzz.secrets import search_secrets
from tests.fuzz.targets import search_targets, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hypothesis.strategies import SearchStrategy

FOUND = Path(__file__).parent / "found"


class Campaign(NamedTuple):
    """What is drawn, what is done with it, and the number of draws of a round."""

    draws: SearchStrategy[Any]
    search: Callable[[Any, Path], Iterator[tuple[Case, str]]]
    round: int


CAMPAIGNS = {
    "fabrics": Campaign(sessions(), search_fabrics, 40),
    "documents": Campaign(readings(), search_documents, 120),
    "targets": Campaign(targets(), search_targets, 60),
    "packs": Campaign(templates(), search_packs, 40),
    "requests": Campaign(requests(), search_requests, 40),
    "secrets": Campaign(managed_fabrics(), search_secrets, 100),
    "kills": Campaign(kills, search_kills, 1),
}


class Found(NamedTuple):
    """A fault, and its case."""

    campaign: str
    fault: str
    case: Case


def search(name: str, drawn_from: str) -> list[Found]:
    """Run one round of a campaign, and return its finds, each fault once."""
    campaign, found = CAMPAIGNS[name], dict[str, Found]()

    @seed(int.from_bytes(hashlib.sha256(drawn_from.encode()).digest()[:8], "big"))
    @settings(
        max_examples=campaign.round,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(campaign.draws)
    def look(drawn: Any) -> None:  # noqa: ANN401 - any draw of the campaign
        home = Path(tempfile.mkdtemp(prefix="fabricgen-fuzz-"))
        try:
            for case, fault in campaign.search(drawn, home):
                found.setdefault(fault, Found(name, fault, case))
        finally:
            shutil.rmtree(home, ignore_errors=True)

    look()
    return list(found.values())


def work(
    job: int,
    asked: argparse.Namespace,
    ends: float,
    reported: multiprocessing.Queue[tuple[Counter[str], list[Found]]],
) -> None:
    """Run round after round until the time is over."""
    number = 0
    try:
        while time.monotonic() < ends:
            runs.clear()
            reported.put(
                _round(asked.only[number % len(asked.only)], f"{asked.seed}/{job}/{number}")
            )
            number += 1
    finally:
        close()
        reported.put((Counter({"done": 1}), []))


def _round(name: str, drawn_from: str) -> tuple[Counter[str], list[Found]]:
    """Run one round, and count its runs."""
    found = search(name, drawn_from)
    return Counter(runs), found


def save(found: Found) -> Path:
    """Save a case where the tests run it again."""
    text = json.dumps({"fault": found.fault, **found.case.document()}, indent=1) + "\n"
    path = FOUND / f"{found.campaign}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
    path.write_text(text, encoding="utf-8")
    return path


def say(text: str) -> None:
    """Print a line of the report."""
    print(text, flush=True)  # noqa: T201 - a report is printed


def main() -> int:
    """Search, print the finds, and return the exit code."""
    parser = argparse.ArgumentParser(prog="make fuzz", description="Search for faults at random.")
    parser.add_argument(
        "--seed",
        type=int,
        default=None,
        help="what is drawn follows from it; default: any, and it is printed",
    )
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--only",
        type=lambda text: text.split(","),
        default=list(CAMPAIGNS),
        help=f"of {', '.join(CAMPAIGNS)}",
    )
    asked = parser.parse_args()
    asked.seed = secrets.randbelow(2**32) if asked.seed is None else asked.seed
    say(f"seed {asked.seed}, {asked.seconds} s, {asked.jobs} processes: {', '.join(asked.only)}")
    warnings.simplefilter("ignore", HypothesisWarning)
    counted, faults = _gather(asked)
    commands = ", ".join(f"{name} {count:,}" for name, count in sorted(counted.items()))
    say(f"{counted.total():,} runs ({commands}), {len(faults)} faults, seed {asked.seed}")
    return 1 if faults else 0


def _gather(asked: argparse.Namespace) -> tuple[Counter[str], set[str]]:
    """Start the processes, and collect their results until all are done."""
    reported: multiprocessing.Queue[tuple[Counter[str], list[Found]]] = multiprocessing.Queue()
    ends = time.monotonic() + asked.seconds
    jobs = [
        multiprocessing.Process(target=work, args=(job, asked, ends, reported))
        for job in range(asked.jobs)
    ]
    for job in jobs:
        job.start()
    counted, seen = Counter[str](), set[str]()
    while counted["done"] < len(jobs):
        runs_of_round, found = reported.get()
        counted.update(runs_of_round)
        for each in found:
            kind = re.sub(r"\d+", "#", each.fault)
            if kind not in seen:
                seen.add(kind)
                say(
                    f"{each.campaign}: {each.fault}\n  fabricgen "
                    f"{' '.join(each.case.arguments)}\n  kept in {save(each)}"
                )
    for job in jobs:
        job.join()
        if job.exitcode:
            raise SystemExit(f"the search itself broke: a process of it ended with {job.exitcode}")
    del counted["done"]
    return counted, seen


if __name__ == "__main__":
    sys.exit(main())
