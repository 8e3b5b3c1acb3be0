"""The graph of a plan as node-link JSON and as GraphML, written without networkx.

Owns the text of both files, which is the same that networkx writes for `graph(plan)` where there is
no network beside the compute fabric; with such networks it has their nodes and links too. Importing
networkx and filling a graph take longer than the rest of a small build. Only numpy is used.
"""

from __future__ import annotations

from html import escape
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.analysis.cluster_graph import cluster_edges, cluster_nodes
from fabricgen.core.compact_json import compact_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabricgen.analysis.graph_elements import Shown
    from fabricgen.planning.plan import Plan

Edge = tuple[str, str, str, "Shown"]

HEADER = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""

PIECE = 4096
"""Nodes and edges whose text is made at once."""

TYPES = {str: "string", int: "long", float: "double"}
"""The names of attribute types in GraphML."""


class GraphFiles:
    """The nodes and edges of one plan, listed once for both files."""

    def __init__(self, plan: Plan) -> None:
        """List the elements in the order in which networkx lists those of `graph(plan)`."""
        self.attributes = {"name": plan.spec.name, "design": plan.spec.design.value}
        self.nodes = list(cluster_nodes(plan))
        self.edges = _in_order([name for name, _ in self.nodes], cluster_edges(plan))
        self.node_link = self._node_link()
        """The text of the node-link JSON."""

    def _node_link(self) -> str:
        """Return the text of the node-link JSON."""
        document = {
            "directed": False,
            "multigraph": True,
            "graph": self.attributes,
            "nodes": [{**shown, "id": name} for name, shown in self.nodes],
            "edges": [
                {**shown, "source": low, "target": high, "key": key}
                for low, high, key, shown in self.edges
            ],
        }
        return compact_json(document) + "\n"

    def graphml(self) -> Iterator[str]:
        """Yield the text of the GraphML in pieces: as a whole it may have hundreds of megabytes."""
        keys, fill = Keys(), _as_they_are if self._is_plain() else _escaped
        whole = keys.data("graph", self.attributes, indent=4) % fill((), self.attributes)
        nodes = [(keys.node(shown), (name,), shown) for name, shown in self.nodes]
        edges = [(keys.edge(shown), tuple(names), shown) for *names, shown in self.edges]
        yield "".join([HEADER, *reversed(keys.declared), '  <graph edgedefault="undirected">\n'])
        elements = (form % fill(names, shown) for form, names, shown in chain(nodes, edges))
        while piece := "".join(islice(elements, PIECE)):
            yield piece
        yield f"{whole}  </graph>\n</graphml>\n\n"

    def _is_plain(self) -> bool:
        """Return whether no text has a character that XML escapes; the JSON has them all."""
        return not any(mark in self.node_link for mark in ("&", "<", ">", r"\""))


class Keys:
    """The keys that a GraphML file declares, numbered by first use, and the forms of elements."""

    def __init__(self) -> None:
        """Start without any key."""
        self.declared: list[str] = []
        self._known: dict[tuple[str, str, type], str] = {}
        self._forms: dict[tuple[object, ...], str] = {}

    def node(self, shown: Shown) -> str:
        """Return the form of a node, to be filled with its name and attribute values."""
        return self._form("node", '<node id="%s">', shown)

    def edge(self, shown: Shown) -> str:
        """Return the form of an edge.

        It is filled with two nodes, a key and the values of the attributes.
        """
        return self._form("edge", '<edge source="%s" target="%s" id="%s">', shown)

    def _form(self, scope: str, start: str, shown: Shown) -> str:
        """Return one form for all elements whose attributes have the same names and types."""
        kind = (scope, *shown, *map(type, shown.values()))
        if kind not in self._forms:
            self._forms[kind] = f"    {start}\n{self.data(scope, shown, indent=6)}    </{scope}>\n"
        return self._forms[kind]

    def data(self, scope: str, shown: Shown, indent: int) -> str:
        """Return the lines of some attributes, with a place for each value."""
        return "".join(
            f'{" " * indent}<data key="{self._key(scope, name, type(value))}">%s</data>\n'
            for name, value in shown.items()
        )

    def _key(self, scope: str, name: str, kind: type) -> str:
        """Return the key of an attribute, declared at its first use."""
        if (scope, name, kind) not in self._known:
            key = self._known[scope, name, kind] = f"d{len(self._known)}"
            self.declared.append(
                f'  <key id="{key}" for="{scope}" attr.name="{name}" attr.type="{TYPES[kind]}" />\n'
            )
        return self._known[scope, name, kind]


def _as_they_are(names: tuple[str, ...], shown: Shown) -> tuple[object, ...]:
    """Return the names of an element and its values, none of which has anything to escape."""
    return (*names, *shown.values())


def _escaped(names: tuple[str, ...], shown: Shown) -> tuple[object, ...]:
    """Return the names of an element as attributes, and its values as texts between tags.

    >>> _escaped(('a"b',), {"part": "R&D <1>", "capacity_gbps": 400})
    ('a&quot;b', 'R&amp;D &lt;1&gt;', '400')
    """
    texts = [escape(str(value), quote=False) for value in shown.values()]
    return (*(escape(name, quote=False).replace('"', "&quot;") for name in names), *texts)


def _in_order(names: Iterable[str], listed: Iterable[Edge]) -> list[Edge]:
    """Sort edges in networkx's order: by the first node, then by the pair's first edge.

    Each has its first node first.
    """
    position, edges = {name: at for at, name in enumerate(names)}, [*listed]
    # numpy compares the pairs of nodes as numbers, which costs less than a tuple for each edge
    one = np.array([position[name] for name, _, _, _ in edges], dtype=np.int64)
    other = np.array([position[name] for _, name, _, _ in edges], dtype=np.int64)
    first = np.minimum(one, other)
    _, begun, pair = np.unique(
        first * len(position) + np.maximum(one, other), return_index=True, return_inverse=True
    )
    order = np.lexsort((begun[pair], first))
    turned = (one > other)[order].tolist()
    found = zip(map(edges.__getitem__, order.tolist()), turned, strict=True)
    return [(edge[1], edge[0], *edge[2:]) if turn else edge for edge, turn in found]
