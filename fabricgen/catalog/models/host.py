"""The catalog models of hosts, accelerators and NICs."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.models.base import (
    Amount,
    Cords,
    Count,
    Facts,
    FormFactor,
    Gbps,
    Index,
    LinuxName,
    Many,
    Part,
    PciAddress,
    PortGroup,
    PortName,
    Positive,
    RackUnits,
    Text,
    Top,
    Transport,
    Watts,
)

Planes = Annotated[int, Field(gt=0, le=8, strict=True)]


class HostPort(Facts):
    """The NIC port of one GPU on one plane: its cage on the chassis and its names in software."""

    gpu: Index
    plane: Index = 0
    cage: PortName
    sub: Count = 1
    label: PortName
    ethernet: LinuxName
    infiniband: LinuxName | None = None
    rdma: LinuxName | None = None
    pci: PciAddress | None = None


class Host(Part):
    """A chassis or tray of GPUs, and its HB domain."""

    gpus: Count
    hb_domain_gpus: Many
    hb_domain_hosts: Many
    hb_bandwidth_gbps: Gbps | None = None  # per GPU, one direction
    accelerator: str | None = None  # the catalog file of its GPUs, for `model`
    # whether its GPUs share a scale-up interconnect; without one, no GPU can relay
    scale_up: bool = True
    nic: str
    other_nics: tuple[Text, ...] = ()  # further models that it is sold with, port by port alike
    nics_per_gpu: Annotated[Count, Field(le=64)]
    speeds_gbps: dict[Planes, Gbps]  # planes -> speed of one port
    form_factor: FormFactor
    cooling: Literal["air", "liquid"]
    module_top: Top = "any"
    ports: tuple[HostPort, ...]
    rack_units: RackUnits | None = None
    weight_kg: Amount | None = None
    typical_w: Watts | None = None
    maximum_w: Watts | None = None
    front: PortGroup | None = None  # for storage and in-band traffic, north-south
    management: PortGroup | None = None  # for out-of-band management: BMC, and those of its cards
    cords: Cords | None = None
    hosts_per_rack: Count | None = None

    @model_validator(mode="after")
    def _verify_consistency(self) -> Self:
        if self.hb_domain_gpus != self.gpus * self.hb_domain_hosts:
            raise ValueError(
                f"hb_domain_gpus: {self.hb_domain_hosts} hosts of {self.gpus} GPUs "
                f"are not {self.hb_domain_gpus}"
            )
        found = {(port.gpu, port.plane) for port in self.ports}
        planes = max([*self.speeds_gbps, *(port.plane + 1 for port in self.ports)], default=0)
        wanted = {(gpu, plane) for gpu in range(self.gpus) for plane in range(planes)}
        if found != wanted or len(self.ports) != len(found):
            raise ValueError(f"ports: one per GPU and plane were expected, {len(wanted)} in all")
        if len({(port.cage, port.sub) for port in self.ports}) != len(self.ports):
            raise ValueError("ports: two of them have the same position in a cage")
        for names in (
            [port.ethernet for port in self.ports],
            [port.infiniband for port in self.ports if port.infiniband],
        ):
            if len(set(names)) != len(names):
                raise ValueError("ports: two of them have the same interface name")
        return self

    def with_nic(self, nic: "Nic") -> Self:
        """Return the host with another of the NICs that it is sold with, in its cages and speeds.

        The NIC has no more planes than the host lists ports for.
        """
        planes = 1 + max((port.plane for port in self.ports), default=0)
        ports = range(1, min(planes, nic.ports * self.nics_per_gpu) + 1)
        total = nic.speed_gbps * self.nics_per_gpu
        speeds = {number: total // number for number in ports if not total % number}
        own = {"form_factor": nic.form_factor, "module_top": nic.module_top, "speeds_gbps": speeds}
        return self.model_copy(update={"nic": nic.model, **own})

    def port(self, gpu: int, plane: int = 0) -> HostPort:
        """Return the port of a GPU, counted within the host, on a plane; both from 0.

        Raises KeyError where there is none.
        """
        for port in self.ports:
            if (port.gpu, port.plane) == (gpu, plane):
                return port
        raise KeyError((gpu, plane))


class Accelerator(Part):
    """A GPU in the training model: dense `tflops` at `precision`, HB bandwidth in one direction.

    `memory_gb` is in units of 10^9 bytes.
    """

    tflops: Positive
    precision: Text
    hb_bandwidth_gbps: Gbps | None = None
    memory_gb: Positive | None = None
    library: Text = "nccl"  # the catalog file of its collective communication library


class Nic(Part):
    """A network adapter; `speed_gbps` is the total of its ports."""

    part_number: str | None = None
    ports: Count
    speed_gbps: Gbps
    form_factor: FormFactor
    # speed of one port -> the numbers of lanes on which it runs; those of its cage where not stated
    lanes: dict[Count, tuple[Count, ...]] = {}
    transports: tuple[Transport, ...]
    module_top: Top = "any"
    # the largest MTU that its driver accepts
    maximum_mtu: Many | None = None
    # where the GID of RoCE v2 with the IPv4 address of a port is, for libraries that do not find it
    gid_index: Index | None = None
    # what configures its lossless class on Linux: NVIDIA's mlnx-tools, AMD's nicctl, or dcb of
    # iproute2
    roce_tools: Literal["mlnx-tools", "nicctl", "dcb"] | None = None
    power_w: Watts | None = None
