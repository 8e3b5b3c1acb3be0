"""Management in the files of every NOS: vendors' models accept it, and secrets stay out of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.nos import sonic_yang, srlinux_yang
from tests.outputs.packs.managed import FULL, LEAST, SECRETS, Keys, managed_files, managed_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VARIANTS: dict[str, tuple[Keys, dict[str, str]]] = {
    "least": (LEAST, {}),
    "without secrets": (FULL, {}),
    "with secrets": (FULL, SECRETS),
    "radius": (FULL | {"aaa": FULL["aaa"] | {"protocol": "radius"}}, SECRETS),
    "ldap": (
        FULL
        | {
            "aaa": FULL["aaa"]
            | {"protocol": "ldap", "base_dn": "dc=example,dc=com", "bind_dn": "cn=switch"}
        },
        SECRETS,
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_sonics_models_accept_config_db(
    name: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """Every table of management has a model, and every value fits."""
    management, secrets = VARIANTS[name]
    text = managed_files(managed_plan("sonic", management), secrets)["config_db.json"]
    done = sonic_yang.validate(tool("yanglint"), oracles / "sonic-yang", json.loads(text), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", VARIANTS)
def test_nokias_models_accept_config_json(
    name: str, tool: Callable[[str], str], oracles: Path, tmp_path: Path
) -> None:
    """Every statement of management has a model, and every value fits."""
    home = srlinux_yang.prepare(oracles / "srlinux-yang", tmp_path)
    management, secrets = VARIANTS[name]
    text = managed_files(managed_plan("srlinux", management), secrets)["config.json"]
    done = srlinux_yang.validate(tool("yanglint"), home, text, tmp_path)
    assert (done.returncode, srlinux_yang.complaints(done)) == (0, [])
