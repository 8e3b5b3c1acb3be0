"""Templates of a user without an end, or without a limit of memory, are refused.

What layout needs is accepted.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.outputs.packs.limits import Limits
from fabricgen.outputs.packs.render import Packs
from tests import ROOT
from tests.fabrics import generic, plan_of
from tests.nos.switch_files import render_switches

if TYPE_CHECKING:
    from pathlib import Path

SHORT = Limits(seconds=0.1, memory_bytes=2**26)
SMALL = Limits(text=2**16, output=2**18)
"""The time limit of a test, and the size of its texts."""

ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def _render(folder: Path, text: str, limits: Limits = SHORT) -> str:
    (folder / "own").mkdir(parents=True, exist_ok=True)
    (folder / "own" / "own.j2").write_text(text, encoding="utf-8")
    return Packs([folder], limits).render("own", "own.j2", switch=SWITCH)


def _refused(folder: Path, text: str, limits: Limits = SHORT) -> Finding:
    with pytest.raises(Refusal) as caught:
        _render(folder, text, limits)
    (finding,) = caught.value.findings
    assert finding.code == "template-budget"
    assert finding.fact.startswith("own/own.j2 ")
    return finding


SWITCH = render_switches(plan_of(nos="frr", **generic(64, gpus=64)))[0].switch
DOUBLED = '{% set a = "abcdefgh" %}' + "{% set a = a ~ a %}" * 60
NESTED = "{% set a = [1] %}" + "{% set a = [a, a] %}" * 60
LONG = '{% set a = "a" * 60000 %}'

STEPS = {
    '{{ "a" * 10 ** 10 }}': "characters or items",
    '{{ 10 ** 10 * "a" }}': "characters or items",
    "{{ [1] * 10 ** 9 }}": "characters or items",
    "{{ [[1] * 1000] * 1000000 }}": "characters or items",
    "{{ (1, 2) * 10 ** 9 }}": "characters or items",
    "{{ 10 ** (10 ** 10) }}": "bits",
    "{{ 9 ** (9 ** 9) }}": "bits",
    "{% set a = 2 ** 1000 %}{{ a * a * a }}": "bits",
    DOUBLED + "{{ a }}": "characters or items",
    DOUBLED.replace("~", "+") + "{{ a }}": "characters or items",
    DOUBLED.replace("a ~ a", "[a, a] | join") + "{{ a | upper }}": "characters",
    DOUBLED.replace("a ~ a", '"{0}{0}".format(a)') + "{{ a }}": "characters",
    DOUBLED.replace("a ~ a", "[a, a, a] | join(a)") + "{{ a }}": "characters",
    DOUBLED.replace("abcdefgh", '\\"\\"').replace("a ~ a", "a | json") + "{{ a }}": "characters",
    DOUBLED.replace("abcdefgh", '\\"\\"').replace("a ~ a", "a | quoted") + "{{ a }}": "characters",
    LONG + "{{ ([()] * 30000) | lines(a) }}": "characters",
    LONG + "{{ a | each([1] * 30000) }}": "characters",
    "{{ ('{name}' * 60000) | each([switch] * 30) }}": "characters",
    "{% set a = 'abcdefgh' %}" + "{% set a %}{{ a }}{{ a }}{% endset %}" * 60: "characters",
    "{% autoescape true %}" + DOUBLED + "{{ a }}{% endautoescape %}": "characters or items",
    NESTED + "{{ a }}": "characters or items",
    NESTED + "{{ a | json }}": "characters or items",
    NESTED + "{{ a == [a] }}": "characters or items",
    NESTED.replace("[", "(").replace("]", ",)") + "{{ {a: 1} }}": "characters or items",
    NESTED.replace("[a, a]", '{"b": a, "c": a}') + "{{ a }}": "characters or items",
    LONG + "{{ [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a] }}": "characters or items",
    LONG + "{% set b %}{{ a }}{{ a }}{% endset %}{{ b.split() }}": "characters or items",
    LONG + "{% set b %}{{ a }}{{ a }}{% endset %}{{ b | list }}": "characters or items",
    LONG + "{% set b %}{{ a }}{{ a }}{% endset %}{{ b | sort }}": "characters or items",
    LONG + "{{ range(60000) | join(a) }}": "characters",
    LONG + "{{ ([switch.nothing] * 1000) | map('default', a) | list }}": "characters or items",
    '{{ "{:>999999999}".format(1) }}': "fills a text up",
    '{{ "{:{}}".format(1, 999999999) }}': "fills a text up",
    '{{ "{:.{}f}".format(1.5, 999999999) }}': "fills a text up",
    '{{ "%0999999999d" % 1 }}': "by `%`",
    '{{ "a\\nb" | indent(999999999) }}': "fills a text up",
    '{{ ("a\\n" * 1000) | indent(9000) }}': "characters",
    "{{ range(10 ** 6) }}": "range of more than 100000",
    "{{ range(10 ** 30) }}": "range of more than 100000",
    LONG + "{% for n in range(100) %}{{ a }}{% endfor %}": "writes more than 262144 characters",
}
"""Templates with one step too large, and words of the refusal."""


@pytest.mark.parametrize("text", STEPS, ids=lambda text: text[-60:])
def test_a_step_that_is_too_large_is_refused(text: str, tmp_path: Path) -> None:
    """No single operator, filter or method takes much memory or time.

    Its result is counted before it is made.
    """
    assert STEPS[text] in _refused(tmp_path, text, SMALL).fact


ROUNDS = (
    ENDLESS,
    (
        "{% macro m() %}{% for a in range(9) %}{{ m() }}{% endfor %}{% endmacro %}{% for b in "
        "range(99999) %}{% if m is defined %}{% endif %}{% endfor %}"
    )
    + ENDLESS,
    (
        "{% for a in [[1]] recursive %}{% for b in range(99999) %}{% for c in range(99999) "
        "%}{% endfor %}{% endfor %}{% endfor %}"
    ),
    "{% for a in range(99999) %}" + '{% include "own/part.j2" %}' * 40 + "{% endfor %}",
    (
        "{% set a = range(99999) | map('string') | join %}{% for b in range(99999) %}{% if 'x' "
        "in a %}{% endif %}{% endfor %}"
    ),
    "{% for a in range(99999) %}{% for b in range(99999) %}{{ b / 7 }}{% endfor %}{% endfor %}",
)


@pytest.mark.parametrize("text", ROUNDS, ids=range(len(ROUNDS)))
def test_too_many_steps_are_refused(text: str, tmp_path: Path) -> None:
    """A long run is stopped, with or without output, at any place."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "part.j2").write_text(
        "{% for a in range(99999) %}{% endfor %}", encoding="utf-8"
    )
    assert "takes more than" in _refused(tmp_path, text).fact


def test_memory_is_bounded(tmp_path: Path) -> None:
    """A template that keeps many small texts is stopped by their sum."""
    text = (
        "{% set all %}{% for a in range(99999) %}{% for b in range(99999) %}{{ b / 7 "
        "}}{% endfor %}{% endfor %}{% endset %}"
    )
    assert (
        _refused(tmp_path, text, Limits(seconds=60, memory_bytes=2**26)).fact
        == "own/own.j2 takes more than 64 MiB of memory"
    )


def test_recursion_is_refused(tmp_path: Path) -> None:
    """A template that includes itself, and a macro that calls itself, are invalid."""
    for text in ('{% include "own/own.j2" %}', "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"):
        with pytest.raises(Refusal, match="recursion"):
            _render(tmp_path, text, Limits())  # to the depth that is refused, on a busy machine too


def test_threads_are_timed_too(tmp_path: Path) -> None:
    """Outside of the main thread, where no signal arrives, a template is stopped as well.

    The thread continues.
    """
    printed = []

    def work() -> None:
        printed.append(_refused(tmp_path, ENDLESS).fact)
        printed.append(_render(tmp_path, "{{ switch.name }}"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert printed == ["own/own.j2 takes more than 0.1 CPU seconds", "r0-leaf-1"]
    assert not _exception_is_marked()


def _exception_is_marked() -> bool:
    """Return whether CPython awaits an exception: then no call ends in a profiled process."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(2)
        sys.setprofile(lambda *_: None)
        SHORT.__hash__()
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def test_the_timer_stops_with_the_template(tmp_path: Path) -> None:
    """It stops whether the template was refused or not."""
    _refused(tmp_path, ENDLESS)
    _render(tmp_path, "{{ switch.name }}")
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_the_page_states_the_limits() -> None:
    """The limits on the page are those of the program."""
    page = (ROOT / "fabricgen" / "cli" / "pages" / "template-budget.md").read_text(encoding="utf-8")
    limits = Limits()
    printed = [
        f"{limits.seconds:g} CPU seconds",
        f"{limits.memory_bytes >> 30} GiB",
        *(f"{most:,}" for most in (limits.output, limits.text, limits.range, limits.width)),
    ]
    assert [word for word in printed if word not in page] == []


def test_every_pack_renders_within_limits(tmp_path: Path) -> None:
    """With a user's templates beside them, shipped ones write the same."""
    own, plain = Packs([tmp_path]), Packs()
    rendered = 0
    for nos in ("frr", "eos", "junos", "nvue", "nxos", "srlinux"):
        pack = plain.pack(nos)
        for output in pack.outputs if pack else ():
            if output.management:
                continue
            rendered += 1
            assert own.render(nos, output.template, switch=SWITCH) == plain.render(
                nos, output.template, switch=SWITCH
            )
    assert rendered > 6
