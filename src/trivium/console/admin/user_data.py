"""What is known of a person: taken along, and erased; and a password that is set by hand."""

from collections.abc import AsyncIterator
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.admin.user_terms import person
from trivium.console.forms import row
from trivium.console.language import N_, text
from trivium.console.refusals import refuse
from trivium.identity.accounts.errors import AccountError
from trivium.identity.errors import KeptError
from trivium.identity.model import User
from trivium.observe.audit.model import ActKind

ROWS: Final = 500
"""Of an export, read at once."""


class EraseForm(forms.Form, frozen=True, kw_only=True):
    """Whom the administrator means, by their name."""

    name: forms.Line


class PasswordForForm(forms.Form, frozen=True, kw_only=True):
    """What somebody logs in with from now on."""

    password: forms.Password


@session.admin
@session.recent
async def show(request: Request) -> Response:
    """Show what can be done with a person's data, and the form for a password."""
    user = await person(request)
    return _page(request, user)


@session.admin
@session.recent_at("/admin/users")
async def export(request: Request) -> Response:
    """All that names a person as lines of JSON, written as they are read."""
    user = await person(request)
    await session.tell_of(request, ActKind.USER_EXPORTED, user.id, f"user:{user.id}")
    return StreamingResponse(
        _lines(request, user.id),
        media_type="application/jsonl",
        headers={"content-disposition": f'attachment; filename="user-{user.id}.jsonl"'},
    )


async def _lines(request: Request, user_id: int) -> AsyncIterator[bytes]:
    erasure, after = context.of(request).erasure, None
    while True:
        page = await erasure.page(user_id, after, ROWS)
        for each in page.rows:
            yield msgspec.json.encode(each) + b"\n"
        after = page.after
        if after is None:
            return


@session.admin
@session.recent_at("/admin/users")
async def erase(request: Request) -> Response:
    """Erase a person for good, whose name was typed."""
    user = await person(request)
    form = forms.filled(request, EraseForm)
    if form.value is not None and form.value.name != user.name:
        form.fail("name", N_("This is not the name of this account."))
    if form.value is None:
        return _page(request, user, erasing=form, status=422)
    try:
        await context.of(request).erasure.erase(
            session.user_of(request).id, user.id, session.act_logger(request)
        )
    except KeptError as error:
        form.fail("", text(N_("Not erased yet: %(why)s."), why=str(error).partition(": ")[2]))
        return _page(request, user, erasing=form, status=409)
    said = N_("%(name)s is erased: what is left names nobody.")
    return render.redirect(request, "/admin/users", said, name=user.name)


@session.admin
@session.recent_at("/admin/users")
async def set_password(request: Request) -> Response:
    """Set somebody's password and end their logins; one's own is on one's own pages."""
    user = await person(request)
    form = forms.filled(request, PasswordForForm)
    if user.id == session.user_of(request).id:
        form.fail("password", N_("Your own password is on the page of your security."))
    if form.value is None:
        return _page(request, user, password=form, status=422)
    try:
        await context.of(request).accounts.recovery.set_password(user, form.value.password)
    except AccountError as error:
        status = refuse(form, error)
        return _page(request, user, password=form, status=status)
    await session.tell_of(request, ActKind.PASSWORD_CHANGED, user.id)
    said = N_("The password of %(name)s is set, and all their logins are over.")
    return render.redirect(request, f"/admin/users/{user.id}", said, name=user.name)


def _page(
    request: Request,
    user: User,
    *,
    erasing: forms.Filled[EraseForm] | None = None,
    password: forms.Filled[PasswordForForm] | None = None,
    status: int = 200,
) -> Response:
    return render.page(
        request,
        "admin/user_data.html",
        status=status,
        one=user,
        erasing=erasing or forms.empty(EraseForm),
        password=password or forms.empty(PasswordForForm),
        is_self=user.id == session.user_of(request).id,
        at=f"/admin/users/{user.id}",
    )


_USER: Final = f"/admin/users/{row('user')}"
PAGES: Final = (
    Route(f"{_USER}/data", show),
    Route(f"{_USER}/export.jsonl", export, methods=["POST"]),
    Route(f"{_USER}/erase", erase, methods=["POST"]),
    Route(f"{_USER}/password", set_password, methods=["POST"]),
)
