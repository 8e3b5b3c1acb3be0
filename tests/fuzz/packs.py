"""Untrusted templates: expressions that access Python, and endless loops.

Owns the campaign `packs`. While a template runs, an audit hook of Python monitors it: nothing may
be run, opened or imported.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.fuzz.documents import PACK, SMALL
from tests.fuzz.program import Case, execute, faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TARGETS = (
    ("mine/x.j2", "graph"),
    ("frr/frr.conf.j2", "configs"),
    ("nccl/nccl.conf.j2", "hosts"),
    ("slurm/tree.conf.j2", "cluster"),
)
"""Templates that are replaced, and the group of files that they write."""

NAMES = (
    "switch",
    "switch.roce",
    "switch.facts",
    "switch.ports",
    "switch.ports[0]",
    "switch.instances[0]",
    "switch.timers",
    "words",
    "host",
    "host.nics",
    "host.nics[0]",
    "nic",
    "cluster",
    "cluster.stripes",
    "assumed",
    "chunk",
    "chunk.rows",
    "chunk.rows[0]",
    "chunk.sheet",
    "chunk.sheet.labelling",
    "chunk.columns",
    "chunk.table()",
    "chunk.labels()",
    "range",
    "dict",
    "lipsum",
    "cycler",
    "joiner",
    "namespace",
    "self",
    "loop",
    "caller",
    "varargs",
    "''",
    "'abc'",
    "[]",
    "{}",
    "()",
    "1",
    "none",
    "chunk.table",
    "chunk.select",
    "nothing",
    "csv",
    "super",
)
ATTRIBUTES = (
    "__class__",
    "__mro__",
    "__subclasses__()",
    "__init__",
    "__globals__",
    "__builtins__",
    "__dict__",
    "__reduce__()",
    "__getattribute__('x')",
    "__func__",
    "__self__",
    "__wrapped__",
    "gi_frame",
    "gi_code",
    "f_globals",
    "cr_frame",
    "mro()",
    "format('{0.__class__}')",
    "format_map({})",
    "encode()",
    "join([1])",
    "pop()",
    "append(1)",
    "model_fields",
    "parse_raw('x', proto='pickle', allow_pickle=True)",
    "parse_file('/etc/passwd')",
    "model_validate_json('{}')",
    "model_construct()",
    "copy()",
    "items()",
    "keys()",
    "get('x')",
    "rows",
    "name",
    "cable",
    "sheet",
    "joins",
    "labelling",
    "open('x')",
    "read_text()",
    "environment",
    "_environment",
    "blocks",
)
FILTERS = (
    "attr('__class__')",
    "map(attribute='__class__')",
    "map('attr', '__class__')",
    "list",
    "first",
    "last",
    "csv",
    "rows",
    "json",
    "quoted",
    "string",
    "length",
    "join(',')",
    "tojson",
    "pprint",
    "xmlattr",
    "format(1)",
    "replace('a', 'b')",
    "center(9999999999)",
    "indent(9999999999)",
    "batch(9999999999, 1)",
    "groupby('__class__')",
    "select('callable')",
    "sort",
    "sum",
    "random",
    "urlize",
    "wordwrap(1)",
    "truncate(3)",
    "default('x')",
    "dictsort",
    "int",
    "float",
    "forceescape",
    "striptags",
)


@st.composite
def expressions(draw: st.DrawFn) -> str:
    """Draw an expression."""
    text = draw(st.sampled_from(NAMES))
    for _ in range(draw(st.integers(0, 4))):
        kind, attribute = draw(st.integers(0, 4)), draw(st.sampled_from(ATTRIBUTES))
        text = (
            f"{text}.{attribute}",
            f"({text}|{draw(st.sampled_from(FILTERS))})",
            f"{text}['{attribute.partition('(')[0]}']",
            f"({text} {draw(st.sampled_from('*+~%/'))} {draw(st.sampled_from(NAMES))})",
            f"{text}()",
        )[kind]
    return text


STATEMENTS = (
    "{{% include 'mine/leak.j2' %}}{{{{ {0} }}}}",
    "{{{{ {0} }}}}",
    "{{% for x in {0} %}}{{{{ x }}}}{{{{ {1} }}}}{{% endfor %}}",
    "{{% set y = {0} %}}{{{{ y.{2} }}}}",
    "{{% if {0} %}}a{{% else %}}b{{% endif %}}",
    "{{% macro m(a) %}}{{{{ {0} }}}}{{{{ m(a) }}}}{{% endmacro %}}{{{{ m({1}) }}}}",
    "{{% include '../../f.yaml' %}}",
    "{{% include {0} %}}",
    "{{% import '/etc/passwd' as p %}}{{{{ {0} }}}}",
    "{{% extends {0} %}}",
    "{{% with z = {0} %}}{{{{ z }}}}{{% endwith %}}",
    (
        "{{% set ns = namespace(v='a') %}}{{% for i in range(9999) %}}{{% set ns.v = ns.v ~ "
        "ns.v %}}{{% endfor %}}{{{{ {0} }}}}"
    ),
    (
        "{{% for i in range(99999) %}}{{% for j in range(99999) %}}{{% endfor %}}{{% endfor "
        "%}}{{{{ {0} }}}}"
    ),
    "{{{{ 'a' * 9999999999 }}}}{{{{ {0} }}}}",
    "{{{{ 9 ** 9 ** 9 }}}}{{{{ {0} }}}}",
    "{{% include 'mine/x.j2' %}}{{{{ {0} }}}}",
    "{{{{ '%0999999999d' % 1 }}}}{{{{ {0} }}}}",
)


@st.composite
def templates(draw: st.DrawFn) -> Case:
    """Draw a build with one untrusted template. Expensive templates are drawn seldom."""
    few = STATEMENTS if draw(st.integers(0, 19)) == 0 else STATEMENTS[:11]
    parts = draw(st.lists(st.sampled_from(few), min_size=1, max_size=2))
    text = "".join(
        part.format(draw(expressions()), draw(expressions()), draw(st.sampled_from(ATTRIBUTES)))
        for part in parts
    )
    path, group = draw(st.sampled_from(TARGETS))
    files = {
        "f.yaml": f"{SMALL}nos: frr\n",
        "own/mine/pack.yaml": PACK,
        "own/mine/x.j2": "x",
        f"own/{path}": text,
    }
    return Case(("build", "f.yaml", "-o", "out", "--only", group, "--templates", "own"), files)


OUTSIDE = "what lies outside of the pack"
"""The content of a file that a link in the pack leads to."""

FORBIDDEN = (
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "subprocess.Popen",
    "pickle.find_class",
    "socket.connect",
)
seen: list[str] = []
"""Events of the audit hook since it was last emptied."""


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Record events that no template may cause."""
    if event in FORBIDDEN or (event == "open" and "/etc/passwd" in str(arguments[0])):
        seen.append(f"{event} {arguments!r:.80}")


def search_packs(case: Case, home: Path) -> Iterator[tuple[Case, str]]:
    """Render one template."""
    if not _watched:
        sys.addaudithook(watch)
        _watched.append(True)
    seen.clear()
    leak = home / "own" / "mine" / "leak.j2"
    leak.parent.mkdir(parents=True)
    (home / "secret").write_text(OUTSIDE, encoding="utf-8")
    leak.symlink_to("../../secret")
    ended = execute(case, home)
    if any(
        OUTSIDE in path.read_text(encoding="utf-8")
        for path in (home / "out").rglob("*")
        if path.is_file()
    ):
        yield case, "the template read a file outside of its pack"
    yield from ((case, f"the template caused {event}") for event in seen)
    yield from ((case, fault) for fault in faults(case, ended))


_watched: list[bool] = []
