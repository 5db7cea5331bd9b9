"""The address and program that an act came from, for the audit log and for letters."""

from typing import Final

import msgspec


class RequestOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Address and program of the person who did something."""

    address: str = ""
    agent: str = ""
    language: str = "en"
    """Of the page, where it was one."""


NOBODY: Final = RequestOrigin()
"""What needs no network."""
