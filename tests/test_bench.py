"""The floor of the benchmark renders the templates that a build renders."""

from __future__ import annotations

from tests.bench.jinja_floor import JinjaFloor
from tests.fabrics import plan_of


def test_jinja_alone_renders_the_files_of_a_build() -> None:
    """It knows every filter, test and word that templates of switches and cables use."""
    texts: dict[str, str] = {}
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, radix=64, nos="frr")
    JinjaFloor(plan).cpu_s(texts.__setitem__)
    assert texts["configs/r0-leaf-1/frr.conf"].startswith("frr ")
    assert len(texts) > 16
