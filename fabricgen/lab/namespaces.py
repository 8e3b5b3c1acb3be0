"""What the kernel is asked for: namespaces, mounts, and being somebody's child.

Owns every call into libc. A namespace of the network belongs to a thread, and what a thread starts
inherits it; Python offers none of this before 3.12, so it goes through ctypes. It knows no fabric.
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
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

NEWNS, NEWUTS, NEWUSER, NEWPID, NEWNET = 0x00020000, 0x04000000, 0x10000000, 0x20000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
PR_SET_PDEATHSIG = 1
THREADS = 4
"""Threads that work inside namespaces; more only wait for the kernel's one lock on links."""

MOST_FILES = 1 << 16
"""Open files that a lab allows itself, if its user may: a thousand, as systems allow unasked, are too few."""

NAMES = Path("/run/netns")
"""Where `ip netns` looks for names."""

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    """Raise OSError where a call failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give this thread namespaces of its own. Raises OSError."""
    _check(_libc.unshare(flags), "unshare")


def mount(
    source: str, target: Path | str, kind: str = "", flags: int = 0, options: str = ""
) -> None:
    """Mount something. Raises OSError."""
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
    """Name the machine that this thread's processes see. Raises OSError."""
    word = name.encode()
    _check(_libc.sethostname(word, len(word)), "sethostname")


def die_with_parent() -> None:
    """Ask to be killed when the parent ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")


def enter(descriptor: int) -> None:
    """Move this thread into a namespace of the network. Raises OSError."""
    _check(_libc.setns(descriptor, NEWNET), "setns")


def can_map_users() -> bool:
    """Say whether this user may make namespaces without being root: tried in a child, for the answer hangs on kernel, distribution and container."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            unshare(NEWUSER | NEWNET | NEWNS | NEWPID)
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def leave(*, as_root: bool) -> None:
    """Leave every namespace of the machine; the next child is the first process of its own. The caller has one thread only. Raises OSError."""
    unshare((0 if as_root else NEWUSER) | NEWNS | NEWNET | NEWPID)


def map_everybody(number: int) -> bool:
    """Let a process that left our users see all of them as they are, and its programs choose their groups; say whether we may: only root may."""
    try:
        for kind in ("uid", "gid"):
            Path(f"/proc/{number}/{kind}_map").write_text("0 0 4294967295\n", encoding="ascii")
    except OSError:
        return False
    return True


def map_alone(user: int, group: int) -> None:
    """Call the one user and group that we were root; all that an ordinary user may. Raises OSError."""
    Path("/proc/self/uid_map").write_text(f"0 {user} 1\n", encoding="ascii")
    Path("/proc/self/setgroups").write_text("deny\n", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1\n", encoding="ascii")


def own_mounts() -> None:
    """Keep what is mounted from now on to ourselves. Raises OSError."""
    mount("none", "/", flags=MS_REC | MS_PRIVATE)


def may_choose_groups() -> bool:
    """Say whether programs here may choose their groups, as some insist on when they give up their rights."""
    return Path("/proc/self/setgroups").read_text(encoding="ascii").strip() == "allow"


class Networks:
    """The network namespaces of one lab, by name, and threads that work inside them."""

    def __init__(self) -> None:
        """Prepare the directory of names, which must be ours alone, and room for open files."""
        NAMES.mkdir(parents=True, exist_ok=True)
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(
            resource.RLIMIT_NOFILE,
            (MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES), hard),
        )
        self._descriptors: dict[str, int] = {}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lab")

    def make(self, names: Sequence[str]) -> None:
        """Make a namespace for each name. Raises OSError."""
        worker = threading.Thread(target=self._make, args=(names,))
        failed: list[BaseException] = []
        self._failed = failed
        worker.start()
        worker.join()
        if failed:
            raise failed[0]

    def _make(self, names: Sequence[str]) -> None:
        """Make namespaces in a thread that is thrown away, because it ends in the last of them."""
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
        """Do some work inside a namespace and wait for it."""
        return self._threads.submit(self._inside, name, work).result()

    def each(self, names: Sequence[str], work: Callable[[str], T]) -> list[T]:
        """Do some work inside each namespace, several at once; the results come in order."""
        return list(self._threads.map(lambda name: self._inside(name, lambda: work(name)), names))

    def _inside(self, name: str, work: Callable[[], T]) -> T:
        """Work inside a namespace; every thread of the pool stays in the last one it was in."""
        enter(self._descriptors[name])
        return work()


@contextlib.contextmanager
def own_host_name(name: str) -> Iterator[None]:
    """Give what this thread starts a host name of its own; the thread keeps the namespace, so it belongs to the pool."""
    unshare(NEWUTS)
    set_host_name(name)
    yield
