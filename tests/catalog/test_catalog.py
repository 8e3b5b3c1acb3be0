"""The catalog: every shipped file, the names it makes, shadowing, and refused files."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from fabricgen.catalog.catalog import Catalog
from fabricgen.catalog.kinds import KINDS
from fabricgen.catalog.models.library import Library
from fabricgen.catalog.models.prices import PriceBook
from fabricgen.catalog.models.workload import Workload
from fabricgen.core.diagnostics import Finding, Refusal, nearest
from fabricgen.core.resources import shipped

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.catalog.models.base import Sourced
    from fabricgen.catalog.models.host import Host
    from fabricgen.catalog.models.optics import Cable, Transceiver
    from fabricgen.catalog.models.switch import Breakout, Switch

MODELS = {
    "switches": [
        "7010tx-48",
        "7060dx5-64s",
        "7060x6-64pe",
        "7060xe7-128pe",
        "7060xe7-64ps",
        "7220-ixr-d1",
        "7220-ixr-d5",
        "7220-ixr-h5-64",
        "7220-ixr-h6-128",
        "7220-ixr-h6-64",
        "ais1600-64o",
        "ais800-64o",
        "as4630-54te",
        "cm8148",
        "ds2000",
        "ds5000",
        "ds6000",
        "ex4400-48t",
        "generic",
        "n9364e-sg2",
        "n9364f-sg3",
        "n9k-c9348gc-fxp",
        "om2248",
        "palomar",
        "patch-144",
        "polatis-384",
        "polatis-576",
        "q3200",
        "q3400",
        "q3401",
        "q3450",
        "qfx5130",
        "qfx5240",
        "qfx5250",
        "qm8790",
        "qm9700",
        "r300",
        "s320",
        "s3248t-on",
        "sn2201",
        "sn4600c",
        "sn4700",
        "sn5400",
        "sn5600",
        "sn5600d",
        "sn5610",
        "sn5640",
        "sn6600-ld",
        "z9864f",
        "z9964f",
    ],
    "hosts": [
        "dgx-a100",
        "dgx-b200",
        "dgx-b300",
        "dgx-h100",
        "dgx-rubin-nvl8",
        "gaudi-3",
        "gb200-nvl72",
        "gb300-nvl72",
        "gh200",
        "hgx-b200",
        "hgx-b300",
        "hgx-h100",
        "hgx-h200",
        "mi300x",
        "mi325x",
        "mi355x",
        "pcie-8gpu",
        "vr-nvl72",
    ],
    "nics": [
        "bluefield-3",
        "connectx-6",
        "connectx-7",
        "connectx-8",
        "connectx-9",
        "gaudi-3-ports",
        "pollara-400",
        "thor-2",
    ],
    "transceivers": [
        "cpo-xdr",
        "dr4-2x400g",
        "dr4-400g",
        "dr4-400g-qsfp-dd",
        "dr4-400g-qsfp112",
        "fr4-2x400g",
        "fr4-400g",
        "generic-100g",
        "generic-1600g",
        "generic-200g",
        "generic-400g",
        "generic-800g",
        "mma1z00-ns400",
        "mma4z00-ns",
        "mma4z00-ns-flt",
        "mma4z00-ns400",
        "mms1v00-wm",
        "mms1x00-ns400",
        "mms4a00",
        "mms4a20",
        "mms4x00-nm",
        "mms4x00-ns",
        "mms4x00-ns400",
        "mms4x50-nm",
        "sr4-2x400g",
        "sr4-400g",
        "sr4-400g-qsfp112",
    ],
    "cables": [
        "cat5e",
        "cat5e-serial",
        "cat6",
        "generic-fibre",
        "jumper-lc-smf",
        "jumper-mpo12-mmf-a",
        "jumper-mpo12-mmf-c",
        "jumper-mpo12-smf-a",
        "jumper-mpo12-smf-c",
        "mca4j80",
        "mca7j60",
        "mcp1600",
        "mcp1660",
        "mcp4y10",
        "mcp7y00",
        "mcp7y10",
        "mcp7y60",
        "mfa1a00",
        "mfa7u10",
        "mfp7e10",
        "mfp7e20",
        "mfp7e30",
        "mfp7e40",
    ],
    "connectors": ["lc", "mpo12", "mpo16"],
    "cassettes": ["adapters-12-mpo12", "adapters-12-mpo16", "mpo12-to-lc"],
    "panels": ["panel-1u", "panel-4u"],
    "devices": ["ap8886", "management-node", "storage-node", "ufm-appliance"],
    "power-cords": ["c13-c14", "c19-c20", "power-cord"],
    "trunks": ["trunk-mpo12-mmf", "trunk-mpo12-smf", "trunk-mpo16-mmf", "trunk-mpo16-smf"],
    "prices": ["opus-h200", "paper-v1-fit", "paper-v5", "street-2026-09"],
    "libraries": ["hccl", "nccl", "rccl"],
    "accelerators": [
        "a100-sxm",
        "b200-sxm",
        "b300-sxm",
        "gaudi-3-oam",
        "gb200-gpu",
        "gb300-gpu",
        "gh200-gpu",
        "gh200-paper",
        "h100-sxm",
        "h200-sxm",
        "mi300x-oam",
        "mi325x-oam",
        "mi355x-oam",
    ],
    "workloads": ["glam-64b-64e", "gpt3", "opt-175b", "palm-540b"],
}

# One 8-lane 800G cage in its three forms, as the vendors' documents name its ports.
CUMULUS = (["swp1"], ["swp1s0", "swp1s1"], ["swp1s0", "swp1s1", "swp1s2", "swp1s3"])
SONIC = (
    ["Ethernet0"],
    ["Ethernet0", "Ethernet4"],
    ["Ethernet0", "Ethernet2", "Ethernet4", "Ethernet6"],
)
EOS = (
    ["Ethernet1/1"],
    ["Ethernet1/1", "Ethernet1/5"],
    ["Ethernet1/1", "Ethernet1/3", "Ethernet1/5", "Ethernet1/7"],
)
SRLINUX = (
    ["ethernet-1/1"],
    ["ethernet-1/1/1", "ethernet-1/1/2"],
    [f"ethernet-1/1/{sub}" for sub in (1, 2, 3, 4)],
)
SHAPES = ("1x800G", "2x400G", "4x200G")


def _switch(model: str) -> Switch:
    switch = Catalog().switch(model)
    assert switch is not None
    return switch


def _host(model: str) -> Host:
    host = Catalog().host(model)
    assert host is not None
    return host


def _book(name: str) -> PriceBook:
    book = Catalog().price_book(name)
    assert book is not None
    return book


def _names(switch: Switch, nos: str, shape: str, cage: int = 1) -> list[str]:
    mode = switch.breakout(shape)
    assert mode is not None
    return [switch.interface(nos, cage, sub, mode) for sub in range(mode.count)]


def _files() -> list[Path]:
    home = shipped("inventories")
    return sorted(
        [
            *(home / "catalog").rglob("*.*"),
            *(home / "prices").glob("*.*"),
            *(home / "workloads").glob("*.*"),
        ]
    )


def _everything() -> list[tuple[str, str, Sourced]]:
    catalog = Catalog()
    finders = {
        "switches": catalog.switch,
        "hosts": catalog.host,
        "nics": catalog.nic,
        "transceivers": catalog.transceiver,
        "cables": catalog.cable,
        "prices": catalog.price_book,
        "connectors": catalog.connector,
        "cassettes": catalog.cassette,
        "panels": catalog.panel,
        "trunks": catalog.trunk,
        "devices": catalog.device,
        "power-cords": lambda name: catalog.find("power-cords", name),
        "accelerators": catalog.accelerator,
        "libraries": catalog.library,
        "workloads": catalog.workload,
    }
    found: list[tuple[str, str, Sourced]] = []
    for kind, find in finders.items():
        for name in catalog.names(kind):
            facts = find(name)
            assert facts is not None, (kind, name)
            found.append((kind, name, facts))
    return found


# --- what ships


def test_the_list_of_models_is_exact() -> None:
    """The list of models is a contract: inventories name them."""
    catalog = Catalog()
    assert {kind: catalog.names(kind) for kind in KINDS} == MODELS


def test_every_file_is_read_and_names_its_sources() -> None:
    """Each file is a model of its kind under its own name, and no file is left unread."""
    everything = _everything()
    assert len(everything) == len(_files()) == sum(len(names) for names in MODELS.values())
    for kind, name, facts in everything:
        assert (
            facts.name
            if isinstance(facts, PriceBook | Workload | Library)
            else facts.model_dump()["model"]
        ) == name
        assert isinstance(facts, KINDS[kind])
        assert facts.description
        assert all(len(source) > 10 for source in facts.source), name
        assert all(path.suffix == ".yaml" for path in _files())


def test_facts_of_quality_c_are_marked_unverified() -> None:
    """Facts from memory or derivation are marked in the file."""
    for _, name, facts in _everything():
        quality = facts.model_dump().get("quality")
        assert quality != "C" or facts.unverified or name in ("generic-fibre", "power-cord"), name


def test_every_unverified_mark_names_a_stated_fact() -> None:
    """A mark on an absent fact would have no meaning."""
    for _, name, facts in _everything():
        values = facts.model_dump()
        for mark in facts.unverified:
            assert values[mark.split(".")[0]] not in (None, (), {}), (name, mark)


def test_everything_prints_as_json() -> None:
    """`catalog show --json` prints models as they are."""
    for _, name, facts in _everything():
        assert json.loads(facts.model_dump_json()).get("model", name) == name


def test_lists_are_sorted_and_cached() -> None:
    """The same tuple is returned: no file is read twice."""
    catalog = Catalog()
    lists = (
        catalog.switches(),
        catalog.hosts(),
        catalog.nics(),
        catalog.transceivers(),
        catalog.cables(),
    )
    for kind, parts in zip(MODELS, lists, strict=False):
        assert [part.model for part in parts] == MODELS[kind]
    assert catalog.transceivers() is catalog.transceivers()
    assert catalog.switch("sn5600") is catalog.switches()[MODELS["switches"].index("sn5600")]


def test_only_the_requested_file_is_read(tmp_path: Path) -> None:
    """An invalid file of one model does not matter to a fabric that uses another."""
    (tmp_path / "switches").mkdir()
    (tmp_path / "switches" / "broken.yaml").write_text("[", encoding="utf-8")
    catalog = Catalog([tmp_path])
    assert catalog.switch("sn5600") is not None
    with pytest.raises(Refusal):
        catalog.switches()


def test_an_unknown_model_is_none_and_its_nearest_is_found() -> None:
    """The caller reports that a model is missing."""
    catalog = Catalog()
    assert catalog.switch("sn560") is None
    assert nearest("sn_5600", catalog.names("switches")) == "sn5600"
    assert nearest("dgx_h100", catalog.names("hosts")) == "dgx-h100"


@pytest.mark.parametrize(
    "name",
    [
        "../switches/sn5600",
        "/etc/passwd",
        "sn5600/",
        "",
        ".",
        "..",
        "-x",
        "SN5600",
        "sn5600\n",
        "sn5600\0",
    ],
)
def test_a_name_cannot_leave_its_folder(name: str) -> None:
    """A model is a plain lower-case word; anything else is unknown, whatever files exist."""
    catalog = Catalog()
    assert catalog.switch(name) is None
    assert catalog.host(name) is None
    assert catalog.nic(name) is None
    assert catalog.transceiver(name) is None
    assert catalog.cable(name) is None
    assert catalog.price_book(name) is None


# --- switches


@pytest.mark.parametrize(
    ("model", "nos", "expected"),
    [
        ("sn5600", "nvue", CUMULUS),
        ("sn5600", "frr", CUMULUS),
        ("sn5600", "sonic", SONIC),
        ("7060x6-64pe", "eos", EOS),
        ("7220-ixr-h5-64", "srlinux", SRLINUX),
        (
            "ds5000",
            "hedgehog",
            (["E1/1"], ["E1/1/1", "E1/1/2"], ["E1/1/1", "E1/1/2", "E1/1/3", "E1/1/4"]),
        ),
        ("qfx5240", "junos", (["et-0/0/0"], ["et-0/0/0:0", "et-0/0/0:1"])),
    ],
)
def test_interface_names(model: str, nos: str, expected: tuple[list[str], ...]) -> None:
    """The first cage, whole and split, as each NOS names it."""
    switch = _switch(model)
    assert tuple(_names(switch, nos, shape) for shape in SHAPES[: len(expected)]) == expected


@pytest.mark.parametrize(
    ("model", "nos", "shape", "expected"),
    [
        ("sn5600", "sonic", "2x400G", ["Ethernet504", "Ethernet508"]),
        ("sn5600", "nvue", "2x400G", ["swp64s0", "swp64s1"]),
        ("z9864f", "sonic", "8x100G", [f"Ethernet{lane}" for lane in range(504, 512)]),
        ("7060dx5-64s", "eos", "2x200G", ["Ethernet64/1", "Ethernet64/5"]),
        ("qfx5240", "junos", "2x400G", ["et-0/0/63:0", "et-0/0/63:1"]),
        ("n9364e-sg2", "nxos", "1x800G", ["Ethernet1/64"]),
        ("n9364e-sg2", "nxos", "2x400G", ["Ethernet1/64/1", "Ethernet1/64/2"]),
    ],
)
def test_interface_names_of_the_last_cage(
    model: str, nos: str, shape: str, expected: list[str]
) -> None:
    """Whether the NOS counts from 0 or 1 shows in the last cage."""
    assert _names(_switch(model), nos, shape, 64) == expected


def test_infiniband_ports_are_cage_and_port() -> None:
    """Twin-port cages: 64 NDR ports on 32 cages, 144 XDR ports on 72."""
    quantum2, xdr = _switch("qm9700"), _switch("q3400")
    assert _names(quantum2, "mlnxos", "2x400G", 32) == ["1/32/1", "1/32/2"]
    assert _names(xdr, "nvos", "2x800G", 1) == ["sw1p1", "sw1p2"]
    assert (quantum2.cages * 2, xdr.cages * 2, _switch("qm8790").cages) == (64, 144, 40)
    assert {switch.transport for switch in (quantum2, xdr, _switch("qm8790"))} == {"infiniband"}


@pytest.mark.parametrize("model", MODELS["switches"])
def test_no_two_ports_have_one_name(model: str) -> None:
    """For every NOS and breakout, each port of the switch has its own name."""
    switch = _switch(model)
    for nos in switch.interfaces:
        for mode in switch.breakouts:
            names = [
                switch.interface(nos, cage, sub, mode)
                for cage in switch.cages_by_breakout[mode.name]
                for sub in range(mode.count)
            ]
            assert len(set(names)) == len(names), (nos, mode.name)


def test_service_cages_are_behind_the_others() -> None:
    """They have the next numbers and lanes, and no part in what the switch can forward."""
    switch = _switch("ds5000")
    slow = switch.mode_at(10)
    assert slow
    assert (switch.cages, switch.capacity_gbps) == (64, 51_200)
    assert switch.cages_by_breakout["1x10G"] == [65, 66]
    assert switch.form_factor_of(slow) == "sfp28"
    assert [switch.interface(nos, 66, 0, slow) for nos in ("hedgehog", "frr", "sonic")] == [
        "E1/66",
        "swp66",
        "Ethernet513",
    ]
    assert switch.numbers == {*range(1, 67)}


def test_two_kinds_of_cages_in_one_box() -> None:
    """The SN2201 has 48 RJ45 sockets of one lane and 4 QSFP28 cages of four.

    Its ports are named as sonic-buildimage's platform.json and Cumulus Linux have them.
    """
    box = _switch("sn2201")
    low, high = box.breakouts[:2]
    assert {mode.name: len(cages) for mode, cages in _cages_of(box)} == {
        "1x1G": 48,
        "1x100G": 4,
        "2x50G": 4,
    }
    assert (box.form_factor_of(low), box.form_factor_of(high)) == ("rj45", "qsfp28")
    assert (box.module_top_of(low), box.capacity_gbps) == ("any", 448)
    assert [box.interface("sonic", cage, 0, high) for cage in range(49, 53)] == [
        "Ethernet48",
        "Ethernet52",
        "Ethernet56",
        "Ethernet60",
    ]
    assert (box.interface("sonic", 48, 0, low), box.alias("sonic", 48, 0, low)) == (
        "Ethernet47",
        "etp48",
    )
    assert box.interface("nvue", 52, 0, high) == "swp52"


@pytest.mark.parametrize(
    ("model", "groups", "capacity"),
    [
        # netbox-community/devicetype-library
        ("7010tx-48", {"rj45": 48, "sfp28": 4}, 148),
        ("n9k-c9348gc-fxp", {"rj45": 48, "sfp28": 4, "qsfp28": 2}, 348),
        ("as4630-54te", {"rj45": 48, "sfp28": 4, "qsfp28": 2}, 348),
        ("7220-ixr-d1", {"rj45": 48, "sfp+": 4}, 88),
        ("ex4400-48t", {"rj45": 48, "qsfp28": 2}, 248),
        # Dell PowerSwitch guide
        ("s3248t-on", {"rj45": 48, "sfp+": 4, "qsfp28": 2}, 288),
        # githedgehog/fabric, p_bcm_celestica_ds2000.go
        ("ds2000", {"sfp28": 48, "qsfp28": 8}, 2000),
    ],
)
def test_switches_of_management_networks(model: str, groups: dict[str, int], capacity: int) -> None:
    """Sockets for hosts and cages for uplinks, in boxes of one rack unit."""
    box = _switch(model)
    found = Counter(box.form_factor_at(cage) for cage in range(1, box.cages + 1))
    assert (found, box.capacity_gbps) == (groups, capacity)


def test_a_group_of_cages_has_names_of_its_own() -> None:
    """Uplinks of an EX4400 are in another slot than its sockets for hosts."""
    box = _switch("ex4400-48t")
    low, high = box.breakouts
    ports = [(1, low), (48, low), (49, high), (50, high)]
    names = [box.interface("junos", cage, 0, mode) for cage, mode in ports]
    assert names == ["ge-0/0/0", "ge-0/0/47", "et-0/1/0", "et-0/1/1"]
    assert box.interface("frr", 50, 0, high) == "swp50"


@pytest.mark.parametrize(
    "model",
    ["7060xe7-64ps", "7220-ixr-h6-64", "ais1600-64o", "ds6000", "n9364f-sg3", "qfx5250", "z9964f"],
)
def test_switches_of_100_terabits(model: str) -> None:
    """64 cages of 1.6T, or 128 ports of 800G."""
    box = _switch(model)
    assert (box.cages, box.capacity_gbps) == (64, 102_400)
    assert box.breakout("2x800G")


def _cages_of(box: Switch) -> list[tuple[Breakout, list[int]]]:
    return [(mode, box.cages_by_breakout[mode.name]) for mode in box.breakouts]


def test_every_ethernet_switch_has_linux_names() -> None:
    """The lab and the FRR pack run any of them."""
    for switch in Catalog().switches():
        packets = switch.transport == "ethernet" and switch.circuits is None
        assert ("frr" in switch.interfaces) == packets, switch.model


def test_optical_circuit_switches() -> None:
    """Ports, loss and time as their sources state them; what none states is left out."""
    boxes = {each.model: each for each in Catalog().switches() if each.circuits}
    facts = {
        model: (box.cages, box.circuits.loss_db, box.circuits.switching_ms, box.typical_w)
        for model, box in boxes.items()
        if box.circuits
    }
    assert facts == {
        "palomar": (136, 2, 3, 108),
        "patch-144": (144, 0.5, None, 0),
        "polatis-384": (384, None, 50, 100),
        "polatis-576": (576, None, 50, None),
        "r300": (300, 1.5, None, None),
        "s320": (320, None, 200, 45),
    }
    assert [model for model, box in boxes.items() if box.quality == "A"] == []


def test_front_panel_aliases() -> None:
    """SONiC keeps the printed name of a port beside its own; other systems keep none."""
    switch = _switch("sn5600")
    whole, half = switch.breakout("1x800G"), switch.breakout("2x400G")
    assert whole is not None
    assert half is not None
    assert switch.alias("sonic", 64, 0, whole) == "etp64"
    assert switch.alias("sonic", 1, 1, half) == "etp1b"
    assert switch.alias("nvue", 1, 1, half) is None


def test_a_nos_that_the_model_does_not_run_is_a_key_error() -> None:
    """The caller has checked; a name is never invented."""
    switch = _switch("sn5600")
    with pytest.raises(KeyError):
        switch.interface("junos", 1, 0, switch.breakouts[0])


def test_limits() -> None:
    """Some cages split less than others, and an ASIC has a limit of ports."""
    nokia = _switch("7220-ixr-h5-64")
    assert [mode.name for mode in nokia.breakouts_of(32)] == [
        "1x800G",
        "2x400G",
        "4x200G",
        "8x100G",
    ]
    assert [mode.name for mode in nokia.breakouts_of(33)] == ["1x800G", "2x400G"]
    assert {model: _switch(model).port_limit for model in ("sn5600", "sn5640", "ds5000")} == {
        "sn5600": 256,
        "sn5640": 512,
        "ds5000": 320,
    }
    assert _switch("sn5600").breakout("8x100G") is None


def test_cages_take_modules_with_the_right_top() -> None:
    """Finned modules fit switches cooled by air, flat ones a heat sink of a NIC or a cold plate."""
    catalog = Catalog()
    finned, flat = catalog.transceiver("mma4z00-ns"), catalog.transceiver("mma4z00-ns-flt")
    assert finned is not None
    assert flat is not None
    leaf, host = _switch("sn5600"), _host("dgx-h100")
    top = leaf.module_top_of(leaf.breakouts[0])
    assert finned.fits(leaf.form_factor, top)
    assert not flat.fits(leaf.form_factor, top)
    assert flat.fits(host.form_factor, host.module_top)
    assert not finned.fits(host.form_factor, host.module_top)
    assert not finned.fits("qsfp-dd")
    assert _switch("sn4700").module_top_of(_switch("sn4700").breakouts[0]) == "any"


# --- devices


def test_devices_beside_hosts_and_switches() -> None:
    """The UFM appliance, nodes of the control plane and of storage, and a PDU, with their ports.

    NVIDIA DGX SuperPOD H100 RA, RA-11333-001 V11, Table 8; netbox-community/devicetype-library.
    """
    catalog = Catalog()
    found = {device.role: device for device in catalog.devices()}
    ufm, node, pdu = found["fabric-manager"], found["management-node"], found["pdu"]
    assert catalog.devices() is catalog.devices()
    assert ufm is catalog.device("ufm-appliance")
    assert ufm.fabric
    assert (ufm.fabric.count, ufm.fabric.connector) == (2, "osfp")
    assert node.front
    assert (node.front.count, node.front.speed_gbps) == (4, 200)
    assert [(each.socket, each.count) for each in pdu.outlets] == [("C13", 30), ("C19", 12)]
    assert (pdu.rack_units, pdu.capacity_w) == (0, 22000)
    assert all(device.management for device in catalog.devices())


# --- generic


@pytest.mark.parametrize(
    ("radix", "speed", "model", "watts"),
    [
        (64, 400, "generic-64x400G", 1024),
        (128, 800, "generic-128x800G", 4096),
        (4, 1600, "generic-4x1.6T", 256),
    ],
)
def test_generic_switches_scale(radix: int, speed: int, model: str, watts: float) -> None:
    """A radix and a speed: cages of one port, 16 W per 400G."""
    switch = Catalog().generic(radix, speed)
    assert (switch.model, switch.cages, switch.form_factor, switch.typical_w) == (
        model,
        radix,
        "generic",
        watts,
    )
    (mode,) = switch.breakouts
    assert (mode.count, mode.speed_gbps, switch.breakout(mode.name)) == (1, speed, mode)
    assert switch.interface("frr", radix, 0, mode) == f"swp{radix}"
    assert "power_w_per_400g" in switch.unverified


def test_generic_names_its_breakout_like_any_other() -> None:
    """`1x400G` is what an inventory would write."""
    assert Catalog().generic(64, 400).breakout("1x400G") is not None


def test_a_speed_without_a_file_scales_the_400g_one() -> None:
    """Generic parts exist at every speed, and their files override the scaling."""
    catalog = Catalog()
    half = catalog.generic_transceiver(200)
    odd = catalog.generic_transceiver(50)
    assert half is catalog.transceiver("generic-200g")
    assert (odd.model, odd.port_gbps, odd.power_w, odd.form_factor) == (
        "generic-50g",
        50,
        1,
        "generic",
    )
    assert catalog.generic_cable() is catalog.cable("generic-fibre")


def test_a_generic_port_takes_twice_what_a_generic_transceiver_does() -> None:
    """The ratio reproduces the paper's power savings at every speed."""
    catalog = Catalog()
    generic = [part for part in catalog.transceivers() if part.form_factor == "generic"]
    assert len(generic) == 5
    for part in generic:
        switch = catalog.generic(1, part.port_gbps)
        assert part.power_w is not None
        assert switch.typical_w == 2 * part.power_w == 16 * part.port_gbps / 400
        top = switch.module_top_of(switch.breakouts[0])
        assert part.fits(switch.form_factor, top)


# --- hosts


@pytest.mark.parametrize(
    ("model", "front", "management", "cords"),
    [
        # NVIDIA DGX SuperPOD H100 RA, RA-11333-001 V11, Table 8: 2 + 2 front links, 1 out-of-band
        ("dgx-h100", (4, 400), 1, 6),
        ("dgx-b200", (4, 400), 3, 6),
        # NVIDIA HGX B300 Enterprise RA: 8 x 400G and 24 x 1G per 4 nodes
        ("hgx-b300", (2, 400), 6, None),
        ("gb200-nvl72", (4, 200), 3, 0),
        ("gb300-nvl72", (2, 400), 2, 0),
        ("mi355x", (2, 200), 1, None),
    ],
)
def test_ports_beside_the_compute_fabric(
    model: str, front: tuple[int, int], management: int, cords: int | None
) -> None:
    """Front and management ports and power cords are facts of the host."""
    host = _host(model)
    assert host.front is not None
    assert host.management is not None
    assert (host.front.count, host.front.speed_gbps) == front
    assert (host.management.count, host.management.connector) == (management, "rj45")
    assert (host.cords.count if host.cords else None) == cords


def test_every_switch_has_a_management_port() -> None:
    """One RJ45 socket each, two of console servers, as tables of out-of-band networks count them.

    No source describes those of optical circuit switches, and a panel has none.
    """
    for switch in Catalog().switches():
        if switch.model != "generic" and switch.circuits is None:
            assert switch.management is not None, switch.model
            count = 2 if switch.transport == "serial" else 1
            assert (switch.management.count, switch.management.connector) == (count, "rj45")


def test_the_port_map_of_a_dgx_h100() -> None:
    """NVIDIA DGX H100/H200 User Guide, tables 'Network Ports' and 'Network Modules'."""
    rows = [
        (port.label, port.gpu, port.infiniband, port.ethernet, port.rdma, port.pci)
        for port in _host("dgx-h100").ports
    ]
    assert rows == [
        ("OSFP4P2", 0, "ibp24s0", "enp24s0np0", "mlx5_0", "18:00.0"),
        ("OSFP3P2", 1, "ibp64s0", "enp64s0np0", "mlx5_3", "40:00.0"),
        ("OSFP3P1", 2, "ibp79s0", "enp79s0np0", "mlx5_4", "4f:00.0"),
        ("OSFP4P1", 3, "ibp94s0", "enp94s0np0", "mlx5_5", "5e:00.0"),
        ("OSFP1P2", 4, "ibp154s0", "enp154s0np0", "mlx5_6", "9a:00.0"),
        ("OSFP2P2", 5, "ibp192s0", "enp192s0np0", "mlx5_9", "c0:00.0"),
        ("OSFP2P1", 6, "ibp206s0", "enp206s0np0", "mlx5_10", "ce:00.0"),
        ("OSFP1P1", 7, "ibp220s0", "enp220s0np0", "mlx5_11", "dc:00.0"),
    ]


def test_each_cage_of_a_dgx_h100_carries_two_rails() -> None:
    """The same guide: (4,7) (6,5) (2,1) (3,0) for OSFP1 to OSFP4.

    So no whole cage belongs to one rail's leaf.
    """
    host = _host("dgx-h100")
    assert all(port.label == f"{port.cage}P{port.sub}" for port in host.ports)
    cages = {
        cage: {port.gpu for port in host.ports if port.cage == cage}
        for cage in ("OSFP1", "OSFP2", "OSFP3", "OSFP4")
    }
    assert cages == {"OSFP1": {4, 7}, "OSFP2": {5, 6}, "OSFP3": {1, 2}, "OSFP4": {0, 3}}


@pytest.mark.parametrize(
    ("model", "gpus", "domain", "hosts", "speeds", "cages"),
    [
        ("dgx-a100", 8, 8, 1, {1: 200}, 8),
        ("dgx-h100", 8, 8, 1, {1: 400}, 4),
        ("dgx-b200", 8, 8, 1, {1: 400}, 4),
        ("dgx-b300", 8, 8, 1, {1: 800, 2: 400}, 8),
        ("gh200", 1, 256, 256, {1: 400}, 1),
        ("gb200-nvl72", 4, 72, 18, {1: 400}, 4),
        ("pcie-8gpu", 8, 8, 1, {1: 400}, 8),
    ],
)
def test_hosts(
    model: str, gpus: int, domain: int, hosts: int, speeds: dict[int, int], cages: int
) -> None:
    """GPUs, HB domain, port speeds per number of planes, and cages of each host."""
    host = _host(model)
    assert (host.gpus, host.hb_domain_gpus, host.hb_domain_hosts, host.speeds_gbps) == (
        gpus,
        domain,
        hosts,
        speeds,
    )
    assert len({port.cage for port in host.ports}) == cages
    nic = Catalog().nic(host.nic)
    assert nic is not None
    assert all(
        planes * speed <= nic.speed_gbps and planes <= nic.ports for planes, speed in speeds.items()
    )
    assert nic.form_factor == host.form_factor


def test_planes_of_a_dgx_b300_share_the_cage_of_their_gpu() -> None:
    """Planes 0 and 1 are the first and second port of one cage."""
    host = _host("dgx-b300")
    first, second = host.port(3), host.port(3, 1)
    assert (first.cage, first.sub, second.cage, second.sub) == ("OSFP4", 1, "OSFP4", 2)
    with pytest.raises(KeyError):
        host.port(3, 2)


def test_names_of_a_gb200_tray_are_published() -> None:
    """The RDMA devices and PCI addresses are those of NVIDIA's deployment guide.

    Names of interfaces follow from the address: the domain in decimal, the bus, the slot.
    """
    ports = _host("gb200-nvl72").ports
    assert [port.rdma for port in ports] == ["mlx5_0", "mlx5_1", "mlx5_4", "mlx5_5"]
    for port in ports:
        domain, bus, _ = (int(part.split(".")[0], 16) for part in (port.pci or "").split(":"))
        path = f"{f'P{domain}' if domain else ''}p{bus}s0"
        assert (port.ethernet, port.infiniband) == (f"en{path}np0", f"ib{path}")


def test_placeholders_are_marked() -> None:
    """An unpublished Linux name is `nic<i>`, and its file marks it."""
    for host in Catalog().hosts():
        made_up = any(port.ethernet.startswith("nic") for port in host.ports)
        assert made_up == ("ports" in host.unverified), host.model


# --- transceivers and cables


def test_linkx_transceivers() -> None:
    """NVIDIA LinkX catalogue: links per module, reach and power."""
    every = (part for part in Catalog().transceivers() if part.vendor == "NVIDIA")
    rows = {part.model: part for part in every if not part.built_in}
    assert len(rows) == 12

    def row(part: Transceiver) -> tuple[str | None, str, int, int, str, float | None, float | None]:
        return (
            part.opn,
            part.form_factor,
            part.ports,
            part.port_gbps,
            part.medium,
            part.reach_m,
            part.power_w,
        )

    assert row(rows["mma4z00-ns"]) == ("980-9I510-00NS00", "osfp", 2, 400, "mmf", 50, 15)
    assert row(rows["mma4z00-ns400"]) == ("980-9I51S-00NS00", "osfp", 1, 400, "mmf", 50, 8)
    assert row(rows["mms4x00-nm"]) == ("980-9I30G-00NM00", "osfp", 2, 400, "smf", 500, 17)
    assert row(rows["mms1v00-wm"]) == ("980-9I16Y-00W000", "qsfp-dd", 1, 400, "smf", 500, None)
    assert row(rows["mms4a00"]) == ("980-9IAH1-00XM00", "osfp", 2, 800, "smf", 500, None)
    assert all(
        part.connector == "MPO-12/APC" for part in rows.values() if part.model != "mms4x50-nm"
    )


def test_linkx_cables() -> None:
    """Straight and splitter fibres, and copper with its own ends."""
    rows = {part.model: part for part in Catalog().cables() if "LinkX" in part.source[0]}
    assert len(rows) == 11

    def row(part: Cable) -> tuple[str, int, int, int | None, float | None]:
        return part.medium, part.links, part.legs, part.speed_gbps, part.reach_m

    assert row(rows["mfp7e10"]) == ("mmf", 1, 1, 400, 50)
    assert row(rows["mfp7e20"]) == ("mmf", 2, 2, 200, 50)
    assert row(rows["mcp4y10"]) == ("dac", 2, 1, 400, 3)
    assert row(rows["mcp7y00"]) == ("dac", 2, 2, 400, 3)
    assert rows["mcp7y10"].form_factors == ("osfp", "qsfp112", "qsfp112")
    assert row(rows["mfa7u10"]) == ("aoc", 2, 2, 200, 30)
    assert rows["mfa7u10"].order_number("30") == "MFA7U10-H030"
    assert rows["mcp1660"].form_factors == ("qsfp-dd", "qsfp-dd")


def test_a_loss_budget_covers_four_mated_pairs_and_the_fibre_of_the_reach() -> None:
    """NVIDIA's reach assumes two panels between two modules: four mated pairs of plugs.

    The budget of a module that only a standard describes is that of the standard.
    """
    catalog = Catalog()
    loss = {each.name: Decimal(str(each.loss_db)) for each in catalog.connectors()}
    fibre = {each.medium: Decimal(str(each.db_per_km)) for each in catalog.trunks()}
    every = (module for module in catalog.transceivers() if module.budget_db is not None)
    modules = [module for module in every if module.vendor == "NVIDIA"]
    assert len(modules) == 12
    for module in modules:
        metres = Decimal(str(module.reach_m))
        budget = 4 * loss[module.connector] + fibre[module.medium] * metres / 1000
        assert budget == Decimal(str(module.budget_db)), module.model


def test_xdr_has_neither_copper_nor_multimode() -> None:
    """NVIDIA: XDR takes linear active copper or single-mode fibre only.

    The catalog has none of the former.
    """
    catalog = Catalog()
    assert {
        part.medium
        for part in catalog.transceivers()
        if part.port_gbps == 800 and part.vendor == "NVIDIA"
    } == {"smf"}
    assert not [
        part.model
        for part in catalog.cables()
        if part.medium != "generic" and (part.speed_gbps or 0) > 400
    ]


def test_cable_lengths_stay_within_reach() -> None:
    """The longest length on offer is at most the cable's reach."""
    for part in Catalog().cables():
        assert list(part.lengths_m) == sorted(set(part.lengths_m))
        assert not part.lengths_m or not part.reach_m or part.lengths_m[-1] <= part.reach_m, (
            part.model
        )


# --- prices


def test_the_rates_of_the_paper() -> None:
    """Rail-only, arXiv 2307.12169: v5's rates, and the fit to v1's savings, marked as a fit."""
    v5, v1 = _book("paper-v5"), _book("paper-v1-fit")
    assert (v5.switch_port_400g, v5.transceiver_400g, v5.currency) == (
        Decimal(694),
        Decimal(199),
        "USD",
    )
    assert (v1.switch_port_400g, v1.transceiver_400g, v1.currency) == (
        Decimal(748),
        Decimal(396),
        "USD",
    )
    assert "fit, not a quotation" in v1.description
    assert set(v1.unverified) == {"switch_port_400g", "transceiver_400g"}


def test_the_rates_of_photonic_rails() -> None:
    """Opus, arXiv 2602.12521: a port of an optical circuit switch has one price at any speed."""
    book = _book("opus-h200")
    assert (book.switch_port_400g, book.transceiver_400g) == (Decimal("582.80"), Decimal(879))
    assert book.circuit_switch(384) == 384 * 520
    assert _book("paper-v5").circuit_switch(384) is None


def test_rates_scale_linearly_with_bandwidth() -> None:
    """Exactly, in decimals."""
    for name in ("paper-v5", "paper-v1-fit"):
        book = _book(name)
        assert "linearly with bandwidth" in book.description
    book = _book("paper-v5")
    assert [book.switch_port(speed) for speed in (100, 400, 800)] == [
        Decimal("173.5"),
        Decimal(694),
        Decimal(1388),
    ]
    assert [book.transceiver(speed) for speed in (100, 400, 800)] == [
        Decimal("49.75"),
        Decimal(199),
        Decimal(398),
    ]


def test_street_prices_are_dated_parts_of_the_catalog() -> None:
    """Street prices have no rate, no part that cannot be planned, and a date for each price."""
    book, catalog = _book("street-2026-09"), Catalog()
    assert str(book.date) == "2026-09-22"
    assert book.switch_port(400) is None
    assert book.transceiver(400) is None
    known = {
        name for kind in ("switches", "transceivers", "cables") for name in catalog.names(kind)
    }
    assert set(book.parts) <= known
    assert (book.parts["mma4z00-ns"], book.parts["mma4z00-ns-flt"], book.parts["sn5600"]) == (
        Decimal(879),
        Decimal(1249),
        Decimal(67213),
    )


def test_a_book_by_path(tmp_path: Path) -> None:
    """A user's own book is a file anywhere, with any name."""
    path = tmp_path / "ours.yaml"
    path.write_text(
        "{name: Our book, description: ours, currency: EUR, source: offer 7, parts: "
        "{sn5600: 50000.50}}",
        encoding="utf-8",
    )
    book = Catalog().price_book(str(path))
    assert book is not None
    assert (book.name, book.parts) == ("Our book", {"sn5600": Decimal("50000.5")})
    assert Catalog().price_book(str(tmp_path / "absent.yaml")) is None
    assert Catalog().price_book(str(tmp_path)) is None


# --- a user's own files


def _copy(root: Path, kind: str, model: str, old: str = "", new: str = "") -> Path:
    """Copy a shipped file into a user's directory, with one text replaced."""
    text = (shipped("inventories") / "catalog" / kind / f"{model}.yaml").read_text(encoding="utf-8")
    assert old in text
    path = root / kind / f"{model}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_a_user_file_shadows_only_the_shipped_one(tmp_path: Path) -> None:
    """The first directory that has the file is used; all other files are the shipped ones."""
    first, second = tmp_path / "first", tmp_path / "second"
    _copy(first, "switches", "sn5600", "typical_w: 940", "typical_w: 941")
    _copy(second, "switches", "sn5600", "typical_w: 940", "typical_w: 942")
    _copy(second, "switches", "sn5400", "rack_units: 2", "rack_units: 3")
    catalog = Catalog([first, second, tmp_path / "absent"])
    watts = catalog.switch("sn5600")
    units = catalog.switch("sn5400")
    assert watts is not None
    assert units is not None
    assert (watts.typical_w, units.rack_units) == (941, 3)
    assert catalog.names("switches") == MODELS["switches"]
    assert _switch("sn5600").typical_w == 940


def test_a_user_file_adds_a_model_and_a_book(tmp_path: Path) -> None:
    """A new switch needs no change of the program."""
    _copy(tmp_path, "switches", "sn5600", "model: sn5600", "model: acme-64").rename(
        tmp_path / "switches" / "acme-64.yaml"
    )
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "ours.yaml").write_text(
        "{name: ours, description: ours, currency: EUR, source: offer 7}", encoding="utf-8"
    )
    catalog = Catalog([tmp_path])
    assert catalog.switch("acme-64") is not None
    assert "acme-64" in catalog.names("switches")
    assert catalog.price_book("ours") is not None
    assert catalog.names("prices") == sorted([*MODELS["prices"], "ours"])


# --- files that are refused


def _refused(root: Path, kind: str, model: str) -> tuple[Finding, ...]:
    catalog = Catalog([root])
    finders = {
        "switches": catalog.switch,
        "hosts": catalog.host,
        "cables": catalog.cable,
        "prices": catalog.price_book,
    }
    with pytest.raises(Refusal) as caught:
        finders[kind](model)
    assert {finding.code for finding in caught.value.findings} == {"bad-catalog-file"}
    assert {finding.place and finding.place.source for finding in caught.value.findings} == {
        str(root / kind / f"{model}.yaml")
    }
    assert "pydantic" not in str(caught.value)
    return caught.value.findings


@pytest.mark.parametrize(
    ("kind", "model", "old", "new", "fact", "hint"),
    [
        (
            "switches",
            "sn5600",
            "rack_units: 2",
            "rack_unit: 2",
            "`rack_unit` is not a fact of this kind of file",
            "did you mean `rack_units`?",
        ),
        (
            "switches",
            "sn5600",
            "cages: 64",
            "cages: many",
            "`cages` is ",
            "",
        ),
        (
            "switches",
            "sn5600",
            "cages: 64",
            "cages: yes",
            "`cages` is ",
            "",
        ),
        (
            "switches",
            "sn5600",
            "cages: 64",
            "cages: 63",
            "nos.sonic.lanes: 63 cages of 8 lanes were expected",
            "",
        ),
        ("switches", "sn5600", "vendor: NVIDIA", "", "`vendor` is missing", ""),
        (
            "switches",
            "sn5600",
            "model: sn5600",
            "model: sn5601",
            "`model` is sn5601, but the file is called sn5600.yaml",
            "",
        ),
        (
            "switches",
            "sn5600",
            "lanes: 4}",
            "lanes: 5}",
            "2x400G takes 10 of 8 lanes of a cage",
            "",
        ),
        (
            "switches",
            "sn5600",
            "{name: 2x400G",
            "{name: 1x800G",
            "two of them have the same name",
            "",
        ),
        (
            "switches",
            "sn5600",
            "default_nos: sonic",
            "default_nos: junos",
            "junos has no entry under interfaces",
            "",
        ),
        (
            "switches",
            "sn5600",
            'split: "swp{cage}s{sub}"',
            'split: "swp{cage}s{sub.__class__}"',
            "`interfaces.frr.split` is ",
            "",
        ),
        (
            "switches",
            "sn5600",
            'split: "swp{cage}s{sub}"',
            'split: "swp{cage}s{port}"',
            "`interfaces.frr.split` is ",
            "",
        ),
        (
            "switches",
            "sn5600",
            "0-7 8-15",
            "0-7 8..15",
            "the lanes of the cages are written as ranges",
            "",
        ),
        (
            "switches",
            "sn5600",
            "\nnos:\n  sonic:\n",
            "\nsonic:\n  sonic:\n",
            "`sonic` is not a fact of this kind of file",
            "facts of one NOS belong under `nos`, such as `nos.sonic`",
        ),
        (
            "switches",
            "sn5600",
            "\n  sonic:\n",
            "\n  sonik:\n",
            "nos.sonik: sonik has no entry under interfaces",
            "",
        ),
        (
            "switches",
            "sn5600",
            "hwsku: {1x800G:",
            "hwsku: {3x400G:",
            "nos.sonic.hwsku: 3x400G is not a breakout of the switch",
            "",
        ),
        (
            "switches",
            "sn5600",
            "fec: rs",
            "fec: {rs: 1}",
            "`nos.sonic.fec`: a fact of a NOS is a text, a number",
            "",
        ),
        (
            "switches",
            "sn5600",
            "unverified: [",
            "unverified: [colour, ",
            "unverified: colour is not a fact of this file",
            "",
        ),
        (
            "switches",
            "7220-ixr-h5-64",
            "last: 64",
            "last: 65",
            "33 to 65 names cages or breakouts that the switch does not have",
            "",
        ),
        ("switches", "sn5400", "rows: 4", "rows: 65", "65 rows for 64 cages", ""),
        ("switches", "qm9700", "source:", "notes:", "`source` is missing", ""),
        (
            "hosts",
            "dgx-h100",
            "gpu: 7",
            "gpu: 6",
            "one per GPU and plane were expected, 8 in all",
            "",
        ),
        (
            "hosts",
            "dgx-h100",
            "cage: OSFP3, sub: 1",
            "cage: OSFP3, sub: 2",
            "two of them have the same position in a cage",
            "",
        ),
        (
            "hosts",
            "dgx-h100",
            "ethernet: enp64s0np0",
            "ethernet: enp24s0np0",
            "two of them have the same interface name",
            "",
        ),
        (
            "hosts",
            "gb200-nvl72",
            "hb_domain_hosts: 18",
            "hb_domain_hosts: 9",
            "9 hosts of 4 GPUs are not 72",
            "",
        ),
        (
            "switches",
            "sn2201",
            "first: 49",
            "first: 48",
            "cage_groups: cage 48 is in two of them",
            "",
        ),
        (
            "switches",
            "sn2201",
            "breakouts: [1x1G]}",
            "breakouts: [1x1G, 1x100G], lanes_per_cage: 4}",
            "1x100G is one of cages of several form factors",
            "",
        ),
        (
            "switches",
            "sn2201",
            "lanes_per_cage: 4}",
            "lanes_per_cage: 2}",
            "1x100G takes 4 of 2 lanes of a cage",
            "",
        ),
        (
            "switches",
            "sn2201",
            " 204-207",
            " 204-206",
            "nos.sonic.lanes: 48 cages of 1 lanes and 4 cages of 4 lanes were expected",
            "",
        ),
        ("cables", "mfp7e20", "legs: 2", "legs: 1", "a near end and 1 far ends were expected", ""),
    ],
)
def test_bad_files_are_refused(
    tmp_path: Path, kind: str, model: str, old: str, new: str, fact: str, hint: str
) -> None:
    """Each finding names the file and the fact, in one sentence, without a traceback."""
    _copy(tmp_path, kind, model, old, new)
    (finding,) = _refused(tmp_path, kind, model)
    assert finding.fact.startswith(f"{model}.yaml: ")
    assert fact in finding.fact
    assert finding.hint == hint


def test_all_bad_facts_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    """Three errors give three findings."""
    path = _copy(tmp_path, "switches", "sn5600", "cages: 64", "cages: -1")
    path.write_text(
        path.read_text(encoding="utf-8")
        .replace("cooling: air", "cooling: steam")
        .replace("rack_units: 2", "rack_units: 0"),
        encoding="utf-8",
    )
    facts = [finding.fact for finding in _refused(tmp_path, "switches", "sn5600")]
    assert [fact.split("`")[1] for fact in facts] == ["cages", "rack_units", "cooling"]


@pytest.mark.parametrize("text", ["[", "- a\n- b\n", "", "\tx: 1", "a: 1\na: 2\n"])
def test_a_file_that_is_not_a_mapping_is_refused(tmp_path: Path, text: str) -> None:
    """Broken YAML, a list, an empty file, or a duplicate key."""
    (tmp_path / "switches").mkdir()
    (tmp_path / "switches" / "box.yaml").write_text(text, encoding="utf-8")
    assert len(_refused(tmp_path, "switches", "box")) == 1


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("currency: USD", "currency: dollars", "`currency`"),
        ("switch_port_400g: 694", "switch_port_400g: -1", "`switch_port_400g`"),
        ("switch_port_400g: 694", "switch_port_400g: true", "`switch_port_400g`"),
        ("transceiver_400g: 199", "transceiver_400g: .nan", "`transceiver_400g`"),
        ("transceiver_400g: 199", "parts: {sn5600: free}", "`parts.sn5600`"),
    ],
)
def test_bad_price_books_are_refused(tmp_path: Path, old: str, new: str, fact: str) -> None:
    """A price must be a positive number."""
    text = (shipped("inventories") / "prices" / "paper-v5.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "paper-v5.yaml").write_text(text.replace(old, new), encoding="utf-8")
    (finding,) = _refused(tmp_path, "prices", "paper-v5")
    assert fact in finding.fact
