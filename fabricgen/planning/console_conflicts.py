"""Keys of the network `console` that do not fit serial ports, and console servers elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Finding, Path
from fabricgen.inventory.networks import CONSOLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.catalog.catalog import Catalog
    from fabricgen.inventory.fabric import FabricSpec
    from fabricgen.inventory.sizing import Switches

_KEYS = ("switches", "fill", "leaves", "distribution", "nos")
"""The keys that the network has; all others are about links of Ethernet, or about devices."""


def console_conflicts(spec: FabricSpec, catalog: Catalog) -> Iterator[Finding]:
    """Return the findings of all checks."""
    console = spec.networks.console
    if console:
        fields = type(console).model_fields  # a saved plan has their defaults too
        for key in sorted(console.model_fields_set.difference(_KEYS)):
            if getattr(console, key) == fields[key].default:
                continue
            yield Finding(
                "bad-console",
                f"the network `{CONSOLE}` cannot have `{key}`",
                ("networks", CONSOLE, key),
                ("it has one serial cable to the console port of each switch, and nothing else",),
                f"leave `{key}` out",
            )
        leaf = catalog.switch(spec.switches.leaf.model or "generic")
        if leaf and leaf.passive and len(spec.networks.each()) == 1:
            yield Finding(
                "bad-console",
                f"the network `{CONSOLE}` has no switch with a console port",
                ("networks", CONSOLE),
                (f"a {leaf.model} is a passive panel, and there is no other network of switches",),
                f"leave `{CONSOLE}` out",
            )
    given: list[tuple[Path, Switches]] = [((), spec.switches)]
    given += [(("networks", name), each.switches) for name, each in spec.networks.each().items()]
    for path, switches in given:
        model = catalog.switch(switches.leaf.model or "generic")
        serial = bool(model and model.transport == "serial")
        if model and serial != (path == ("networks", CONSOLE)):
            yield Finding(
                "bad-console",
                f"a {model.model} cannot be a leaf of `{path[-1] if path else 'compute'}`",
                (*path, "switches", "leaf", "model"),
                ("its ports are serial" if serial else "it has no serial ports",),
                "choose a switch" if serial else f"choose a console server: {_servers(catalog)}",
            )


def _servers(catalog: Catalog) -> str:
    """List the console servers of the catalog."""
    models = (model for model in catalog.switches() if model.transport == "serial")
    return ", ".join(f"`{model.model}`" for model in models)
