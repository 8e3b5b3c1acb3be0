"""The management of a switch in the keys of Arista's structured configuration.

The values come from the view, and secrets from the caller, as `eos_avd` has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.views.management import AaaView, ManagementView, SnmpView, UserView

    Secrets = Mapping[str, str]

Node = dict[str, Any]

INTERFACE, GROUP = "Management1", "LOGIN"
ACL, ACL_IPV6 = "MANAGEMENT", "MANAGEMENT-IPV6"
ROLES = {"admin": (15, "network-admin"), "operator": (1, "network-operator")}


def facts_of(site: ManagementView, secrets: Secrets) -> Node:
    """Describe management, but for the VRF, which is in a list with the others."""
    vrf, aaa, snmp = site.vrf, site.aaa, site.snmp
    lists = {"ip_access_group_in": ACL, "ipv6_access_group_in": ACL_IPV6}
    groups = lists if site.allow else {}
    return {
        "clock": {"timezone": site.time_zone},
        "management_interfaces": [{"name": INTERFACE, "vrf": vrf, "ip_address": site.prefix}],
        "static_routes": [{"prefix": "0.0.0.0/0", "vrf": vrf, "next_hop": site.gateway}],
        "ntp": {
            "vrf": vrf,
            "local_interface": {"name": INTERFACE, "vrf": vrf},
            "servers": [{"name": server, "iburst": True} for server in site.ntp],
        },
        "local_users": [
            _user(user, secrets) for user in site.users if user.key or user.secret in secrets
        ],
        "management_ssh": {"vrfs": [{"name": vrf, "enable": True, **groups}], **groups},
        **({"banners": {"login": f"{site.banner}\nEOF\n"}} if site.banner else {}),
        **(_aaa(aaa, vrf, secrets) if aaa and aaa.protocol != "ldap" else {}),
        **({"snmp_server": _snmp(site, snmp, secrets)} if snmp and secrets else {}),
        **(_lists(site) if site.allow else {}),
        **_servers(site),
        **_api(site),
    }


def _lists(site: ManagementView) -> Node:
    """Describe the lists of who may manage the switch."""
    permitted = [
        {"sequence": 1 + at, "action": "permit", "source": prefix}
        for at, prefix in enumerate(site.allow)
    ]
    rest = [{"sequence": 1000, "action": "deny any"}]
    return {
        "standard_access_lists": [{"name": ACL, "entries": permitted}],
        "ipv6_standard_access_lists": [{"name": ACL_IPV6, "sequence_numbers": rest}],
    }


def _servers(site: ManagementView) -> Node:
    """Describe the servers of names and of logs."""
    names = [{"ip_address": server} for server in site.dns]
    hosts = [{"name": server} for server in site.syslog]
    logging = {"name": site.vrf, "source_interface": INTERFACE, "hosts": hosts}
    return {
        **({"ip_name_server": {"vrfs": [{"name": site.vrf, "servers": names}]}} if names else {}),
        **({"logging": {"vrfs": [logging]}} if hosts else {}),
    }


def _user(user: UserView, secrets: Secrets) -> Node:
    """Describe a local user."""
    privilege, role = ROLES[user.role]
    secret = secrets.get(user.secret)
    password = {"sha512_password": secret} if secret else {"no_password": True}
    key = {"ssh_key": user.key} if user.key else {}
    return {"name": user.name, "privilege": privilege, "role": role, **password, **key}


def _aaa(aaa: AaaView, vrf: str, secrets: Secrets) -> Node:
    """Describe the servers that authenticate logins; without their key there are none."""
    if aaa.secret not in secrets:
        return {}
    key = {"key": secrets[aaa.secret], "key_type": "0"}
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


def _snmp(site: ManagementView, snmp: SnmpView, secrets: Secrets) -> Node:
    """Describe SNMPv3."""
    vrf, lists = site.vrf, dict[str, Any]()
    if site.allow:
        lists["ipv4_acls"] = [{"name": ACL, "vrf": vrf}]
        lists["ipv6_acls"] = [{"name": ACL_IPV6, "vrf": vrf}]
    return {
        **lists,
        **({"contact": snmp.contact} if snmp.contact else {}),
        **({"location": snmp.location} if snmp.location else {}),
        "groups": [{"name": "READ", "version": "v3", "authentication": "priv"}],
        "users": [
            {
                "name": user.name,
                "group": "READ",
                "version": "v3",
                "auth": "sha",
                "auth_passphrase": secrets[user.auth],
                "priv": "aes",
                "priv_passphrase": secrets[user.privacy],
            }
            for user in snmp.users
        ],
        "vrfs": [{"name": "default", "enable": False}, {"name": vrf, "enable": True}],
    }


def _api(site: ManagementView) -> Node:
    """Describe the interfaces for programs, but for NETCONF, for which AVD has no key."""
    vrf, found = site.vrf, dict[str, Any]()
    groups = {"access_group": ACL, "ipv6_access_group": ACL_IPV6} if site.allow else {}
    if "http" in site.api:
        vrfs = [{"name": vrf, **groups}]
        found["management_api_http"] = {"enable_https": True, "enable_vrfs": vrfs}
    if "gnmi" in site.api:
        group = {"ip_access_group": ACL} if site.allow else {}
        transport = {"grpc": [{"name": "default", "vrf": vrf, **group}]}
        found["management_api_gnmi"] = {"transport": transport}
    return found
