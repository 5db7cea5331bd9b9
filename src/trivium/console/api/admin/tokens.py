"""``/api/admin/tokens``: tokens for machines, made, rotated and revoked.

A token makes others within its own scopes and lifetime, and ends and rotates itself and those.
"""

from typing import Annotated, Any, Final

import msgspec

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.oauth.admin.model import AdminToken
from trivium.oauth.admin.service import OVERLAP_S, AdminTokens
from trivium.oauth.apps.registration import NAME_CHARS_MAX
from trivium.oauth.errors import RegistrationError
from trivium.settings.workloads import AdminScope

_STATUS: Final = {"reach": 403, "user": 403, "token": 404, "state": 409, "limit": 409, "rate": 429}
_PLAIN: Final = frozenset({"reach", "state", "token"})
"""Fields that are no member of a body: the message says it all."""
HOUR_S: Final = 3600


class NewAdminToken(ApiBody, frozen=True, kw_only=True):
    """What a token is called, what it may do, and how long it lives."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_CHARS_MAX)]
    scopes: tuple[AdminScope, ...]
    days: int | None = None
    """``None``: 90, or as long as the token that makes it."""


class TokenRotation(ApiBody, frozen=True, kw_only=True):
    """For how long the secret before works as well, and how long the token lives from now on."""

    overlap_s: int = OVERLAP_S
    days: int | None = None
    """``None``: as long as before."""


async def listing(asked: AdminRequest) -> Any:
    """Tokens, newest first, ended ones too until they are swept."""
    most = paging.limit(asked)
    before = paging.number(asked, "before", "the id of a token")
    rows, more = paging.cut(await _tokens(asked).newest(before, most + 1), most)
    return {
        "tokens": [_shown(asked, token) for token in rows],
        "before": rows[-1].id if more else None,
    }


async def create(asked: AdminRequest) -> Any:
    """Make a token; answers with it and its secret, which is not stored."""
    wanted: NewAdminToken = asked.body
    try:
        token, secret = await _tokens(asked).create(
            wanted.name,
            frozenset(wanted.scopes),
            asked.log,
            days=wanted.days,
            user_id=asked.by,
            maker=asked.machine,
        )
    except RegistrationError as error:
        raise _refused(error) from None
    return {**_shown(asked, token), "token": secret}


async def rotate(asked: AdminRequest) -> Any:
    """Give a token another secret; answers with it, which is not stored."""
    wanted: TokenRotation = asked.body
    try:
        token, secret = await _tokens(asked).rotate(
            asked.number("token"),
            asked.log,
            overlap_s=wanted.overlap_s,
            days=wanted.days,
            maker=asked.machine,
        )
    except RegistrationError as error:
        raise _refused(error) from None
    return {**_shown(asked, token), "token": secret}


async def revoke(asked: AdminRequest) -> Any:
    """Revoke a token and those it made; answers with it. Repeating the call changes nothing."""
    number = asked.number("token")
    try:
        token = await _tokens(asked).revoke(number, asked.log, maker=asked.machine)
    except RegistrationError as error:
        raise _refused(error) from None
    return _shown(asked, token)


def _tokens(asked: AdminRequest) -> AdminTokens:
    return asked.console.oauth.machines


def _refused(error: RegistrationError) -> ApiError:
    text = error.message if error.field in _PLAIN else str(error)
    return ApiError(_STATUS.get(error.field, 400), text, HOUR_S if error.field == "rate" else None)


def _shown(asked: AdminRequest, token: AdminToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "hint": token.hint,
        "scopes": [scope.value for scope in AdminScope if scope in token.scopes],
        "state": token.state(asked.console.clock.now()),
        "user_id": token.user_id,
        "parent_id": token.parent_id,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
        "former_until": token.former_until,
    }


ENDPOINTS: Final = (
    resource(
        "/api/admin/tokens",
        GET=ApiMethod(listing, query=frozenset({"limit", "before"})),
        POST=ApiMethod(create, NewAdminToken),
    ),
    resource("/api/admin/tokens/{token}", DELETE=ApiMethod(revoke)),
    resource("/api/admin/tokens/{token}/rotate", POST=ApiMethod(rotate, TokenRotation)),
)
