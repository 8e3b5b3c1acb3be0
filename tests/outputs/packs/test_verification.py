"""The record of what verified the files of each NOS: it covers every file, and is not outdated.

The tests of each NOS compare it with what the tool knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from fabricgen.outputs.packs.verification import FileVerification, begins
from tests.nos import eos, junos, nvue, nxos
from tests.nos.model_variants import MANAGED, VARIANTS, variant_files
from tests.nos.statements import paths
from tests.nos.switch_files import PACKS, verification
from tests.outputs.packs.test_access_switches import ACCESS_MODELS, access_switch
from tests.outputs.packs.test_bonds import leaves
from tests.outputs.packs.test_edges import protected, switches, with_routers
from tests.outputs.packs.test_nvue import old

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.nos.switch_files import SwitchFiles


@pytest.mark.parametrize("name", PACKS.names())
def test_every_file_has_one_record(name: str) -> None:
    """What verified a file, or which document describes its statements, is recorded once.

    Packs of documents may leave it to a sentence, and packs of a NOS may not.
    """
    pack = PACKS.pack(name)
    assert pack is not None
    if not pack.verified_by:
        assert pack.nos is None
        return
    recorded = [file for each in pack.verified_by for file in each.files]
    assert sorted(recorded) == sorted(output.path.split("/")[-1] for output in pack.outputs)


STATEMENTS: dict[str, tuple[str, Callable[[str], Iterable[Sequence[str]]]]] = {
    "junos": ("junos.set", junos.words_of),
    "nvue": ("startup.yaml", nvue.flattened),
    "nxos": ("nxos.cfg", lambda text: (words for _, words, _ in paths(text))),
    "eos": (
        "startup-config.cfg",
        lambda text: (" ".join(line).split() for line in eos.lines_of(text)),
    ),
}
"""The file of each NOS whose record lists statements, and how it is read."""


def _switches(nos: str) -> Iterable[SwitchFiles]:
    """Yield switches of every variant, in every version of the syntax."""
    for name in [*VARIANTS, *MANAGED]:
        yield from (variant_files(name, nos)[0], variant_files(name, nos)[-1])
        if nos == "nvue":
            yield from (old(name, version)[0] for version in ("5.14", "5.12"))
    yield from [access_switch(nos)] if nos in ACCESS_MODELS else []
    yield from (leaves(nos)[0], leaves(nos)[-1])
    yield from [*with_routers(switches(nos))[:1], *with_routers(protected(nos))[:1]]


@pytest.mark.parametrize("nos", STATEMENTS)
def test_every_recorded_statement_is_written(nos: str) -> None:
    """A key that no statement begins with is outdated."""
    file, read = STATEMENTS[nos]
    pack = PACKS.for_nos(nos)
    assert pack is not None
    left = {key for each in pack.verified_by if file in each.files for key in each.unknown}
    seen: set[tuple[str, ...]] = set()
    for one in _switches(nos):
        for statement in {tuple(words) for words in read(one.files[file])} - seen:
            left -= {key for key in left if begins(statement, key)}
            seen.add(statement)
        if not left:
            break
    assert not left


def test_without_a_tool_every_statement_has_a_document() -> None:
    """NX-OS has no tool, so its record has a key for each statement."""
    record = verification("nxos", "nxos.cfg")
    assert record.tool is None
    for one in _switches("nxos"):
        text = nxos.without_banner(one.files["nxos.cfg"])
        assert [line for line, words, _ in paths(text) if not record.document(words)] == []


def test_a_file_without_a_tool_needs_a_document() -> None:
    """Neither is not a record."""
    with pytest.raises(ValidationError, match="name the `tool`"):
        FileVerification(files=("x.cfg",))
