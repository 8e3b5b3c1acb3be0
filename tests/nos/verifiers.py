"""What verifies the files of each NOS: vendors' models and parsers, saved files, or a grammar.

Each finds what its tool finds, and what the record of the pack gets wrong: a statement that the
tool does not know must be recorded, and no other may be.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING

from tests.nos import eos_avd, frr, junos_yang, sonic_yang, srlinux_yang
from tests.nos.eos import lines_of
from tests.nos.junos import words_of
from tests.nos.nvue_saved import settings_of
from tests.nos.switch_files import verification

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from tests.nos.nvue import Command
    from tests.nos.switch_files import SwitchFiles


class Verifiers:
    """The tools of all systems; each is looked for when it is needed."""

    def __init__(self, tool: Callable[[str], str], oracles: Path, folder: Path) -> None:
        """Take the finder of programs, the vendors' models, and a folder to write to."""
        self._tool, self._oracles, self._folder = tool, oracles, folder

    def complaints(self, found: Sequence[SwitchFiles]) -> list[str]:
        """List the errors in the files of switches that run one NOS."""
        verify = getattr(self, f"_{found[0].switch.nos}")
        return [*verify(found)]

    def _sonic(self, found: Sequence[SwitchFiles]) -> Iterator[str]:
        databases = [json.loads(one.files["config_db.json"]) for one in found]
        done = sonic_yang.validate(
            self._tool("yanglint"), self._oracles / "sonic-yang", self._folder, *databases
        )
        yield from [done.stderr] if done.returncode else []
        yield from self._frr(found)

    def _frr(self, found: Sequence[SwitchFiles]) -> Iterator[str]:
        for one in found:
            done = frr.validate(self._tool("vtysh"), one.files["frr.conf"], self._folder)
            yield from filter(None, [done.stdout, done.stderr])

    def _srlinux(self, found: Sequence[SwitchFiles]) -> Iterator[str]:
        configs = [one.files["config.json"] for one in found]
        done = srlinux_yang.validate(
            self._tool("yanglint"), self._srlinux_models, self._folder, *configs
        )
        yield from srlinux_yang.complaints(done)

    def _junos(self, found: Sequence[SwitchFiles]) -> Iterator[str]:
        converted, home = [], self._junos_models
        for one in found:
            text = one.files["junos.set"]
            xml, unknown = junos_yang.to_xml(text, home)
            converted.append(xml)
            yield from _misrecorded("junos", "junos.set", words_of(text), unknown)
        yield from junos_yang.validate(self._tool("yanglint"), home, converted, self._folder)

    def _nvue(self, found: Sequence[SwitchFiles]) -> Iterator[str]:
        for one in found:
            written = settings_of(one.files["startup.yaml"])
            yield from _misrecorded("nvue", "startup.yaml", written, written - self._nvue_saved)

    def _eos(self, found: Sequence[SwitchFiles]) -> Iterator[str]:
        for one in found:
            facts = eos_avd.facts_of(one.switch, one.secrets)
            if refused := eos_avd.complaints(facts):
                yield from refused
                continue
            ours = {*lines_of(one.files["startup-config.cfg"])}
            yield from (" / ".join(line) for line in ours ^ {*lines_of(eos_avd.rendered(facts))})
            bgp = facts["router_bgp"]
            keys = lines_of(bgp.get("eos_cli", ""))
            bare = [
                *lines_of(facts["eos_cli"]),
                *((f"router bgp {bgp['as']}", *line) for line in keys),
            ]
            written = [" ".join(line).split() for line in ours]
            unknown = [" ".join(line).split() for line in ours if line in bare]
            yield from _misrecorded("eos", "startup-config.cfg", written, unknown)

    @cached_property
    def _junos_models(self) -> Path:
        return junos_yang.prepare(self._oracles / "junos-yang", self._folder)

    @cached_property
    def _srlinux_models(self) -> Path:
        return srlinux_yang.prepare(self._oracles / "srlinux-yang", self._folder)

    @cached_property
    def _nvue_saved(self) -> set[Command]:
        files = (self._oracles / "nvue").glob("*/*.yaml")
        return {
            setting for file in files for setting in settings_of(file.read_text(encoding="utf-8"))
        }


def _misrecorded(
    nos: str,
    file: str,
    written: Iterable[Sequence[str]],
    unknown: Iterable[Sequence[str]],
) -> Iterator[str]:
    """Find statements that the tool does not know and the pack does not record, or the reverse."""
    record, left = verification(nos, file), {*map(tuple, unknown)}
    for statement in {*map(tuple, written)}:
        if (statement in left) != bool(record.document(statement)):
            verb = "is not recorded" if statement in left else "is recorded, and the tool knows it"
            yield f"{' '.join(statement)} {verb}"
