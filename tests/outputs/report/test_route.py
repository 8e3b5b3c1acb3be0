"""The route on the page is one of `fabricgen route`.

Kinds, order, lengths and existing cables agree.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.outputs.report.browsing import Built, section

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playwright.sync_api import Page

Hop = tuple[str, str]
"""The name of a hop and its kind."""
TIERS = ["leaf", "spine", "core"]
PAIRS = [
    ("lab-64", "d0-g0", "d7-g0", ""),
    ("lab-64", "d0-g0", "d1-g0", ""),
    ("lab-64", "d0-g0", "d3-g1", ""),
    ("lab-64", "d2-g1", "d2-g6", ""),
    ("lab-64", "d0-g0", "d3-g0", "r0-leaf-1"),
    ("lab-64", "d0-g0", "d7-g1", "r1-leaf-1"),
    ("lab-64", "d0-g0", "d7-g0", "r0-spine-1"),
    ("fat-tree", "d0-g0", "d7-g3", ""),
    ("fat-tree", "d0-g0", "d7-g3", "spine-2"),
    ("rail-optimized", "d0-g0", "d3-g5", ""),
    ("planes", "d0-g1", "d5-g2", ""),
    ("planes", "d0-g1", "d5-g1", "r1p0-leaf-1"),
    ("three-tiers", "d0-g0", "d15-g1", ""),
]
"""A fabric, two GPUs, and a failed switch."""


def drawn(page: Page) -> list[dict[str, Any]]:
    """Return each kind of path with its number of links and its hops, in order."""
    route = section(page, "route")
    paths = []
    for kind in route.get_by_test_id("route-kind").all():
        kind.click()
        expect(kind).to_have_attribute("aria-pressed", "true")
        hops = route.get_by_test_id("route-hop").evaluate_all(
            "all => all.map(each => [each.textContent.trim(), each.dataset.kind])"
        )
        paths.append(
            {
                "kind": kind.inner_text(),
                "links": int(route.get_by_test_id("route-links").inner_text()),
                "hops": hops,
            }
        )
    return paths


def ask(page: Page, source: str, target: str) -> None:
    """Enter the two GPUs."""
    section(page, "route").get_by_label("From GPU").fill(source)
    section(page, "route").get_by_label("To GPU").fill(target)


def ends(hops: Sequence[Hop]) -> list[str]:
    """Return the hops without alternatives; the plane of a flow depends on its hash."""
    return [node.partition("/")[0] for node, kind in hops if kind not in TIERS]


def joined(built: Built, one: Hop, other: Hop) -> bool:
    """Return whether a cable of cables.csv joins two consecutive hops, of which one is a switch.

    A GPU is found by its NIC port.
    """
    if not {one[1], other[1]} & set(TIERS):
        return True
    if {one[1], other[1]} <= set(TIERS):
        return any(
            {one[0], other[0]} == {row["a_device"], row["b_device"]}
            for row in built.rows("cabling/cables.csv")
        )
    switch, nic = sorted((one[0], other[0]), key=lambda name: "/" in name)
    plane = nic.partition("/")[2]
    own = any(
        row["b_device"] == switch and row["plane"] == plane
        for row in built.rows("cabling/cables.csv")
    )
    return own and nic.partition("/")[0] in built.gpus_at(switch)


def without(page: Page, failed: str) -> None:
    """Restore all devices, and fail this switch, if there is one."""
    for back in section(page, "route").get_by_role("button", name="Bring it back").all():
        back.click()
    if failed:
        page.evaluate("hash => { location.hash = hash }", f"device={failed}")
        page.get_by_role("complementary").get_by_role("heading", name=failed).wait_for()
        page.get_by_role("complementary").get_by_role("button", name="Route without it").click()
        expect(page.get_by_test_id("route-without")).to_contain_text(failed)


@pytest.mark.parametrize(("name", "source", "target", "failed"), PAIRS)
def test_a_route_is_that_of_the_command(
    opened: Callable[[str], Page],
    fabric: Callable[[str], Built],
    name: str,
    source: str,
    target: str,
    failed: str,
) -> None:
    """Kinds, links, and the kind of each hop agree.

    GPUs, NICs and HB domains are the same ones; switches are joined by cables and up.
    """
    built, page = fabric(name), opened(name)
    printed = built.json_of(
        "route", source, target, "--all-kinds", *(["--fail", f"switch:{failed}"] if failed else [])
    )["paths"]
    without(page, failed)
    ask(page, source, target)
    shown = drawn(page)
    assert [(path["kind"], path["links"]) for path in shown] == [
        (path["kind"], path["links"]) for path in printed
    ]
    for mine, theirs in zip(shown, printed, strict=True):
        assert [kind for _, kind in mine["hops"]] == [hop["kind"] for hop in theirs["hops"]]
        assert ends(mine["hops"]) == ends(
            [(hop["node"], hop["kind"]) for hop in theirs["hops"]]
        ) or theirs["kind"].startswith("third")
        assert failed not in {node for node, _ in mine["hops"]}
        assert [pair for pair in pairwise(mine["hops"]) if not joined(built, *pair)] == []


def test_a_missing_path_is_reported(
    opened: Callable[[str], Page], fabric: Callable[[str], Built]
) -> None:
    """The only leaf of a GPU without another rail fails. Restored, the path is back."""
    built, page = fabric("fat-tree"), opened("fat-tree")
    gpu, far = "d0-g0", "d7-g3"
    leaf = next(
        hop["node"]
        for hop in built.json_of("route", gpu, far)["paths"][0]["hops"]
        if hop["kind"] == "leaf"
    )
    assert not built.json_of("route", gpu, far, "--fail", f"switch:{leaf}")["reachable"]
    without(page, leaf)
    ask(page, gpu, far)
    expect(page.get_by_test_id("route-none")).to_contain_text(
        f"No path is left from {gpu} to {far}"
    )
    without(page, "")
    expect(page.get_by_test_id("route-kind").first).to_have_text("direct")


def test_an_unknown_gpu_is_reported(page: Page) -> None:
    """The route stays as it is, and the page describes the names of GPUs."""
    ask(page, "d0-g0", "d9-g9")
    expect(section(page, "route").get_by_text("There is no GPU “d9-g9”")).to_be_visible()
