"""Whether the lossless class of a config_db.json has headroom, by the rules of SONiC's buffermgrd.

With a dynamic buffer model it computes headroom itself, once there are pools and a threshold; with
a static one it takes the profile of the port's speed and cable length from a table of the SKU.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tests.nos.sonic import ConfigDb

QUEUES = range(8)


def findings(tables: ConfigDb, lengths_m: Collection[int] = ()) -> list[str]:
    """List what keeps the ports with PFC from having headroom.

    `lengths_m` are those in the table of the SKU, for a static buffer model.
    """
    paused = {
        port: row["pfc_enable"]
        for port, row in tables["PORT_QOS_MAP"].items()
        if "pfc_enable" in row
    }
    found = [*_pools(tables), *_references(tables)] if paused else []
    for port, priority in paused.items():
        found += [
            *_length(tables, port, lengths_m),
            *_groups(tables, port, priority),
            *_queues(tables, port, priority),
        ]
    return found


def _is_dynamic(tables: ConfigDb) -> bool:
    model: str = tables["DEVICE_METADATA"]["localhost"]["buffer_model"]
    return model == "dynamic"


def _pools(tables: ConfigDb) -> Iterator[str]:
    """Find what the pools lack, without which buffermgrd does nothing."""
    pools = tables.get("BUFFER_POOL", {})
    ingress = pools.get("ingress_lossless_pool", {})
    if ingress.get("type") != "ingress" or ingress.get("mode") != "dynamic":
        yield "no dynamic ingress_lossless_pool"
    if "size" not in pools.get("egress_lossless_pool", {}):
        yield "no size of egress_lossless_pool, from which the others are computed"
    if _is_dynamic(tables):
        if "size" in ingress:
            yield "the size of ingress_lossless_pool is not left to buffermgrd"
        for table in ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN"):
            if len(tables.get(table, {})) != 1:
                yield f"not exactly one row of {table}"
        for table in ("BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"):
            if set(tables.get(table, {})) != set(tables["PORT"]):
                yield f"{table} does not have every port"
    elif not {"size", "xoff"} <= ingress.keys():
        yield "no size or no xoff of ingress_lossless_pool"


def _references(tables: ConfigDb) -> Iterator[str]:
    """Find profiles of unknown pools, and rows of unknown profiles."""
    profiles = tables.get("BUFFER_PROFILE", {})
    for name, profile in profiles.items():
        if profile["pool"] not in tables["BUFFER_POOL"]:
            yield f"{name} is of an unknown pool"
        if len({"static_th", "dynamic_th"} & profile.keys()) != 1:
            yield f"{name} has no threshold, or two"
    used = [
        row["profile"]
        for table in ("BUFFER_PG", "BUFFER_QUEUE")
        for row in tables.get(table, {}).values()
    ]
    lists = [
        row["profile_list"]
        for way in ("INGRESS", "EGRESS")
        for row in tables.get(f"BUFFER_PORT_{way}_PROFILE_LIST", {}).values()
    ]
    named = {*used, *(name for names in lists for name in names.split(","))} - {"NULL"}
    yield from (f"profile {name} is missing" for name in sorted(named - profiles.keys()))


def _length(tables: ConfigDb, port: str, lengths_m: Collection[int]) -> Iterator[str]:
    """Find a missing length, or one that the table of the SKU does not have."""
    text = tables.get("CABLE_LENGTH", {}).get("AZURE", {}).get(port, "")
    if not re.fullmatch("[1-9][0-9]*m", text):
        yield f"{port} has no cable length, so no headroom"
    elif not _is_dynamic(tables) and int(text[:-1]) not in lengths_m:
        yield f"{port} has a cable of {text}, for which the SKU has no profile"


def _groups(tables: ConfigDb, port: str, priority: str) -> Iterator[str]:
    """Find priority groups that are not lossless where the port pauses, or elsewhere are."""
    groups = {
        key.split("|")[1]: row["profile"]
        for key, row in tables.get("BUFFER_PG", {}).items()
        if key.startswith(f"{port}|")
    }
    wanted = {"0": "ingress_lossy_profile"} | ({priority: "NULL"} if _is_dynamic(tables) else {})
    if groups != wanted:
        yield f"{port} has the priority groups {groups}"


def _queues(tables: ConfigDb, port: str, priority: str) -> Iterator[str]:
    """Find queues without a profile, or with one of the wrong kind."""
    seen: list[int] = []
    for key, row in tables.get("BUFFER_QUEUE", {}).items():
        if key.startswith(f"{port}|"):
            first, _, last = key.split("|")[1].partition("-")
            queues = range(int(first), int(last or first) + 1)
            seen += queues
            if (row["profile"] == "egress_lossless_profile") != (priority in map(str, queues)):
                yield f"{key} has {row['profile']}"
            if last and int(last) <= int(first):
                yield f"{key} is no range that orchagent reads"
    if sorted(seen) != [*QUEUES]:
        yield f"{port} has profiles for the queues {sorted(seen)}"
