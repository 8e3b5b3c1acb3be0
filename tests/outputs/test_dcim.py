"""The DCIM files and the sheets of other validators hold exactly the plan's links.

They are read back by independent readers.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import load_workbook

from fabricgen.build.group_dcim import ROWS
from fabricgen.outputs.dcim.cables import MEDIA
from fabricgen.outputs.dcim.interface_types import INFINIBAND, TYPES
from fabricgen.outputs.dcim.view import InterfaceView, TableView
from fabricgen.outputs.groups import LIMITS
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.stripes import stripes
from fabricgen.views.factory import Views
from tests.csv_rows import FORMULA, read_rows
from tests.fabrics import CLUSTER, SMALL, SUPERPOD, build_job, cables_of, cluster_cables, plan_of
from tests.mutations.test_direct import TORUS
from tests.outputs import libyaml, resource_definitions
from tests.outputs.dcim_files import SERIAL, read_netbox, read_wiring
from tests.outputs.machine_room import FABRICS as ROOMS
from tests.outputs.netbox_forms import FORMS
from tests.outputs.packs.managed import LEAST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from fabricgen.views.cables.view import CableView
    from tests.outputs.dcim_files import Database

NETBOX = libyaml.document((Path(__file__).parent / "netbox_forms.yaml").read_text(encoding="utf-8"))
"""The forms of NetBox that import the tables, by the name of a table."""

TRAYS = {
    "rack": {"units": 48},
    "hosts_per_rack": 18,
    "footprints": {"host": {"units": 1, "power_w": 5000}},
    "leaves": "top-of-rack",
}
SN5600 = {"leaf": {"model": "sn5600", "breakout": "2x400G"}}
HEDGEHOG: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "nic": {"speed": "400G"},
    "rails": {"tiers": 2},
    "switches": {
        "leaf": {"model": "ds5000", "breakout": "2x400G"},
        "spine": {"model": "ds5000", "breakout": "2x400G"},
    },
}

MESHED: dict[str, Any] = HEDGEHOG | {
    "rails": {"per_switch": 4},
    "switches": {
        "leaf": {
            "model": "ds5000",
            "breakout": "2x400G",
            "zones": {"down": "1-16", "up": "26,28"},
        },
    },
    "networks": {
        "storage": {
            "converged_with": "compute",
            "speed": "200G",
            "bond": 1,
            "host_ports": 2,
            "leaves": 2,
            "peer_links": 2,
        }
    },
    "devices": [{"name": "target-{n}", "count": 2, "ports": {"storage": 2}}],
}
"""Storage on the leaves of GPUs, which links join."""

FABRICS: dict[str, dict[str, Any]] = {
    "generic": SMALL,
    "infiniband, several files of a table": SUPERPOD,
    "copper splitters": {
        "gpus": 144,
        "hb_domain": {"gpus": 72, "hosts": 18},
        "host": {"model": "gb200-nvl72"},
        "rails": {"count": 4},
        "switches": SN5600,
        "site": TRAYS | {"tray": {"slack_mm": 100}},
    },
    "two cables a link": ROOMS["two-connectors"],
    "hedgehog": HEDGEHOG,
    "nothing placed": SMALL | {"site": "unknown"},
    "direct rails": TORUS,
}


class Built:
    """A fabric's DCIM files: the plan, its cable list, their folder, and the content of NetBox."""

    def __init__(self, root: Path, plan: Plan) -> None:
        """Write the files below `root`, and read them."""
        self.plan, self.cables, self.root = plan, cables_of(plan), root / "dcim"
        self.paths = write(plan, root)
        self.netbox: Database = read_netbox(self.root)

    def ends(self) -> dict[frozenset[tuple[str, str]], list[CableView]]:
        """Return the rows of the cable list by the ends that they connect."""
        found: dict[frozenset[tuple[str, str]], list[CableView]] = {}
        for cable in self.cables:
            found.setdefault(
                frozenset(
                    {(cable.a_device, cable.a_interface), (cable.b_device, cable.b_interface)}
                ),
                [],
            ).append(cable)
        return found


def write(plan: Plan, root: Path) -> list[str]:
    """Write the group, and compare the listed files with the written ones."""
    job = build_job(plan, Packs(), ("dcim",), frozenset({"dcim"}))
    written = [file.path for task in job.tasks for file in task.write(job.context, root)]
    assert written == [path for task in job.tasks for path in task.paths(job.context)]
    return written


@pytest.fixture(scope="module", params=FABRICS, ids=list(FABRICS))
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build each fabric."""
    keys = FABRICS[request.param]
    return Built(tmp_path_factory.mktemp("dcim"), plan_of(**{"name": "small", **keys}))


def test_netbox_holds_exactly_the_links_of_the_plan(built: Built) -> None:
    """Every link occurs once, with the labels of its cables, its medium and its length.

    So does every device at its position.
    """
    ends = built.ends()
    assert built.netbox.links.keys() == ends.keys()
    for pair, label in built.netbox.links.items():
        assert {cable.cable for cable in ends[pair]} <= set(label.split(" "))
    by_label = {cable.cable: cable for cable in built.cables}
    for row in built.netbox.single:
        cable = by_label[row["label"].split(" ")[0]]
        assert (row["type"], row["length"], row["description"]) == (
            MEDIA.get(cable.medium, ""),
            cable.length_m,
            cable.part,
        )
        assert row["length_unit"] == ("m" if cable.length_m else "")
    places = {cable.a_device: (cable.a_rack, cable.a_unit) for cable in built.cables} | {
        cable.b_device: (cable.b_rack, cable.b_unit) for cable in built.cables
    }
    assert {
        name: (row["rack"], row["position"]) for name, row in built.netbox.devices.items()
    } == places


def _netbox_faults(table: str, row: dict[str, str]) -> Iterator[str]:
    """Yield what NetBox would not import of a row."""
    form = NETBOX["cables" if table == "trunks" else table]
    yield from (f"{name} is no field" for name in row if name not in form["fields"])
    yield from (f"{name} is missing" for name in form["needed"] if not row.get(name))
    for name, value in row.items():
        if value and value not in map(str, form.get("choices", {}).get(name, [value])):
            yield f"{name}: {value} is no choice"
        if len(value) > form["lengths"].get(name, len(value)):
            yield f"{name}: {value} is too long"
        if name == "slug" and not re.fullmatch(r"[-\w]+", value, re.ASCII):
            yield f"{name}: {value} is no slug"


def netbox_tables(root: Path) -> set[str]:
    """Return the names of the tables, after NetBox's forms took every row of their files."""
    tables = set()
    shared = [*(root / "netbox" / "shared").glob("*.csv")]
    for path in sorted([*(root / "netbox").glob("*.csv"), *shared]):
        table = re.sub(r"^\d\d-(\d-)?|-\d+$", "", path.stem)
        if path in shared:
            table = next(name for name in NETBOX if path.stem[2:].startswith(name))
        tables.add(table)
        rows = read_rows(path.read_text(encoding="utf-8"))
        assert rows
        assert [fault for row in rows for fault in _netbox_faults(table, row)] == []
    return tables


def test_netboxs_forms_take_the_addresses_of_management(tmp_path: Path) -> None:
    """Each switch has an interface of its own for them."""
    write(plan_of(**{"name": "small", **SMALL, "management": LEAST}), tmp_path)
    assert "ip-addresses" in netbox_tables(tmp_path / "dcim")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files of a cluster of four networks, with management addresses."""
    root = tmp_path_factory.mktemp("cluster")
    write(plan_of(**CLUSTER, management=LEAST), root)
    return root / "dcim"


def test_netbox_holds_the_links_of_all_networks(cluster: Path) -> None:
    """Each link and each device occurs once; a cable and both its ends have the tag of its network.

    A port of a switch that leads into another network has the tag of its own.
    """
    netbox = read_netbox(cluster)
    planned = {
        cable.cable: (name, cable)
        for name, cables in cluster_cables(plan_of(**CLUSTER)).items()
        for cable in cables
    }
    assert {*netbox.links.values()} == {*planned}
    tags = {f"network-{name}" for name in ("compute", "storage", "inband", "oob")}
    assert {
        row["slug"] for row in read_rows((cluster / "netbox/00-0-tags.csv").read_text())
    } == tags
    devices = set()
    for row in netbox.single:
        name, cable = planned[row["label"]]
        devices |= {cable.a_device, cable.b_device}
        assert row["tags"] == f"network-{name}"
        low = netbox.interfaces[cable.a_device, cable.a_interface]
        high = netbox.interfaces[cable.b_device, cable.b_interface]
        assert high["tags"] == row["tags"]
        own = "oob" if cable.a_device.startswith("oob-") else name
        assert low["tags"] == f"network-{own}"
        assert low["mgmt_only"] == ("true" if name == "oob" else "false")
        assert low["description"] == f"{cable.cable} {cable.b_device}:{cable.b_interface}"
    assert netbox.devices.keys() == devices
    places = {(cable.a_device, cable.a_rack, cable.a_unit) for _, cable in planned.values()} | {
        (cable.b_device, cable.b_rack, cable.b_unit) for _, cable in planned.values()
    }
    assert {(name, row["rack"], row["position"]) for name, row in netbox.devices.items()} == places
    assert netbox.devices["mgmt-1"]["role"] == "device"
    assert netbox.devices["oob-1"]["tags"] == "network-oob"
    assert netbox.devices["host-1"]["tags"] == ""


def test_serial_ports_have_tables_of_their_own(tmp_path: Path) -> None:
    """A cable of the console network joins a console port and a port of a console server."""
    leaf = {"leaf": {"model": "sn2201"}}
    networks = {
        "oob": {"switches": leaf, "speed": "1G"},
        "console": {"switches": {"leaf": {"model": "cm8148"}}},
    }
    plan = plan_of(**{"name": "small", **SMALL, "networks": networks})
    write(plan, tmp_path)
    root = tmp_path / "dcim"
    netbox, planned = read_netbox(root), cables_of(plan.networks["console"])
    assert {"console-ports", "console-server-ports"} <= netbox_tables(root)
    found = {
        (row["side_a_device"], row["side_a_name"], row["side_b_device"], row["side_b_name"])
        for row in netbox.single
        if (row["side_a_type"], row["side_b_type"])
        == ("dcim.consoleport", "dcim.consoleserverport")
    }
    assert found == {(c.a_device, c.a_interface, c.b_device, c.b_interface) for c in planned}
    assert planned
    own, servers = (
        read_rows((root / "netbox" / f"{name}.csv").read_text()) for name in SERIAL.values()
    )
    assert {row["device"] for row in own} == {cable.a_device for cable in planned}
    assert {row["device"] for row in servers} == {*plan.networks["console"].switches()}
    assert {row["name"] for row in servers} == {f"port{cage}" for cage in range(1, 49)}
    assert {row["type"] for row in (*own, *servers)} == {"rj-45"}
    assert own[0]["description"] == f"{planned[0].cable} console-1:port1"
    assert not {end for end in netbox.interfaces if end[1] == "console" or end[1][:4] == "port"}


def test_addresses_are_those_of_cabled_management_ports(cluster: Path) -> None:
    """A device with a port on the out-of-band network has no second interface for its address."""
    assert {"tags", "ip-addresses"} <= netbox_tables(cluster)
    rows = read_rows((cluster / "netbox/05-2-ip-addresses.csv").read_text())
    assert rows
    plan = plan_of(**CLUSTER)
    switches = {name for each in (plan, *plan.networks.values()) for name in each.switches()}
    assert {row["device"] for row in rows} >= switches
    own = read_rows((cluster / "netbox/05-1-interfaces.csv").read_text())
    assert {row["device"] for row in own} == {*plan.networks["oob"].switches()}
    assert {row["name"] for row in own} == {"eth0"}
    interfaces = read_netbox(cluster).interfaces
    for row in rows:
        end = row["device"], row["interface"]
        assert (row["device"] in plan.networks["oob"].switches()) == (end not in interfaces)


def test_netboxs_forms_take_every_row(built: Built) -> None:
    """Columns are fields; needed ones are filled; choices and lengths are NetBox's."""
    assert {"sites", "devices", "interfaces", "cables"} <= netbox_tables(built.root)
    for piece in built.netbox.pieces:
        plain = {key: str(value) for key, value in piece.items() if not isinstance(value, list)}
        choices = NETBOX["cables"] | {"needed": []}
        assert plain.keys() <= {*choices["fields"]}
        assert all(plain[key] in known for key, known in choices["choices"].items() if key in plain)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("type", "400gbase-osfp", "type: 400gbase-osfp is no choice"),
        ("name", "", "name is missing"),
        ("label", "x" * 65, "is too long"),
        ("colour", "blue", "colour is no field"),
    ],
)
def test_rows_that_netbox_refuses_are_found(column: str, value: str, words: str) -> None:
    """An unknown choice or field, an empty one, and a long one."""
    row = {"device": "leaf-1", "name": "swp1", "type": "400gbase-x-osfp"} | {column: value}
    (fault,) = _netbox_faults("interfaces", row)
    assert words in fault


def test_a_piece_of_several_legs_is_one_object(built: Built) -> None:
    """A splitter or a twin cable is a piece in the JSON and in no CSV.

    It has as many ends on each side as legs.
    """
    wanted: dict[str, set[str]] = {}
    for cable in built.cables:
        if cable.piece:
            wanted.setdefault(cable.piece, set()).add(cable.cable)
    assert {frozenset(str(piece["label"]).split(" ")) for piece in built.netbox.pieces} == {
        frozenset(labels) for labels in wanted.values()
    }
    assert len(built.netbox.pieces) == len(wanted)
    assert all(piece["profile"] == "trunk-2c1p" for piece in built.netbox.pieces)
    assert len(built.netbox.single) == sum(
        cable.connector < 2 and not cable.piece for cable in built.cables
    )


def test_the_fabrics_have_pieces_and_double_links() -> None:
    """One has pieces beside straight cables, one links of two cables."""
    cables = cables_of(plan_of(name="small", **FABRICS["copper splitters"]))
    assert {bool(cable.piece) for cable in cables} == {True, False}
    assert {cable.connector for cable in cables_of(plan_of(**FABRICS["two cables a link"]))} == {
        1,
        2,
    }


def test_every_port_has_an_interface(built: Built) -> None:
    """A switch has all its ports, enabled where a cable is; types are those of NetBox."""
    linked = {end for pair in built.netbox.links for end in pair}
    rows = built.netbox.interfaces
    assert {end for end, row in rows.items() if row["enabled"] == "true"} == linked
    assert {row["type"] for row in rows.values()} <= TYPES | {*INFINIBAND.values(), "other"}
    ports = Counter(device for device, _ in rows)
    for segment in range(built.plan.mapping.segments):
        for switch in Views(built.plan).switches(segment):
            assert ports[switch.name] == len(switch.ports) + len(switch.idle_ports)


def test_files_have_as_many_rows_as_an_import_takes(built: Built) -> None:
    """Only the last file of a table has fewer. Names sort in the order of the import."""
    for begin in ("01-devices", "02-interfaces", "03-cables"):
        sizes = [
            len(read_rows((built.root.parent / path).read_text()))
            for path in built.paths
            if f"netbox/{begin}" in path
        ]
        assert sizes[:-1] == [ROWS] * (len(sizes) - 1)
        assert 0 < (sizes or [1])[-1] <= ROWS
    named = [path for path in built.paths if "/netbox/" in path]
    assert named == sorted(named)


def test_the_sheet_has_both_ends_of_every_link(built: Built) -> None:
    """All cells are texts.

    On InfiniBand a NIC is a number that hca_mapping.csv explains, and a switch's port is
    cage/position. The validator asks switches, so direct rails have no sheet.
    """
    if built.plan.mapping.topology:
        assert not (built.root / "point-to-point.xlsx").exists()
        return
    titles, *rows = load_workbook(built.root / "point-to-point.xlsx")["P2P"].iter_rows(
        values_only=True
    )
    assert titles == (
        "A-Rack",
        "A-U",
        "A-Node Name",
        "A-Type",
        "A-Port",
        "Z-Rack",
        "Z-U",
        "Z-Node Name",
        "Z-Type",
        "Z-Port",
    )
    links = [cable for cable in built.cables if cable.connector < 2]
    assert all(isinstance(cell, str) or cell is None for row in rows for cell in row)
    infiniband = built.plan.spec.name == "pod"
    names = {}
    if infiniband:
        mapping = read_rows((built.root / "hca_mapping.csv").read_text())
        hosts = built.plan.fabric.host
        assert hosts
        names = {
            row["port"]: next(
                port.infiniband for port in hosts.ports if port.rdma == row["hca-name"]
            )
            for row in mapping
        }
    found = [
        (row[2], row[3], names.get(str(row[4]), row[4]), row[7], row[8], row[9]) for row in rows
    ]
    assert found == [
        (
            cable.a_device,
            "Host" if cable.tier == 1 else "Switch",
            cable.a_port if infiniband and cable.tier > 1 else cable.a_interface,
            cable.b_device,
            "Switch",
            cable.b_port if infiniband else cable.b_interface,
        )
        for cable in links
    ]


@pytest.mark.parametrize("keys", [HEDGEHOG, MESHED], ids=["spines", "mesh"])
def test_hedgehogs_definitions_accept_the_wiring(
    keys: dict[str, Any], tmp_path: Path, oracles: Path
) -> None:
    """Keys and types of switches, servers and connections are those of the definitions."""
    write(plan_of(name="hh", **keys), tmp_path)
    text = (tmp_path / "dcim" / "hedgehog" / "wiring.yaml").read_text(encoding="utf-8")
    manifests = libyaml.documents(text)
    assert {manifest["kind"] for manifest in manifests} == {"Switch", "Server", "Connection"}
    for manifest in manifests:
        assert resource_definitions.complaints(oracles / "crds", manifest) == []


def test_hedgehog_gets_the_same_links(tmp_path: Path) -> None:
    """Ports are those of the profile, and a spine and a leaf share one connection.

    Every cage in use is split as planned.
    """
    plan = plan_of(name="hh", **HEDGEHOG)
    write(plan, tmp_path)
    splits, links = read_wiring(tmp_path / "dcim" / "hedgehog" / "wiring.yaml")
    wanted = set()
    for cable in cables_of(plan):
        lower = cable.a_interface if cable.tier == 1 else f"E1/{cable.a_port}"
        wanted.add(frozenset({f"{cable.a_device}/{lower}", f"{cable.b_device}/E1/{cable.b_port}"}))
    assert links == wanted
    assert splits.keys() == {*plan.switches()}
    assert {mode for cages in splits.values() for mode in cages.values()} == {"2x400G"}
    assert {len(cages) for cages in splits.values()} == {64}


def test_hedgehog_gets_the_networks_on_compute_leaves(tmp_path: Path) -> None:
    """Their devices are servers, their cages are split, and links between leaves are a mesh."""
    plan = plan_of(name="hh", **MESHED)
    write(plan, tmp_path)
    splits, links = read_wiring(tmp_path / "dcim" / "hedgehog" / "wiring.yaml")
    wanted = {
        frozenset(
            {
                f"{cable.a_device}/" + (f"E1/{cable.a_port}" if peer else cable.a_interface),
                f"{cable.b_device}/E1/{cable.b_port}",
            }
        )
        for cable in cables_of(plan.networks["storage"])
        for peer in (cable.a_device in splits,)
    }
    assert len(wanted) == 22
    assert wanted < links
    assert len(links) == len(wanted) + plan.links
    assert splits["leaf-1"]["E1/17"] == "4x200G"


@pytest.mark.parametrize(
    "keys",
    [HEDGEHOG, HEDGEHOG | {"design": "rail-optimized", "gpus": 1024}],
    ids=["rail-only", "rail-optimized"],
)
def test_the_launch_kit_gets_rails_planes_and_units(keys: dict[str, Any], tmp_path: Path) -> None:
    """Every host has one link on each rail, and a scalable unit is a stripe.

    Hosts of one scalable unit share their leaves.
    """
    plan = plan_of(name="kit", **keys)
    write(plan, tmp_path)
    output = json.loads((tmp_path / "dcim" / "launch-kit" / "topology.json").read_text())
    ends = {
        (
            leaf["node"],
            leaf["interface"],
            host["node"],
            host["interface"],
            host["attributes"]["rail"],
        )
        for leaf, host in output["links"]
    }
    rows = [cable for cable in cables_of(plan) if cable.tier == 1]
    assert ends == {
        (cable.b_device, cable.b_interface, cable.a_device, cable.a_interface, int(cable.rail))
        for cable in rows
    }
    segments: dict[int, set[str]] = {}
    for leaf, host in output["links"]:
        assert leaf["attributes"]["su"] == host["attributes"]["su"]
        assert host["attributes"]["rail"] in leaf["attributes"]["rail_group"]
        segments.setdefault(host["attributes"]["su"], set()).add(leaf["node"])
    assert len(segments) == len(stripes(plan))
    assert sum(map(len, segments.values())) == len(set.union(*segments.values()))
    assert {node["name"] for node in output["nodes"]} == {
        *plan.hosts,
        *set.union(*segments.values()),
    }


def test_unsupported_fabrics_are_left_out(tmp_path: Path) -> None:
    """Switches without a profile have no wiring.

    More rails than an address holds have no topology.
    """
    paths = write(plan_of(name="wide", gpus=64, hb_domain={"gpus": 16}, radix=16), tmp_path)
    assert [
        path
        for path in paths
        if "hedgehog" in path or "launch-kit" in path or "hca_mapping" in path
    ] == []


def test_a_large_fabric_is_written_on_request_only() -> None:
    """Above a number of cables the group names the option that writes it."""
    plan = plan_of(
        gpus=32768, hb_domain={"gpus": 256}, switches={"leaf": {"generic": {"radix": 64}}}
    )
    assert plan.cables > LIMITS["dcim"].most
    job = build_job(plan, Packs(), ("dcim",))
    assert (job.tasks, len(job.skipped)) == ([], 1)
    assert "--only dcim" in job.skipped[0]
    assert len(build_job(plan, Packs(), ("dcim",), frozenset({"dcim"})).tasks) > 9


HOSTILE = InterfaceView(
    device='a "b", c\nd',
    name=FORMULA,
    label="-x",
    type="-x",
    speed_kbps=1,
    enabled="-x",
    mtu="-x",
    description="+1+1",
    tag="",
    mgmt_only="false",
)
"""A row with formulas, and with characters that could break a line of a CSV."""


def test_hostile_cells_stay_cells() -> None:
    """Formulas, quotes, commas and line ends remain in their cells."""
    text = Packs().render("netbox", "interfaces.csv.j2", table=TableView([HOSTILE]))
    (row,) = csv.DictReader(io.StringIO(text), strict=True)
    assert (row["name"], row["device"], row["description"]) == (
        f"'{FORMULA}",
        'a "b", c\nd',
        "'+1+1",
    )
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_shared_objects_have_a_file_each(cluster: Path) -> None:
    """An import is refused whole: where one tag or type exists, the files of the others remain."""
    folder = cluster / "netbox"
    tables = {
        "0-tags": "00-0-tags",
        "4-manufacturers": "00-4-manufacturers",
        "5-device-roles": "00-5-device-roles",
        "6-platforms": "00-6-platforms",
        "7-device-types": "00-7-device-types",
    }
    for begin, whole in tables.items():
        files = sorted((folder / "shared").glob(f"{begin}-*.csv"))
        each = [read_rows(path.read_text(encoding="utf-8")) for path in files]
        assert all(len(rows) == 1 for rows in each)
        assert {path.stem for path in files} == {f"{begin}-{row['slug']}" for (row,) in each}
        own = read_rows((folder / f"{whole}.csv").read_text(encoding="utf-8"))
        assert sorted(map(str, own)) == sorted(str(row) for (row,) in each)
    assert len([*(folder / "shared").iterdir()]) > len(tables)


LIBRARY: dict[str, Any] = {
    "gpus": 16,
    "hb_domain": {"gpus": 8},
    "host": {"model": "dgx-b300"},
    "rails": {"per_switch": "auto"},
    "switches": {"leaf": {"model": "sn5600", "breakout": "1x800G"}},
    "nos": "nvue",
    "naming": {"models": "library", "prefix": "dc2-"},
    "management": LEAST,
}


@pytest.mark.parametrize("breakout", ["1x800G", "2x400G"])
def test_devices_of_loaded_types_get_each_port_once(breakout: str, tmp_path: Path) -> None:
    """With the library's names, its types and their ports are in no file, but cables end at them.

    What the plan knows of these ports is in the list for a script.
    """
    leaf = {"leaf": {"model": "sn5600", "breakout": breakout}}
    host = {"model": "dgx-b300" if breakout == "1x800G" else "dgx-h100"}
    write(plan_of(**{"name": "own", **LIBRARY, "switches": leaf, "host": host}), tmp_path)
    folder = tmp_path / "dcim" / "netbox"
    assert not (folder / "00-4-manufacturers.csv").exists()
    (type_,) = read_rows((folder / "00-7-device-types.csv").read_text(encoding="utf-8"))
    assert (type_["manufacturer"], type_["model"]) == ("Nvidia", host["model"])
    rows = read_rows((folder / "01-devices.csv").read_text(encoding="utf-8"))
    types = {row["name"]: (row["manufacturer"], row["device_type"]) for row in rows}
    assert types["dc2-leaf-1"] == ("Nvidia", "SN5600")
    assert all(name.startswith("dc2-") for name in types)
    brought = {("dc2-leaf-1", name) for name in ("eth0", *(f"swp{n}" for n in range(1, 65)))}
    ports = {
        (row["device"], row["name"])
        for path in sorted(folder.glob("0[25]*interfaces.csv"))
        for row in read_rows(path.read_text(encoding="utf-8"))
    }
    assert ports
    assert not ports & brought
    cables = read_rows((folder / "03-cables.csv").read_text(encoding="utf-8"))
    sides = [
        (row[f"side_{side}_device"], row[f"side_{side}_name"]) for row in cables for side in "ab"
    ]
    ends = {*sides}
    assert len(ends) == 2 * len(cables)
    assert ends <= ports | brought
    addresses = read_rows((folder / "05-2-ip-addresses.csv").read_text(encoding="utf-8"))
    assert {(row["device"], row["interface"]) for row in addresses} <= ports | brought
    known = folder / "06-interfaces.json"
    listed = json.loads(known.read_text(encoding="utf-8")) if known.exists() else []
    assert {(each["device"], each["name"]) for each in listed} == {
        end for end in brought if end[1] != "eth0" and breakout == "1x800G"
    }
    assert "Nvidia, SN5600" in (folder / "README.md").read_text(encoding="utf-8")


def test_form_facts_come_from_the_forms() -> None:
    """The list has a table for each file, and fields that a form requires beside a default."""
    assert "weight" in NETBOX["tags"]["needed"]
    assert "u_height" in NETBOX["device-types"]["needed"]
    assert NETBOX.keys() == FORMS.keys()
