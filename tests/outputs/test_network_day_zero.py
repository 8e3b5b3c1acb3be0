"""What loads and boots the switches of the networks beside compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from fabricgen.build.job import make_job
from fabricgen.build.run import build
from fabricgen.catalog.catalog import Catalog
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, plan_of
from tests.outputs.packs.managed import LEAST

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.build.job import BuildJob

MACS = "name,mac\ninband-spine-1,94:6d:ae:00:a1:b2\nleaf-1,94:6d:ae:00:a1:b3\n"


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> BuildJob:
    """List the tasks for a small cluster with an in-band and an out-of-band network."""
    folder = tmp_path_factory.mktemp("inventory")
    (folder / "macs.csv").write_text(MACS, encoding="utf-8")
    networks: dict[str, Any] = {
        "inband": {
            "switches": {"leaf": {"model": "sn4600c"}},
            "speed": "100G",
            "uplinks": 4,
            "fill": 10,
        },
        "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
    }
    plan = plan_of(
        Catalog(base=folder),
        design="rail-optimized",
        gpus=64,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "sn5600"}},
        nos="nvue",
        networks=networks,
        management=LEAST | {"macs": "macs.csv"},
    )
    return make_job(build_context(plan, Packs(), ("configs", "push", "provision", "cluster")))


@pytest.fixture(scope="module")
def built(job: BuildJob, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build them."""
    out = tmp_path_factory.mktemp("built") / "out"
    build(job, out)
    return out


def test_networks_are_loaded_after_compute(built: Path) -> None:
    """Each has its spines before its leaves, and is verified before the next."""
    plays = YAML(typ="safe").load(built / "push" / "site.yml")
    assert [play["hosts"] for play in plays if "hosts" in play] == [
        "plane_0:&leaf_switches",
        "plane_0:&nos_nvue",
        "network_inband:&inband-spine-*",
        "network_inband:&inband-leaf-*",
        "network_inband:&nos_nvue",
        "network_oob",
        "network_oob:&nos_nvue",
    ]


def test_ansible_knows_every_switch_that_is_loaded(built: Path) -> None:
    """Each switch with a configuration has variables, and is in the group of its NOS."""
    switches = {folder.name for folder in (built / "configs").iterdir()}
    assert {"leaf-1", "inband-spine-1", "inband-leaf-1", "oob-1"} <= switches
    assert {file.stem for file in (built / "push" / "host_vars").iterdir()} == switches
    inventory = (built / "cluster" / "ansible" / "inventory.yml").read_text(encoding="utf-8")
    of_nos = YAML(typ="safe").load(inventory)["all"]["children"]["nos_nvue"]["hosts"]
    assert {"inband-leaf-[1:4]", "inband-spine-[1:2]", "oob-1"} <= of_nos.keys()


def test_switches_of_networks_boot_from_the_same_server(built: Path, job: BuildJob) -> None:
    """The table of MAC addresses has all switches, and access switches take the console."""
    dhcp = (built / "provision" / "dnsmasq.conf").read_text(encoding="utf-8")
    assert "dhcp-host=94:6d:ae:00:a1:b2,set:inband-spine-1,10.200.0.164,inband-spine-1" in dhcp
    assert "http://10.200.0.254/inband-spine-1/cumulus-ztp" in dhcp
    folders = {folder.name for folder in (built / "provision" / "www").iterdir()}
    assert "inband-leaf-4" in folders
    assert "oob-1" not in folders
    assert any("by the console" in reason for reason in job.skipped)
