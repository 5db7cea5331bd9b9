"""structlog without Rich, which it imports wherever it is installed.

Rich would draw tracebacks in colours, which no log of ours has, and takes 100 ms and 4 MiB of each
process with what it imports itself. Typer installs it and is told not to use it, too.
"""

import sys


def import_structlog() -> None:
    """Import structlog as if Rich were not there. Does nothing where either is imported already."""
    if "structlog" in sys.modules or "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment] # as the import system has what is not there
    try:
        import structlog  # noqa: F401 - for its own imports
    finally:
        del sys.modules["rich"]
