"""The help: commands in sections, options under headings, and examples that run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click
import pytest

from fabricgen.cli import SECTIONS, program, run
from fabricgen.cli.command import OWN, SHARED, SIZING, Command
from fabricgen.core.yaml_text import write_yaml
from tests.catalog.test_importers import DEVICE_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARSED_ONLY = {"serve", "lab"}
"""Commands that run until they are stopped, or that boot a lab."""


def commands_of(group: click.Group, *words: str) -> Iterator[tuple[tuple[str, ...], Command]]:
    """Yield every command below a group, with its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands_of(command, *words, name)
        else:
            assert isinstance(command, Command)
            yield (*words, name), command


COMMANDS = dict(commands_of(program))
each_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def help_of(*words: str) -> str:
    """Return the help of a command in a terminal of 80 columns."""
    context = click.Context(
        program, info_name="fabricgen", terminal_width=80, **program.context_settings
    )
    command: click.Command = program
    for word in words:
        assert isinstance(command, click.Group)
        command = command.get_command(context, word) or command
        context = click.Context(command, context, word, terminal_width=80)
    return command.get_help(context)


def test_every_command_is_in_one_section() -> None:
    """The help lists each command once, under a heading, on one line of a terminal."""
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted({words[0] for words in COMMANDS})
    lines = help_of().splitlines()
    at = [lines.index(f"{heading}:") for heading in SECTIONS]
    assert at == sorted(at)
    for name in listed:
        (line,) = [line for line in lines[at[0] :] if line.startswith(f"  {name} ")]
        assert line.endswith(".")
        assert not line.endswith("...")


@each_command
def test_a_command_describes_all_its_arguments(words: tuple[str, ...]) -> None:
    """Each argument is in the usage line and described, and so is each option."""
    command = COMMANDS[words]
    usage = help_of(*words).partition("\n\n")[0]
    context = click.Context(command)
    for parameter in command.params:
        record = parameter.get_help_record(context)
        assert record
        assert record[1], parameter.name
        if isinstance(parameter, click.Argument):
            assert parameter.make_metavar(context) in usage


@each_command
def test_own_options_come_before_the_shared_ones(words: tuple[str, ...]) -> None:
    """The headings have one order, and the options of FABRIC are never under the first one."""
    lines = help_of(*words).splitlines()
    at = {name: lines.index(f"{name}:") for name in (OWN, SIZING, SHARED) if f"{name}:" in lines}
    assert list(at) == sorted(at, key=at.__getitem__)
    for option, heading in (("--gpus", SIZING), ("--set", SHARED), ("--json", SHARED)):
        if heading == SIZING and words[0] == "init":
            continue
        if words == ("catalog", "import"):
            continue
        found = [number for number, line in enumerate(lines) if line.startswith(f"  {option} ")]
        assert all(number > at[heading] for number in found)


@each_command
def test_an_example_is_one_of_its_command(words: tuple[str, ...]) -> None:
    """Each command has an example, which it parses."""
    command = COMMANDS[words]
    assert command.examples
    for example in command.examples:
        called = shlex.split(example.partition(" > ")[0])
        assert called[: len(words) + 1] == ["fabricgen", *words]
        assert example in help_of(*words)
        with click.Context(program) as parent:
            command.make_context(
                words[-1], called[len(words) + 1 :], parent, resilient_parsing=True
            )


def test_the_examples_run_in_the_order_of_the_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are one session: `init` writes the inventory that the others read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "device-type.yaml").write_text(write_yaml(DEVICE_TYPE), encoding="utf-8")
    (tmp_path / "dead.txt").write_text("link:r3-h00002\n", encoding="utf-8")
    (tmp_path / "photonic.yaml").write_text(
        "{name: photonic, gpus: 128, hb_domain: {gpus: 8}, rails: {medium: ocs},"
        " switches: {leaf: {model: s320}}}",
        encoding="utf-8",
    )
    (tmp_path / "neighbors").mkdir()
    (tmp_path / "neighbors" / "walked.csv").write_text(
        "device,interface,neighbour,its interface\n"
        "leaf-1,Ethernet0,host-01,enp24s0np0\nleaf-1,Ethernet4,host-01,enp64s0np0\n"
        "leaf-1,Ethernet8,host-01,enp79s0np0\nleaf-1,Ethernet12,host-01,enp94s0np0\n",
        encoding="utf-8",
    )
    for name in (name for names in SECTIONS.values() for name in names):
        for words, command in COMMANDS.items():
            if words[0] == name and name not in PARSED_ONLY:
                for example in command.examples:
                    assert run(shlex.split(example.partition(" > ")[0])[1:]) == 0, example
