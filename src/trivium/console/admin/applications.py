"""Other applications that users let in, as the operator treats them."""

from typing import Final, Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.console.teams.access import person
from trivium.identity.errors import IdentityError
from trivium.oauth.apps.model import AppStatus
from trivium.oauth.errors import RegistrationError

AT: Final = "/admin/applications"
PAGE: Final = 50
STATES: Final = {
    AppStatus.ACTIVE: N_("works"),
    AppStatus.SUSPENDED: N_("suspended by its owner"),
    AppStatus.BLOCKED: N_("blocked"),
}


class AppDecisionForm(forms.Form, frozen=True, kw_only=True):
    """What the operator decides about an application."""

    app: forms.Line
    """Its client id."""
    to: Literal["trusted", "distrusted", "blocked", "active"]


class AppTransferForm(forms.Form, frozen=True, kw_only=True):
    """Which application, and whose it is from now on: a name or an address."""

    app: forms.Line
    to: forms.Line


_DONE: Final = {
    "trusted": N_("“%(name)s” is trusted: people are let through without a question."),
    "distrusted": N_("“%(name)s” asks people again before it is let in."),
    "blocked": N_(
        "“%(name)s” is blocked: its tokens are refused, and nobody is asked to let it in."
    ),
    "active": N_("“%(name)s” works again."),
}


@session.admin
async def show(request: Request) -> Response:
    """Show the applications in the order they were registered."""
    console = context.of(request)
    given = request.query_params.get("after", "")
    after = int(given) if given.isdecimal() and len(given) <= forms.DIGITS_MAX else 0
    state = next((each for each in STATES if each.value == request.query_params.get("state")), None)
    found = await console.oauth.apps.page(after, PAGE + 1, status=state)
    rows = found[:PAGE]
    owners, _ = await console.requests.names([each.user_id for each in rows], ())
    kept = {"state": state.value} if state else {}
    return render.page(
        request,
        "admin/applications.html",
        rows=rows,
        state=state,
        states=STATES,
        owners=owners,
        at=AT,
        **render.paging(AT, kept, "after", given, rows[-1].id if len(found) > PAGE else None),
    )


@session.admin
@session.recent_at(AT)
async def change(request: Request) -> Response:
    """Trust an application or no longer, block it or let it work again."""
    apps = context.of(request).oauth.apps
    form = forms.filled(request, AppDecisionForm)
    if form.value is None:
        said = N_("Nothing was changed: this is not one of the choices.")
        return render.redirect(request, AT, said, tone="bad")
    to, acts = form.value.to, session.act_logger(request)
    try:
        if to in ("trusted", "distrusted"):
            app = await apps.operate(form.value.app, trusted=to == "trusted", log_act=acts)
        else:
            app = await apps.operate(form.value.app, status=AppStatus(to), log_act=acts)
    except RegistrationError:
        raise HTTPException(404) from None
    return render.redirect(request, AT, _DONE[to], name=app.name)


@session.admin
@session.recent_at(AT)
async def transfer(request: Request) -> Response:
    """Give an application to another account; its users are asked again."""
    console = context.of(request)
    form = forms.filled(request, AppTransferForm).value
    if form is None:
        raise HTTPException(400)
    try:
        to = await person(request, form.to)
        app = await console.oauth.apps.transfer(form.app, to.id, session.act_logger(request))
    except IdentityError:
        said = N_("Nothing was changed: there is no user of this name or address.")
        return render.redirect(request, AT, said, tone="bad")
    except RegistrationError as error:
        if error.field == "app":
            raise HTTPException(404) from None
        said = N_("Nothing was changed: this account is disabled.")
        return render.redirect(request, AT, said, tone="bad")
    said = N_("“%(name)s” is of %(user)s now. Its secret should be replaced.")
    return render.redirect(request, AT, said, name=app.name, user=to.name)


PAGES: Final = (
    Route(AT, show),
    Route(AT, change, methods=["POST"]),
    Route(f"{AT}/transfer", transfer, methods=["POST"]),
)
