"""Letting people in one by one: links that make an account, made and withdrawn."""

from typing import Annotated, Final, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.console.refusals import refuse
from trivium.identity.accounts.errors import AccountError
from trivium.identity.accounts.signup import INVITED, OPEN
from trivium.identity.model import UserRole
from trivium.observe.audit.model import ActKind

DAY_S: Final = 86_400
DAYS_MAX: Final = 365


class Invite(forms.Form, frozen=True, kw_only=True):
    """Whom it is for, and how they get it."""

    email: str = ""
    role: Literal["user", "admin"] = "user"
    days: Annotated[int, msgspec.Meta(ge=1, le=DAYS_MAX)]
    mail: bool = False


class InvitationIdForm(forms.Form, frozen=True, kw_only=True):
    """The form of an act on one invitation, by its id."""

    invitation: forms.Id


@session.admin
async def show(request: Request) -> Response:
    """Those that can still be used, and the form for another."""
    return await _page(request, _fresh(request))


@session.admin
@session.recent_at("/admin/invitations")
async def create(request: Request) -> Response:
    """Make one: its link is sent by letter, or shown this once."""
    console = context.of(request)
    form = forms.filled(request, Invite)
    wanted = form.value
    if wanted is None:
        return await _page(request, form, status=422)
    if wanted.mail and not wanted.email:
        form.fail("email", N_("A letter needs an address."))
        return await _page(request, form, status=422)
    try:
        made, url = await console.accounts.signup.invite(
            wanted.email or None,
            UserRole(wanted.role),
            language=session.visitor(request).language,
            by_mail=wanted.mail,
            lifetime_s=wanted.days * DAY_S,
        )
    except AccountError as error:
        refuse(form, error)
        return await _page(request, form, status=422)
    await _tell(request, ActKind.INVITATION, made.id, role=wanted.role, by_mail=wanted.mail)
    if wanted.mail:
        said = N_("The invitation is on its way to %(email)s.")
        return render.redirect(request, "/admin/invitations", said, email=wanted.email)
    return await _page(request, _fresh(request), link=url)


@session.admin
@session.recent_at("/admin/invitations")
async def withdraw(request: Request) -> Response:
    """Void the invitation of the form, so that its link no longer works."""
    form = forms.filled(request, InvitationIdForm)
    number = form.value.invitation if form.value else 0
    if not await context.of(request).accounts.signup.withdraw(number):
        said = N_("There is no such invitation any more: it was used, withdrawn, or has expired.")
        return render.redirect(request, "/admin/invitations", said, tone="bad")
    await _tell(request, ActKind.INVITATION_WITHDRAWN, number)
    said = N_("The invitation is withdrawn: its link leads nowhere.")
    return render.redirect(request, "/admin/invitations", said)


async def _tell(request: Request, kind: ActKind, number: int, **detail: str | bool) -> None:
    await session.tell_of(request, kind, None, f"invitation:{number}", **detail)


def _fresh(request: Request) -> forms.Filled[Invite]:
    days = context.of(request).settings.accounts.invitation_days
    return forms.empty(Invite, days=str(max(1, min(DAYS_MAX, round(days)))))


async def _page(
    request: Request, form: forms.Filled[Invite], *, status: int = 200, link: str = ""
) -> Response:
    console = context.of(request)
    return render.page(
        request,
        "admin/invitations.html",
        status=status,
        form=form,
        link=link,
        open=list(reversed(await console.accounts.signup.invitations())),
        is_usable=console.accounts.signup.mode in (OPEN, INVITED),
        has_mail=console.accounts.emails.is_open,
    )


PAGES: Final = (
    Route("/admin/invitations", show),
    Route("/admin/invitations", create, methods=["POST"]),
    Route("/admin/invitations/withdraw", withdraw, methods=["POST"]),
)
