"""``/api/admin/users/{user}/password``, ``…/second-factor``, ``…/sessions``: how one logs in.

For whoever lost a phone, or whose account is in wrong hands. An administrator's own account is
changed on its pages, where they prove who they are.
"""

from typing import Annotated, Any, Final

import msgspec

from trivium.console.api.admin.base import AdminRequest, ApiBody, ApiMethod, resource
from trivium.console.api.answer import ApiError
from trivium.identity.accounts.errors import AccountError, AccountRefusal
from trivium.identity.accounts.passwords import CHARS_MAX, CHARS_MIN
from trivium.identity.model import User, UserKind, UserRole
from trivium.observe.audit.model import ActKind

PASSWORD_CHARS_MAX: Final = 10_000
"""Of what is looked at at all."""
_WRONG: Final = {
    AccountRefusal.PASSWORD_SHORT: (400, f"password: must have at least {CHARS_MIN} characters"),
    AccountRefusal.PASSWORD_LONG: (400, f"password: must have at most {CHARS_MAX} characters"),
    AccountRefusal.PASSWORD_COMMON: (400, "password: is among the first to be guessed"),
    AccountRefusal.BUSY: (503, "too many passwords wait to be made; try again soon"),
}


class NewPassword(ApiBody, frozen=True, kw_only=True):
    """What somebody logs in with from now on."""

    password: Annotated[str, msgspec.Meta(min_length=1, max_length=PASSWORD_CHARS_MAX)]


async def set_password(asked: AdminRequest) -> Any:
    """Set the password of the user of the path and end their logins."""
    wanted: NewPassword = asked.body
    asked.check_person("password")
    user = await _person(asked)
    try:
        await asked.console.accounts.recovery.set_password(user, wanted.password)
    except AccountError as error:
        status, said = _WRONG.get(error.why, (400, error.why.value))
        raise ApiError(status, said, error.retry_after_s or None) from None
    await asked.log.add(ActKind.PASSWORD_CHANGED, user.id)
    return


async def show_factor(asked: AdminRequest) -> Any:
    """Whether the user of the path logs in with a second factor."""
    user = await asked.console.directory.one(asked.number("user"))
    state = await asked.console.accounts.factor.state(user.id)
    return {"user_id": user.id, "is_on": state.since is not None, "since": state.since}


async def factor_off(asked: AdminRequest) -> Any:
    """Switch the second factor off; asked again, it is off."""
    user = await _person(asked)
    factor = asked.console.accounts.factor
    if (await factor.state(user.id)).since is not None:
        await factor.remove(user.id)
        await asked.log.add(ActKind.SECOND_FACTOR_OFF, user.id)
    return {"user_id": user.id, "is_on": False, "since": None}


async def sessions(asked: AdminRequest) -> Any:
    """The logins of the user of the path, the last seen first."""
    user = await asked.console.directory.one(asked.number("user"))
    found = await asked.console.accounts.sessions.of_user(user.id)
    return {
        "sessions": [
            {
                "id": one.id,
                "way": one.way.value,
                "address": one.address,
                "agent": one.agent,
                "created_at": one.created_at,
                "seen_at": one.seen_at,
            }
            for one in found
        ]
    }


async def log_out(asked: AdminRequest) -> Any:
    """End all logins of the user of the path; answers with how many there were."""
    user = await _person(asked)
    ended = await asked.console.accounts.sessions.end_all(user.id)
    if ended:
        await asked.log.add(ActKind.LOGOUT_EVERYWHERE, user.id)
    return {"user_id": user.id, "ended": ended}


async def _person(asked: AdminRequest) -> User:
    """The user of the path, if whoever asks may change how they log in. Raises ApiError."""
    user = await asked.console.directory.one(asked.number("user"))
    if user.kind is not UserKind.PERSON:
        raise ApiError(409, "teams and service accounts do not log in")
    if user.role is UserRole.ADMIN:
        asked.check_person("this is an administrator")
    if user.id == asked.by:
        raise ApiError(409, "your own login is changed on your pages, not with a token")
    return user


_USER: Final = "/api/admin/users/{user}"
ENDPOINTS: Final = (
    resource(f"{_USER}/password", PUT=ApiMethod(set_password, NewPassword)),
    resource(f"{_USER}/second-factor", GET=ApiMethod(show_factor), DELETE=ApiMethod(factor_off)),
    resource(f"{_USER}/sessions", GET=ApiMethod(sessions), DELETE=ApiMethod(log_out)),
)
