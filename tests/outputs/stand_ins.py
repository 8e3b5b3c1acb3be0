"""Modules of Ansible and programs of switches for tests, which log how they are called.

A module takes the arguments that its collection documents (`ansible_modules.yaml`) and no others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

Arguments = dict[str, Any]

DOCUMENTED: dict[str, dict[str, Arguments]] = YAML(typ="safe", pure=True).load(
    Path(__file__).with_name("ansible_modules.yaml")
)
LOG = "calls.jsonl"

MODULE = """#!/usr/bin/python
import json, os
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule(argument_spec=json.loads({spec!r}), supports_check_mode=True)
given = {{name: value for name, value in module.params.items() if value is not None}}
with open(os.path.expanduser("~/{log}"), "a") as log:
    log.write(json.dumps([{name!r}, module.check_mode, given]) + "\\n")
module.exit_json(changed=True, **json.loads({answer!r}))
"""
PROGRAM = """#!/bin/sh
echo "[\\"$(basename "$0")\\", \\"$*\\"]" >> ~/{log}
case "$*" in
{cases}
esac
"""
CONNECTION = """
import os, sys, tempfile, traceback
from ansible.plugins.connection import local

DOCUMENTATION = local.DOCUMENTATION.replace("name: local", "name: here")
PLAIN = f"/bin/sh -c '{sys.executable} && sleep 0'"


class Connection(local.Connection):
    transport = "here"

    def exec_command(self, cmd, in_data=None, sudoable=True):
        if cmd != PLAIN or in_data is None:
            return super().exec_command(cmd, in_data, sudoable)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if not child:
                run(in_data, out, err)
            _, status = os.waitpid(child, 0)
            out.seek(0)
            err.seek(0)
            return os.waitstatus_to_exitcode(status), out.read(), err.read()


def run(module, out, err):
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.stdout, sys.stderr = open(1, "w"), open(2, "w")
    code = 1
    try:
        exec(module, {"__name__": "__main__"})
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
"""


def write_collections(home: Path, answers: dict[str, Arguments]) -> None:
    """Write a module for each documented one, which returns its answer."""
    for name, documented in DOCUMENTED.items():
        namespace, collection, module = name.split(".")
        root = home / ".ansible/collections/ansible_collections" / namespace / collection
        (root / "plugins/modules").mkdir(parents=True, exist_ok=True)
        manifest = {"namespace": namespace, "name": collection, "version": documented["version"]}
        (root / "MANIFEST.json").write_text(
            json.dumps({"collection_info": manifest, "format": 1}), encoding="utf-8"
        )
        own = answers.get(name, {})
        if "stdout" in own:
            own = own | {"stdout_lines": []}  # Ansible makes lines of a text alone
        spec, answer = json.dumps(documented["options"]), json.dumps(own)
        text = MODULE.format(spec=spec, log=LOG, name=name, answer=answer)
        (root / f"plugins/modules/{module}.py").write_text(text, encoding="utf-8")


def write_programs(home: Path, programs: dict[str, dict[str, str]]) -> Path:
    """Write programs that run a command of the shell by the pattern of their arguments."""
    folder = home / "bin"
    folder.mkdir(exist_ok=True)
    for name, answers in programs.items():
        cases = "\n".join(f"{pattern}) {run} ;;" for pattern, run in answers.items())
        (folder / name).write_text(PROGRAM.format(log=LOG, cases=cases), encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def write_connection(home: Path) -> None:
    """Let `ansible_connection: here` run each module in a copy of the process that sends it.

    A Python that starts anew and imports what all modules need would be most of a task's time. What
    is not just that Python, as with `become` or `environment`, runs as on any machine. No run lives
    long enough to have garbage worth a search.
    """
    (home / "bin").mkdir(exist_ok=True)
    (home / "bin/sitecustomize.py").write_text("import gc\n\ngc.disable()\n", encoding="utf-8")
    folder = home / ".ansible/plugins/connection"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "here.py").write_text(CONNECTION, encoding="utf-8")


def calls(home: Path) -> list[list[Any]]:
    """Return the calls so far, and forget them."""
    log = home / LOG
    found = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    log.unlink()
    return found
