"""What a check of the set-up found."""

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """The result of one check."""

    check: str
    ok: bool
    details: tuple[str, ...]
    """At least one line; for a failed check one for each thing that is wrong."""
