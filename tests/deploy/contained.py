"""A program in a root file system as an engine would run it, without an engine: read-only, by a user
without rights, with one volume.

    unshare --mount python contained.py ROOT VOLUME SETTINGS UID PROGRAM ARGUMENT…
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

NO_NEW_PRIVILEGES = 38
"""``PR_SET_NO_NEW_PRIVS``, which the standard library does not name."""


def mount(*argv):
    """Mount something."""
    subprocess.run(["mount", *map(str, argv)], check=True)


def contain(root, volume, settings):
    """Make the root what this process and all that come of it see."""
    mount("--bind", root, root)
    mount("--bind", volume, root / "var/lib/trivium")
    mount("--bind", settings, root / "etc/trivium")
    mount("-o", "remount,bind,ro", root / "etc/trivium")
    mount("-t", "proc", "-o", "ro", "proc", root / "proc")
    devices = root / "dev"
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", devices)
    for name in ("null", "zero", "urandom", "random"):
        (devices / name).touch()
        mount("--bind", f"/dev/{name}", devices / name)
    mount("-o", "remount,ro", devices)
    mount("-o", "remount,bind,ro", root)
    os.chroot(root)


def become(user):
    """Give up root and every way back."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    assert 0 == ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)


if __name__ == "__main__":
    contain(*map(Path, sys.argv[1:4]))
    become(int(sys.argv[4]))
    os.chdir("/var/lib/trivium")
    os.execvpe(sys.argv[5], sys.argv[5:], os.environ)
