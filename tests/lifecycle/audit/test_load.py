"""Every dialect has the same result: recorded output of real tools, and documented forms."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fabricgen.core.diagnostics import Refusal
from fabricgen.lifecycle.audit.audit import audit
from fabricgen.lifecycle.audit.load import read_evidence
from fabricgen.lifecycle.audit.neighbors import NeighborRecord, NeighborRecords
from tests.fabrics import cables_of, plan_of

RECORDED = Path(__file__).parent / "recorded"
PLAN = plan_of(
    design="fat-tree",
    gpus=4,
    hb_domain={"gpus": 2},
    naming={"leaf": "r0-leaf-{n}"},
    switches={"leaf": {"generic": {"radix": 8}}},
)
"""One leaf with two hosts of two NICs, named as in the recorded files.

`bmc-17` is in the port of host-2 nic0, and the next port has no neighbour.
"""

NEIGHBOURS = [
    NeighborRecord("r0-leaf-1", "swp1", "host-1", ("nic0",)),
    NeighborRecord("r0-leaf-1", "swp2", "host-1", ("nic1",)),
    NeighborRecord("r0-leaf-1", "swp3", "bmc-17", ("eth0",)),
]
MAC = "44:38:39:00:11:22"


def counts(evidence: NeighborRecords) -> dict[str, int]:
    """Audit, and return the counts."""
    document = audit(PLAN, evidence).document()
    return {key: document[key] for key in ("matched", "wrong", "missing", "extra", "silent")}


def read(tmp_path: Path, content: object, name: str = "r0-leaf-1.json") -> NeighborRecords:
    """Write a file, and read it."""
    (tmp_path / name).write_text(
        content if isinstance(content, str) else json.dumps(content), encoding="utf-8"
    )
    return read_evidence([tmp_path / name])


@pytest.mark.parametrize("form", ["json0", "json"])
def test_lldpctl_as_recorded(form: str) -> None:
    """Both forms of lldpd 1.0.16 have the same result.

    That holds where a list of one is no list, and where a port has only a MAC address.
    """
    leaf = read_evidence([RECORDED / f"r0-leaf-1.{form}"])
    assert (sorted(leaf.records), leaf.reporters) == (NEIGHBOURS, {"r0-leaf-1"})
    host = read_evidence([RECORDED / f"host-1.{form}"])
    assert sorted(host.records) == [
        NeighborRecord("host-1", "nic0", "r0-leaf-1", ("swp1",)),
        NeighborRecord("host-1", "nic1", "r0-leaf-1", ("swp2",)),
    ]
    assert read_evidence([RECORDED / f"bmc-17.{form}"]).records == [
        NeighborRecord("bmc-17", "eth0", "r0-leaf-1", ("swp3",))
    ]
    expected = {"matched": 2, "wrong": 0, "missing": 1, "extra": 1, "silent": 1}
    assert counts(leaf) == expected
    leaf.add(host)
    assert counts(leaf) == expected


def test_one_end_is_enough() -> None:
    """Evidence of the hosts alone equals that of the leaves alone."""
    assert counts(read_evidence([RECORDED / "host-1.json"])) == {
        "matched": 2,
        "wrong": 0,
        "missing": 0,
        "extra": 0,
        "silent": 2,
    }


def test_an_unknown_reporter_is_a_note() -> None:
    """A file under a wrong name is no evidence."""
    result = audit(PLAN, read_evidence([RECORDED / "r0-leaf-1.json", RECORDED / "bmc-17.json"]))
    assert next(result.notes()).startswith("bmc-17 reported and is not in the plan")


EXPECTED = [
    (neighbor_records.interface, neighbor_records.peer, neighbor_records.peer_interfaces[0])
    for neighbor_records in NEIGHBOURS
]
EOS = [
    {"port": port, "neighborDevice": peer, "neighborPort": far, "ttl": 120}
    for port, peer, far in EXPECTED
]


RULE = "-" * 79 + "\n"
NXOS = [
    {"chassis_id": peer, "l_port_id": port, "hold_time": "120", "port_id": far, "port_desc": "null"}
    for port, peer, far in EXPECTED
]
JUNOS = [
    {
        "lldp-local-port-id": [{"data": f"{port}.0"}],
        "lldp-local-parent-interface-name": [{"data": "-"}],
        "lldp-remote-chassis-id": [{"data": MAC}],
        "lldp-remote-port-id": [{"data": far}],
        "lldp-remote-system-name": [{"data": peer}],
    }
    for port, peer, far in EXPECTED
]
SRLINUX: list[dict[str, Any]] = [
    {"name": "mgmt0", "admin-state": "enable"},
    *(
        {
            "name": port,
            "neighbor": [
                {"id": MAC, "system-name": peer, "port-id": far, "port-id-type": "INTERFACE_NAME"}
            ],
        }
        for port, peer, far in EXPECTED
    ),
]


def nvue(peer: str, chassis: dict[str, str], far: dict[str, str]) -> dict[str, Any]:
    """Return NVUE's output for an interface."""
    return {
        "type": "swp",
        "lldp": {"neighbor": {peer: {"age": "12", "chassis": chassis, "port": far}}},
    }


def lines(pattern: str) -> str:
    """Write every neighbour in a line."""
    return "".join(pattern.format(port, peer, far) + "\n" for port, peer, far in EXPECTED)


DIALECTS: dict[str, Any] = {
    "eos": {"tablesInserts": 3, "lldpNeighbors": EOS},
    "eos-detail": {
        "lldpNeighbors": {
            port: {
                "lldpNeighborInfo": [
                    {
                        "systemName": f"{peer}.pod.example",
                        "neighborInterfaceInfo": {"interfaceId": f'"{far}"'},
                    }
                ]
            }
            for port, peer, far in EXPECTED
        }
    },
    "eapi": {"jsonrpc": "2.0", "result": [{"version": "4.33"}, {"lldpNeighbors": EOS}]},
    "nvue": {
        "lo": {"type": "loopback"},
        **{
            port: nvue(peer, {"system-name": peer}, {"name": far, "type": "ifname"})
            for port, peer, far in EXPECTED
        },
    },
    "nvue-mac": {
        port: nvue(peer, {"chassis-id": MAC}, {"name": MAC, "description": far})
        for port, peer, far in EXPECTED
    },
    "sonic": {
        f"LLDP_ENTRY_TABLE:{port}": {
            "type": "hash",
            "value": {
                "lldp_rem_sys_name": peer,
                "lldp_rem_port_id": far,
                "lldp_rem_port_desc": far,
            },
        }
        for port, peer, far in EXPECTED
    },
    "sonic-nested": {
        "LLDP_ENTRY_TABLE": {
            port: {"lldp_rem_sys_name": peer, "lldp_rem_port_id": MAC, "lldp_rem_port_desc": far}
            for port, peer, far in EXPECTED
        }
    },
    "nxos": {"TABLE_nbor": {"ROW_nbor": NXOS}, "neigh_hdr": "Device ID"},
    "nxos-detail": {
        "TABLE_nbor_detail": {
            "ROW_nbor_detail": [
                row | {"sys_name": row["chassis_id"], "chassis_id": MAC} for row in NXOS
            ]
        }
    },
    "junos": {"lldp-neighbors-information": [{"lldp-neighbor-information": JUNOS}]},
    "srlinux": {"system": {"lldp": {"admin-state": "enable", "interface": SRLINUX}}},
    "srlinux-prefixes": {
        "srl_nokia-system:system": {"srl_nokia-lldp:lldp": {"interface": SRLINUX}}
    },
    "lldpctl": f"{RULE}LLDP neighbors:\n{RULE}"
    + RULE.join(
        f"Interface:    {port}, via: LLDP, RID: 1, Time: 0 day, 00:04:48\n"
        f"  Chassis:     \n    ChassisID:    mac {MAC}\n    SysName:      {peer}\n"
        f"    SysDescr:     Debian GNU/Linux 12 (bookworm)\n                  a second line\n"
        f"    TTL:          120\n    Capability:   Router, on\n"
        f"  Port:        \n    PortID:       ifname {far}\n    PortDescr:    {far}\n"
        for port, peer, far in EXPECTED
    )
    + RULE,
    "lldpctl-mac": "".join(
        f"Interface:    {port}, via: LLDP\n    SysName:      {peer}\n"
        f"    PortID:       mac {MAC}\n    PortDescr:    {far}\n"
        for port, peer, far in EXPECTED
    ),
    "keyvalue": "".join(
        f"lldp.{port}.via=LLDP\nlldp.{port}.rid=1\nlldp.{port}.chassis.mac={MAC}\n"
        f"lldp.{port}.chassis.name={peer}\nlldp.{port}.chassis.descr=Debian\nwith two lines\n"
        f"lldp.{port}.chassis.Router.enabled=on\nlldp.{port}.port.ifname={far}\n"
        f"lldp.{port}.port.descr={far}\n"
        for port, peer, far in EXPECTED
    ),
    "csv": "# as walked\n" + lines("r0-leaf-1,{},{},{}") + "\nr0-leaf-1,swp4,,\n",
    "csv-header": "device,interface,neighbor,port\n" + lines("r0-leaf-1, {}, {}, {}"),
    "cables.csv": "cable,a_device,a_interface,tier,b_device,b_interface\n"
    + lines("x,r0-leaf-1,{},1,{},{}"),
    "sonic-table": "Capability codes: (R) Router, (B) Bridge, (O) Other\nLocalPort    "
    "RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"
    "-----------  --------------  --------------  ------------  -----------------\n"
    + lines("{0:<11}  {1:<14}  {2:<14}  R             {2}")
    + "--------------------------------------------------\nTotal entries displayed:  3\n",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_the_same_result(dialect: str, tmp_path: Path) -> None:
    """Every device's output gives the same neighbours and the same audit."""
    evidence = read(tmp_path, DIALECTS[dialect])
    assert [
        (h.device, h.interface, h.peer.partition(".")[0], h.peer_interfaces)
        for h in evidence.records
    ] == [tuple(h) for h in NEIGHBOURS]
    assert counts(evidence) == {"matched": 2, "wrong": 0, "missing": 1, "extra": 1, "silent": 1}


def test_one_row_of_nxos_is_no_list(tmp_path: Path) -> None:
    """NX-OS reduces a table of one row to the row, and abbreviates the interface."""
    row = NXOS[0] | {"l_port_id": "Eth1/1", "sys_name": "spine", "port_desc": "not advertised"}
    read_back = read(tmp_path, {"TABLE_nbor_detail": {"ROW_nbor_detail": row}})
    assert read_back.records == [NeighborRecord("r0-leaf-1", "Ethernet1/1", "spine", ("nic0",))]


def test_keyvalue_with_two_neighbours_on_an_interface(tmp_path: Path) -> None:
    """The keys are repeated; a VLAN's interface has a dot in its name."""
    text = "".join(
        f"lldp.swp1.100.via=LLDP\nlldp.swp1.100.chassis.name={peer}\nlldp.swp1.100.port.local={port}\n"
        for peer, port in (("host-1", "nic0"), ("vm-7", "ens3"))
    )
    assert read(tmp_path, text).records == [
        NeighborRecord("r0-leaf-1", "swp1.100", "host-1", ("nic0",)),
        NeighborRecord("r0-leaf-1", "swp1.100", "vm-7", ("ens3",)),
    ]


def test_cables_csv_is_evidence_of_itself() -> None:
    """The sheet of `build` has no findings, with two-cable links and shared cages."""
    plan = plan_of(
        design="rail-optimized",
        gpus=256,
        hb_domain={"gpus": 8},
        host={"model": "dgx-h100"},
        switches={"leaf": {"model": "qm9700"}},
    )
    rows = cables_of(plan)
    neighbor_records = [
        NeighborRecord(cable.a_device, cable.a_interface, cable.b_device, (cable.b_interface,))
        for cable in rows
    ]
    result = audit(
        plan, NeighborRecords(neighbor_records, {each.device for each in neighbor_records})
    )
    assert (result.ok, len(result.matched)) == (True, plan.links)


def test_several_neighbours_and_nameless_ones(tmp_path: Path) -> None:
    """The planned neighbour among several counts.

    A bare MAC address proves an unknown device, and management ports are ignored.
    """
    walked = [
        "r0-leaf-1,swp1,vm-7,ens3",
        "r0-leaf-1,swp1,host-1,nic0",
        "r0-leaf-1,swp1,host-1,virbr0",
        "r0-leaf-1,swp2,host-1,aa:bb:cc:dd:ee:01",
        "r0-leaf-1,swp3,,",
        "r0-leaf-1,eth0,oob-switch,swp9",
    ]
    evidence = read(tmp_path, "\n".join(walked), "walked.csv")
    evidence.records.append(NeighborRecord("r0-leaf-1", "swp4", "", ()))
    result = audit(PLAN, evidence)
    assert counts(evidence) == {"matched": 1, "wrong": 0, "missing": 0, "extra": 0, "silent": 3}
    assert {
        "ports whose neighbour is the planned device, which does not name its port: 1",
        "ports whose neighbour gives neither a name nor a port of the plan: 1",
    } <= set(result.notes())


def test_ends_that_contradict_each_other_are_findings() -> None:
    """Where a leaf and a NIC name different neighbours, neither is accepted.

    A finding reports it.
    """
    neighbor_records = [
        NeighborRecord("r0-leaf-1", "swp1", "host-1", ("nic1",)),
        NeighborRecord("host-1", "nic0", "r0-leaf-1", ("swp1",)),
        NeighborRecord("host-1", "nic1", "r0-leaf-1", ("swp2",)),
    ]
    result = audit(PLAN, NeighborRecords(neighbor_records, {"r0-leaf-1", "host-1"}))
    kinds = Counter(finding.code for finding in result.findings)
    assert (result.ok, kinds["contradiction"], result.moves) == (False, 2, 0)
    assert "r0-leaf-1 swp1 sees host-1 nic1, which sees r0-leaf-1 swp2" in [
        finding.fact for finding in result.findings
    ]


def test_other_names_of_a_port(tmp_path: Path) -> None:
    """SONiC's alias, a lab's GPU, a NIC's RDMA name and a host's domain name the planned port."""
    keys: dict[str, Any] = {"gpus": 16, "hb_domain": {"gpus": 8}, "host": {"model": "dgx-h100"}}
    plan = plan_of(**keys, switches={"leaf": {"model": "sn5600", "breakout": "2x400G"}})
    cable = next(
        iter(
            audit(
                plan,
                NeighborRecords(
                    [NeighborRecord("r0-leaf-1", "etp1a", "host-1.example.net", ("mlx5_0",))],
                    {"r0-leaf-1"},
                ),
            ).matched
        )
    )
    assert cable == 0
    text = "r0-leaf-1,etp1a,d0-g0,nic0\nr0-leaf-1,Ethernet4,d1-g0,nic0\n"
    assert len(audit(plan, read(tmp_path, text, "lab.csv")).matched) == 2


@pytest.mark.parametrize(
    ("name", "matched", "findings"),
    [("faithful", 48, []), ("swapped", 45, ["breakout-reversed", "missing"])],
)
def test_ibnetdiscover_as_recorded(name: str, matched: int, findings: list[str]) -> None:
    """Recorded output of a simulated subnet, as planned and with faults.

    Ports are numbers and NICs are adapters.
    """
    plan = plan_of(
        design="fat-tree",
        gpus=16,
        hb_domain={"gpus": 8},
        host={"model": "dgx-h100"},
        rails={"tiers": 2},
        switches={"leaf": {"model": "qm9700"}},
    )
    result = audit(plan, read_evidence([RECORDED / f"{name}.ibnetdiscover"]))
    found = [finding.code for finding in result.findings]
    assert (len(result.matched), found) == (matched, findings)


def test_a_managed_infiniband_switch_has_its_name_in_its_description(tmp_path: Path) -> None:
    """`MF0;NAME:MODEL/U1` is read as NAME."""
    text = (
        (RECORDED / "faithful.ibnetdiscover")
        .read_text(encoding="utf-8")
        .replace('"leaf-1"', '"MF0;leaf-1:MQM9700/U1"')
    )
    assert {"leaf-1", "spine-1", "host-1"} <= read(tmp_path, text, "ib.txt").reporters


FAULTS = {
    "": "the file is empty",
    "{": "this is not JSON",
    "{}": "the JSON is not about LLDP",
    "[1]": "the JSON is not about LLDP",
    '{"a": {"b": 1}}': "the JSON is not about LLDP",
    '{"result": [{"version": 1}]}': "the JSON is not about LLDP",
    '{"lldp": [{"interface": [7]}]}': "continues differently",
    '{"lldpNeighbors": 3}': "continues differently",
    "a,b,c\n": "it has no column `a_interface`",
    "h1,p1,h2,p2\n\n,p1,h2,p2": "a line lacks a device",
    "h1,p1,h2,p2\nh1,p1,h2\n": "it has a line of 3 cells",
    "cable,a_device,x\n": "it has no column `a_interface`",
    'Switch 2 "S-1" # "leaf"\n[1] nonsense\n': "not a port of a switch",
    'Switch 2 "S-1"\n[1] "S-2"[1]\n': "names no switch",
    "LocalPort RemoteDevice RemoteType\nswp1 a b\n": "it has no column `a_device`",
    "[" * 100_000: "nested too deeply",
}


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: repr(text[:20]))
def test_an_unreadable_file_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    """The refusal has the fact, the file, and the line where one is known."""
    with pytest.raises(Refusal) as refused:
        read(tmp_path, text, "some.txt")
    (finding,) = refused.value.findings
    assert finding.code == "bad-evidence"
    assert FAULTS[text] in finding.fact
    assert finding.place is None or finding.place.source.endswith("some.txt")


def test_every_bad_file_of_a_directory_is_named(tmp_path: Path) -> None:
    """All at once; hidden files are ignored, and an empty directory is refused."""
    for name, content in {
        "a.json": b"{",
        "b.json": b"\xff",
        ".hidden": b"{",
        "c.csv": b"x,y,,\n",
    }.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(Refusal) as refused:
        read_evidence([tmp_path, tmp_path / "gone.json"])
    assert [
        finding.fact.partition("`: ")[2].partition(":")[0] for finding in refused.value.findings
    ] == [
        "this is not JSON",
        "it is not UTF-8 text",
        "no such file or directory",
    ]
    (tmp_path / "none").mkdir()
    with pytest.raises(Refusal, match="no file in this directory"):
        read_evidence([tmp_path / "none"])
