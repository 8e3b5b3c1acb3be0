"""One number or fact that is extreme: in an inventory, a file of the catalog or a pack.

Owns the campaign `extremes`. All else is valid, so the value gets as far as any value does.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from fabricgen.core.resources import shipped
from fabricgen.core.yaml_text import write_yaml
from fabricgen.core.yaml_tree import read_facts
from fabricgen.inventory.fabric import FabricSpec
from fabricgen.inventory.fields import KEY_EXAMPLE
from tests.cli.test_cli import RICH
from tests.fuzz.clusters import clusters
from tests.fuzz.fabrics import EXTRAS, FILE, fabrics
from tests.fuzz.program import Case, execute, faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.laws.drawing import Inventory

Key = str | int
Path_ = tuple[Key, ...]


class Count(NamedTuple):
    """Where an integer of the inventory is, and with which keys beside it the schema wants it."""

    path: Path_
    beside: tuple[tuple[Path_, Any], ...]
    greatest: int


@cache
def counts() -> tuple[Count, ...]:
    """Return every integer of the inventory, once."""
    schema = FabricSpec.model_json_schema()
    found: dict[Path_, Count] = {}
    _walk(schema, schema["$defs"], Count((), (), 0), found)
    return tuple(found.values())


def _walk(
    schema: dict[str, Any], types: dict[str, Any], at: Count, found: dict[Path_, Count]
) -> None:
    """Collect the integers below one part of the schema."""
    if "$ref" in schema:
        schema = types[schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "integer":
        found.setdefault(at.path, at._replace(greatest=schema.get("maximum", 0)))
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        _walk(each, types, at, found)
    wanted = tuple(
        ((*at.path, key), _valid(schema["properties"][key], types))
        for key in schema.get("required", ())
        if key in schema.get("properties", {})
    )
    for key, each in schema.get("properties", {}).items():
        _walk(each, types, Count((*at.path, key), (*at.beside, *wanted), 0), found)
    for key, word in (("items", 0), ("additionalProperties", "x")):
        if isinstance(schema.get(key), dict):
            _walk(schema[key], types, at._replace(path=(*at.path, word)), found)


def _valid(schema: dict[str, Any], types: dict[str, Any]) -> Any:  # noqa: ANN401 - any value
    """Return a value of a key that is required."""
    if "$ref" in schema:
        schema = types[schema["$ref"].rpartition("/")[2]]
    for each in (schema.get("examples"), schema.get("enum")):
        if each:
            return each[0]
    return {"integer": 1, "array": [], "object": {}}.get(schema.get("type", ""), "x")


def put(document: Any, path: Path_, value: Any, *, keep: bool = False) -> Any:  # noqa: ANN401 - any value of JSON
    """Return a document with a value at a path; what is in its way is replaced."""
    if not path:
        return document if keep and document is not None else value
    key, rest = path[0], path[1:]
    if isinstance(key, int):
        items = list(document) if isinstance(document, list) and document else [None]
        key = min(key, len(items) - 1)
        return [*items[:key], put(items[key], rest, value, keep=keep), *items[key + 1 :]]
    values = document if isinstance(document, dict) else {}
    return values | {key: put(values.get(key), rest, value, keep=keep)}


COMMANDS = (
    ("plan", FILE, "--json"),
    ("plan", FILE, "--json"),
    ("check", FILE, "--json"),
    ("search", FILE),
    ("phases", FILE),
    ("compare", FILE),
    ("cost", FILE),
    ("impact", FILE, "--each", "leaf"),
    ("build", FILE, "-o", "out", "--only", "cabling,bom"),
    ("build", FILE, "-o", "out", "--only", "configs"),
)
DOZENS = st.builds(lambda power, more: 10**power + more, st.integers(5, 15), st.integers(-1, 1))


@st.composite
def numbered(draw: st.DrawFn) -> Case:
    """Draw an inventory with one huge integer, and a command."""
    count = draw(st.sampled_from(counts()))
    base: Inventory = draw(st.one_of(st.just(read_facts(RICH)), fabrics(), clusters(), clusters()))
    top = str(count.path[0])
    if top not in base and top in EXTRAS:
        base = base | {top: draw(st.sampled_from(EXTRAS[top]))}
    for path, value in count.beside:
        base = put(base, path, value, keep=True)
    value = draw(st.one_of(DOZENS, st.sampled_from((count.greatest, count.greatest + 1))))
    return Case(
        draw(st.sampled_from(COMMANDS)),
        {FILE: json.dumps(put(base, count.path, value), indent=1)},
    )


CLUSTER = f"""\
name: parts
gpus: 64
hb_domain: {{gpus: 8}}
host: {{model: dgx-h100}}
switches: {{leaf: {{model: sn5600, breakout: 2x400G}}}}
nos: sonic
site: {{rack: {{units: 48}}}}
prices: paper-v5
networks:
  storage: {{switches: {{leaf: {{model: sn5600, breakout: 2x400G}}}}, speed: 400G}}
  oob: {{switches: {{leaf: {{model: sn2201}}}}, speed: 1G}}
devices:
  - {{name: 's-{{n}}', count: 4, model: storage-node, ports: {{storage: {{count: 2, speed: 200G,
     breakout: 4x200G}}, oob: 1}}}}
  - {{name: 'pdu-{{n}}', count: 2, model: ap8886, ports: {{oob: 1}}}}
management:
  pool: 10.190.0.0/21
  ntp: [10.190.0.123]
  users: [{{name: ops, key: '{KEY_EXAMPLE}'}}]
"""
SMALL_CLUSTER = CLUSTER.split("networks:", maxsplit=1)[0]
PARTS = (
    *("switches/sn5600", "switches/sn5600", "switches/sn2201", "hosts/dgx-h100"),
    *("nics/connectx-7", "devices/storage-node", "devices/ap8886", "accelerators/h100-sxm"),
    *("cables/mfp7e10", "cables/mcp4y10", "cables/mcp7y00", "cables/mfp7e20", "cables/cat6"),
    *("transceivers/mma4z00-ns", "transceivers/mma4z00-ns400", "connectors/mpo12"),
)
PACKS = ("sonic", "eos", "junos", "nvue", "frr", "cabling", "bom", "netbox")
ODD: tuple[Any, ...] = (
    *(0, -1, 1, 7, 10**5, 10**9, 10**15, 10**30, 0.5, 1e-300, 1e308, float("nan"), float("inf")),
    *(None, True, "", "x", "-1", "400G", "a" * 300, "\x1b[31m", "\u202e", "{n}", "{{ x }}", "é"),
    *("../x", "\n", [], {}, [0], [[]], {"x": 0}, [10**9], {400: [10**9]}),
)


@cache
def facts(name: str) -> tuple[Any, tuple[Path_, ...]]:
    """Return the values of a shipped file, and the paths of all of them."""
    folder = shipped("templates") if name.endswith("/pack") else shipped("inventories") / "catalog"
    values = read_facts((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    return values, tuple(_paths(values, ()))


def _paths(values: Any, at: Path_) -> Iterator[Path_]:  # noqa: ANN401 - any value
    """Yield the path of each value below one."""
    items = enumerate(values) if isinstance(values, list) else ()
    for key, each in values.items() if isinstance(values, dict) else items:
        yield (*at, key)
        yield from _paths(each, (*at, key))


@st.composite
def altered(draw: st.DrawFn) -> Case:
    """Draw a copy of a file of the catalog or of a pack in which one fact is odd."""
    part = draw(st.booleans())
    name = draw(st.sampled_from(PARTS)) if part else f"{draw(st.sampled_from(PACKS))}/pack"
    values, paths = facts(name)
    # a file has many lists of alike parts, and few facts above them
    depth = draw(st.integers(1, max(map(len, paths))))
    path = draw(st.sampled_from([path for path in paths if len(path) <= depth]))
    own = "--catalog" if part else "--templates"
    command = draw(st.sampled_from(COMMANDS if part else COMMANDS[-2:]))
    text = draw(st.sampled_from((CLUSTER, SMALL_CLUSTER)))
    if not part and name.partition("/")[0] not in {"cabling", "bom", "netbox"}:
        text = SMALL_CLUSTER.replace("nos: sonic", f"nos: {name.partition('/')[0]}")
    return Case(
        (*command, own, "own"),
        {FILE: text, f"own/{name}.yaml": write_yaml(put(values, path, draw(st.sampled_from(ODD))))},
    )


extremes = st.one_of(numbered(), altered())


def search_extremes(case: Case, home: Path) -> Iterator[tuple[Case, str]]:
    """Run one command."""
    ended = execute(case, home)
    yield from ((case, fault) for fault in faults(case, ended))
