"""Arguments, printing, progress and exit codes.

Modules of this package import click and the standard library only. A command imports the rest when
it runs, so that `fabricgen --help` is fast. Exit codes: 0 done, 1 it ran and found something, 2 it
could not run, 3 a fault of fabricgen itself.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import sys
import warnings
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import NoReturn

import click

from fabricgen import __version__
from fabricgen.cli.command import CommandGroup
from fabricgen.cli.printing import echo, print_document, print_findings
from fabricgen.cli.streams import (
    WRITTEN,
    check_streams,
    drop_output,
    escape_unencodable,
    system_refusal,
)
from fabricgen.core.diagnostics import Finding, Refusal
from fabricgen.core.interrupts import raise_on_signals

REFUSED, FAULT, INTERRUPTED = 2, 3, 130

WINDOWS = (
    "fabricgen runs on Linux and macOS. On Windows, install it in WSL: "
    "https://learn.microsoft.com/windows/wsl/install"
)
"""What it prints on Windows, which lacks the signals, the locks and the links that it needs."""

SECTIONS = {
    "Plan": ("init", "plan", "compare", "cost", "search", "model", "phases", "serve", "explain"),
    "Build": ("build", "verify", "catalog", "schema"),
    "Verify": ("check", "route", "impact", "placement", "circuits", "lab"),
    "Operate": ("audit", "diff", "import"),
}
"""Heading in the help -> the commands below it."""

MODULES = {"import": "import_", "schema": "explain"}
"""Command -> its module in this package, where that has another name."""

FUNCTIONS = {"import": "import_sheet"}
"""Command -> its function, where that has another name."""

ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "PYDANTIC_DISABLE_PLUGINS": "__all__"}
"""Environment variables that libraries read on import, unless the user sets them.

numpy starts no threads for linear algebra, which is hardly used; starting them takes more CPU than
planning. pydantic does not search other packages for plugins.
"""

PLUGIN_SEARCH = "pydantic.plugin._loader"
"""The module in which pydantic searches for plugins."""

KEPT_OBJECTS = 10_000_000
"""Number of new objects before Python collects unreachable cycles.

Reference counts free nearly everything: the cycles of a whole build hold 6,000 objects. Each
collection reads every new object, and all of them took a tenth of a small build.
"""


class _Commands(CommandGroup):
    """The commands; each is imported when it is run or described."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; `help X` is `X --help`. Raises UsageError for an empty value."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        ours = _own(args)
        if ours[:2] != ["lab", "exec"]:  # its arguments are a command of the user
            _refuse_empty(ours)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None where there is none of that name."""
        del ctx
        if cmd_name not in self.commands:
            return None
        module = import_module(f"{__name__}.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, FUNCTIONS.get(cmd_name, cmd_name))
        return command


def _refuse_empty(words: list[str]) -> None:
    """Refuse an empty value, which a script passes for an unset variable.

    As a path it would be the working directory.
    """
    for before, word in pairwise(("", *words)):
        option = word[:-1] if word.startswith("--") and word.endswith("=") else before
        if not word or option != before:
            raise click.UsageError(
                f"{option} is given an empty value"
                if option.startswith("-")
                else "an argument is empty"
            )


@click.group(
    cls=_Commands,
    commands={name: click.Command(name) for names in SECTIONS.values() for name in names},
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="fabricgen")
def program() -> None:
    """Turn one YAML inventory into a GPU training fabric: sized, wired, priced and configured.

    Commands read an inventory (FABRIC), or size a fabric from --gpus, --hb-domain and --radix.
    `fabricgen COMMAND --help` describes a command, `fabricgen explain TERM` a term or a message.
    """


def main() -> NoReturn:
    """Run the program and end with its exit code; SIGTERM is handled like Ctrl-C."""
    if sys.platform == "win32":
        echo(WINDOWS, err=True)
        _end(REFUSED)
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    omit_plugin_search()
    gc.set_threshold(KEPT_OBJECTS)
    warnings.simplefilter("ignore")  # warnings of libraries do not concern the user
    raise_on_signals()
    escape_unencodable()
    _end(run())


class _NoPlugins(ModuleType):
    """The module that searches for plugins, which finds none and imports nothing for it."""

    @staticmethod
    def get_plugins() -> tuple[()]:
        """Return no plugins."""
        return ()

    def __getattr__(self, name: str) -> object:
        """Return anything else from the module itself, which replaces this one."""
        if name.startswith("__"):  # what the import system asks of every module
            raise AttributeError(name)
        del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def omit_plugin_search() -> None:
    """Replace pydantic's search for plugins, unless the user set which ones to load.

    Its module imports `importlib.metadata` with email, zipfile and socket before it reads that
    there is nothing to search for: a twentieth of `plan`.
    """
    if os.environ["PYDANTIC_DISABLE_PLUGINS"] == ENVIRONMENT["PYDANTIC_DISABLE_PLUGINS"]:
        sys.modules.setdefault(PLUGIN_SEARCH, _NoPlugins(PLUGIN_SEARCH))


def _end(code: int) -> NoReturn:
    """End the process without freeing its objects one by one, which takes as long as to plan."""
    atexit._run_exitfuncs()  # noqa: SLF001 - libraries registered functions that `os._exit` skips
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # one that was closed
            stream.flush()
    os._exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run the program with `arguments`, or those of the process, and return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in _own(words)
    WRITTEN.clear()
    try:
        return _run(words, as_json=as_json)
    except BrokenPipeError:  # the reader closed the pipe
        drop_output(sys.stdout)
        return 0
    except OSError as error:
        try:
            print_findings(system_refusal(error).findings, as_json=as_json)
        except OSError:  # standard error or standard output is full as well
            drop_output(sys.stderr)
        return REFUSED


def _own(arguments: list[str]) -> list[str]:
    """Return the arguments without the command of a user behind `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _run(arguments: list[str], *, as_json: bool) -> int:
    """Run the program and return its exit code. Raises OSError for what the system refuses."""
    try:
        check_streams()
        outcome = program.main(args=arguments, prog_name="fabricgen", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        echo(shown.getvalue(), nl=False, err=True)
        if as_json:
            print_document({}, [Finding("usage", error.format_message())])
        return REFUSED
    except Refusal as refusal:
        print_findings(refusal.findings, as_json=as_json, more=refusal.more)
        return REFUSED
    except (click.Abort, KeyboardInterrupt):
        echo("interrupted", err=True)
        return INTERRUPTED
    except SystemExit:  # how click ends on a closed pipe
        return 0
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - the one place where a fault of ours becomes an exit code
        return _fault(as_json=as_json)
    return outcome if isinstance(outcome, int) else 0


def _fault(*, as_json: bool) -> int:
    """Print an internal error with what a report needs."""
    import traceback

    traceback.print_exc()
    echo(
        (
            f"\nThis is a fault of fabricgen {__version__}, not of your input. Please report it "
            "with the lines above."
        ),
        err=True,
    )
    if as_json:
        last = traceback.format_exc().splitlines()[-1]
        print_document({}, [Finding("fault", f"fabricgen {__version__} failed: {last}")])
    return FAULT
