"""Channels of the database: made, edited and copied, tried before they are saved."""

from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.model import CatalogueKind
from trivium.console import context, forms, render, session
from trivium.console.catalogue import channel_form, entries, saving
from trivium.console.catalogue.changing import Fields
from trivium.console.catalogue.entries import ShownEntry
from trivium.console.catalogue.saving import SavedForm
from trivium.console.context import Console
from trivium.console.language import N_
from trivium.providers.base import Provider
from trivium.routing.catalogue import known_providers

LIST: Final = "/admin/channels"
NEW: Final = "/admin/channels/new"
EDIT: Final = "/admin/channels/edit"


@session.admin
async def show_new(request: Request) -> Response:
    """Show the vendors to choose from; of the one that was chosen, or of a copy, the form."""
    console = context.of(request)
    query = request.query_params
    taken = await entries.names(console, CatalogueKind.CHANNEL)
    if copy := query.get("copy", ""):
        entry = await entries.one(console, channel_form.named(copy[:200]))
        if entry is None:
            raise HTTPException(404)
        form = channel_form.copied(entry, channel_form.free_name(entry.name, taken))
        return _form(request, form, None, copied=True)
    name = query.get("provider", "")
    if name:
        if name not in _providers(console):
            raise HTTPException(404)
        free = channel_form.free_name(name, taken)
        return _form(request, forms.empty(forms.Form, provider=name, name=free), None)
    words = query.get("q", "")[:100]
    return render.page(
        request,
        "catalogue/vendors.html",
        words=words,
        vendors=_found(_providers(console), words),
        onward=saving.onward(query.get("next", "")),
    )


def _found(providers: Mapping[str, Provider], words: str) -> list[Provider]:
    asked = words.lower().split()
    fitting = [
        each
        for each in providers.values()
        if all(word in f"{each.name} {each.title}".lower() for word in asked)
    ]
    return sorted(fitting, key=lambda each: each.title.lower())


@session.admin
async def create(request: Request) -> Response:
    """Try the form's channel, or make it."""
    form = forms.filled(request, forms.Form)
    if form.first("provider") not in _providers(context.of(request)):
        raise HTTPException(404)
    return await _save(request, form, None)


@session.admin
async def show(request: Request) -> Response:
    """Show the form of a channel of the database."""
    found = await saving.opened(request, CatalogueKind.CHANNEL)
    return _form(request, channel_form.shown(found), found)


@session.admin
async def save(request: Request) -> Response:
    """Try what the form says of a channel, or save it. One that is gone meanwhile is told."""
    return await _save(request, *await saving.sent(request, CatalogueKind.CHANNEL))


async def _save(request: Request, form: Fields, entry: ShownEntry | None) -> Response:
    at = channel_form.named(form.first("name").strip() if entry is None else entry.name)
    done = await saving.saved(
        request, form, at, channel_form.document(form, entry), channel_form.field_of
    )
    if done.is_saved:
        to = form.first("next")
        if saving.onward(to):
            return render.redirect(request, saving.START, N_("%(name)s is saved."), name=at.name)
        said = N_("%(name)s is saved, and in force here. Test it before others rely on it.")
        return render.redirect(request, LIST, said, name=at.name)
    return _form(request, form, entry, done)


def _form(
    request: Request,
    form: Fields,
    entry: ShownEntry | None,
    done: SavedForm | None = None,
    *,
    copied: bool = False,
) -> Response:
    provider = _providers(context.of(request)).get(form.first("provider"))
    if provider is None:  # of a package that is gone
        raise HTTPException(404)
    needs = channel_form.needs(provider, entry)
    return render.page(
        request,
        "catalogue/channel.html",
        status=200 if done is None else done.status,
        form=form,
        entry=entry,
        provider=provider,
        needs=needs,
        copied=copied,
        keys_shown=channel_form.KEYS_SHOWN,
        **saving.told(form, done, needs.shown, request),
    )


def _providers(console: Console) -> Mapping[str, Provider]:
    return known_providers(console.settings.plugins.enabled)


PAGES: Final = (
    Route(NEW, show_new, methods=["GET"]),
    Route(NEW, create, methods=["POST"]),
    Route(EDIT, show, methods=["GET"]),
    Route(EDIT, save, methods=["POST"]),
)
