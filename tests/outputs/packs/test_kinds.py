"""The registry of what packs write files for."""

from __future__ import annotations

from importlib import import_module

import pytest
from pydantic import ValidationError

from fabricgen.core.template_api import template_names
from fabricgen.outputs.packs.kinds import KINDS
from fabricgen.outputs.packs.pack_output import PackOutput
from fabricgen.outputs.packs.render import Packs


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_names_its_view_and_its_maker(name: str) -> None:
    """Both exist; templates may use names of the view, and its meaning is a sentence."""
    kind = KINDS[name]
    module, shape = kind.view.split(":")
    assert template_names(getattr(import_module(module), shape))
    assert import_module(kind.maker).__doc__
    assert kind.meaning.endswith(".")
    assert kind.fields == tuple(sorted(kind.fields))


def test_every_kind_is_written_by_a_shipped_pack() -> None:
    """No kind without an output."""
    packs = Packs()
    used = {
        output.each
        for name in packs.names()
        if (pack := packs.pack(name))
        for output in pack.outputs
    }
    assert used == set(KINDS)


def test_an_unknown_kind_is_refused() -> None:
    """With the nearest kind."""
    with pytest.raises(
        ValidationError, match="`each: swich` is not a kind of output; did you mean `switch`"
    ):
        PackOutput(path="x", template="x.j2", each="swich", reader="x")
