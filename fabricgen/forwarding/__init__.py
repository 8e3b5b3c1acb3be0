"""How packets get from any GPU to any other: paths, relays through HB domains, tables, and what failures leave.

Rails never meet in a rail-only network, and still every GPU reaches every other: a packet for another rail hops inside an HB domain first,
or last. `relaying` owns the rules, `failing` the names of what is down, `reaching` what lives inside a block, `choosing` the way between two
GPUs, `paths` the way hop by hop, and `tables` all of it as documents.
"""

from fabricgen.forwarding.choosing import Choice, Leg, Way
from fabricgen.forwarding.failing import Failures, find_failures, find_gpu
from fabricgen.forwarding.hashing import Flow, flow_hash, flow_of, spread
from fabricgen.forwarding.paths import Hop, Path, Routing
from fabricgen.forwarding.reaching import Reach

__all__ = [
    "Choice", "Failures", "Flow", "Hop", "Leg", "Path", "Reach", "Routing", "Way", "find_failures", "find_gpu", "flow_hash", "flow_of", "spread",
]  # fmt: skip
