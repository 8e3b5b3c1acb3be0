"""The playbooks of each NOS with hostile texts, on a fake device, by the collections' own code.

No file of a build is a template for Ansible: no text in it runs a command on the machine of the
operator, and the device is offered the bytes of the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabricgen.outputs.packs.render import Packs
from tests.outputs.ansible_collections_of_tests import offered, unpack_collections, versions
from tests.outputs.packs.managed import FULL, SECRETS
from tests.outputs.stand_ins import calls, write_collections, write_programs
from tests.outputs.test_push import EVERY_API, LINUX, play, small_plan, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import NoReturn

    from tests.conftest import PythonTool

FAULTY = "8.7.1"
"""The release of ansible.netcommon that renders each file which a module gets by its path."""
RUN = "{{ lookup('pipe', 'touch $HOME/ran') }}"
HOSTILE = f"{RUN} {{{{ 7 * 7 }}}} {{% endraw %}} {{# {RUN} #}} {{% if %}}"
"""Expressions, a statement that ends a raw block, a comment, and a statement without an end."""
MARK = b"{{ 7 * 7 }}"
PLACED = {"frr": "!", "eos": "!", "nxos": "!", "junos": "#"}
"""How a comment begins, where the configuration has any."""
COMMANDS = {"nxos": "nxos.cfg", "eos": "startup-config.cfg", "junos": "junos.set"}


def hostile(nos: str, home: Path) -> Path:
    """Build a fabric with such texts wherever an inventory, a pack or a secret may have one."""
    keys: dict[str, Any] = {}
    roots = [home / "templates"] if nos in PLACED else []
    if nos in PLACED:
        line = f"{PLACED[nos]} {HOSTILE}"
        (roots[0] / nos).mkdir(parents=True)
        hook = roots[0] / nos / "site.after.j2"
        hook.write_text(f"{{{{ {json.dumps(line)} }}}} of a pack\n", encoding="utf-8")
        keys["overrides"] = [{"text": f"{line} of the inventory"}]
    elif nos in ("sonic", "srlinux"):
        keys["overrides"] = [{"text": json.dumps({"site": HOSTILE})}]
    full = FULL | {"api": EVERY_API["api"], "banner": HOSTILE}
    packs = Packs(roots)
    packs.secrets.values = SECRETS | {"env:AAA_KEY": "{{7*7}}"}
    folder = written(small_plan(nos, management=full, **keys), home / "out", packs)
    read = files_of(folder) | files_of(home / "out/cluster/ansible")
    assert not [name for name, content in read.items() if MARK in content], "Ansible renders these"
    return folder


def of_load(folder: Path, nos: str) -> str:
    """Write a playbook that loads without a verification, and return its name."""
    tasks = [{"ansible.builtin.import_tasks": f"{nos}/load.yml"}]
    text = json.dumps([{"hosts": "switches", "gather_facts": False, "tasks": tasks}])
    (folder / "load.yml").write_text(text, encoding="utf-8")
    return "load"


def files_of(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


ANSWERS = {
    "show version | json": '{"version": "4.34.2F", "modelName": "x"}',
    "show hostname | json": '{"hostname": "x"}',
    "dir": "  -rw-  12  before-push.cfg\n  -rw-  12  push.cfg\n",
    "show configuration sessions": "Maximum number of completed sessions: 1",
    "show session-config": "+ changed",
    "show running-config": "hostname old",
    "show startup-config": "hostname older",
}
"""What the device answers, by how a command begins."""


def lines_of(file: bytes) -> list[bytes]:
    """Return the lines of a configuration that a device is offered one by one."""
    lines = [line.strip() for line in file.splitlines()]
    return [line for line in lines if line and not line.startswith(b"!") and line != b"end"]


@pytest.mark.slow
@pytest.mark.parametrize("nos", COMMANDS)
def test_a_device_is_offered_the_bytes_of_the_file(
    nos: str,
    python_tool: PythonTool,
    out_of_reach: Callable[[str], NoReturn],
    tmp_path: Path,
) -> None:
    """By the modules of a release that renders files; no copy is left beside the playbooks."""
    if not unpack_collections(tmp_path):
        out_of_reach("the collections of Ansible are not here: make tools")
    assert versions(tmp_path)["ansible.netcommon"] == FAULTY
    (tmp_path / "answers.json").write_text(json.dumps(ANSWERS), encoding="utf-8")
    folder = hostile(nos, tmp_path)
    books = ("compare", of_load(folder, nos))
    before = files_of(folder)
    file = (tmp_path / "out/configs/r0-leaf-1" / COMMANDS[nos]).read_bytes()
    assert MARK in file
    made = []
    for book in books:
        one = ("--limit", "r0-leaf-1")
        done = python_tool("ansible-playbook", f"{book}.yml", *one, "-v", cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        made.append(offered(tmp_path))
    files, commands = (
        [[content for own, content in found if own == kind] for found in made]
        for kind in ("file", "command")
    )
    assert files == [[file] * times for times in FILES[nos]]
    if nos == "eos":
        assert is_within(lines_of(file), lines_of(b"\n".join(commands[0])))
        assert is_within([b"dir flash:", b"delete flash:push.cfg"], commands[1])
    if nos == "nxos":
        assert is_within(lines_of(file), commands[1])
        assert not is_within([b"configure terminal"], commands[0])
    assert not (tmp_path / "ran").exists()
    assert before == files_of(folder)


FILES = {"eos": (0, 1), "nxos": (0, 0), "junos": (1, 1)}
"""How often a comparison and a load offer the whole file, by NOS."""


def is_within(some: list[bytes], every: list[bytes]) -> bool:
    """Return whether a list has the items of another one, in their order."""
    rest = iter(every)
    return all(item in rest for item in some)


@pytest.mark.slow
@pytest.mark.parametrize("nos", ["frr", "sonic", "nvue", "nvos"])
def test_linux_is_sent_the_bytes_of_the_file(
    nos: str, python_tool: PythonTool, tmp_path: Path
) -> None:
    """A switch of Linux has the files of the build, and no text of them ran."""
    folder = hostile(nos, tmp_path)
    books = f"compare {of_load(folder, nos)}"
    before = files_of(folder)
    (tmp_path / "sonic/frr").mkdir(parents=True)
    for name in ("frr.conf", "sonic/config_db.json", "sonic/frr/frr.conf"):
        (tmp_path / name).touch()
    write_programs(tmp_path, LINUX | {"nv": {"*": "true"}})
    own = min(path.name for path in (tmp_path / "out/configs").glob("*/"))
    done = play(python_tool, folder, books, "--limit", own, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    sent, at = SENT[nos]
    file = (tmp_path / "out/configs" / own / sent).read_bytes()
    assert MARK in file
    assert (tmp_path / at).read_bytes() == file
    assert not (tmp_path / "ran").exists()
    assert before.items() <= files_of(folder).items()


SENT = {
    "frr": ("frr.conf", "frr.conf"),
    "sonic": ("config_db.json", "sonic/config_db.json"),
    "nvue": ("startup.yaml", "out/push/push.yaml"),
    "nvos": ("commands.txt", "out/push/push.txt"),
}
"""A file of each NOS, and where a load writes it."""


@pytest.mark.slow
def test_srlinux_is_given_the_values_of_the_file(python_tool: PythonTool, tmp_path: Path) -> None:
    """Its collection is in no package: the arguments are those that a module receives."""
    folder = hostile("srlinux", tmp_path)
    before = files_of(folder)
    write_collections(tmp_path, {})
    done = play(python_tool, folder, "compare", "--limit", "r0-leaf-1", home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    file = (tmp_path / "out/configs/r0-leaf-1/config.json").read_bytes()
    assert MARK in file
    given = next(values for name, _, values in calls(tmp_path) if name == "nokia.srlinux.config")
    assert given["replace"][0]["value"] == json.loads(file)
    assert not (tmp_path / "ran").exists()
    assert before == files_of(folder)
