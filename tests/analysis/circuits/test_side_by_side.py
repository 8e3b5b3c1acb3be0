"""One cluster on rails of several media: its figures, and the time of an iteration."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.analysis.search.candidates import candidates
from fabricgen.analysis.search.side_by_side import RailFigures, side_by_side
from fabricgen.catalog.catalog import Catalog
from fabricgen.cli import run
from fabricgen.core.diagnostics import Refusal
from tests.fabrics import spec_of

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER: dict[str, Any] = {
    "name": "cluster",
    "gpus": 2048,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
}


def rails(*models: str, top: Fraction | None = None, **keys: Any) -> dict[str, RailFigures]:  # noqa: ANN401 - keys of an inventory
    """Compare a cluster on some rails, with GPT-3."""
    catalog = Catalog()
    llm = catalog.workload("gpt3")
    spec = spec_of(**CLUSTER | keys)
    return {each.rails: each for each in side_by_side(spec, catalog, models, top, llm).rails}


def test_photonic_rails_cost_less_than_six_percent_of_time() -> None:
    """Opus, arXiv 2602.12521: under 6 % overhead at 2,048 GPUs and switches of today."""
    found = rails("sn5600", "polatis-576", "s320")
    times = {name: each.iteration_s or 0.0 for name, each in found.items()}
    assert times["sn5600"] < times["polatis-576"] < times["s320"]
    assert times["polatis-576"] / times["sn5600"] - 1 < 0.06
    # 14 changes of 0.2 s
    assert times["s320"] - times["sn5600"] == pytest.approx(14 * 0.2)
    assert found["sn5600"].switches == 48
    assert found["s320"].switches == 8
    assert found["sn5600"].transceivers == 8192
    assert found["s320"].transceivers == 2048


def test_unknown_figures_are_named() -> None:
    """A panel has no time, an unpriced box no cost, and rails that do not fit are refused."""
    found = rails("patch-144", "r300", "polatis-576")
    assert found["patch-144"].refused == "one patch-144 cannot hold a rail of 256 endpoints"
    assert found["r300"].not_timed == "the time in which a r300 changes circuits is not known"
    assert "r300" in found["r300"].unpriced
    assert found["r300"].unknown_power == ("r300",)
    assert found["polatis-576"].iteration_s


def test_a_small_any_to_any_top() -> None:
    """The rails of packet switches may be joined by an oversubscribed tier."""
    found = rails("sn5600", "s320", top=Fraction(8), gpus=1024)
    assert [*found] == ["sn5600", "sn5600, any-to-any 8:1", "s320"]
    assert [each.any_to_any for each in found.values()] == [False, True, False]
    switches = [each.switches or 0 for each in found.values()]
    assert switches[0] < switches[1]


def test_an_unknown_model_is_refused() -> None:
    """The hint lists the switches."""
    with pytest.raises(Refusal, match="the catalog has no switch `s321`"):
        rails("s321")


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`compare --rails` prints a column for each."""
    path = tmp_path / "cluster.yaml"
    path.write_text(json.dumps(CLUSTER | {"gpus": 128}))
    words = ["compare", str(path), "--rails", "sn5600", "--rails", "palomar", "--rails", "direct"]
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert "cluster: 128 GPUs" in shown
    assert "direct cannot be built: a ring needs 2 ports of each GPU" in shown
    assert run([*words, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rails"]) == 3
    assert run(["compare", str(path), "--top", "8:1"]) == 2
    assert run([*words, "--top", "none"]) == 2


def test_spare_leaves_stay_with_rail_only() -> None:
    """The other designs have no leaves of a rail, so they are compared without."""
    found = rails("sn5600", "direct", top=Fraction(8), gpus=1024, spare={"leaves_per_rail": 1})
    assert found["sn5600, any-to-any 8:1"].refused is None
    assert found["direct"].refused == "a ring needs 2 ports of each GPU"


@pytest.mark.parametrize(
    ("search", "media"),
    [
        ({"media": ["ocs"]}, {"palomar": "ocs", "s320": "ocs"}),
        ({"media": ["packet", "patch-panel"]}, {"sn5600": "packet", "patch-144": "patch-panel"}),
        ({"switches": ["sn5600", "s320"]}, {"sn5600": "packet", "s320": "ocs"}),
    ],
)
def test_a_search_takes_several_media(search: dict[str, Any], media: dict[str, str]) -> None:
    """Each model has the medium that it makes."""
    keys = search | {"designs": ["rail-only"], "rails": [8]}
    spec = spec_of(**CLUSTER | {"gpus": 128, "search": keys})
    found = {
        each.sizer.fabric.spec.switches.leaf.model: each.sizer.fabric.spec.rails.medium
        for each in candidates(spec, Catalog(), Counter())
    }
    assert media.items() <= {str(model): medium for model, medium in found.items()}.items()
    if asked := search.get("media"):
        assert set(found.values()) == set(asked)
