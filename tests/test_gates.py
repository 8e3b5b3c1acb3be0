"""Gates that no linter has: templates, reasons of exceptions, and the lock.

A template lays out what is already decided. It may loop, test and join. It may not count, sort or
keep a value:

- no `+ - * / // % **` (join with `~`), and no filter that computes, sorts or selects;
- no filter and no test that the sandbox does not list;
- `set` only renames or joins: a constant, a field, a list of them, `~`, `or`; an `if` there needs
  a reason in `LAYOUT`;
- no number in the files of switches but those with a reason in `NUMBERS`: protocol settings come
  from the plan, and constants of a NOS are in its `pack.yaml`;
- fewer than 40 lines: a longer one is two sections.
"""

from __future__ import annotations

import re
import tokenize
import tomllib
from typing import TYPE_CHECKING

import pytest
from jinja2 import Environment, nodes

from fabricgen.outputs.packs.render import Packs
from fabricgen.outputs.packs.sandbox import FILTERS, OWN_FILTERS, TESTS
from fabricgen.outputs.packs.secret_values import RESOLVED_TEST, SECRET_FILTER
from tests import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATES = sorted((ROOT / "templates").rglob("*.j2"))
SOURCES = sorted(path for name in ("fabricgen", "tests") for path in (ROOT / name).rglob("*.py"))
ARITHMETIC = (
    nodes.Add,
    nodes.Sub,
    nodes.Mul,
    nodes.Div,
    nodes.FloorDiv,
    nodes.Mod,
    nodes.Pow,
    nodes.Neg,
)
COMPUTING = frozenset(
    {
        "int",
        "length",
        "count",
        "max",
        "min",
        "reject",
        "rejectattr",
        "select",
        "selectattr",
        "sort",
        "unique",
    }
)
ALLOWED = {
    nodes.Filter: {*FILTERS, *OWN_FILTERS, SECRET_FILTER},
    nodes.Test: {*TESTS, RESOLVED_TEST},
}
RENAMES = (
    nodes.Const,
    nodes.Name,
    nodes.Getattr,
    nodes.List,
    nodes.Tuple,
    nodes.Concat,
    nodes.Or,
)
LAYOUT = {
    "nxos/nxos.cfg.j2": "lines of a VRF are indented further",
    "junos/junos.set.j2": "statements of a routing instance begin with its name",
}
"""Templates whose `set` may have an `if`, and why."""
NUMBERS = {
    "": {
        "0": "none, off or the first",
        "1": "one, on or the second",
        "8": "traffic classes and priorities of IEEE 802.1Q",
        "10": "the number of the first rule of a filter",
        "20": "the number of the second rule",
        "30": "the number of the third rule",
        "32": "the length of a prefix that is one address",
        "127.0.0.1": "the switch itself",
        "0.0.0.0": "every destination",  # noqa: S104 - the text of a route
        "8.4": "the oldest FRR that reads the file",
    },
    "frr/daemons.j2": {"90000000": "the socket buffer of FRR's own file"},
    "frr/roce.sh.j2": {
        **dict.fromkeys(("2", "3", "12"), "bands and handles of tc"),
        "7": "a comment",
    },
    "frr/chrony.conf.j2": {"3": "the first corrections of the clock, of chrony's own file"},
    "frr/management.j2": {"127.0.0.1/8": "the switch itself"},
    "frr/rsyslog.conf.j2": {"514": "the port of syslog"},
    "frr/snmpd.conf.j2": {"161": "the port of SNMP"},
    "frr/start.sh.j2": {"90": "a file's name"},
    "frr/users.sh.j2": dict.fromkeys(("2", "3", "4", "6", "440", "700"), "parameters and modes"),
    "nvue/logins.j2": {"2": "the order of authentication"},
    "nvue/logins.yaml.j2": {"2": "the order of authentication"},
    "nxos/logins.j2": {"5": "the type of a hash"},
    "mlnxos/logins.j2": {"7": "the type of a hash"},
    "junos/access.j2": {"802": "the standard of bonds, which the statement is named after"},
    "junos/bonds.j2": {"802": "the standard of bonds, which the statement is named after"},
    "junos/edge.j2": {"255": "the TTL of a packet from a direct neighbour (RFC 5082)"},
    "junos/group.j2": {"255": "the TTL of a packet from a direct neighbour (RFC 5082)"},
    "nxos/queues.j2": dict.fromkeys("234567", "names of queues, which are fixed"),
    "nvue/cumulus-ztp.j2": {"2": "the log", "5": "tries of a download", "600": "a mode"},
    "sonic/files.sh.j2": {"5": "tries of a download", "077": "a mask of modes"},
    "sonic/ztp.json.j2": dict.fromkeys(("00", "01", "02", "03"), "the order of sections"),
    "sonic/frr.sh.j2": {"5": "tries of a download"},
    "sonic/image.sh.j2": {"5": "tries of a download", "1": "a failure"},
    "eos/bootstrap_image.j2": dict.fromkeys(("1", "2", "5"), "parameters, and tries of a download"),
    "nvos/ztp.json.j2": {"01": "the order of sections"},
    "eos/push_load.yml.j2": {"00": "a part of a time"},
    "frr/push_compare.yml.j2": {"0640": "a mode"},
    "frr/push_load.yml.j2": {"0644": "a mode", "077": "a mask of modes"},
    "nvos/push_compare.yml.j2": {"0600": "a mode"},
    "nvos/push_load.yml.j2": {"0600": "a mode", "077": "a mask of modes"},
    "nvue/push_compare.yml.j2": {"0600": "a mode"},
    "nvue/push_load.yml.j2": {"0600": "a mode", "077": "a mask of modes"},
    "sonic/push_compare.yml.j2": {"0600": "a mode"},
    "sonic/push_load.yml.j2": {"0600": "a mode", "0640": "a mode", "60": "seconds of a minute"},
    "sonic/push_rollback.yml.j2": {"0640": "a mode"},
    "srlinux/push_load.yml.j2": {"60": "seconds of a minute"},
    "sonic/start.sh.j2": {"300": "tries before a container is given up"},
}
"""Numbers that templates of switches and of hosts' BGP may have, in all or in one, and why."""
LONGEST = 40


def faults_of(source: str, name: str = "") -> list[str]:
    """List everything in a template that the plan or the views must decide."""
    tree = Environment(autoescape=True).parse(source)
    faults = [
        (node.lineno, f"arithmetic: {type(node).__name__}") for node in tree.find_all(ARITHMETIC)
    ]
    faults += [
        (node.lineno, f"the filter `{node.name}` decides something")
        for node in tree.find_all(nodes.Filter)
        if node.name in COMPUTING
    ]
    faults += [
        (node.lineno, f"no template may use `{node.name}`")
        for kind, names in ALLOWED.items()
        for node in tree.find_all(kind)
        if node.name not in names
    ]
    assigned = [node.node for node in tree.find_all(nodes.Assign)]
    faults += [
        (node.lineno, "`set` computes")
        for node in assigned
        if not all(
            isinstance(part, RENAMES) or (name in LAYOUT and isinstance(part, nodes.CondExpr))
            for part in (node, *node.find_all(nodes.Expr))
        )
    ]
    faults += [(node.lineno, "`set` keeps a block") for node in tree.find_all(nodes.AssignBlock)]
    if (lines := len(source.splitlines())) >= LONGEST:
        faults.append((lines, f"{lines} lines; a template has fewer than {LONGEST}"))
    return [f"line {line}: {fault}" for line, fault in sorted(faults)]


def numbers_of(source: str, name: str) -> list[str]:
    """List the numbers in a template that no entry of `NUMBERS` has."""
    allowed = {*NUMBERS[""], *NUMBERS.get(name, {})}
    parts = Environment(autoescape=True).parse(source).find_all((nodes.TemplateData, nodes.Const))
    return [
        f"line {part.lineno}: {number}"
        for part in parts
        for number in re.findall(r"(?<![\w.$#-])\d+(?:\.\d+)*(?!\w)", _text_of(part))
        if number not in allowed
    ]


def _text_of(part: nodes.Literal) -> str:
    return part.data if isinstance(part, nodes.TemplateData) else str(part.as_const())


def test_documents_name_targets_of_make() -> None:
    """Every `make NAME` of the README and of CONTRIBUTING is a target.

    Both name those of the tests.
    """
    targets = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        named = set(re.findall(r"(?:^    |`)make ([a-z-]+)", text, re.MULTILINE))
        assert {"test", "test-all", "fuzz"} <= named <= targets, name


def test_templates_are_found() -> None:
    """The collector below finds templates."""
    assert TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_decides_nothing(template: Path) -> None:
    """Every shipped template parses, is short and leaves decisions to the plan."""
    name = template.relative_to(ROOT / "templates").as_posix()
    assert faults_of(template.read_text(encoding="utf-8"), name) == []


def test_a_template_of_a_switch_has_no_number_of_its_own() -> None:
    """Each number comes from the plan or from pack.yaml, or has a reason; each reason is used."""
    packs = Packs()
    own = {name for name in packs.names() if (pack := packs.pack(name)) and pack.nos} | {"host-frr"}
    texts = {
        path.relative_to(ROOT / "templates").as_posix(): path.read_text(encoding="utf-8")
        for path in TEMPLATES
        if path.parent.name in own
    }
    assert len(own) == 10
    assert {name: found for name, text in texts.items() if (found := numbers_of(text, name))} == {}
    assert {*NUMBERS, *LAYOUT} <= {"", *texts}


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("{{ port.index + 1 }}", "line 1: arithmetic: Add"),
        ("{% for x in xs %}\n{{ loop.index0 % 2 }}\n{% endfor %}", "line 2: arithmetic: Mod"),
        ("{{ ports | sort }}", "line 1: the filter `sort` decides something"),
        ("{% set total = ports | length %}", "line 1: the filter `length` decides something"),
        ("{{ ports | groupby('rail') }}", "line 1: no template may use `groupby`"),
        ("{% if f is callable %}{% endif %}", "line 1: no template may use `callable`"),
        ("{% set name = f(a) %}", "line 1: `set` computes"),
        ("{% set name = 'a' if b else 'c' %}", "line 1: `set` computes"),
        ("{% set on = speed == '200G' %}", "line 1: `set` computes"),
        ("{% set name %}x{% endset %}", "line 1: `set` keeps a block"),
        ("\n" * 40, "line 40: 40 lines; a template has fewer than 40"),
    ],
)
def test_the_gate_finds_a_decision(source: str, fault: str) -> None:
    """Each rule of the template gate finds its violation."""
    assert fault in faults_of(source)


def test_the_gate_finds_a_number() -> None:
    """In a text and in an expression, but not in a name."""
    source = "bfd interval 300\n{% if port == 7 %}c-8q-nq3 et-0 {{ x.y2 }}{% endif %} seq 10"
    assert numbers_of(source, "x") == ["line 1: 300", "line 2: 7"]


def test_the_gate_accepts_layout() -> None:
    """Loops, tests and joins are accepted."""
    assert (
        faults_of(
            "{% for p in ports if p.peer %}{{ p.name ~ '-' ~ p.peer }}"
            "{{ p.lanes | join(',') }}{% endfor %}"
        )
        == []
    )
    assert faults_of("{% set columns = ['cable', 'rail'] %}{% set title = 'RAIL' ~ rail %}") == []


def test_a_pack_declares_the_facts_that_it_reads() -> None:
    """Each name that a template, bonds or a container take of `facts` is in a pack.yaml."""
    packs = Packs()
    shipped = [pack for each in packs.names() if (pack := packs.pack(each))]
    declared = {name for pack in shipped for name in pack.facts}
    needed = {name for pack in shipped for name in pack.bonds.needs}
    switches = (pack.containers.get("switch") for pack in shipped)
    needed |= {each.type_fact for each in switches if each and each.type_fact}
    texts = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    read = re.findall(r"facts\.(?!get\b)(\w+)|facts\.get\(\"(\w+)\"|\"(\w+)\" in \w+\.facts", texts)
    assert {name for names in read for name in names if name} | needed == declared


def test_every_exception_in_the_settings_has_a_reason() -> None:
    """Each ruff code that is switched off is on a line with a comment in words."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lint = tomllib.loads(text)["tool"]["ruff"]["lint"]
    codes = [
        *lint["ignore"],
        *(code for codes in lint["per-file-ignores"].values() for code in codes),
    ]
    bare = [code for code in codes if not re.search(rf'"{code}",?\s+# \w+ \w+', text)]
    assert codes
    assert bare == []


def test_every_exception_in_the_code_has_a_reason() -> None:
    """`noqa: CODE - reason` and `type: ignore[code]  # reason`, never the bare form."""
    assert len(SOURCES) > 5
    assert [fault for path in SOURCES for fault in unreasoned(path)] == []


def unreasoned(path: Path) -> list[str]:
    """List the lines of a source whose exception has no reason."""
    if not re.search(rb"noqa|type: ?ignore", path.read_bytes()):
        return []
    with path.open("rb") as file:
        comments = [
            token for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT
        ]
    reason = re.compile(
        r"noqa: [A-Z]+\d+(, ?[A-Z]+\d+)* - [\w.]+,? \w+|type: ignore\[[a-z-]+(, "
        r"?[a-z-]+)*\]\s+# \w+ \w+"
    )
    marked = [token for token in comments if re.match(r"#\s*(noqa|type: ?ignore)", token.string)]
    return [
        f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string}"
        for token in marked
        if not reason.search(token.string)
    ]


def test_the_lock_pins_and_hashes_everything() -> None:
    """Every requirement has a version and a hash.

    The lock has all that the project requires, and names no machine.
    """
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    blocks = [block for block in re.split(r"\n(?=[a-z0-9])", text) if not block.startswith("#")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {
        re.split(r"[<>=\[ ]", name)[0].lower().replace(".", "-")
        for name in project["dependencies"] + project["optional-dependencies"]["dev"]
    }
    locked = {block.partition("==")[0] for block in blocks}
    assert wanted <= locked
    assert [
        block.splitlines()[0]
        for block in blocks
        if not re.search(r"^[a-z0-9-]+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", block)
    ] == []
    assert not re.search(r"://|^-|@ ", text, re.MULTILINE)
