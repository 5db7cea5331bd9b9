"""`trivium` in a world whose time of day is ahead by the seconds that a file named `time` holds.

For where libfaketime is not installed. Only what Python asks for is ahead, and nothing that
measures durations.
"""

import time
from pathlib import Path

real = time.time


def ahead():
    return real() + int(Path("time").read_text())


if __name__ == "__main__":
    time.time = ahead
    from trivium.cli.main import main

    main()
