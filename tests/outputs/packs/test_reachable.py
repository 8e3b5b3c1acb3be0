"""What a switch has with its files alone: an address, a route, SSH, a user with a key, a clock.

And who may manage it.
"""

from __future__ import annotations

import pytest

from tests.nos.management import READERS, Reached
from tests.outputs.packs.managed import FULL, LEAST, SECRETS, managed_files, managed_plan

EXPECTED = Reached(
    "10.200.0.2/24", "10.200.0.1", ssh=True, keys=frozenset({"ops"}), clocks=frozenset()
)
ALLOWED = frozenset({"10.200.0.0/24", "192.0.2.0/24"})
"""The prefixes of `FULL`, two of which are halves of one."""

CLOCK = "10.200.0.123"

# What is changed in one file of each NOS, and the field that then differs.
MUTATIONS: tuple[tuple[str, str, str, str, str], ...] = (
    ("eos", "startup-config.cfg", "ip address 10.200.0.2/24", "ip address dhcp", "address"),
    ("eos", "startup-config.cfg", "ip route vrf mgmt 0.0.0.0/0", "ip route 0.0.0.0/0", "gateway"),
    ("eos", "startup-config.cfg", "   no shutdown\n!\nqos", "   shutdown\n!\nqos", "ssh"),
    ("eos", "startup-config.cfg", "username ops ssh-key", "username else ssh-key", "keys"),
    ("nvue", "commands.txt", "eth0 ipv4 address", "eth0 ipv4 addresses", "address"),
    ("nvue", "commands.txt", "eth0 vrf mgmt", "eth0 vrf default", "gateway"),
    ("nvue", "commands.txt", "ssh-server state enabled", "ssh-server state disabled", "ssh"),
    ("nvue", "commands.txt", "system ntp server", "system ntp serves", "clocks"),
    ("sonic", "config_db.json", "MGMT_INTERFACE", "MGMT_INTERFACES", "address"),
    ("sonic", "config_db.json", '"gwaddr"', '"gateway"', "gateway"),
    ("sonic", "users.sh", "add ops sudo,docker", "add ops docker", "keys"),
    ("sonic", "config_db.json", '"vrf": "mgmt"}', '"vrf": "default"}', "clocks"),
    ("srlinux", "config.json", '"mgmt0.0"', '"mgmt0.1"', "address"),
    ("srlinux", "config.json", '"0.0.0.0/0"', '"10.0.0.0/8"', "gateway"),
    ("srlinux", "config.json", '"ssh-key"', '"ssh-keys"', "keys"),
    ("junos", "junos.set", "set system management-instance\n", "", "gateway"),
    ("junos", "junos.set", "set system services ssh\n", "", "ssh"),
    ("junos", "junos.set", "class super-user", "class read-only", "keys"),
    ("nxos", "nxos.cfg", "vrf member management", "vrf member default", "address"),
    ("nxos", "nxos.cfg", "feature ssh", "no feature ssh", "ssh"),
    ("nxos", "nxos.cfg", "use-vrf management", "use-vrf default", "clocks"),
    ("frr", "interfaces", "gateway 10.200.0.1", "metric 1", "gateway"),
    ("frr", "ssh.conf", "ip vrf exec mgmt", "ip vrf exec other", "ssh"),
    ("frr", "users.sh", "sudo,frrvty", "frrvty", "keys"),
    ("frr", "chrony.conf", "bindacqdevice mgmt", "bindacqdevice eth1", "clocks"),
)


# The same for what lets some prefixes alone manage a switch.
OPENED: tuple[tuple[str, str, str, str], ...] = (
    ("eos", "startup-config.cfg", "   ip access-group MANAGEMENT in", "   idle-timeout 5"),
    ("eos", "startup-config.cfg", "   1000 deny any", "   1000 permit any"),
    ("eos", "startup-config.cfg", "snmp-server ipv4 access-list", "! access-list"),
    ("nvue", "commands.txt", "MANAGEMENT-IPV6 inbound", "MANAGEMENT-IPV6 outbound"),
    ("nvue", "commands.txt", "match ip udp dest-port 161", "match ip udp dest-port 162"),
    ("nvue", "commands.txt", "rule 1 match ip source-ip 10", "rule 1 match ip source-ip 11"),
    ("sonic", "config_db.json", '"SRC_IPV6": "::/0"', '"SRC_IPV6": "2001:db8::/32"'),
    ("sonic", "config_db.json", '"CTRLPLANE"', '"L3"'),
    ("sonic", "config_db.json", '"NEIGHBORS_IPV6|', '"OTHERS|'),
    (
        "srlinux",
        "config.json",
        '"type": "ipv4"}, {"name": "management"',
        '"type": "ipv4"}, {"name": "a"',
    ),
    ("srlinux", "config.json", '"sequence-id": 1,', '"sequence-id": 1500,'),
    ("junos", "junos.set", "re0:mgmt-0 unit 0 family inet filter", "et-0/0/1 unit 0 family inet"),
    ("junos", "junos.set", "term TCP then discard", "term TCP then accept"),
    ("junos", "junos.set", "lo0 unit 0 family inet6 filter", "lo0 unit 0 family inet6 address"),
    ("nxos", "nxos.cfg", "  ipv6 access-class MANAGEMENT-IPV6 in\n", ""),
    ("nxos", "nxos.cfg", "use-ipv4acl MANAGEMENT ", "use-ipv4acl OTHER "),
    ("nxos", "nxos.cfg", "  2001 deny udp any any eq 161\n", ""),
    ("frr", "nftables.conf", "tcp dport { 22 } drop", "tcp dport { 22 } accept"),
    ("frr", "nftables.conf", "ip saddr", "ip daddr"),
)


@pytest.mark.parametrize(
    ("nos", "name", "good", "bad"), OPENED, ids=[f"{nos} {good}" for nos, _, good, _ in OPENED]
)
def test_a_switch_that_others_can_manage_is_seen(nos: str, name: str, good: str, bad: str) -> None:
    """Each fault opens one service to more than the prefixes, or closes it to some."""
    files = managed_files(managed_plan(nos, FULL), SECRETS)
    assert good in files[name]
    broken = files | {name: files[name].replace(good, bad)}
    assert READERS[nos](files).allowed == ALLOWED
    assert READERS[nos](broken).allowed != ALLOWED


@pytest.mark.parametrize("nos", READERS)
@pytest.mark.parametrize("secrets", [{}, SECRETS], ids=["keys alone", "with secrets"])
def test_every_switch_can_be_reached(nos: str, secrets: dict[str, str]) -> None:
    """With everything that `management` has, and with the least."""
    full = READERS[nos](managed_files(managed_plan(nos, FULL), secrets))
    assert full == EXPECTED._replace(clocks=frozenset(FULL["ntp"]), allowed=ALLOWED)
    least = READERS[nos](managed_files(managed_plan(nos, LEAST), secrets))
    assert least == EXPECTED._replace(clocks=frozenset({CLOCK}))


@pytest.mark.parametrize(
    ("nos", "name", "good", "bad", "field"),
    MUTATIONS,
    ids=[f"{nos} {field}" for nos, *_, field in MUTATIONS],
)
def test_a_switch_that_is_cut_off_is_seen(
    nos: str, name: str, good: str, bad: str, field: str
) -> None:
    """Each fault changes one thing that is read back."""
    files = managed_files(managed_plan(nos, LEAST), {})
    assert good in files[name]
    broken = READERS[nos](files | {name: files[name].replace(good, bad)})
    sound = READERS[nos](files)
    assert getattr(broken, field) != getattr(sound, field)
