"""Compiled templates are cached.

The code belongs to its text, and files that others may write are ignored.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabricgen.outputs.packs.code_cache import CodeCache
from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.sandbox import Sandbox
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

TEXT, NAME, PATH = "{{ port.name }}", "own/own.j2", "/packs/own/own.j2"


class _Runs:
    """Caches of several runs over one folder, with a count of compilations."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.compiled = folder, 0

    def code(
        self, text: str = TEXT, name: str = NAME, path: str = PATH, *, writes: bool = True
    ) -> CodeType:
        """Return a template's code from a new run."""
        cache = CodeCache(self.folder)
        cache.writes = writes
        return cache.code(text, name, path, lambda: self._compile(text))

    def _compile(self, text: str) -> CodeType:
        self.compiled += 1
        return compile(repr(text), "template", "eval")


@pytest.fixture
def runs(tmp_path: Path) -> _Runs:
    """Begin without the folder."""
    return _Runs(tmp_path / "deep" / "templates")


def test_a_template_is_compiled_once(runs: _Runs) -> None:
    """A later run uses the code of an earlier one."""
    assert runs.code() == runs.code()
    assert eval(runs.code()) == TEXT  # noqa: S307 - cached code
    assert runs.compiled == 1


@pytest.mark.parametrize(
    "other",
    [("{{ other }}", NAME, PATH), (TEXT, "own/other.j2", PATH), (TEXT, NAME, "/elsewhere/own.j2")],
)
def test_code_belongs_to_one_text_name_and_path(runs: _Runs, other: tuple[str, str, str]) -> None:
    """An edited template is compiled again, and replaces the old code."""
    runs.code()
    assert runs.code(*other) == runs.code(*other)
    assert runs.compiled == 2


@pytest.mark.parametrize("bits", [0o666, 0o664])
def test_a_file_that_others_can_write_is_ignored(runs: _Runs, bits: int) -> None:
    """Its code would run as the user."""
    runs.code()
    (file,) = runs.folder.iterdir()
    file.chmod(bits)
    runs.code(writes=False)
    assert runs.compiled == 2


@pytest.mark.parametrize("bits", [0o777, 0o775, 0o1777])
def test_a_folder_that_others_can_write_is_ignored(runs: _Runs, bits: int) -> None:
    """Others could put a file into it."""
    runs.code()
    runs.folder.chmod(bits)
    runs.code(writes=False)
    assert runs.compiled == 2


@pytest.mark.parametrize("damaged", [b"", b"short", b"\0" * 100])
def test_a_damaged_file_is_ignored_and_replaced(runs: _Runs, damaged: bytes) -> None:
    """Whether it is empty, truncated, or another file."""
    runs.code()
    (file,) = runs.folder.iterdir()
    file.write_bytes(damaged)
    runs.code()
    runs.code()
    assert runs.compiled == 2


def test_one_changed_byte_is_detected(runs: _Runs) -> None:
    """The digest covers the code."""
    runs.code()
    (file,) = runs.folder.iterdir()
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    runs.code()
    assert runs.compiled == 2


def test_nothing_is_written_where_python_writes_no_bytecode(runs: _Runs) -> None:
    """A folder that cannot be made is no error."""
    runs.code(writes=False)
    assert not runs.folder.exists()
    runs.folder.parent.write_text("in the way")
    runs.code()
    assert runs.compiled == 2


def test_the_folder_is_private_whatever_the_umask(runs: _Runs) -> None:
    """So are its files."""
    runs.code()
    assert runs.folder.stat().st_mode & 0o022 == 0
    assert [file.stat().st_mode & 0o022 for file in runs.folder.iterdir()] == [0]


@pytest.mark.parametrize("name", ["class", "None", "ﬁrst", "é", "lambda"])
def test_attributes_that_are_not_identifiers_are_read_through_the_sandbox(name: str) -> None:
    """They compile, and are found by the name in the template."""
    assert Sandbox().from_string(f"{{{{ x.{name} }}}}").render(x={name: "found"}) == "found"


class _Asked(CodeCache):
    """The program's own cache, which notes what is asked for and whether it is to be written."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: dict[Path, bool] = {}

    def code(self, text: str, name: str, path: str, compiled: Callable[[], CodeType]) -> CodeType:
        self.asked[Path(path)] = self.writes
        return CodeCache().code(text, name, path, compiled)


def test_every_shipped_template_is_precompiled() -> None:
    """`make compiled` leaves none to the first run."""
    packs, codes = Packs(), _Asked()
    packs._environment.codes = codes  # noqa: SLF001 - no other way to see what is written
    packs.compile()
    assert codes.asked == dict.fromkeys((ROOT / "templates").rglob("*.j2"), True)
