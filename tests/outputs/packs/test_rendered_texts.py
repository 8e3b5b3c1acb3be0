"""The texts that a build keeps: bounded, found by path, and free of the values of secrets."""

from __future__ import annotations

import pytest

from fabricgen.outputs.lab_topologies.build import Topologies
from fabricgen.outputs.packs.nos_packs import nos_packs
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.rendered_texts import MOST_TEXT, RenderedTexts
from fabricgen.outputs.packs.site_lines import SiteLines
from fabricgen.views.factory import Views
from tests.fabrics import plan_of
from tests.outputs.packs.managed import FULL, SECRETS, managed_plan


def test_a_process_keeps_a_limited_number_of_characters() -> None:
    """A text for which there is no room is not kept; a shorter one still is."""
    texts = RenderedTexts()
    texts.keep("first", "x" * (MOST_TEXT - 1))
    texts.keep("second", "yy")
    texts.keep("third", "z")
    assert [texts.find(path) for path in ("second", "third", "fourth")] == [None, "z", None]


def test_the_file_of_a_switch_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document that contains it reads the text of the build."""
    views, packs = Views(plan_of(gpus=16, hb_domain={"gpus": 4}, radix=8, nos="frr")), Packs()
    switch, pack = next(views.switches(0)), packs.for_nos("frr")
    assert pack
    lines = SiteLines(packs, RenderedTexts())
    outputs = [output for output in pack.outputs if not output.management]
    written = [file.text for file in lines.files(pack, outputs, switch)]
    monkeypatch.setattr(packs, "render", None)
    assert [lines.render(pack, output, switch) for output in outputs] == written


def test_a_lab_contains_the_texts_of_the_build() -> None:
    """That holds for switches and GPUs; what a container alone has is rendered for it."""
    views, packs = Views(plan_of(gpus=16, hb_domain={"gpus": 4}, radix=8, nos="frr")), Packs()
    found, texts = nos_packs(views.plan, packs).packs, RenderedTexts()
    paths = [f"configs/r0-leaf-1/{name}" for name in ("frr.conf", "daemons", "sysctl.conf")]
    for path in (*paths, "lab/gpus/d0-g0.sh", "lab/switches/r0-leaf-1/start.sh"):
        texts.keep(path, "kept")
    labs = (Topologies(views, packs, found, kept) for kept in (None, texts))
    plain, given = (
        {file.path: file.text for node in lab.filled() for file in node.files} for lab in labs
    )
    changed = [path for path, text in given.items() if text != plain[path]]
    assert sorted(changed) == sorted([*paths, "lab/gpus/d0-g0.sh"])


@pytest.mark.parametrize("secrets", [{}, SECRETS], ids=["none", "given"])
def test_a_text_with_secrets_is_not_kept(secrets: dict[str, str]) -> None:
    """Documents that contain files of switches never have the values of secrets."""
    plan, packs = managed_plan("sonic", FULL), Packs()
    packs.secrets.values = secrets
    switch, pack, texts = next(Views(plan).switches(0)), packs.for_nos("sonic"), RenderedTexts()
    assert pack
    SiteLines(packs, texts).files(pack, pack.outputs, switch)
    paths = [output.path.format(switch=switch.name) for output in pack.outputs]
    assert {texts.find(path) is None for path in paths} == {bool(secrets)}
