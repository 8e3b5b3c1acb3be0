"""What `search` ignores of an inventory is printed as notices."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.cli.search import notes
from tests.fabrics import spec_of

SMALL: dict[str, Any] = {"gpus": 64, "hb_domain": {"gpus": 8}, "radix": 64}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"cabling": {}}, "`cabling` is ignored: every link is counted as one direct cable"),
        ({"site": {"rack": {"units": 48}}}, "the described room is ignored"),
        ({"reserve": {"gpus": 128}}, "all 128 GPUs of the reserve are counted"),
        ({"phases": [{"gpus": 64}]}, "`phases` are of one design"),
    ],
)
def test_each_ignored_key_has_a_notice(keys: dict[str, Any], words: str) -> None:
    """And an inventory without such keys has none."""
    assert [*notes(spec_of(**SMALL))] == []
    (notice,) = notes(spec_of(**SMALL | keys))
    assert words in notice
