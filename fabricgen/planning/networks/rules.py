"""What the plan of a network beside the compute fabric follows, and that of compute does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabricgen.planning.networks.leaf_ports import LeafPorts

if TYPE_CHECKING:
    from fabricgen.catalog.models.switch import Breakout
    from fabricgen.inventory.networks import Leaves
    from fabricgen.planning.baseline.kept_bonds import KeptBonds
    from fabricgen.planning.networks.attachments import Attachments, CageSplit
    from fabricgen.planning.networks.leaf_ports import KeptCages
    from fabricgen.planning.networks.shared_leaves import SharedLeaves
    from fabricgen.planning.networks.tenants import Tenant


class DeviceBonds(NamedTuple):
    """Devices of one kind, and the bonds of each."""

    devices: int
    bonds: int

    def most(self, stripes: int) -> int:
        """Return the bonds on the stripe that has the most, where the devices alternate."""
        return -(-self.devices // stripes) * self.bonds


class ServedPorts(NamedTuple):
    """Ports of devices that share leaves: how many of each speed, and the keys of these leaves."""

    ports: tuple[int, ...]
    keys: Leaves
    kinds: tuple[tuple[DeviceBonds, ...], ...] = ()
    """The kinds of devices of each speed, where they alternate between leaves; else empty."""


class ReservedSize(NamedTuple):
    """The size of a network for the reserve: `spines` of a pod, and `cores` of a core group."""

    tiers: int
    leaves: int
    spines: int
    cores: int


class NetworkRules(NamedTuple):
    """The name of a network, the devices on it, and what sizes its leaves.

    Networks are rail-optimized fabrics with the members of a bond as rails: a stripe of leaves has
    one leaf for each member, and spines join all.
    """

    name: str
    attached: Attachments
    served: tuple[ServedPorts, ...]
    """The ports of each group of leaves, in the order of `attached`."""
    joined: bool = True
    """Whether spines join the leaves; those of an access network stay apart."""
    vlan: int = 0
    """The VLAN of an access network; 0 in others."""
    lossless: bool = False
    """Whether the switches have the lossless class."""
    splits: tuple[CageSplit, ...] = ()
    """How cages are split for devices that do not share those of the network."""
    together: tuple[int, ...] = (1,)
    """How many bonds of each breakout stay together on a leaf, those of the network first: as many
    as a cage has ports where devices state it, else 1."""
    tenants: tuple[Tenant, ...] = ()
    """The VLANs of bonds of LACP; none where ports are routed."""
    managed_ports: int | None = 0
    """How many management ports of each of its switches have a cable; None for all of them."""
    uplinks: tuple[str, ...] = ()
    """The uplinks of a switch of an access network that are a bond of LACP."""
    peer_links: int = 0
    """Links between the two leaves of a stripe."""
    shared: SharedLeaves | None = None
    """The leaves of the compute fabric that the devices are on; None where the network has leaves
    of its own."""
    kept: KeptBonds | None = None
    """The leaf ports that bonds keep of a smaller plan; None where all follow the rule."""
    reserved: ReservedSize | None = None
    """The size that its spines are bought for; None without a reserve."""

    def leaf_ports(
        self, down: tuple[int, ...], up: int, main: int = 0, kept: KeptCages = ()
    ) -> LeafPorts:
        """Return the ports in use of a leaf with so many downlinks of each speed, and uplinks.

        Those of the speed `main` are in the low cages, and `kept` are the cages that ports keep.
        """
        return LeafPorts(down, up, self.peer_links, self.modes, main, kept)

    @property
    def modes(self) -> tuple[Breakout, ...]:
        """The breakouts of `splits`."""
        return tuple(split.mode for split in self.splits)

    @property
    def lone_leaves(self) -> int | None:
        """The leaves that may do without spines: those of one bond, or any number (None)."""
        return self.attached.bond if self.joined else None

    @property
    def least_spines(self) -> int:
        """The fewest spines, so that the loss of one cuts nothing off, or those of the reserve."""
        return max(2, self.reserved.spines if self.reserved else 0)

    @property
    def least_tiers(self) -> int:
        """The fewest tiers: those of the reserve."""
        return self.reserved.tiers if self.reserved else 1
