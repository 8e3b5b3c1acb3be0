"""The inventory with every default filled in from the catalog.

Owns `ResolvedFabric` and the choice of the host and its NIC; `switch_choice` chooses switches and
breakouts, `nos_choice` their NOS, and `consistency` finds keys that contradict each other. All
findings are collected before any is raised.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.terms import COMPUTE, Role
from fabricgen.planning.consistency import contradictions
from fabricgen.planning.coordinates import Coordinates
from fabricgen.planning.lanes import nic_lanes
from fabricgen.planning.mtu_choice import choose_mtu
from fabricgen.planning.nos_choice import layouts_by_rail
from fabricgen.planning.switch_choice import choose_switches, unknown_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.catalog.models.host import Host, Nic
    from fabricgen.catalog.models.library import Library
    from fabricgen.core.terms import Design
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.planning.coordinates import Whole
    from fabricgen.planning.lanes import Lanes
    from fabricgen.planning.networks.rules import NetworkRules
    from fabricgen.planning.networks.shared_leaves import SharedLeaves
    from fabricgen.planning.port_layout import PortLayout


LIBRARY = "nccl"
"""The library of hosts whose accelerators the catalog does not list."""


@dataclass(frozen=True, kw_only=True)
class ResolvedFabric:
    """An inventory with every default filled in.

    `gpus` are installed; sizes, numbers and addresses are those of `planned_gpus`.
    """

    spec: FabricSpec
    gpus: int
    planned_gpus: int
    domain_gpus: int
    domain_hosts: int
    rails: int
    planes: int
    speed_gbps: int
    hb_bandwidth_gbps: int | None
    nics_per_gpu: int
    port_layouts: dict[Role, PortLayout]
    host: Host | None
    nic: Nic | None
    library: Library
    """The collective communication library of the accelerators."""
    switches_by_rail: dict[int, dict[Role, PortLayout]] = field(default_factory=dict)
    """The port layouts of rails whose switches run another NOS; they differ in names only."""
    domain_positions: tuple[int, ...] = ()
    """The position of each planned HB domain; empty where each is at its own number."""
    network: NetworkRules | None = None
    """The network beside the compute fabric that this is; None for compute."""

    def nos_variants(self, role: Role) -> list[PortLayout]:
        """Return the port layouts of a role, one for each NOS that its switches run."""
        return list(
            {
                port_layouts[role].nos: port_layouts[role]
                for port_layouts in (self.port_layouts, *self.switches_by_rail.values())
            }.values()
        )

    @property
    def split(self) -> int:
        """The links that a NIC port is split into."""
        return int(self.spec.nic.split.partition("x")[0]) if self.spec.nic.split else 1

    @property
    def link_gbps(self) -> int:
        """The speed of a link of a NIC port."""
        return self.speed_gbps // self.split

    @property
    def is_serial(self) -> bool:
        """Whether its switches are console servers, whose ports carry no packets."""
        return self.port_layouts[Role.LEAF].model.transport == "serial"

    @property
    def has_pools(self) -> bool:
        """Whether it has addresses and AS numbers of its own.

        The devices of an access network have addresses of `management`, and InfiniBand has none.
        """
        ethernet = self.port_layouts[Role.LEAF].model.transport == "ethernet"
        return ethernet and not (self.network and self.network.vlan)

    @property
    def is_routed(self) -> bool:
        """Whether this is a network beside compute whose devices have addresses of its own."""
        return self.network is not None and self.has_pools

    @property
    def design(self) -> Design:
        """The design of the inventory."""
        return self.spec.design

    @property
    def has_circuits(self) -> bool:
        """Whether leaves join ports two by two: optical circuit switches or patch panels."""
        return self.port_layouts[Role.LEAF].model.circuits is not None

    @cached_property
    def coordinates(self) -> Coordinates:
        """The HB domain, rank, rail, host and place of every GPU."""
        return Coordinates(
            self.gpus,
            self.domain_gpus,
            self.planned_gpus,
            self.domain_hosts,
            self.rails,
            self.planes,
        )

    @property
    def host_gpus(self) -> int:
        """GPUs of one host."""
        return self.coordinates.host_gpus

    @property
    def ranks_per_rail(self) -> int:
        """GPUs of one HB domain that share a rail."""
        return self.coordinates.ranks_per_rail

    @property
    def nics_named(self) -> bool:
        """Whether the interface names of NICs are real: of the inventory, or published."""
        given = self.spec.host and self.spec.host.nics
        return bool(given or (self.host and "ports" not in self.host.unverified))

    def interface(self, gpu: int, plane: int) -> str:
        """Return the interface of a NIC port; `gpu` counts within the host.

        On a network, it counts the interfaces of all kinds of devices.
        """
        if self.network:
            return self.network.attached.interfaces[gpu]
        if self.spec.host and self.spec.host.nics:
            return self.spec.host.nics[gpu * self.planes + plane]
        if self.host is None:
            return f"nic{gpu}p{plane}" if self.planes > 1 else f"nic{gpu}"
        port = self.host.port(gpu, plane)
        infiniband = self.port_layouts[Role.LEAF].model.transport == "infiniband"
        return (port.infiniband if infiniband else None) or port.ethernet

    def rdma(self, gpu: int, plane: int) -> str:
        """Return the RDMA device of a NIC port; "" where it is unknown."""
        if self.spec.host and self.spec.host.rdma:
            return self.spec.host.rdma[gpu * self.planes + plane]
        return (self.host.port(gpu, plane).rdma if self.host else None) or ""

    @property
    def has_bonds(self) -> bool:
        """Whether the devices of the network have bonds of LACP."""
        return bool(self.network and self.network.tenants)

    @property
    def shared_leaves(self) -> SharedLeaves | None:
        """The leaves of compute that this network is on; None where it has leaves of its own."""
        return self.network.shared if self.network else None

    @property
    def network_name(self) -> str:
        """The name of this network among those of the cluster."""
        return self.network.name if self.network else COMPUTE

    @cached_property
    def lossless(self) -> bool:
        """Whether the switches have the lossless class."""
        return self.network.lossless if self.network else True

    @property
    def interface_count(self) -> int:
        """The number of interfaces that `interface` names on a plane."""
        return len(self.network.attached.interfaces) if self.network else self.host_gpus

    def interface_index(self, gpu: Whole) -> Whole:
        """Return the number by which `interface` knows the NIC port of a GPU."""
        if self.network:
            return self.network.attached.interface_index(gpu)
        return self.coordinates.host_slot(gpu)

    def host_position(self, host: int) -> int:
        """Return the position of a host, which decides its name and its place in a rack."""
        if not self.domain_positions:
            return host
        coordinates = self.coordinates
        domain = self.domain_position(coordinates.domain_of_host(host))
        return coordinates.domain_host_range(domain)[coordinates.domain_slot(host)]

    def domain_position(self, domain: int) -> int:
        """Return the position of an HB domain."""
        return self.domain_positions[domain] if self.domain_positions else domain

    def nos_version(self, port_layout: PortLayout) -> str:
        """Return the version that the inventory gives for the NOS of a layout; "" where none is."""
        named = port_layout.model.nos_name
        versions = self.spec.nos.versions.items()
        return next((version for nos, version in versions if named(nos) == port_layout.nos), "")

    def layouts_of_rail(self, rail: int | None) -> dict[Role, PortLayout]:
        """Return the port layouts of the switches of a rail; None where they serve several."""
        return (
            self.port_layouts
            if rail is None
            else self.switches_by_rail.get(rail, self.port_layouts)
        )


def resolve(
    spec: FabricSpec, catalog: Catalog, lanes: Callable[[int], Lanes] | None = None
) -> ResolvedFabric:
    """Fill in the defaults of an inventory from the catalog, as if no host were excluded.

    `lanes` returns those of a port of a speed at devices, where they are not NICs of hosts. Raises
    Refusal with every finding.
    """
    findings: list[Finding] = []
    host = _host(spec, catalog, findings)
    nic = _nic(spec, catalog, host, findings)
    planned = spec.reserve.gpus if spec.reserve else spec.gpus
    rails = spec.rails.count or spec.hb_domain.gpus
    hosts = spec.hb_domain.hosts or (host.hb_domain_hosts if host else 1)
    nics = spec.nic.per_gpu or (host.nics_per_gpu if host else 1)
    findings += contradictions(spec, catalog, host)
    lanes = lanes or (lambda speed: nic_lanes(host, nic, speed, spec.rails.planes))
    port_layouts, speed = choose_switches(spec, catalog, host, findings, lanes)
    switches_by_rail = layouts_by_rail(spec, port_layouts, rails, findings)
    library = _library(host, catalog, findings)
    if port_layouts:
        running = [port_layouts, *switches_by_rail.values()]
        spec = choose_mtu(spec, catalog, nic, running, findings)
    if findings or library is None:
        raise Refusal(dict.fromkeys(findings))
    bandwidth = spec.hb_domain.bandwidth or (host.hb_bandwidth_gbps if host else None)
    return ResolvedFabric(
        spec=spec,
        gpus=spec.gpus,
        planned_gpus=planned,
        domain_gpus=spec.hb_domain.gpus,
        domain_hosts=hosts,
        rails=rails,
        planes=spec.rails.planes,
        speed_gbps=speed,
        hb_bandwidth_gbps=bandwidth,
        nics_per_gpu=nics,
        port_layouts=port_layouts,
        host=host,
        nic=nic,
        library=library,
        switches_by_rail=switches_by_rail,
    )


def host_of(spec: FabricSpec, catalog: Catalog) -> Host | None:
    """Return the host model of an inventory; None where it names none, or an unknown one.

    It has the NIC that the inventory names, if it is sold with that.
    """
    host = catalog.host(spec.host.model) if spec.host and spec.host.model else None
    other = spec.nic.model
    nic = catalog.nic(other) if host and other and other in host.other_nics else None
    return host.with_nic(nic) if host and nic else host


def _host(spec: FabricSpec, catalog: Catalog, findings: list[Finding]) -> Host | None:
    """Find the host model."""
    host = host_of(spec, catalog)
    if spec.host and spec.host.model and host is None:
        findings.append(unknown_model("hosts", spec.host.model, ("host", "model"), catalog))
    return host


def _library(host: Host | None, catalog: Catalog, findings: list[Finding]) -> Library | None:
    """Find the collective communication library of the accelerators of a host."""
    named = host.accelerator if host else None
    accelerator = catalog.accelerator(named) if named else None
    name = accelerator.library if accelerator else LIBRARY
    library = catalog.library(name)
    if library is None:
        findings.append(unknown_model("libraries", name, ("host", "model"), catalog))
    return library


def _nic(
    spec: FabricSpec, catalog: Catalog, host: Host | None, findings: list[Finding]
) -> Nic | None:
    """Find the NIC that the inventory or the host names."""
    model = spec.nic.model
    if model is None:
        return catalog.nic(host.nic) if host else None
    nic = catalog.nic(model)
    if nic is None:
        findings.append(unknown_model("nics", model, ("nic", "model"), catalog))
    elif host and host.nic != model:
        others = f", or is sold with {', '.join(host.other_nics)}" if host.other_nics else ""
        findings.append(
            Finding(
                "nic-contradicts-host",
                f"`{model}` is not the NIC of a {host.model}",
                ("nic", "model"),
                (f"a {host.model} carries {host.nic}{others}",),
                f"write `model: {host.nic}`, or leave it out",
            )
        )
    return nic
