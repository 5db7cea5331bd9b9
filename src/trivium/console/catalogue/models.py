"""Models of the catalogue: found by name, made at prices that are known, edited, copied."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.model import CatalogueKind, EntryName
from trivium.catalogue.pricing.choices import choices, offer_of
from trivium.catalogue.pricing.offers import bare
from trivium.console import context, forms, render, session
from trivium.console.account.models import KINDS
from trivium.console.catalogue import entries, model_form, saving
from trivium.console.catalogue.changing import Fields
from trivium.console.catalogue.channel_form import free_name
from trivium.console.catalogue.entries import ShownEntry
from trivium.console.catalogue.saving import SavedForm
from trivium.console.context import Console
from trivium.console.language import N_
from trivium.ledger.errors import LedgerError
from trivium.ledger.suggestions import update
from trivium.ledger.suggestions.model import PriceCatalogue, bundled
from trivium.ledger.suggestions.vendor import VendorList

LIST: Final = "/admin/models"
NEW: Final = "/admin/models/new"
EDIT: Final = "/admin/models/edit"
PAGE: Final = 50
SUGGESTED_MAX: Final = 60
"""Models of a vendor that are offered with their prices."""
LIST_S: Final = 5.0
"""How long a page waits for a vendor's list of models; then the suggestions are what there is."""
CHANNELS_MAX: Final = 200
"""Names of channels that a field offers."""
ADD_ROWS: Final = "rows"
MAIN: Final = ("input", "cache_read", "cache_write", "output")
"""Kinds of price that most models have."""


class ModelLine(msgspec.Struct, frozen=True, kw_only=True):
    """A model as the list shows it."""

    entry: ShownEntry
    channels: tuple[str, ...]
    input: str
    """US dollars a million; empty: there is no such price."""
    output: str
    other: int
    """Prices of other kinds."""


@session.admin
async def show_all(request: Request) -> Response:
    """Show models page by page: all, those with some words in them, those at a channel."""
    console, query = context.of(request), request.query_params
    words, channel = query.get("q", "")[:100], query.get("channel", "")[:200]
    start = entries.start_of(request)
    found = await entries.listed(console, CatalogueKind.MODEL)
    fitting = await asyncio.to_thread(_fitting, found, words.lower().split(), channel)
    kept = {name: said for name, said in (("q", words), ("channel", channel)) if said}
    more = start + PAGE if start + PAGE < len(fitting) else None
    return render.page(
        request,
        "catalogue/models.html",
        lines=[_line(each) for each in fitting[start : start + PAGE]],
        count=len(fitting),
        there_are=len(found),
        words=words,
        channel=channel,
        **render.paging(LIST, kept, "from", start, more),
    )


def _fitting(found: Iterable[ShownEntry], words: list[str], channel: str) -> list[ShownEntry]:
    return [
        each
        for each in found
        if all(word in _searched(each) for word in words)
        and (not channel or channel in _channels(each.document))
    ]


def _searched(entry: ShownEntry) -> str:
    document = entry.document
    return f"{entry.name} {document.get('title') or ''} {document.get('owned_by') or ''}".lower()


def _channels(document: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(each.get("channel")) for each in document.get("bindings", ())))


def _line(entry: ShownEntry) -> ModelLine:
    price = entry.document.get("price", {})
    return ModelLine(
        entry=entry,
        channels=_channels(entry.document),
        input=price.get("input", ""),
        output=price.get("output", ""),
        other=len([kind for kind in price if kind not in ("input", "output")]),
    )


@session.admin
async def show_new(request: Request) -> Response:
    """Show the form of a new model: like another, or at a channel at prices that are suggested."""
    console, query = context.of(request), request.query_params
    taken = await entries.names(console, CatalogueKind.MODEL)
    if copy := query.get("copy", "")[:200]:
        found = await entries.one(console, _named(copy))
        if found is None:
            raise HTTPException(404)
        return await _form(request, model_form.copied(found, free_name(found.name, taken)), None)
    channel, wanted = query.get("channel", "")[:200], query.get("model", "")[:200]
    provider = await _provider(console, channel)
    suggestions = await asyncio.to_thread(suggested, console.settings.storage.journal)
    listed = await _listed(console, channel, frozenset({bare(wanted)}) if wanted else None)
    offer = offer_of(channel, provider, suggestions, listed, wanted) if wanted else None
    priced = {} if offer is None else offer.adopted({}, console.clock.now())
    name = free_name(wanted, taken) if wanted else ""
    form = model_form.fresh(name, channel, priced)
    if name != wanted:
        form.given = {**form.given, "bindings.0.model": [wanted]}
    offered = []
    if not wanted:
        offered = await asyncio.to_thread(_offered, suggestions, channel, provider, listed)
    return await _form(request, form, None, offered=offered, channel=channel)


def suggested(journal: str) -> PriceCatalogue:
    """The suggestions that there are, those that this version came with where others are broken."""
    try:
        return update.current(update.place(journal))
    except LedgerError:
        return bundled()


async def _provider(console: Console, channel: str) -> str:
    """The provider of a channel; empty where there is none."""
    if not channel:
        return ""
    found = await entries.one(console, entries.named(CatalogueKind.CHANNEL, channel))
    return "" if found is None else str(found.document.get("provider", ""))


async def _listed(
    console: Console, channel: str, wanted: frozenset[str] | None
) -> VendorList | None:
    """What the vendor of a channel that is in force lists; ``None``: it did not say in time."""
    found = next((each for each in console.gateway.channels() if each.name == channel), None)
    if found is None:
        return None
    try:
        async with asyncio.timeout(LIST_S):
            return await console.gateway.listed(found, wanted)
    except TimeoutError:
        return None


def _offered(
    suggestions: PriceCatalogue, channel: str, provider: str, listed: VendorList | None
) -> list[tuple[str, str, str]]:
    """Names of a vendor's models with their prices, those first that people begin with. Where its
    own list is known, only what it lists.
    """
    found = choices(channel, provider, suggestions, listed).found[:SUGGESTED_MAX]
    prices = [(each.name, each.offer.suggestion.lists[0].price) for each in found]
    return [(name, price.get("input", ""), price.get("output", "")) for name, price in prices]


@session.admin
async def create(request: Request) -> Response:
    """Try the form's model, or make it."""
    return await _save(request, forms.filled(request, forms.Form), None)


@session.admin
async def show(request: Request) -> Response:
    """Show the form of a model of the database."""
    found = await saving.opened(request, CatalogueKind.MODEL)
    return await _form(request, model_form.shown(found), found)


@session.admin
async def save(request: Request) -> Response:
    """Try what the form says of a model, or save it. One that is gone meanwhile is told."""
    return await _save(request, *await saving.sent(request, CatalogueKind.MODEL))


async def _save(request: Request, form: Fields, entry: ShownEntry | None) -> Response:
    at = _named(form.first("name").strip() if entry is None else entry.name)
    model_form.compact(form)
    document = model_form.document(form)
    if form.first("act") == ADD_ROWS:
        form.given = {**form.given, "rows": [str(model_form.rows(form) + 3)]}
        form.errors.clear()
        return await _form(request, form, entry)
    if form.errors:
        return await _form(request, form, entry, SavedForm(status=422))
    done = await saving.saved(request, form, at, document, model_form.field_of)
    if done.is_saved:
        said = N_("%(name)s is saved, and can be asked for here.")
        to = saving.START if saving.onward(form.first("next")) else LIST
        return render.redirect(request, to, said, name=at.name)
    return await _form(request, form, entry, done)


async def _form(
    request: Request,
    form: Fields,
    entry: ShownEntry | None,
    done: SavedForm | None = None,
    *,
    offered: list[tuple[str, str, str]] | None = None,
    channel: str = "",
) -> Response:
    names = await entries.names(context.of(request), CatalogueKind.CHANNEL)
    return render.page(
        request,
        "catalogue/model.html",
        status=200 if done is None else done.status,
        form=form,
        entry=entry,
        rows=model_form.rows(form),
        channels=list(names)[:CHANNELS_MAX],
        channel=channel,
        offered=offered or [],
        main=[(kind, KINDS[kind]) for kind in MAIN],
        other=[(kind, label) for kind, label in KINDS.items() if kind not in MAIN],
        **saving.told(form, done, model_form.shown_fields(form), request),
    )


def _named(name: str) -> EntryName:
    return entries.named(CatalogueKind.MODEL, name)


PAGES: Final = (
    Route(LIST, show_all, methods=["GET"]),
    Route(NEW, show_new, methods=["GET"]),
    Route(NEW, create, methods=["POST"]),
    Route(EDIT, show, methods=["GET"]),
    Route(EDIT, save, methods=["POST"]),
)
