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
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisWarning

from tests.build.canary import managed_fabrics
from tests.fuzz.clusters import cluster_sessions, search_clusters
from tests.fuzz.documents import readings, search_documents
from tests.fuzz.extremes import extremes, search_extremes
from tests.fuzz.fabrics import search_fabrics, sessions
from tests.fuzz.kills import kills, search_kills
from tests.fuzz.neighbors import neighbors, search_neighbors
from tests.fuzz.packs import search_packs, templates
from tests.fuzz.program import Case, runs
from tests.fuzz.ratios import ratios, search_ratios
from tests.fuzz.requests import close, requests, search_requests
from tests.fuzz.secrets import search_secrets
from tests.fuzz.targets import search_targets, targets
from tests.fuzz.yaml_forms import search_yaml, texts

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
    "clusters": Campaign(cluster_sessions(), search_clusters, 40),
    "documents": Campaign(readings(), search_documents, 120),
    "targets": Campaign(targets(), search_targets, 60),
    "packs": Campaign(templates(), search_packs, 40),
    "requests": Campaign(requests(), search_requests, 40),
    "secrets": Campaign(managed_fabrics(), search_secrets, 100),
    "extremes": Campaign(extremes, search_extremes, 60),
    "yaml": Campaign(texts(), search_yaml, 120),
    "neighbors": Campaign(neighbors, search_neighbors, 40),
    "ratios": Campaign(ratios(), search_ratios, 40),
    "kills": Campaign(kills, search_kills, 1),
}


ROUNDS = 14
"""Rounds of a process, after which another one takes its place."""


class Found(NamedTuple):
    """A fault, and its case."""

    campaign: str
    fault: str
    case: Case


class Round(NamedTuple):
    """What one round has run, by command, and its finds."""

    runs: Counter[str]
    found: list[Found]


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


def search_round(asked: argparse.Namespace, ends: float, number: int) -> Round:
    """Run one round, unless the time is over, and count its runs."""
    runs.clear()
    found: list[Found] = []
    if time.monotonic() < ends:
        try:
            found = search(asked.only[number % len(asked.only)], f"{asked.seed}/{number}")
        finally:
            close()
    return Round(Counter(runs), found)


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
    """Run round after round until the time is over, and collect their results."""
    ends, numbers = time.monotonic() + asked.seconds, count()
    counted, seen = Counter[str](), set[str]()
    one = partial(search_round, asked, ends)
    while time.monotonic() < ends:
        # processes that end free what their caches have kept
        with ProcessPoolExecutor(asked.jobs, multiprocessing.get_context("fork")) as pool:
            for done in pool.map(one, islice(numbers, ROUNDS * asked.jobs)):
                counted.update(done.runs)
                for each in done.found:
                    kind = re.sub(r"\d+", "#", each.fault)
                    if kind not in seen:
                        seen.add(kind)
                        say(
                            f"{each.campaign}: {each.fault}\n  fabricgen "
                            f"{' '.join(each.case.arguments)}\n  kept in {save(each)}"
                        )
    return counted, seen


if __name__ == "__main__":
    sys.exit(main())
