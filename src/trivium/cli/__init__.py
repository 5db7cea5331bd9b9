"""``trivium``: the command line, a module for each group of commands."""

from trivium.cli.lean_log import import_structlog

import_structlog()
