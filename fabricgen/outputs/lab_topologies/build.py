"""From a plan to a lab in containers: nodes, links, and the files of each container.

A node for each switch, GPU and HB domain, and for each host and device of the networks beside
compute, and a link for each link of the plan, those of paired devices and the uplinks between two
networks whose leaves route included. The management ports of switches are on the engine's
management network, so the cables to them are left out, as are the uplinks of access switches, whose
ports no configuration has.
`containers` owns how each thing runs; templates hold the engines' own words. `view` defines the
shapes.

An HB domain is a container that makes a bridge, and not a bridge of the machine: nothing has to be
made beforehand, two labs cannot meet in it, and it runs on Kubernetes too.
"""

from __future__ import annotations

from functools import cached_property, partial
from ipaddress import IPv4Network
from itertools import chain
from typing import TYPE_CHECKING, Any

from fabricgen.analysis.forwarding.gpu_routes import HB_DEVICE, gpu_view
from fabricgen.analysis.forwarding.path_names import PathNames
from fabricgen.analysis.forwarding.reachability import Reach
from fabricgen.core.diagnostics import refuse
from fabricgen.core.terms import PEERS, UPLINKS
from fabricgen.outputs.lab_topologies.containers import container_kind, other_kinds
from fabricgen.outputs.lab_topologies.view import (
    LabLink,
    LabNetwork,
    LabNode,
    LabPort,
    LabView,
)
from fabricgen.outputs.packs.rendered_texts import RenderedTexts
from fabricgen.outputs.packs.site_lines import SiteLines
from fabricgen.planning.addressing import address_text
from fabricgen.planning.networks.attachments import HOSTS
from fabricgen.views.cables.view import first_cables, link_label
from fabricgen.views.factory import Views
from fabricgen.views.hosts.network_ports import device_views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fabricgen.core.terms import Role
    from fabricgen.outputs.lab_topologies.containers import ContainerKind, FileSource
    from fabricgen.outputs.packs.containers import Thing
    from fabricgen.outputs.packs.pack_yaml import Pack
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan
    from fabricgen.views.hosts.view import DeviceView
    from fabricgen.views.switches.view import SwitchView


_Port = tuple[str, str]
"""A device and its interface."""


class Topologies:
    """Makes the lab of one plan."""

    def __init__(
        self,
        views: Views,
        packs: Packs,
        config_packs: Mapping[str, Pack],
        texts: RenderedTexts | None = None,
        beside: Sequence[Topologies] = (),
    ) -> None:
        """Keep the views, the packs of switches by NOS, and texts that the build rendered.

        `beside` are those of the networks in the same lab.
        """
        self._beside = beside
        self.plan, self._packs, self._config_packs = views.plan, packs, config_packs
        self._ends, self._views = PathNames(Reach(views.plan)), views
        self._texts = texts or RenderedTexts()
        self._site_lines = SiteLines(packs, self._texts)
        self._named: dict[tuple[str, ...], dict[int, dict[str, str]]] = {}

    def gap(self) -> str | None:
        """Return why this fabric cannot be a lab in containers; None where it can."""
        return _gap(self.plan, self._config_packs.get)

    @property
    def size(self) -> int:
        """The number of nodes."""
        mapping, coordinates = self.plan.mapping, self.plan.fabric.coordinates
        switches = sum(self.plan.installed) * mapping.segments
        if self.plan.fabric.network:
            return switches
        beside = sum(own.size for own in self._beside) + len(self.devices)
        return switches + coordinates.gpus + coordinates.domains + beside

    @cached_property
    def devices(self) -> list[DeviceView]:
        """The hosts and devices with ports in the networks of the lab."""
        names = {name for own in self._beside for name in own.networks}
        names |= {view.plan.fabric.network_name for view in self._on_compute}
        return device_views(self.plan, names) if names else []

    @property
    def networks(self) -> list[str]:
        """The network of the plan, and those that its switches carry in VLANs of their own."""
        rules = self.plan.fabric.network
        return [rules.name, *(each.name for each in rules.tenants)] if rules else []

    @cached_property
    def _on_compute(self) -> list[Views]:
        """The networks whose cables end on compute switches or on none, without uplinks."""
        networks = self.plan.networks.items()
        return [
            Views(own)
            for name, own in networks
            if name == PEERS or (name in self.plan.converged and name != UPLINKS)
        ]

    @cached_property
    def view(self) -> LabView:
        """The whole lab, without the contents of its files.

        Raises Refusal `name-twice` where a switch has the name of a GPU or an HB domain.
        """
        nodes = [node for node, _, _ in self._nodes()]
        if len({node.name for node in nodes}) < len(nodes):
            hint = (
                "change the pattern under `naming`: GPUs are called `d0-g0`, and HB domains `hb-0`"
            )
            raise refuse(
                "name-twice",
                "a switch is called like a GPU or an HB domain of the lab",
                path=("naming",),
                hint=hint,
            )
        links = [*self.cable_links(), *self._hb_links()]
        links += chain.from_iterable(own.cable_links(self._uplink_names) for own in self._beside)
        links += self._links_on_compute()
        name = self.plan.spec.name
        network = self._network() if any(node.address for node in nodes) else None
        subnet = network.subnet if network else give_addresses(nodes)
        return LabView(name, nodes, links, len(nodes), len(links), network, subnet)

    def _network(self) -> LabNetwork | None:
        """Return the management network; None without `management`."""
        planned = self.plan.management
        if planned is None:
            return None
        name = f"{self.plan.spec.name}-management"
        return LabNetwork(name, str(planned.subnet), address_text(planned.gateway))

    def filled(self) -> Iterator[LabNode]:
        """Yield the nodes one after the other, each with the contents of its files."""
        for node, kind, seen in self._nodes():
            for file, source in zip(node.files, kind.sources, strict=True):
                kept = None if source.alone else self._texts.find(file.path)
                file.text = (
                    self._text(source, node=node, lab=self.view, **seen()) if kept is None else kept
                )
            yield node

    def _text(self, source: FileSource, **view: Any) -> str:  # noqa: ANN401 - whatever the view is
        """Return the text of a file of a container."""
        if source.configuration:
            return self._site_lines.render(*source.configuration, view["switch"])
        return self._packs.render(source.pack, source.template, **view)

    def extra_paths(self, segment: int, names: Iterator[tuple[str, Role]]) -> Iterator[str]:
        """List the files that only the containers of these switches have."""
        port_layouts = self.plan.port_layouts(segment)
        for name, role in names:
            yield from (
                source.path.format(switch=name)
                for source in self._switch_kinds[port_layouts[role].nos].sources
                if source.alone
            )

    def extra_files(self, segment: int, boxes: Sequence[int]) -> Iterator[tuple[str, str]]:
        """Yield the files that only the containers of some switches have, with their paths."""
        for switch in self._views.switches(segment, boxes=boxes):
            node, (_, sources) = self._switch(switch), self._switch_kinds[switch.nos]
            for source in sources:
                if source.alone:
                    yield (
                        source.path.format(switch=switch.name),
                        self._packs.render(source.pack, source.template, node=node, switch=switch),
                    )

    @cached_property
    def _switch_kinds(self) -> dict[str, ContainerKind]:
        """The container definition of the switches of each NOS."""
        return {
            nos: container_kind(self._packs, pack, "switch")
            for nos, pack in self._config_packs.items()
        }

    @cached_property
    def _other_kinds(self) -> dict[Thing, ContainerKind]:
        """The container definitions of GPUs, HB domains and devices."""
        return other_kinds(self._packs)

    def _nodes(self) -> Iterator[tuple[LabNode, ContainerKind, Callable[[], dict[str, Any]]]]:
        """Yield every node, its definition, and a function that makes the views for its files."""
        fabric = self.plan.fabric
        yield from self.switch_nodes()
        kind = self._other_kinds["gpu"]
        for gpu in range(fabric.gpus):
            rail = {"role": "gpu", "rail": str(fabric.coordinates.rail(gpu))}
            yield kind.node(self._ends.gpu(gpu), rail), kind, partial(self._gpu, gpu)
        kind = self._other_kinds["hb-domain"]
        for domain in range(fabric.coordinates.domains):
            yield kind.node(_hb(domain), {"role": "hb-domain"}), kind, dict[str, Any]
        for own in self._beside:
            yield from own.switch_nodes()
        hosts = frozenset(self.plan.hosts)
        for device in self.devices:
            kind, role = self._other_kinds["device"], "host" if device.name in hosts else "device"
            node = kind.node(device.name, {"role": role})
            yield node, kind, partial(dict[str, Any], device=device)

    def switch_nodes(self) -> Iterator[tuple[LabNode, ContainerKind, Callable[[], dict[str, Any]]]]:
        """Yield the nodes of the switches, as `_nodes` does."""
        for segment in range(self.plan.mapping.segments):
            for switch in self._views.switches(segment):
                yield (
                    self._switch(switch),
                    self._switch_kinds[switch.nos],
                    partial(dict[str, Any], switch=switch),
                )

    def _gpu(self, gpu: int) -> dict[str, Any]:
        """Make the views for a GPU's files."""
        return {"gpu": gpu_view(self._ends, gpu)}

    def _switch(self, switch: SwitchView) -> LabNode:
        """Make the node of a switch."""
        kind = self._switch_kinds[switch.nos]
        rail = {"rail": switch.rail} if switch.rail else {}
        rules = self.plan.fabric.network
        labels = {"role": switch.role, **rail, "plane": str(switch.plane)}
        labels |= {"network": rules.name} if rules else {}
        node = kind.node(switch.name, labels, switch.facts)
        if switch.management and not node.network:
            node.address = node.host_address = switch.management.address
        ports = [port for port in switch.ports if port.peer_device not in self.left_out]
        names = kind.container.interfaces(ports)
        node.ports = [LabPort(name, port) for name, port in zip(names, ports, strict=True)]
        return node

    @cached_property
    def left_out(self) -> frozenset[str]:
        """The switches of other networks, whose cables to this one no link of the lab is for."""
        rules = self.plan.networks.get(UPLINKS, self.plan).fabric.network
        groups = rules.attached.groups if rules else ()
        switches = (
            each.names
            for each in groups
            if not each.own and each.kind != HOSTS and not each.leaves_of
        )
        joined = (own for own in self.plan.joined if _gap(own, self._packs.for_nos))
        return frozenset(chain(*switches, *(own.switches() for own in joined)))

    def _interfaces(self, segment: int) -> dict[int, dict[str, str]]:
        """Return the container's names of the ports of each switch of a segment.

        They are keyed by box, then by the NOS's name; segments that run the same NOS share them,
        unless networks have ports on some of them.
        """
        systems = tuple(port_layout.nos for port_layout in self.plan.port_layouts(segment).values())
        alike = (*systems, str(segment)) if self.plan.converged else systems
        if alike not in self._named:
            boxes = {name: index for index, name in enumerate(self.plan.naming.switches(segment))}
            nodes = (self._switch(switch) for switch in self._views.switches(segment))
            self._named[alike] = {
                boxes[node.name]: {port.own.interface: port.name for port in node.ports}
                for node in nodes
            }
        return self._named[alike]

    @cached_property
    def _uplink_names(self) -> dict[_Port, str]:
        """The container's names of the ports of leaves with uplinks into another network."""
        return {
            (node.name, port.own.interface): port.name
            for own in self._beside
            if own.plan.above
            for node, _, _ in own.switch_nodes()
            for port in node.ports
        }

    def cable_links(self, uplinks: Mapping[_Port, str] | None = None) -> Iterator[LabLink]:
        """Yield the links of each segment, in the order of the cables.

        The lower end of a network's link is a device, with an interface of its own, or a leaf of
        another network; `uplinks` has the container's names of the ports of these.
        """
        coordinates, network = self.plan.fabric.coordinates, self.plan.fabric.network
        mtu = self.plan.spec.addressing.mtu
        for segment in range(self.plan.mapping.segments):
            called = self._interfaces(segment)
            links = self._ends.links(segment).of_segment(segment).columns(slice(None))
            lowers, uppers = (
                zip(*(column.tolist() for column in columns), strict=True)
                for columns in (
                    (links.lower, links.lower_device, links.lower_port),
                    (links.upper, links.upper_device, links.upper_port),
                )
            )
            for gpu, (lower, device, port), (upper, peer, peer_port), cable in zip(
                links.gpu.tolist(), lowers, uppers, links.cables, strict=True
            ):
                near = device if gpu < 0 or network else coordinates.name(gpu)
                near_port = called[lower][port] if gpu < 0 else port
                near_port = (uplinks or {}).get((near, port), near_port)
                if near not in self.left_out:
                    yield LabLink(near, near_port, peer, called[upper][peer_port], cable, mtu)

    def _links_on_compute(self) -> Iterator[LabLink]:
        """Yield the links of networks and devices on compute switches, and of paired devices."""
        places = {name: at for at, name in self.plan.converged_leaves().items()}

        def called(device: str, interface: str) -> str:
            if device not in places:
                return interface
            segment, box = places[device]
            return self._interfaces(segment)[box][interface]

        for views in self._on_compute:
            mtu = views.plan.spec.addressing.mtu
            for cable in first_cables(views.cables(0)):
                near_port = called(cable.a_device, cable.a_interface)
                far_port = called(cable.b_device, cable.b_interface)
                ends = cable.a_device, near_port, cable.b_device, far_port
                yield LabLink(*ends, link_label(cable), mtu)

    def _hb_links(self) -> Iterator[LabLink]:
        """Link each GPU to its HB domain; the kernel gives no device a name with `gpu`."""
        coordinates, mtu = self.plan.fabric.coordinates, self.plan.spec.addressing.mtu
        for gpu in range(coordinates.gpus):
            domain, rank = coordinates.domain(gpu), coordinates.rank(gpu)
            yield LabLink(coordinates.name(gpu), HB_DEVICE, _hb(domain), f"gpu{rank}", "", mtu)


def _gap(plan: Plan, pack_of: Callable[[str], Pack | None]) -> str | None:
    """Return why a fabric cannot be a lab in containers, with the packs by NOS; None if it can."""
    if plan.mapping.topology:
        return (
            "the GPUs of direct rails run FRR, and the image of a GPU has none; `fabricgen lab run`"
            " boots them"
        )
    for role in plan.roles:
        for port_layout in plan.fabric.nos_variants(role):
            pack = pack_of(port_layout.nos)
            if pack is None or "switch" not in pack.containers:
                instead = f"; {pack.instead_of_lab}" if pack and pack.instead_of_lab else ""
                return (
                    f"no pack names a container for {port_layout.nos}, which the {role} switches"
                    f" run{instead}"
                )
            fact, model = pack.containers["switch"].type_fact, port_layout.model
            if fact and fact not in model.nos.get(port_layout.nos, {}):
                return (
                    f"no container of {port_layout.nos} is known to emulate a {model.model}: its"
                    f" file in the catalog lacks {fact}"
                )
    return None


LAB_NETWORK = IPv4Network("192.168.121.0/24")
"""The management network of netlab, outside of 172.16.0.0/12, of which Docker takes networks."""
PRIVATE = IPv4Network("192.168.0.0/16")
LARGEST = IPv4Network("100.64.0.0/10")
"""For labs that `PRIVATE` does not hold (RFC 6598)."""


def give_addresses(nodes: list[LabNode]) -> str:
    """Give each node with a management port an address after that of the gateway.

    Returns the network.
    """
    ported = [node for node in nodes if not node.network]
    needed = len(ported) + 3  # the network, the gateway and the broadcast address
    length = min(LAB_NETWORK.prefixlen, 32 - (needed - 1).bit_length())
    subnet = LAB_NETWORK.supernet(new_prefix=length) if length >= PRIVATE.prefixlen else LARGEST
    first = int(subnet.network_address) + 2
    for number, node in enumerate(ported):
        node.host_address = address_text(first + number)
    return str(subnet)


def _hb(domain: int) -> str:
    """Name the node of an HB domain."""
    return f"hb-{domain}"
