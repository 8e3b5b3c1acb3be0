"""Packs as they are found, shadowed file by file, and rendered in the sandbox."""

from __future__ import annotations

import re
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fabricgen.core.diagnostics import Finding, Place, Refusal
from fabricgen.core.files import is_file
from fabricgen.core.resources import find_file, find_files, shipped
from fabricgen.core.yaml_text import load_facts
from fabricgen.outputs.packs.limits import Limits
from fabricgen.outputs.packs.pack_yaml import Pack
from fabricgen.outputs.packs.secret_values import SecretValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Template

    from fabricgen.analysis.forwarding.gpu_routes import GpuView
    from fabricgen.outputs.packs.line_origins import MarkedText
    from fabricgen.outputs.packs.loader import Loader
    from fabricgen.outputs.packs.origin_marks import MarkingSandbox
    from fabricgen.outputs.packs.sandbox import Sandbox
    from fabricgen.views.hosts.view import HostView
    from fabricgen.views.switches.view import SwitchView


_LIMITS = Limits()


class Packs:
    """The packs of one run, found in `roots` first and then among the shipped ones."""

    def __init__(self, roots: Sequence[Path] = (), limits: Limits = _LIMITS) -> None:
        """Keep the folders and the limits of their templates, compiled on first use."""
        self._limits = limits
        self.roots, self.home = [Path(root) for root in roots], shipped("templates")
        self._compiled: dict[tuple[str, str], Template] = {}
        self._read: dict[str, Pack | None] = {}
        self._constant: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._included: dict[str, list[str]] = {}
        self.secrets = SecretValues()

    def names(self) -> list[str]:
        """Return the names of the packs, sorted."""
        return sorted(
            {
                path.parent.name
                for root in (*self.roots, self.home)
                for path in root.glob("*/pack.yaml")
            }
        )

    def pack(self, name: str) -> Pack | None:
        """Read a pack; None if no folder has that name.

        Raises Refusal `bad-pack` for a pack.yaml that does not fit.
        """
        if name not in self._read:
            known = re.fullmatch(r"[a-z0-9][a-z0-9-]*", name)
            path = self._find(name, "pack.yaml") if known else None
            self._read[name] = self._parse(path) if path else None
        return self._read[name]

    @staticmethod
    def _parse(path: Path) -> Pack:
        """Read one pack.yaml; every fault is its own finding."""
        try:
            pack = Pack.model_validate(load_facts(path, "bad-pack"))
        except ValidationError as error:
            hint = "compare with a pack that ships with fabricgen"
            raise Refusal(
                Finding("bad-pack", _fact(dict(detail)), place=Place(str(path)), hint=hint)
                for detail in error.errors(include_url=False)
            ) from None
        if pack.name != path.parent.name:  # templates are found by the name
            fact = (
                f"`name` is `{pack.name}`, and the folder of the pack is called"
                f" `{path.parent.name}`"
            )
            raise Refusal(
                [Finding("bad-pack", fact, hint="give both one name", place=Place(str(path)))]
            )
        return pack

    def for_nos(self, nos: str) -> Pack | None:
        """Return the pack that configures a NOS."""
        if not self.roots:  # a shipped pack is called like its NOS, and reading all takes time
            named = self.pack(nos)
            return named if named and named.nos == nos else None
        return next(
            (pack for pack in map(self.pack, self.names()) if pack and pack.nos == nos), None
        )

    def largest_mtu(self, nos: str) -> int | None:
        """Return the largest MTU that a NOS takes; None where its pack states none."""
        pack = self.for_nos(nos)
        limit = pack.limits.get("addressing.mtu") if pack else None
        return limit.most if limit else None

    def group(self, group: str) -> list[Pack]:
        """Return the packs of an artefact group that are no NOS's, by name."""
        return [
            pack
            for pack in map(self.pack, self.names())
            if pack and pack.group == group and pack.nos is None
        ]

    def files(self, pack: str, name: str) -> list[Path]:
        """Return every file of a pack that has this name, a user's own before the shipped one."""
        return [*find_files(self.roots, self.home, pack, name)]

    def _find(self, *parts: str) -> Path | None:
        """Return the file at this path, a user's own before the shipped one; None without one."""
        return find_file(self.roots, self.home, *parts)

    def render(self, pack: str, template: str, **view: Any) -> str:  # noqa: ANN401 - whatever the pack's view is
        """Render one template, which sees the view, and `assumed`, `words` and `terms` of its pack.

        Raises Refusal `bad-template` if it is missing, wrong, or uses what its view does not have,
        and `template-budget` if it is a user's and exceeds a limit.
        """
        seen = self._variables(pack, view)
        try:
            return self._environment.run(partial(self._template(pack, template).render, seen))
        except Refusal:
            raise
        except Exception as error:
            raise self._fault(pack, template, error, seen) from error

    def render_marked(self, pack: str, template: str, **view: Any) -> MarkedText:  # noqa: ANN401 - as above
        """Render one template, and record which template wrote each line. Raises as `render`."""
        from fabricgen.outputs.packs.line_origins import read_marks  # noqa: PLC0415 - few commands trace lines

        seen = self._variables(pack, view)
        name, environment = f"{pack}/{template}", self._marking
        try:
            marked = environment.run(partial(environment.get_template(name).render, seen))
        except Refusal:
            raise
        except Exception as error:
            raise self._fault(pack, template, error, seen) from error
        return read_marks(marked, name)

    def _fault(self, pack: str, template: str, error: Exception, seen: dict[str, Any]) -> Refusal:
        """Return the refusal of a template: whatever it raises is its fault."""
        from fabricgen.outputs.packs.faults import bad_template  # noqa: PLC0415 - planning reads packs without Jinja2
        from fabricgen.outputs.packs.sandbox import GLOBALS  # noqa: PLC0415 - as above

        shown = is_file(self.home / pack / template)
        return Refusal([bad_template(f"{pack}/{template}", error, [*seen, *GLOBALS], shown=shown)])

    def _variables(self, pack: str, view: dict[str, Any]) -> dict[str, Any]:
        """Return what a template sees: the view, and the constants of its pack."""
        device = view.get("switch") or view.get("host") or view.get("gpu")
        return self._constants(pack, device) | view

    def _constants(
        self, name: str, device: SwitchView | HostView | GpuView | str | None
    ) -> dict[str, Any]:
        """Return what templates see of their pack; empty for a folder with templates only.

        A document may have the name of a host, which has neither version nor family.
        """
        family = "ipv4" if device is None or isinstance(device, str) else device.family
        key = name, getattr(device, "nos_version", ""), family
        if key not in self._constant:
            pack = self.pack(name)
            self._constant[key] = (
                {
                    "assumed": pack.assumed,
                    "words": pack.words_of(*key[1:]),
                    "terms": dict(pack.terms),
                }
                if pack
                else {}
            )
        return self._constant[key]

    def prepare(self) -> None:
        """Import the renderer, once for workers that are forked afterwards."""
        _ = self._environment

    def compile(self) -> None:
        """Compile every shipped template, and keep the code for later runs."""
        self._environment.codes.writes = True
        for path in sorted(self.home.rglob("*.j2")):
            self._environment.get_template(path.relative_to(self.home).as_posix())

    def _template(self, pack: str, template: str) -> Template:
        """Compile a template once."""
        key = (pack, template)
        if key not in self._compiled:
            self._compiled[key] = self._environment.get_template(f"{pack}/{template}")
        return self._compiled[key]

    def included_in(self, template: str) -> list[str]:
        """List the templates that a template includes, directly or not, by name, in their order.

        A name that a template computes is not listed.
        """
        from fabricgen.outputs.packs.loader import included  # noqa: PLC0415 - planning reads packs without Jinja2

        if template not in self._included:
            self._included[template] = included(template, self._find)
        return self._included[template]

    @cached_property
    def _marking(self) -> MarkingSandbox:
        """Create the environment of templates whose lines are traced to them."""
        from fabricgen.outputs.packs.loader import Loader  # noqa: PLC0415 - as below
        from fabricgen.outputs.packs.origin_marks import MarkingSandbox  # noqa: PLC0415 - as below

        made = MarkingSandbox(Loader(self._find), self._limits)
        self.secrets.bind(made)
        return made

    @cached_property
    def _environment(self) -> Sandbox:
        """Create the environment of all templates."""
        from fabricgen.outputs.packs.loader import Loader  # noqa: PLC0415 - planning reads packs without Jinja2

        made = self._sandbox(Loader(self._find))
        self.secrets.bind(made)
        return made

    def _sandbox(self, loader: Loader) -> Sandbox:
        """Create the sandbox; that of a user's templates has limits."""
        if not self.roots:
            from fabricgen.outputs.packs.sandbox import Sandbox  # noqa: PLC0415 - as above

            return Sandbox(loader)
        from fabricgen.outputs.packs.bounded import BoundedSandbox  # noqa: PLC0415 - most runs have no templates of a user

        return BoundedSandbox(loader, self._limits)


def _fact(detail: dict[str, Any]) -> str:
    """Return a sentence on what is wrong in a pack.yaml."""
    key, message = (
        ".".join(str(part) for part in detail["loc"]),
        str(detail["msg"]).removeprefix("Value error, "),
    )
    if detail["type"] == "extra_forbidden":
        return f"`{key}` is not a key of a pack.yaml"
    if detail["type"] == "missing":
        return f"`{key}` is missing"
    if detail["type"] == "value_error":
        return message
    return f"`{key}`: {message[:1].lower()}{message[1:]}"
