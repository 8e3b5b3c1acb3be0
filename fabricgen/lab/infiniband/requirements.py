"""Whether this machine can run an InfiniBand lab: which programs it takes, and which subnets are run.

Owns that list. No kernel InfiniBand is needed; what every lab needs of the kernel is `fitting`'s.
"""

from __future__ import annotations

import os
import shutil

from fabricgen.core.diagnostics import refuse
from fabricgen.lab.infiniband.opensm import library
from fabricgen.lab.requirements import Need, doctor

PACKAGES = {
    "ibsim": "ibsim-utils",
    "opensm": "opensm",
    "ibtracert": "infiniband-diags",
    "ibnetdiscover": "infiniband-diags",
    "ibdmchk": "ibutils",
}
"""Each program and the Debian package that brings it."""


def needs() -> list[Need]:
    """Return the programs that an InfiniBand lab takes, beside what every lab needs."""
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
    """Refuse to start where something is missing. Raises Refusal `lab-needs`."""
    missing = [need for need in (doctor()[0], *needs()) if not need.ok]
    if missing:
        because = tuple(f"{need.what}: {need.found}" for need in missing)
        raise refuse(
            "lab-needs",
            "this machine cannot boot a lab",
            because=because,
            hint="; ".join(dict.fromkeys(need.install for need in missing)),
        )
