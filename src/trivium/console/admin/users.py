"""Everybody: found, switched off and on, given a role."""

from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.identity.errors import IdentityError
from trivium.identity.model import User, UserRole

PAGE: Final = 50


class UserChangeForm(forms.Form, frozen=True, kw_only=True):
    """What an administrator changes about a user, and about whom."""

    user: forms.Id
    to: Literal["disabled", "enabled", "admin", "user"]
    page: bool = False
    """Whether it was sent from the user's own page."""


_DONE: Final = {
    "disabled": N_("%(name)s is disabled: keys are refused and sessions over."),
    "enabled": N_("%(name)s is enabled again."),
    "admin": N_("%(name)s is an administrator now."),
    "user": N_("%(name)s is an ordinary user now."),
}


@session.admin
async def show(request: Request) -> Response:
    """Show the list of users, or those that match the search."""
    asked = request.query_params
    search = asked.get("search", "").strip()[:254]
    after = asked.get("after", "")
    listed, more = await context.of(request).directory.page(
        search, int(after) if after.isdecimal() and len(after) < 19 else 0, PAGE
    )
    kept = {"search": search} if search else {}
    return render.page(
        request,
        "admin/users.html",
        listed=listed,
        search=search,
        **render.paging("/admin/users", kept, "after", after, more),
    )


@session.admin
@session.recent_at("/admin/users")
async def change(request: Request) -> Response:
    """Switch a user off or on, or give them a role."""
    admin = session.user_of(request)
    form = forms.filled(request, UserChangeForm)
    if form.value is None:
        return _refused(request)
    try:
        user = await _changed(request, admin, form.value)
    except IdentityError:
        return _refused(request)
    back = f"/admin/users/{user.id}" if form.value.page else "/admin/users"
    return render.redirect(request, back, _DONE[form.value.to], name=user.name)


async def _changed(request: Request, admin: User, wanted: UserChangeForm) -> User:
    directory, log_act = context.of(request).directory, session.act_logger(request)
    if wanted.to in ("disabled", "enabled"):
        off = wanted.to == "disabled"
        return await directory.switch(admin.id, wanted.user, disabled=off, log_act=log_act)
    return await directory.appoint(admin.id, wanted.user, UserRole(wanted.to), log_act)


def _refused(request: Request) -> Response:
    said = N_("Nothing was changed: there is no such user, or it is you.")
    return render.redirect(request, "/admin/users", said, tone="bad")


PAGES: Final = (Route("/admin/users", show), Route("/admin/users", change, methods=["POST"]))
