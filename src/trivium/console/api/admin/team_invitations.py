"""``/api/admin/teams/{team}/invitations``: people who are invited by a letter to their address.

The answer is the same whether or not the address is known; the link is in the letter alone.
"""

from typing import Any, Final

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.admin.teams import check_appointing, seen
from trivium.console.api.answer import ApiError
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.teams.invitations.model import TeamInvitation
from trivium.identity.teams.model import TeamRole
from trivium.identity.teams.rights import TeamAction

_STATUS: Final = {
    AccountRefusal.EMAIL_BAD: (400, "email: is no address, such as ada@example.com"),
    AccountRefusal.MAIL_OFF: (409, "this gateway sends no letters; add the member by name"),
    AccountRefusal.TOO_MANY_TRIES: (429, "too many invitations; try again later"),
    AccountRefusal.BUSY: (503, "too many letters wait; try again soon"),
}


class NewTeamInvitation(ApiBody, frozen=True, kw_only=True):
    """Whom to invite, as what, and the language of the letter."""

    email: str
    role: TeamRole = TeamRole.MEMBER
    language: str = "en"


async def listing(asked: AdminRequest) -> Any:
    """The invitations of a team that can still be used."""
    view = await seen(asked)
    view.check(TeamAction.MANAGE_MEMBERS)
    found = await asked.console.accounts.team_invitations.all(view.team.id)
    return {"invitations": [shown(each) for each in found]}


async def create(asked: AdminRequest) -> Any:
    """Invite somebody; answers with the invitation, without its link."""
    view = await seen(asked)
    wanted: NewTeamInvitation = asked.body
    check_appointing(view, wanted.role)
    invitations = asked.console.accounts.team_invitations
    try:
        made = await invitations.invite(
            view.team.id,
            wanted.email,
            wanted.role,
            asked.by,
            language=wanted.language,
            log_act=asked.log.within,
        )
    except AccountError as error:
        status, message = _STATUS.get(error.why, (400, error.why.value))
        raise ApiError(status, message, error.retry_after_s or None) from None
    return shown(made)


async def withdraw(asked: AdminRequest) -> Any:
    """Withdraw an invitation: its link leads nowhere."""
    view = await seen(asked)
    view.check(TeamAction.MANAGE_MEMBERS)
    number = asked.number("invitation")
    invitations = asked.console.accounts.team_invitations
    if not await invitations.withdraw(view.team.id, number, asked.log.within):
        raise ApiError(404, "there is no invitation of this id that could still be used")
    return


def shown(invitation: TeamInvitation) -> dict[str, Any]:
    """An invitation as the API shows it."""
    return {
        "id": invitation.id,
        "email": invitation.email,
        "role": invitation.role.value,
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
    }


_PATH: Final = "/api/admin/teams/{team}/invitations"
ENDPOINTS: Final = (
    resource(
        _PATH, for_members=True, GET=ApiMethod(listing), POST=ApiMethod(create, NewTeamInvitation)
    ),
    resource(f"{_PATH}/{{invitation}}", for_members=True, DELETE=ApiMethod(withdraw)),
)
