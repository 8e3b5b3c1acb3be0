"""The lossless class of a host's NICs: `roce.sh` sets it, and `probe.sh` reads it back."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.group_hosts import host_outputs, tasks
from fabricgen.build.selection import Skipped
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import build_context, plan_of
from tests.outputs.packs.nic_tools import make_nics, run_on

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.views.hosts.view import HostView

DGX: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-h100"},
    "switches": {"leaf": {"model": "sn5600"}},
}
OTHER: dict[str, Any] = {"roce": {"dscp": 24, "priority": 4, "cnp_dscp": 46, "cnp_priority": 7}}
PACKS = Packs()


def host_view(**keys: Any) -> HostView:  # noqa: ANN401 - keys of an inventory
    """Make the view of the first host, with two of its NICs."""
    (view,) = Hosts(plan_of(**DGX | keys)).views([0])
    return replace(view, nics=view.nics[:2])


def script(name: str, view: HostView) -> str:
    """Render a script of the host."""
    return PACKS.render("hosts", f"{name}.j2", host=view, nic=None)


def make_host(root: Path, view: HostView) -> None:
    """Make the RDMA devices of a host, and NICs with their defaults."""
    for nic in view.nics:
        device = root / "sys/class/net" / nic.interface / "device/infiniband"
        (device / nic.rdma).mkdir(parents=True)
    make_nics(root, view)


def kept(root: Path) -> dict[str, str]:
    """Read the settings of a host's NICs."""
    folders = (root / "nics", root / "sys/class/net", root / "sys/kernel/config/rdma_cm")
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_text().strip() for path in files}


def faults(root: Path, view: HostView) -> list[str]:
    """Return the differences of the lossless class that the probe finds on the first NIC."""
    text = script("probe.sh", view)
    (line,) = [
        line
        for line in run_on(root, text).stdout.splitlines()
        if f" {view.nics[0].interface}:" in f"{line}:"
    ]
    words = ("trust", "DSCP", "PFC", "ECN", "CNP", "RDMA-CM")
    found = line.partition(": ")[2].split("; ")
    return [fault for fault in found if any(word in fault for word in words)]


@pytest.mark.parametrize("keys", [{}, OTHER], ids=["default", "other values"])
def test_the_script_sets_the_class_of_the_leaves(keys: dict[str, Any], tmp_path: Path) -> None:
    """Every NIC has the switches' classes, PFC, ECN and DSCPs; a second run changes nothing."""
    view = host_view(**keys)
    roce = view.roce
    make_host(tmp_path, view)
    for _ in range(2):
        done = run_on(tmp_path, script("roce.sh", view))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        found = kept(tmp_path)
        for nic in view.nics:
            own = f"nics/{nic.interface}"
            ecn = f"sys/class/net/{nic.interface}/ecn"
            cma = f"sys/kernel/config/rdma_cm/{nic.rdma}/ports/1/default_roce_tos"
            assert found[f"{own}.trust"] == "dscp"
            assert found[f"{own}.classes"].split() == [
                f"{dscp},{priority}" for dscp, priority in enumerate(roce.classes)
            ]
            assert found[f"{own}.pfc"].split().index("1") == roce.priority
            assert found[f"{own}.pfc"].count("1") == 1
            assert found[cma] == str(4 * roce.dscp)
            assert found[f"{ecn}/roce_np/cnp_dscp"] == str(roce.cnp_dscp)
            assert found[f"{ecn}/roce_np/cnp_802p_prio"] == str(roce.cnp_priority)
            for side in ("roce_rp", "roce_np"):
                enabled = [found[f"{ecn}/{side}/enable/{priority}"] for priority in range(8)]
                assert enabled == ["1" if at == roce.priority else "0" for at in range(8)]
    assert faults(tmp_path, view) == []


def test_the_probe_reports_a_nic_with_its_defaults(tmp_path: Path) -> None:
    """It names every setting, with the value that is expected."""
    view = host_view()
    make_host(tmp_path, view)
    assert faults(tmp_path, view) == [
        "trust is unknown, expected dscp",
        "priority of DSCP 26 is unknown, expected 3",
        "priority of DSCP 48 is unknown, expected 6",
        "priority with PFC is unknown, expected 3",
        "ECN of the sender is 0, expected 1",
        "ECN of the receiver is 0, expected 1",
        "DSCP of CNP is 0, expected 48",
        "priority of CNP is 0, expected 6",
        "ToS of RDMA-CM is unknown, expected 104",
    ]


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("nics/{interface}.trust", "pcp", "trust is pcp, expected dscp"),
        ("nics/{interface}.classes", "26,0\n48,6", "priority of DSCP 26 is 0, expected 3"),
        ("nics/{interface}.classes", "26,3\n48,0", "priority of DSCP 48 is 0, expected 6"),
        ("nics/{interface}.pfc", "0 0 1 1 0 0 0 0", "priority with PFC is 2,3, expected 3"),
        (
            "sys/class/net/{interface}/ecn/roce_rp/enable/3",
            "0",
            "ECN of the sender is 0, expected 1",
        ),
        ("sys/class/net/{interface}/ecn/roce_np/cnp_dscp", "46", "DSCP of CNP is 46, expected 48"),
        (
            "sys/kernel/config/rdma_cm/{rdma}/ports/1/default_roce_tos",
            "0",
            "ToS of RDMA-CM is 0, expected 104",
        ),
    ],
)
def test_the_probe_reports_each_difference(
    path: str, text: str, fault: str, tmp_path: Path
) -> None:
    """One changed setting is one difference."""
    view = host_view()
    make_host(tmp_path, view)
    assert run_on(tmp_path, script("roce.sh", view)).returncode == 0
    nic = view.nics[0]
    place = tmp_path / path.format(interface=nic.interface, rdma=nic.rdma)
    assert place.is_file()
    place.write_text(f"{text}\n")
    assert faults(tmp_path, view) == [fault]


def test_nics_of_other_vendors_are_set_by_dcb(tmp_path: Path) -> None:
    """It sets classes and PFC, and a comment names what only the vendor's tool sets."""
    view = replace(host_view(), roce_tools="dcb")
    make_host(tmp_path, view)
    text = script("roce.sh", view)
    assert "# ECN of the NIC (DCQCN)" in text
    assert len(faults(tmp_path, view)) == 4
    for _ in range(2):
        done = run_on(tmp_path, text)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    interface = view.nics[0].interface
    commands = (tmp_path / "commands").read_text().splitlines()
    assert f"dcb app replace dev {interface} default-prio 0 dscp-prio 26:3 48:6 56:6" in commands
    assert f"dcb pfc set dev {interface} prio-pfc all:off 3:on" in commands
    assert not any(line.startswith("mlnx_qos") for line in commands)
    assert faults(tmp_path, view) == []


@pytest.mark.parametrize(
    ("host", "why"),
    [({}, "the inventory names no NIC"), ({"host": {"model": "gaudi-3"}}, "gaudi-3-ports")],
)
def test_nothing_is_written_for_an_unknown_nic(host: dict[str, Any], why: str) -> None:
    """No script, and a sentence on what to set by hand."""
    keys = {key: DGX[key] for key in DGX if key != "host"} | host
    if host:
        leaf = {"model": "sn5600", "breakout": "4x200G"}
        keys |= {"rails": {"planes": 3}, "switches": {"leaf": leaf}}
    context = build_context(plan_of(**keys), Packs(), ("hosts",))
    paths = [output.path for _, output in host_outputs(context)]
    assert not [path for path in paths if path.endswith("roce.sh")]
    (reason,) = (each.reason for each in tasks(context) if isinstance(each, Skipped))
    assert reason.startswith("hosts/*/roce.sh: ")
    assert why in reason
    assert "DSCP 26, PFC and ECN on priority 3" in reason


def test_pensando_cards_are_set_by_nicctl(tmp_path: Path) -> None:
    """The classes once, and the congestion control of each RDMA device."""
    view = replace(host_view(), roce_tools="nicctl")
    make_host(tmp_path, view)
    recorded = '#!/bin/sh\necho "nicctl $*" >>"$FABRIC_ROOT/commands"\n'
    (tmp_path / "tools/nicctl").write_text(recorded)
    (tmp_path / "tools/nicctl").chmod(0o755)
    done = run_on(tmp_path, script("roce.sh", view))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    commands = (tmp_path / "commands").read_text().splitlines()
    assert commands.count("nicctl update qos pfc --priority 3 --no-drop enable") == 1
    for nic in view.nics:
        assert f"nicctl update dcqcn -r {nic.rdma} -i 1 --cnp-dscp 48" in commands


def test_one_nic_that_fails_stops_no_other(tmp_path: Path) -> None:
    """The script goes on, and names the port at the end."""
    view = host_view()
    make_host(tmp_path, view)
    bad, *others = view.nics
    shutil.rmtree(tmp_path / "sys/class/net" / bad.interface / "ecn")
    done = run_on(tmp_path, script("roce.sh", view))
    assert done.returncode == 1
    assert done.stderr.endswith(f"roce.sh failed on: {bad.interface}\n")
    for nic in others:
        ecn = tmp_path / "sys/class/net" / nic.interface / "ecn"
        assert (ecn / "roce_np/cnp_dscp").read_text() == "48\n"
