"""``/api/admin/invitations``: links that make one account each."""

from typing import Annotated, Any, Final

import msgspec

from trivium.console.api.admin import paging
from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.model import Invitation
from trivium.identity.accounts.signup import INVITED, OPEN
from trivium.identity.model import UserRole
from trivium.observe.audit.model import ActKind

DAY_S: Final = 86_400
DAYS_MAX: Final = 365
_STATUS: Final = {
    AccountRefusal.EMAIL_BAD: (400, "email: is no address, such as ada@example.com"),
    AccountRefusal.EMAIL_TAKEN: (409, "email: belongs to a user already"),
    AccountRefusal.MAIL_OFF: (409, "mail: this gateway sends no letters"),
    AccountRefusal.BUSY: (503, "too many letters wait; try again soon"),
}


class NewInvitation(ApiBody, frozen=True, kw_only=True):
    """Whom it is for, what they may do, and how they get it."""

    email: str | None = None
    """``None``: whoever has the link."""
    role: UserRole = UserRole.USER
    days: Annotated[int, msgspec.Meta(ge=1, le=DAYS_MAX)] | None = None
    """``None``: as the settings have it."""
    mail: bool = False
    """Whether the link goes to ``email`` by letter, and is not answered."""
    language: str = "en"


async def listing(asked: AdminRequest) -> Any:
    """Invitations that can still be used, oldest first."""
    most = paging.limit(asked)
    after = paging.number(asked, "after", "the id of an invitation") or 0
    found = await asked.console.accounts.signup.invitations(after, most + 1)
    rows, more = paging.cut(found, most)
    return {
        "invitations": [_shown(each) for each in rows],
        "after": rows[-1].id if more else None,
    }


async def create(asked: AdminRequest) -> Any:
    """Invite somebody; answers with the invitation, and with its link unless a letter has it."""
    wanted: NewInvitation = asked.body
    signup = asked.console.accounts.signup
    if wanted.role is UserRole.ADMIN:
        asked.check_person("role")
    if wanted.mail and not wanted.email:
        raise ApiError(400, "email: a letter goes to somebody")
    if signup.mode not in (OPEN, INVITED):
        raise ApiError(409, 'accounts.signup of the settings is "closed": nobody could use it')
    try:
        made, url = await signup.invite(
            wanted.email,
            wanted.role,
            language=wanted.language,
            by_mail=wanted.mail,
            lifetime_s=None if wanted.days is None else wanted.days * DAY_S,
        )
    except AccountError as error:
        status, said = _STATUS.get(error.why, (400, error.why.value))
        raise ApiError(status, said, error.retry_after_s or None) from None
    told = {"role": wanted.role.value, "by_mail": wanted.mail}
    await asked.log.add(ActKind.INVITATION, None, f"invitation:{made.id}", told)
    return {**_shown(made), "url": url or None}


async def withdraw(asked: AdminRequest) -> Any:
    """Void an invitation: its link leads nowhere."""
    number = asked.number("invitation")
    if not await asked.console.accounts.signup.withdraw(number):
        raise ApiError(404, "there is no invitation of this id that could still be used")
    await asked.log.add(ActKind.INVITATION_WITHDRAWN, None, f"invitation:{number}")
    return


def _shown(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.id,
        "email": invitation.email,
        "role": invitation.role.value,
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
    }


ENDPOINTS: Final = (
    resource(
        "/api/admin/invitations",
        GET=ApiMethod(listing, query=frozenset({"limit", "after"})),
        POST=ApiMethod(create, NewInvitation),
    ),
    resource("/api/admin/invitations/{invitation}", DELETE=ApiMethod(withdraw)),
)
