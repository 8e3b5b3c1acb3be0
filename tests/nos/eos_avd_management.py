"""The management of a switch in the keys of Arista's structured configuration.

The values come from the view, and secrets from the caller, as `eos_avd` has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.outputs.packs.managed import SECRETS

if TYPE_CHECKING:
    from fabricgen.views.management import AaaView, ManagementView, SnmpView, UserView

Node = dict[str, Any]

INTERFACE, GROUP = "Management1", "LOGIN"
ROLES = {"admin": (15, "network-admin"), "operator": (1, "network-operator")}


def facts_of(site: ManagementView) -> Node:
    """Describe management, but for the VRF, which is in a list with the others."""
    vrf = site.vrf
    return {
        "clock": {"timezone": site.time_zone},
        "management_interfaces": [{"name": INTERFACE, "vrf": vrf, "ip_address": site.prefix}],
        "static_routes": [{"prefix": "0.0.0.0/0", "vrf": vrf, "next_hop": site.gateway}],
        "ip_name_server": {
            "vrfs": [{"name": vrf, "servers": [{"ip_address": server} for server in site.dns]}]
        },
        "ntp": {
            "vrf": vrf,
            "local_interface": {"name": INTERFACE, "vrf": vrf},
            "servers": [{"name": server, "iburst": True} for server in site.ntp],
        },
        "logging": {
            "vrfs": [
                {
                    "name": vrf,
                    "source_interface": INTERFACE,
                    "hosts": [{"name": server} for server in site.syslog],
                }
            ]
        },
        "local_users": [*map(_user, site.users)],
        "management_ssh": {"vrfs": [{"name": vrf, "enable": True}]},
        **({"banners": {"login": f"{site.banner}\nEOF\n"}} if site.banner else {}),
        **(_aaa(site.aaa, vrf) if site.aaa and site.aaa.protocol != "ldap" else {}),
        **({"snmp_server": _snmp(site.snmp, vrf)} if site.snmp else {}),
        **_api(site),
    }


def _user(user: UserView) -> Node:
    """Describe a local user."""
    privilege, role = ROLES[user.role]
    password = {"sha512_password": SECRETS[user.secret]} if user.secret else {"no_password": True}
    key = {"ssh_key": user.key} if user.key else {}
    return {"name": user.name, "privilege": privilege, "role": role, **password, **key}


def _aaa(aaa: AaaView, vrf: str) -> Node:
    """Describe the servers that authenticate logins."""
    key = {"key": SECRETS[aaa.secret], "key_type": "0"}
    hosts = [{"host": server, **key} for server in aaa.servers]
    methods = f"group {GROUP} local"
    return {
        **(
            {"tacacs_servers": {"hosts": [{**host, "vrf": vrf} for host in hosts]}}
            if aaa.protocol == "tacacs"
            else {"radius_server": {"vrfs": [{"name": vrf, "servers": hosts}]}}
        ),
        "aaa_server_groups": [
            {
                "name": GROUP,
                "type": {"tacacs": "tacacs+", "radius": "radius"}[aaa.protocol],
                "servers": [{"server": server, "vrf": vrf} for server in aaa.servers],
            }
        ],
        "aaa_authentication": {"login": {"default": methods}},
        "aaa_authorization": {"exec": {"default": methods}},
    }


def _snmp(snmp: SnmpView, vrf: str) -> Node:
    """Describe SNMPv3."""
    return {
        **({"contact": snmp.contact} if snmp.contact else {}),
        **({"location": snmp.location} if snmp.location else {}),
        "groups": [{"name": "READ", "version": "v3", "authentication": "priv"}],
        "users": [
            {
                "name": user.name,
                "group": "READ",
                "version": "v3",
                "auth": "sha",
                "auth_passphrase": SECRETS[user.auth],
                "priv": "aes",
                "priv_passphrase": SECRETS[user.privacy],
            }
            for user in snmp.users
        ],
        "vrfs": [{"name": "default", "enable": False}, {"name": vrf, "enable": True}],
    }


def _api(site: ManagementView) -> Node:
    """Describe the interfaces for programs, but for NETCONF, for which AVD has no key."""
    vrf, found = site.vrf, dict[str, Any]()
    if "http" in site.api:
        found["management_api_http"] = {"enable_https": True, "enable_vrfs": [{"name": vrf}]}
    if "gnmi" in site.api:
        transport = {"grpc": [{"name": "default", "vrf": vrf}]}
        found["management_api_gnmi"] = {"transport": transport}
    return found
