"""The topology of a direct rail: its graph, the ports that it takes, and the figures it claims.

Owns the step from `rails.topology` and the ports of a GPU to links, and the refusals of what does
not fit. `graphs` joins the nodes. The nodes of a rail are its GPUs, in order of HB domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, prod
from typing import TYPE_CHECKING

from fabricgen.core.count_text import plain_count
from fabricgen.core.diagnostics import refuse
from fabricgen.core.divisors import divisors
from fabricgen.core.terms import speed_text
from fabricgen.planning.direct import graphs

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabricgen.core.diagnostics import Refusal
    from fabricgen.inventory.sizing import RailTopology
    from fabricgen.planning.block_links import TierLinks

PATH = ("rails", "topology")
_KEYS = {"dimensions": ("torus-2d", "torus-3d"), "rings": ("multi-ring",), "degree": ("expander",)}


@dataclass(frozen=True, eq=False)
class DirectTopology:
    """The graph of a rail: `degree` neighbours of each node, over `parallel` links each.

    `diameter` and `bisection`, in pairs of neighbours, are those that the shape claims; None where
    no formula has them.
    """

    kind: str
    nodes: int
    degree: int
    parallel: int
    idle: int
    """Ports of a NIC port without a link."""
    dimensions: tuple[int, ...]
    strides: tuple[int, ...]
    """How far apart neighbours are on each ring of a multi-ring."""
    diameter: int | None
    bisection: int | None
    links: TierLinks

    @property
    def ring_links(self) -> int:
        """Links of a NIC port that rings over the whole rail use at once.

        A regular graph of an odd degree has no more than `degree - 1` links in Hamiltonian cycles.
        """
        odd = self.degree % 2 if self.kind == "expander" else 0
        return (self.degree - odd) * self.parallel

    @property
    def title(self) -> str:
        """The shape in words, as in `torus-2d 4 x 4`."""
        size = " x ".join(map(str, self.dimensions)) if self.dimensions else str(self.nodes)
        return f"{self.kind} {size}"


def make_topology(
    asked: RailTopology, nodes: int, split: tuple[int, int], planes: int = 1
) -> DirectTopology:
    """Join the nodes of a rail; `split` is the ports of a NIC port, and their speed in Gbps.

    Each of the `planes` has such a graph, on NIC ports of its own. Raises Refusal
    `topology-does-not-fit`.
    """
    for key, kinds in _KEYS.items():
        if getattr(asked, key) is not None and asked.kind not in kinds:
            hint = f"leave it out, or use `kind: {kinds[0]}`"
            raise _misfit(f"a {asked.kind} has no `{key}`", (), hint, key)
    if nodes == 1:
        raise _misfit("a rail of one GPU has no links", (), "plan at least two HB domains")
    ports, _ = split
    shape = _SHAPES[asked.kind](asked, nodes, ports)
    if shape.degree > ports:
        raise _too_few_ports(asked.kind, shape.degree, split, planes)
    parallel = ports // shape.degree
    return DirectTopology(
        kind=asked.kind,
        nodes=nodes,
        degree=shape.degree,
        parallel=parallel,
        idle=ports - parallel * shape.degree,
        dimensions=shape.dimensions,
        strides=shape.strides,
        diameter=shape.diameter,
        bisection=shape.bisection,
        links=graphs.in_parallel(shape.links(), parallel),
    )


@dataclass(frozen=True, eq=False)
class _Shape:
    """A graph before it is wired."""

    degree: int
    links: Callable[[], TierLinks]
    diameter: int | None = None
    bisection: int | None = None
    dimensions: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()


def _ring(_asked: RailTopology, nodes: int, _ports: int) -> _Shape:
    """Return a ring."""
    if nodes < 3:  # noqa: PLR2004 - the smallest ring
        raise _misfit("two GPUs make no ring", (), "use `kind: full-mesh`")
    return _Shape(2, lambda: graphs.circulant(nodes, [1]), nodes // 2, 2)


def _multi_ring(asked: RailTopology, nodes: int, ports: int) -> _Shape:
    """Return rings over the same nodes, each with a stride coprime to their number.

    TopoOpt (NSDI 2023, 4.2) takes such strides, spread geometrically, for rings of all-reduce.
    """
    rings = asked.rings or max(ports // 2, 2)
    coprime = [stride for stride in range(1, (nodes + 1) // 2) if gcd(stride, nodes) == 1]
    if rings > len(coprime):
        because = (
            f"each ring joins GPUs at a distance coprime to {nodes}",
            f"{len(coprime)} such distances are below {nodes} / 2",
        )
        hint = f"use `rings: {len(coprime)}`" if len(coprime) > 1 else "use `kind: ring`"
        raise _misfit(f"{nodes} GPUs have no {rings} rings apart", because, hint, "rings")
    strides = list[int]()
    for ring in range(rings):
        target = nodes ** (ring / rings)
        left = [(abs(each - target), each) for each in coprime if each not in strides]
        strides.append(min(left)[1])
    return _Shape(
        2 * rings, lambda: graphs.circulant(nodes, strides), strides=tuple(sorted(strides))
    )


def _torus(asked: RailTopology, nodes: int, _ports: int) -> _Shape:
    """Return a torus."""
    count = 3 if asked.kind == "torus-3d" else 2
    sizes = asked.dimensions or most_equal(nodes, count)
    if sizes is None:
        because = (f"{nodes} is no product of {count} numbers above 1",)
        raise _misfit(f"{nodes} GPUs make no {asked.kind}", because, "use `kind: ring`")
    if len(sizes) != count or prod(sizes) != nodes:
        equal = most_equal(nodes, count)
        because = (f"{' x '.join(map(str, sizes))} = {prod(sizes)}, and a rail has {nodes} GPUs",)
        hint = f"use `dimensions: {[*equal]}`" if equal else "use `kind: ring`"
        fact = f"these are not {count} dimensions of {nodes} GPUs"
        raise _misfit(fact, because, hint, "dimensions")
    # half of the longest dimension is crossed at two places, or at one where it has two GPUs; no
    # formula is known for an odd one, whose halves meet at a step
    longest = max(sizes)
    bisection = nodes // longest * min(longest - 1, 2) if longest % 2 == 0 else None
    return _Shape(
        sum(min(size - 1, 2) for size in sizes),
        lambda: graphs.torus(sizes),
        sum(size // 2 for size in sizes),
        bisection,
        tuple(sizes),
    )


def _hypercube(_asked: RailTopology, nodes: int, _ports: int) -> _Shape:
    """Return a hypercube, a torus whose dimensions are all two."""
    degree = nodes.bit_length() - 1
    if nodes != 1 << degree:
        because = (f"{1 << degree} < {nodes} < {2 << degree}",)
        hint = f"plan {1 << degree} or {2 << degree} GPUs on a rail, or use `kind: expander`"
        raise _misfit(f"{nodes} GPUs make no hypercube: they are no power of two", because, hint)
    return _Shape(degree, lambda: graphs.torus([2] * degree), degree, nodes // 2)


def _expander(asked: RailTopology, nodes: int, ports: int) -> _Shape:
    """Return a random regular graph."""
    degree = asked.degree or min(ports, nodes - 1) - (min(ports, nodes - 1) * nodes % 2)
    if degree < 3 or degree >= nodes or degree * nodes % 2:  # noqa: PLR2004 - fewer are rings
        because = (
            f"{nodes} x {degree} = {nodes * degree} link ends, two for each link",
            f"a degree is at least 3, as 2 makes rings, and at most {nodes - 1}",
        )
        fact = f"{nodes} GPUs make no expander of degree {degree}"
        raise _misfit(fact, because, "use `degree: 4`, with a NIC port split into as many", "kind")
    return _Shape(degree, lambda: graphs.expander(nodes, degree, asked.seed))


def _full_mesh(_asked: RailTopology, nodes: int, _ports: int) -> _Shape:
    """Return a full mesh."""
    half = nodes // 2
    return _Shape(nodes - 1, lambda: graphs.full_mesh(nodes), 1, half * (nodes - half))


_SHAPES: dict[str, Callable[[RailTopology, int, int], _Shape]] = {
    "ring": _ring,
    "multi-ring": _multi_ring,
    "torus-2d": _torus,
    "torus-3d": _torus,
    "hypercube": _hypercube,
    "expander": _expander,
    "full-mesh": _full_mesh,
}


def most_equal(number: int, count: int) -> tuple[int, ...] | None:
    """Return the factors above 1 of a number that differ least; None where there are none.

    >>> most_equal(16, 2), most_equal(24, 3), most_equal(7, 2)
    ((4, 4), (2, 3, 4), None)
    """
    if count == 1:
        return (number,) if number > 1 else None
    rests = ((size, most_equal(number // size, count - 1)) for size in divisors(number)[1:])
    found = [tuple(sorted((size, *rest))) for size, rest in rests if rest]
    return min(found, key=lambda sizes: (sizes[-1] - sizes[0], sizes), default=None)


def _too_few_ports(kind: str, degree: int, split: tuple[int, int], planes: int) -> Refusal:
    """Refuse a graph with more neighbours than a NIC port has links."""
    ports, total = split[0], split[0] * split[1]
    counted = plain_count(ports, "port")
    because = (f"each GPU has {degree} neighbours, and {counted} of {speed_text(split[1])}",)
    if planes == degree and ports == 1:
        whole, each = speed_text(planes * total), speed_text(total)
        why = f"each of {planes} planes has a graph of its own, with one port of each GPU"
        hint = (
            f"leave `planes` out and use `nic: {{speed: {whole}, split: {degree}x{each}}}`: the"
            f" links are right, and nics.csv and the bill have one cage for all {degree} of them"
        )
        return _misfit(f"a {kind} needs {degree} ports of each GPU", (*because, why), hint)
    hint = (
        f"use `nic.split: {degree}x{speed_text(total // degree)}`"
        if total % degree == 0
        else "split the NIC port further (`nic.split`), or choose a graph of a lower degree"
    )
    return _misfit(f"a {kind} needs {degree} ports of each GPU", because, hint)


def _misfit(fact: str, because: tuple[str, ...], hint: str, key: str = "kind") -> Refusal:
    """Refuse a topology."""
    return refuse("topology-does-not-fit", fact, path=(*PATH, key), because=because, hint=hint)
