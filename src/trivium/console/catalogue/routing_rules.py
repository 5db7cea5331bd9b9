"""Routing rules: each is in the file or in the database, and shown with what holds without."""

import asyncio
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.model import ROUTING, CatalogueKind, EntryName
from trivium.console import context, forms, render, session
from trivium.console.catalogue import entries, saving
from trivium.console.catalogue.changing import Fields
from trivium.console.catalogue.saving import SavedForm
from trivium.console.catalogue.values import number, said
from trivium.console.language import N_
from trivium.settings.model import RoutingSettings

PATH: Final = "/admin/routing"
AT: Final = EntryName(CatalogueKind.ROUTING.value, ROUTING)
WORDS: Final = {
    "attempts_max": N_("Attempts of one request, over all channels"),
    "attempts_s": N_("Seconds after which no attempt begins any more"),
    "slow_s": N_("Seconds after which a failed attempt is followed by no other"),
    "repeats": N_("Further attempts on channels that have failed"),
    "repeat_pause_s": N_("Seconds before the first of these"),
    "wishes": N_("Callers may choose among the channels of a model"),
    "failures": N_("Failures in a row that have a channel rest"),
    "failures_ratio": N_("Share of failures that does the same"),
    "window_s": N_("Seconds over which that share is taken"),
    "cooldown_s": N_("Seconds of the first rest"),
    "cooldown_max_s": N_("Seconds of the longest rest"),
    "recheck_s": N_("Seconds of the longest rest of a refused key"),
}
_TRUTHS: Final = {"true": True, "false": False}


class RoutingRule(msgspec.Struct, frozen=True, kw_only=True):
    """One member as the page shows it."""

    name: str
    words: str
    default: str
    is_truth: bool
    filed: str
    """What the settings file says; empty: nothing, so that the database may."""


@session.admin
async def show(request: Request) -> Response:
    """Show all rules, those of the database to be changed."""
    entry = await entries.one(context.of(request), AT)
    document = {} if entry is None or entry.place else entry.document
    given = {name: said(document, name) for name in WORDS}
    stored = "" if entry is None or entry.place else str(entry.version)
    return await _page(request, forms.empty(forms.Form, **given, version=stored))


@session.admin
async def save(request: Request) -> Response:
    """Try what the form says, or save it; with nothing in it the entry is taken away."""
    form = forms.filled(request, forms.Form)
    document: dict[str, Any] | None = {
        name: _TRUTHS.get(typed, number(typed))
        for name in WORDS
        if (typed := form.first(name).strip())
    }
    if not document:
        if not form.first("version"):
            return render.redirect(request, PATH, N_("There was nothing to save."), tone="info")
        document = None
    done = await saving.saved(request, form, AT, document)
    if done.is_saved:
        return render.redirect(request, PATH, N_("The routing rules are saved."))
    return await _page(request, form, done)


async def _page(request: Request, form: Fields, done: SavedForm | None = None) -> Response:
    console = context.of(request)
    filed = await asyncio.to_thread(console.catalogue.one_of_file, AT)
    document = {} if filed is None else filed.document
    defaults = RoutingSettings()
    rules = [
        RoutingRule(
            name=name,
            words=words,
            default=msgspec.json.encode(getattr(defaults, name)).decode(),
            is_truth=isinstance(getattr(defaults, name), bool),
            filed=said(document, name),
        )
        for name, words in WORDS.items()
    ]
    return render.page(
        request,
        "catalogue/routing.html",
        status=200 if done is None else done.status,
        form=form,
        rules=rules,
        filed_at="" if filed is None else filed.place,
        **saving.told(form, done, {*WORDS, "reason"}, request),
    )


PAGES: Final = (
    Route(PATH, show, methods=["GET"]),
    Route(PATH, save, methods=["POST"]),
)
