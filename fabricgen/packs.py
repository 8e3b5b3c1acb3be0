"""Template packs: what each writes, for each of what, and the sandbox that they run in.

A pack is a folder `templates/<pack>/` with a `pack.yaml` and one template per section. A user's folder shadows the shipped one file by
file. Owns everything that touches Jinja2. It decides no content: views are finished when they arrive here.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from jinja2 import ChoiceLoader, FileSystemLoader, StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from fabricgen.containers import Container, Thing
from fabricgen.diagnostics import Finding, Place, Refusal
from fabricgen.resources import shipped
from fabricgen.source import load_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A cell that starts so is run as a formula by spreadsheets."""

FIELDS: dict[str, tuple[str, ...]] = {
    "switch": ("{switch}",), "host": ("{host}",), "nic": ("{host}", "{interface}"), "gpu": ("{gpu}",),
    "rack": ("{rack}",), "pull-sheet": ("{rack}",), "port-map": ("{switch}",), "subnet": ("{subnet}",), "system": ("{subnet}", "{system}"),
    "drawing": ("{drawing}",),
}  # fmt: skip
"""Fields of the path of a file that is written for each of something, sorted; other files are written once and have none."""

RESERVED = ("manifest.json", "plan.json")
"""What a build writes beside the packs' files."""


class Output(BaseModel):
    """One file that a pack writes: `each` names what it is written for, which is also the view that its template sees."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[str, Field(pattern=r"^[A-Za-z0-9{}._/-]+$")]
    template: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    each: Literal[
        "switch",
        "host",
        "nic",
        "gpu",
        "cables",
        "bom",
        "by-role",
        "by-rack",
        "by-phase",
        "loads",
        "comparison",
        "savings",
        "lab",
        "node",
        "rack",
        "port-map",
        "pull-sheet",
        "pulling",
        "labels",
        "subnet",
        "system",
        "cluster",
        "domains",
        "members",
        "inventory",
        "drawing",
        "simulation",
        "simulated-link",
        "simulated-block",
        "assets",
        "assets-placed",
        "devices",
        "interfaces",
        "straight-cables",
        "pieces",
        "seats",
        "wiring",
        "rail-topology",
    ]
    roles: tuple[Literal["leaf", "spine", "core"], ...] = ("leaf", "spine", "core")
    transport: Literal["ethernet", "infiniband"] | None = None
    """For hosts, NICs and GPUs: written only where the leaves speak this."""
    host_links: Literal["numbered", "unnumbered"] | None = None
    """For hosts, NICs and GPUs: written only where their links are so."""
    most_lines: int | None = None
    """Of a drawing, or of the links of a simulation: written only where there are at most so many."""
    mode: Literal["600", "755"] | None = None
    """Mode of the file, where its reader asks for one: 755 for a script, 600 for what only root may read."""
    reader: str
    """Who reads the file, in one line."""

    @property
    def bits(self) -> int | None:
        """The mode as a number."""
        return int(self.mode, 8) if self.mode else None

    @model_validator(mode="after")
    def _stays_below_out(self) -> Self:
        """Refuse a path that leaves OUT, that is one of the build's own, or that does not tell one switch, host, NIC or GPU from another."""
        if self.path.startswith("/") or ".." in PurePosixPath(self.path).parts:
            raise ValueError(f"`{self.path}` leaves the output directory; write a path below OUT")
        if self.path in RESERVED:
            raise ValueError(f"`{self.path}` is written by every build; choose another name")
        fields = re.findall(r"[{][^{}]*[}]", self.path)
        wanted = FIELDS.get(self.each, ())
        if tuple(sorted(set(fields))) != wanted or self.path.count("{") != len(fields):
            named = " and ".join(f"`{field}`" for field in wanted)
            told = f"a file for each {self.each} names it by {named}" if wanted else "a file that is written once has no fields in its path"
            raise ValueError(f"`{self.path}`: {told}")
        return self


class Pack(BaseModel):
    """The contents of a pack.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    nos: str | None = None
    """The NOS that the pack configures; absent for documents."""
    nos_versions: tuple[str, ...] = ()
    group: Literal["cabling", "room", "bom", "configs", "hosts", "graph", "lab", "cluster", "drawings", "simulators", "dcim"]
    verified: str
    """By what the syntax was verified, or why it could not be."""
    needs: tuple[str, ...] = ()
    """Facts that the switch model must have in the catalog, like `sonic.lanes`."""
    limits: dict[str, int] = {}
    """The most that the NOS takes of a number of the inventory, like `addressing.mtu`."""
    assumed: dict[str, str | int | float | dict[str, str]] = {}
    """What its files must state and no plan knows, such as a latency; its templates see it."""
    outputs: tuple[Output, ...]
    containers: dict[Thing, Container] = {}
    """How its switches run in a lab, or, of a pack of group `lab`, GPUs and HB domains."""


class Packs:
    """The packs of one run, found in `roots` first and then in what ships with the program."""

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        """Keep the folders; templates are compiled when they are first rendered."""
        self._roots = [*(Path(root) for root in roots), shipped("templates")]
        self._compiled: dict[tuple[str, str], Template] = {}
        self._read: dict[Path, Pack] = {}

    def names(self) -> list[str]:
        """List the packs, sorted."""
        return sorted({path.parent.name for root in self._roots for path in root.glob("*/pack.yaml")})

    def pack(self, name: str) -> Pack | None:
        """Read a pack; None where no folder has that name. Raises Refusal `bad-pack` for a pack.yaml that does not fit."""
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            return None
        path = next((found for root in self._roots if (found := root / name / "pack.yaml").is_file()), None)
        if path is not None and path not in self._read:
            self._read[path] = self._parse(path)
        return self._read[path] if path else None

    @staticmethod
    def _parse(path: Path) -> Pack:
        """Read one pack.yaml; every fault is its own finding."""
        try:
            return Pack.model_validate(load_facts(path, "bad-pack"))
        except ValidationError as error:
            hint = "compare with a pack that ships with fabricgen"
            raise Refusal(Finding("bad-pack", _fault(dict(detail)), place=Place(str(path)), hint=hint) for detail in error.errors(include_url=False)) from None

    def for_nos(self, nos: str) -> Pack | None:
        """Find the pack that configures a NOS."""
        return next((pack for pack in map(self.pack, self.names()) if pack and pack.nos == nos), None)

    def group(self, group: str) -> list[Pack]:
        """Return the packs of an artefact group that are no NOS's, by name."""
        return [pack for pack in map(self.pack, self.names()) if pack and pack.group == group and pack.nos is None]

    def files(self, pack: str, name: str) -> list[Path]:
        """Return every file of a pack that has this name, a user's own before the shipped one."""
        return [path for root in self._roots if (path := root / pack / name).is_file()]

    def render(self, pack: str, template: str, **view: Any) -> str:  # noqa: ANN401 - whatever the pack's view is
        """Render one template. Raises Refusal `bad-template` where it is missing, wrong, or asks for what its view does not have."""
        try:
            return self._template(pack, template).render(**view)
        except Refusal:
            raise
        except Exception as error:  # a template is a stranger's program, and whatever it raises is its fault
            line = f":{number}" if (number := getattr(error, "lineno", None)) else ""
            hint = "compare with the template of the same name that ships with fabricgen"
            said = getattr(error, "message", None) or str(error) or type(error).__name__
            raise Refusal([Finding("bad-template", f"{pack}/{template}{line}: {said}", hint=hint)]) from error

    def _template(self, pack: str, template: str) -> Template:
        """Compile a template once."""
        key = (pack, template)
        if key not in self._compiled:
            self._compiled[key] = self._environment.get_template(f"{pack}/{template}")
        return self._compiled[key]

    @cached_property
    def _environment(self) -> _Sandbox:
        """Make the sandbox; an undefined name is an error, so that a typing mistake cannot become an empty line of a config."""
        environment = _Sandbox(
            loader=ChoiceLoader([FileSystemLoader(root) for root in self._roots]),
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,  # a run reads a template once; looking again costs more than an include
        )
        environment.filters |= {"csv": csv_cell, "rows": csv_rows, "json": json_text, "quoted": quoted}
        return environment


def _fault(detail: dict[str, Any]) -> str:
    """Say what of a pack.yaml does not fit."""
    key, said = ".".join(str(part) for part in detail["loc"]), str(detail["msg"]).removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        return f"`{key}` is not a key of a pack.yaml"
    if detail["type"] == "missing":
        return f"`{key}` is missing"
    return said if detail["type"] == "value_error" else f"`{key}`: {said[:1].lower()}{said[1:]}"


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, with its attribute check remembered: views are read millions of times and always by the same few names."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the options are those of Jinja
        super().__init__(**options)
        self._safe: set[tuple[type, str]] = set()

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - the signature is that of Jinja
        """Ask the sandbox once for each name of a class of ours or of Jinja: it judges those by class and name alone."""
        if (type(obj), attribute) in self._safe:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401 - the signature is that of Jinja
        """Remember what the sandbox allows of views and loops; what Python itself brings is asked for again."""
        safe = super().is_safe_attribute(obj, attr, value)
        if safe and type(obj).__module__.startswith(("fabricgen.", "jinja2.")):
            self._safe.add((type(obj), attr))
        return safe


def csv_cell(value: object) -> str:
    """Write one cell of a CSV: quoted where it must be, and never a formula.

    >>> print(csv_cell("=1+1"), csv_cell("2 m, blue"))
    '=1+1 "2 m, blue"
    """
    text = "" if value is None else str(value)
    if text.startswith(FORMULA_STARTS) and not _is_number(text):
        text = f"'{text}"
    if any(sign in text for sign in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_rows(rows: Iterable[tuple[object, ...]]) -> str:
    """Write rows of a CSV that have one length, without the last line's end: each cell as `csv_cell` does it, only faster where none needs it.

    >>> print(csv_rows([("a", 1), ("=b", "c,d")]))
    a,1
    '=b,"c,d"
    """
    cells = [*rows]
    form = ",".join(["%s"] * len(cells[0])) if cells else ""
    lines = [form % row for row in cells]
    text = "\n".join(lines)
    if _is_plain(text, form.count(",") * len(cells), len(cells) - 1):
        return text
    return "\n".join(line if _is_plain(line, len(row) - 1, 0) else ",".join(map(csv_cell, row)) for line, row in zip(lines, cells, strict=True))


def _is_plain(text: str, commas: int, breaks: int) -> bool:
    """Say whether a text holds so many commas and line breaks, and nothing that might have to be quoted or begin a formula."""
    counted = text.count(",") == commas and text.count("\n") == breaks
    return counted and not text.startswith("-") and not any(sign in text for sign in UNSAFE)


UNSAFE = ("=", "+", "@", '"', "\t", "\r", ",-", "\n-")
"""What might have to be quoted, or begin a formula; the usual names hold none of it."""


def _is_number(text: str) -> bool:
    """Say whether a cell is a plain number, which may be negative."""
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def json_text(value: object) -> str:
    """Write a value as JSON; the template puts no quotes around it."""
    return json.dumps(value, ensure_ascii=False)


def quoted(value: object) -> str:
    """Write a double-quoted string for DOT, with its quotes and backslashes escaped."""
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{text}"'
