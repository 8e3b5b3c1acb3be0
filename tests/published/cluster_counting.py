"""The figures of a whole cluster: switches, links and ports of each of its networks."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from fabricgen.bom.bill import DEVICES
from fabricgen.bom.cluster_bill import cluster_bom
from fabricgen.core.terms import CLOS_KINDS, LinkKind, Role
from tests.fabrics import plan_of
from tests.published.tables import tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.planning.plan import Plan
    from tests.published.tables import Table

Row = dict[str, Any]


def cluster_rows(row: Row, table: Table) -> Row:
    """Plan the nodes of a row."""
    domain = table.fabric["hb_domain"]
    gpus = row["nodes"] * domain["gpus"] // domain.get("hosts", 1)
    found = figures(plan_of(gpus=gpus, **table.fabric))
    return {column: found[column] for column in table.columns if column not in table.inputs}


def cluster_figures(row: Row, table: Table) -> Row:
    """Plan the cluster of a table, and add the figures that a row names."""
    found = _figures_of(table.id)
    return {"count": sum(found[name] for name in row["figure"].split(" + "))}


@cache
def _figures_of(name: str) -> Counter[str]:
    """Plan a cluster once for all rows of its table."""
    (table,) = (table for table in tables() if table.id == name)
    return figures(plan_of(**table.fabric))


def figures(plan: Plan) -> Counter[str]:
    """Count a cluster, as `NETWORK.WHAT`."""
    found: Counter[str] = Counter()
    for name, network in {"compute": plan, **plan.networks}.items():
        for role in Role:
            found[f"{name}.{role}"] = network.switch_count(role)
        found[f"{name}.peer"] = network.link_count(LinkKind.PEER)
        found[f"{name}.links"] = sum(map(network.link_count, CLOS_KINDS[1:]))
        found[f"{name}.cables"] = network.links
        for kind, ports in _ports(network):
            found[f"{name}.{kind}"] += ports
    found["racks"] = len(plan.lengths.room.names) if plan.lengths else 0
    return found + _bill(plan)


def _bill(plan: Plan) -> Counter[str]:
    """Count what is bought: devices by model, other parts by class or model, and purpose."""
    found: Counter[str] = Counter()
    for line in cluster_bom(plan).lines:
        for purpose, count in line.purposes:
            what = line.part if purpose == DEVICES else purpose
            found[f"bill.{line.part_class}.{what}"] += count
            found[f"bill.{line.part}.{purpose}"] += count
    return found


def _ports(network: Plan) -> Iterator[tuple[str, int]]:
    """Yield the cabled ports of each kind of device; switches are of the kind of their network."""
    if network.fabric.network is None:
        yield "host", network.link_count(LinkKind.HOST)
        return
    for group in network.fabric.network.attached.groups:
        kind = group.kind.split("-{")[0] if group.own else group.kind.split(" ")[0]
        yield kind, len(group.names) * len(group.interfaces)
