"""Whether this machine can run an InfiniBand lab: the programs that it needs.

No kernel InfiniBand is needed; `lab.requirements` lists what every lab needs of the kernel.
"""

from __future__ import annotations

import os
import shutil

from fabricgen.lab.infiniband.opensm import library
from fabricgen.lab.requirements import Need, doctor, verify_needs

PACKAGES = {
    "ibsim": "ibsim-utils",
    "opensm": "opensm",
    "ibtracert": "infiniband-diags",
    "ibnetdiscover": "infiniband-diags",
    "ibdmchk": "ibutils",
}
"""Program -> the Debian package that contains it."""


def needs() -> list[Need]:
    """Return the programs that an InfiniBand lab needs in addition."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    found = {
        **{name: shutil.which(name, path=path) for name in PACKAGES},
        "libumad2sim": str(library() or "") or None,
    }
    return [
        Need(
            f"{name}, for InfiniBand only",
            where or "not installed",
            ok=bool(where),
            install=f"apt-get install {PACKAGES.get(name, 'libumad2sim0')}",
        )
        for name, where in found.items()
    ]


def check_machine() -> None:
    """Verify that nothing is missing. Raises Refusal `lab-needs`."""
    verify_needs([doctor()[0], *needs()])
