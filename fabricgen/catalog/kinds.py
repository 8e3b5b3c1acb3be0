"""The kinds of files that a catalog lists, each with its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.models.device import Device, PowerCord
from fabricgen.catalog.models.host import Accelerator, Host, Nic
from fabricgen.catalog.models.library import Library
from fabricgen.catalog.models.optics import Cable, Transceiver
from fabricgen.catalog.models.patch import Cassette, Connector, PatchPanel, Trunk
from fabricgen.catalog.models.prices import PriceBook
from fabricgen.catalog.models.switch import Switch
from fabricgen.catalog.models.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.catalog.models.base import Sourced

KINDS: Mapping[str, type[Sourced]] = {
    "switches": Switch,
    "hosts": Host,
    "nics": Nic,
    "transceivers": Transceiver,
    "cables": Cable,
    "connectors": Connector,
    "cassettes": Cassette,
    "panels": PatchPanel,
    "trunks": Trunk,
    "devices": Device,
    "power-cords": PowerCord,
    "prices": PriceBook,
    "accelerators": Accelerator,
    "libraries": Library,
    "workloads": Workload,
}
