"""The collections of Ansible that `make tools` fetched, with a fake device behind a connection.

The action plugins, the modules and the plugins of each NOS are those of the release. The fake takes
the place of SSH and NETCONF alone: it answers, and keeps what it is offered.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from tests import ROOT

if TYPE_CHECKING:
    from pathlib import Path

WHEELS = ROOT / ".venv-tools/collections"
NEEDED = ("ansible/netcommon", "ansible/utils", "arista/eos", "cisco/nxos", "junipernetworks/junos")
OFFERED = "offered.jsonl"

KEPT = """

import base64 as _base64, json as _json, os as _os, time as _time


def _kept(kind, content):
    content = content if isinstance(content, bytes) else content.encode()
    with open(_os.path.expanduser("~/offered.jsonl"), "a") as log:
        log.write(_json.dumps([kind, _base64.b64encode(content).decode()]) + "\\n")


def _answers():
    with open(_os.path.expanduser("~/answers.json")) as text:
        return _json.load(text)
"""
CLI = """

def _connect(self):
    self._connected = True
    self._matched_prompt = b"switch#"
    return b""


def _send(self, command, *args, **options):
    _kept("command", command)
    text = command.decode()
    return next((own for start, own in _answers().items() if text.startswith(start)), "")


def _copied(self, source=None, destination=None, proto="scp", timeout=30):
    with open(source, "rb") as content:
        _kept("file", content.read())


def _missing(self, source=None, destination=None, proto="scp", timeout=30):
    raise AnsibleError("No such file or directory")


Connection._connect, Connection.send = _connect, _send
Connection.copy_file, Connection.get_file = _copied, _missing
Connection._on_become = lambda self, become_pass=None: None
"""
NETCONF = """

class _Reply:
    data_xml = xml = (
        "<rpc-reply><software-information/><configuration-set>set x</configuration-set>"
        "<configuration-information><configuration-output>+ x</configuration-output>"
        "</configuration-information></rpc-reply>"
    )


class _Manager:
    connected = True
    session_id = "1"
    server_capabilities = client_capabilities = ("urn:ietf:params:netconf:base:1.0",)

    def load_configuration(self, config=None, **options):
        _kept("file", config)
        return _Reply()

    def close_session(self):
        pass

    def __getattr__(self, name):
        return lambda *values, **options: _Reply()


def _connect(self):
    self._manager, self._connected = _Manager(), True
    return 0, b"1", b""


Connection._connect = _connect
"""


def unpack_collections(home: Path) -> bool:
    """Write the collections below a home, with the fake; False where there are none."""
    found = sorted(WHEELS.glob("*.whl"), reverse=True)
    root = home / ".ansible/collections"
    for wheel in found:
        with ZipFile(wheel) as packed:
            names = [
                name
                for name in packed.namelist()
                if name.startswith(tuple(f"ansible_collections/{own}/" for own in NEEDED))
                and "/tests/" not in name
                and not (root / name).exists()
            ]
            packed.extractall(root, names)
    for name, fake in (("network_cli", CLI), ("netconf", NETCONF)):
        path = root / f"ansible_collections/ansible/netcommon/plugins/connection/{name}.py"
        if found:
            path.write_text(path.read_text("utf-8") + KEPT + fake, encoding="utf-8")
    return bool(found)


def versions(home: Path) -> dict[str, str]:
    """Return the version of each collection."""
    root = home / ".ansible/collections/ansible_collections"
    manifests = (json.loads((root / own / "MANIFEST.json").read_text("utf-8")) for own in NEEDED)
    infos = [own["collection_info"] for own in manifests]
    return {f"{own['namespace']}.{own['name']}": own["version"] for own in infos}


def offered(home: Path) -> list[tuple[str, bytes]]:
    """Return what the device was offered so far, and forget it: commands and files."""
    log = home / OFFERED
    found: list[list[Any]] = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    log.unlink()
    return [(kind, base64.b64decode(content)) for kind, content in found]
