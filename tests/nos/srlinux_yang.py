"""Validates a configuration with yanglint against Nokia's YANG models of SR Linux.

yanglint cannot use the models as they are, for two reasons. They describe every platform, so the
features of one are chosen. Some conditions are written for Nokia's own engine, which treats a
comparison with an absent node, a boolean or an identity's bare name differently from XPath. Those
conditions are removed, each by its message.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from tests.nos.yang import importing

if TYPE_CHECKING:
    from pathlib import Path

MODULES = (
    "common/srl_nokia-features",  # first
    "common/srl_nokia-common",
    "interfaces/srl_nokia-interfaces",
    "interfaces/srl_nokia-if-ip",
    "interfaces/srl_nokia-interfaces-nbr",
    "interfaces/srl_nokia-interfaces-router-adv",
    "network-instance/srl_nokia-network-instance",
    "network-instance/srl_nokia-bgp",
    "qos/srl_nokia-qos",
    "acl/srl_nokia-acl",
    "routing-policy/srl_nokia-routing-policy",
    "bfd/srl_nokia-bfd",
    "system/srl_nokia-system",
    "system/srl_nokia-system-name",
    "system/srl_nokia-lldp",
    "system/srl_nokia-keychains",
    # of `management`
    *(
        f"system/srl_nokia-{name}"
        for name in (
            *(
                "aaa-types",
                "aaa",
                "configuration",
                "configuration-role",
                "dns",
                "logging",
                "netconf-server",
            ),
            *("ntp", "ssh", "system-banner", "system-info", "system-snmp"),
        )
    ),
    "grpc/srl_nokia-grpc",
    "network-instance/srl_nokia-linux",
    "network-instance/srl_nokia-next-hop-groups",
    "network-instance/srl_nokia-static-routes",
    # of bonds
    *(f"interfaces/srl_nokia-{name}" for name in ("interfaces-lag", "lacp", "interfaces-vlans")),
    "interfaces/srl_nokia-interfaces-nbr-evpn",
    "network-instance/srl_nokia-bgp-evpn",
    "network-instance/srl_nokia-bgp-vpn",
    "system/srl_nokia-system-network-instance",
    "system/srl_nokia-system-network-instance-bgp-vpn",
    "system/srl_nokia-system-network-instance-bgp-evpn-ethernet-segments",
    "tunnel/srl_nokia-tunnel-interfaces",
)

FEATURES = (
    *(
        "bfd",
        "bgp-prefix-limit",
        "bgp-unnumbered-peers",
        "bgp-multipath-maximum-paths",
        "ipv4-unnumbered",
        "tomahawk5",
        "platform-7220-h5-64o",
    ),
    *("port-breakout", "breakout-ports-2", "breakout-ports-4", "breakout-ports-8"),
    *(
        "breakout-speed-100G",
        "breakout-speed-200G",
        "breakout-speed-400G",
        "port-speed-400G",
        "port-speed-800G",
    ),
    *(
        "qos",
        "qos-ecn",
        "qos-pfc",
        "qos-pfc-xgs",
        "qos-scheduler-policies",
        "qos-queue-management-profile",
    ),
    *("gnsi-authz", "grpc-server", "netconf", "snmp-v3"),
    *("qos-dscp-classifier-policy", "qos-drop-probability", "qos-unicast-queue"),
    # of bonds, which the 7220 D5 has
    *(
        "anycast-gw",
        "bridged",
        "evpn",
        "evpn-mh",
        "lag",
        "platform-7220-d5",
        "vlan-id-any",
        "vxlan",
    ),
)

NOT_XPATH = (
    # a comparison with an absent leaf: false in XPath, either way round
    "ipv4 configuration not allowed on bridged or local-mirror-dest subinterfaces",
    "ipv6 configuration not allowed on bridged or local-mirror-dest subinterfaces",
    "ip-mtu not allowed with type bridged or type local-mirror-dest",
    "The bgp-evpn configuration is not possible on network-instance of type default.",
    "subinterface with type local-mirror-dest cannot be configured on network-instance",
    "cannot use same queue for mutlicast and unicast",
    (
        "scheduler with sequence 0 must be strict priority and scheduler with sequence 1 must "
        "be weighted RR"
    ),
    # a leaf compared with true() or false(): in XPath a leaf that is present is true, whatever its
    # value
    "Logging is not supported with action accept",
    "mode should not be disabled to set leading-only to true.",
    "mode should not be disabled if ignore-peer-as has to be true.",
    "pfc and ethernet flow-control are mutually exclusive",
    "pfc cannot be enabled on sub-interfaces",
    "TACACS+ priv-lvl authorization is supported for 'tacacs' server type only",
    "EVPN is not supported in network instances other than default",
    # an identity compared with its name without its module
    "One of the address families must be enabled.",
    # for the virtual router alone, by an extension that yanglint does not know
    "Minimum value is 1000000 on this platform",
)
"""The messages of the conditions that are removed."""

METADATA = """module openconfig-metadata {
  yang-version 1; namespace "http://openconfig.net/yang/openconfig-metadata"; prefix oc-meta;
  grouping protobuf-metadata { leaf protobuf-metadata { type binary; } }
}"""


def prepare(models: Path, folder: Path) -> Path:
    """Copy the models without the conditions that are not XPath.

    Each of them must exist to be removed.
    """
    home = folder / "srlinux-yang"
    shutil.copytree(models, home)
    # imported for an annotation of the protocol gNMI, and not among the models
    (home / "system" / "openconfig-metadata.yang").write_text(METADATA, encoding="utf-8")
    left = set(NOT_XPATH)
    for name in MODULES:
        path = home / f"{name}.yang"
        text = path.read_text(encoding="utf-8")
        for message in NOT_XPATH:
            text, times = re.subn(
                rf"""must\s+("[^"]*"|'[^']*')\s*\{{\s*error-message\s+"{re.escape(message)}";[^}}]*\}}""",
                "",
                text,
            )
            left -= {message} if times else set()
        path.write_text(text, encoding="utf-8")
    assert not left, f"the models have changed: {left}"
    return home


def validate(
    program: str, home: Path, folder: Path, *configs: str
) -> subprocess.CompletedProcess[str]:
    """Validate configurations with yanglint, which reads the models once for all of them.

    It returns 0, or another code with the invalid node. As for Junos, one module imports all others
    and one of these has them compiled, here that of the features. What they import adds states, and
    no configuration.
    """
    paths = [folder / f"{number}.json" for number in range(len(configs))]
    for path, config in zip(paths, configs, strict=True):
        path.write_text(config, encoding="utf-8")
    places = [word for place in sorted(home.glob("*/")) for word in ("-p", str(place))]
    every = importing([name.rpartition("/")[2] for name in MODULES], folder)
    modules = [str(every), str(home / f"{MODULES[0]}.yang")]
    features = f"srl_nokia-features:{','.join(FEATURES)}"
    return subprocess.run(
        [program, "-ii", *places, "-F", features, "-t", "config", "-f", "json", *modules, *paths],
        capture_output=True,
        text=True,
        check=False,
    )


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the errors of yanglint; its warnings concern the models."""
    return [line for line in done.stderr.splitlines() if line.startswith("libyang err")]
