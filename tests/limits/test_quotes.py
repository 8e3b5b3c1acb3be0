"""No text is written between quotes of a template's own without the filter of its format."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

import fabricgen.outputs
import fabricgen.views
from fabricgen.build.secrets import VALUE
from fabricgen.catalog.models import base
from fabricgen.core.template_api import template_names
from fabricgen.inventory import fields
from tests import ROOT
from tests.limits.quotes import quoted, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

SYNTAX = "\"'\\\n"
ESCAPED = "{% autoescape true %}"
"""The first line of the templates of which Jinja escapes every value."""

NUMERIC = {
    form.format(name)
    for name in ("int", "int | None", "float", "bool", "Int32Array", "IntArray")
    for form in ("{}", "ForwardRef('{}')")
}
"""Types of values in views that are written in digits."""

OWN = frozenset({"assumed", "facts", "loop", "terms", "words"})
"""What a pack has of its own, and the facts of a NOS, which the catalog reads as words."""

WORDS: dict[str, tuple[str, frozenset[str]]] = {
    "names of devices, networks, tenants and users": (
        rf"{fields.NAME}|{fields.PREFIX}|{fields.ACCOUNT}|{fields.VRF}|{fields.PLACE}",
        frozenset({
            "a_device", "access.name", "b_device", "cluster.fabric", "cluster.last",
            "cluster.widest", "edge.name", "filter_name", "instance.vrf", "management.vrf",
            "node.id", "peer.id", "peer_device", "policy_name", "port.edge", "row.cable",
            "port.cable", "stripe.nodes", "switch.name", "tenant.name", "user.name",
        }),
    ),
    "names of ports": (
        rf"{base.PLAIN_PORT}|{fields.LINUX_NAME}",
        frozenset({
            "alias", "cage.whole", "interface", "leaf_alias", "leaf_interface", "nic.rdma",
            "pair.a", "pair.b", "peer_interface", "row.whole",
        }),
    ),
    "addresses and what is made of them": (
        rf"{fields.ADDRESS}|{fields.SERVER}",
        frozenset({
            "address", "anycast_mac", "circuit_digits", "esi", "gateway", "host_prefix",
            "host_route", "loopback", "loopback_prefix", "nic.pci", "overlay.source",
            "peer_address", "prefix", "rd", "remote_digits", "router_id", "server", "system_mac",
            "target", "url", "vrf_rd", "vrf_target", "vtep.source",
        }),
    ),
    "numbers and enumerations that some views have as texts": (
        r"[a-z0-9./-]+",
        frozenset({
            "aaa.protocol", "end.kind", "gpu", "length", "mtu", "number", "plane", "port", "rail",
            "simulation.domains", "speed", "switch.family", "vlan",
        }),
    ),
    "software": (
        rf"{fields.IMAGE}|{fields.RELEASE}|{fields.SHA256}",
        frozenset({"image.file", "image.sha256", "image.url", "image.version"}),
    ),
    "texts of the management": (
        rf"{fields.PLAIN_TEXT}|{fields.DN}|{fields.ZONE}|{fields.SSH_KEY}",
        frozenset({"base_dn", "bind_dn", "contact", "location", "user.key"}),
    ),
    "values of secrets": (
        VALUE.pattern,
        frozenset({
            "aaa.secret", "auth", "hosts_password", "password", "privacy", "user.secret",
        }),
    ),
    "escaped by the drawing, for Mermaid": (r"[^\"'\\\n]*", frozenset({"box.label", "line.label"})),
    "literals of the template itself": (
        r"[A-Za-z0-9_-]*",
        frozenset({
            "class", "list", "name", "own", "policy", "queues", "service", "side", "strict",
        }),
    ),
}  # fmt: skip
"""What a value is -> the pattern that it is written by, and the names by which templates read it.

A name is an attribute of anything, or of what is named before its dot.
"""


def types() -> dict[str, set[str]]:
    """Return the types that each name has in the views."""
    found = defaultdict(set)
    for package in (fabricgen.views, fabricgen.outputs):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for shape in vars(importlib.import_module(module.name)).values():
                if isinstance(shape, type) and shape.__module__ == module.name:
                    for name in template_names(shape):
                        found[name].add(_type(shape, name))
    return found


def _type(shape: type, name: str) -> str:
    for part in shape.__mro__:
        annotations = inspect.get_annotations(part)
        if name in annotations:
            return str(annotations[name])
        if name in vars(part):
            member = getattr(vars(part)[name], "fget", vars(part)[name])
            return str(getattr(member, "__annotations__", {}).get("return"))
    return ""


def unfiltered() -> Iterator[tuple[str, str]]:
    """Yield the place and the name of each value between quotes that passes no filter."""
    for path in sorted((ROOT / "templates").rglob("*.j2")):
        if path.read_text(encoding="utf-8").startswith(ESCAPED):
            continue
        for value in quoted(path):
            for name in sources(value.expression):
                yield f"{path.relative_to(ROOT)}:{value.line}", name


def test_texts_between_quotes_pass_the_filter_of_their_format() -> None:
    """All but numbers and words: texts whose pattern has no quotes, backslashes and line ends."""
    known, words = types(), frozenset[str]().union(*(names for _, names in WORDS.values()))
    used, bad = set(), []
    for place, name in unfiltered():
        owner, _, leaf = name.rpartition(".")
        if {owner, name} & OWN or (known[leaf] and known[leaf] <= NUMERIC):
            continue
        used |= {name, leaf} & words
        if not {name, leaf} & words:
            bad.append((place, name))
    assert bad == []
    assert words - used == set(), "no template writes these without a filter any more"


@pytest.mark.parametrize("kind", WORDS)
def test_words_have_no_syntax(kind: str) -> None:
    """The patterns of what needs no filter."""
    pattern = re.compile(WORDS[kind][0])
    for sign in SYNTAX:
        for text in (sign, f"a{sign}", f"{sign}a", f"a{sign}a", f"1{sign}1"):
            assert not pattern.fullmatch(text), (kind, text)


def test_expressions_between_quotes_are_found() -> None:
    """A filter, a number, a text in a branch, one beside others, and one of a form of `each`."""
    path = ROOT / "templates" / "sonic" / "ports.json.j2"
    assert "row.interface" in {value.expression for value in quoted(path)}
    assert [*sources('a.b | e ~ "x"')] == []
    assert [*sources("a.b | upper")] == ["a.b"]
    assert [*sources('a.b if c.d else "e"')] == ["a.b"]
    assert [*sources('a.b ~ "/" ~ c.d[0]')] == ["a.b", "c.d"]
    assert [*sources("a.get('b', \"'\")")] == ["a.get", '"\'"']
