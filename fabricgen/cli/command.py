"""The help of commands: own options first, then the shared ones, then examples.

Commands of a group are listed under the headings of its sections.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OWN, SIZING, SHARED = "Options", "Without an inventory", "Shared options"
"""Headings of the options in a help text, in their order."""


class SizingOption(click.Option):
    """An option that sizes a fabric without an inventory."""

    heading = SIZING


class SharedOption(click.Option):
    """An option that many commands have, with the same meaning in each."""

    heading = SHARED


class Command(click.Command):
    """A command with options under headings, and examples: each is one line of a shell."""

    def __init__(
        self,
        *names: Any,  # noqa: ANN401 - whatever click.Command takes
        examples: Sequence[str] = (),
        **settings: Any,  # noqa: ANN401 - as above
    ) -> None:
        """Keep the examples."""
        super().__init__(*names, **settings)
        self.examples = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; a mistyped option has the nearest one as its hint, alone."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            nearest = (error.possibilities or [])[:1]
            raise click.NoSuchOption(
                error.option_name, possibilities=nearest, ctx=error.ctx
            ) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        sections: dict[str, list[tuple[str, str]]] = {OWN: [], SIZING: [], SHARED: []}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                is_help = option is self.get_help_option(ctx)
                sections[SHARED if is_help else getattr(option, "heading", OWN)].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, each on its line however long it is."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class CommandGroup(click.Group):
    """A group whose commands are listed under the headings of its sections."""

    command_class = Command

    def __init__(
        self,
        *names: Any,  # noqa: ANN401 - whatever click.Group takes
        sections: Mapping[str, Sequence[str]] | None = None,
        **settings: Any,  # noqa: ANN401 - as above
    ) -> None:
        """Keep the commands of each section, by heading."""
        super().__init__(*names, **settings)
        self.sections = sections

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of commands for each section."""
        sections = self.sections or {"Commands": self.list_commands(ctx)}
        width = max(len(name) for names in sections.values() for name in names)
        for heading, names in sections.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (name.ljust(width), command.get_short_help_str(formatter.width))
                        for name, command in commands
                        if command
                    ]
                )
