"""How one user logs in, helped by an administrator: a lost phone, a forgotten password, a login
that should be over.
"""

from typing import Final, Literal

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.console.refusals import words
from trivium.identity.accounts.errors import AccountError
from trivium.identity.errors import IdentityError
from trivium.identity.model import User, UserKind
from trivium.observe.audit.model import ActKind


class LoginHelpForm(forms.Form, frozen=True, kw_only=True):
    """What is done to the user's ways in."""

    to: Literal["log_out", "factor_off", "letter"]


_DONE: Final = {
    "log_out": N_("All logins of %(name)s are over. Keys and applications go on."),
    "factor_off": N_("%(name)s logs in without a second factor now."),
    "letter": N_("A letter with a link for a new password is on its way to %(name)s."),
}


@session.admin
@session.recent_at("/admin/users")
async def change(request: Request) -> Response:
    """End all logins, switch the second factor off, or send a link for a new password."""
    user = await _person(request)
    path = f"/admin/users/{user.id}"
    form = forms.filled(request, LoginHelpForm)
    if form.value is None:
        said = N_("Nothing was changed: this is not one of the choices.")
        return render.redirect(request, path, said, tone="bad")
    try:
        await _help(request, user, form.value.to)
    except AccountError as error:
        refused = words(error)
        values = {name: str(value) for name, value in refused.values.items()}
        return render.redirect(request, path, refused.message, tone="bad", **values)
    return render.redirect(request, path, _DONE[form.value.to], name=user.name)


async def _help(request: Request, user: User, to: str) -> None:
    """Raises ``AccountError`` when a letter cannot be sent."""
    accounts = context.of(request).accounts
    if to == "log_out":
        if await accounts.sessions.end_all(user.id):
            await session.tell_of(request, ActKind.LOGOUT_EVERYWHERE, user.id)
    elif to == "factor_off":
        if (await accounts.factor.state(user.id)).since is not None:
            await accounts.factor.remove(user.id)
            await session.tell_of(request, ActKind.SECOND_FACTOR_OFF, user.id)
    else:
        visitor = session.visitor(request)
        # the letter is for the user to read
        told = msgspec.structs.replace(visitor, language=user.language or visitor.language)
        await accounts.recovery.ask_reset(user.email, told)


async def _person(request: Request) -> User:
    """The user of the path, another than whoever asks. Raises HTTPException (404)."""
    try:
        user = await context.of(request).directory.one(request.path_params["user"])
    except IdentityError:
        raise HTTPException(404) from None
    if user.kind is not UserKind.PERSON or user.id == session.user_of(request).id:
        raise HTTPException(404)
    return user


PAGES: Final = (Route(f"/admin/users/{row('user')}/logins", change, methods=["POST"]),)
