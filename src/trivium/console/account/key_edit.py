"""Keys that are there: other terms, a pause and its end, and the end for good.

The pages of a user's own keys and those of an administrator for anybody's differ in who may open
them, whose keys they are and where they lie; ``KeyPages`` says so, and the rest is the same.
"""

from collections.abc import Awaitable, Callable
from typing import Final, Literal

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, forms, render, session
from trivium.console.account import key_terms
from trivium.console.account.key_terms import EditedKey
from trivium.console.forms import row
from trivium.console.language import N_, LazyText
from trivium.identity.errors import IdentityError
from trivium.identity.model import Key
from trivium.identity.terms import Terms, terms_of
from trivium.observe.audit.model import ActKind

_DONE: Final = {
    ActKind.KEY_PAUSED: N_(
        "The key “%(name)s” is paused: it is refused everywhere within two seconds."
    ),
    ActKind.KEY_RESUMED: N_("The key “%(name)s” works again."),
    ActKind.KEY_REVOKED: N_(
        "The key “%(name)s” is revoked. It is refused everywhere within two seconds."
    ),
}


class KeyIdForm(forms.Form, frozen=True, kw_only=True):
    """The form of an act on one key, by its id."""

    key: forms.Id


class RotateForm(forms.Form, frozen=True, kw_only=True):
    """For how long the secret before works as well."""

    overlap: Literal["0", "3600", "86400", "604800"] = "86400"


class KeyPages(msgspec.Struct, frozen=True):
    """Whose keys are handled, and where."""

    owner: int
    """The user's id."""
    path: str
    """Below which the pages of these keys lie."""
    back: str
    """The page with the list."""
    refused: Callable[[Request, LazyText], Awaitable[Response]]
    """That page, saying what was wrong."""


async def show(request: Request, desk: KeyPages, key_id: int) -> Response:
    """The form of one key. Raises HTTPException (404)."""
    key = await _key(request, desk, key_id)
    return _page(request, desk, key, key_terms.shown(key))


async def save(request: Request, desk: KeyPages, key_id: int) -> Response:
    """Put in force what the form says. Raises HTTPException (404)."""
    key = await _key(request, desk, key_id)
    form = forms.filled(request, EditedKey)
    wanted = key_terms.terms(form, terms_of(key))
    if wanted is None:
        return _page(request, desk, key, form, 422)

    def change(_: Terms) -> Terms:
        return wanted

    try:
        after, members = await context.of(request).own_keys.edit(desk.owner, key_id, change)
    except IdentityError as error:
        key_terms.refuse(form, error)
        return _page(request, desk, key, form, 422)
    if members:
        await session.tell_of(
            request,
            ActKind.KEY_CHANGED,
            desk.owner,
            f"key:{key_id}",
            name=after.name,
            changed=", ".join(members),
        )
    said = N_("The key “%(name)s” is saved. What has changed holds everywhere within two seconds.")
    return render.redirect(request, desk.back, said, name=after.name)


async def act(request: Request, desk: KeyPages, kind: ActKind) -> Response:
    """Pause, resume or revoke the key that a form names."""
    own = context.of(request).own_keys
    form = forms.filled(request, KeyIdForm)
    if form.value is None:
        return await desk.refused(request, key_terms.said(IdentityError("key", "is not named")))
    try:
        if kind is ActKind.KEY_REVOKED:
            key = await own.revoke(desk.owner, form.value.key)
        else:
            paused = kind is ActKind.KEY_PAUSED
            key = await own.switch(desk.owner, form.value.key, paused=paused)
    except IdentityError as error:
        return await desk.refused(request, key_terms.said(error))
    await session.tell_of(request, kind, desk.owner, f"key:{key.id}", name=key.name)
    return render.redirect(request, desk.back, _DONE[kind], name=key.name)


async def rotate(request: Request, desk: KeyPages, key_id: int) -> Response:
    """Give the key another secret, and show it this once. Raises HTTPException (404)."""
    key = await _key(request, desk, key_id)
    form = forms.filled(request, RotateForm).value or RotateForm()
    log_act = session.act_logger(request)
    try:
        after, secret = await context.of(request).own_keys.rotate(
            desk.owner, key.id, int(form.overlap), log_act
        )
    except IdentityError as error:
        return await desk.refused(request, key_terms.said(error))
    return show_secret(request, after, secret, desk.back)


def show_secret(request: Request, key: Key, secret: str, back: str) -> Response:
    """The page that has a key's secret, this once."""
    return render.page(
        request,
        "account/key_secret.html",
        key=key,
        secret=secret,
        origin=context.of(request).api_origin,
        back=back,
    )


async def _key(request: Request, desk: KeyPages, key_id: int) -> Key:
    try:
        return await context.of(request).own_keys.one(desk.owner, key_id)
    except IdentityError:
        raise HTTPException(404) from None


def _page(
    request: Request, desk: KeyPages, key: Key, form: forms.Filled[EditedKey], status: int = 200
) -> Response:
    return render.page(
        request,
        "account/key_edit.html",
        status=status,
        form=form,
        key=key,
        action=f"{desk.path}/{key.id}",
        at=desk.path,
        back=desk.back,
        clock=context.of(request).clock.now(),
    )


def routes(
    path: str,
    guard: Callable[[session.Handler], session.Handler],
    acting: Callable[[session.Handler], session.Handler],
    desk_of: Callable[[Request], Awaitable[KeyPages]],
) -> tuple[Route, ...]:
    """The pages below a path. ``guard``: who may see them; ``acting``: who may act there."""

    async def shown(request: Request) -> Response:
        return await show(request, await desk_of(request), request.path_params["key"])

    async def saved(request: Request) -> Response:
        return await save(request, await desk_of(request), request.path_params["key"])

    async def rotated(request: Request) -> Response:
        return await rotate(request, await desk_of(request), request.path_params["key"])

    def doing(kind: ActKind) -> session.Handler:
        async def done(request: Request) -> Response:
            return await act(request, await desk_of(request), kind)

        return acting(done)

    return (
        Route(f"{path}/pause", doing(ActKind.KEY_PAUSED), methods=["POST"]),
        Route(f"{path}/resume", doing(ActKind.KEY_RESUMED), methods=["POST"]),
        Route(f"{path}/revoke", doing(ActKind.KEY_REVOKED), methods=["POST"]),
        Route(f"{path}/{row('key')}/rotate", acting(rotated), methods=["POST"]),
        Route(f"{path}/{row('key')}", guard(shown)),
        Route(f"{path}/{row('key')}", acting(saved), methods=["POST"]),
    )
