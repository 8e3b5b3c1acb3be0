"""Secrets: where they are read, and that their bytes are in files of mode 0600 alone."""

from __future__ import annotations

import json
import os
import re
import stat
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from fabricgen.build.management_notes import cut_off_notes, left_out
from fabricgen.build.run import build, build_archive
from fabricgen.build.secrets import read_secrets
from fabricgen.build.write.verification import verify
from fabricgen.catalog.catalog import Catalog
from fabricgen.core.diagnostics import Refusal
from fabricgen.inventory.load import read_text
from fabricgen.inventory.management import Management
from fabricgen.outputs.packs.render import Packs
from tests.build.canary import Keys, leaks, managed_fabrics
from tests.fabrics import build_context, build_job, plan_of
from tests.outputs.packs.managed import FULL, LEAST, LEAVES, SECRETS, managed_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS = ("configs", "provision", "push", "cluster", "dcim", "hosts", "report", "lab")


def files(root: Path) -> Iterator[tuple[str, bytes, int]]:
    """Yield every file of an output with its content and its mode."""
    for path in sorted(root.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(root)), path.read_bytes(), stat.S_IMODE(path.stat().st_mode)


def references(asked: Management) -> dict[str, tuple[str, ...]]:
    """Return the references of `management` as an inventory has them."""
    return dict.fromkeys(asked.secrets(), ("management",))


@given(managed_fabrics())
@settings(max_examples=60)
def test_no_canary_leaves_its_file(drawn: tuple[Keys, dict[str, str]]) -> None:
    """A secret is in the files of switches and hosts alone, and the build knows in which."""
    assert list(leaks(*drawn)) == []


@pytest.mark.slow
@given(managed_fabrics())
@settings(max_examples=500)
def test_no_canary_of_many_leaves_its_file(drawn: tuple[Keys, dict[str, str]]) -> None:
    """The same for five hundred inventories; `make fuzz` has a campaign for any number."""
    assert list(leaks(*drawn)) == []


@pytest.mark.parametrize("nos", ["eos", "sonic"])
def test_a_build_writes_secrets_into_files_of_mode_0600(nos: str, tmp_path: Path) -> None:
    """Without them no file has one; with them the manifest lists those that do, and verifies."""
    plan, values = managed_plan(nos, FULL), [value.encode() for value in SECRETS.values()]
    build(build_job(plan, Packs(), GROUPS), tmp_path / "plain")
    for name, content, mode in files(tmp_path / "plain"):
        assert not any(value in content for value in values), name
        assert mode & 0o044 or not name.startswith("configs"), name
    packs = Packs()
    packs.secrets.values = SECRETS
    build(build_job(plan, packs, GROUPS), tmp_path / "secret")
    manifest = json.loads((tmp_path / "secret" / "manifest.json").read_text(encoding="utf-8"))
    holding = {
        name
        for name, content, _ in files(tmp_path / "secret")
        if any(value in content for value in values)
    }
    assert holding == set(manifest["secret"])
    assert holding
    for name, _, mode in files(tmp_path / "secret"):
        if name.startswith("configs") or "/" not in name:
            assert (mode == 0o600) == (name in {*holding, "manifest.json"}), name
    assert not verify(tmp_path / "secret")


def test_a_key_of_hosts_is_for_their_owner_alone(tmp_path: Path) -> None:
    """The configuration of BGP on each host has mode 0600 with the key, and no other file has."""
    bgp = {"host_links": "unnumbered", "bgp": {"hosts_password": "env:BGP_HOSTS_KEY"}}
    plan, packs = plan_of(gpus=8, hb_domain={"gpus": 4}, radix=16, addressing=bgp), Packs()
    for values, secret in (({}, False), (SECRETS, True)):
        packs.secrets.values = values
        build(build_job(plan, packs, ("hosts",)), tmp_path / f"{secret}")
        for name, content, mode in files(tmp_path / f"{secret}" / "hosts"):
            own = name.endswith("frr.conf")
            assert (b"CANARY6hosts" in content) == (own and secret), name
            assert not own or (mode == 0o600) == secret


@pytest.mark.parametrize("kind", [".tar", ".zip"])
def test_an_archive_with_secrets_is_readable_for_its_owner_alone(kind: str, tmp_path: Path) -> None:
    """So are its files once they are unpacked."""
    packs, plan = Packs(), managed_plan("eos", FULL)
    for name, values, mode in (("plain", {}, 0o044), ("secret", SECRETS, 0)):
        packs.secrets.values = values
        file = tmp_path / f"{name}{kind}"
        build_archive(build_job(plan, packs, ("configs",)), file)
        assert bool(file.stat().st_mode & 0o044) == bool(mode)
    if kind == ".tar":
        with tarfile.open(tmp_path / "secret.tar") as archive:
            modes = {info.name.rpartition("/")[2]: info.mode for info in archive}
        assert (modes["startup-config.cfg"], modes["manifest.json"]) == (0o600, 0o600)


def test_references_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable, a file beside the inventory without its line's end, and a key of a sops file."""
    (tmp_path / "aaa.key").write_text("first-key\n", encoding="ascii")
    (tmp_path / "s.yaml").touch()
    program = tmp_path / "sops"
    program.write_text('#!/bin/sh\nprintf "%s" "$3"\n', encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OPS", "second-key")
    asked = Management.model_validate(
        LEAST
        | {
            "aaa": FULL["aaa"] | {"secret": "file:aaa.key"},
            "users": [LEAST["users"][0] | {"secret": "env:OPS"}],
        }
    )
    read = read_secrets(references(asked), Catalog(base=tmp_path))
    assert read == {"env:OPS": "second-key", "file:aaa.key": "first-key"}
    sealed = asked.model_copy(
        update={"aaa": asked.aaa and asked.aaa.model_copy(update={"secret": "sops:s.yaml#a.b"})}
    )
    with pytest.raises(Refusal) as refused:  # the program prints ["a"]["b"], which is no secret
        read_secrets(references(sealed), Catalog(base=tmp_path))
    assert "letters, digits" in refused.value.findings[0].because[0]
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(Refusal) as refused:
        read_secrets(references(sealed), Catalog(base=tmp_path))
    assert refused.value.findings[0].because == ("there is no program `sops` in PATH",)


@pytest.mark.parametrize("name", ["--help", "-d", "--enable-local-keyservice", "s.yaml", "pipe"])
def test_a_path_is_no_option_of_sops(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program gets the absolute path of a regular file as its last argument, or nothing."""
    base = tmp_path / "base"
    base.mkdir()
    os.mkfifo(base / "pipe")
    if name != "pipe":
        (base / name).touch()
    program = tmp_path / "sops"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {tmp_path}/given\necho x\n", "ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(base)
    asked = {f"sops:{name}#a": ("management",)}
    if name == "pipe":
        with pytest.raises(Refusal) as refused:
            read_secrets(asked, Catalog(base=Path()))
        assert "is a pipe" in refused.value.findings[0].because[0]
        assert not (tmp_path / "given").exists()
        return
    assert read_secrets(asked, Catalog(base=Path())) == {f"sops:{name}#a": "x"}
    given = (tmp_path / "given").read_text("ascii").split()
    assert given == ["--decrypt", "--extract", '["a"]', str(base / name)]


def test_a_secret_is_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that does not fit, nor one that is written instead of a reference."""
    monkeypatch.setenv("OPS", "CANARY with spaces")
    user = {"name": "ops", "key": LEAST["users"][0]["key"], "secret": "env:OPS"}
    asked = Management.model_validate(LEAST | {"users": [user]})
    with pytest.raises(Refusal) as refused:
        read_secrets(references(asked), Catalog())
    assert "CANARY" not in repr(refused.value.findings)


def test_a_key_of_bgp_that_is_no_reference_is_in_no_message() -> None:
    """Whether the key itself is written, or its key holds something else."""
    for password in ("CANARY", "[CANARY]", "{CANARY: CANARY}", "7654321"):
        with pytest.raises(Refusal) as refused:
            read_text(f"name: a\naddressing: {{bgp: {{password: {password}}}}}\n", "a.yaml")
        facts = [(found.fact, found.because, found.hint) for found in refused.value.findings]
        assert not re.search("CANARY|7654321", repr(facts))
        assert "addressing.bgp.password" in repr(facts)


@pytest.mark.parametrize("nos", ["frr", "sonic", "eos", "srlinux", "nvue"])
def test_files_that_cut_a_switch_off_are_named(nos: str) -> None:
    """Where the inventory has no `management`, with the command that merges them."""
    keys = {"gpus": 8, "hb_domain": {"gpus": 4}, "nos": nos, "addressing": {"mtu": 9000}}
    plan = plan_of(**keys, switches={"leaf": LEAVES[nos]})
    (note,) = cut_off_notes(build_context(plan, Packs()))
    assert f" of {nos} (to merge it: " in note
    assert cut_off_notes(build_context(plan, Packs(), ("cabling",))) == []
    assert cut_off_notes(build_context(managed_plan(nos, LEAST), Packs())) == []


@pytest.mark.parametrize("nos", ["junos", "nxos"])
def test_files_that_merge_are_not(nos: str) -> None:
    """They leave the rest of a configuration as it is."""
    keys = {"gpus": 8, "hb_domain": {"gpus": 4}, "nos": nos}
    plan = plan_of(**keys, switches={"leaf": LEAVES[nos]})
    assert cut_off_notes(build_context(plan, Packs())) == []


def test_a_key_of_bgp_that_is_left_out_is_listed() -> None:
    """With the option that reads it; and the inventory lists its reference with its key."""
    keys = {"gpus": 8, "hb_domain": {"gpus": 4}, "nos": "frr", "switches": {"leaf": LEAVES["frr"]}}
    plan = plan_of(**keys, addressing={"bgp": {"password": "env:BGP_KEY"}})
    assert plan.spec.secrets() == {"env:BGP_KEY": ("addressing", "bgp", "password")}
    packs = Packs()
    (skipped,) = left_out(build_context(plan, packs))
    assert skipped.reason == "`addressing.bgp.password` of BGP sessions; `--with-secrets` reads it"
    packs.secrets.values = {"env:BGP_KEY": "CANARY5bgp"}
    assert list(left_out(build_context(plan, packs))) == []


def test_what_a_system_lacks_is_listed() -> None:
    """Each key that its files leave out, with the reason; and once what takes secrets."""
    context = build_context(managed_plan("nxos", FULL), Packs())
    facts = [skipped.reason for skipped in left_out(context)]
    assert [fact.split(":")[0] for fact in facts] == [
        "`management.time_zone` on nxos",
        "`management.api",
        "what takes secrets of `management`",
    ]
    assert list(left_out(build_context(managed_plan("nxos", LEAST), Packs()))) == []
    reasons = [
        skipped.reason for skipped in left_out(build_context(managed_plan("eos", FULL), Packs()))
    ]
    assert (
        "`management.allow for netconf` on eos: this pack has no access group of NETCONF" in reasons
    )


def test_values_that_a_system_reads_otherwise_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """`none`, and a key in clear text that begins as encrypted ones do; a hash may begin so."""
    asked = {"env:KEY": ("addressing", "bgp", "password")}
    for value, reason in (("none", "NVUE"), ("$9$abc", "SR Linux"), ("$aes1$x$y", "SR Linux")):
        monkeypatch.setenv("KEY", value)
        with pytest.raises(Refusal) as refused:
            read_secrets(asked, Catalog())
        (finding,) = refused.value.findings
        assert reason in finding.because[0]
        assert value == "none" or value not in repr(finding)
    monkeypatch.setenv("KEY", "$6$salt$hash")
    assert read_secrets({"env:KEY": ("management", "users")}, Catalog())
    plan = managed_plan("eos", FULL)
    paths = plan.spec.secrets()
    assert (paths["env:OPS_SECRET"], paths["env:AAA_KEY"]) == (
        ("management", "users"),
        ("management",),
    )


def test_none_is_no_text_of_snmp() -> None:
    """NVUE would remove the location instead."""
    with pytest.raises(ValueError, match="by which NVUE removes a setting"):
        Management.model_validate(LEAST | {"snmp": FULL["snmp"] | {"location": "none"}})
