"""Commands in a node of a running lab, on the user's terminal.

It knows the record of the lab and no fabric, so that a command starts at once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.core.diagnostics import Refusal, refuse, suggest
from fabricgen.lab.process_tree import children

if TYPE_CHECKING:
    from fabricgen.lab.registry import LabRegistry


def inside(registry: LabRegistry, node: str, command: list[str]) -> int:
    """Run a command in a node of a running lab, on this terminal, and return its exit code.

    Raises Refusal where there is no such node.
    """
    facts = registry.facts
    if node not in facts["nodes"]:
        raise _unknown(node, facts["nodes"])
    first = next(iter(children(facts["guard"])), None)
    if first is None:
        raise refuse(
            "no-such-lab",
            f"the lab `{registry.name}` has ended",
            hint="`fabricgen lab up` boots it again",
        )
    own = [] if _same_user_space(first) else ["--user", "--preserve-credentials"]
    words = [
        "nsenter",
        "--target",
        str(first),
        *own,
        "--mount",
        "--pid",
        "--",
        "ip",
        "netns",
        "exec",
        node,
        *command,
    ]
    sys.stdout.flush()
    return subprocess.run(words, check=False).returncode  # noqa: S603 - the user's own command


def _same_user_space(number: int) -> bool:
    """Return whether a process shares our user namespace."""
    return Path(f"/proc/{number}/ns/user").readlink() == Path("/proc/self/ns/user").readlink()


def _unknown(node: str, nodes: list[str]) -> Refusal:
    """Return the refusal of an unknown node."""
    return refuse(
        "no-such-node",
        f"the lab has no node `{node}`",
        hint=suggest(node, nodes, f"nodes are {nodes[0]}, d0-g0, hb:0 and the like"),
    )
