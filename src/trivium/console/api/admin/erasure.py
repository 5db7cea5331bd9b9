"""``/api/admin/users/{user}/export`` and ``…/erase``: what is known of a person."""

from typing import Any, Final

import msgspec

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource, whole
from trivium.console.api.answer import ApiError
from trivium.identity.erasure.service import PAGE_MAX
from trivium.identity.model import UserRole
from trivium.observe.audit.model import ActKind

PAGE: Final = 500
"""Rows a page, unless the caller says otherwise."""


class ErasedName(ApiBody, frozen=True, kw_only=True):
    """Whom the caller means."""

    name: str
    """What the user is called, so that a wrong number erases nobody."""


async def export(asked: AdminRequest) -> Any:
    """A page of rows that name the user, and where the next one begins."""
    query = asked.query
    limit = whole(query.get("limit", str(PAGE)))
    if limit is None or not 1 <= limit <= PAGE_MAX:
        raise ApiError(400, f"limit: must be 1 to {PAGE_MAX}")
    user_id, after = asked.number("user"), query.get("after", "")
    found = await asked.console.erasure.page(user_id, after, limit)
    if not after:
        await asked.log.add(ActKind.USER_EXPORTED, user_id, f"user:{user_id}")
    return msgspec.structs.asdict(found)


async def erase(asked: AdminRequest) -> Any:
    """Erase the user of the path; answers with what was changed."""
    wanted: ErasedName = asked.body
    user = await asked.console.directory.one(asked.number("user"))
    if user.role is UserRole.ADMIN:
        asked.check_person("this is an administrator")
    if wanted.name != user.name:
        raise ApiError(409, f"name: is not that of user {user.id}")
    done = await asked.console.erasure.erase(asked.by, user.id, asked.log.within)
    return msgspec.structs.asdict(done)


ENDPOINTS: Final = (
    resource(
        "/api/admin/users/{user}/export",
        GET=ApiMethod(export, query=frozenset({"after", "limit"})),
    ),
    resource("/api/admin/users/{user}/erase", POST=ApiMethod(erase, ErasedName)),
)
