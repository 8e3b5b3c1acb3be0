"""What a catalog file may say: of switches, hosts, accelerators, NICs, transceivers, cables and what they cost, and of a model to train.

Owns the shape of each kind of file and the facts of one file that contradict each other, and reads names and prices off the facts. Where
files lie, which of two shadows the other and how a bad one is refused belong to `catalog`.

Each fact has its source in its file, and a fact that could not be verified is named under `unverified`.
"""

from fabricgen.catalog.models.base import Count, Facts, Part, Sourced, Text, Top
from fabricgen.catalog.models.host import Accelerator, Host, HostPort, Nic
from fabricgen.catalog.models.optics import Cable, Transceiver
from fabricgen.catalog.models.prices import PriceBook
from fabricgen.catalog.models.switch import Breakout, SonicPlatform, Switch
from fabricgen.catalog.models.workload import Workload

__all__ = [
    "Accelerator",
    "Breakout",
    "Cable",
    "Count",
    "Facts",
    "Host",
    "HostPort",
    "Nic",
    "Part",
    "PriceBook",
    "SonicPlatform",
    "Sourced",
    "Switch",
    "Text",
    "Top",
    "Transceiver",
    "Workload",
]
