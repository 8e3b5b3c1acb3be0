"""The views that templates receive, recorded in builds of small fabrics.

The packs of these builds record what each template receives, and render nothing. Owns the reading
of classes, their attributes' docstrings and values, and the page of the views. A new pack or view
is on that page by itself.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from fabricgen.api import plan_inventory
from fabricgen.build.context import BuildContext
from fabricgen.build.job import make_job
from fabricgen.build.selection import GroupSelection
from fabricgen.core.template_api import template_names
from fabricgen.inventory.fields import KEY_EXAMPLE
from fabricgen.outputs.groups import GROUPS
from fabricgen.outputs.packs.kinds import KINDS
from fabricgen.outputs.packs.render import Packs

LOOKED_AT, WIDE = 50, 60
"""Items of a list that are searched for values, and characters of a value that are shown."""

_HOST = {"hb_domain": {"gpus": 8}, "host": {"model": "dgx-h100"}}
_BOTH = {"leaf": {"model": "sn5600", "breakout": "2x400G"}}
_SPLIT = {"model": "ds5000", "breakout": "2x400G"}
_MANAGEMENT = {
    "pool": "10.200.0.0/24", "host_pool": "10.201.0.0/24", "dns": ["10.200.0.53"],
    "ntp": ["10.200.0.123"], "syslog": ["10.200.0.51"], "banner": "Authorized use only.",
    "snmp": {
        "users": [{"name": "monitor", "auth": "env:SNMP_AUTH", "privacy": "env:SNMP_PRIVACY"}],
        "location": "Hall B", "contact": "noc@example.com",
    },
    "aaa": {
        "protocol": "ldap", "servers": ["10.200.0.49"], "secret": "env:BIND_PASSWORD",
        "base_dn": "dc=example,dc=com", "bind_dn": "cn=switch,dc=example,dc=com",
    },
    "users": [{"name": "ops", "key": KEY_EXAMPLE, "secret": "env:OPS_SECRET"}],
    "api": ["gnmi"],
}  # fmt: skip
_BONDS = {"bonding": "lacp", "peer_links": 2}
SPECIMENS: dict[str, dict[str, Any]] = {
    "two tiers, FRR": {
        "gpus": 32, "hb_domain": {"gpus": 4}, "rails": {"tiers": 2}, "nos": "frr",
        "switches": {"leaf": {"generic": {"radix": 8}}, "spine": {"generic": {"radix": 4}}},
        "management": _MANAGEMENT,
        "vars": {"contact": "noc@example.net"},
        "overrides": [{"match": {"role": "leaf"}, "text": "", "vars": {"ntp": ["192.0.2.1"]}}],
    },
    "a room, copper splitters, two rails on a leaf, SONiC": {
        "gpus": 72, "hb_domain": {"gpus": 72, "hosts": 18}, "host": {"model": "gb200-nvl72"},
        "rails": {"count": 4, "per_switch": 2}, "switches": _BOTH, "nos": "sonic",
        "prices": {"book": "street-2026-09", "discount": {"all": 5}},
        "site": {
            "rack": {"units": 48}, "hosts_per_rack": 18, "leaves": "top-of-rack",
            "footprints": {"host": {"units": 1, "power_w": 5000}},
            "tray": {"width_mm": 300, "depth_mm": 100, "slack_mm": 100},
        },
    },
    "unnumbered hosts": {
        "gpus": 16, **_HOST, "switches": _BOTH, "addressing": {"host_links": "unnumbered"},
        "nos": {"leaf": "nvue", "versions": {"nvue": "5.14"}},
    },
    "switches of Hedgehog's list": {
        "gpus": 32, "hb_domain": {"gpus": 8}, "nic": {"speed": "400G"}, "rails": {"tiers": 2},
        "switches": {"leaf": _SPLIT, "spine": _SPLIT},
    },
    "InfiniBand": {
        "gpus": 16, **_HOST, "rails": {"per_switch": 2}, "switches": {"leaf": {"model": "qm9700"}},
    },
    "hosts behind panels": {
        "gpus": 64, **_HOST, "design": "rail-optimized", "switches": {"leaf": {"model": "qm9700"}},
        "cabling": {"where": {"host": "structured"}},
    },
    "rails of light, and spare leaves": {
        "gpus": 32, **_HOST, "rails": {"medium": "ocs"},
        "switches": {"leaf": {"model": "polatis-384"}}, "spare": {"leaves_per_rail": 1},
    },
    "rails of panels": {
        "gpus": 32, **_HOST, "rails": {"medium": "patch-panel"},
        "switches": {"leaf": {"model": "patch-144"}},
    },
    "a network of nodes in a lab": {
        "gpus": 16, "hb_domain": {"gpus": 8}, "nic": {"speed": "400G"}, "switches": _BOTH,
        "nos": "frr",
        "networks": {
            "inband": {"switches": {"leaf": {"model": "sn5600"}}, "speed": "400G", "nos": "frr"},
        },
    },
    "a network beside the compute fabric, and PDUs": {
        "gpus": 16, **_HOST, "switches": _BOTH, "site": {"rack": {"units": 48}},
        "networks": {
            "inband": {"switches": {"leaf": {"model": "sn4600c"}}, "speed": "100G", **_BONDS},
            "oob": {"switches": {"leaf": {"model": "sn2201"}}, "speed": "1G"},
            "console": {"switches": {"leaf": {"model": "cm8148"}}},
        },
        "devices": [{"name": "pdu-{n}", "count": 5, "model": "ap8886", "ports": {"oob": 1}}],
        "naming": {"models": "library"},
    },
}  # fmt: skip
"""The fabrics that are built: one for each option on which the fields of views depend.

An output that none of them has breaks a link of the strict build.
"""


class Attribute(NamedTuple):
    """One name of a class: its type, its docstring, and whether it is a field or computed."""

    name: str
    type: str
    text: str
    kind: Literal["field", "property", "method"] = "field"


class Given(NamedTuple):
    """A name that a template receives, and the class of its value."""

    each: str
    word: str
    shape: type


def code(value: object) -> str:
    """Return a value as Markdown code, whatever characters it has.

    >>> code(True), code("a|b")
    ('`true`', '`a|b`')
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}" if text else ""


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows as a table of Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


@cache
def attributes(shape: type) -> tuple[Attribute, ...]:
    """Return the public attributes of a class and of its base classes, with their docstrings."""
    found: dict[str, Attribute] = {}
    for part in reversed(shape.__mro__):
        if _is_ours(part):
            found |= {attribute.name: attribute for attribute in _own(part)}
    return tuple(found.values())


def _own(shape: type) -> Iterator[Attribute]:
    """Yield the attributes of one class itself: fields, and what is marked for templates."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(shape))).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for at, below in pairwise([*body, ast.Pass()]):
        if (
            isinstance(at, ast.AnnAssign)
            and isinstance(at.target, ast.Name)
            and not at.target.id.startswith("_")
        ):
            text = (
                below.value.value
                if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
                else _described(shape, at.target.id)
            )
            yield Attribute(at.target.id, ast.unparse(at.annotation), str(text))
        elif isinstance(at, ast.FunctionDef) and at.name in template_names(shape):
            text = (ast.get_docstring(at) or "").partition("\n")[0]
            kind: Literal["property", "method"] = (
                "property" if isinstance(vars(shape)[at.name], property) else "method"
            )
            yield Attribute(at.name, ast.unparse(at.returns) if at.returns else "", text, kind)


def _described(shape: type, name: str) -> str:
    """Return pydantic's description of a field that has no string below it."""
    known = getattr(shape, "model_fields", {}).get(name)
    return (known.description or "") if known else ""


def _is_ours(shape: type) -> bool:
    """Return whether a class is one of fabricgen."""
    return shape.__module__.startswith("fabricgen.")


class Seen:
    """Classes that were found, and for each attribute the first value that is not empty."""

    def __init__(self, kinds: Collection[str] = ("field", "property", "method")) -> None:
        """Start with nothing; only attributes of these kinds count."""
        self._kinds = kinds
        self._values: dict[type, dict[str, Any]] = {}
        self._met: dict[int, object] = {}

    def walk(self, *things: object) -> None:
        """Look at things and at everything that hangs on them."""
        waiting = [*things]
        while waiting:
            thing = waiting.pop(0)
            if id(thing) in self._met or isinstance(thing, (str, int, float, type(None))):
                continue
            self._met[id(thing)] = thing
            waiting += self._below(thing)

    def _below(self, thing: object) -> list[object]:
        """Note what a thing has, and return it."""
        if _is_ours(type(thing)):
            values = self._values.setdefault(type(thing), {})
            has = {
                row.name: getattr(thing, row.name)
                for row in self._attributes(type(thing))
                if row.kind != "method"
            }
            values |= {
                name: value
                for name, value in has.items()
                if (value and not values.get(name)) or name not in values
            }
            return [*has.values()]
        if isinstance(thing, Mapping):
            return [*islice(thing.values(), LOOKED_AT)]
        return [*islice(thing, LOOKED_AT)] if isinstance(thing, Sequence) else []

    def _attributes(self, shape: type) -> list[Attribute]:
        """List the attributes that count."""
        return [row for row in attributes(shape) if row.kind in self._kinds]

    def classes(self) -> list[type]:
        """List the classes by module and name, those with attributes only."""
        return sorted(
            (shape for shape in self._values if self._attributes(shape)),
            key=lambda shape: (shape.__module__, shape.__name__),
        )

    def rows(self, shape: type) -> Iterator[list[str]]:
        """Yield name, type, meaning and a value of each attribute of a class."""
        values = self._values.get(shape, {})
        for row in self._attributes(shape):
            name = f"{row.name}(...)" if row.kind == "method" else row.name
            yield [
                code(name),
                code(row.type),
                row.text.replace("<", "&lt;").replace("\n", " "),
                self._shown(values.get(row.name)),
            ]

    def _shown(self, value: object) -> str:
        """Return a value as Markdown: text and numbers as they are, for views their class."""
        several = (
            isinstance(value, Mapping | Sequence)
            and not isinstance(value, str)
            and not hasattr(value, "_fields")
        )
        first = (
            next(iter(value.values() if isinstance(value, Mapping) else value), None)
            if several and isinstance(value, Mapping | Sequence)
            else value
        )
        if type(first) in self._values:
            return (
                f"{len(value)} x {linked(type(first))}"
                if several and isinstance(value, Mapping | Sequence)
                else linked(type(first))
            )
        text = (
            ""
            if value is None
            else (
                value
                if isinstance(value, str)
                else json.dumps(value, ensure_ascii=False, default=str)
            )
        )
        return code(text if len(text) <= WIDE else text[:WIDE] + "...")


class Watching(Packs):
    """Packs that note what each template is given, and render nothing."""

    def __init__(self, seen: Seen) -> None:
        """Look at the packs that ship."""
        super().__init__()
        self.given: set[Given] = set()
        self._seen = seen

    def render(self, pack: str, template: str, **view: Any) -> str:  # noqa: ANN401 - as in Packs
        """Note what a template is given."""
        found = self.pack(pack)
        for output in found.outputs if found else ():
            if output.template == template:
                self.given |= {
                    Given(output.each, word, type(value))
                    for word, value in view.items()
                    if value is not None
                }
        self._seen.walk(*view.values())
        return ""


def watched() -> tuple[Watching, Seen]:
    """Build every specimen, all groups of it, and return what was seen."""
    seen = Seen()
    packs = Watching(seen)
    with TemporaryDirectory() as folder:
        for name, keys in SPECIMENS.items():
            plan = plan_inventory({"name": "specimen", **keys})
            context = BuildContext(plan, packs, GroupSelection(named=frozenset(GROUPS)))
            for number, task in enumerate(make_job(context).tasks):
                for _ in task.write(context, Path(folder) / name / str(number)):
                    pass
    return packs, seen


def seen_page() -> str:
    """Return the page of the names that each template receives, and of their classes."""
    packs, seen = watched()
    eaches = sorted(KINDS)
    if unseen := KINDS.keys() - {given.each for given in packs.given}:
        raise ValueError(f"no fabric here has {', '.join(sorted(unseen))}")
    texts = [
        "# What templates see",
        (
            "`each` of an output in a `pack.yaml` selects what a file is written for, and so the"
            " names in its template."
        ),
        (
            "The values are those of small fabrics that are built for this page; an empty cell"
            " means that none had one."
        ),
        (
            "A template may use these names, and the filters and methods that"
            " [bad-template](messages.md#bad-template) lists."
        ),
        "## What a template is given",
    ]
    for each in eaches:
        rows = sorted(
            [code(given.word), linked(given.shape)] for given in packs.given if given.each == each
        )
        title = f"### {each} {{ #each-{each} }}"
        texts += [title, KINDS[each].meaning, table(["word", "what it is"], rows)]
    module = ""
    for shape in seen.classes():
        if shape.__module__ != module:
            module = shape.__module__
            texts += [
                f"## {module} {{ #{_named(module)} }}",
                (inspect.getdoc(inspect.getmodule(shape)) or "").partition("\n")[0],
            ]
        texts += [
            f"### {shape.__name__} {{ #{anchor(shape)} }}",
            _says(shape),
            table(["name", "type", "meaning", "a value"], seen.rows(shape)),
        ]
    return "\n\n".join(texts)


def _says(shape: type) -> str:
    """Return the first paragraph of a class's docstring."""
    return (shape.__doc__ or "").partition("\n\n")[0].replace("<", "&lt;")


def anchor(shape: type) -> str:
    """Name the section of a class: two modules may call one the same."""
    return f"{_named(shape.__module__)}-{shape.__name__}"


def _named(module: str) -> str:
    """Name the section of a module.

    >>> _named("fabricgen.views.hosts.view")
    'views-hosts-view'
    """
    return module.removeprefix("fabricgen.").replace(".", "-")


def linked(shape: type) -> str:
    """Point to the section of a class; what is none of ours is only named."""
    return f"[{shape.__name__}](#{anchor(shape)})" if _is_ours(shape) else code(shape.__name__)
