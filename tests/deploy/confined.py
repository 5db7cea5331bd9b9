"""Run a program as a systemd unit confines it, as far as that takes no systemd: its filter of
system calls, memory that is never both written to and executed, and no new privileges.

    python confined.py UNIT PROGRAM ARGUMENT…
"""

import ctypes
import ctypes.util
import errno
import os
import re
import subprocess
import sys
from pathlib import Path

NO_NEW_PRIVILEGES = 38
MEMORY_DENY_WRITE_EXECUTE = 65
"""``PR_SET_NO_NEW_PRIVS`` and ``PR_SET_MDWE``, which the standard library does not name."""
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM


def directives(unit):
    """(name, value) of each line of a unit."""
    return re.findall(r"(?m)^(\w+)=(.*)$", Path(unit).read_text())


def calls(groups):
    """The system calls in groups such as ``@system-service``, and those named by themselves."""
    found, known = set(), {}
    listed = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager"], check=True, capture_output=True,
        text=True,
    ).stdout  # fmt: skip
    for block in re.split(r"\n(?=[@#])", re.sub(r"\x1b\[[\d;]*m", "", listed)):
        name, *lines = block.splitlines()
        members = [line.strip() for line in lines]
        known[name] = [one for one in members if one and not one.startswith("#")]
    queue = list(groups)
    while queue:
        one = queue.pop()
        if one.startswith("@"):
            queue += known[one]
        else:
            found.add(one)
    return found


def allowed(unit):
    """What the unit's lines of SystemCallFilter leave, read in their order."""
    found = set()
    for name, value in directives(unit):
        if name == "SystemCallFilter":
            groups = value.lstrip("~").split()
            found = found - calls(groups) if value.startswith("~") else found | calls(groups)
    return found | calls(["@default"])


def confine(unit):
    """Confine this process and all that come of it."""
    libc = ctypes.CDLL(None, use_errno=True)
    filters = ctypes.CDLL(ctypes.util.find_library("seccomp") or "libseccomp.so.2")
    filters.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(filters.seccomp_init(ctypes.c_uint32(REFUSE)))
    for name in allowed(unit):
        number = filters.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            assert 0 == filters.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), number, 0), name
    assert 0 == libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    assert ("MemoryDenyWriteExecute", "yes") in directives(unit)
    if libc.prctl(MEMORY_DENY_WRITE_EXECUTE, 1, 0, 0, 0) != 0:  # before Linux 6.3
        sys.stderr.write("memory is not confined: this kernel cannot\n")
    assert 0 == filters.seccomp_load(context)


if __name__ == "__main__":
    confine(sys.argv[1])
    os.execv(sys.argv[2], sys.argv[2:])
