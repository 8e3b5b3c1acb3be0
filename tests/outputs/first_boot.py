"""A management network in two namespaces: DHCP and web servers, and clients that ask as a NOS does.

`python first_boot.py SERVERS SWITCHES` runs in namespaces of its own. SERVERS is JSON: the address
of the server, its commands, and the web root; SWITCHES lists MAC addresses and wanted options. It
prints the address of each switch and the digest of each file that it was led to.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import struct
import subprocess
import sys
import time
from typing import Any
from urllib.request import urlopen

COOKIE = bytes([99, 130, 83, 99])
OFFER, ACK = 2, 5
CLIENT = "169.254.1.1/16"

Options = dict[int, bytes]


def packet(mac: bytes, number: int, options: Options) -> bytes:
    """Return a request of a client that has no address (RFC 2131)."""
    head = struct.pack("!BBBBIHH", 1, 1, 6, 0, number, 0, 0x8000) + bytes(16)
    body = b"".join(bytes([code, len(value)]) + value for code, value in options.items())
    return head + mac.ljust(16, b"\0") + bytes(192) + COOKIE + body + b"\xff"


def options_of(answer: bytes) -> Options:
    """Read the options of an answer."""
    found, at = Options(), 240
    while answer[at] != 255:
        if answer[at]:
            length = answer[at + 1]
            found[answer[at]] = answer[at + 2 : at + 2 + length]
            at += length + 1
        at += 1
    return found


def exchange(own: socket.socket, request: bytes, kind: int) -> tuple[str, Options]:
    """Send a request until it is answered, and return the address and the options."""
    for _ in range(20):
        own.sendto(request, ("255.255.255.255", 67))
        try:
            while answer := own.recv(4096):
                if answer[4:8] == request[4:8] and options_of(answer)[53][0] == kind:
                    return socket.inet_ntoa(answer[16:20]), options_of(answer)
        except TimeoutError:
            continue
    raise SystemExit(f"no answer of kind {kind}")


def relayed(switch: dict[str, Any]) -> Options:
    """Return option 82, which the OOB switch adds, with a circuit ID and a remote ID (RFC 3046)."""
    ids = [(code, switch[name].encode()) for code, name in ((1, "circuit"), (2, "remote"))]
    body = b"".join(bytes([code, len(own)]) + own for code, own in ids if own)
    return {82: body} if body else {}


def lease(own: socket.socket, number: int, switch: dict[str, Any]) -> tuple[str, Options]:
    """Request an address and the options that a NOS wants."""
    mac = bytes.fromhex(switch["mac"].replace(":", ""))
    listed = {55: bytes([1, 3, 6, 12, 42, *switch["wanted"]]), **relayed(switch)}
    offered, options = exchange(own, packet(mac, number, {53: b"\1", **listed}), OFFER)
    asked = {53: b"\3", 50: socket.inet_aton(offered), 54: options[54], **listed}
    return exchange(own, packet(mac, number, asked), ACK)


def first_url(options: Options) -> str:
    """Return the URL of the first file, by the options that the NOSes use."""
    text = {code: value.decode("latin-1").rstrip("\0") for code, value in options.items()}
    if 239 in text:
        return text[239]
    if 43 in options:
        suboptions = options_of(bytes(240) + options[43] + b"\xff")
        return f"{suboptions[3].decode()}://{text[66]}{suboptions[1].decode()}"
    return text.get(66, "") + text[67]


def fetch(url: str, digests: dict[str, str]) -> None:
    """Fetch a file and those that it names; keep the digest of each by its path."""
    if url in digests:
        return
    with urlopen(url, timeout=10) as answer:  # noqa: S310 - a server of this test
        content = answer.read()
    digests[url] = hashlib.sha256(content).hexdigest()
    if content.startswith((b"#!", b'{\n  "ztp"', b'"""')):
        for found in re.findall(r"http://[^\s\"']+", content.decode()):
            fetch(found, digests)


def run(line: str) -> None:
    """Run a command of the machine."""
    subprocess.run(["/usr/bin/env", *line.split()], check=True)


def boot(switches: list[dict[str, Any]]) -> None:
    """Boot the switches one by one, and print what each received."""
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"switch")
    own.bind(("", 68))
    own.settimeout(0.5)
    found = {}
    for number, switch in enumerate(switches, start=1):
        address, options = lease(own, number, switch)
        prefix = f"{address}/24"
        run(f"ip addr add {prefix} dev switch")
        digests: dict[str, str] = {}
        fetch(first_url(options), digests)
        run(f"ip addr del {prefix} dev switch")
        name = options[12].decode().rstrip("\0") if 12 in options else ""
        found[switch["mac"]] = {"name": name, "address": address, "digests": digests}
    print(json.dumps(found))  # noqa: T201 - the result of the program


def wait_for(address: str) -> None:
    """Wait until the web server answers; DHCP requests are repeated anyway."""
    for _ in range(100):
        try:
            socket.create_connection((address, 80)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return


def network(servers: dict[str, Any], switches: str) -> None:
    """Start the servers here and the clients in a namespace beside this one."""
    beside = subprocess.Popen(["/usr/bin/unshare", "-n", "sleep", "300"])
    started = [beside]
    try:
        time.sleep(0.2)
        run(f"ip link add server type veth peer name switch netns {beside.pid}")
        run("ip link set lo up")
        run(f"ip addr add {servers['address']}/24 dev server")
        run("ip link set server up")
        enter = f"nsenter -t {beside.pid} -n"
        run(f"{enter} ip addr add {CLIENT} dev switch")
        run(f"{enter} ip link set switch up")
        started += [subprocess.Popen(command, stdout=sys.stderr) for command in servers["commands"]]
        wait_for(servers["address"])
        again = ["/usr/bin/env", *enter.split(), sys.executable, __file__, "", switches]
        subprocess.run(again, check=True)
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


if __name__ == "__main__":
    if sys.argv[1]:
        network(json.loads(sys.argv[1]), sys.argv[2])
    else:
        boot(json.loads(sys.argv[2]))
