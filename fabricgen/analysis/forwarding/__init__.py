"""How packets get from any GPU to any other: paths, relays through HB domains, tables, and what failures leave.

Rails never meet in a rail-only network, and still every GPU reaches every other: a packet for another rail hops inside an HB domain first,
or last. `relaying` owns the rules, `failing` the names of what is down, `reaching` what lives inside a block, `choosing` the way between two
GPUs, `paths` the way hop by hop, and `tables` all of it as documents.
"""

from fabricgen.analysis.forwarding.ecmp_hash import Flow, flow_hash, flow_of, spread
from fabricgen.analysis.forwarding.failures import Failures, find_failures, find_gpu
from fabricgen.analysis.forwarding.path_selection import Choice, Leg, Way
from fabricgen.analysis.forwarding.paths import Hop, Path, Routing
from fabricgen.analysis.forwarding.reachability import Reach

__all__ = [
    "Choice", "Failures", "Flow", "Hop", "Leg", "Path", "Reach", "Routing", "Way", "find_failures", "find_gpu", "flow_hash", "flow_of", "spread",
]  # fmt: skip
