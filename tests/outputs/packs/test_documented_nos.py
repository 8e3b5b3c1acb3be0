"""Packs for NVUE, Junos and NX-OS.

Every statement is documented by the vendor, and the files read back equal the plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.nos import nvue, nxos
from tests.nos.fabric import assert_is_plan, fabric, findings
from tests.nos.model_variants import VARIANTS, edited, in_each_breakout, variant_plan
from tests.nos.statements import assert_exhausted
from tests.nos.switch_files import sample
from tests.outputs.packs.test_junos import JUNOS
from tests.outputs.packs.test_nvue import NVUE, NVUE_5_14
from tests.outputs.packs.test_nxos import NXOS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.nos.documented import Documented

SYSTEMS = (NVUE, NVUE_5_14, JUNOS, NXOS)
each_system = pytest.mark.parametrize(
    "system", SYSTEMS, ids=lambda system: f"{system.nos}{system.release}"
)


@each_system
def test_every_statement_is_documented(system: Documented) -> None:
    """Every line is a statement of its release and mode.

    It names ports of its box, and its references exist.
    """
    for name in VARIANTS:
        for one in sample(system.switches(name), 4):
            assert system.findings(one) == [], (name, one.switch.name)


@each_system
def test_the_files_use_the_whole_grammar(system: Documented) -> None:
    """Each statement of the grammar occurs in a fabric, and a misspelt word is found."""
    each = (one for name in VARIANTS for one in sample(system.switches(name), 3))
    assert_exhausted(system.grammar, ((system.text(one), system.words(one)) for one in each))


@each_system
def test_invalid_statements_are_found(system: Documented) -> None:
    """Each kind of error is tried.

    These are unknown words, wrong modes and ports, values out of range, undefined names, and words
    of another release.
    """
    one = system.switches("two tiers")[0]
    for good, bad, words in system.broken:
        found = system.findings(one, edited(system.text(one), good, bad))
        assert any(words in finding for finding in found), (good, bad, found)


@each_system
def test_the_files_alone_rebuild_the_plan(system: Documented) -> None:
    """Adjacency, addresses, neighbours and filters from the files agree. They are the plan's."""
    for name in VARIANTS:
        plan = variant_plan(name, system.nos)
        assert_is_plan(
            fabric([system.read(system.text(one)) for one in system.switches(name)]), plan
        )


@each_system
def test_the_comparison_of_files_finds_errors(system: Documented) -> None:
    """Valid statements that contradict those of another switch are found."""
    first, *others = [system.text(one) for one in system.switches("two tiers")]
    boxes = [system.read(text) for text in others]
    for good, bad, words in system.misread:
        found = findings(fabric([system.read(edited(first, good, bad)), *boxes]))
        assert any(words in finding for finding in found), (good, bad, found)


@pytest.mark.parametrize(
    ("system", "statement"),
    [(JUNOS, "advertise-peer-as"), (NXOS, "disable-peer-as-check")],
    ids=["junos", "nxos"],
)
@pytest.mark.parametrize("name", ["unnumbered hosts", "unnumbered hosts on shared boxes"])
def test_hosts_of_one_leaf_learn_of_each_other(
    system: Documented, statement: str, name: str
) -> None:
    """All hosts share an AS number, whose routes these systems suppress by default."""
    texts = [system.text(one) for one in system.switches(name)]
    silent = [
        "".join(line for line in text.splitlines(keepends=True) if statement not in line)
        for text in texts
    ]
    found = findings(fabric([system.read(text) for text in silent]))
    assert found
    assert all("do not learn the addresses of hosts" in finding for finding in found)


@pytest.mark.parametrize(
    "system", [system for system in SYSTEMS if system.models], ids=lambda system: system.nos
)
def test_every_breakout_of_the_catalog_is_documented(system: Documented) -> None:
    """Speeds, lanes and names of ports fit each model of the NOS, however its cages are split."""
    for one in in_each_breakout(system.nos, *system.models):
        assert system.findings(one) == [], (one.switch.model, one.switch.cages[0].breakout)


@pytest.mark.parametrize("name", ["two tiers", "other numbers"])
@pytest.mark.parametrize(
    ("system", "roce", "fixed_queues"),
    [(NVUE, nvue.roce, (3, 6)), (NXOS, nxos.roce, None)],
    ids=["nvue", "nxos"],
)
def test_the_lossless_class_is_the_inventorys(
    system: Documented,
    roce: Callable[[str], dict[str, Any]],
    fixed_queues: tuple[int, int] | None,
    name: str,
) -> None:
    """All 64 DSCPs, the paused priority, thresholds, the queue served first.

    The watchdog is on every port. A queue has the number of its priority, but where the NOS has
    queues for RoCE and CNPs already.
    """
    one = system.switches(name)[0]
    wanted = one.switch.roce
    queue, strict = fixed_queues or (wanted.priority, wanted.cnp_priority)
    assert roce(system.text(one)) == {
        "dscp": dict.fromkeys(range(64), 0)
        | dict.fromkeys((wanted.cnp_dscp, 48, 56), strict)
        | {wanted.dscp: queue},
        "lossless": wanted.priority,
        "strict": [strict],
        "ecn": (wanted.ecn_minimum_bytes, wanted.ecn_maximum_bytes),
        "watched": [port.interface for port in one.switch.ports],
    }
