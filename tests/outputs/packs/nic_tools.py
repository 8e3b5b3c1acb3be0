"""Stand-ins for the NICs of a host and for the tools that set their lossless class.

They keep the settings below FABRIC_ROOT and print them as the real tools do. `mkdir` makes the
files that the kernel makes in a directory of configfs.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.conftest import SYSTEM_PATH

if TYPE_CHECKING:
    from pathlib import Path

    from fabricgen.views.hosts.view import HostView

MLNX_QOS = r"""kept=$FABRIC_ROOT/nics/$2
shift 2
case "${1-} $*" in
"--trust "*--dscp2prio*) exit 1 ;;  # as the real one does
"--trust "*) echo "$2" >"$kept.trust" ;;
"--pfc "*) echo "$2" | tr , ' ' >"$kept.pfc" ;;
"--dscp2prio "*) printf '%s\n' "$@" | sed -n 's/^set,//p' >"$kept.classes" ;;
*)
    echo "Priority trust state: $(cat "$kept.trust")"
    awk -F, '{
        if (count[$2]++ % 8 == 0) lines[$2] = lines[$2] sprintf("\n\tprio:%d dscp:", $2)
        lines[$2] = lines[$2] sprintf("%02d,", $1)
    } END { for (prio in lines) print substr(lines[prio], 2) }' "$kept.classes"
    printf 'PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n'
    printf '\tenabled     %s\n' "$(sed 's/ /   /g' "$kept.pfc")" ;;
esac
"""

DCB = r"""[ "$1" = -N ] && shift
kept=$FABRIC_ROOT/nics/$4
case "$1 $2" in
"app replace") shift 6; shift; echo "dscp-prio $*" >"$kept.app" ;;
"app show") cat "$kept.app" ;;
"pfc set") echo "prio-pfc 0:off 1:off 2:off ${7%:*}:on 4:off 5:off 6:off 7:off" >"$kept.pfc" ;;
"pfc show") cat "$kept.pfc" ;;
esac
"""

MKDIR = r"""/bin/mkdir "$1" && /bin/mkdir -p "$1/ports/1" && echo 0 >"$1/ports/1/default_roce_tos"
"""

TOOLS = {"mlnx_qos": MLNX_QOS, "dcb": DCB, "mkdir": MKDIR, "modprobe": ""}


def make_nics(root: Path, view: HostView) -> None:
    """Make the tools in `tools`, and the NICs' files in /sys that set congestion control."""
    (root / "tools").mkdir()
    for name, text in TOOLS.items():
        program = root / "tools" / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >>"$FABRIC_ROOT/commands"\n{text}')
        program.chmod(0o755)
    (root / "nics").mkdir()
    (root / "sys/kernel/config/rdma_cm").mkdir(parents=True)
    for nic in view.nics:
        ecn = root / "sys/class/net" / nic.interface / "ecn"
        for side in ("roce_rp", "roce_np"):
            (ecn / side / "enable").mkdir(parents=True)
            for priority in range(8):
                (ecn / side / f"enable/{priority}").write_text("0\n")
        (ecn / "roce_np/cnp_dscp").write_text("0\n")
        (ecn / "roce_np/cnp_802p_prio").write_text("0\n")


def run_on(root: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the host with dash, the stand-ins and simulated files."""
    path = f"{root / 'tools'}:{root / 'bin'}:{SYSTEM_PATH}"
    return subprocess.run(
        ["/bin/sh", "-s"],
        input=script,
        env={"PATH": path, "FABRIC_ROOT": str(root), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
