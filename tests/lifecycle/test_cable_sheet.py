"""One vocabulary of cable sheets: `import` and `audit` read the sheets of other tools.

The titles are those of NetBox (its form for imports, and its table of cables), of SONiC's testbeds
(sonic-net/sonic-mgmt, ansible/files/*_links.csv), and of HPE Cray's SHCD (Cray-HPE/canu, tests of
`validate shcd`), and those that people write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.load import read_evidence
from fabricgen.lifecycle.cable_columns import find_columns
from fabricgen.lifecycle.change.cut_sheet import read_cut_sheet
from fabricgen.lifecycle.change.import_cut_sheet import import_cut_sheet
from tests.fabrics import cables_of
from tests.lifecycle.audit.test_names_alone import PLAN

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    (cable.a_device, cable.a_interface, cable.b_device, cable.b_interface)
    for cable in cables_of(PLAN)
]
SHEETS = {
    "From device,From port,To device,To port": "{},{},{},{}",
    "StartDevice,StartPort,EndDevice,EndPort,BandWidth,VlanID,VlanMode,AutoNeg": (
        "{},{},{},{},400000,,Access,off"
    ),
    "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status": (
        "{},dcim.interface,{},{},dcim.interface,{},mmf,connected"
    ),
    "ID,Label,Rack A,Device A,Termination A,Rack B,Device B,Termination B,Status,Length": (
        "1,,A01,{},{},A02,{},{},Connected,5 Meters"
    ),
    "Source,Rack,Location,Slot,,Port,Destination,Rack,Location,,Port": (
        "{},A01,u1,,-,{},{},A02,u41,-,{}"
    ),
    "Hostname,Interface,Hostname,Interface": "{},{},{},{}",
    "Switch;Switch Port;Server;Server NIC": "{2};{3};{0};{1}",
    "A-End Device\tA-End Port\tZ-End Device\tZ-End Port\tComment": "{}\t{}\t{}\t{}\ta, b; c",
    "ENDDEVICE,ENDPORT,STARTDEVICE,STARTPORT": "{2},{3},{0},{1}",
    '"Device 1","Port 1","Device 2","Port 2"': '"{}","{}","{}","{}"',
    "Device,Neighbor,Interface,Neighbor Interface": "{0},{2},{1},{3}",
    "local_device,local_port,peer_device,peer_port": "{},{},{},{}",
}
"""The header of each sheet, and the row of a cable."""


def written(tmp_path: Path, header: str, row: str, form: str = "{}") -> Path:
    """Write a sheet of all cables of the plan."""
    lines = [header, *(row.format(*cells) for cells in ROWS)]
    path = tmp_path / "sheet.csv"
    path.write_text(form.format("\n".join(lines) + "\n"), encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("header", SHEETS)
def test_every_sheet_is_imported_and_audited(header: str, tmp_path: Path) -> None:
    """All cables of it, by the same names of columns."""
    path = written(tmp_path, header, SHEETS[header])
    assert import_cut_sheet(PLAN, read_cut_sheet(path)).digest() == PLAN.digest()
    result = audit(PLAN, read_evidence([path]))
    assert (len(result.matched), result.findings) == (len(ROWS), [])


@pytest.mark.parametrize(
    "form", ["\ufeff{}", "Cables of pod 1\n\n# as walked\n{}", "sep=,\n{}", "{}\n\n,,,\n"]
)
def test_what_surrounds_a_sheet(form: str, tmp_path: Path) -> None:
    """A byte order mark, a title above the header, empty lines below the cables."""
    header = next(iter(SHEETS))
    path = written(tmp_path, header, SHEETS[header], form)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(read_cut_sheet(path).rows) == len(ROWS)
    assert len(audit(PLAN, read_evidence([path])).matched) == len(ROWS)


@pytest.mark.parametrize(
    ("text", "line", "fact"),
    [
        ("cable,device,port,length\n1,a,b,2\n", 1, "has no column `b_device`"),
        ("Kabel;Karte;Kiste\nl;1;s\n", 1, "has no column `a_device`"),
        ("Pod 1\n\nDevice A,Port A,Device B\na,1,b\n", 3, "has no column `b_interface`"),
        ("from,from port,to,to port\na,1,b\n", 2, "has a line of 3 cells, and `to port`"),
        ('from,from port,to,to port\n"a\n', 2, "is not CSV"),
    ],
)
def test_a_refusal_names_the_columns(text: str, line: int, fact: str, tmp_path: Path) -> None:
    """Those that the sheet has and those that are wanted, of both commands."""
    path = tmp_path / "sheet.csv"
    path.write_text(text, encoding="utf-8")
    for read in (read_cut_sheet, lambda each: read_evidence([each])):
        with pytest.raises(Refusal) as refused:
            read(path)
        (finding,) = refused.value.findings
        assert fact in finding.fact
        assert finding.place is not None
        assert finding.place.line == line
        if "no column" in fact:
            assert finding.because[0].startswith("its columns are ")
            assert "a_device" in finding.because[1]


def test_titles_of_other_things_are_no_ends() -> None:
    """A word that is neither an end nor a device or an interface rules a title out."""
    assert find_columns(["host-1", "nic1", "host-2", "nic2"]) is None
    titles = ["A device", "A port type", "A port", "A rack", "B chassis id", "B device", "B port"]
    assert find_columns(titles).devices == ((0,), (5,))  # type: ignore[union-attr]  # it is found
