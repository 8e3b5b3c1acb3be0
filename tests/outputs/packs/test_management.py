"""Management in the files of every NOS: vendors' models accept it, and secrets stay out of it."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from ruamel.yaml import YAML

from tests.outputs.packs.managed import FULL, LEAST, SECRETS, Keys, managed_files, managed_plan

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
