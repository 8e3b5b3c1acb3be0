"""`serve`: the report with controls, on this machine only."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from fabricgen.cli.command import Command
from fabricgen.cli.options import SIZING, FabricArguments, fabric_arguments
from fabricgen.cli.printing import echo

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.serve.plan_cache import PlanCache
    from fabricgen.serve.server import Server

PORT = 8765
KEPT_OBJECTS = 100_000
"""As in `fabricgen.cli`, for a process that lives for days: each request leaves 400 objects."""


@click.command(cls=Command, examples=("fabricgen serve fabric.yaml --open",))
@fabric_arguments
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port of the page; 0 selects a free one.",
)
@click.option("--open", "show", is_flag=True, help="Open the page in your browser.")
def serve(asked: FabricArguments, port: int, *, show: bool) -> None:
    """Serve the report with controls for sizes, parts and prices.

    Only this machine can reach the page. The inventory is read again for every change, so the page
    follows the file too. Ctrl-C ends the server.
    """
    gc.set_threshold(KEPT_OBJECTS)
    server = open_server(asked, port)
    with server:
        echo(f"{server.address}  (Ctrl-C ends it)")
        if show:
            import webbrowser

            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            echo("", err=True)


def open_server(asked: FabricArguments, port: int) -> Server:
    """Plan the fabric and listen. Raises Refusal; UsageError where the port is not available."""
    from fabricgen.serve.server import Server

    if asked.fabric == "-":
        raise click.UsageError(
            "the inventory is read again for every change: give a file instead of `-`"
        )
    plans = plan_cache(asked)
    plans.fabric({})
    try:
        return Server(
            plans,
            partial(plan_cache, asked),
            lambda sets, out: _build(replace(asked, sets=(*asked.sets, *sets)), out),
            port,
        )
    except OSError as error:
        raise click.BadParameter(
            f"port {port} is not available: {error.strerror}; `--port 0` selects a free one",
            param_hint="'--port'",
        ) from None


def plan_cache(asked: FabricArguments) -> PlanCache:
    """Return an empty cache for the plans of a fabric."""
    from fabricgen.serve.plan_cache import PlanCache

    return PlanCache(
        lambda sets: replace(asked, sets=(*asked.sets, *sets)).read()[0],
        asked.read()[1],
        asked.packs,
    )


def _build(asked: FabricArguments, file: Path) -> list[str]:
    """Return the command that builds the fabric into an archive."""
    flags = [
        f"--{key.replace('_', '-')}={asked.flags[key]}"
        for key in SIZING
        if asked.flags.get(key) is not None
    ]
    roots = [f"--catalog={root}" for root in asked.catalog_roots] + [
        f"--templates={root}" for root in asked.template_roots
    ]
    prices = [f"--prices={asked.prices}"] if asked.prices else []
    fabric = ["--", asked.fabric] if asked.fabric else []
    return [
        sys.executable,
        "-P",
        "-m",
        "fabricgen.cli.child",
        "build",
        *flags,
        *prices,
        *roots,
        *(f"--set={text}" for text in asked.sets),
        f"--archive={file}",
        *fabric,
    ]
