"""The tools of every NOS accept its files, in every shape of a fabric and with every key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabricgen.inventory.keys import inventory_keys
from tests.nos.model_variants import (
    MANAGED,
    MODELS,
    VARIANTS,
    files_without_secrets,
    variant_files,
)
from tests.nos.switch_files import sample
from tests.nos.verifiers import Verifiers
from tests.outputs.packs.test_nvue import old

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.fabrics import Inventory

FEW = 3
"""Switches of each fabric."""

OTHER = {
    "addressing.guids": "for InfiniBand",
    **dict.fromkeys(
        (f"management.images.{key}" for key in ("nos", "file", "version", "sha256")),
        "for the first boot",
    ),
    "management.device_pool": "for devices on management ports",
    "management.macs": "for DHCP servers",
    "management.server": "for DHCP servers",
    "management.skip": "addresses that no device gets",
}
"""Keys that reach no file of an Ethernet switch, and why."""


@pytest.fixture(scope="session")
def verifiers(
    tool: Callable[[str], str], oracles: Path, tmp_path_factory: pytest.TempPathFactory
) -> Verifiers:
    """Return the tools of all systems."""
    return Verifiers(tool, oracles, tmp_path_factory.mktemp("verifiers"))


@pytest.mark.parametrize("nos", sorted(MODELS.keys() - {"nxos"}))
def test_the_tools_accept_the_files(nos: str, verifiers: Verifiers) -> None:
    """Vendors' models, parsers and saved files know each statement, or the pack records it.

    No tool outside of a switch reads the files of NX-OS.
    """
    names = [*VARIANTS, *MANAGED]
    found = [one for name in names for one in sample(variant_files(name, nos), FEW)]
    found += sample(files_without_secrets(nos), FEW)
    if nos == "nvue":
        found += [one for name in names for one in sample(old(name), FEW)]
        found += [one for name in MANAGED for one in old(name, "5.12")[:1]]
    assert verifiers.complaints(found) == []


def test_the_fabrics_have_every_key() -> None:
    """A new key must be tried on every NOS."""
    used = {key for keys in (*VARIANTS.values(), *MANAGED.values()) for key in _named(keys)}
    wanted = {
        name
        for name, key in inventory_keys().items()
        if name.split(".")[0] in ("addressing", "management", "roce") and not key.below
    }
    assert wanted - used == set(OTHER)


def _named(keys: Inventory, above: str = "") -> Iterator[str]:
    """Yield the keys of an inventory as paths."""
    for key, value in keys.items():
        yield f"{above}{key}"
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                yield from _named(inner, f"{above}{key}.")
