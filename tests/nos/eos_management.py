"""Management in the keys of Arista's `eos_cli_config_gen`, from the inventory and not the pack."""

from __future__ import annotations

from typing import Any

Node = dict[str, Any]

VRF, PORT = "mgmt", "Management1"
ROLES = {"admin": (15, "network-admin"), "operator": (1, "network-operator")}


def facts_of(asked: Node, secrets: dict[str, str]) -> Node:
    """Describe the management of the first switch: its address is the second of the pool."""
    network = asked["pool"].rsplit(".", 1)[0]
    facts: Node = {
        "hostname": "r0-leaf-1",
        "vrfs": [{"name": VRF}],
        "clock": {"timezone": asked.get("time_zone", "UTC")},
        "management_interfaces": [{"name": PORT, "vrf": VRF, "ip_address": f"{network}.2/24"}],
        "static_routes": [{"vrf": VRF, "prefix": "0.0.0.0/0", "next_hop": f"{network}.1"}],
        "ntp": {
            "vrf": VRF,
            "local_interface": {"name": PORT, "vrf": VRF},
            "servers": [{"name": server, "iburst": True} for server in asked["ntp"]],
        },
        "local_users": [user for user in (_user(user, secrets) for user in asked["users"]) if user],
        "management_ssh": {"vrfs": [{"name": VRF, "enable": True}]},
    }
    if asked.get("dns"):
        servers = [{"ip_address": server} for server in asked["dns"]]
        facts["ip_name_server"] = {"vrfs": [{"name": VRF, "servers": servers}]}
    if asked.get("syslog"):
        hosts = [{"name": server} for server in asked["syslog"]]
        facts["logging"] = {"vrfs": [{"name": VRF, "hosts": hosts, "source_interface": PORT}]}
    if asked.get("banner"):
        facts["banners"] = {"login": asked["banner"].rstrip("\n") + "\nEOF\n"}
    if "http" in asked.get("api", []):
        facts["management_api_http"] = {"enable_https": True, "enable_vrfs": [{"name": VRF}]}
    if "gnmi" in asked.get("api", []):
        grpc = [{"name": "default", "vrf": VRF}]
        facts["management_api_gnmi"] = {"transport": {"grpc": grpc}}
    return facts | (_remote(asked, secrets) if secrets else {})


def _user(user: Node, secrets: dict[str, str]) -> Node:
    """Describe a user; one without a key is left out where there are no secrets."""
    secret = secrets.get(user.get("secret", ""))
    if not (secret or user.get("key")):
        return {}
    privilege, role = ROLES[user.get("role", "admin")]
    password = {"sha512_password": secret} if secret else {"no_password": True}
    key = {"ssh_key": user["key"]} if "key" in user else {}
    return {"name": user["name"], "privilege": privilege, "role": role, **password, **key}


def _remote(asked: Node, secrets: dict[str, str]) -> Node:
    """Describe what takes secrets: SNMP and the servers of logins."""
    aaa, snmp = asked["aaa"], asked["snmp"]
    servers = [{"server": server, "vrf": VRF} for server in aaa["servers"]]
    return {
        "snmp_server": {
            "location": snmp["location"],
            "contact": snmp["contact"],
            "vrfs": [{"name": VRF, "enable": True}, {"name": "default", "enable": False}],
            "groups": [{"name": "READ", "version": "v3", "authentication": "priv"}],
            "users": [
                {
                    "name": user["name"],
                    "group": "READ",
                    "version": "v3",
                    "auth": "sha",
                    "auth_passphrase": secrets[user["auth"]],
                    "priv": "aes",
                    "priv_passphrase": secrets[user["privacy"]],
                }
                for user in snmp["users"]
            ],
        },
        "tacacs_servers": {
            "hosts": [
                {"host": server, "vrf": VRF, "key": secrets[aaa["secret"]], "key_type": "0"}
                for server in aaa["servers"]
            ]
        },
        "aaa_server_groups": [{"name": "LOGIN", "type": "tacacs+", "servers": servers}],
        "aaa_authentication": {"login": {"default": "group LOGIN local"}},
        "aaa_authorization": {"exec": {"default": "group LOGIN local"}},
    }
