"""The groups of files that a build writes, in the order in which it writes them.

Owns the words of `--only` and `outputs`, the readers of a group, the files that no pack writes, and
the limits above which files are written on request only. `tasks` of the module
`fabricgen.build.group_<name>` writes a group; a build imports the modules of its groups only.
"""

from __future__ import annotations

from typing import NamedTuple

OVERRIDES = "configs/overrides.csv"
ADDRESSES = "hosts/addresses.csv"
SESSIONS = "hosts/routers.csv"
"""The one file that depends on a key of the inventory: it is written if there are overrides."""


class GroupLimit(NamedTuple):
    """How many of something a build writes files for without a request."""

    word: str
    """What to request the files by above the limit: their group, or a part of it."""
    most: int
    counted: str
    files: str
    """The files that the limit is for."""


class OwnFile(NamedTuple):
    """A file that no pack writes, and its reader."""

    path: str
    reader: str


class GroupSpec(NamedTuple):
    """A group of files."""

    name: str
    readers: str
    packs: tuple[str, ...] = ()
    """What `group` of a pack.yaml may be for the pack's files to belong here."""
    own: tuple[OwnFile, ...] = ()
    limits: tuple[GroupLimit, ...] = ()
    on_request: bool = False
    """Whether the whole group is written on request only."""
    brings: tuple[str, ...] = ()
    """Groups that come with it, because its files refer to theirs."""
    managed: bool = False
    """Whether it is part of a build only if the inventory has `management`."""
    configures: bool = False
    """Whether its files hold configurations of switches, so that each NOS needs a pack."""
    packets: bool = False
    """Whether its files presuppose that leaves, or else hosts, forward packets: no circuits do."""
    switches: bool = False
    """Whether its files describe switches, so that rails without any have none of them."""


SPECS = (
    GroupSpec(
        name="cabling",
        readers="installers: cable lists, labels, pull sheets, rack elevations and port maps",
        packs=("cabling", "room", "patching"),
        own=(
            OwnFile(
                "cabling/cables.schema.json",
                "programs that read cables.csv: what each column means (a Table Schema)",
            ),
            OwnFile("cabling/cables.xlsx", "installers: the cable list as a spreadsheet"),
        ),
        limits=(
            # a workbook takes ten seconds to write and as long to open
            GroupLimit("workbook", 100_000, "rows", "cables.xlsx"),
            # above it, the labels are a thousand pages and take two seconds to write
            GroupLimit("labels", 20_000, "cables", "cabling/labels.html"),
            # the sheets are some ten thousand pages
            GroupLimit("pull-sheets", 20_000, "cables", "pull-sheets/, hosts/, racks/ and ports/"),
            # so are the maps of panels
            GroupLimit("patching", 20_000, "links through panels", "cabling/patching/"),
        ),
    ),
    GroupSpec(
        name="bom",
        readers=(
            "buyers: the bill of materials by part, role, rack and phase, and the designs compared"
        ),
        packs=("bom",),
        own=(OwnFile("bom/bom.xlsx", "buyers: the bill as a spreadsheet"),),
        # so are the rows of racks in loads.csv, and their sheets in the workbook
        limits=(GroupLimit("racks", 2_000, "racks", "by-rack.csv"),),
    ),
    GroupSpec(
        name="configs",
        switches=True,
        readers="switches and subnet managers: their configurations",
        packs=("configs",),
        own=(OwnFile(OVERRIDES, "operators: which `overrides` each file of a switch contains"),),
        configures=True,
    ),
    GroupSpec(
        name="circuits",
        readers="controllers and technicians: the ports that circuits join, where leaves do",
        packs=("circuits",),
        limits=(GroupLimit("circuits", 500_000, "circuits", "circuits/"),),
    ),
    GroupSpec(
        name="provision",
        packets=True,
        switches=True,
        readers="DHCP and web servers: what switches boot from, if the inventory has `management`",
        packs=("provision",),
        managed=True,
        configures=True,
    ),
    GroupSpec(
        name="push",
        packets=True,
        switches=True,
        readers="Ansible: playbooks that load the configurations, if there is `management`",
        packs=("push",),
        brings=("configs", "cluster"),
        managed=True,
        configures=True,
    ),
    GroupSpec(
        name="hosts",
        packets=True,
        readers="hosts: addresses, routes and NCCL settings",
        packs=("hosts",),
        own=(
            OwnFile(
                ADDRESSES,
                "operators: addresses in the networks beside compute, or those of direct rails",
            ),
            OwnFile(SESSIONS, "operators: the BGP sessions of the site's routers"),
        ),
        # above it the hosts have more files than all switches
        limits=(GroupLimit("hosts", 32_768, "NIC ports", "hosts/"),),
    ),
    GroupSpec(
        name="forwarding",
        packets=True,
        switches=True,
        readers="agents on hosts, and other programs: relays of GPUs and routes of switches",
        own=(
            OwnFile("forwarding/domains.json", "a host's agent: the HB domains in order"),
            OwnFile(
                "hosts/{host}/forwarding.json",
                "a host's agent: the GPU that relays packets to each rail, and its backups",
            ),
            OwnFile("forwarding/{switch}.json", "programs: the routes of a switch"),
        ),
        limits=(GroupLimit("forwarding", 100_000, "entries", "forwarding tables"),),
    ),
    GroupSpec(
        name="graph",
        readers="graph tools and PTM: every device and link",
        packs=("graph",),
        own=(
            OwnFile("graph/fabric.json", "networkx and other programs: node-link data"),
            OwnFile("graph/fabric.graphml", "yEd, Gephi, Cytoscape and networkx: GraphML"),
        ),
        limits=(GroupLimit("graph", 100_000, "links", "fabric.json and fabric.graphml"),),
    ),
    GroupSpec(
        name="lab",
        packets=True,
        readers="lab engines and `fabricgen lab`: the fabric as containers",
        packs=("lab",),
        # a larger lab is more than the engines run
        limits=(GroupLimit("lab", 1_024, "GPUs", "lab/"),),
        brings=("configs",),
        configures=True,
    ),
    GroupSpec(
        name="cluster",
        readers=(
            "schedulers and automation: the topology of the cluster, the inventory of its devices"
        ),
        packs=("cluster",),
        # Slurm itself takes 65,536 nodes
        limits=(GroupLimit("cluster", 50_000, "lines", "cluster/"),),
    ),
    GroupSpec(
        name="drawings",
        readers="browsers and editors of diagrams: each rail, stripe and network",
        packs=("drawings",),
        limits=(GroupLimit("drawings", 16, "similar drawings", "all drawings but the first"),),
    ),
    GroupSpec(
        name="simulators",
        packets=True,
        switches=True,
        readers="simulators of collectives and packets: topologies",
        packs=("simulators",),
        on_request=True,
    ),
    GroupSpec(
        name="dcim",
        readers="data centre databases and cabling validators: devices and cables",
        packs=("dcim",),
        own=(
            OwnFile(
                "dcim/point-to-point.xlsx",
                "NVIDIA's Cable Validation Tool: both ends of every link",
            ),
        ),
        # twenty files of cables are too many to upload by hand, and take a database hours
        limits=(GroupLimit("dcim", 20_000, "cables", "dcim/"),),
    ),
    GroupSpec(
        name="report",
        readers="browsers: the whole fabric on one page",
        own=(
            OwnFile(
                "report.html",
                "browsers, without a server or a network: the whole fabric on one page",
            ),
        ),
        configures=True,
    ),
)
"""Every group, in the order of a build."""

GROUPS = {spec.name: spec for spec in SPECS}
LIMITS = {limit.word: limit for spec in SPECS for limit in spec.limits}
PARTS = {word: spec.name for spec in SPECS for word, *_ in spec.limits if word != spec.name}
"""Parts of groups that can be requested alone -> their group."""

WORDS = (*GROUPS, *PARTS)
"""What `--only` and `outputs` may name besides packs."""

PACK_GROUPS = {word: spec.name for spec in SPECS for word in spec.packs}
"""What `group` of a pack.yaml may be -> the group that writes the pack's files."""
