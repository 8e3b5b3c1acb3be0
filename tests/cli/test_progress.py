"""The progress bar of a long build: its group and count, on a terminal only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fabricgen.cli import printing

if TYPE_CHECKING:
    import pytest


def _drawn(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    terminal: bool,
    seconds: float,
) -> str:
    """Draw two steps of a build that has run for a number of seconds."""
    clock = iter([0.0, *[seconds] * 9])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with printing.progress("building") as advance:
        advance("cabling", 1, 4000)
        advance("bom", 2000, 4000)
    return capsys.readouterr().err


def test_the_bar_names_the_group_and_the_count(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is removed when the build has ended."""
    cabling, bom, wiped, end = _drawn(monkeypatch, capsys, terminal=True, seconds=2.0).split("\r")[
        1:
    ]
    assert cabling == f"building cabling [{'.' * 30}] 1 of 4,000"
    assert bom.rstrip() == f"building bom [{'#' * 15}{'.' * 15}] 2,000 of 4,000"
    assert len(bom) >= len(cabling)
    assert (wiped.strip(), len(wiped) >= len(bom.rstrip()), end) == ("", True, "")


def test_a_short_build_and_a_file_have_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before two seconds have passed, and where stderr is no terminal."""
    assert _drawn(monkeypatch, capsys, terminal=True, seconds=1.9) == ""
    assert _drawn(monkeypatch, capsys, terminal=False, seconds=9.0) == ""
