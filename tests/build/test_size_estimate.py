"""A large build announces how many bytes it will write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.build import size_estimate
from fabricgen.build.run import build
from fabricgen.build.size_estimate import large_build_bytes
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_job, plan_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_estimate_is_near_what_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaves and spines are sampled alike; for a small build nothing is announced."""
    plan = plan_of(
        gpus=256, hb_domain={"gpus": 8}, switches={"leaf": {"generic": {"radix": 8}}}, nos="frr"
    )
    job = build_job(plan, Packs(), ("configs",))
    assert large_build_bytes(job) is None
    monkeypatch.setattr(size_estimate, "LARGE_LINKS", 1)
    estimated = large_build_bytes(job) or 0
    written = sum(file.size for file in build(job, tmp_path / "out"))
    assert 0.7 < estimated / written < 1.4
