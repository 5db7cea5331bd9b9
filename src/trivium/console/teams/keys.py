"""Keys that spend for a team, and its service accounts.

Members see keys of their own; managers see all, and revoke any. A person's key is made and rotated
by that person; those of service accounts are made, changed and rotated by managers.
"""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import budget_use, context, forms, render, session
from trivium.console.account import key_edit, key_terms
from trivium.console.account.key_edit import KeyIdForm
from trivium.console.account.keys import NewKeyForm, make
from trivium.console.forms import row
from trivium.console.language import N_, LazyText
from trivium.console.teams import access
from trivium.console.teams.access import HOME, PAGE, OpenedTeam, acting, opened
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key, User, UserKind
from trivium.identity.teams.model import member_scope
from trivium.identity.teams.rights import TeamAction
from trivium.observe.audit.model import ActKind


class NewServiceForm(forms.Form, frozen=True, kw_only=True):
    """A service account, by the last part of its name."""

    title: forms.Line


@session.signed_in
async def show(request: Request) -> Response:
    """Show the keys of a team, or those of them that are one's own, and its service accounts."""
    return await _page(request, await opened(request), forms.empty(NewServiceForm))


@acting
async def revoke(request: Request) -> Response:
    """Revoke a key for good: anybody's as a manager, else one's own."""
    view = await opened(request)
    back = f"{view.path}/keys"
    wanted = forms.filled(request, KeyIdForm).value
    console = context.of(request)
    try:
        key = await _revocable(request, view, wanted.key if wanted else 0)
        await console.own_keys.revoke(key.user_id, key.id)
    except IdentityError as error:
        return access.refused(request, back, error)
    await session.tell_of(request, ActKind.KEY_REVOKED, key.user_id, f"key:{key.id}", name=key.name)
    said = N_("The key “%(name)s” is revoked. It is refused everywhere within two seconds.")
    return render.redirect(request, back, said, name=key.name)


async def _revocable(request: Request, view: OpenedTeam, key_id: int) -> Key:
    """A key of the team that whoever asks may end. Raises ``IdentityError`` (``key``)."""
    key = await context.of(request).directory.key(key_id)
    is_theirs = key.user_id == view.actor.user_id or view.may("manage_keys")
    if key.team_id != view.team.id or not is_theirs:
        raise IdentityError("key", "is not one of the team's")
    return key


@acting
async def create_service(request: Request) -> Response:
    """Make a service account."""
    view = await opened(request, TeamAction.MANAGE_KEYS)
    form = forms.filled(request, NewServiceForm)
    if form.value is None:
        return await _page(request, view, form, 422)
    try:
        made = await context.of(request).teams.create_service(
            view.team.id, form.value.title, session.act_logger(request)
        )
    except IdentityError as error:
        form.fail("title" if error.field == "name" else "", access.said(error))
        return await _page(request, view, form, 422)
    said = N_("The service account %(name)s is made. It has no key yet.")
    return render.redirect(request, f"{view.path}/services/{made.id}", said, name=made.name)


@session.signed_in
async def show_service(request: Request) -> Response:
    """Show a service account with its keys and budgets."""
    view = await opened(request, TeamAction.MANAGE_KEYS)
    return await _service_page(request, view, await _service(request, view))


@acting
async def switch_service(request: Request) -> Response:
    """Disable a service account, or enable it again."""
    view = await opened(request, TeamAction.MANAGE_KEYS)
    service = await _service(request, view)
    await context.of(request).directory.switch(
        view.actor.user_id,
        service.id,
        disabled=not service.disabled,
        log_act=session.act_logger(request),
    )
    said = N_("%(name)s is enabled again.")
    if not service.disabled:
        said = N_("%(name)s is disabled: its keys are refused within two seconds.")
    return render.redirect(request, f"{view.path}/services/{service.id}", said, name=service.name)


@session.signed_in
async def show_new(request: Request) -> Response:
    """Show the form for a service account's key."""
    view = await opened(request, TeamAction.MANAGE_KEYS)
    return _form(request, view, await _service(request, view), forms.empty(NewKeyForm))


@acting
async def create(request: Request) -> Response:
    """Make a service account's key, and show it this once."""
    view = await opened(request, TeamAction.MANAGE_KEYS)
    service = await _service(request, view)
    form = forms.filled(request, NewKeyForm)
    try:
        await context.of(request).own_keys.check_room(service.id)
        made = await make(request, form, service.name, view.team.name)
    except IdentityError as error:
        key_terms.refuse(form, error)
        made = None
    if made is None:
        return _form(request, view, service, form, 422)
    key, secret = made
    await session.tell_of(request, ActKind.KEY_CREATED, service.id, f"key:{key.id}", name=key.name)
    back = f"{view.path}/services/{service.id}"
    return key_edit.show_secret(request, key, secret, back)


def _form(
    request: Request,
    view: OpenedTeam,
    service: User,
    form: forms.Filled[NewKeyForm],
    status: int = 200,
) -> Response:
    path = f"{view.path}/services/{service.id}"
    return render.page(
        request,
        "account/key_new.html",
        status=status,
        form=form,
        action=f"{path}/keys/new",
        back=path,
        teams=[],
        owner=service.name,
    )


async def _service(request: Request, view: OpenedTeam) -> User:
    """The service account of the path. Raises HTTPException (404)."""
    try:
        found = await context.of(request).directory.one(request.path_params["service"])
    except IdentityError:
        raise HTTPException(404) from None
    if found.kind is not UserKind.SERVICE or found.team_id != view.team.id:
        raise HTTPException(404)
    return found


async def _pages_of(request: Request) -> key_edit.KeyPages:
    view = await opened(request, TeamAction.MANAGE_KEYS)
    service = await _service(request, view)

    async def refused(request: Request, wrong: LazyText) -> Response:
        return await _service_page(request, view, service, 422, wrong)

    path = f"{view.path}/services/{service.id}"
    return key_edit.KeyPages(service.id, f"{path}/keys", path, refused)


async def _service_page(
    request: Request,
    view: OpenedTeam,
    service: User,
    status: int = 200,
    wrong: LazyText | None = None,
) -> Response:
    console = context.of(request)
    keys = await console.own_keys.own(service.id)
    scope = member_scope(view.team.id, service.id)
    listed = await console.team_lists.budgets_of([scope])
    return render.page(
        request,
        "team/service.html",
        status=status,
        wrong=wrong,
        view=view,
        service=service,
        at=f"{view.path}/services/{service.id}",
        keys=[key for key in reversed(keys) if not key.disabled],
        revoked=[key for key in reversed(keys) if key.disabled],
        budgets=await budget_use.used(console, listed),
        periods=budget_use.PERIODS,
        clock=console.clock.now(),
    )


async def _page(
    request: Request, view: OpenedTeam, form: forms.Filled[NewServiceForm], status: int = 200
) -> Response:
    console = context.of(request)
    after, service_after = access.number(request, "after"), access.number(request, "service")
    may_manage = view.may("manage_keys")
    keys = await console.directory.keys(
        after,
        PAGE + 1,
        team_id=view.team.id,
        user_id=None if may_manage else view.actor.user_id,
    )
    shown = keys[:PAGE]
    more = shown[-1].id if len(keys) > PAGE else None
    services: list[User] = []
    more_services: int | None = None
    if may_manage:
        services, more_services = await console.team_lists.services(
            view.team.id, service_after, PAGE
        )
    path = f"{view.path}/keys"
    return render.page(
        request,
        "team/keys.html",
        status=status,
        view=view,
        form=form,
        keys=shown,
        owners=await console.team_lists.names(key.user_id for key in shown),
        services=services,
        paged_services=render.paging(path, {}, "service", service_after, more_services),
        clock=console.clock.now(),
        **render.paging(path, {}, "after", after, more),
    )


_TEAM: Final = f"{HOME}/{row('team')}"
_SERVICE: Final = f"{_TEAM}/services/{row('service')}"
PAGES: Final = (
    Route(f"{_TEAM}/keys", show),
    Route(f"{_TEAM}/keys/revoke", revoke, methods=["POST"]),
    Route(f"{_TEAM}/services", create_service, methods=["POST"]),
    Route(_SERVICE, show_service),
    Route(f"{_SERVICE}/switch", switch_service, methods=["POST"]),
    Route(f"{_SERVICE}/keys/new", show_new),
    Route(f"{_SERVICE}/keys/new", create, methods=["POST"]),
    *key_edit.routes(f"{_SERVICE}/keys", session.signed_in, acting, _pages_of),
)
