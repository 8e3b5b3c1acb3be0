"""The pack `sonic`: SONiC's own models accept config_db.json, and FRR's parser accepts frr.conf.

Both read back equal the plan.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.build.context import BuildContext
from fabricgen.build.pack_outputs import incomplete
from fabricgen.build.selection import choose
from fabricgen.catalog.models.base import LaneFact
from fabricgen.core.terms import LinkKind, Role
from fabricgen.core.yaml_text import load_facts
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.planning.plan import make_plan
from fabricgen.views.factory import Views
from tests.fabrics import CATALOG, OTHER_NUMBERS, Inventory, cables_of, plan_of
from tests.nos import frr, sonic_buffers, sonic_yang
from tests.nos.fabric import assert_is_plan, fabric, findings
from tests.nos.model_variants import VARIANTS as SHARED
from tests.nos.sonic import read
from tests.nos.switch_files import MOST, PACKS, SwitchFiles, render_switches, sample

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from tests.nos.frr import Box
    from tests.nos.sonic import ConfigDb

    Validate = Callable[..., subprocess.CompletedProcess[str]]


def of(model: str, breakout: str, gpus: int, **more: Any) -> Inventory:  # noqa: ANN401 - any key of an inventory
    """Return an inventory of one switch model in two tiers, with HB domains of 2."""
    leaf = {"model": model, "breakout": breakout}
    return {
        "gpus": gpus,
        "hb_domain": {"gpus": 2},
        "rails": {"tiers": 2},
        "switches": {"leaf": leaf},
        **more,
    }


MODELS = {
    "sn5600": of("sn5600", "2x400G", 320),
    "sn5400": of("sn5400", "1x400G", 160),
    "sn4700": of("sn4700", "1x400G", 80),
    "sn5640": of("sn5640", "2x400G", 320),
    "7060x6-64pe": of("7060x6-64pe", "2x400G", 320),
    "7060dx5-64s": of("7060dx5-64s", "1x400G", 160),
    "z9864f": of("z9864f", "2x400G", 320),
    "sn4600c": of("sn4600c", "1x100G", 80),
    "sn2201": of("sn2201", "1x1G", 32, rails={"tiers": 1}),
    "as4630-54te": of("as4630-54te", "1x1G", 32, rails={"tiers": 1}),
}
WITHOUT_SKUS = {"x86_64-accton_as4630_54te-r0"}
"""Platforms whose SKUs are not among those that tests compare with."""
WITHOUT_FILE = ("as4630-54te", "sn2201", "sn4600c")
"""Models whose platform file is not among those that tests compare with."""
VARIANTS = MODELS | {
    "one tier": of("sn5600", "2x400G", 128, rails={"tiers": 1}),
    "three tiers": of("sn4700", "1x400G", 1024, rails={"tiers": 3}),
    "two planes": of(
        "sn4700", "2x200G", 80, rails={"planes": 2, "tiers": 2}, nic={"speed": "200G"}
    ),
    "shared boxes": of("sn5600", "2x400G", 128, rails={"per_switch": 2}),
    "shared boxes below spines": of("sn4700", "1x400G", 32, rails={"per_switch": 2, "tiers": 2}),
    "unnumbered hosts": of("sn4700", "1x400G", 80, addressing={"host_links": "unnumbered"}),
    "unnumbered hosts on shared boxes": of(
        "sn4700",
        "1x400G",
        32,
        rails={"per_switch": 2, "tiers": 2},
        addressing={"host_links": "unnumbered"},
    ),
    "oversubscribed": of("sn4700", "1x400G", 120, oversubscription="3:1"),
    "room to grow": of("sn4700", "1x400G", 40, reserve={"gpus": 200}),
    "rail-optimized": of("sn4700", "1x400G", 80, design="rail-optimized"),
    "fat-tree": of("sn4700", "1x400G", 80, design="fat-tree"),
    "two speeds": of("sn5600", "2x400G", 320)
    | {
        "switches": {
            "leaf": {"model": "sn5600", "breakout": "2x400G"},
            "spine": {"model": "sn5600", "breakout": "1x800G"},
        }
    },
    "other numbers": of(
        "sn4700",
        "1x400G",
        80,
        addressing={"asn_base": 64512, "mtu": 4200, "bfd": False},
        roce=OTHER_NUMBERS["roce"],
    ),
    "a whole SKU": of("z9864f", "1x800G", 160, nic={"speed": "800G"}),
    "a priority at the end": of("7060x6-64pe", "2x400G", 320, roce={"priority": 1}),
    "a room": {
        "gpus": 512,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
        "site": {"racks_per_row": 10},
    },
    "a real host": {
        "gpus": 512,
        "hb_domain": {"gpus": 8},
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "sn5600", "breakout": "2x400G"}},
    },
}


@cache
def variant_files(name: str) -> list[SwitchFiles]:
    """Render the switches of a variant once for all tests, which must not change the texts."""
    return render_switches(plan_of(nos="sonic", **VARIANTS[name]))


@pytest.fixture(scope="session")
def yanglint(
    tool: Callable[[str], str], oracles: Path, tmp_path_factory: pytest.TempPathFactory
) -> Validate:
    """Return a function that validates config_db.json files against SONiC's models at once."""
    program, folder, models = (
        tool("yanglint"),
        tmp_path_factory.mktemp("yanglint"),
        oracles / "sonic-yang",
    )
    return lambda *tables: sonic_yang.validate(program, models, folder, *tables)


@pytest.fixture(scope="session")
def vtysh(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Return a function that parses an frr.conf with FRR."""
    program, folder = tool("vtysh"), tmp_path_factory.mktemp("vtysh")
    return lambda text: frr.validate(program, text, folder)


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return yanglint's errors; its warnings concern its own memory at exit."""
    errors = ("libyang err", "YANGLINT[E]")
    return [line for line in done.stderr.splitlines() if line.startswith(errors)]


def tables_of(one: SwitchFiles) -> ConfigDb:
    """Read a config_db.json, refusing duplicate keys."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(found)) == len(found), "a key twice"
        return dict(found)

    tables: ConfigDb = json.loads(one.files["config_db.json"], object_pairs_hook=pairs)
    return tables


@pytest.mark.parametrize("name", ["a room", "a real host"])
def test_lengths_are_those_of_the_cables(name: str) -> None:
    """They are those of the cable list, in whole metres: in a described room, and without one."""
    plan = plan_of(nos="sonic", **VARIANTS[name])
    sheet = {(cable.b_device, cable.b_interface): cable.length_m for cable in cables_of(plan)}
    printed = {
        (one.switch.name, port): length
        for one in variant_files(name)
        for port, length in tables_of(one)["CABLE_LENGTH"]["AZURE"].items()
    }
    assert printed == {end: f"{math.ceil(float(length))}m" for end, length in sheet.items()}
    assert len(set(printed.values())) > 1


def test_cables_of_unknown_length_count_as_the_longest() -> None:
    """Headroom for 300 m is enough, and that for SONiC's default of 5 m may not be."""
    keys = of("sn4700", "1x400G", 80, site={"lengths": "unknown"})
    lengths = tables_of(render_switches(plan_of(nos="sonic", **keys))[0])["CABLE_LENGTH"]["AZURE"]
    assert set(lengths.values()) == {"300m"}


def test_a_static_model_gets_the_next_length_of_its_table() -> None:
    """It looks profiles up by the length as text, and there are three lengths for 400G."""
    tables = tables_of(variant_files("7060x6-64pe")[0])
    lengths = tables["CABLE_LENGTH"]["AZURE"]
    planned = {
        port.interface: port.length_m for port in variant_files("7060x6-64pe")[0].switch.ports
    }
    steps = {port: next(step for step in (5, 40, 150) if step >= m) for port, m in planned.items()}
    assert lengths == {port: f"{step}m" for port, step in steps.items()}


@pytest.mark.parametrize("name", VARIANTS)
def test_pauses_have_headroom_behind_them(name: str) -> None:
    """A port has PFC, the watchdog and buffers, or, where no source has the buffers, neither."""
    for one in sample(variant_files(name), 4):
        tables = tables_of(one)
        known = str(one.switch.facts.get("headroom_lengths_m", "")).split()
        assert sonic_buffers.findings(tables, [*map(int, known)]) == []
        up = {port.interface for port in one.switch.ports}
        paused = {port for port, row in tables["PORT_QOS_MAP"].items() if "pfc_enable" in row}
        assert paused == (up if "pool_bytes" in one.switch.facts else set())
        assert ("PFC_WD" in tables) == ("BUFFER_POOL" in tables) == bool(paused)


def test_a_split_without_known_buffers_is_named() -> None:
    """The build names the switches whose configurations lack PFC, and the others not."""
    switches = {
        "leaf": {"model": "7060x6-64pe", "breakout": "2x400G"},
        "spine": {"model": "7060x6-64pe", "breakout": "1x800G"},
    }
    plan = plan_of(nos="sonic", **of("7060x6-64pe", "2x400G", 320) | {"switches": switches})
    context = BuildContext(plan, PACKS, choose(["configs"], (), PACKS))
    text = "PFC and its buffers: no source has those of the SKU for this split"
    assert [skipped.reason for skipped in incomplete(context)] == [
        f"on the {role} switches (7060x6-64pe, sonic), {text}" for role in ("leaf", "spine")
    ]
    known = BuildContext(plan_of(nos="sonic", **VARIANTS["sn5600"]), PACKS, context.selection)
    assert [*incomplete(known)] == []


def boxes(found: list[SwitchFiles]) -> list[Box]:
    """Parse rendered files, each box with the reader of its NOS."""
    return [_box(one.switch.nos, one.files) for one in found]


def _box(nos: str, files: dict[str, str]) -> Box:
    if nos == "sonic":
        return read(files["config_db.json"], files["frr.conf"])
    return frr.read(files["frr.conf"], files["interfaces"])


@pytest.mark.parametrize("name", sorted(VARIANTS.keys() - SHARED.keys()))
def test_sonic_accepts_the_files(
    name: str,
    yanglint: Validate,
    vtysh: Callable[[str], subprocess.CompletedProcess[str]],
) -> None:
    """Every kind of fabric, on every switch that SONiC supports."""
    found = sample(variant_files(name), MOST)
    done = yanglint(*map(tables_of, found))
    assert (done.returncode, complaints(done)) == (0, [])
    for one in found:
        parsed = vtysh(one.files["frr.conf"])
        assert (parsed.returncode, parsed.stdout, parsed.stderr) == (0, "", ""), one.switch.name


@pytest.mark.parametrize(
    ("table", "row", "fields", "complaint"),
    [
        ("PORT", "Ethernet0", {"admin_status": "sideways"}, 'Invalid enumeration value "sideways"'),
        ("PORT", "Ethernet0", {"mtu": "9217"}, 'value "9217" is out of the allowed range'),
        ("PORT", "Ethernet0", {"colour": "blue"}, 'Node "colour" not found'),
        (
            "DEVICE_METADATA",
            "localhost",
            {"bgp_asn": "4294967296"},
            'Value "4294967296" is out of type',
        ),
        ("QUEUE", "Ethernet0|3", {"wred_profile": "MISSING"}, 'Invalid leafref value "MISSING"'),
        ("PORT_QOS_MAP", "Ethernet0", {"dscp_to_tc_map": "AZURE"}, 'Invalid leafref value "AZURE"'),
        ("DSCP_TO_TC_MAP", "ROCE", {"64": "0"}, "Invalid DSCP"),
        ("INTERFACE", "Ethernet0|10.0.0.0/33", {}, 'Invalid union value "10.0.0.0/33"'),
        ("INTERFACE", "Ethernet1", {}, 'Invalid leafref value "Ethernet1"'),
        ("PFC_WD", "Ethernet0", {"detection_time": "99"}, 'value "99" is out of the allowed range'),
        ("BUFFER_QUEUE", "Ethernet0|3", {"profile": "AZURE"}, 'Invalid leafref value "AZURE"'),
        ("CABLE_LENGTH", "AZURE", {"Ethernet0": "7"}, "Invalid cable length"),
    ],
)
def test_the_models_find_errors(
    table: str,
    row: str,
    fields: dict[str, str],
    complaint: str,
    yanglint: Validate,
) -> None:
    """Wrong words, ranges, references, prefixes and unknown fields are each found."""
    tables = tables_of(variant_files("sn4700")[0])
    tables[table].setdefault(row, {}).update(fields)
    done = yanglint(tables)
    assert done.returncode != 0
    assert complaint in done.stderr


@pytest.mark.parametrize("name", VARIANTS)
def test_the_files_alone_rebuild_the_plan(name: str) -> None:
    """Adjacency, addresses, neighbours and filters from the files agree. They are the plan's."""
    plan = plan_of(nos="sonic", **VARIANTS[name])
    assert_is_plan(fabric(boxes(variant_files(name))), plan)


def test_leaves_and_spines_may_run_different_systems() -> None:
    """Each side of a cable is named as its own NOS does, on both sides."""
    plan = plan_of(nos={"leaf": "sonic", "spine": "frr"}, **of("sn5600", "2x400G", 320))
    built = fabric(boxes(render_switches(plan)))
    assert findings(built) == []
    assert len(built.between()) == plan.link_count(LinkKind.LEAF_SPINE)
    assert {re.sub(r"\d+", "", name) for box in built.boxes.values() for name in box.ports} == {
        "Ethernet",
        "swps",
    }


@pytest.mark.parametrize("name", VARIANTS)
def test_every_scalar_is_a_string_and_every_port_is_listed(name: str) -> None:
    """ConfigDB holds strings.

    The ports, idle ones too, use every lane of the box once and every alias once.
    """
    for one in sample(variant_files(name), 3):
        tables = tables_of(one)
        assert all(
            isinstance(value, str)
            for rows in tables.values()
            for row in rows.values()
            for value in row.values()
        )
        model = CATALOG.switch(one.switch.model)
        assert model is not None
        wanted = model.nos["sonic"]["lanes"]
        assert isinstance(wanted, LaneFact)
        lanes = [lane for row in tables["PORT"].values() for lane in row["lanes"].split(",")]
        assert sorted(lanes) == sorted(str(lane) for cage in wanted.per_lane for lane in cage)
        aliases = {row.get("alias") for row in tables["PORT"].values()}
        named = model.interfaces["sonic"].alias_whole is not None
        assert len(aliases) == len(tables["PORT"]) if named else aliases == {None}
        up = [port for port, row in tables["PORT"].items() if row["admin_status"] == "up"]
        assert (
            up == [port.interface for port in one.switch.ports] == list(tables["DEVICE_NEIGHBOR"])
        )
        assert all("description" in tables["PORT"][port] for port in up)
        assert set(tables["PORT_QOS_MAP"]) == {"global", *up}
        assert set(tables.get("PFC_WD", {"GLOBAL", *up})) == {"GLOBAL", *up}


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in WITHOUT_FILE])
def test_ports_are_what_sonic_makes_of_the_breakout(name: str, oracles: Path) -> None:
    """SONiC's platform file, split as in BREAKOUT_CFG, gives exactly the PORT table."""
    one = variant_files(name)[-1]
    path = oracles / "sonic-platforms" / f"{one.switch.facts['platform']}.platform.json"
    cages = json.loads(path.read_text(encoding="utf-8"))["interfaces"]
    tables = tables_of(one)
    made = {}
    for parent, row in tables["BREAKOUT_CFG"].items():
        aliases, lanes = (
            cages[parent]["breakout_modes"][row["brkout_mode"]],
            cages[parent]["lanes"].split(","),
        )
        width = (
            int(found[1]) // len(aliases)
            if (found := re.search(r"\((\d+)\)", row["brkout_mode"]))
            else len(lanes) // len(aliases)
        )
        first = int(parent.removeprefix("Ethernet"))
        for place, alias in enumerate(aliases):
            own = ",".join(lanes[place * width : (place + 1) * width])
            made[f"Ethernet{first + place * width}"] = (
                alias,
                own,
                cages[parent]["index"].split(",")[0],
            )
    assert made == {
        port: (row["alias"], row["lanes"], row["index"]) for port, row in tables["PORT"].items()
    }


def test_a_shared_box_keeps_its_rails_in_vrfs() -> None:
    """SONiC requires VRF names that start with Vrf.

    Ports, loopbacks and BGP instances are bound to them.
    """
    one = variant_files("shared boxes below spines")[0]
    tables, box = tables_of(one), read(one.files["config_db.json"], one.files["frr.conf"])
    assert (
        set(tables["VRF"]) == set(box.instances) == set(box.loopbacks) == {"Vrfrail0", "Vrfrail1"}
    )
    assert {port.vrf for port in box.ports.values()} == {"Vrfrail0", "Vrfrail1"}


def test_the_lossless_class_is_the_inventorys_on_every_port() -> None:
    """All 64 DSCPs are mapped. One is lossless, one is for CNPs, all others are default."""
    one = variant_files("other numbers")[0]
    tables = tables_of(one)
    assert tables["DSCP_TO_TC_MAP"]["ROCE"] == {
        str(dscp): {24: "4", 46: "7", 48: "7", 56: "7"}.get(dscp, "0") for dscp in range(64)
    }
    assert tables["TC_TO_PRIORITY_GROUP_MAP"]["ROCE"] == {
        str(tc): "4" if tc == 4 else "0" for tc in range(8)
    }
    assert tables["WRED_PROFILE"]["ROCE"]["green_min_threshold"] == "1000"
    assert tables["QUEUE"]["Ethernet0|4"] == {"scheduler": "sched.roce", "wred_profile": "ROCE"}
    assert tables["QUEUE"]["Ethernet0|7"] == {"scheduler": "sched.cnp"}
    assert tables["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] == "4"
    assert (
        "frr_mgmt_framework_config" not in tables["DEVICE_METADATA"]["localhost"]
    )  # it starts bfdd, and BFD is off here
    assert tables["PORT"]["Ethernet0"]["mtu"] == "4200"


def test_buffers_are_dynamic_only_where_sonic_supports_it() -> None:
    """The dynamic buffer model and its priority groups are NVIDIA's.

    Elsewhere SONiC looks profiles up.
    """
    nvidia = tables_of(variant_files("sn5600")[0])
    other = tables_of(variant_files("7060x6-64pe")[0])
    assert nvidia["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic"
    assert nvidia["BUFFER_PG"]["Ethernet0|3"] == {"profile": "NULL"}
    assert other["DEVICE_METADATA"]["localhost"]["buffer_model"] == "traditional"
    assert "Ethernet0|3" not in other["BUFFER_PG"]
    assert other["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] == "29423360"


def test_a_core_has_a_type_of_its_own_where_its_sku_has_the_buffers() -> None:
    """SONiC seeds its ECMP hash by type, so that spine and core choose differently."""
    types = {}
    for model, breakout in (("sn5640", "2x400G"), ("sn4700", "1x400G")):
        plan = plan_of(nos="sonic", **of(model, breakout, 8, rails={"tiers": 3, "count": 1}))
        for role in Role:
            switch = next(Views(plan).switches(0, (role,)))
            text = PACKS.render("sonic", "device.json.j2", switch=switch)
            types[model, role.value] = re.findall('"type": "(.*)"', text)[0]
    assert types == {
        ("sn5640", "leaf"): "ToRRouter",
        ("sn5640", "spine"): "LeafRouter",
        ("sn5640", "core"): "SpineRouter",
        ("sn4700", "leaf"): "ToRRouter",
        ("sn4700", "spine"): "LeafRouter",
        ("sn4700", "core"): "LeafRouter",
    }


def test_all_models_with_lanes_are_covered() -> None:
    """Every model of the catalog that SONiC can be configured on has a test."""
    assert {
        switch.model for switch in CATALOG.switches() if "lanes" in switch.nos.get("sonic", {})
    } == set(MODELS)
    pack = PACKS.for_nos("sonic")
    assert pack is not None
    assert pack.needs == ("lanes", "platform", "default_hwsku")


def test_skus_are_those_of_the_platforms(oracles: Path) -> None:
    """Each SKU of the catalog exists, and its ports are split as the catalog states."""
    skus = load_facts(oracles / "sonic-skus.yaml", "bad-catalog-file")
    seen, unknown = 0, set[str]()
    for name in CATALOG.names("switches"):
        model = CATALOG.switch(name)
        facts: dict[str, Any] = dict(model.nos.get("sonic", {}) if model else {})
        if not facts or "default_hwsku" not in facts:
            continue
        if facts["platform"] not in skus:
            unknown.add(facts["platform"])
            continue
        known = skus[facts["platform"]]
        assert facts["default_hwsku"] == str(known["default_sku"]).split()[0]
        for breakout, sku in facts.get("hwsku", {}).items():
            ports = max(known["skus"][sku]["split"].items(), key=lambda split: int(split[1]))
            assert re.split(r"[\[(]", ports[0])[0] == breakout, (name, sku)
            seen += 1
    assert seen >= 14
    assert unknown == WITHOUT_SKUS


def test_a_sku_is_named_only_for_its_split() -> None:
    """Mellanox-SN5600-O128 means 128 x 400G, and ACS-SN5600 is the default of the platform.

    The default one stands for leaves whose uplinks are split otherwise.
    """
    keys = {"name": "t", "gpus": 2048, "hb_domain": {"gpus": 8}, "nos": "sonic"}
    named = []
    for leaf, spine in (("2x400G", "2x400G"), ("2x400G", "1x800G"), ("1x800G", "1x800G")):
        switches = {
            "leaf": {"model": "sn5600", "breakout": leaf},
            "spine": {"model": "sn5600", "breakout": spine},
        }
        plan = make_plan(
            FabricSpec.model_validate(
                {**keys, "switches": switches, "nic": {"speed": leaf.split("x")[1]}}
            ),
            CATALOG,
        )
        device = json.loads(render_switches(plan)[0].files["config_db.json"])["DEVICE_METADATA"]
        named.append((device["localhost"]["hwsku"], device["localhost"]["type"]))
    assert named == [
        ("Mellanox-SN5600-O128", "ToRRouter"),
        ("ACS-SN5600", "ToRRouter"),
        ("ACS-SN5600", "ToRRouter"),
    ]
