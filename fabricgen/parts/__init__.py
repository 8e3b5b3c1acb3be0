"""What a catalog file may say: of switches, hosts, accelerators, NICs, transceivers, cables and what they cost, and of a model to train.

Owns the shape of each kind of file and the facts of one file that contradict each other, and reads names and prices off the facts. Where
files lie, which of two shadows the other and how a bad one is refused belong to `catalog`.

Each fact has its source in its file, and a fact that could not be verified is named under `unverified`.
"""

from fabricgen.parts.facts import Count, Facts, Part, Sourced, Text, Top
from fabricgen.parts.hosts import Accelerator, Host, HostPort, Nic
from fabricgen.parts.links import Cable, Transceiver
from fabricgen.parts.prices import PriceBook
from fabricgen.parts.switches import Breakout, SonicPlatform, Switch
from fabricgen.parts.workloads import Workload

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
