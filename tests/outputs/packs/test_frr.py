"""The pack `frr`: FRR's parser accepts every file, and the files read back equal the plan."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

from fabricgen.outputs.packs.override_places import ENDS
from tests.fabrics import VARIANTS, generic, plan_of
from tests.nos.fabric import assert_is_plan, fabric, findings, swap_uplinks
from tests.nos.frr import read, validate
from tests.nos.switch_files import MOST, PACKS, SwitchFiles, render_switches, sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.nos.frr import Box


@cache
def variant_files(name: str) -> list[SwitchFiles]:
    """Render the switches of a variant once for all tests, which must not change the texts."""
    return render_switches(plan_of(nos="frr", **VARIANTS[name]))


@pytest.fixture(scope="session")
def vtysh(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Return a function that parses an frr.conf with FRR.

    It returns 0, or 2 with the invalid line.
    """
    program, folder = tool("vtysh"), tmp_path_factory.mktemp("vtysh")
    return lambda text: validate(program, text, folder)


def boxes(found: list[SwitchFiles]) -> list[Box]:
    """Parse rendered files."""
    return [read(one.files["frr.conf"], one.files["interfaces"]) for one in found]


@pytest.mark.parametrize("name", VARIANTS)
def test_frr_accepts_the_files(
    name: str, vtysh: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    """Every kind of fabric, with a sample of its switches."""
    found = variant_files(name)
    chosen = sample(found, MOST)
    assert {one.switch.role for one in chosen} == {one.switch.role for one in found}
    for one in chosen:
        done = vtysh(one.files["frr.conf"])
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), one.switch.name


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("remote-as external", "remote-as everyone"),
        (" ge 32", " ge 33"),
        ("v6only", "v4only"),
        ("exit-address", "leave-address"),
    ],
)
def test_the_parser_finds_errors(
    good: str, bad: str, vtysh: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    """Each injected error is found, with its line."""
    text = render_switches(plan_of(nos="frr", **generic(16)))[0].files["frr.conf"]
    done = vtysh(text.replace(good, bad, 1))
    assert done.returncode == 2
    assert re.search(r"line \d+", done.stdout + done.stderr)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_files_alone_rebuild_the_plan(name: str) -> None:
    """Adjacency, addresses, neighbours and filters from the files agree. They are the plan's."""
    plan = plan_of(nos="frr", **VARIANTS[name])
    assert_is_plan(fabric(boxes(variant_files(name))), plan)


def _repeat_address(found: list[Box]) -> None:
    one, other = list(found[0].ports.values())[:2]
    one.address = other.address


def _forget_neighbour(found: list[Box]) -> None:
    found[0].instances[""].neighbours.popitem()


def _one_asn(found: list[Box]) -> None:
    for box in found:
        box.instances[""].asn = 1


def _open_filter(found: list[Box]) -> None:
    found[0].instances[""].filters["FABRIC in"] = found[-1].instances[""].filters["FABRIC in"]


def _no_filter(found: list[Box]) -> None:
    del found[0].instances[""].filters["FABRIC out"]


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (swap_uplinks, "which differs"),
        (_repeat_address, "used 2 times"),
        (_forget_neighbour, "neighbours on"),
        (_one_asn, "one AS number"),
        (_open_filter, "accepted on two rails"),
        (_no_filter, "filters on"),
    ],
)
def test_the_comparison_of_files_finds_errors(
    harm: Callable[[list[Box]], None], words: str
) -> None:
    """Each injected error is a finding."""
    found = boxes(render_switches(plan_of(nos="frr", **generic(16))))
    harm(found)
    assert any(words in finding for finding in findings(fabric(found)))


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("2001:db8:100::/96", "2001:db8:100::/95", "accepted on two rails"),
        ("2001:db8:100::/96", "2001:db8:100::/125", "of its own rail"),
        ("2001:db8:100::4/127", "2001:db8:100::2/127", "used 2 times"),
        ("bgp router-id 10.128.0.1\n", "bgp router-id 10.128.0.2\n", "used 2 times"),
        (" ipv6 address 2001:db8:200::1/128", " ip address 10.128.0.1/32", "IPv4 and IPv6"),
        ("ipv6 unicast\n", "ipv4 unicast\n", "another address family"),
    ],
)
def test_the_comparison_of_ipv6_files_finds_errors(good: str, bad: str, words: str) -> None:
    """Each file is valid by itself, and contradicts the others or its own addresses."""
    first, *others = variant_files("IPv6 pools")
    text = first.files["frr.conf"]
    assert good in text
    found = [read(text.replace(good, bad), first.files["interfaces"]), *boxes(others)]
    assert any(words in finding for finding in findings(fabric(found)))


def test_a_shared_box_keeps_its_rails_in_vrfs() -> None:
    """Two rails on a box have two VRFs with a table, a BGP instance, a loopback and a filter each.

    Every port is in one of them.
    """
    one = variant_files("shared boxes below spines")[0]
    box = read(one.files["frr.conf"], one.files["interfaces"])
    assert (
        set(box.instances)
        == set(box.loopbacks)
        == {port.vrf for port in box.ports.values()}
        == {"rail0", "rail1"}
    )
    assert re.findall(r"vrf-table (\d+)", one.files["interfaces"]) == ["1001", "1002"]
    assert "tcp_l3mdev_accept = 0" in one.files["sysctl.conf"]


def test_unnumbered_hosts_announce_their_own_addresses_only() -> None:
    """A host may announce one route, its address, that it originates.

    It receives those of its rail.
    """
    one = variant_files("unnumbered hosts")[0]
    instance = read(one.files["frr.conf"], one.files["interfaces"]).instances[""]
    for port in one.switch.instances[0].bgp_hosts:
        (permit,) = instance.filters[f"{port.interface} in"]
        assert str(permit.network) == port.host_route
        (rail,) = instance.filters["HOSTS out"]
        assert permit.network.overlaps(rail.network)
        assert permit.network.prefixlen > rail.network.prefixlen
    assert "  neighbor HOSTS maximum-prefix 1\n" in one.files["frr.conf"]
    assert "bgp as-path access-list HOSTS seq 10 permit ^[0-9]+$\n" in one.files["frr.conf"]
    assert "  neighbor HOSTS filter-list HOSTS in\n" in one.files["frr.conf"]


def test_settings_reach_every_file() -> None:
    """MTU, BFD, AS numbers and the lossless class are the inventory's."""
    one = variant_files("other numbers")[0]
    box = read(one.files["frr.conf"], one.files["interfaces"])
    assert {port.mtu for port in box.ports.values()} == {4200}
    assert box.instances[""].asn == 64512
    assert not box.instances[""].bfd
    assert "\nbfd\n" not in one.files["frr.conf"]
    assert "bfdd=no\n" in one.files["daemons"]
    assert (
        "dscp=24 priority=4\ncnp_priority=7  # of notifications, and of routing protocols\n"
        "minimum=1000 maximum=2000\n" in one.files["roce.sh"]
    )
    assert (
        '"$dscp:$priority" "46:$cnp_priority" "48:$cnp_priority" "56:$cnp_priority"\n'
        in (one.files["roce.sh"])
    )
    assert 'bands="2 2 2 2 1 2 2 0 "' in one.files["roce.sh"]
    with_bfd = render_switches(plan_of(nos="frr", **generic(16)))[0]
    assert read(with_bfd.files["frr.conf"], with_bfd.files["interfaces"]).instances[""].bfd
    assert "bfdd=yes\n" in with_bfd.files["daemons"]


@pytest.mark.parametrize("name", VARIANTS)
def test_the_other_files_agree_with_frr_conf(name: str, tmp_path: Path) -> None:
    """roce.sh and interfaces have the same ports, and ports.conf each split cage.

    The host name is the same, and a shell parses roce.sh.
    """
    for one in sample(variant_files(name), 3):
        named = re.findall(r"^interface (\S+)\n description", one.files["frr.conf"], re.MULTILINE)
        listed = " ".join(re.findall(r'^ports="(.*)"$', one.files["roce.sh"], re.MULTILINE))
        assert sorted(listed.split()) == sorted(named)
        assert named == [port.interface for port in one.switch.ports]
        assert one.files["hostname"] == f"{one.switch.name}\n"
        splits = re.findall(r"^(\d+)=(\S+)$", one.files["ports.conf"], re.MULTILINE)
        assert splits == [
            (str(cage.cage), cage.breakout) for cage in one.switch.cages if cage.split
        ]
        script = tmp_path / "roce.sh"
        script.write_text(one.files["roce.sh"], encoding="utf-8")
        assert subprocess.run(["/bin/sh", "-n", script], check=False).returncode == 0


def test_frr_conf_is_lean() -> None:
    """A million GPUs have 24,576 of these files: about 120 bytes a port, and no empty section."""
    for one in render_switches(plan_of(nos="frr", **generic(64, gpus=8192))):
        text = one.files["frr.conf"]
        assert len(text) / len(one.switch.ports) < 130
        assert "\n\n" not in text
        assert not re.search(r"[ \t]$", text, re.MULTILINE)


@pytest.mark.parametrize("pack", ["frr", "sonic", "nvue", "junos", "nxos"])
def test_templates_are_short_sections(pack: str, root: Path) -> None:
    """A file has one section of less than 40 lines, and every file of the folder is used."""
    described = PACKS.pack(pack)
    assert described is not None
    folder = root / "templates" / pack
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.j2")}
    assert max(text.count("\n") for text in texts.values()) < 40
    included = {
        name
        for text in "".join(
            path.read_text(encoding="utf-8") for path in root.glob("templates/*/*.j2")
        ).splitlines()
        for name in re.findall(rf'include "{pack}/([^"]+)"', text)
    }
    mounted = {
        bind.template
        for container in described.containers.values()
        for bind in container.binds
        if bind.template
    }
    hooks = {f"site.{place}.j2" for place in ENDS if described.open_outputs}
    written = {output.template for output in described.outputs} | {
        output.access for output in described.outputs if output.access
    }
    fetched = (
        {file.template for file in described.zero_touch.files} if described.zero_touch else set()
    )
    pushed = set(described.push.templates.values()) if described.push else set()
    assert included | mounted | hooks | written | fetched | pushed == set(texts)
