"""Where an act came from, for the audit log."""

from typing import Final

import msgspec


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """Address and program of whoever did something."""

    address: str = ""
    agent: str = ""


NOBODY: Final = Sender()
"""What needs no network."""
