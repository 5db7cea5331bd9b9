"""The access token of a request (RFC 6750 section 2). Pure.

Only the header is taken: what stands in an address or a form ends up in logs and histories.
"""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl

from trivium.oauth.errors import OAuthError

REALM: Final = "gateway"

_B64TOKEN: Final = re.compile(r"[A-Za-z0-9\-._~+/]+=*")


class NoToken(Exception):  # noqa: N818 - an answer, not a failure of ours
    """No token was presented: the answer names no error (RFC 6750 section 3.1)."""


def presented(authorization: Sequence[str], query: bytes, form: bytes = b"") -> str:
    """The token. Raises NoToken, and OAuthError (``invalid_request``) for a request that carries
    one elsewhere, several, or something else in its place.
    """
    for place in (query, form):
        names = [name for name, _ in parse_qsl(place.decode("latin-1"), keep_blank_values=True)]
        if "access_token" in names:
            raise OAuthError("invalid_request", "the access token belongs in the header")
    if not authorization:
        raise NoToken
    if len(authorization) > 1:
        raise OAuthError("invalid_request", "there are several Authorization headers")
    scheme, _, token = authorization[0].partition(" ")
    if scheme.lower() != "bearer":
        raise NoToken
    token = token.strip(" ")
    if not _B64TOKEN.fullmatch(token):
        raise OAuthError("invalid_request", "the header must be: Authorization: Bearer <token>")
    return token


def challenge(error: OAuthError | None = None, needed: str = "") -> str:
    """The ``WWW-Authenticate`` header; ``needed``: the scope that would have done."""
    parts = [f'Bearer realm="{REALM}"']
    if error is not None:
        parts.append(f'error="{error.code}"')
        if error.code != "invalid_request":
            parts.append(f'error_description="{error.description}"')
    if needed:
        parts.append(f'scope="{needed}"')
    return ", ".join(parts)
