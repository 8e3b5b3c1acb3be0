"""LLDP is enabled by the configuration of every NOS, so that `audit` has neighbors to compare.

Each file is read back as its NOS reads it, and the names that a switch then reports are the plan's.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fabricgen.build.group_hosts import host_outputs
from fabricgen.outputs.packs.render import Packs
from fabricgen.views.hosts.build import Hosts
from tests.fabrics import build_context, plan_of
from tests.nos.eos import lines_of
from tests.nos.model_variants import MODELS
from tests.nos.nvue import expanded, flattened
from tests.nos.switch_files import render_switches
from tests.outputs.packs.test_nvue import NVUE_5_14

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _nvue(files: Mapping[str, str]) -> bool:
    setting = ("system", "lldp", "state", "enabled")
    return all(
        setting in found
        for found in (flattened(files["startup.yaml"]), expanded(files["commands.txt"]))
    )


def _sonic(files: Mapping[str, str]) -> bool:
    return bool(json.loads(files["config_db.json"])["FEATURE"]["lldp"] == {"state": "enabled"})


def _eos(files: Mapping[str, str]) -> bool:
    return ("lldp run",) in lines_of(files["startup-config.cfg"])


def _frr(files: Mapping[str, str]) -> bool:
    lines = files["lldpd.conf"].splitlines()
    return {"configure lldp portidsubtype ifname", "configure lldp status rx-and-tx"} <= {*lines}


def _nxos(files: Mapping[str, str]) -> bool:
    return "feature lldp" in next(iter(files.values())).splitlines()


def _junos(files: Mapping[str, str]) -> bool:
    lines = next(iter(files.values())).splitlines()
    kinds = {"interface all", "port-id-subtype interface-name"}  # else it sends the SNMP index
    return {f"set protocols lldp {kind}" for kind in kinds} <= {*lines}


def _srlinux(files: Mapping[str, str]) -> bool:
    system = json.loads(files["config.json"])["srl_nokia-system:system"]
    return bool(system["srl_nokia-lldp:lldp"] == {"admin-state": "enable"})


OTHERS = {"sonic": "sn5600", "eos": "7060x6-64pe", "frr": "sn5600", "srlinux": "7220-ixr-h5-64"}
"""A switch model for each NOS without statements of its own in the tests."""

READERS: dict[str, Callable[[Mapping[str, str]], bool]] = {
    "nvue": _nvue,
    "sonic": _sonic,
    "eos": _eos,
    "frr": _frr,
    "nxos": _nxos,
    "junos": _junos,
    "srlinux": _srlinux,
}
"""NOS -> whether its files enable LLDP."""


def test_every_host_has_the_settings_of_lldpd() -> None:
    """A host reports its name and those of its interfaces; InfiniBand has no LLDP."""
    ethernet, infiniband = ("sn5600", "qm9700")
    keys = {"gpus": 16, "hb_domain": {"gpus": 8}, "host": {"model": "dgx-h100"}}
    for model in (ethernet, infiniband):
        plan = plan_of(**keys, switches={"leaf": {"model": model}})
        outputs = host_outputs(build_context(plan, Packs(), ("hosts",)))
        names = [output.path for _, output in outputs]
        assert ("hosts/{host}/lldpd.conf" in names) == (model == ethernet)
    (host, *_) = Hosts(plan_of(**keys, switches={"leaf": {"model": ethernet}})).views([1])
    lines = Packs().render("hosts", "lldpd.conf.j2", host=host).splitlines()
    assert "configure system hostname host-2" in lines
    assert _frr({"lldpd.conf": "\n".join(lines)})


@pytest.mark.parametrize("nos", READERS)
def test_every_switch_enables_lldp(nos: str) -> None:
    """Leaves and spines alike."""
    leaf = {"model": (MODELS | OTHERS)[nos]}
    plan = plan_of(
        gpus=264, hb_domain={"gpus": 2}, nos=nos, rails={"tiers": 2}, switches={"leaf": leaf}
    )
    found = render_switches(plan)
    assert {one.switch.role for one in found} == {"leaf", "spine"}
    assert all(READERS[nos](one.files) for one in found)


def test_every_nos_is_read() -> None:
    """A new pack of configurations needs a reader here; InfiniBand has no LLDP."""
    packs = Packs()
    found = (packs.pack(name) for name in packs.names())
    assert {pack.nos for pack in found if pack and pack.configures_fabric} == READERS.keys()


def test_releases_before_the_command_have_lldp_by_default() -> None:
    """Cumulus Linux 5.14 and earlier keep it under `service`; nothing disables it."""
    for one in NVUE_5_14.switches("two tiers"):
        assert not any("lldp" in text for text in one.files.values())
