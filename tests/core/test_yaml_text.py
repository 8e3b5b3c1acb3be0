"""Reading YAML as plain values with a place for each key. Anything else is refused at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.core import yaml_tree
from fabricgen.core.diagnostics import Place, Refusal
from fabricgen.core.yaml_text import (
    MAX_BYTES,
    YamlDocument,
    decode,
    load_facts,
    read_document,
    read_scalar,
    write_yaml,
)

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
# a comment
name: west
hb_domain: {gpus: 8,
            hosts: 1}
switches:
  leaf:
    model: sn5600
  spine: &box
    model: sn5400
  core: *box
list: [1, {a: b}]
empty:
tilde: ~
"""


def read(text: str) -> YamlDocument:
    """Read a text as a file named `t.yaml`."""
    return read_document(text, "x.yaml")


def refused(text: str) -> Any:  # noqa: ANN401 - a tuple that a test unpacks
    """Return code, fact and place of the single finding with which a text is refused."""
    with pytest.raises(Refusal) as caught:
        read(text)
    (finding,) = caught.value.findings
    assert finding.place is not None
    return finding.code, finding.fact, str(finding.place)


# --- places


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        (("name",), (2, 7), (2, 1)),
        (("hb_domain",), (3, 1), (3, 1)),
        (("hb_domain", "gpus"), (3, 19), (3, 13)),
        (("hb_domain", "hosts"), (4, 20), (4, 13)),
        (("switches", "leaf", "model"), (7, 12), (7, 5)),
        (("switches", "core"), (10, 3), (10, 3)),
        (("switches", "core", "model"), (9, 12), (9, 5)),
        (("list",), (11, 1), (11, 1)),
        (("list", 0), (11, 8), (11, 8)),
        (("list", 1, "a"), (11, 15), (11, 12)),
        (("empty",), (12, 1), (12, 1)),
        (("tilde",), (13, 8), (13, 1)),
    ],
)
def test_places(path: tuple[str | int, ...], value: tuple[int, int], key: tuple[int, int]) -> None:
    """A scalar has the place of its value, an alias that of its anchor.

    A collection and an empty value have the place of their key.
    """
    document = read(TEXT)
    assert document.locate(path) == Place("x.yaml", *value)
    assert document.locate_key(path) == Place("x.yaml", *key)


def test_a_missing_key_has_the_place_of_its_nearest_parent() -> None:
    """The path element of a union's branch is not a key and is skipped."""
    document = read(TEXT)
    assert document.locate(("switches", "leaf", "generic")) == document.locate(("switches", "leaf"))
    assert document.locate(("switches", "union", "leaf", "model")) == document.locate(
        ("switches", "leaf", "model")
    )
    assert document.locate(("nowhere",)) == Place("x.yaml", 1, 1)


def test_values_are_plain() -> None:
    """Only builtin types, none of the parser's."""
    values = read(
        TEXT + "day: 2026-09-22\nhex: 0x10\nlong: 1_000\nreal: 1.5\nyes: yes\ntrue: true\n5: five\n"
    ).values
    assert values["switches"]["core"] == {"model": "sn5400"}
    assert values["list"] == [1, {"a": "b"}]
    assert (
        values["day"],
        values["hex"],
        values["long"],
        values["real"],
        values["yes"],
        values["true"],
        values["5"],
    ) == (
        "2026-09-22",
        16,
        1000,
        1.5,
        "yes",
        True,
        "five",
    )
    assert {type(value) for value in values.values()} == {
        str,
        dict,
        list,
        type(None),
        int,
        float,
        bool,
    }
    assert {type(key) for key in values} == {str}


def test_merge_keys() -> None:
    """A mapping's own keys override merged ones, and the first merged mapping the second."""
    document = read("a: &a {p: 1, q: 1}\nb: &b {q: 2, r: 2}\nc:\n  <<: [*a, *b]\n  p: 3\n")
    assert document.values["c"] == {"p": 3, "q": 1, "r": 2}
    assert document.locate(("c", "r")) == Place("x.yaml", 2, 17)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends(newline: str) -> None:
    """LF, CRLF and CR all end a line."""
    document = read(TEXT.replace("\n", newline))
    assert document.values == read(TEXT).values
    assert document.locate(("switches", "leaf", "model")) == Place("x.yaml", 7, 12)


# --- refusals


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\nb:\n\tc: 1\n", "x.yaml:3:1"),
        ("a: {b: 1\nc: 2\n", "x.yaml:2:2"),
        ('a: "b\nc: 2\n', "x.yaml:1:4"),
        ("a: b: c\n", "x.yaml:1:5"),
        ("a: 1\nb 2\nc: 3\n", "x.yaml:2:1"),
        ("a 1\nb: 2\n", "x.yaml:2:2"),
        ("a: @x\n", "x.yaml:1:4"),
        ("a: *b\n", "x.yaml:1:4"),
        ("a: 1\n---\nb: 2\n", "x.yaml:2:1"),
        ("a: !x 1\n", "x.yaml:1:4"),
        ("a: !!binary aGVsbG8=\n", "x.yaml:1:4"),
        ("a: !!set {b, c}\n", "x.yaml:1:4"),
        ("a: !x {b: 1}\n", "x.yaml:1:4"),
        ("a: !!python/object/apply:os.system [ls]\n", "x.yaml:1:4"),
        ("a: &a {b: *a}\n", "x.yaml:1:4"),
        ("a: &a [*a]\n", "x.yaml:1:4"),
        ('a: "\\ud800"\n', "x.yaml:1:4"),
        ("a: 1\nb: \x00\n", "x.yaml:2:4"),
        ("a: 1\n? [b]\n: 2\n", "x.yaml:2:3"),
        ("? {b: 1}\n: 2\n", "x.yaml:1:3"),
        (f"a: {'9' * 5000}\n", "x.yaml:1:4"),
        (f"a: 0o{'7' * 9000}\n", "x.yaml:1:4"),
        (f"a: -0x{'f' * 9000}\n", "x.yaml:1:4"),
        ("%YAML 9.9\n---\na: 1\n", "x.yaml:1:1"),
    ],
)
def test_what_is_no_plain_yaml_is_refused_at_its_place(text: str, place: str) -> None:
    """Syntax errors, tags, anchors and invalid characters give one finding each.

    It is worded for an inventory.
    """
    code, fact, found = refused(text)
    assert (code, found) == ("yaml-syntax", place)
    assert "ruamel" not in fact
    assert "\n" not in fact


@pytest.mark.parametrize(
    "text", ["[" * 3000 + "]" * 3000, "{a: " * 900 + "}" * 900, "- " * 2000 + "a\n"]
)
def test_deep_nesting_is_refused(text: str) -> None:
    """The recursion of the parser cannot exhaust the stack of the program."""
    assert refused(text)[:2] == ("yaml-syntax", "the brackets nest too deeply")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("", "nothing"),
        ("# only this\n", "nothing"),
        ("~\n", "nothing"),
        ("- a\n", "a list"),
        ("5\n", "a single value"),
    ],
)
def test_only_a_mapping_is_an_inventory(text: str, holds: str) -> None:
    """Any other document is refused, and the finding names what it contains."""
    assert refused(text) == (
        "not-a-mapping",
        f"an inventory is a mapping of keys, and x.yaml holds {holds}",
        "x.yaml:1:1",
    )


def test_every_duplicate_key_is_reported() -> None:
    """In every mapping, with both lines; a quoted key is the same key."""
    with pytest.raises(Refusal) as caught:
        read("a: 1\nb: {c: 1, c: 2}\n'a': 2\na: 3\n")
    found = [
        (finding.code, str(finding.place), *finding.because) for finding in caught.value.findings
    ]
    assert found == [
        ("duplicate-key", "x.yaml:3:1", "`a` is already in line 1"),
        ("duplicate-key", "x.yaml:4:1", "`a` is already in line 1"),
        ("duplicate-key", "x.yaml:2:11", "`c` is already in line 2"),
    ]


@pytest.mark.parametrize("item", ["{k: *v}", "[*v, *v]", "{<<: [*v, *v, *v], k: 1}"])
def test_expansion_of_anchors_is_limited(item: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines that expand to millions of values are refused before they take memory or time."""
    assert yaml_tree.MAX_VALUES <= 20_000  # two seconds
    monkeypatch.setattr(yaml_tree, "MAX_VALUES", 2_000)
    lines = ["a0: &a0 {x: 1, y: 2}"]
    for level in range(1, 26):
        lines.append(
            f"a{level}: &a{level} {{l: *a{level - 1}, r: *a{level - 1}}}"
            if item != "{<<: [*v, *v, *v], k: 1}"
            else ""
        )
        if not lines[-1]:
            lines[-1] = f"a{level}: &a{level} {{<<: [*a{level - 1}, *a{level - 1}], k{level}: 1}}"
    code, fact, _ = refused("\n".join(lines))
    assert (code, fact) == ("yaml-too-large", "x.yaml unfolds into more than 2000 values")


# --- bytes


def test_a_byte_order_mark_is_not_counted() -> None:
    """Windows editors write one; columns are counted without it."""
    text = decode(b"\xef\xbb\xbfname: west\n", "x.yaml")
    assert read(text).locate_key(("name",)) == Place("x.yaml", 1, 1)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\xff\xfen\x00", "x.yaml:1:1"),
        (b"a: 1\nb: \xf6\n", "x.yaml:2:4"),
        (b"a: \xc3", "x.yaml:1:4"),
        (b"a: \xed\xa0\x80\n", "x.yaml:1:4"),
    ],
)
def test_what_is_not_utf_8_is_refused(data: bytes, place: str) -> None:
    """UTF-16, Latin-1, a truncated character and an encoded surrogate: each names its byte."""
    with pytest.raises(Refusal) as caught:
        decode(data, "x.yaml")
    (finding,) = caught.value.findings
    assert (finding.code, str(finding.place)) == ("not-text", place)


def test_the_limit_of_size_is_exact() -> None:
    """A text of the largest size is read, and one byte more is refused."""
    assert len(decode(b"#" * MAX_BYTES, "x.yaml")) == MAX_BYTES
    with pytest.raises(Refusal, match="yaml-too-large"):
        decode(b"#" * (MAX_BYTES + 1), "x.yaml")


# --- the rest


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        ("", None),
        (" ", None),
        ("a", "a"),
        ("1:1", "1:1"),
        ("[1, a]", [1, "a"]),
        ("{a: {b: 1}}", {"a": {"b": 1}}),
        ('"4"', "4"),
        ("on", "on"),
    ],
)
def test_a_value_on_the_command_line_is_read_as_in_a_file(text: str, value: object) -> None:
    """`--set key=value` and `key: value` mean the same."""
    assert read_scalar(text) == value


@pytest.mark.parametrize(
    "text", ["[1", "a: b: c", "{a: 1, a: 2}", "!x 1", "*a", "\t- a", "a\n---\nb"]
)
def test_a_value_that_is_not_yaml(text: str) -> None:
    """The reason is one line."""
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        read_scalar(text)


def test_files_of_facts(tmp_path: Path) -> None:
    """A catalog file must be a mapping.

    Otherwise it is refused at its place, with the code that the caller gives.
    """
    path = tmp_path / "box.yaml"
    path.write_text("a: 1\n", encoding="utf-8")
    assert load_facts(path) == {"a": 1}
    for data, code, place in [
        (b"a: [1\nb: 2\n", "bad-catalog-file", f"{path}:2:2"),
        (b"- a\n", "bad-pack", str(path)),
        (b"\xff", "bad-pack", f"{path}:1:1"),
        (b"[" * 3000, "bad-pack", f"{path}:1:101"),
    ]:
        path.write_bytes(data)
        with pytest.raises(Refusal) as caught:
            load_facts(path, code)
        (finding,) = caught.value.findings
        assert (finding.code, str(finding.place)) == (code, place)


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.text(st.characters(codec="ascii", min_codepoint=32), max_size=12)
)
KEYS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6)
TREES = st.dictionaries(
    KEYS,
    st.recursive(
        PLAIN,
        lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3),
        max_leaves=8,
    ),
)


@given(TREES)
def test_what_is_written_is_read_back(values: dict[str, Any]) -> None:
    """`write_yaml` and `read_document` are inverses over plain values with text keys.

    Every path of the result has a place.
    """
    document = read(write_yaml(values) if values else "{}")
    assert document.values == values

    def check(node: object, path: tuple[str | int, ...]) -> None:
        assert path in document.places
        for key, below in (
            node.items()
            if isinstance(node, dict)
            else enumerate(node)
            if isinstance(node, list)
            else ()
        ):
            check(below, (*path, key))

    check(values, ())


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """The parser raises nothing but a refusal."""
    try:
        document = read(text)
    except Refusal as refusal:
        assert refusal.findings  # noqa: PT017 - a value and a refusal are both valid, and nothing else is
    else:
        assert isinstance(document.values, dict)
