"""Gates on code: one owner of coordinates, long records by keyword, classes of different names.

- Only `planning/coordinates` and `planning/mapping` divide by the sizes of HB domains, hosts and
  rails: a rail that is off by one type-checks. `analysis/checks` states the wiring rule a second
  time on purpose, and the order of relays is cyclic.
- A record of more than eight fields takes them by keyword: two that are swapped type-check, too.
  Where many thousands are made, columns in the order of the fields are mapped over the class.
- No two public classes share a name, so that a name leads to one of them.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = frozenset({"domain_gpus", "host_gpus", "domain_hosts", "rails", "ranks_per_rail"}) | {
    "planes",
    "per_switch",
}
OWNERS = {
    "planning/coordinates.py": "the owner of GPUs, HB domains, ranks, rails and hosts",
    "planning/mapping.py": "the owner of segments and blocks",
    "analysis/checks/wiring_rule.py": "the rule a second time, as the plan's judge",
    "analysis/checks/expected_rows.py": "the columns of links a second time, as the views' judge",
    "analysis/forwarding/relay_rules.py": "the order of relays, cyclic over rails",
}

LONG = 8
"""Fields of the longest record that may be built by position."""

COPIES = {("analysis/checks/expected_rows.py", "Wiring")}
"""Records that are made of another of their kind, column by column."""

HOT_LOOPS = {
    ("views/cables/build.py", "CableView"): "CABLE_COLUMNS",
    ("views/switches/port_views.py", "PortView"): "PORT_COLUMNS",
}
"""Where columns are mapped over a class, with the names of its fields in their order."""


@cache
def trees() -> dict[str, ast.Module]:
    """Parse every module of the package."""
    return {
        path.relative_to(ROOT / "fabricgen").as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "fabricgen").rglob("*.py"))
    }


def _size(node: ast.expr) -> str:
    """Return the last name of an operand, through a call that only converts it."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"np.int32", "np.int64", "int"}:
        node = node.args[0]
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _name(node: ast.expr) -> str:
    """Return the last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def divisions(tree: ast.AST) -> Iterator[str]:
    """Yield the divisions by a size, `//`, `%` and divmod; also by a name that a size was given."""
    renamed = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for targets, values in [
            (
                getattr(node.targets[0], "elts", node.targets),
                getattr(node.value, "elts", [node.value]),
            )
        ]
        for target, value in zip(targets, values, strict=False)
        if isinstance(target, ast.Name) and isinstance(value, ast.Attribute) and value.attr in SIZES
    }
    for node in ast.walk(tree):
        divisor = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Mod):
            divisor = node.right
        elif isinstance(node, ast.Call) and _name(node.func) == "divmod":
            divisor = node.args[-1]
        if divisor is not None and _size(divisor) in SIZES | renamed:
            yield f"line {divisor.lineno}: {ast.unparse(node)}"


def rails_or_zero(tree: ast.AST) -> Iterator[str]:
    """Yield where the rail of a block that spans rails, which is None, becomes rail 0 unnoticed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            first, last = node.values[0], node.values[-1]
            zero = isinstance(last, ast.Constant) and last.value == 0
            called = first.func if isinstance(first, ast.Call) else first
            if zero and "mapping.rail" in ast.unparse(called):
                yield f"line {node.lineno}: {ast.unparse(node)}"


def test_coordinates_have_one_owner() -> None:
    """No other module computes the rail, domain or host of a GPU, or takes rail 0 for None."""
    assert [
        f"{path}: {found}"
        for path, tree in trees().items()
        if path not in OWNERS
        for found in (*divisions(tree), *rails_or_zero(tree))
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "gpu % fabric.domain_gpus % fabric.rails",
        "np.divmod(gpu, np.int32(fabric.domain_gpus))",
        "size = fabric.host_gpus\ngpu // size",
        "first, size = 0, plan.fabric.domain_gpus\ndivmod(gpu, size)",
    ],
)
def test_the_gate_finds_a_division(source: str) -> None:
    """The divisor is recognized through attributes, conversions and new names."""
    assert [*divisions(ast.parse(source))]


def test_the_gate_finds_a_rail_or_zero() -> None:
    """`or 0` after a rail is found; after other things it is not."""
    assert [*rails_or_zero(ast.parse("self.plan.mapping.rail(segment, block) or 0"))]
    assert not [*rails_or_zero(ast.parse("part.reach_m or 0"))]


def test_every_owner_is_needed() -> None:
    """A module that no longer divides leaves the list."""
    assert [path for path in OWNERS if not [*divisions(trees()[path])]] == []


def _module(path: str) -> str:
    """Return the name of a module."""
    return "fabricgen." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def long_records() -> dict[tuple[str, str], list[str]]:
    """Return the fields of each long dataclass or NamedTuple, by module and name."""
    found = {}
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                marks = [ast.unparse(each) for each in (*node.decorator_list, *node.bases)]
                fields = [
                    each.target.id
                    for each in node.body
                    if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
                ]
                record = any(mark.startswith(("dataclass", "NamedTuple")) for mark in marks)
                if record and len(fields) > LONG:
                    found[_module(path), node.name] = fields
    return found


def positional(path: str, tree: ast.AST) -> Iterator[tuple[int, str, bool]]:
    """Yield the line and the class of each long record made by position, and whether by `map`."""
    records = long_records()
    known = {name for module, name in records if module == _module(path)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            known |= {each.name for each in node.names if (node.module, each.name) in records}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            mapped = node.func.id == "map"
            name = getattr(node.args[0], "id", "") if mapped else node.func.id
            if name in known:
                yield node.lineno, name, mapped


def test_the_gate_finds_positions() -> None:
    """A long record is recognized where it is imported; keywords are accepted."""
    source = "from fabricgen.views.cables.view import CableView\n"
    assert [*positional("any.py", ast.parse(source + "CableView(1)\nmap(CableView, a)"))] == [
        (2, "CableView", False),
        (3, "CableView", True),
    ]
    assert not [*positional("any.py", ast.parse(source + "CableView(cable=1)"))]


def test_long_records_are_found() -> None:
    """The records that the loops below are about are among them."""
    assert len(long_records()) > 40
    assert {name for _, name in long_records()} >= {"CableView", "PortView", "SwitchView", "Wiring"}


def test_long_records_are_built_by_keyword() -> None:
    """Only the hot loops map columns over a class, and only copies are made by position."""
    assert [
        f"{path}:{line}: give the fields of {name} by keyword"
        for path, tree in trees().items()
        for line, name, mapped in positional(path, tree)
        if (path, name) not in (HOT_LOOPS if mapped else COPIES)
    ] == []


@pytest.mark.parametrize(("place", "columns"), HOT_LOOPS.items())
def test_hot_loops_take_the_fields_in_order(place: tuple[str, str], columns: str) -> None:
    """Each hot loop maps a class over columns that it looks up by the names of its fields."""
    path, name = place
    calls = [
        ast.unparse(node)
        for node in ast.walk(trees()[path])
        if isinstance(node, ast.Call) and ast.unparse(node).startswith(f"map({name}, ")
    ]
    assert calls == [f"map({name}, *(columns[name] for name in {columns}))"]


def test_values_are_sorted_and_not_hashed() -> None:
    """`np.unique` without options takes seconds for a million links; `distinct` sorts them."""
    found = [
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "np.unique"
        and not node.keywords
    ]
    assert found == []


def test_no_two_public_classes_have_one_name() -> None:
    """A reader who looks for a class finds one."""
    owners: dict[str, list[str]] = {}
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                owners.setdefault(node.name, []).append(path)
    assert {name: paths for name, paths in owners.items() if len(paths) > 1} == {}
