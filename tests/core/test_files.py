"""Every file that a user names must be a regular file of limited size.

Contents that cannot be read are refused with their place, and never cause a traceback.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from fabricgen.build.write.changes import digests_of
from fabricgen.cli import run
from fabricgen.core.files import (
    FileError,
    OpenError,
    csv_rows,
    is_file,
    parse_json,
    read_bytes,
    read_text,
)
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.lab.session import digest_of
from fabricgen.lifecycle.audit.lldp_text import read_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

INVENTORY = """\
name: small
gpus: 16
hb_domain: {gpus: 8}
switches: {leaf: {generic: {radix: 16}}}
"""
SITE = INVENTORY.replace("generic: {radix: 16}", "model: sn5600") + "host: {model: dgx-h100}\n"
SHEET = "a_device,a_interface,b_device,b_interface,cable"
BUILD = "build fabric.yaml -o out --dry-run --only"
SUBNET = SITE.replace("sn5600", "qm9700") + "addressing: {guids: FILE}\n"


class Reader(NamedTuple):
    """One reader of files.

    It has the command that takes FILE, the syntax that it parses, its header, and the inventory
    beside it.
    """

    command: str
    syntax: str
    inventory: str = INVENTORY
    header: str = ""


READERS = {
    "inventory": Reader("plan FILE", "yaml json"),
    "plan": Reader("plan fabric.yaml --from FILE", "json"),
    "old plan": Reader("diff FILE fabric.yaml", "json"),
    "lldp": Reader(
        "audit fabric.yaml --lldp FILE", "csv json", header="device,interface,peer,port"
    ),
    "ibnetdiscover": Reader("audit fabric.yaml --ibnetdiscover FILE", "csv"),
    "degraded": Reader("audit fabric.yaml --degraded FILE", ""),
    "serials": Reader(
        f"{BUILD} cabling --columns cable,a_serial --serials FILE", "csv", header="device,serial"
    ),
    "guids": Reader(f"{BUILD} configs", "csv", SUBNET, "device,port,guid"),
    "positions": Reader(
        "plan fabric.yaml", "csv", SITE + "site: {positions: FILE}\n", "device,hall,row,rack,unit"
    ),
    "prices": Reader("plan fabric.yaml --prices FILE.yaml", "yaml"),
    "workload": Reader("model fabric.yaml --llm FILE.yaml --accelerator h100-sxm", "yaml", SITE),
    "published": Reader(
        "model fabric.yaml --llm gpt3 --accelerator h100-sxm --published FILE", "yaml", SITE
    ),
    "catalog": Reader("plan fabric.yaml --catalog own", "yaml", SITE.replace("sn5600", "file")),
    "pack": Reader(f"{BUILD} configs --templates own", "yaml", INVENTORY + "nos: frr\n"),
    "profiles": Reader(f"{BUILD} cabling --templates own", "yaml"),
    "cut sheet": Reader(
        "import FILE --gpus 16 --hb-domain 8 --radix 16 -o plan.json", "csv", header=SHEET
    ),
    "description": Reader("catalog import FILE", "yaml"),
    "json description": Reader("catalog import FILE.json", "json"),
    "job": Reader("placement fabric.yaml @FILE", ""),
}
MANAGED = (
    SITE
    + "nos: eos\nmanagement: {pool: 10.1.0.0/24, ntp: [10.1.0.2], users: "
    + f"[{{name: ops, key: {KEY_EXAMPLE}}}]}}\n"
)
OTHERS = {
    "secret": Reader(
        "build fabric.yaml -o out --only configs --with-secrets",
        "",
        MANAGED.replace("}]", ", secret: 'file:FILE'}]"),
    ),
    "macs": Reader(f"{BUILD} provision", "", MANAGED.replace("users", "macs: FILE, users")),
    "override": Reader(f"{BUILD} configs", "", MANAGED + "overrides: [{file: FILE}]\n"),
    "tar": Reader("verify FILE.tar", ""),
    "zip": Reader("verify FILE.zip", ""),
    "replaced archive": Reader("build fabric.yaml --archive FILE.tar", ""),
}
"""Readers of files whose contents other tests try."""
WHERE = {
    "macs": "file.csv",
    "catalog": "own/switches/file.yaml",
    "pack": "own/frr/pack.yaml",
    "profiles": "own/cabling/profiles.yaml",
    "guids": "file.csv",
    "positions": "file.csv",
}
"""Readers that look their file up in a directory and take no path."""

PLAN = '{"format": "fabricgen-plan/1", "inventory": {"name": "x", "gpus": %s}}'
CONTENTS = {
    "": {
        "empty": b"",
        "NUL": b"\0" * 100,
        "not UTF-8": b"a,b\n\xff\xfe\x80",
        "UTF-16": "name: x\n".encode("utf-16"),
        "one long line": b"x" * 200_000,
        "number": b"1",
        "control characters": "a\x1b[2J,b\x9b,c\x07,d\n".encode(),
    },
    "csv": {
        "long cell": b"HEADER\nx," + b"y" * 200_000 + b",z,w,v\n",
        "long digits": b"HEADER\nx,A," + b"9" * 5000 + b",1,1\n",
        "open quote": b'HEADER\na,"b,c\n' * 9,
    },
    "json": {
        "deep": b"[\n" * 2_000,
        "deep object": b'{"lldp":' * 2_000,
        "long number": b'{"lldp": ' + b"9" * 5000 + b"}",
        "long number in a list": b"[1, -" + b"9" * 5000 + b"]",
        "long number in a plan": (PLAN % ("9" * 5000)).encode(),
        "half a surrogate pair": b'{"lldp": {"interface": [{"name": "\\ud800"}]}}',
        "NaN": b'{"lldp": NaN}',
        "open": b'{"lldp": [',
    },
    "yaml": {
        "long number": b"name: x\ngpus: " + b"9" * 5000,
        "deep": b"[\n" * 2_000,
        "anchor twice": b"a: &x 1\nb: &x 2\nc: *x\n",
        "YAML 1.1": b"%YAML 1.1\n---\na: 1e5\n",
        "bad tag": b"a: !!bool maybe\n",
        "bad date": b"a: 2026-99-99\n",
        "list": b"- 1\n",
        "key that is no word": b"? [a]\n: b\n",
    },
}
"""Invalid contents of a file, by syntax. HEADER is replaced by the reader's own header."""


def outcome(capsys: pytest.CaptureFixture[str], command: str) -> tuple[int, str]:
    """Run a command and return its exit code and what it printed on stderr."""
    code = run(command.split())
    return code, capsys.readouterr().err


@pytest.fixture
def lay_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Path, str]]:
    """Return a function that writes a reader's files.

    It returns the path of FILE and the command.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FABRICGEN_CATALOG", raising=False)
    monkeypatch.delenv("FABRICGEN_TEMPLATES", raising=False)

    def place(name: str) -> tuple[Path, str]:
        reader = (READERS | OTHERS)[name]
        words = [word for word in reader.command.split() if "FILE" in word]
        file = WHERE.get(name) or (
            words[0].replace("FILE", "file").lstrip("@") if words else "file"
        )
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fabric.yaml").write_text(
            reader.inventory.replace("FILE", file), encoding="utf-8"
        )
        return tmp_path / file, reader.command.replace("FILE", "file")

    return place


def assert_refused(code: int, output: str) -> None:
    """Assert that a command ended with a finding or a usage error, and without a traceback."""
    assert code in {1, 2}, output
    assert output.startswith(("error[", "Usage:", "Error:")), output
    assert "Traceback" not in output
    assert "Warning" not in output


@pytest.mark.parametrize("name", READERS)
def test_invalid_contents_are_refused(
    name: str, lay_out: Callable[[str], tuple[Path, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever exception a library raises for a text becomes a refusal."""
    file, command = lay_out(name)
    reader = READERS[name]
    texts = {
        content: data
        for syntax in ("", *reader.syntax.split())
        for content, data in CONTENTS[syntax].items()
    }
    for content, data in texts.items():
        file.write_bytes(data.replace(b"HEADER", reader.header.encode()))
        code, output = outcome(capsys, command)
        if (name, content) == ("degraded", "empty"):  # a list of failures without an entry is valid
            assert code == 0
            continue
        assert_refused(code, f"{output}{content}")
        assert name == "job" or file.name in output, (
            f"{output}{content}"
        )  # any text is a job specification


def grow(file: Path) -> None:
    """Make a sparse file of two gibibytes."""
    file.touch()
    os.truncate(file, 2**31)


@pytest.mark.parametrize("name", [*READERS, *OTHERS])
def test_only_regular_files_of_limited_size_are_read(
    name: str, lay_out: Callable[[str], tuple[Path, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """None is read into memory: a missing or too large file, a directory, a device, a pipe."""
    file, command = lay_out(name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    makers: dict[str, Callable[[], object]] = {
        "missing": lambda: None,
        "directory": file.mkdir,
        "device": lambda: file.symlink_to("/dev/zero"),
        "pipe": lambda: os.mkfifo(file),
        "loop": lambda: file.symlink_to(file.name),
        "large": lambda: grow(file),
    }
    for kind, make in makers.items():
        make()
        code, output = outcome(capsys, command)
        if (
            kind != "large"
            and name
            in {
                "pack",
                "profiles",
            }
        ) or (name, kind) == (
            "replaced archive",
            "missing",
        ):  # a catalog file that is not found is replaced by the shipped one
            assert code == 0, output
        elif (name, kind) == ("lldp", "directory"):
            assert "there is no file in this directory" in output
        else:
            assert_refused(code, f"{output}{kind}")
        if file.is_dir():
            file.rmdir()
        else:
            file.unlink(missing_ok=True)
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**18
    )  # KiB: a quarter of a GiB


def test_a_lab_boots_regular_files_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe or a link below OUT is refused before anything is read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fabric.yaml").write_text(SITE + "nos: frr\n", encoding="utf-8")
    assert run(["build", "fabric.yaml", "--only", "lab", "-o", "out"]) == 0
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        odd = tmp_path / "out/configs/r0-leaf-1/frr.conf"
        odd.unlink()
        make(odd)
        capsys.readouterr()
        code, output = outcome(capsys, "lab run fabric.yaml -o out")
        assert_refused(code, output)
        assert "`configs/r0-leaf-1/frr.conf` is none" in output


def test_a_file_larger_than_its_stated_size_is_refused(tmp_path: Path) -> None:
    """The size that the system reports may be wrong. The limit also holds while a file is read."""
    with pytest.raises(FileError, match="is larger than 16 bytes"):
        read_bytes("/proc/self/maps", 16)
    (tmp_path / "sixteen").write_bytes(b"x" * 16)
    assert read_bytes(tmp_path / "sixteen", 16) == b"x" * 16


@pytest.mark.parametrize("path", ["n" * 300, "a\0b", "\ud800", "", "d/" * 3000])
def test_invalid_paths_are_refused(path: str) -> None:
    """A path that the system rejects is reported as no file."""
    assert not is_file(path)
    with pytest.raises(OpenError):
        read_bytes(path, 16)


def test_a_file_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The system's EACCES is simulated, because root may read every file."""

    def closed(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    file = tmp_path / "fabric.yaml"
    file.write_text(INVENTORY, encoding="utf-8")
    monkeypatch.setattr(os, "open", closed)
    code, output = outcome(capsys, f"plan {file}")
    assert_refused(code, output)
    assert "cannot be read: Permission denied" in output


def test_the_place_of_a_fault_is_its_line() -> None:
    """A number or a cell that is too long and an invalid byte are located by line and column."""
    with pytest.raises(FileError) as number:
        parse_json('{"a": 1,\n "b": ' + "7" * (sys.get_int_max_str_digits() + 1) + "}")
    assert (number.value.line, number.value.column) == (2, 7)
    with pytest.raises(FileError) as cell:
        list(csv_rows("a,b\n" + "c" * 200_000))
    assert (cell.value.fact, cell.value.line) == (
        "is not CSV: a cell has more than 131072 characters",
        2,
    )


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_the_first_line_names_the_separator(sign: str) -> None:
    """Spreadsheets of most of Europe write semicolons; a quoted cell may contain any sign."""
    text = sign.join(("device", "serial")) + "\n" + sign.join(("host-1", '"a,b;c"')) + "\n"
    assert list(csv_rows(text)) == [(1, ["device", "serial"]), (2, ["host-1", "a,b;c"])]


def test_neighbours_are_read_with_semicolons() -> None:
    """A walked list of `audit` may have the separators of a spreadsheet too."""
    (record,) = read_lines("# walked\na;p1;b;p2\n", "").records
    assert record == read_lines("a,p1,b,p2\n", "").records[0]


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    """Excel writes one at the start of a table."""
    (tmp_path / "table.csv").write_bytes(b"\xef\xbb\xbfdevice\n")
    assert read_text(tmp_path / "table.csv", 100) == "device\n"


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 20_000, '{"wiring_sha256": ' + "9" * 5000])
def test_a_directory_that_build_did_not_write_has_no_digest(text: str, tmp_path: Path) -> None:
    """A lab that is given such a directory instead of a build cannot compare with it."""
    (tmp_path / "plan.json").write_text(text, encoding="utf-8")
    assert digest_of(tmp_path) is None


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir],
    ids=["pipe", "device", "directory"],
)
def test_a_directory_whose_manifest_is_not_a_file_is_foreign(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    """Inspecting OUT neither waits for a pipe nor reads a device."""
    make(tmp_path / "manifest.json")
    assert digests_of(tmp_path) is None


TABLE = "device,hall,row,rack,unit\nhost-1,机房A,第1排,机柜K1,1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_tables_are_read_in_the_encodings_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    """Excel saves UTF-8 with a mark, UTF-16 and, in China, GB18030."""
    path = tmp_path / "table.csv"
    path.write_bytes(TABLE.encode(encoding))
    assert read_text(path, 1000) == TABLE


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "cp1251", "shift-jis", "utf-16-le"])
def test_other_encodings_are_refused_and_not_read_as_chinese(tmp_path: Path, encoding: str) -> None:
    """A wrong guess would change names; the refusal has the menu item that helps."""
    text = {"cp1251": "стойка,зал", "shift-jis": "ラック,機械室"}.get(encoding, "Müller,Köln")
    path = tmp_path / "table.csv"
    path.write_bytes(f"device,{text}\n".encode(encoding))
    with pytest.raises(FileError) as refused:
        read_text(path, 1000)
    assert "CSV UTF-8" in refused.value.hint
