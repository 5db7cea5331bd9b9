"""The headers that say which messages protocol a caller speaks, and with which of its extensions.

Source: SDKs 0.125, 1.11 and 2.11 and the vendor's version notes, read on 2026-11-21. SDKs of
2026 send ``2026-10-21``, older ones and Claude Code still ``2023-06-01``.
"""

from collections.abc import Mapping
from typing import Final

from trivium.faults import Fault, Kind

VERSIONS: Final = ("2023-06-01", "2026-10-21")
"""Versions we accept, oldest first."""

_NAMES: Final = ("anthropic-version", "vendor-version")
_BETAS: Final = "anthropic-beta"
_INTERLEAVED: Final = "interleaved-thinking-"

MEANING: Final = (*_NAMES, _BETAS)
"""Headers that change the meaning of a body."""
PROFILE: Final = "vendor-user-profile-id"
"""Header that names a user's profile at the vendor; its SDKs say ``anthropic-`` before it."""
_PROFILE: Final = PROFILE.encode()
_ANTHROPIC_PROFILE: Final = b"anthropic-user-profile-id"


def is_profiled(headers: Mapping[bytes, bytes]) -> bool:
    """Whether a request names a user's profile. Header names in lower case."""
    return bool(headers.get(_PROFILE) or headers.get(_ANTHROPIC_PROFILE))


def version(headers: Mapping[str, str]) -> str:
    """The protocol version of a request whose header names are in lower case.

    The SDKs' own header wins over the alias. Absent or empty: the oldest version, although the
    vendor itself insists on the header. Raises INVALID_VALUE on any other value.
    """
    if not headers:
        return VERSIONS[0]
    for name in _NAMES:
        value = headers.get(name, "").strip()
        if not value:
            continue
        if value not in VERSIONS:
            accepted = " and ".join(f"`{known}`" for known in VERSIONS)
            raise Fault(
                Kind.INVALID_VALUE,
                f"`{name}` is `{value[:40]}`; accepted are {accepted}.",
                param=name,
            )
        return value
    return VERSIONS[0]


def is_interleaved(headers: Mapping[str, str]) -> bool:
    """Whether the model may think between calls: a budget is then that of all its thinking in one
    turn, and may be above the output limit.
    """
    names = headers.get(_BETAS, "").split(",") if headers else ()
    return any(name.strip().startswith(_INTERLEAVED) for name in names)
