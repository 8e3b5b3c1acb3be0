"""The pictures of the README and of the documentation are what the program draws now."""

from __future__ import annotations

import pytest

from tests.pictures import DRAWN, PICTURES


@pytest.mark.parametrize(
    "file", [pytest.param(file, marks=[pytest.mark.slow] * (file == "light.svg")) for file in DRAWN]
)
def test_the_picture_is_what_the_program_draws(file: str) -> None:
    """`python -m tests.pictures` draws them anew."""
    assert (PICTURES / file).read_text(encoding="utf-8") == DRAWN[file]()
