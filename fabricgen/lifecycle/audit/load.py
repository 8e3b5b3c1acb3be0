"""Files of evidence: finding them and detecting the format of each.

Owns the way from paths to `NeighborRecords`, and every refusal of a file. The format is detected
from the content; only the device that a file is about is taken from its name, because `lldpctl` and
similar commands do not print it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabricgen.core import files
from fabricgen.core.diagnostics import Finding, Place, Refusal
from fabricgen.lifecycle.audit.iblinkinfo import is_link_list, read_link_list
from fabricgen.lifecycle.audit.ibnetdiscover import (
    is_discovery,
    is_port_list,
    read_discovery,
    read_port_list,
)
from fabricgen.lifecycle.audit.lldp_detail_text import is_detail, read_detail
from fabricgen.lifecycle.audit.lldp_json import read_neighbours
from fabricgen.lifecycle.audit.lldp_text import read_lines
from fabricgen.lifecycle.audit.neighbors import NeighborRecords, UnreadableError
from fabricgen.lifecycle.cable_columns import WANTED

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fabricgen.lifecycle.audit.subnet_names import Owners

LARGEST_BYTES = 2**30
"""65,536 cables take a quarter of this in the longest format; a larger file is refused."""

EXPECTED = (
    "expected LLDP neighbors, as JSON or as the text of `show lldp neighbors` or `lldpctl`, a sheet"
    " of cables as CSV, or the text of `ibnetdiscover` or `iblinkinfo`"
)


COLUMNS_HINT = f"call its columns {', '.join(WANTED[:-1])} and {WANTED[-1]}"

SUBNETS = (
    (is_discovery, read_discovery),
    (is_port_list, read_port_list),
    (is_link_list, read_link_list),
)
"""Texts about a whole InfiniBand subnet: how each is recognized, and its parser."""


def read_evidence(paths: Iterable[Path], owners: Owners = dict) -> NeighborRecords:
    """Parse files, and every file in directories; up to its first dot, a file's name is the device.

    `owners` returns the ports that the inventory gives GUIDs to, for files that have GUIDs.

    Raises Refusal `bad-evidence` with a finding for each file that cannot be read.
    """
    evidence, findings = NeighborRecords(), list[Finding]()
    for path in paths:
        try:
            for file in _files(path):
                try:
                    evidence.add(_read(file, owners))
                except UnreadableError as error:
                    findings.append(_finding(file, error))
        except UnreadableError as error:
            findings.append(_finding(path, error))
    if findings:
        raise Refusal(findings)
    return evidence


def _files(path: Path) -> list[Path]:
    """Return a file, or the sorted files of a directory without hidden ones."""
    if not files.is_directory(path):
        return [path]
    found = [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    ]
    if not found:
        raise UnreadableError("there is no file in this directory")
    return found


def _read(path: Path, owners: Owners) -> NeighborRecords:
    """Parse one file."""
    text, device = read_text(path), path.name.partition(".")[0]
    start = text.lstrip()[:1]
    if not start:
        raise UnreadableError("the file is empty")
    if start in "{[":
        return read_neighbours(_json(text), device)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for is_subnet, read in SUBNETS:
        if is_subnet(text):
            return read(text, owners)
    return read_detail(text, device) if is_detail(text) else read_lines(text, device)


def read_text(path: Path) -> str:
    """Return the text of a file. Raises UnreadableError."""
    try:
        return files.read_text(path, LARGEST_BYTES)
    except files.OpenError as error:
        raise UnreadableError(error.reason.lower()) from None
    except files.FileError as error:
        raise UnreadableError(f"it {error.fact}", error.line, error.column or 1) from None


def _json(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Parse JSON. Raises UnreadableError."""
    try:
        return files.parse_json(text)
    except files.FileError as error:
        raise UnreadableError(f"this {error.fact}", error.line, error.column or 1) from None


def _finding(path: Path, error: UnreadableError) -> Finding:
    """Return the finding for an unreadable file."""
    place = None if error.line is None else Place(str(path), error.line, error.column)
    fact = f"cannot read neighbors from `{path}`: {error.fact}"
    return Finding(
        "bad-evidence",
        fact,
        because=(*error.because, EXPECTED),
        hint=f"{COLUMNS_HINT if error.because else 'collect it again'}, or remove the file",
        place=place,
    )
