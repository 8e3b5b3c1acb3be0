"""The kinds of outputs: what a pack may write a file for, and the view that its template receives.

Owns the values of `each` of an output. A new kind is one entry here, and the module of the group
that writes it passes the view.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of output."""

    name: str
    """The value of `each`."""
    meaning: str
    """The contents of the file, or the things for each of which one is written."""
    word: str
    """The name of the view in the template."""
    view: str
    """Module and class of the view; of a list, those of its items."""
    maker: str
    """The module that makes the view."""
    fields: tuple[str, ...] = ()
    """Fields of the path, sorted, of a file that is written for each of something; a file that is
    written once has none."""


_DCIM, _SCHEDULERS = "fabricgen.outputs.dcim", "fabricgen.outputs.schedulers"
_INSTALLATION, _INFINIBAND = "fabricgen.outputs.installation", "fabricgen.views.infiniband"
_HOSTS, _SIMULATORS = "fabricgen.views.hosts", "fabricgen.outputs.simulators"
_LAB, _BREAKDOWN = "fabricgen.outputs.lab_topologies", "fabricgen.bom.breakdown"

_KINDS = (
    Kind(
        "switch",
        "A file for each switch, with everything that its configuration has.",
        "switch",
        "fabricgen.views.switches.view:SwitchView",
        "fabricgen.views.switches.build",
        ("{switch}",),
    ),
    Kind(
        "host",
        "A file for each host, with its NIC ports, addresses and routes.",
        "host",
        f"{_HOSTS}.view:HostView",
        f"{_HOSTS}.build",
        ("{host}",),
    ),
    Kind(
        "nic",
        "A file for each NIC port of each host, which receives its host as well.",
        "nic",
        f"{_HOSTS}.view:NicView",
        f"{_HOSTS}.build",
        ("{host}", "{interface}"),
    ),
    Kind(
        "host-link",
        "A file for each interface of a host in the networks beside compute: ports, bonds, VLANs.",
        "link",
        f"{_HOSTS}.view:NetworkLinkView",
        f"{_HOSTS}.network_links",
        ("{host}", "{interface}"),
    ),
    Kind(
        "host-netdev",
        "A file for each bond and each VLAN of a host there.",
        "link",
        f"{_HOSTS}.view:NetworkLinkView",
        f"{_HOSTS}.network_links",
        ("{host}", "{interface}"),
    ),
    Kind(
        "gpu",
        "A file for each GPU, as a router of its own in a lab.",
        "gpu",
        "fabricgen.analysis.forwarding.gpu_routes:GpuView",
        "fabricgen.analysis.forwarding.gpu_routes",
        ("{gpu}",),
    ),
    Kind(
        "device",
        "A file for each host and device of the networks beside compute, as a node of a lab.",
        "device",
        f"{_HOSTS}.view:DeviceView",
        f"{_HOSTS}.network_ports",
        ("{device}",),
    ),
    Kind(
        "cables",
        "All cables, in chunks of rows.",
        "chunk",
        "fabricgen.views.cables.view:Chunk",
        "fabricgen.views.cables.cable_rows",
    ),
    Kind(
        "links",
        "All links, in chunks of rows.",
        "chunk",
        "fabricgen.views.cables.view:Chunk",
        "fabricgen.views.cables.build",
    ),
    Kind(
        "labelled",
        "All links, or the jumpers and trunks of those that run through panels, in chunks of rows.",
        "chunk",
        "fabricgen.views.cables.view:Chunk",
        "fabricgen.views.cables.cable_rows",
    ),
    Kind(
        "labels",
        "All labels of cables, in pages.",
        "page",
        "fabricgen.outputs.labels.pages:LabelPage",
        "fabricgen.outputs.labels.pages",
    ),
    Kind(
        "cord-labels",
        "All labels of power cords and of the cords of panels, in pages; only where some exist.",
        "page",
        "fabricgen.outputs.labels.pages:LabelPage",
        f"{_INSTALLATION}.cord_labels",
    ),
    Kind(
        "power-cords",
        "The outlets of all power cords; only where PDUs are known in a room of `site`.",
        "power",
        f"{_INSTALLATION}.power_cords:PowerCordsView",
        f"{_INSTALLATION}.power_cords",
    ),
    Kind(
        "spare-leaves",
        "The moves of cables to spare leaves; only where the inventory has some.",
        "spares",
        f"{_INSTALLATION}.spare_leaves:SpareLeavesView",
        f"{_INSTALLATION}.spare_leaves",
    ),
    Kind(
        "patching",
        "The tables of structured cabling; only where links run through panels.",
        "patching",
        "fabricgen.outputs.patching.view:PatchingView",
        "fabricgen.outputs.patching.build",
    ),
    Kind(
        "panel-labels",
        "All labels of panels and cassettes, in pages; only where links run through panels.",
        "page",
        "fabricgen.outputs.labels.pages:LabelPage",
        "fabricgen.outputs.patching.labels",
    ),
    Kind(
        "panel",
        "A file for each panel, with its front and its rear.",
        "panel",
        "fabricgen.outputs.patching.view:PanelView",
        "fabricgen.outputs.patching.panel_maps",
        ("{panel}",),
    ),
    Kind(
        "circuits",
        "The circuits of a job, in a build of all GPUs; only where leaves join ports.",
        "circuits",
        "fabricgen.outputs.circuits.view:CircuitsView",
        "fabricgen.outputs.circuits.build",
    ),
    Kind(
        "cords",
        "The same, where a person moves the cords of a panel.",
        "circuits",
        "fabricgen.outputs.circuits.view:CircuitsView",
        "fabricgen.outputs.circuits.build",
    ),
    Kind(
        "circuit-box",
        "A file for each box that joins ports, if its NOS has the name of the pack.",
        "box",
        "fabricgen.outputs.circuits.view:BoxCircuitsView",
        "fabricgen.outputs.circuits.build",
        ("{switch}",),
    ),
    Kind(
        "circuit-set",
        "A file for each configuration of each box, if its NOS has the name of the pack.",
        "configuration",
        "fabricgen.outputs.circuits.view:BoxConfiguration",
        "fabricgen.outputs.circuits.build",
        ("{number}", "{switch}"),
    ),
    Kind(
        "bom",
        "The bill of materials.",
        "bom",
        "fabricgen.views.bom:BomView",
        "fabricgen.bom.bill_table",
    ),
    Kind(
        "by-role",
        "The bill, divided by role.",
        "division",
        f"{_BREAKDOWN}.view:DivisionView",
        f"{_BREAKDOWN}.build",
    ),
    Kind(
        "by-rack",
        "The bill, divided by rack.",
        "division",
        f"{_BREAKDOWN}.view:DivisionView",
        f"{_BREAKDOWN}.build",
    ),
    Kind(
        "by-phase",
        "The bill, divided by phase.",
        "division",
        f"{_BREAKDOWN}.view:DivisionView",
        f"{_BREAKDOWN}.build",
    ),
    Kind(
        "loads",
        "Power, heat, weight and rack units of racks and roles.",
        "loads",
        f"{_BREAKDOWN}.view:LoadsView",
        f"{_BREAKDOWN}.build",
    ),
    Kind(
        "comparison",
        "The three designs of the same cluster.",
        "comparison",
        "fabricgen.views.bom:ComparisonView",
        "fabricgen.bom.comparison_table",
    ),
    Kind(
        "savings",
        "What rail-only saves against the other designs.",
        "savings",
        f"{_BREAKDOWN}.view:SavingsView",
        f"{_BREAKDOWN}.savings",
    ),
    Kind(
        "lab",
        "A topology of a lab in containers.",
        "lab",
        f"{_LAB}.view:LabView",
        f"{_LAB}.build",
    ),
    Kind(
        "node",
        "The same, rendered node by node.",
        "node",
        f"{_LAB}.view:LabNode",
        f"{_LAB}.build",
    ),
    Kind(
        "rack",
        "A drawing of the elevation of each rack.",
        "rack",
        f"{_INSTALLATION}.picture_view:ElevationView",
        f"{_INSTALLATION}.elevations",
        ("{rack}",),
    ),
    Kind(
        "port-map",
        "The ports of each switch, as a drawing of its front or as a list.",
        "ports",
        f"{_INSTALLATION}.picture_view:PortMapView",
        f"{_INSTALLATION}.port_maps",
        ("{switch}",),
    ),
    Kind(
        "pull-sheet",
        "A sheet for each rack with upper ends of cables.",
        "sheet",
        f"{_INSTALLATION}.view:SheetView",
        f"{_INSTALLATION}.pull_sheets",
        ("{rack}",),
    ),
    Kind(
        "host-list",
        "A list for each rack with hosts: the cables of each host in the order of its ports.",
        "rack",
        f"{_INSTALLATION}.view:HostRackView",
        f"{_INSTALLATION}.host_lists",
        ("{rack}",),
    ),
    Kind(
        "pulling",
        "All bundles and trays, in order of installation.",
        "pulling",
        f"{_INSTALLATION}.view:PullingView",
        f"{_INSTALLATION}.pull_sheets",
    ),
    Kind(
        "subnet",
        "A file for each InfiniBand subnet.",
        "subnet",
        f"{_INFINIBAND}.view:SubnetView",
        f"{_INFINIBAND}.build",
        ("{subnet}",),
    ),
    Kind(
        "system",
        "A file for each type of switch in each InfiniBand subnet.",
        "system",
        f"{_INFINIBAND}.view:SystemView",
        f"{_INFINIBAND}.build",
        ("{subnet}", "{system}"),
    ),
    Kind(
        "cluster",
        "The hosts in stripes, for schedulers.",
        "cluster",
        f"{_SCHEDULERS}.view:ClusterView",
        f"{_SCHEDULERS}.build",
    ),
    Kind(
        "domains",
        "The same, with a line for each HB domain.",
        "cluster",
        f"{_SCHEDULERS}.view:ClusterView",
        f"{_SCHEDULERS}.build",
    ),
    Kind(
        "members",
        "The same, with a line for each host.",
        "cluster",
        f"{_SCHEDULERS}.view:ClusterView",
        f"{_SCHEDULERS}.build",
    ),
    Kind(
        "inventory",
        "Hosts and switches in groups.",
        "devices",
        f"{_SCHEDULERS}.view:DevicesView",
        f"{_SCHEDULERS}.build",
    ),
    Kind(
        "provision",
        "The switches with their MAC addresses and DHCP options.",
        "provision",
        "fabricgen.outputs.provision.view:ProvisionView",
        "fabricgen.outputs.provision.build",
    ),
    Kind(
        "push",
        "The order in which switches receive their configurations.",
        "push",
        "fabricgen.outputs.push.view:PushView",
        "fabricgen.outputs.push.build",
    ),
    Kind(
        "push-system",
        "A file for each NOS that has playbooks.",
        "system",
        "fabricgen.outputs.push.view:PushSystemView",
        "fabricgen.outputs.push.build",
        ("{group}",),
    ),
    Kind(
        "drawing",
        "A file for each drawing of the fabric.",
        "drawing",
        "fabricgen.outputs.drawings.view:Drawing",
        "fabricgen.outputs.drawings.build",
        ("{drawing}",),
    ),
    Kind(
        "simulation",
        "The fabric as simulators number it.",
        "simulation",
        f"{_SIMULATORS}.view:Simulation",
        f"{_SIMULATORS}.build",
    ),
    Kind(
        "simulated-link",
        "The same, with its links in runs.",
        "run",
        f"{_SIMULATORS}.view:SimulatedRun",
        f"{_SIMULATORS}.build",
    ),
    Kind(
        "simulated-block",
        "One block, for simulators of a folded Clos.",
        "block",
        f"{_SIMULATORS}.view:SimulatedBlock",
        f"{_SIMULATORS}.build",
    ),
    Kind(
        "assets",
        "What a database of the data centre holds: types, roles, sites.",
        "assets",
        f"{_DCIM}.view:AssetsView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "assets-placed",
        "The same, where devices have racks.",
        "assets",
        f"{_DCIM}.view:AssetsView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "assets-switched",
        "The same, where devices have an operating system that it names.",
        "assets",
        f"{_DCIM}.view:AssetsView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "assets-bridged",
        "The same, where switches have VLANs.",
        "assets",
        f"{_DCIM}.view:AssetsView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "assets-tagged",
        "The same, where there are networks beside the compute fabric.",
        "assets",
        f"{_DCIM}.view:AssetsView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "assets-makers",
        "The same, where there are manufacturers that the community's library lacks.",
        "assets",
        f"{_DCIM}.view:AssetsView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "assets-types",
        "The same, where there are device types that the community's library lacks.",
        "assets",
        f"{_DCIM}.view:AssetsView",
        f"{_DCIM}.devices",
    ),
    *(
        Kind(
            f"shared-{name}",
            f"A file for each {meaning}, which the assets have alone.",
            "assets",
            f"{_DCIM}.view:AssetsView",
            f"{_DCIM}.devices",
            ("{slug}",),
        )
        for name, meaning in (
            ("tag", "tag"),
            ("maker", "manufacturer"),
            ("role", "role of devices"),
            ("platform", "operating system"),
            ("type", "device type"),
        )
    ),
    Kind(
        "brought-interfaces",
        "The interfaces that devices have from types of the community's library.",
        "interfaces",
        f"{_DCIM}.view:InterfaceView",
        f"{_DCIM}.interfaces",
    ),
    Kind(
        "devices",
        "A row for each device.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "interfaces",
        "A row for each interface.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.devices",
    ),
    Kind(
        "management-ports",
        "A row for each management port without a cable; only if the inventory has `management`.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.management",
    ),
    Kind(
        "management-addresses",
        "A row for each management address of a device; only if the inventory has `management`.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.management",
    ),
    Kind(
        "console-ports",
        "A row for each console port of a switch; only if there are console servers.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.consoles",
    ),
    Kind(
        "console-server-ports",
        "A row for each serial port of a console server.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.consoles",
    ),
    Kind(
        "rear-ports",
        "A row for each port at the rear of a patch panel.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.panels",
    ),
    Kind(
        "front-ports",
        "A row for each port at the front of a patch panel.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.panels",
    ),
    Kind(
        "trunks",
        "A row for each trunk between panels.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.panels",
    ),
    Kind(
        "trunk-connectors",
        "A row for each connector of a trunk.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.panels",
    ),
    Kind(
        "straight-cables",
        "A row for each cable with two ends.",
        "table",
        f"{_DCIM}.view:TableView",
        f"{_DCIM}.cables",
    ),
    Kind(
        "pieces",
        "The cables that several links share.",
        "pieces",
        f"{_DCIM}.view:PieceView",
        f"{_DCIM}.cables",
    ),
    Kind(
        "hca-ports",
        "The NIC of a host behind each HCA port of the sheet.",
        "hca_ports",
        f"{_DCIM}.wiring_view:HcaPortView",
        f"{_DCIM}.wiring_lists",
    ),
    Kind(
        "wiring",
        "The wiring as Hedgehog's controller reads it.",
        "wiring",
        f"{_DCIM}.wiring_view:WiringView",
        f"{_DCIM}.wiring_lists",
    ),
    Kind(
        "rail-topology",
        "The rails as NVIDIA's launch kit reads them.",
        "topology",
        f"{_DCIM}.wiring_view:RailsView",
        f"{_DCIM}.wiring_lists",
    ),
)

KINDS = {kind.name: kind for kind in _KINDS}
"""Every kind by its name."""
