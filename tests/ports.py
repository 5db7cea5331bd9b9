"""Ports for servers that listen on one that is named."""

import random
import socket
from pathlib import Path

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
LEAST = 10_240
"""Below are services that a machine may have."""


def free_port():
    """A port of 127.0.0.1 that nobody listens on, and that the kernel gives nobody by itself.

    One that it does give may be another test's by the time it is listened on: as the near end of a
    connection, or as a server's that took any. A node that is started again would lose its own.
    """
    least_given = int(RANGE.read_text().split()[0]) if RANGE.exists() else 32_768
    for _ in range(1000):
        port = random.randrange(LEAST, max(least_given, LEAST + 1000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
