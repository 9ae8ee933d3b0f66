"""A TAP device in its own network namespace: the Linux kernel as a neighbour of the simulated design.

Frames that the kernel sends are read from `Tap`; frames written to it arrive in the kernel. The namespace has no other
interface, so the test and the machine's own network are isolated from each other.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
import sys
import time
from functools import cache

import pytest

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
LONGEST_FRAME = 2048


@cache
def unavailable() -> str:
    """The reason why no TAP device can be created in a network namespace; empty if it can. Tried once per process with
    the commands of the system, so that a fault in the code under test fails the test."""
    for tool in ("ip", "unshare", "nsenter"):
        if not shutil.which(tool):
            return f"no TAP test: command {tool} not found (apt install iproute2 util-linux)"
    probe = ["unshare", "--net", "ip", "tuntap", "add", "dev", "probe", "mode", "tap"]
    tried = subprocess.run(probe, capture_output=True, text=True)
    return f"no TAP test: TAP devices are not allowed here ({tried.stderr.strip()})" if tried.returncode else ""


def require_tap() -> None:
    """Skip the calling test if no TAP device can be created, and for no other reason."""
    if reason := unavailable():
        pytest.skip(reason)


class Tap:
    """The device as a context manager; `address` (such as 10.77.0.1/24) is that of the kernel.

    Frames are bytes without preamble and FCS.
    """

    def __init__(self, address: str):
        self._address = address

    def __enter__(self) -> Tap:
        name = f"ws{os.getpid()}"
        self._file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        self._holder = None
        try:
            fcntl.ioctl(self._file, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
            self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"], stderr=subprocess.DEVNULL)
            self._wait_for_namespace()
            _call(["ip", "link", "set", name, "netns", str(self._holder.pid)])
            for command in (
                f"sysctl -q -w net.ipv6.conf.{name}.disable_ipv6=1" if shutil.which("sysctl") else "true",
                f"ip address add {self._address} dev {name}",
                f"ip link set {name} up",
            ):
                _call([*self.inside, *command.split()])
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait_for_namespace(self) -> None:
        mine = os.readlink("/proc/self/ns/net")
        for _ in range(100):
            if self._holder.poll() is not None:
                raise OSError("no network namespace could be made")
            if os.readlink(f"/proc/{self._holder.pid}/ns/net") != mine:
                return
            time.sleep(0.02)
        raise OSError("no network namespace was made within 2 s")

    def __exit__(self, *_: object) -> None:
        if self._holder is not None:
            self._holder.kill()
            self._holder.wait()
        os.close(self._file)

    @property
    def inside(self) -> list[str]:
        """The prefix that runs a command in the namespace."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net"]

    def python(self, code: str) -> subprocess.Popen:
        """Run Python `code` in the namespace."""
        return subprocess.Popen([*self.inside, sys.executable, "-c", code], stdout=-1, stderr=-2, text=True)

    def read(self) -> bytes | None:
        """The next frame that the kernel sent, or None."""
        try:
            return os.read(self._file, LONGEST_FRAME)
        except BlockingIOError:
            return None

    def write(self, frame: bytes) -> None:
        os.write(self._file, frame)


def _call(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)
