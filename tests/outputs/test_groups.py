"""The registry of groups, and the modules that write them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from pydantic import ValidationError

import fabricgen.build
from fabricgen.build.selection import GroupSelection
from fabricgen.outputs.groups import GROUPS, LIMITS, PACK_GROUPS, PARTS, SPECS, WORDS
from fabricgen.outputs.packs.pack_yaml import Pack


def test_each_group_has_one_module() -> None:
    """Each entry of the registry has a module with `tasks`, and each module an entry."""
    (home,) = fabricgen.build.__path__
    modules = {path.stem.removeprefix("group_") for path in Path(home).glob("group_*.py")}
    assert modules == set(GROUPS)
    assert all(callable(import_module(f"fabricgen.build.group_{name}").tasks) for name in GROUPS)


def test_every_word_has_one_meaning() -> None:
    """Groups and parts differ, each limit has its own word, and included groups exist."""
    assert len(WORDS) == len({*GROUPS, *PARTS})
    assert len(LIMITS) == sum(len(spec.limits) for spec in SPECS)
    assert {brought for spec in SPECS for brought in spec.brings} <= set(GROUPS)
    assert {file.path.split("/")[0] for spec in SPECS for file in spec.own} <= {
        *GROUPS, "hosts", "report.html",
    }  # fmt: skip


@pytest.mark.parametrize("word", LIMITS)
def test_a_limit_holds_unless_its_word_is_named(word: str) -> None:
    """Above the limit the sentence has the count, the limit and the word.

    At the limit, or by name, nothing is skipped.
    """
    limit = LIMITS[word]
    skipped = GroupSelection().over(word, limit.most + 1)
    assert skipped is not None
    counts = f"{limit.most + 1:,} {limit.counted} are more than {limit.most:,}"
    assert skipped.reason == f"{limit.files}: {counts}; `--only {word}` overrides the limit"
    assert GroupSelection().over(word, limit.most) is None
    assert GroupSelection(named=frozenset({word})).over(word, limit.most + 1) is None


def test_a_pack_belongs_to_a_group() -> None:
    """The group of a pack.yaml is refused where no build writes it, with those that there are."""
    facts = {"name": "own", "description": "ours", "verified": "never", "outputs": []}
    assert [Pack.model_validate(facts | {"group": group}).group for group in PACK_GROUPS] == [
        *PACK_GROUPS
    ]
    with pytest.raises(ValidationError, match="`group: forwarding` is not a group of packs: cab"):
        Pack.model_validate(facts | {"group": "forwarding"})
