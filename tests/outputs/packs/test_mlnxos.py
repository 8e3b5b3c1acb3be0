"""MLNX-OS has no parser outside of a switch: a grammar of its manual verifies its files."""

from __future__ import annotations

import re

import pytest

from fabricgen.analysis.checks.management import reachable
from fabricgen.analysis.checks.plan_evidence import evidence_of
from fabricgen.build.pack_outputs import config_packs, unconfigured
from fabricgen.lifecycle.audit.unreported import management_addresses
from fabricgen.outputs.packs.render import Packs
from tests.fabrics import build_context, plan_of
from tests.outputs.packs.managed import FULL, LEAST, SECRETS, Keys, managed_files

# NVIDIA MLNX-OS User Manual v3.11: Management Interface, User Management and Security, NTP,
# Logging, SNMP and Subnet Manager Commands
GRAMMAR = r"""
hostname [a-z0-9-]+
no interface mgmt0 dhcp
interface mgmt0 ip address IP IP
ip default-gateway IP mgmt0
ip name-server IP
ntp server \S+
ntp enable
logging \S+
ssh server enable
banner login TEXT
username \w+ capability (admin|monitor)
username \w+ password 7 \$6\$\S+
username \w+ disable password
ssh client user \w+ authorized-key sshv2 "ssh-\S+ AAAA\S+( \S+)?"
(tacacs|radius)-server host IP key TEXT
ldap host IP
ldap (base-dn|bind-dn|bind-password) TEXT
aaa authentication login default (tacacs\+|radius|ldap) local
snmp-server enable
snmp-server (location|contact) TEXT
snmp-server user \w+ v3 auth sha TEXT priv aes-128 TEXT
snmp-server user \w+ v3 (require-privacy|enable)
no ib sm
"""
STATEMENTS = [
    re.compile(line.replace("IP", r"[\d.]+").replace("TEXT", r'"(?:[^"\\]|\\.)*"'))
    for line in GRAMMAR.split("\n")[1:-1]
]
LDAP = FULL["aaa"] | {"protocol": "ldap", "base_dn": "dc=example,dc=com", "bind_dn": "cn=a"}


def files(management: Keys, secrets: dict[str, str]) -> list[str]:
    """Return the lines of the first switch of an InfiniBand fabric."""
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        switches={"leaf": {"model": "qm9700"}},
        management=management,
    )
    return managed_files(plan, secrets)["commands.txt"].splitlines()


@pytest.mark.parametrize(
    ("management", "secrets"),
    [(LEAST, {}), (FULL, {}), (FULL, SECRETS), (FULL | {"aaa": LDAP}, SECRETS)],
)
def test_every_statement_is_in_the_manual(management: Keys, secrets: dict[str, str]) -> None:
    """Each line whole, with a value of its kind; what takes secrets only with them."""
    lines = files(management, secrets)
    assert [line for line in lines if not any(each.fullmatch(line) for each in STATEMENTS)] == []
    assert any("CANARY" in line for line in lines) == bool(secrets)


def test_every_statement_of_the_grammar_is_written() -> None:
    """So that the grammar has none that nothing verifies."""
    radius = FULL["aaa"] | {"protocol": "radius"}
    written = [
        line for aaa in (FULL["aaa"], radius, LDAP) for line in files(FULL | {"aaa": aaa}, SECRETS)
    ]
    written += files(LEAST, {})
    unused = [each.pattern for each in STATEMENTS if not any(map(each.fullmatch, written))]
    assert unused == []


def test_a_switch_can_be_reached() -> None:
    """By its address, its route, SSH, a user with a key who changes everything, and a clock."""
    lines = files(LEAST, {})
    assert lines[2:4] == [
        "interface mgmt0 ip address 10.200.0.2 255.255.255.0",
        "ip default-gateway 10.200.0.1 mgmt0",
    ]
    for line in (
        "ssh server enable",
        "username ops capability admin",
        "ntp server 10.200.0.123",
        "no ib sm",
    ):
        assert line in lines
    assert any(line.startswith("ssh client user ops authorized-key") for line in lines)


@pytest.mark.parametrize(
    ("model", "management", "reason"),
    [
        ("qm8790", LEAST, "the qm8790 is managed from outside, by its subnet manager"),
        ("qm9700", None, "those of mlnxos are for `management`, which the inventory does not have"),
        ("qm9700", LEAST, ""),
    ],
)
def test_switches_without_files_are_listed(
    model: str, management: Keys | None, reason: str
) -> None:
    """A switch without a CPU takes no files, and others take those of `management` alone."""
    keys = {"management": management} if management else {}
    nic = {"speed": "200G" if model == "qm8790" else "400G"}
    leaf = {"leaf": {"model": model}}
    plan = plan_of(gpus=64, hb_domain={"gpus": 8}, nic=nic, switches=leaf, **keys)
    context = build_context(plan, Packs())
    reasons = [skipped.reason for skipped in unconfigured(context)]
    assert [reason in found for found in reasons] == ([True] * len(plan.roles) if reason else [])
    assert bool(config_packs(context)) == (not reason)


@pytest.mark.parametrize(("model", "speed"), [("qm8790", "200G"), ("qm9700", "400G")])
def test_a_switch_without_a_cpu_is_no_device_to_log_in_to(model: str, speed: str) -> None:
    """An audit has no address of it, and the law counts it."""
    plan = plan_of(
        gpus=64,
        hb_domain={"gpus": 8},
        nic={"speed": speed},
        switches={"leaf": {"model": model}},
        management=LEAST,
    )
    assert ("r0-leaf-1" in dict(management_addresses(plan))) == (model == "qm9700")
    verdict = reachable(evidence_of(plan))
    assert ("; 8 have no CPU of their own" in verdict.figure) == (model == "qm8790")
