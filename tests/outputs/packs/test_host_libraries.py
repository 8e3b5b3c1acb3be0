"""Files of hosts by accelerator, NIC and release of the library, and of other owners of a host."""

from __future__ import annotations

import json
import shutil
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.load_plan import read_limits
from fabricgen.catalog.catalog import Catalog
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import make_plan
from tests.fabrics import plan_of, refusal_codes, spec_of
from tests.outputs.packs.nic_tools import run_on
from tests.outputs.packs.test_hosts import DGX, DIRECT, UNNUMBERED, Shown, shown

if TYPE_CHECKING:
    from pathlib import Path

SERVERS: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "rails": {"count": 8},
    "switches": {"leaf": {"model": "7060x6-64pe"}},
    "nos": "eos",
}


@cache
def host(model: str, planes: int = 1) -> Shown:
    """Render the first host of a model, without an MTU in the inventory."""
    leaf = {"model": "7060x6-64pe"} | ({"breakout": "4x200G"} if planes > 1 else {})
    keys = {"host": {"model": model}, "rails": {"count": 8, "planes": planes}}
    return shown(plan_of(**SERVERS | keys | {"switches": {"leaf": leaf}}), 0)


@pytest.mark.parametrize(
    ("model", "planes", "file", "reads"),
    [
        ("mi300x", 1, "rccl.conf", "/etc/rccl.conf"),
        ("mi325x", 1, "rccl.conf", "/etc/rccl.conf"),
        ("mi355x", 1, "rccl.conf", "/etc/rccl.conf"),
        ("dgx-h100", 1, "nccl.conf", "/etc/nccl.conf"),
        ("gaudi-3", 3, "gaudinet.sh", "/etc/habanalabs/gaudinet.json"),
    ],
)
def test_the_library_follows_the_accelerator(
    model: str, planes: int, file: str, reads: str
) -> None:
    """Each library has its file, and no other library's file or name is there."""
    files = host(model, planes).files
    text = files[file]
    every = {"nccl.conf", "rccl.conf", "gaudinet.sh"}
    assert every & files.keys() == {file}
    assert reads in text
    if file == "rccl.conf":
        assert "/etc/nccl.conf" not in "".join(files.values())
        assert "NCCL_PXN_DISABLE=0\n" in text
        assert "NCCL_CROSS_NIC=0\n" in text
        assert "RCCL" in text
        assert not [word for word in text.split() if word.strip(".,:") == "NCCL"]


def test_gaudinet_has_the_addresses_of_the_host(tmp_path: Path) -> None:
    """MAC addresses come from the host; a port without one is named, and the others are written."""
    one = host("gaudi-3", 3)
    for number, nic in enumerate(one.view.nics):
        shows = tmp_path / "sys/class/net" / nic.interface
        shows.mkdir(parents=True)
        if number:
            (shows / "address").write_text(f"02:00:00:00:00:{number:02x}\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in {
        "ping": "",
        "ip": 'echo "$3 dev $5 lladdr 06:00:00:00:00:01 STALE"\n',
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}")
        (tools / name).chmod(0o755)
    done = run_on(tmp_path, one.files["gaudinet.sh"])
    assert done.returncode == 1
    assert one.view.nics[0].interface in done.stderr
    made = json.loads((tmp_path / "etc/habanalabs/gaudinet.json").read_text())["NIC_NET_CONFIG"]
    assert len(made) == len(one.view.nics) - 1
    assert made[0] == {
        "NIC_MAC": "02:00:00:00:00:01",
        "NIC_IP": one.view.nics[1].address,
        "SUBNET_MASK": "255.255.255.254",
        "GATEWAY_MAC": "06:00:00:00:00:01",
    }


@pytest.mark.parametrize(
    ("model", "planes", "mtu"), [("mi355x", 1, 9194), ("gaudi-3", 3, 9000), ("dgx-h100", 1, 9216)]
)
def test_the_default_mtu_is_one_that_the_nic_takes(model: str, planes: int, mtu: int) -> None:
    """A limit below the default lowers it on both ends; one above it changes nothing."""
    one = host(model, planes)
    assert one.view.mtu == mtu
    assert f"mtu: {mtu}\n" in one.files["netplan/60-rails.yaml"]
    assert f"MTUBytes={mtu}\n" in one.files[f"networkd/10-{one.view.nics[0].interface}.network"]
    assert f"mtu {mtu}\n" in one.files["rails.sh"]


def test_an_mtu_above_the_limit_of_the_nic_is_refused() -> None:
    """Not below it, and not where the NIC takes more."""
    keys = SERVERS | {"host": {"model": "mi355x"}}
    assert refusal_codes(**keys, addressing={"mtu": 9214}) == ["above-nic-limit"]
    assert plan_of(**keys, addressing={"mtu": 9194}).spec.addressing.mtu == 9194
    assert plan_of(**keys | {"host": {"model": "mi300x"}}, addressing={"mtu": 9214})


def test_the_default_mtu_is_one_that_the_nos_takes(tmp_path: Path) -> None:
    """Also that of an own pack, whose limit its pack.yaml states."""
    shutil.copytree(Packs().home / "eos", tmp_path / "eos")
    pack = tmp_path / "eos/pack.yaml"
    text = pack.read_text(encoding="utf-8")
    pack.write_text(text.replace("addressing.mtu: 9214", "addressing.mtu: 9100"), encoding="utf-8")
    for roots, mtu in (((), 9214), ((tmp_path,), 9100)):
        catalog = Catalog()
        read_limits(catalog, Packs(roots))
        assert make_plan(spec_of(**SERVERS), catalog).spec.addressing.mtu == mtu


@pytest.mark.parametrize(
    ("model", "nic", "planes"),
    [
        ("mi300x", "thor-2", 1),
        ("mi300x", "pollara-400", 1),
        ("mi300x", "pollara-400", 2),
        ("mi325x", "pollara-400", 2),
        ("mi325x", "connectx-7", 1),
        ("hgx-h100", "bluefield-3", 1),
    ],
)
def test_a_host_takes_the_nics_that_it_is_sold_with(model: str, nic: str, planes: int) -> None:
    """Its cages and speeds are those of the card; roce.sh sets the class by the card's tool."""
    leaf = {"model": "7060x6-64pe", "breakout": f"{2 * planes}x{400 // planes}G"}
    keys = {"host": {"model": model}, "nic": {"model": nic}, "switches": {"leaf": leaf}}
    plan = plan_of(**SERVERS | keys | {"rails": {"count": 8, "planes": planes}})
    chosen = plan.fabric.nic
    assert chosen is not None
    assert plan.fabric.host is not None
    assert (chosen.model, plan.fabric.speed_gbps) == (nic, 400 // planes)
    assert plan.fabric.host.form_factor == chosen.form_factor
    assert "roce.sh" in shown(plan, 0).files


def test_a_nic_that_the_host_is_not_sold_with_is_refused() -> None:
    """The refusal names those that it is sold with."""
    keys = SERVERS | {"host": {"model": "dgx-h100"}, "nic": {"model": "pollara-400"}}
    assert refusal_codes(**keys) == ["nic-contradicts-host"]


def set_by_file(**keys: Any) -> dict[str, tuple[str, str]]:  # noqa: ANN401 - keys of an inventory
    """Return the value and the reason of each setting of a host."""
    view = shown(plan_of(**DGX | keys), 0).view
    return {each.name: (each.value, " ".join(each.why)) for each in view.nccl}


def test_old_releases_are_given_the_gid() -> None:
    """By the index of the NIC; later ones find it, and without a version the boundary is named."""
    value, why = set_by_file(nccl={"version": "2.18.5"})["NCCL_IB_GID_INDEX"]
    assert (value, "link-local" in why) == ("3", True)
    assert "NCCL_IB_GID_INDEX" not in set_by_file(nccl={"version": "2.21"})
    value, why = set_by_file()["NCCL_IB_GID_INDEX"]
    assert (value, "2.21" in why) == ("", True)
    unknown = set_by_file(
        host={"nics": [f"eth{at}" for at in range(8)]}, nccl={"version": "2.18.5"}
    )
    assert "name the index" in unknown["NCCL_IB_GID_INDEX"][1]
    rccl = {"host": {"model": "mi355x"}, "nccl": {"version": "2.20.5"}}
    assert set_by_file(**rccl)["NCCL_IB_GID_INDEX"][0] == "1"


@pytest.mark.parametrize(
    ("tiers", "leaf", "named"), [(1, "sn5600", False), (2, "sn5600", True), (2, "qm9700", False)]
)
def test_paths_are_spread_over_spines(tiers: int, leaf: str, *, named: bool) -> None:
    """Where Ethernet has several: with one tier, and on InfiniBand, there is no such setting."""
    found = set_by_file(rails={"tiers": tiers}, switches={"leaf": {"model": leaf}})
    assert ("NCCL_IB_QPS_PER_CONNECTION" in found) == named
    if named:
        why = found["NCCL_IB_QPS_PER_CONNECTION"][1]
        assert "NCCL_IB_SPLIT_DATA_ON_QPS" in why
        assert "NCCL_IB_ADAPTIVE_ROUTING" in why


def test_direct_rails_send_by_the_device_of_the_neighbour() -> None:
    """From the release on that has the setting; before it, the reason names the release."""
    found = set_by_file(**DIRECT)
    assert found["NCCL_IB_SUBNET_AWARE_ROUTING"][0] == "1"
    assert found["NCCL_IB_SUBNET_PREFIX_LEN"][0] == "31"
    old = set_by_file(**DIRECT, nccl={"version": "2.29"})
    assert old["NCCL_IB_SUBNET_AWARE_ROUTING"][0] == ""
    assert "NCCL_IB_SUBNET_PREFIX_LEN" not in old


@pytest.mark.parametrize("keys", [{}, UNNUMBERED, DIRECT], ids=["numbered", "unnumbered", "direct"])
def test_other_owners_leave_the_ports_alone(keys: dict[str, Any]) -> None:
    """systemd-networkd keeps rules and routes, and NetworkManager the ports."""
    one = shown(plan_of(**DGX | keys), 0)
    lines = one.files["networkd.conf"].splitlines()
    assert lines[-3:] == [
        "[Network]",
        "ManageForeignRoutingPolicyRules=no",
        "ManageForeignRoutes=no",
    ]
    assert "networkd.conf" in one.files["rails.sh"]
    managed = one.files["networkmanager.conf"]
    assert all(f"interface-name:{nic.interface};" in managed for nic in one.view.nics)


def test_rails_sh_sets_up_every_port(tmp_path: Path) -> None:
    """One port refuses its MTU: all ports have their addresses, and that one is named."""
    one = host("dgx-h100")
    bad, *others = (nic.interface for nic in one.view.nics)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("ip", "sysctl"):
        refuses = f'case "$* " in *"{bad} mtu "*) exit 2 ;; esac'
        text = f'#!/bin/sh\necho "$*" >>"$FABRIC_ROOT/log"\n{refuses}\n'
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    done = run_on(tmp_path, one.files["rails.sh"])
    assert done.returncode == 1
    assert bad in done.stderr
    assert not [other for other in others if other in done.stderr]
    log = (tmp_path / "log").read_text()
    assert all(f"/31 dev {nic.interface}" in log for nic in one.view.nics)
