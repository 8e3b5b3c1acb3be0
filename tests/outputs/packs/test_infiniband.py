"""The files of InfiniBand subnets equal the plan.

The tools that read them accept them, and reject each injected error.
"""

from __future__ import annotations

import csv
import itertools
import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from fabricgen.build.run import build
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.resources import shipped
from fabricgen.core.terms import LinkKind, Role
from fabricgen.inventory.load import read_inventory
from fabricgen.lab.infiniband.opensm import Subnet
from fabricgen.lifecycle.audit.ibnetdiscover import read_discovery
from fabricgen.outputs.packs.render import Packs
from fabricgen.planning.plan import Plan, make_plan
from fabricgen.views.infiniband.build import Subnets
from tests.fabrics import build_job, cables_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SMALL: dict[str, Any] = {
    "gpus": 64,
    "hb_domain": {"gpus": 8},
    "nic": {"speed": "200G"},
    "switches": {"leaf": {"model": "ib8", "breakout": "1x200G"}},
}
SPLIT = {
    "leaf": {"model": "ib8", "breakout": "2x100G"},
    "spine": {"model": "ib8", "breakout": "1x200G"},
}
VARIANTS: dict[str, dict[str, Any]] = {
    "a switch a rail": SMALL,
    "two tiers": SMALL | {"gpus": 32, "rails": {"count": 1}, "design": "fat-tree"},
    "three tiers": SMALL | {"design": "rail-optimized"},
    "rails that share boxes": SMALL | {"rails": {"per_switch": 2, "tiers": 2}},
    "two planes, split leaves": SMALL
    | {"gpus": 32, "nic": {"speed": "100G"}, "rails": {"planes": 2, "count": 1}, "switches": SPLIT},
    "superpod": {
        "gpus": 256,
        "hb_domain": {"gpus": 8},
        "design": "rail-optimized",
        "host": {"model": "dgx-h100"},
        "switches": {"leaf": {"model": "qm9700", "breakout": "2x400G"}},
    },
}

Pair = frozenset[tuple[str, str]]


class Built(NamedTuple):
    """A plan and the directory of its subnets."""

    plan: Plan
    subnets: Path

    @property
    def folders(self) -> list[Path]:
        """The directories of the subnets, by name."""
        return sorted(self.subnets.iterdir())


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Return a catalog with an InfiniBand switch of eight cages, a reduced QM8790."""
    root = tmp_path_factory.mktemp("catalog")
    (root / "switches").mkdir()
    text = (shipped("inventories") / "catalog/switches/qm8790.yaml").read_text(encoding="utf-8")
    (root / "switches/ib8.yaml").write_text(
        text.replace("model: qm8790", "model: ib8").replace("cages: 40", "cages: 8"),
        encoding="utf-8",
    )
    return Catalog((root,), home=root)


def write(plan: Plan, out: Path) -> Built:
    """Write the subnets of a plan."""
    build(build_job(plan, Packs(), ("configs",)), out)
    return Built(plan, out / "subnets")


@pytest.fixture(scope="module")
def every(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    """Build every variant."""
    return {
        name: write(make_plan(spec_of(**keys), catalog), tmp_path_factory.mktemp("ib") / "out")
        for name, keys in VARIANTS.items()
    }


@pytest.fixture(params=VARIANTS)
def built(every: dict[str, Built], request: pytest.FixtureRequest) -> Built:
    """Return each variant in turn."""
    return every[request.param]


def planned_links(plan: Plan) -> Counter[Pair]:
    """Return the links of a plan, by device and interface.

    A host's port has the name of its RDMA device, where there is one.
    """
    request, named = plan.fabric, {}
    for gpu, plane in itertools.product(range(request.host_gpus), range(request.planes)):
        named[plan.naming.interface(gpu, plane)] = (
            request.host and request.host.port(gpu, plane).rdma
        ) or plan.naming.interface(gpu, plane)
    cables = cables_of(plan)
    return Counter(
        frozenset(
            {
                (
                    cable.a_device,
                    named[cable.a_interface] if cable.tier == LinkKind.HOST else cable.a_interface,
                ),
                (cable.b_device, cable.b_interface),
            }
        )
        for cable in cables
    )


def interface_of(plan: Plan, numbers: int, device: str, number: int) -> tuple[str, str]:
    """Return the interface name of a switch port number.

    A cage has a fixed count of numbers, of which a split in two uses the halves.
    """
    role = next(
        box.role
        for segment in range(plan.mapping.segments)
        for name, box in zip(plan.naming.switches(segment), plan.naming.boxes, strict=True)
        if name == device
    )
    port_layout = plan.fabric.port_layouts[role]
    cage, within = divmod(number - 1, numbers // port_layout.model.cages)
    split = next(port.breakout.count for port in plan.ports[role] if port.cage == cage + 1)
    return (
        device,
        f"1/{cage + 1}"
        if split == 1
        else f"1/{cage + 1}/{within * split * port_layout.model.cages // numbers + 1}",
    )


def net_links(plan: Plan, text: str) -> Iterator[Pair]:
    """Read the links of a net file; each must be listed at both its ends."""
    nodes = {
        found[2]: found
        for found in re.findall(r'(Switch|Ca)\t(\d+) "([^"]+)"\t+# "([^"]*)"', text)
        for found in [(found[0], int(found[1]), found[2], found[3])]
    }
    ends: Counter[frozenset[tuple[str, int]]] = Counter()
    for block in text.split("\n\n")[1:]:
        at = re.findall(r'(?:Switch|Ca)\t\d+ "([^"]+)"', block)[0]
        ends.update(
            frozenset({(at, int(port)), (peer, int(far))})
            for port, peer, far in re.findall(
                r'^\[(\d+)\]\t"([^"]+)"\[(\d+)\]', block, re.MULTILINE
            )
        )
    assert set(ends.values()) == {2}
    for link in ends:
        pair = []
        for node, port in link:
            kind, width, _, description = nodes[node]
            host, _, adapter = description.partition(" ")
            assert port <= width
            pair.append(
                (host, adapter) if kind == "Ca" else interface_of(plan, width, description, port)
            )
        yield frozenset(pair)


def topo_links(text: str) -> Iterator[Pair]:
    """Read the links of a topology; each is listed once."""
    for block in text.split("\n\n"):
        head, *lines = block.strip().splitlines() or [" x"]
        for line in lines:
            panel, _, _, peer, far = line.split()
            yield frozenset(
                {
                    (head.split()[1], panel.removeprefix("P")),
                    (peer, far.removesuffix("/P1").removeprefix("P")),
                }
            )


def test_every_file_has_the_links_of_the_plan(built: Built) -> None:
    """The simulator's net, ibdmchk's topology and the list of links have the plan's cables."""
    wanted = planned_links(built.plan)
    assert (
        Counter(
            link
            for each in built.folders
            for link in net_links(built.plan, (each / "fabric.net").read_text())
        )
        == wanted
    )
    assert (
        Counter(
            link
            for each in built.folders
            for link in topo_links((each / "fabric.topo").read_text())
        )
        == wanted
    )
    rows = [
        row
        for each in built.folders
        for row in csv.DictReader((each / "links.csv").read_text().splitlines())
    ]
    labels = {cable.cable for cable in cables_of(built.plan)}
    assert Counter(row["name"] for row in rows) == Counter(labels)


def test_there_is_a_subnet_for_each_connected_part(built: Built) -> None:
    """Each segment has a subnet, whose GUIDs and prefix are unique.

    Its roots are the highest tier, and its compute nodes all adapters.
    """
    plan, guids, prefixes = built.plan, Counter[str](), Counter[str]()
    assert len(built.folders) == plan.mapping.segments == len(Subnets(plan).names)
    for folder in built.folders:
        net, roots, nodes = (
            (folder / name).read_text() for name in ("fabric.net", "root_guids.txt", "cn_guids.txt")
        )
        top = {
            name
            for segment in range(plan.mapping.segments)
            for name, box in zip(plan.naming.switches(segment), plan.naming.boxes, strict=True)
            if box.role is plan.roles[-1]
        }
        switches = dict(re.findall(r'switchguid=(\S+)\nSwitch\t\d+ "[^"]+"\t+# "([^"]*)"', net))
        adapters = [
            f"0x{int(guid, 16) + 1:016x}"
            for guid in re.findall(r"^caguid=(\S+)", net, re.MULTILINE)
        ]
        assert roots.split() == [guid for guid, name in switches.items() if name in top]
        assert nodes.split() == adapters
        guids.update([*switches, *adapters])
        prefixes.update(
            re.findall(r"^subnet_prefix (\S+)", (folder / "opensm.conf").read_text(), re.MULTILINE)
        )
    assert max(guids.values()) == max(prefixes.values()) == 1
    assert all(int(guid, 16) >> 56 == 0x02 for guid in guids)


def test_a_switch_of_several_planes_has_a_guid_for_each(tmp_path: Path) -> None:
    """Its nodes `NAME:Q3400_RA/U1` to `/U4`: the table takes four, and the roots are all of them.

    opensm.conf names the subnet manager that manages all planes.
    """
    given = [f"0xaa00000000000{plane}00" for plane in range(1, 5)]
    lines = ["device,port,guid", *(f"spine-1,,{guid}" for guid in given)]
    (tmp_path / "guids.csv").write_text("\n".join(lines), encoding="utf-8")
    keys: dict[str, Any] = {
        "gpus": 144,
        "design": "rail-optimized",
        "rails": {"tiers": 2, "count": 4},
        "hb_domain": {"gpus": 4},
        "nic": {"speed": "800G"},
        "switches": {"leaf": {"model": "q3400"}},
    }
    made: list[Path] = []
    for addressing in ({}, {"guids": "guids.csv"}):
        plan = make_plan(spec_of(**keys, addressing=addressing), Catalog(home=tmp_path))
        made.append(write(plan, tmp_path / f"out{len(made)}").folders[0])
    bare, filled = ((each / "root_guids.txt").read_text().split() for each in made)
    spines, boxes = plan.sizing.spine, plan.switch_count(Role.SPINE) + plan.switch_count(Role.LEAF)
    assert filled[:4] == given
    assert len(set(bare)) == len(set(filled)) == 4 * spines
    assert bare[4:] == filled[4:]
    for folder, count in zip(made, (0, 4), strict=True):
        text = (folder / "opensm.conf").read_text()
        assert f"# {boxes * 4 + 144 - count} GUIDs in these files are placeholders" in text
        assert "use NVIDIA SM" in text


def test_names_of_subnets(every: dict[str, Built]) -> None:
    """By rails and planes, and `all` for a single subnet."""
    names = {variant: [folder.name for folder in built.folders] for variant, built in every.items()}
    assert names["a switch a rail"] == [f"r{rail}" for rail in range(8)]
    assert names["rails that share boxes"] == ["r0-1", "r2-3", "r4-5", "r6-7"]
    assert names["two planes, split leaves"] == ["r0p0", "r0p1"]
    assert names["superpod"] == names["three tiers"] == ["all"]


def test_ethernet_has_no_subnets(tmp_path: Path, catalog: Catalog) -> None:
    """No file of them is written."""
    plan = make_plan(spec_of(gpus=8, hb_domain={"gpus": 8}, radix=8, nos="frr"), catalog)
    assert not [
        path
        for path in build_job(plan, Packs(), ("configs",)).paths()
        if path.startswith("subnets")
    ]
    assert not tmp_path.joinpath("subnets").exists()


LARGEST = 1024
"""Adapters of the largest ready inventory that is routed here.

Larger ones are for `fabricgen lab run`.
"""


def ready_inventories() -> Iterator[str]:
    """Return the shipped InfiniBand inventories up to that size."""
    for path in sorted(shipped("inventories").glob("*.yaml")):
        spec = read_inventory(str(path)).spec
        leaf = Catalog().switch(spec.switches.leaf.model) if spec.switches.leaf.model else None
        if leaf and leaf.transport == "infiniband" and spec.gpus <= LARGEST:
            yield path.stem


READY = list(ready_inventories())

NUMBER = itertools.count()


@pytest.fixture
def simulated(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Path], Subnet]]:
    """Return a function that runs a copy of a subnet's files over ibsim.

    All processes end with the test.
    """
    monkeypatch.setenv("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
    for name in ("ibsim", "opensm", "ibdmchk", "smpquery"):
        tool(name)
    started: list[Subnet] = []

    def start(files: Path) -> Subnet:
        place = tmp_path / f"run{len(started)}"
        subnet = Subnet(f"{tmp_path.parent.name}-{tmp_path.name}-{next(NUMBER)}", files, place)
        started.append(subnet)
        subnet.simulate()
        return subnet

    yield start
    for subnet in started:
        subnet.end()


def test_opensm_routes_every_variant(built: Built, simulated: Callable[[Path], Subnet]) -> None:
    """OpenSM uses the emitted files and the first engine in them.

    It reports no error, and every pair is reached.
    """
    plan, subnet = built.plan, simulated(built.folders[-1])
    routed, walk = subnet.manage(), subnet.tables().walk()
    tree = plan.sizing.leaf > 1
    assert (routed.engine, routed.faults, walk.lost) == ("ftree" if tree else "updn", [], [])
    ports = plan.fabric.gpus * plan.fabric.planes // plan.mapping.segments
    assert walk.pairs == ports * (ports - 1)
    assert walk.links == 2 * plan.sizing.tiers


def test_the_superpods_are_included() -> None:
    """They have one to four scalable units."""
    assert {f"dgx-h100-superpod-{scalable_units}su" for scalable_units in range(1, 5)} <= set(READY)


@pytest.mark.parametrize("name", READY)
def test_a_ready_inventory_is_a_fat_tree_without_credit_loops(
    name: str, simulated: Callable[[Path], Subnet], tmp_path: Path
) -> None:
    """For OpenSM's ftree in every subnet, and for ibdmchk."""
    spec = read_inventory(str(shipped("inventories") / f"{name}.yaml")).spec
    for folder in write(make_plan(spec, Catalog()), tmp_path / "out").folders:
        subnet = simulated(folder)
        routed = subnet.manage()
        assert (routed.engine, routed.faults) == ("ftree", [])
        assert "no credit loops found" in check_topology(subnet)


def test_rails_that_share_switches_are_partitioned(
    every: dict[str, Built], simulated: Callable[[Path], Subnet]
) -> None:
    """The adapters' own tables of keys, as OpenSM wrote them, have a rail's key in full.

    The default key is a limited member, except at the manager's own port.
    """
    subnet = simulated(every["rails that share boxes"].folders[1])
    subnet.manage()
    net, lids = subnet.net, subnet.tables().lids
    for adapter in range(net.adapters):
        printed = subnet.run("smpquery", "pkeys", str(lids[adapter]), "1").stdout
        rail = int(net.names[net.switches + adapter].partition("nic")[2])
        default = "0xffff" if adapter == 0 else "0x7fff"
        assert re.findall(r"0x[0-9a-f]{4}", printed)[:3] == [
            default,
            f"0x{0x8001 + rail:04x}",
            "0x0000",
        ]


def broken(files: Path, to: Path, name: str, old: str, new: str) -> Path:
    """Copy the files of a subnet with one of them changed."""
    shutil.copytree(files, to)
    text = (to / name).read_text(encoding="utf-8")
    assert old in text
    (to / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    return to


@pytest.mark.parametrize(
    ("name", "old", "new", "complaint"),
    [
        (
            "opensm.conf",
            "routing_engine ftree",
            "routing_engine ftre",
            "Failed to setup routing engine",
        ),
        ("opensm.conf", "routing_engine", "routing_engin", "Unrecognized token"),
        ("root_guids.txt", "0x", "nothing", "cannot parse root guids file"),
        ("root_guids.txt", "0x02000002", "0x02000009", "Root switch GUID"),
        ("cn_guids.txt", "0x", "nothing", "Problem parsing CN guid file"),
        ("partitions.conf", "0x7fff", "0xzzzz", "PARSE ERROR"),
    ],
)
def test_opensm_rejects_errors(
    name: str,
    old: str,
    new: str,
    complaint: str,
    every: dict[str, Built],
    simulated: Callable[[Path], Subnet],
    tmp_path: Path,
) -> None:
    """One word is changed in each of its files, and its log reports it."""
    routed = simulated(
        broken(every["two tiers"].folders[0], tmp_path / "broken", name, old, new)
    ).manage()
    assert any(complaint in fault for fault in routed.faults), routed


@pytest.mark.parametrize(("old", "new"), [('"S-', '"S-9'), ("[1]\t", "[99]\t")])
def test_an_inconsistent_net_is_refused(
    old: str, new: str, every: dict[str, Built], simulated: Callable[[Path], Subnet], tmp_path: Path
) -> None:
    """A link names an unknown node or port."""
    with pytest.raises(Refusal, match="lab-failed"):
        simulated(
            broken(every["two tiers"].folders[0], tmp_path / "broken", "fabric.net", old, new)
        )


def check_topology(subnet: Subnet) -> str:
    """Return ibdmchk's output for a topology."""
    first = subnet.net.names[subnet.net.switches].replace(" ", "/")
    return subnet.run(
        "env",
        f"IBDM_IBNL_PATH={subnet.files}",
        "ibdmchk",
        "-t",
        str(subnet.files / "fabric.topo"),
        "-n",
        first,
        "-p",
        "1",
    ).stdout


def test_ibdmchk_finds_no_credit_loops(built: Built, simulated: Callable[[Path], Subnet]) -> None:
    """In the emitted topology, with every adapter found, by its own routing."""
    subnet = simulated(built.folders[0])
    printed = check_topology(subnet)
    assert "no credit loops found" in printed
    assert "-E-" not in printed
    assert f"Assigned {subnet.net.switches + subnet.net.adapters} LIDs" in printed


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("fabric.topo", "P1/8 ->", "P1/9 ->"),
        ("IB8-8.ibnl", "NODE SW", "NODE"),
        ("HOST-8.ibnl", "nic0/P1", "nicX/P1"),
    ],
)
def test_ibdmchk_rejects_errors(
    name: str,
    old: str,
    new: str,
    every: dict[str, Built],
    simulated: Callable[[Path], Subnet],
    tmp_path: Path,
) -> None:
    """They are an unknown port, in the topology or in a system, and an invalid line."""
    printed = check_topology(
        simulated(broken(every["two tiers"].folders[0], tmp_path / "broken", name, old, new))
    )
    assert "-E-" in printed
    assert "no credit loops found" not in printed


def test_guids_of_a_table_are_in_every_file(catalog: Catalog, tmp_path: Path) -> None:
    """The table has a switch and two ports, one by its RDMA device, with or without 0x and colons.

    The others keep their placeholders.
    """
    table = (
        "guid,device,port\n0x946dae0300a1b2c3,r0-leaf-1,\n94:6d:ae:03:00:00:00:11,"
        "host-1,nic0\n946dae0300000021,host-2,nic0\n"
    )
    (tmp_path / "guids.csv").write_text(table, encoding="utf-8")
    plan = make_plan(
        spec_of(**SMALL, addressing={"guids": "guids.csv"}),
        Catalog(catalog._roots, home=tmp_path),  # noqa: SLF001 - the same catalog for another directory
    )
    folder = write(plan, tmp_path / "out").folders[0]
    assert (folder / "root_guids.txt").read_text() == "0x946dae0300a1b2c3\n"
    assert (folder / "cn_guids.txt").read_text().split()[:3] == [
        "0x946dae0300000011",
        "0x946dae0300000021",
        "0x0200000000000021",
    ]
    net = (folder / "fabric.net").read_text()
    assert "switchguid=0x946dae0300a1b2c3\n" in net
    assert "caguid=0x946dae0300000010\n" in net
    assert f"# {8 + 1 - 3} GUIDs" in (folder / "opensm.conf").read_text()


@pytest.mark.parametrize(
    ("lines", "fact"),
    [
        ("device,port\n", "the columns are not device, port and guid"),
        ("device,port,guid\nr0-leaf-1,\n", "the line has 2 cells, and the table 3 columns"),
        ("device,port,guid\nr0-leaf-1,,0x12\n", "`0x12` is no GUID"),
        ("device,port,guid\nr0-leaf-1,,0x0000000000000000\n", "`0x0000000000000000` is no GUID"),
        (
            "device,port,guid\nr0-leaf-9,,946dae0300000001\n",
            "this fabric has no switch or host `r0-leaf-9`",
        ),
        ("device,port,guid\nhost-1,nic9,946dae0300000001\n", "`host-1` has no port `nic9`"),
        ("device,port,guid\nr0-leaf-1,1,946dae0300000001\n", "`r0-leaf-1` has no port `1`"),
        (
            "device,port,guid\nhost-1,nic0,946dae0300000001\nhost-2,nic0,0x946DAE0300000001\n",
            "0x946dae0300000001 is given twice",
        ),
        (
            "device,port,guid\nhost-1,nic0,946dae0300000001\nhost-1,nic0,946dae0300000002\n",
            "`host-1 nic0` is given twice",
        ),
        (
            "device,port,guid\nhost-1,nic0,0200000000000011\n",
            "0x0200000000000011 belongs to two ports",
        ),
        ('device,port,guid\n"host-1,nic0\n', "the line is not CSV"),
    ],
)
def test_an_invalid_table_of_guids(lines: str, fact: str, catalog: Catalog, tmp_path: Path) -> None:
    """Each error is found, with its line."""
    (tmp_path / "guids.csv").write_text(lines, encoding="utf-8")
    plan = make_plan(
        spec_of(**SMALL, addressing={"guids": "guids.csv"}),
        Catalog(catalog._roots, home=tmp_path),  # noqa: SLF001 - as above
    )
    with pytest.raises(Refusal) as refused:
        Subnets(plan).view(0)
    assert refused.value.findings[0].code == "bad-guids"
    assert fact in refused.value.findings[0].fact


def test_the_adapter_inside_a_switch_is_no_cable() -> None:
    """A switch that aggregates for its hosts shows an adapter behind a port without a cage."""
    text = (
        'Switch\t65 "S-1"\t\t# "leaf-1" base port 0 lid 1 lmc 0\n[65]\t"H-1"[1](11) \t\t# '
        '"Mellanox Technologies Aggregation Node" lid 2 4xNDR\n\n'
        'Ca\t1 "H-1"\t\t# "Mellanox Technologies Aggregation Node"\n[1](11) '
        '\t"S-1"[65]\t\t# lid 2 lmc 0 "leaf-1" lid 1 4xNDR\n'
    )
    evidence = read_discovery(text)
    assert (evidence.records, evidence.reporters) == ([], {"leaf-1"})
