"""Management in the files of every NOS: vendors' models accept it, and secrets stay out of it."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
from ruamel.yaml import YAML

from fabricgen.build.preconditions import check_buildable
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.fields import ACCOUNT
from fabricgen.outputs.packs.pack_yaml import ReservedAccounts
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import plan_of
from tests.outputs.packs.managed import (
    FULL,
    LEAST,
    LEAVES,
    SECRETS,
    Keys,
    managed_files,
    managed_plan,
)

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


SERVICES = ("bin", "daemon", "nobody", "operator", "root", "sync")
"""Accounts of every Linux."""


@pytest.mark.parametrize("nos", [*LEAVES, "nvos", "mlnxos"])
def test_no_user_has_the_name_of_an_account(nos: str) -> None:
    """Each that a NOS has or reserves is refused, by its place; each pack has the source."""
    pack, packs = Packs().for_nos(nos), Packs()
    assert pack
    taken = pack.terms.accounts
    assert taken.names != ReservedAccounts().names
    assert taken.source
    assert taken.unverified
    assert {*SERVICES, "admin"} <= {*taken.names}
    assert len(set(taken.names)) == len(taken.names)
    usable = [name for name in taken.names if re.fullmatch(ACCOUNT, name)]
    users = [*LEAST["users"], *({"name": name, "secret": "env:X"} for name in usable)]
    leaf = {"nvos": {"model": "q3400"}, "mlnxos": {"model": "qm9700"}} | LEAVES
    nic = {"nic": {"speed": "800G"}} if nos == "nvos" else {}
    ethernet = {"nos": nos, "addressing": {"mtu": 9000}} if nos in LEAVES else {}
    keys = {"gpus": 32, "hb_domain": {"gpus": 4}, "switches": {"leaf": leaf[nos]}} | nic | ethernet
    check_buildable(plan_of(**keys, management=LEAST), packs)
    with pytest.raises(Refusal) as refused:
        check_buildable(plan_of(**keys, management=LEAST | {"users": users}), packs)
    paths = [(found.code, found.path) for found in refused.value.findings]
    assert paths == [
        ("reserved-account", ("management", "users", at + 1, "name")) for at in range(len(paths))
    ]
    assert len(paths) + refused.value.more == len(usable)


@pytest.mark.parametrize("nos", ["frr", "sonic"])
@pytest.mark.parametrize("secrets", [{}, SECRETS], ids=["keys alone", "with secrets"])
def test_a_shell_parses_the_script_of_users(nos: str, secrets: dict[str, str]) -> None:
    """And hashes are in single quotes, so that it expands none."""
    text = managed_files(managed_plan(nos, FULL), secrets)["users.sh"]
    done = subprocess.run(
        ["/bin/sh", "-n"], input=text, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ("watch" in text) == bool(secrets)


@pytest.mark.parametrize("name", ["least", "without secrets", "with secrets", "ldap"])
@pytest.mark.parametrize("version", ["5.9", "5.13", ""])
def test_startup_yaml_has_the_settings_of_the_commands(name: str, version: str) -> None:
    """Every setting of one file is in the other, in each release with other words."""
    management, secrets = VARIANTS[name]
    versions = {"versions": {"nvue": version}} if version else {}
    plan = managed_plan("nvue", management, nos={"leaf": "nvue", **versions})
    files = managed_files(plan, secrets)
    yaml = YAML(typ="safe", pure=True)
    saved = yaml.load(files["startup.yaml"])[1]["set"]
    for line in _statements(files["commands.txt"]):
        assert _is_set(saved, line[2:]), line


def _statements(text: str) -> list[list[str]]:
    """Return the words of the commands of management, as a shell reads them."""
    parsed = shlex.split(text.replace("\nnv set ", " \0 nv set "), posix=True)
    found: list[list[str]] = [[]]
    for word in parsed:
        if word == "\0":
            found.append([])
        else:
            found[-1].append(word)
    kinds = ("system", "service", "interface")
    return [
        words
        for words in found
        if words[2] in kinds and (words[2] != "interface" or words[3] == "eth0")
    ]


def _is_set(node: object, words: list[str]) -> bool:
    """Return whether a saved file has the setting of a command."""
    if not words:
        return True
    if isinstance(node, dict):
        wanted = {str(key): value for key, value in node.items()}
        return words[0] in wanted and _is_set(wanted[words[0]], words[1:])
    value = {True: "on", False: "off"}.get(node, node) if isinstance(node, bool) else node
    return words == [str(value)]
