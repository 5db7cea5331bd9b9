"""`trivium` in a world whose name servers fail while a file named like them is there.

A program of its own: the system's resolver is the machine's, and it is not ours to break.
"""

import socket
import sys
from pathlib import Path

sys.modules["uvloop"] = None  # it asks the system past Python
real = socket.getaddrinfo


def asked(host, *args, **more):
    if Path("no-names").exists() and host == "localhost":
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    return real(host, *args, **more)


if __name__ == "__main__":
    socket.getaddrinfo = asked
    from trivium.cli.main import main

    main()
