"""The kernel's namespaces and mounts.

Owns every call into libc. A network namespace belongs to a thread, and processes inherit it; Python
wraps none of this before 3.12, so it uses ctypes. It knows no fabric.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

NEWNS, NEWUTS, NEWUSER, NEWPID, NEWNET = 0x00020000, 0x04000000, 0x10000000, 0x20000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
PR_SET_PDEATHSIG = 1
THREADS = 4
"""Threads that work inside namespaces; more would wait for the kernel's lock on links."""

MOST_FILES = 1 << 16
"""Open files of a lab, if its user may: the usual limit of a thousand is too low."""

NAMES = Path("/run/netns")
"""The directory of names that `ip netns` reads."""

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    """Raise OSError where a call failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Move this thread into new namespaces. Raises OSError."""
    _check(_libc.unshare(flags), "unshare")


def mount(
    source: str, target: Path | str, kind: str = "", flags: int = 0, options: str = ""
) -> None:
    """Mount a file system. Raises OSError."""
    _check(
        _libc.mount(
            source.encode(),
            str(target).encode(),
            kind.encode() or None,
            flags,
            options.encode() or None,
        ),
        f"mount {target}",
    )


def set_host_name(name: str) -> None:
    """Set the host name for this thread's processes. Raises OSError."""
    word = name.encode()
    _check(_libc.sethostname(word, len(word)), "sethostname")


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")


def enter(descriptor: int) -> None:
    """Move this thread into a network namespace. Raises OSError."""
    _check(_libc.setns(descriptor, NEWNET), "setns")


def can_map_users() -> bool:
    """Return whether this user may create namespaces without root.

    A child tries it, because it depends on kernel, distribution and container.
    """
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            unshare(NEWUSER | NEWNET | NEWNS | NEWPID)
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def leave(*, as_root: bool) -> None:
    """Leave every namespace of the machine; the next child is the first process of its own.

    The caller has a single thread. Raises OSError.
    """
    unshare((0 if as_root else NEWUSER) | NEWNS | NEWNET | NEWPID)


def map_all_users(number: int) -> bool:
    """Map all users into a process that left our user namespace; return whether we may.

    Only root may; the programs of the process can then choose their groups.
    """
    try:
        for kind in ("uid", "gid"):
            Path(f"/proc/{number}/{kind}_map").write_text("0 0 4294967295\n", encoding="ascii")
    except OSError:
        return False
    return True


def map_alone(user: int, group: int) -> None:
    """Map the current user and group to root, the only mapping an ordinary user may make.

    Raises OSError.
    """
    Path("/proc/self/uid_map").write_text(f"0 {user} 1\n", encoding="ascii")
    Path("/proc/self/setgroups").write_text("deny\n", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1\n", encoding="ascii")


def own_mounts() -> None:
    """Make later mounts private. Raises OSError."""
    mount("none", "/", flags=MS_REC | MS_PRIVATE)


def may_choose_groups() -> bool:
    """Return whether programs here may choose their groups, which some need to drop privileges."""
    return Path("/proc/self/setgroups").read_text(encoding="ascii").strip() == "allow"


class Namespaces:
    """The network namespaces of one lab, by name, and threads that work inside them."""

    def __init__(self) -> None:
        """Create the private directory of names, and raise the limit of open files."""
        NAMES.mkdir(parents=True, exist_ok=True)
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(
            resource.RLIMIT_NOFILE,
            (MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES), hard),
        )
        self._descriptors: dict[str, int] = {}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lab")

    def make(self, names: Sequence[str]) -> None:
        """Create a namespace for each name. Raises OSError."""
        worker = threading.Thread(target=self._make, args=(names,))
        failed: list[BaseException] = []
        self._failed = failed
        worker.start()
        worker.join()
        if failed:
            raise failed[0]

    def _make(self, names: Sequence[str]) -> None:
        """Create namespaces in a temporary thread, because it ends in the last of them."""
        try:
            for name in names:
                unshare(NEWNET)
                path = NAMES / name
                path.touch()
                mount("/proc/thread-self/ns/net", path, flags=MS_BIND)
                self._descriptors[name] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except BaseException as error:  # noqa: BLE001 - carried over to the thread that asked
            self._failed.append(error)

    def inside(self, name: str, work: Callable[[], T]) -> T:
        """Call a function inside a namespace and return its result."""
        return self._threads.submit(self._inside, name, work).result()

    def each(self, names: Sequence[str], work: Callable[[str], T]) -> list[T]:
        """Call a function inside each namespace, several at once; results are in order."""
        return list(self._threads.map(lambda name: self._inside(name, lambda: work(name)), names))

    def _inside(self, name: str, work: Callable[[], T]) -> T:
        """Call a function inside a namespace, in which this thread of the pool stays."""
        enter(self._descriptors[name])
        return work()
