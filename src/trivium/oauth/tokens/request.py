"""What a client sends to the token and revocation endpoints. Pure.

Clients authenticate either in a Basic header or in the form, never both (RFC 6749 section 2.3).
Nothing secret may come in the query, where it would be logged on its way.
"""

import binascii
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl, unquote_plus

from trivium.oauth import scope
from trivium.oauth.errors import OAuthError
from trivium.oauth.tokens.model import ClientCredentials, CodeGrant, RefreshGrant

BODY_BYTES_MAX: Final = 16_384
FIELDS_MAX: Final = 50
FORM: Final = "application/x-www-form-urlencoded"

_KNOWN: Final = frozenset(
    {
        "grant_type",
        "code",
        "redirect_uri",
        "client_id",
        "client_secret",
        "code_verifier",
        "refresh_token",
        "scope",
        "token",
        "token_type_hint",
        "access_token",
    }
)


def form(content_type: str, query: bytes, body: bytes) -> dict[str, str]:
    """The parameters that have a value. Raises OAuthError (``invalid_request``)."""
    if content_type.partition(";")[0].strip().lower() != FORM:
        raise _invalid(f"the body must be {FORM}")
    if len(body) > BODY_BYTES_MAX:
        raise _invalid(f"the body has more than {BODY_BYTES_MAX} bytes")
    in_query = _KNOWN & {name for name, _ in _pairs(query)}
    if in_query:
        raise _invalid(f"{min(in_query)} belongs in the body, not in the address")
    pairs = _pairs(body)
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _invalid("a parameter is repeated")
    return {name: value for name, value in fields.items() if value}


def credentials(authorization: Sequence[str], fields: Mapping[str, str]) -> ClientCredentials:
    """Who the client says it is, from the ``Authorization`` headers or the form.

    Raises OAuthError (``invalid_request``, ``invalid_client``).
    """
    if len(authorization) > 1:
        raise _invalid("there are several Authorization headers")
    client_id, secret = fields.get("client_id"), fields.get("client_secret")
    if authorization:
        presented = _basic(authorization[0])
        if secret is not None:
            raise _invalid("the client authenticates twice: in the header and in the body")
        if client_id is not None and client_id != presented.client_id:
            raise _invalid("client_id in the body is not the one in the header")
        return presented
    if client_id is None or secret is None:
        raise OAuthError("invalid_client", "client_id and client_secret are needed", 401)
    return ClientCredentials(client_id=client_id, client_secret=secret)


def grant(fields: Mapping[str, str]) -> CodeGrant | RefreshGrant:
    """What the client presents for tokens.

    Raises OAuthError (``invalid_request``, ``unsupported_grant_type``, ``invalid_scope``).
    """
    kind = _needed(fields, "grant_type")
    reader = _GRANTS.get(kind)
    if reader is None:
        raise OAuthError(
            "unsupported_grant_type", "grant_type must be authorization_code or refresh_token"
        )
    return reader(fields)


def _code(fields: Mapping[str, str]) -> CodeGrant:
    return CodeGrant(
        code=_needed(fields, "code"),
        redirect_uri=_needed(fields, "redirect_uri"),
        verifier=fields.get("code_verifier"),
    )


def _refresh(fields: Mapping[str, str]) -> RefreshGrant:
    wanted = fields.get("scope")
    try:
        scopes = None if wanted is None else scope.parse(wanted, scope.EVERY)
    except ValueError as wrong:
        raise OAuthError("invalid_scope", str(wrong)) from None
    return RefreshGrant(refresh_token=_needed(fields, "refresh_token"), scopes=scopes)


_GRANTS: Final[dict[str, Callable[[Mapping[str, str]], CodeGrant | RefreshGrant]]] = {
    "authorization_code": _code,
    "refresh_token": _refresh,
}


def _needed(fields: Mapping[str, str], name: str) -> str:
    if name not in fields:
        raise _invalid(f"{name} is missing")
    return fields[name]


def token(fields: Mapping[str, str]) -> str:
    """The token to be revoked. Raises OAuthError (``invalid_request``)."""
    return _needed(fields, "token")


def access_token(fields: Mapping[str, str]) -> str:
    """The token to be spent with. Raises OAuthError (``invalid_request``)."""
    return _needed(fields, "access_token")


def _basic(header: str) -> ClientCredentials:
    scheme, _, encoded = header.partition(" ")
    wrong = OAuthError("invalid_client", "the Authorization header must be Basic", 401)
    if scheme.lower() != "basic":
        raise wrong
    try:
        plain = b64decode(encoded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        raise wrong from None
    client_id, separator, secret = plain.partition(":")
    if not separator:
        raise wrong
    # form-encoded by whoever follows RFC 6749 section 2.3.1; ours are the same either way
    return ClientCredentials(client_id=unquote_plus(client_id), client_secret=unquote_plus(secret))


def _pairs(text: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            text.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict"
        )
    except ValueError:
        raise _invalid("the parameters are not form-encoded") from None


def _invalid(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)
