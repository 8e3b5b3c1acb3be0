"""The catalog: finding and reading the file of a model.

A user's directory shadows the shipped one file by file, and a file is read when its model is first
requested. Owns the generic parts too, which have only a size and a speed, and the findings of a bad
file. It selects nothing: `planning.resolve` chooses breakouts, `planning.cabling` modules and `bom`
the price book. `models` define the content of files, `core.yaml_text` reads YAML.

A directory of files has the folders `switches`, `hosts`, `accelerators`, `libraries`, `nics`,
`transceivers`, `cables`, `connectors`, `cassettes`, `panels`, `trunks`, `devices`, `power-cords`,
`prices`, `references` and `workloads`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fabricgen.catalog.models.optics import Cable, LaneMap, Transceiver
from fabricgen.catalog.models.prices import PriceBook
from fabricgen.catalog.models.switch import Breakout, Switch
from fabricgen.catalog.parse import Shape, bad_file, parse
from fabricgen.core.diagnostics import Refusal
from fabricgen.core.files import is_file
from fabricgen.core.resources import find_file, shipped
from fabricgen.core.terms import speed_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabricgen.catalog.models.base import Sourced, Top
    from fabricgen.catalog.models.device import Device, PowerCord
    from fabricgen.catalog.models.host import Accelerator, Host, Nic
    from fabricgen.catalog.models.library import Library
    from fabricgen.catalog.models.patch import Cassette, Connector, PatchPanel, Trunk
    from fabricgen.catalog.models.reference import Reference
    from fabricgen.catalog.models.workload import Workload

_BESIDE = ("prices", "references", "workloads")
"""Kinds that ship beside the catalog, because they are not products."""

YAML, CSV = (".yaml", ".yml"), ".csv"
"""How the names of a user's files end."""

_UNCHANGED_LANES = tuple(LaneMap.model_construct(cage=many, fibre=many) for many in (1, 2, 4, 8))
"""The lanes of a generic module of a speed without a file."""

MODEL = re.compile(r"[a-z0-9][a-z0-9.-]*")
"""The name of a catalog file without `.yaml`."""


def _no_limit(_nos: str) -> int | None:
    """Return no limit: without packs none is known."""
    return None


class Catalog:
    """The models that a fabric may use, read on first use and cached."""

    def __init__(
        self, roots: Sequence[Path] = (), base: Path | None = None, home: Path | None = None
    ) -> None:
        """Search `roots` in their order, then the shipped files.

        The path of a price book is relative to `base`, that of another file that the inventory
        names to `home`, which defaults to `base`.
        """
        self._base = base or Path()
        self._home = home or self._base
        self._roots = tuple(Path(root) for root in roots)
        self._inventories = shipped("inventories")
        self._found: dict[tuple[str, str], object] = {}
        self._lists: dict[str, object] = {}
        self.nos_mtu: Callable[[str], int | None] = _no_limit
        """The largest MTU that a NOS takes, where packs were read, which state it."""

    def switch(self, model: str) -> Switch | None:
        """Return a switch; None where no file has that name."""
        return self._find("switches", model, Switch)

    def host(self, model: str) -> Host | None:
        """Return a host; None where no file has that name."""
        from fabricgen.catalog.models.host import Host

        return self._find("hosts", model, Host)

    def nic(self, model: str) -> Nic | None:
        """Return a NIC; None where no file has that name."""
        from fabricgen.catalog.models.host import Nic

        return self._find("nics", model, Nic)

    def transceiver(self, model: str) -> Transceiver | None:
        """Return a transceiver; None where no file has that name."""
        return self._find("transceivers", model, Transceiver)

    def cable(self, model: str) -> Cable | None:
        """Return a cable; None where no file has that name."""
        return self._find("cables", model, Cable)

    def connector(self, model: str) -> Connector | None:
        """Return a fibre connector; None where no file has that name."""
        from fabricgen.catalog.models.patch import Connector

        return self._find("connectors", model, Connector)

    def connectors(self) -> tuple[Connector, ...]:
        """Return every fibre connector, sorted by model."""
        from fabricgen.catalog.models.patch import Connector

        return self._all("connectors", Connector)

    def cassette(self, model: str) -> Cassette | None:
        """Return a cassette; None where no file has that name."""
        from fabricgen.catalog.models.patch import Cassette

        return self._find("cassettes", model, Cassette)

    def panel(self, model: str) -> PatchPanel | None:
        """Return a patch panel; None where no file has that name."""
        from fabricgen.catalog.models.patch import PatchPanel

        return self._find("panels", model, PatchPanel)

    def trunk(self, model: str) -> Trunk | None:
        """Return a trunk; None where no file has that name."""
        from fabricgen.catalog.models.patch import Trunk

        return self._find("trunks", model, Trunk)

    def trunks(self) -> tuple[Trunk, ...]:
        """Return every trunk, sorted by model."""
        from fabricgen.catalog.models.patch import Trunk

        return self._all("trunks", Trunk)

    def device(self, model: str | None) -> Device | None:
        """Return a device beside hosts and switches; None without a model that a file has."""
        from fabricgen.catalog.models.device import Device

        return self._find("devices", model, Device) if model else None

    def devices(self) -> tuple[Device, ...]:
        """Return every device beside hosts and switches, sorted by model."""
        from fabricgen.catalog.models.device import Device

        return self._all("devices", Device)

    def power_cord(self, inlet: str | None) -> PowerCord:
        """Return the cord for an inlet, or the generic one where no file has the inlet."""
        from fabricgen.catalog.models.device import PowerCord

        fitting = (cord for cord in self.power_cords() if inlet and cord.inlet == inlet)
        return next(fitting, None) or self._own("power-cords", "power-cord", PowerCord)

    def power_cords(self) -> tuple[PowerCord, ...]:
        """Return every power cord, sorted by model."""
        from fabricgen.catalog.models.device import PowerCord

        return self._all("power-cords", PowerCord)

    def accelerator(self, model: str) -> Accelerator | None:
        """Return an accelerator; None where no file has that name."""
        from fabricgen.catalog.models.host import Accelerator

        return self._find("accelerators", model, Accelerator)

    def library(self, name: str) -> Library | None:
        """Return a collective communication library; None where no file has that name."""
        from fabricgen.catalog.models.library import Library

        return self._find("libraries", name, Library)

    def workload(self, name: str) -> Workload | None:
        """Return a language model by its name, or by the path of a user's file (.yaml)."""
        from fabricgen.catalog.models.workload import Workload

        if name.endswith(YAML):
            path = Path(name)
            return parse(path, Workload) if is_file(path) else None
        return self._find("workloads", name, Workload)

    def reference(self, name: str) -> Reference | None:
        """Return a published design; None where no file has that name."""
        from fabricgen.catalog.models.reference import Reference

        return self._find("references", name, Reference)

    def references(self) -> tuple[Reference, ...]:
        """Return every published design, sorted by name."""
        from fabricgen.catalog.models.reference import Reference

        return self._all("references", Reference)

    def price_book(self, name: str) -> PriceBook | None:
        """Return a price book by its name, or by the path of a user's file (.yaml or .csv)."""
        if name.endswith((*YAML, CSV)):
            path = self._base / name
            if not is_file(path):
                return None
            from fabricgen.catalog.price_csv import read_price_csv

            return read_price_csv(path) if name.endswith(CSV) else parse(path, PriceBook)
        return self._find("prices", name, PriceBook)

    def read(self, path: Path, shape: type[Shape]) -> Shape:
        """Parse a file of facts at any path as this model. Raises Refusal `bad-catalog-file`."""
        return parse(path, shape)

    def relative_path(self, name: str) -> Path:
        """Return the path of a file that the inventory names."""
        return self._home / name

    def switches(self) -> tuple[Switch, ...]:
        """Return every switch, sorted by model."""
        return self._all("switches", Switch)

    def hosts(self) -> tuple[Host, ...]:
        """Return every host, sorted by model."""
        from fabricgen.catalog.models.host import Host

        return self._all("hosts", Host)

    def nics(self) -> tuple[Nic, ...]:
        """Return every NIC, sorted by model."""
        from fabricgen.catalog.models.host import Nic

        return self._all("nics", Nic)

    def transceivers(self) -> tuple[Transceiver, ...]:
        """Return every transceiver, sorted by model."""
        return self._all("transceivers", Transceiver)

    def fitting_transceivers(self, form_factor: str, top: Top, transport: str) -> list[Transceiver]:
        """Return the transceivers that fit a cage and carry a transport, sorted by model."""
        return [
            module
            for module in self.transceivers()
            if module.fits(form_factor, top) and transport in module.transports
        ]

    def cables(self) -> tuple[Cable, ...]:
        """Return every cable, sorted by model."""
        return self._all("cables", Cable)

    def names(self, kind: str) -> list[str]:
        """List the models of a kind, a key of `kinds.KINDS` or `references`, sorted."""
        stems = {path.stem for folder in self._folders(kind) for path in folder.glob("*.yaml")}
        return sorted(stem for stem in stems if MODEL.fullmatch(stem))

    def directory(self, kind: str, model: str) -> int:
        """Return the index of the directory with a model's file.

        The user's directories count from 0 in their order; the shipped one is last.
        """
        folders = self._folders(kind)
        return next(
            (
                number
                for number, folder in enumerate(folders[:-1])
                if (folder / f"{model}.yaml").is_file()
            ),
            len(folders) - 1,
        )

    def find(self, kind: str, name: str) -> Sourced | None:
        """Return a model of any kind, a key of `kinds.KINDS`; None where no file has that name."""
        from fabricgen.catalog.kinds import KINDS

        return self._find(kind, name, KINDS[kind])

    def generic(self, radix: int, speed_gbps: int) -> Switch:
        """Return a generic switch with this radix and speed.

        >>> Catalog().generic(64, 400).model
        'generic-64x400G'
        """
        box = self._own("switches", "generic", Switch)
        speed = speed_text(speed_gbps)
        mode = Breakout.model_construct(name=f"1x{speed}", count=1, speed_gbps=speed_gbps, lanes=1)
        power_w = (
            None
            if box.power_w_per_400g is None
            else radix * box.power_w_per_400g * speed_gbps / 400
        )
        made = {
            "model": f"generic-{radix}x{speed}",
            "cages": radix,
            "breakouts": (mode,),
            "typical_w": power_w,
        }
        return box.model_copy(update=made)

    def generic_transceiver(self, speed_gbps: int, ports: int = 1) -> Transceiver:
        """Return a generic module with this many link ends of a speed.

        A speed without a file scales the facts of the 400G one.

        >>> Catalog().generic_transceiver(50).model
        'generic-50g'
        >>> Catalog().generic_transceiver(200, 4).model
        'generic-4x200g'
        """
        known = self.transceiver(f"generic-{speed_gbps}g")
        if known and ports == 1:
            return known
        base = self._own("transceivers", "generic-400g", Transceiver)
        power_w = None if base.power_w is None else base.power_w * ports * speed_gbps / 400
        times, ends = (
            (f"{ports}x", f"{ports} {speed_text(speed_gbps)} link ends")
            if ports > 1
            else ("", f"one {speed_text(speed_gbps)} link end")
        )
        made = {
            "model": f"generic-{times}{speed_gbps}g",
            "ports": ports,
            "lanes": known.lanes if known else _UNCHANGED_LANES,
            "port_gbps": speed_gbps,
            "power_w": power_w,
        }
        return base.model_copy(update={**made, "description": f"a transceiver of {ends}"})

    def generic_cable(self) -> Cable:
        """Return the cable of unknown type."""
        return self._own("cables", "generic-fibre", Cable)

    def _folders(self, kind: str) -> list[Path]:
        return [*(root / kind for root in self._roots), self._shipped(kind) / kind]

    def _shipped(self, kind: str) -> Path:
        """Return the shipped directory with the folder of a kind."""
        return self._inventories if kind in _BESIDE else self._inventories / "catalog"

    def _find(self, kind: str, name: str, shape: type[Shape]) -> Shape | None:
        key = (kind, name)
        if key not in self._found:
            path = self._path(kind, name)
            self._found[key] = path and parse(path, shape)
        return cast("Shape | None", self._found[key])

    def _own(self, kind: str, name: str, shape: type[Shape]) -> Shape:
        """Return a file that ships with the program.

        Raises Refusal where the installation lacks it.
        """
        found = self._find(kind, name, shape)
        if found is None:
            raise Refusal(
                [bad_file(self._folders(kind)[-1] / f"{name}.yaml", "the file is missing")]
            )
        return found

    def _path(self, kind: str, name: str) -> Path | None:
        if not MODEL.fullmatch(name):  # a name with a slash could leave the folder
            return None
        return find_file(self._roots, self._shipped(kind), kind, f"{name}.yaml")

    def _all(self, kind: str, shape: type[Shape]) -> tuple[Shape, ...]:
        if kind not in self._lists:
            found = (self._find(kind, name, shape) for name in self.names(kind))
            self._lists[kind] = tuple(facts for facts in found if facts is not None)
        return cast("tuple[Shape, ...]", self._lists[kind])
