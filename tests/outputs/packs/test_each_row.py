"""The filters of rows that are alike: `each` and `runs` write what a loop with tests would."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from jinja2 import UndefinedError

from fabricgen.outputs.packs.bounded import BoundedSandbox
from fabricgen.outputs.packs.limits import Limits
from fabricgen.outputs.packs.line_origins import read_marks
from fabricgen.outputs.packs.origin_marks import MarkingSandbox
from fabricgen.outputs.packs.sandbox import Sandbox


class Port(NamedTuple):
    """A row."""

    name: str
    speed: int
    address: str
    facts: dict[str, str]


PORTS = [
    Port("p1", 400, "10.0.0.1", {"lanes": "1,2"}),
    Port("p2", 400, "10.0.0.2", {"lanes": "3,4"}),
    Port("p3", 800, "", {"lanes": "5"}),
    Port("p4", 400, "10.0.0.3", {"lanes": "6"}),
]
TEXTS = {
    '{% filter each(ports, ",") %}\n"{name}": {"at": "{name}|0%"}\n{% endfilter %}\n.': (
        '"p1": {"at": "p1|0%"},\n"p2": {"at": "p2|0%"},\n"p3": {"at": "p3|0%"},\n'
        '"p4": {"at": "p4|0%"}\n.'
    ),
    "{% filter each(ports) %}\n{name} {speed} {facts.lanes} 5% {}\n{% endfilter %}\n.": (
        "p1 400 1,2 5% {}\np2 400 3,4 5% {}\np3 800 5 5% {}\np4 400 6 5% {}\n."
    ),
    '{% filter each(ports[:2], ",", ";") %}\n100%\n{% endfilter %}\n.': "100%,\n100%;\n.",
    '{% filter each([], ",", ";") %}\n{name}\n{% endfilter %}\n.': ".",
    "{{ '{name}' | each(ports | selectattr('address'), ',', ';') }}.": "p1,p2,p4;.",
    "{% for run in ports | runs('speed') %}{{ run | length }}{{ run[0].name }} {% endfor %}": (
        "2p1 1p3 1p4 "
    ),
    "{% for run in ports | runs('address?', 'speed?') %}{{ run | length }}{% endfor %}": "211",
    "{% for run in ports[:2] | runs('address?') %}{{ run | length }}{% endfor %}": "2",
    "{% for run in [] | runs('address?') %}{{ run | length }}{% endfor %}.": ".",
}
FAULTS = {
    "{% filter each(ports) %}{nome}{% endfilter %}": "has no attribute 'nome'",
    "{% filter each(ports) %}{count}{% endfilter %}": "`count` of a `Port` is not for templates",
    "{% filter each(ports) %}{facts.fec}{% endfilter %}": "`fec` is missing in a row",
    "{{ ports | runs('nome?') }}": "has no attribute 'nome'",
}


@pytest.mark.parametrize("sandbox", [Sandbox(), BoundedSandbox(None, Limits())], ids=type)
@pytest.mark.parametrize("source", TEXTS)
def test_a_text_is_written_for_each_row(source: str, sandbox: Sandbox) -> None:
    """Once for each row and with its attributes, in a user's templates too."""
    assert sandbox.from_string(source).render(ports=PORTS) == TEXTS[source]


@pytest.mark.parametrize("source", FAULTS)
def test_an_attribute_that_a_row_lacks_is_an_error(source: str) -> None:
    """The error is that of a template that reads it."""
    with pytest.raises(UndefinedError, match=FAULTS[source]):
        Sandbox().from_string(source).render(ports=PORTS)


def test_the_lines_are_those_of_the_filter() -> None:
    """The origin of each line is the line of the filter, not the one before."""
    source = "a\n{% filter each(ports[:2]) %}\n{name}\n{% endfilter %}\nb\n"
    marked = MarkingSandbox(None, Limits()).from_string(source).render(ports=PORTS)
    lines = read_marks(marked, "t").lines
    assert [(line.text, line.number) for line in lines] == [
        ("a\n", 1),
        ("p1\n", 2),
        ("p2\n", 2),
        ("b\n", 5),
    ]
