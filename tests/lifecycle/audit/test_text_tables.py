"""LLDP as text, of every system: the layouts are those of public records, the names invented.

Layouts of EOS, NX-OS and Junos from networktocode/ntc-templates, tests/*/show_lldp_neighbors*; of
SONiC from sonic-net/sonic-utilities, tests of lldpshow; of Cumulus Linux and NVUE from
docs.nvidia.com (NVUE reference, LLDP); of SR Linux from learn.srlinux.dev; of AOS-CX from HPE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.load import read_evidence
from tests.lifecycle.audit.test_names_alone import PLAN

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.lifecycle.audit.neighbors import NeighborRecords

TABLES = {
    "eos": """\
leaf#show lldp neighbors
Last table change time   : 0:00:02 ago
Number of table inserts  : 2

Port       Neighbor Device ID             Neighbor Port ID           TTL
Et1/1      host-1                         enp24s0np0                 120
Et1/5      host-2.cluster.example.com     94:6d:ae:00:00:02          120
Et3/1      a-very-long-name-of-a-host-wit enp24s0np0                 120
Ma1        dc1-rack11-tor1.sjc            1/1                        120
leaf#
""",
    "eos-dashes": """\
Port          Neighbor Device ID       Neighbor Port ID    TTL
---------- ------------------------ ---------------------- ---
Et1/1         host-1                   enp24s0np0          120
""",
    "nxos": """\
leaf# show lldp neighbors
Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device
Device ID            Local Intf      Hold-time  Capability  Port ID  \n\
host-17.with-a-long-name.example
                     Eth1/1          120        B            enp24s0np0    \n\
spine-2              Eth1/2          120        BR           Eth1/1        \n\
odd-spine.org  Eth1/3          120        BR           Eth3/1        \n\
host-3               Eth1/5          120                     enp24s0np0    \n\
Total entries displayed: 4
""",
    "junos": """\
user@leaf> show lldp neighbors
Local Interface    Parent Interface    Chassis Id          Port info          System Name
et-0/0/1           -                   2c:6b:f5:a1:c2:c0   enp24s0np0         host-1
et-0/0/2.0         ae7                 00:1c:73:ee:c0:46   Ethernet3/29/1     spine-1.example

{master:0}
user@leaf>""",
    "sonic": """\
admin@sonic:~$ show lldp table
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr
-----------  --------------  -----------------  ------------  -----------------
Ethernet0    host-1          40:14:82:8a:16:00  BR            Interface   3 as enp24s0np0
Ethernet4    host-2                             BR
--------------------------------------------------
Total entries displayed:  2
""",
    "cumulus": """\
cumulus@leaf01:mgmt:~$ net show lldp

LocalPort  Speed  Mode           RemoteHost       RemotePort
---------  -----  -------------  ---------------  -----------------
swp1       400G   BondMember     host-1           enp24s0np0
swp49      1G     Default        leaf02           44:38:39:00:00:32
""",
    "nvue": """\
cumulus@leaf:~$ nv show interface --view=lldp
Interface  Speed  Type  Remote Host      Remote Port      \n\
---------  -----  ----  ---------------  -----------------
swp1       400G   swp   host-1           48:b0:2d:76:ee:8\u2026
swp2              swp                                     \n\
swp51             swp   spine01          swp1             \n\
""",
    "srlinux": """\
A:leaf# show system lldp neighbor
  +--------------+-------------------+-----------------+---------------------+---------------+
  |     Name     |     Neighbor      | Neighbor System | Neighbor Chassis ID | Neighbor Port |
  |              |                   |      Name       |                     |               |
  +==============+===================+=================+=====================+===============+
  | ethernet-1/1 | 02:74:2E:FF:00:00 | host-1          | 02:74:2E:FF:00:00   | enp24s0np0    |
  | ethernet-1/2 | 02:74:2E:FF:00:01 | host-2-with-a-  | 02:74:2E:FF:00:01   | enp24s0np0    |
  |              |                   | long-name       |                     |               |
  +--------------+-------------------+-----------------+---------------------+---------------+
A:leaf#
""",
    "aoscx": """\
LOCAL-PORT  CHASSIS-ID         PORT-ID            PORT-DESC     TTL      SYS-NAME
--------------------------------------------------------------------------------
1/1/1       70:72:cf:a4:7d:50  70:72:cf:a4:7d:50  enp24s0np0    32       host-1
""",
    "csv": "Port;Neighbor Device ID;Neighbor Port ID;TTL\nEt1/1;host-1;enp24s0np0;120\n",
    "one space": "LocalPort RemoteDevice RemotePortID Capability\nswp1 host-1 nic0 BR\n",
    "eos-detail": """\
Interface Ethernet1/1 detected 2 LLDP neighbors:

  Neighbor 2cc2.6081.eaf9/"Ethernet1", age 12 seconds
  - Chassis ID type: MAC address (4)
    Chassis ID     : 2cc2.6081.eaf9
  - Port ID type: Interface name (5)
    Port ID     : "Ethernet1"
  - System Name: "spine2.company.com"
  - IEEE802.1/IEEE802.3 Link Aggregation
    Port ID                : 0

  Neighbor 2cc2.6081.eaf8/"x", age 12 seconds
    Chassis ID     : 2cc2.6081.eaf8
    Port ID     : 2cc2.6081.eaf8
  - Port Description: "Interface   3 as ens34"
  - System Name: "host-1"

Interface Ethernet2/1 detected 0 LLDP neighbors:

Interface Ethernet3/1 detected 1 LLDP neighbors:
    Chassis ID     : 2cc2.6081.eaf8
    Port ID     : "Ethernet9"
  - System Name: "host-9"
""",
    "nxos-detail": """\
Device ID            Local Intf      Hold-time  Capability  Port ID  \n\

Chassis id: 24a9.3700.0001
Port id: 1a51.4800.0001
Local Port id: Eth1/1
Port Description: enp24s0np0
System Name: host-1
Time remaining: 91 seconds
Management Address: 10.30.140.1

Chassis id: 24a9.3700.0002
Port id: Ethernet1/1
Local Port id: Eth1/2
Port Description: null
System Name: spine-1
""",
    "junos-detail": """\
LLDP Neighbor Information:
Local Information:
Index: 1 Time to live: 120 Age: 2 secs
Local Interface    : et-0/0/2.0
Local Port ID      : 501

Neighbour Information:
Chassis ID         : 2c:6b:f5:a1:c2:c0
Port type          : Locally assigned
Port ID            : 510
Port description   : et-0/0/7
System name        : spine-2
Local Interface    : et-0/0/3.0
Local Port ID      : 502
Chassis ID         : 2c:6b:f5:a1:c2:c0
Port ID            : et-0/0/9
System name        : spine-2
""",
    "nvue-detail": """\
-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------

Interface:    swp1
-------------------------------------------------------------------------------
  Time:  \n\
    0 days, 00:02:34

  Chassis:
    ChassisID:    mac 48:b0:2d:00:00:01
    SysName:      host-1
  Port:
    PortID:       ifname enp24s0np0
    PortDescr:    enp24s0np0
""",
}
LONG = "host-17.with-a-long-name.example"
NIC = ("enp24s0np0",)
RECORDS: dict[str, list[tuple[str, str, tuple[str, ...]]]] = {
    "eos": [
        ("Et1/1", "host-1", NIC),
        ("Et1/5", "host-2.cluster.example.com", ()),
        ("Et3/1", "a-very-long-name-of-a-host-wit\u2026", NIC),
        ("Ma1", "dc1-rack11-tor1.sjc", ("1/1",)),
    ],
    "eos-dashes": [("Et1/1", "host-1", NIC)],
    "nxos": [
        ("Eth1/1", LONG, NIC),
        ("Eth1/2", "spine-2", ("Eth1/1",)),
        ("Eth1/3", "odd-spine.org\u2026", ("Eth3/1",)),
        ("Eth1/5", "host-3", NIC),
    ],
    "junos": [("et-0/0/1", "host-1", NIC), ("et-0/0/2.0", "spine-1.example", ("Ethernet3/29/1",))],
    "sonic": [("Ethernet0", "host-1", NIC), ("Ethernet4", "host-2", ())],
    "cumulus": [("swp1", "host-1", NIC), ("swp49", "leaf02", ())],
    "nvue": [("swp1", "host-1", ()), ("swp51", "spine01", ("swp1",))],
    "srlinux": [("ethernet-1/1", "host-1", NIC), ("ethernet-1/2", "host-2-with-a-long-name", NIC)],
    "aoscx": [("1/1/1", "host-1", NIC)],
    "csv": [("Et1/1", "host-1", NIC)],
    "one space": [("swp1", "host-1", ("nic0",))],
    "eos-detail": [
        ("Ethernet1/1", "spine2.company.com", ("Ethernet1",)),
        ("Ethernet1/1", "host-1", ("ens34",)),
        ("Ethernet3/1", "host-9", ("Ethernet9",)),
    ],
    "nxos-detail": [("Eth1/1", "host-1", NIC), ("Eth1/2", "spine-1", ("Ethernet1/1",))],
    "junos-detail": [
        ("et-0/0/2.0", "spine-2", ("510", "et-0/0/7")),
        ("et-0/0/3.0", "spine-2", ("et-0/0/9",)),
    ],
    "nvue-detail": [("swp1", "host-1", NIC)],
}


def read(tmp_path: Path, text: str) -> NeighborRecords:
    """Write the file of a leaf, and read it."""
    (tmp_path / "r0-leaf-1.txt").write_text(text, encoding="utf-8", newline="")
    return read_evidence([tmp_path / "r0-leaf-1.txt"])


@pytest.mark.parametrize("layout", TABLES)
def test_every_layout_is_read(layout: str, tmp_path: Path) -> None:
    """Whatever is above and below it, with any ends of lines."""
    for text in (TABLES[layout], TABLES[layout].replace("\n", "\r\n")):
        evidence = read(tmp_path, text)
        assert [record[1:] for record in evidence.records] == RECORDS[layout]
        assert evidence.reporters == {"r0-leaf-1"}


def test_abbreviated_and_logical_interfaces_are_found(tmp_path: Path) -> None:
    """EOS prints Et1/1 for Ethernet1/1, and letters may be of another case."""
    head = TABLES["eos-dashes"].partition("Et1/1")[0]
    rows = ("Et1/1   host-1   enp24s0np0   120", "eth1/5   HOST-2   ENP24S0NP0   120")
    result = audit(PLAN, read(tmp_path, head + "\n".join(rows)))
    assert (len(result.matched), result.findings) == (2, [])


@pytest.mark.parametrize(
    ("peer", "port", "counts"),
    [
        ("host-1", "enp24s0np0", (1, [])),
        ("host-1.clus\u2026", "enp24s0np0", (1, [])),
        ("host-1.clus...", "enp24s0np0", (1, [])),
        ("host-1", "enp24s0...", (1, [])),
        ("host-...", "enp24s0np0", (0, ["unjudged"])),
        ("other-...", "enp24s0np0", (0, ["stranger"])),
    ],
)
def test_a_name_that_a_table_cuts(
    peer: str, port: str, counts: tuple[int, list[str]], tmp_path: Path
) -> None:
    """It is that of the only device that begins with it; of several, none is chosen."""
    text = (
        "Port       Neighbor Device ID   Neighbor Port ID   TTL\n"
        f"Et1/1      {peer:<20} {port:<18} 120\n"
    )
    result = audit(PLAN, read(tmp_path, text))
    assert (len(result.matched), [finding.code for finding in result.findings]) == counts
    if counts[1] == ["unjudged"]:
        assert "`show lldp neighbors detail`" in result.findings[0].hint


def test_a_cut_name_is_matched_where_it_is_unambiguous(tmp_path: Path) -> None:
    """A leaf's name that fills its column, in the table of a host's neighbors."""
    text = (
        "LocalPort   RemoteDevice RemotePortID  Capability\n"
        "enp24s0np0  r0-leaf      Ethernet1/1   BR\n"
        "enp64s0np0  r1-leaf-     Ethernet1/1   BR\n"
    ).replace("r1-leaf-    ", "r1-leaf...  ")
    (tmp_path / "host-1.txt").write_text(text, encoding="utf-8")
    result = audit(PLAN, read_evidence([tmp_path / "host-1.txt"]))
    assert [finding.code for finding in result.findings] == ["stranger"]
    assert len(result.matched) == 1
