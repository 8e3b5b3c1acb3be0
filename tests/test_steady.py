"""The suite is deterministic: two runs of it draw the same examples.

They depend neither on the machine, the time, the order of the tests nor the seed of hashes.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from tests.conftest import LONG
from tests.laws.drawing import Inventory, inventories

TESTS = Path(__file__).resolve().parent
SOURCES = sorted(
    path
    for path in TESTS.rglob("*.py")
    if path.name != "conftest.py" and not {"bench", "fuzz"} & {*path.relative_to(TESTS).parts}
)
CLOCKS = {
    "perf_counter",
    "perf_counter_ns",
    "process_time",
    "process_time_ns",
    "thread_time",
    "time_ns",
    "now",
    "utcnow",
    "today",
}
SETTINGS = {("settings", ""), ("settings", "hypothesis")}
"""The calls that set a profile of hypothesis: the name, and what it is an attribute of."""
SEEDED = {"Random", "default_rng"}
UNSEEDED = {"SystemRandom", "uuid1", "uuid4", "urandom", "token_bytes", "token_hex"}


def faults_of(source: str) -> list[str]:
    """List everything in a test module that may differ between two runs."""
    tree = ast.parse(source)
    imported = {
        name.asname or name.name
        for node in tree.body
        if isinstance(node, ast.Import)
        for name in node.names
    }
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        keywords = {keyword.arg for keyword in node.keywords}
        if (name, owner) in SETTINGS and (node.args or keywords - {"max_examples", "phases"}):
            found.append(
                (
                    node.lineno,
                    "settings of its own: all but `max_examples` and `phases` are the profile's",
                )
            )
        if name in SEEDED and not node.args + node.keywords:
            found.append((node.lineno, f"`{name}` without a seed"))
        if (owner == "random" and "random" in imported and name != "Random") or (
            owner.endswith(".random") and name != "default_rng"
        ):
            found.append((node.lineno, f"`{owner}.{name}` draws from a state that all tests share"))
        if name in UNSEEDED:
            found.append((node.lineno, f"`{name}` has no seed"))
        if name in CLOCKS or (owner, name) == ("time", "time"):
            found.append(
                (
                    node.lineno,
                    f"`{name}` reads a clock; what is measured is measured by `make bench`",
                )
            )
        truly = any(
            keyword.arg == "use_true_random" and ast.unparse(keyword.value) != "False"
            for keyword in node.keywords
        )
        if (owner, name) == ("", "hash") or truly:
            found.append((node.lineno, f"`{name}` differs between two runs"))
    return [f"line {line}: {fault}" for line, fault in found]


def test_no_test_depends_on_chance() -> None:
    """No test draws without a seed, reads a clock, or has hypothesis settings of its own."""
    assert len(SOURCES) > 100
    assert [
        f"{path.relative_to(TESTS)}, {fault}"
        for path in SOURCES
        for fault in faults_of(path.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "@settings(max_examples=9, deadline=None)\ndef f(): ...",
        "@settings(STEADY, max_examples=9)\ndef f(): ...",
        "draw = Random()",
        "draw = np.random.default_rng()",
        "import random\nrandom.choice([1, 2])",
        "np.random.shuffle(rows)",
        "assert time.perf_counter() - started < 2",
        "time.time()",
        "assert hash('a') % 2",
        "uuid.uuid4().hex",
        "os.urandom(8)",
        "st.randoms(use_true_random=True)",
    ],
)
def test_the_gate_finds_chance(source: str) -> None:
    """Each rule of the gate finds its violation."""
    assert len(faults_of(source)) == 1


def test_the_gate_accepts_seeds() -> None:
    """A generator with a seed, or one from hypothesis, is the same in every run."""
    assert faults_of("import random\ndraw = random.Random(7)\nrng = np.random.default_rng(7)") == []
    assert (
        faults_of(
            "@settings(max_examples=9)\n@given(st.randoms(use_true_random=False))\ndef "
            "f(random): random.shuffle([1])"
        )
        == []
    )


def test_the_profile_is_derandomized() -> None:
    """Examples come from a seed.

    They need no database, no deadline and no constants of imported modules.
    """
    profile = settings()
    assert (profile.derandomize, profile.database, profile.deadline) == (True, None, None)
    assert len(providers._get_local_constants()) == 0  # noqa: SLF001 - no setting of hypothesis exposes it


def test_a_test_that_hangs_ends_its_process(pytestconfig: pytest.Config) -> None:
    """After minutes, with the stack of every thread: a loop in C or under a profiler included."""
    assert 0 < float(pytestconfig.getini("faulthandler_timeout")) <= 300
    assert pytestconfig.getini("faulthandler_exit_on_timeout")


def test_the_long_tests_come_first() -> None:
    """Their files are those of the list."""
    assert [name for name in LONG if not (TESTS / name).is_file()] == []


def some_inventories() -> list[Inventory]:
    """Draw inventories, numbers and texts.

    Hypothesis likes to draw them from constants of the sources.
    """
    found: list[Inventory] = []

    @settings(max_examples=30, phases=[Phase.generate])
    @given(inventories(), st.integers(), st.text())
    def draw(inventory: Inventory, number: int, text: str) -> None:
        found.append(inventory | {"number": number, "text": text})

    draw()
    return found


def test_another_process_draws_the_same() -> None:
    """The examples are the same with another hash seed and other imported modules."""
    script = (
        "import json, tests.conftest; from tests.test_steady import some_inventories; "
        "print(json.dumps(some_inventories()))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command,
        cwd=TESTS.parent,
        env={"PYTHONHASHSEED": "4711", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == some_inventories()
