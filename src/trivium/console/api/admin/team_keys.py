"""``/api/admin/teams/{team}/keys``: keys that spend for a team.

Members have keys of their own; managers see all, make those of service accounts, and revoke any. A
person's key is made by that person, or by an administrator: whoever makes it reads its secret.
"""

from typing import Any, Final

from trivium.console.api.admin.base import AdminRequest, ApiMethod, resource
from trivium.console.api.admin.keys import (
    PAGED,
    NewKeyBody,
    Rotation,
    page,
    rotated,
    shown,
    terms_of,
    user_asked,
)
from trivium.console.api.admin.teams import TeamView, seen
from trivium.console.api.answer import ApiError
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key, UserKind
from trivium.identity.teams.rights import TeamAction
from trivium.observe.audit.model import ActKind


class NewTeamKey(NewKeyBody, frozen=True, kw_only=True):
    """The terms of a key, and whose it is."""

    user_id: int | None = None
    """A service account of the team; ``None``: whoever asks."""


async def listing(asked: AdminRequest) -> Any:
    """The keys of a team: all for who manages them, else one's own."""
    view = await seen(asked)
    of = user_asked(asked)
    if not view.may(TeamAction.MANAGE_KEYS):
        if of not in (None, asked.by):
            raise ApiError(403, f"user: your role in {view.team.name} shows you your own keys")
        of = asked.by
    return await page(asked, user_id=of, team_id=view.team.id)


async def create(asked: AdminRequest) -> Any:
    """Make a key; answers with it and its secret, which is not stored."""
    view = await seen(asked)
    wanted: NewTeamKey = asked.body
    whose = asked.by if wanted.user_id is None else wanted.user_id
    if whose is None:
        raise ApiError(400, "user_id: a machine has no keys of its own; name a service account")
    user = await asked.console.directory.one(whose)
    if user.kind is UserKind.SERVICE:
        view.check(TeamAction.MANAGE_KEYS)
        if user.team_id != view.team.id:
            raise ApiError(404, "user_id: there is no service account of this id in the team")
    elif user.id == asked.by:
        view.check(TeamAction.USE)
    elif not asked.is_admin:
        raise ApiError(403, "people make their own keys; name a service account, or nobody")
    key, secret = await asked.console.identity.create_key(
        user.name, team=view.team.name, **terms_of(wanted)
    )
    await asked.log.add(ActKind.KEY_CREATED, user.id, f"key:{key.id}", {"name": key.name})
    return {**shown(key), "key": secret}


async def revoke(asked: AdminRequest) -> Any:
    """Revoke a key for good; answers with it. Repeating the call changes nothing."""
    key = await _one(asked, await seen(asked), is_secret=False)
    if not key.disabled:
        key = await asked.console.own_keys.revoke(key.user_id, key.id)
        await asked.log.add(ActKind.KEY_REVOKED, key.user_id, f"key:{key.id}", {"name": key.name})
    return shown(key)


async def rotate(asked: AdminRequest) -> Any:
    """Give a key another secret; answers with it, which is not stored."""
    return await rotated(asked, await _one(asked, await seen(asked), is_secret=True))


async def _one(asked: AdminRequest, view: TeamView, *, is_secret: bool) -> Key:
    """The key of the path, if whoever asks may end it, or, with ``is_secret``, read its secret."""
    key_id = asked.number("key")
    try:
        key = await asked.console.directory.key(key_id)
    except IdentityError:
        key = None
    is_theirs = key is not None and (key.user_id == asked.by or view.may(TeamAction.MANAGE_KEYS))
    if key is None or key.team_id != view.team.id or not is_theirs:
        raise ApiError(404, "there is no key of this id in the team")
    if key.user_id != asked.by:
        user = await asked.console.directory.one(key.user_id)
        if is_secret and user.kind is UserKind.PERSON and not asked.is_admin:
            raise ApiError(403, "people rotate their own keys; a manager may revoke them")
    return key


_KEYS: Final = "/api/admin/teams/{team}/keys"
ENDPOINTS: Final = (
    resource(
        _KEYS,
        for_members=True,
        GET=ApiMethod(listing, query=PAGED | {"user"}),
        POST=ApiMethod(create, NewTeamKey),
    ),
    resource(f"{_KEYS}/{{key}}", for_members=True, DELETE=ApiMethod(revoke)),
    resource(f"{_KEYS}/{{key}}/rotate", for_members=True, POST=ApiMethod(rotate, Rotation)),
)
