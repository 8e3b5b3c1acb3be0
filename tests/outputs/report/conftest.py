"""A browser for these tests, and the fabrics that they look at."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from tests.outputs.report.browsing import Built, browsing, build, find_browser, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from tests.conftest import Once


@pytest.fixture(scope="session")
def fabric(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    """Return a function that builds one of the fabrics, once for all workers."""

    def places(name: str) -> list[str]:
        built = build(name, tmp_path_factory.mktemp(name))
        return [str(built.inventory), str(built.out)]

    return cache(lambda name: Built(*map(Path, once(f"report-{name}", lambda: places(name)))))


@pytest.fixture(scope="package")
def browser(out_of_reach: Callable[[str], NoReturn]) -> Iterator[Browser]:
    """Return a running browser."""
    program = find_browser()
    if program is None:
        out_of_reach("chromium is not installed")
    with browsing(program) as started:
        yield started


@pytest.fixture
def lab(fabric: Callable[[str], Built]) -> Built:
    """Return the laboratory of 64 GPUs, built."""
    return fabric("lab-64")


@pytest.fixture(scope="module")
def opened(browser: Browser, fabric: Callable[[str], Built]) -> Iterator[Callable[[str], Page]]:
    """Return a function that opens a fabric's report once for a module.

    Each test restores the controls that it changes, or sets its own.
    """
    with ExitStack() as pages:
        yield cache(lambda name: pages.enter_context(reading(browser, fabric(name).report)))


@pytest.fixture
def page(opened: Callable[[str], Page]) -> Page:
    """Return the laboratory's report, open."""
    return opened("lab-64")
