"""The arguments that commands share: FABRIC or sizing flags, overrides, own catalogs and packs."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from fabricgen.cli.command import SharedOption, SizingOption
from fabricgen.cli.completion import complete_models, complete_set
from fabricgen.cli.output_file import note_inventory
from fabricgen.cli.printing import echo

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from fabricgen.bom.comparison import Comparison
    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.load import Inventory
    from fabricgen.outputs.packs.render import Packs
    from fabricgen.planning.plan import Plan

P = ParamSpec("P")
T = TypeVar("T")

DESIGNS = ("rail-only", "rail-optimized", "fat-tree")
SIZING: dict[str, tuple[str, ...]] = {
    "gpus": ("gpus",),
    "hb_domain": ("hb_domain", "gpus"),
    "radix": ("switches", "leaf", "generic", "radix"),
    "design": ("design",),
    "speed": ("nic", "speed"),
}
"""Sizing flag -> the key that it sets."""

NEEDED: dict[str, tuple[str, ...]] = {
    "gpus": ("gpus",),
    "hb_domain": ("hb_domain", "gpus"),
    "radix": ("switches", "leaf"),
}
"""Sizing flag that a fabric needs -> the key for which `--set` replaces it."""

STANDARD = "fabric.yaml"
"""The inventory that a command reads where neither FABRIC nor a flag of size is given."""

SAID = "fabricgen.standard-said"
"""Key of click's context: a server reads the inventory again for each change."""

ROOT = click.Path(exists=True, file_okay=False, path_type=Path)


@dataclass(frozen=True)
class FabricArguments:
    """The shared arguments of a command."""

    fabric: str | None
    flags: dict[str, Any]
    prices: str | None
    sets: tuple[str, ...]
    catalog_roots: tuple[Path, ...]
    template_roots: tuple[Path, ...] = ()

    @functools.cached_property
    def packs(self) -> Packs:
        """The packs, those of the user's own directories first."""
        from fabricgen.outputs.packs.render import Packs

        return Packs(self.template_roots)

    def read(self) -> tuple[Inventory, Catalog]:
        """Read the inventory and open the catalog.

        Raises Refusal; UsageError without an inventory and sizing flags.
        """
        from fabricgen.catalog.catalog import Catalog
        from fabricgen.inventory.load import Flags, read_inventory

        given = {key: value for key, value in self.flags.items() if value is not None}
        if self.fabric and given:
            raise click.UsageError(
                f"--{next(iter(given)).replace('_', '-')} sizes a fabric without an "
                "inventory; with one, use --set key=value"
            )
        fabric = self.fabric
        if not fabric and (missing := self._missing(given)):
            if given or not Path(STANDARD).exists():
                raise click.UsageError(
                    f"give an inventory file, or size from flags: {' '.join(missing)} missing"
                )
            _say_standard()
            fabric = STANDARD
        flags: dict[tuple[str | int, ...], tuple[str, Any]] = {
            SIZING[key]: (f"--{key.replace('_', '-')} {value}", value)
            for key, value in given.items()
        }
        if self.prices:
            flags["prices",] = (f"--prices {self.prices}", self.prices)
        inventory = read_inventory(fabric, self.sets, Flags(flags))
        home = Path(fabric).parent if fabric and fabric != "-" else None
        read = [Path(fabric).name] if fabric and home else []
        note_inventory([inventory.document.values, *read], home or Path())
        return inventory, Catalog(self.catalog_roots, None if self.prices else home, home)

    def without_fabric(self) -> tuple[FabricArguments, str | None]:
        """Return the arguments of a command whose first word is not FABRIC, and that word.

        Flags size the fabric, or it is read from ./fabric.yaml.
        """
        sized = any(value is not None for value in self.flags.values())
        word = self.fabric
        standard = word is not None and not Path(word).exists() and Path(STANDARD).exists()
        return (replace(self, fabric=None), word) if sized or standard else (self, None)

    def _missing(self, given: Collection[str]) -> list[str]:
        """Return the flags that a fabric without an inventory needs and that are not given."""
        keys = [
            tuple(part.strip() for part in text.partition("=")[0].split(".")) for text in self.sets
        ]

        def is_set(needed: tuple[str, ...]) -> bool:
            """Return whether a key is the needed one, holds it, or is below it."""
            return any(
                all(one == other for one, other in zip(key, needed, strict=False)) for key in keys
            )

        return [
            f"--{flag.replace('_', '-')}"
            for flag, key in NEEDED.items()
            if flag not in given and not is_set(key)
        ]

    def plan(self, only: Collection[str] = ()) -> tuple[Plan, Inventory]:
        """Read and plan; `only` are the named groups to build.

        Raises Refusal with places, also for a saved plan that this version would wire differently.
        """
        from fabricgen.build.load_plan import plan_of

        inventory, catalog = self.read()
        return plan_of(inventory, catalog, self.packs, only), inventory

    def compare(self, *, with_totals: bool = False) -> tuple[Comparison, Inventory]:
        """Plan the inventory in each design, and verify that its own can be built.

        With totals, plan its networks too. Raises Refusal with places.
        """
        from fabricgen.bom.comparison import compare
        from fabricgen.bom.priced_bill import make_bom
        from fabricgen.build.load_plan import plan_of, read_limits
        from fabricgen.build.preconditions import check_buildable

        inventory, catalog = self.read()
        with inventory.locate_findings():
            read_limits(catalog, self.packs)
            whole = with_totals and inventory.spec.has_networks
            plan = plan_of(inventory, catalog, self.packs) if whole else None
            comparison = compare(inventory.spec, catalog, (plan, make_bom(plan)) if plan else None)
            for built, _ in comparison.built:
                if built.fabric.design is inventory.spec.design:
                    check_buildable(built, self.packs)
        return comparison, inventory

    def older(self, source: str) -> FabricArguments:
        """Return the arguments for another plan with the same prices and catalog."""
        return FabricArguments(source, {}, self.prices, (), self.catalog_roots, self.template_roots)

    def grown(self, source: str) -> tuple[Plan, Inventory]:
        """Grow a saved plan to the inventory or, without one, to itself with --set.

        Raises Refusal with places.
        """
        from fabricgen.build.load_plan import read_limits
        from fabricgen.build.preconditions import check_buildable
        from fabricgen.lifecycle.change.expand import grow

        sized = self.fabric or any(value is not None for value in self.flags.values())
        inventory, catalog = (self if sized else replace(self, fabric=source)).read()
        before, _ = self.older(source).plan()
        with inventory.locate_findings():
            read_limits(catalog, self.packs)
            plan = grow(before, inventory.spec, catalog)
            check_buildable(plan, self.packs)
        return plan, inventory


def _say_standard() -> None:
    """Print once that ./fabric.yaml is read."""
    context = click.get_current_context(silent=True)
    if context and not context.meta.get(SAID):
        context.meta[SAID] = True
        echo(f"reading ./{STANDARD}", err=True)


prices_option = click.option(
    "--prices",
    cls=SharedOption,
    metavar="BOOK",
    shell_complete=complete_models("prices", or_file=True),
    help="Price book: a name of the catalog, or a CSV or YAML file.",
)
catalog_option = click.option(
    "--catalog",
    "roots",
    cls=SharedOption,
    type=ROOT,
    multiple=True,
    envvar="FABRICGEN_CATALOG",
    help="Directory of your own catalog files, which shadow the shipped ones.",
)
templates_option = click.option(
    "--templates",
    cls=SharedOption,
    type=ROOT,
    multiple=True,
    envvar="FABRICGEN_TEMPLATES",
    help="Directory of your own packs, which shadow the shipped ones file by file.",
)
json_option = click.option(
    "--json",
    "as_json",
    cls=SharedOption,
    is_flag=True,
    help="Print one JSON document on standard output.",
)


def fabric_arguments(function: Callable[P, T]) -> Callable[..., T]:
    """Add FABRIC and the sizing and shared options to a command, which receives them as `asked`."""

    @click.argument(
        "fabric",
        required=False,
        metavar="[FABRIC]",
        type=click.Path(allow_dash=True),
        help="Inventory, saved plan, or `-` for standard input; default: ./fabric.yaml.",
    )
    @click.option(
        "--gpus", cls=SizingOption, metavar="N", type=click.IntRange(1), help="Number of GPUs."
    )
    @click.option(
        "--hb-domain",
        cls=SizingOption,
        metavar="N",
        type=click.IntRange(1),
        help="GPUs of an HB domain.",
    )
    @click.option(
        "--radix",
        cls=SizingOption,
        metavar="N",
        type=click.IntRange(1),
        help="Number of ports of every switch.",
    )
    @click.option(
        "--design",
        cls=SizingOption,
        type=click.Choice(DESIGNS),
        help="Design of the fabric; default: rail-only.",
    )
    @click.option(
        "--speed", cls=SizingOption, metavar="400G", help="Speed of a NIC port; default: 400G."
    )
    @click.option(
        "--set",
        "sets",
        cls=SharedOption,
        multiple=True,
        metavar="KEY=VALUE",
        shell_complete=complete_set,
        help="Override one key of the inventory, such as rails.count=4; may be repeated.",
    )
    @prices_option
    @catalog_option
    @templates_option
    @functools.wraps(function)
    def wrapped(
        *args: Any,  # noqa: ANN401 - whatever else the command takes
        fabric: str | None,
        sets: tuple[str, ...],
        prices: str | None,
        roots: tuple[Path, ...],
        templates: tuple[Path, ...],
        **rest: Any,  # noqa: ANN401 - as above
    ) -> T:
        flags = {key: rest.pop(key) for key in SIZING}
        asked = FabricArguments(fabric, flags, prices, sets, roots, templates)
        return function(*args, asked=asked, **rest)  # type: ignore[arg-type]  # of this wrapper

    return wrapped
