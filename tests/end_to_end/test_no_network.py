"""Without a network a gateway starts, answers from an engine beside it, and looks for nobody."""

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from end_to_end.running import TRIVIUM

PROGRAM = Path(__file__).with_name("no_network.py")
CALLS = "connect,sendto,sendmsg,sendmmsg"
ADDRESS = re.compile(
    r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)'
    r'|sin6_port=htons\((\d+)\).{0,80}?inet_pton\(AF_INET6, "([^"]+)"'
)
"""Port and address in a line of strace, of either family."""


@functools.cache
def unshare():
    """What makes a namespace here; None where nothing may."""
    for command in (["unshare", "-n"], ["unshare", "-r", "-n"]):
        if shutil.which(command[0]):
            done = subprocess.run([*command, "true"], capture_output=True, check=False)
            if not done.returncode:
                return command
    return None


def addressed(traced):
    """Every (address, port) that a trace shows as called or sent to."""
    found = set()
    for match in ADDRESS.finditer(traced):
        port, four, port6, six = match.groups()
        found.add((four or six, int(port or port6)))
    return found


def in_namespace(*argv):
    """What a program prints that has loopback and nothing else."""
    command = unshare()
    if command is None:
        pytest.skip("no network namespace may be made here (unshare -n is refused)")
    done = subprocess.run(
        [*command, *argv], capture_output=True, text=True, check=False, timeout=110
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_a_gateway_without_a_network_answers_and_calls_nobody(tmp_path):
    """Neither at start nor later, though a vendor's channel is in its settings as well."""
    trace = tmp_path / "trace"
    tracer = []
    if shutil.which("strace"):
        tracer = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", f"trace={CALLS}", "-o", str(trace)]
    told = json.loads(
        in_namespace(sys.executable, str(PROGRAM), str(tmp_path), str(TRIVIUM), *tracer)
    )
    assert ("Ho", [200, 200, 200], 0) == (told["answer"], told["pages"], told["code"])
    assert "ok      catalogue: 2 channels, 5 models" in told["check"]
    assert [True, 1] == told["control"]
    assert 0 == told["without_route"], told["log"]
    if tracer:
        assert {("127.0.0.1", 11434)} == addressed(trace.read_text())


def test_an_address_that_is_tried_would_be_seen(tmp_path):
    """In the trace as well as in the kernel's counter."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    call = (
        "import socket\n"
        "for family, host in ((socket.AF_INET, '192.0.2.1'), (socket.AF_INET6, '2001:db8::1')):\n"
        "    socket.socket(family, socket.SOCK_STREAM).connect_ex((host, 443))\n"
        "    socket.socket(family, socket.SOCK_DGRAM).connect_ex((host, 53))\n"
    )
    in_namespace(
        "strace", "-f", "-e", f"trace={CALLS}", "-o", str(trace), sys.executable, "-c", call
    )
    assert {
        (host, port) for host in ("192.0.2.1", "2001:db8::1") for port in (53, 443)
    } == addressed(trace.read_text())
