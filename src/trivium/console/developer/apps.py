"""A user's own applications: registered, changed, suspended, deleted. Secrets are shown once."""

from typing import Annotated, Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.api.answer import sender
from trivium.console.forms import row
from trivium.console.language import N_
from trivium.oauth import scope
from trivium.oauth.apps.model import App, AppStatus, GrantType, OwnSecret
from trivium.oauth.errors import RegistrationError

_WRONG: Final = {
    "name": N_("Please use 1 to 64 characters that can be seen."),
    "description": N_("Please use at most 500 characters that can be seen."),
    "redirect_uri": N_(
        "This must be a whole address that begins with https://, without a fragment, a user name, "
        "a wildcard or dots for a path."
    ),
    "days": N_("Please choose one of what is offered."),
    "permission": N_("Only administrators make tokens for administration."),
    "limit": N_("You have as many applications as an account can have. Delete one first."),
    "rate": N_("You made many within an hour. Please wait a while."),
    "user": N_("This account is disabled."),
}


def refuse(form: forms.Filled[Any], error: RegistrationError) -> None:
    """Say it beside its field, or above the form."""
    said = _WRONG.get(error.field, N_("This is not written as it should be."))
    form.fail(error.field if error.field in form.given else "", said)


HOME: Final = "/account/developer"
BLOCKED: Final = N_("The operator has blocked this application. Only the operator can resume it.")

Words = Annotated[str, msgspec.Meta(max_length=2000)]
Address = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]


class NewApp(forms.Form, frozen=True, kw_only=True):
    """The form of a new application: what people are shown, and where they go afterwards."""

    name: forms.Line
    redirect_uri: Address
    description: Words = ""


class Edit(NewApp, frozen=True, kw_only=True):
    """The form of an existing application, which also sets how it is treated."""

    asks: bool = False
    refreshes: bool = False
    rotates: bool = False
    issuer: bool = False


@session.signed_in
async def show(request: Request) -> Response:
    """Applications and developer tokens."""
    console = context.of(request)
    user = session.user_of(request)
    now = console.clock.now()
    return render.page(
        request,
        "developer/developer.html",
        apps=await console.oauth.apps.owned_by(user.id),
        tokens=[
            (token, token.state(now)) for token in await console.oauth.developer.owned_by(user.id)
        ],
        served=scope.document(console.oauth.addresses.auth, spend=console.oauth.rules.spend),
        registration=f"{console.oauth.addresses.api}/api/oauth_apps",
    )


@session.signed_in
async def show_new(request: Request) -> Response:
    """Show the form for a new application."""
    return _new_page(request, forms.empty(NewApp))


@session.signed_in
async def create(request: Request) -> Response:
    """Register it, and show its secret this once."""
    user = session.user_of(request)
    form = forms.filled(request, NewApp)
    if form.value is None:
        return _new_page(request, form, 422)
    wanted = form.value
    try:
        app, secret = await context.of(request).oauth.apps.create(
            user.id, wanted.name, wanted.description, wanted.redirect_uri, sender(request)
        )
    except RegistrationError as error:
        refuse(form, error)
        return _new_page(request, form, 422)
    return _secret_page(request, app, secret, is_new=True)


@session.signed_in
async def show_one(request: Request) -> Response:
    """Show one application of the user's, with its secrets and a form to change it."""
    app, secrets = await _owned(request)
    grants = app.grants
    form = forms.empty(
        Edit,
        name=app.name,
        redirect_uri=app.redirect_uri,
        description=app.description,
        asks="1" if GrantType.CODE in grants else None,
        refreshes="1" if GrantType.REFRESH in grants else None,
        rotates="1" if app.rotate_refresh else None,
        issuer="1" if app.send_iss else None,
    )
    return _page(request, app, secrets, form)


@session.signed_in
async def edit(request: Request) -> Response:
    """Change an application as the form says."""
    user = session.user_of(request)
    app, secrets = await _owned(request)
    form = forms.filled(request, Edit)
    if form.value is None:
        return _page(request, app, secrets, form, 422)
    wanted = form.value
    allowed = ((GrantType.CODE, wanted.asks), (GrantType.REFRESH, wanted.refreshes))
    try:
        await context.of(request).oauth.apps.edit(
            user.id,
            app.id,
            name=wanted.name,
            description=wanted.description,
            redirect_uri=wanted.redirect_uri,
            grants=frozenset(grant for grant, is_allowed in allowed if is_allowed),
            rotate_refresh=wanted.rotates,
            send_iss=wanted.issuer,
            sender=sender(request),
        )
    except RegistrationError as error:
        refuse(form, error)
        return _page(request, app, secrets, form, 422)
    return render.redirect(request, f"{HOME}/apps/{app.id}", N_("The application was changed."))


@session.recent
async def show_secret(request: Request) -> Response:
    """Before a secret is replaced: what will happen."""
    app, secrets = await _owned(request)
    return render.page(request, "developer/secret.html", app=app, secrets=secrets)


@session.recent
async def rotate(request: Request) -> Response:
    """Make a new secret and show it, this once. The secret before works for another day."""
    user = session.user_of(request)
    app, _ = await _owned(request)
    _, secret = await context.of(request).oauth.apps.rotate_secret(user.id, app.id, sender(request))
    return _secret_page(request, app, secret, is_new=False)


@session.signed_in
async def end_old(request: Request) -> Response:
    """Refuse replaced secrets at once."""
    app, _ = await _owned(request)
    await context.of(request).oauth.apps.end_old_secrets(session.user_of(request).id, app.id)
    return render.redirect(request, f"{HOME}/apps/{app.id}", N_("The old secret is refused now."))


@session.signed_in
async def delete(request: Request) -> Response:
    """Delete it with everybody's consent and every token."""
    app, _ = await _owned(request)
    user = session.user_of(request)
    await context.of(request).oauth.apps.delete(user.id, app.id, sender(request))
    return render.redirect(
        request, HOME, N_("“%(name)s” is deleted, with all its access."), name=app.name
    )


def _setting(status: AppStatus, notice: str) -> session.Handler:
    """Refuse everything of an application until it is resumed, or let it work again."""

    @session.signed_in
    async def set_status(request: Request) -> Response:
        app, _ = await _owned(request)
        where = f"{HOME}/apps/{app.id}"
        apps = context.of(request).oauth.apps
        try:
            await apps.set_status(session.user_of(request).id, app.id, status, sender(request))
        except RegistrationError:
            return render.redirect(request, where, BLOCKED, tone="bad")
        return render.redirect(request, where, notice)

    return set_status


async def _owned(request: Request) -> tuple[App, list[OwnSecret]]:
    """The user's own application of the path. Raises HTTPException (404)."""
    user = session.user_of(request)
    try:
        return await context.of(request).oauth.apps.owned(user.id, request.path_params["app_id"])
    except RegistrationError:
        raise HTTPException(404) from None


def _new_page(request: Request, form: forms.Filled[Any], status: int = 200) -> Response:
    return render.page(request, "developer/app_new.html", status=status, form=form)


def _page(
    request: Request, app: App, secrets: list[OwnSecret], form: forms.Filled[Any], status: int = 200
) -> Response:
    return render.page(
        request, "developer/app.html", status=status, app=app, secrets=secrets, form=form
    )


def _secret_page(request: Request, app: App, secret: str, *, is_new: bool) -> Response:
    return render.page(request, "developer/secret_made.html", app=app, secret=secret, is_new=is_new)


_suspend = _setting(AppStatus.SUSPENDED, N_("The application is suspended."))
_resume = _setting(AppStatus.ACTIVE, N_("The application works again."))
_ONE: Final = f"{HOME}/apps/{row('app_id')}"

PAGES: Final = (
    Route(HOME, show),
    Route(f"{HOME}/apps/new", show_new),
    Route(f"{HOME}/apps/new", create, methods=["POST"]),
    Route(_ONE, show_one),
    Route(_ONE, edit, methods=["POST"]),
    Route(f"{_ONE}/secret", show_secret),
    Route(f"{_ONE}/secret", rotate, methods=["POST"]),
    Route(f"{_ONE}/secret/end", end_old, methods=["POST"]),
    Route(f"{_ONE}/suspend", _suspend, methods=["POST"]),
    Route(f"{_ONE}/resume", _resume, methods=["POST"]),
    Route(f"{_ONE}/delete", delete, methods=["POST"]),
)
