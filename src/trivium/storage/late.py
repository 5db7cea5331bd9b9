"""Statements are imported when the first of them is run.

SQLAlchemy takes most of a second to import, and the port is open before that. A service names its
store twice: as it is, for the types, and late, for when it runs.
"""

import importlib
from typing import Any


class LateModule:
    """Stands for a module, which the first use imports."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        """Return what the module itself has by this name."""
        return getattr(importlib.import_module(self._name), name)
