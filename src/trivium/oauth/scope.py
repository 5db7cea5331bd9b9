"""Scopes: what an application may see. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

PROFILE: Final = "profile"
"""Name, e-mail address, since when and in what state the account is."""
BALANCE: Final = "balance"
"""What is left and what was spent."""

SPEND: Final = "spend"
"""Calls on the gateway that the user pays for, up to a cap a month."""

SCOPES: Final = (PROFILE, BALANCE)
"""What every application may ask for, in the order in which scopes are written and shown."""
EVERY: Final = (*SCOPES, SPEND)
"""With what the operator has to switch on (``oauth.spend``)."""
DEFAULT: Final = frozenset({PROFILE})
"""What is asked for by a request that names no scope."""


def parse(text: str, offered: Sequence[str] = SCOPES) -> frozenset[str]:
    """The scopes of a ``scope`` parameter; neither order nor repetition matters.

    Raises ``ValueError`` for a scope that does not exist, and for separators other than one space
    (RFC 6749 section 3.3).
    """
    names = text.split(" ")
    unknown = [name for name in names if name not in offered]
    if unknown:
        raise ValueError(f"the scopes are {', '.join(offered)}, separated by one space")
    return frozenset(names)


def written(scopes: Iterable[str]) -> str:
    """Scopes as a ``scope`` value, always in the same order."""
    given = set(scopes)
    return " ".join(name for name in EVERY if name in given)


PATH: Final = "/.well-known/oauth-authorization-server"


def document(issuer: str, *, spend: bool = False) -> dict[str, str | list[str]]:
    """The metadata of the service of this origin. ``spend``: applications may ask to spend."""
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/api/oauth2/authorize",
        "token_endpoint": f"{issuer}/api/oauth2/token",
        "userinfo_endpoint": f"{issuer}/api/oauth2/userinfo",
        "revocation_endpoint": f"{issuer}/api/oauth2/revoke",
        "scopes_supported": list(EVERY if spend else SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256"],
    }
