"""Arguments, printing, progress and exit codes.

Modules of this package import click and the standard library only; what a command needs beyond that is imported when it runs, so that
`fabricgen --help` answers at once. Exit codes: 0 done, 1 findings, 2 usage, 3 a fault of fabricgen itself.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import click

from fabricgen import __version__
from fabricgen.cli.audit import audit
from fabricgen.cli.build import build
from fabricgen.cli.catalog import catalog
from fabricgen.cli.check import check
from fabricgen.cli.diff import diff
from fabricgen.cli.impact import impact
from fabricgen.cli.importing import import_sheet
from fabricgen.cli.init import init
from fabricgen.cli.lab import lab
from fabricgen.cli.model import model
from fabricgen.cli.phases import phases
from fabricgen.cli.placement import placement
from fabricgen.cli.plan import compare, plan
from fabricgen.cli.printing import print_findings
from fabricgen.cli.route import route
from fabricgen.cli.search import search
from fabricgen.cli.serve import serve
from fabricgen.cli.texts import explain, schema
from fabricgen.diagnostics import Refusal

INTERRUPTED, FAULT = 130, 3


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="fabricgen")
def program() -> None:
    """Turn one YAML inventory into a GPU training fabric: sized, wired, priced and configured.

    Every command takes an inventory file (or `-`), or sizes straight from --gpus, --hb-domain and --radix.
    """


for command in (
    init, plan, build, check, compare, search, diff, import_sheet, phases, route, impact, placement, model, audit, lab, serve, catalog, schema, explain,
):  # fmt: skip
    program.add_command(command)


def main() -> NoReturn:
    """Run the program and end with its exit code; a polite kill cleans up as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(run())


def run(arguments: list[str] | None = None) -> int:
    """Run the program with `arguments`, or those of the process, and return its exit code."""
    try:
        outcome = program.main(args=arguments, prog_name="fabricgen", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except Refusal as refusal:
        print_findings(refusal.findings, as_json="--json" in (sys.argv if arguments is None else arguments))
        return 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; nothing was written", err=True)
        return INTERRUPTED
    except SystemExit:  # how click ends on a closed pipe
        return 0
    except BrokenPipeError:  # the reader of our output had enough; whatever Python still holds has nowhere to go
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # noqa: BLE001 - the one place where a fault of ours becomes an exit code
        return _fault()
    return outcome if isinstance(outcome, int) else 0


def _fault() -> int:
    """Print a fault of our own, with what a report of it needs."""
    import traceback

    traceback.print_exc()
    click.echo(f"\nThis is a fault of fabricgen {__version__}, not of your input. Please report it with the lines above.", err=True)
    return FAULT
