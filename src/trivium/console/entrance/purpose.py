"""The reason for a login, shown above the form of the login page."""

from typing import Any

import msgspec


class Purpose(msgspec.Struct, frozen=True):
    """A part of the login page."""

    template: str
    """Included in the page."""
    values: dict[str, Any]
    """``purpose_values`` of that template."""
