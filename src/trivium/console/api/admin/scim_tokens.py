"""``/api/admin/teams/{team}/scim-tokens``: tokens by which a directory provisions a team.

They are the operator's to give: whoever has one makes accounts, and vouches for addresses.
"""

from typing import Any, Final

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.admin.teams import TeamView, seen
from trivium.console.api.answer import ApiError
from trivium.identity.errors import IdentityError
from trivium.identity.scim.model import ScimToken
from trivium.identity.scim.tokens import DAYS


class NewScimToken(ApiBody, frozen=True, kw_only=True):
    """A token: its name, the domains that are the organisation's own, and how long it works."""

    name: str = "default"
    domains: tuple[str, ...] = ()
    days: int = DAYS


async def listing(asked: AdminRequest) -> Any:
    """The tokens of a team, ended ones too."""
    view = await _administered(asked)
    return {"tokens": [shown(each) for each in await asked.console.scim.tokens.all(view.team.id)]}


async def create(asked: AdminRequest) -> Any:
    """Make a token; answers with it and its secret, which is not stored."""
    view = await _administered(asked)
    # it would outlive the token that asks, and vouch for addresses that people log in by
    asked.check_person("a directory's token")
    wanted: NewScimToken = asked.body
    token, secret = await asked.console.scim.tokens.create(
        view.team.id, wanted.name, wanted.domains, wanted.days, asked.log.within
    )
    return {**shown(token), "token": secret}


async def revoke(asked: AdminRequest) -> Any:
    """Revoke a token for good."""
    view = await _administered(asked)
    try:
        found = await asked.console.scim.tokens.revoke(
            asked.number("token"), view.team.id, asked.log.within
        )
    except IdentityError as error:
        raise ApiError(404, str(error)) from None
    return shown(found)


async def _administered(asked: AdminRequest) -> TeamView:
    """The team of the path. Raises ApiError (404, 403)."""
    view = await seen(asked)
    if not asked.is_admin:
        raise ApiError(403, "only administrators manage tokens of directories")
    return view


def shown(token: ScimToken) -> dict[str, Any]:
    """A token as the API shows it, without its secret."""
    return {
        "id": token.id,
        "team_id": token.directory_id,
        "name": token.name,
        "hint": token.hint,
        "domains": token.domains,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
    }


_PATH: Final = "/api/admin/teams/{team}/scim-tokens"
ENDPOINTS: Final = (
    resource(_PATH, for_members=True, GET=ApiMethod(listing), POST=ApiMethod(create, NewScimToken)),
    resource(f"{_PATH}/{{token}}", for_members=True, DELETE=ApiMethod(revoke)),
)
