"""What models cost beside what others say of it, what is earned, and adopting a price."""

import asyncio
from decimal import Decimal
from typing import Annotated, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.catalogue.documents import DocumentError
from trivium.catalogue.model import CatalogueError, ChangeAuthor
from trivium.catalogue.pricing.origin import PriceSource
from trivium.catalogue.pricing.service import AdoptedPrices, PriceChoice
from trivium.catalogue.pricing.sheet import PriceStanding
from trivium.console import context, forms, render, session
from trivium.console.language import N_
from trivium.console.pricing import DAYS, PricedSheet, priced
from trivium.ledger.errors import LedgerError

AT: Final = "/admin/prices"
PAGE: Final = 50
PROPOSALS: Final = 50
"""Proposals that the page shows; the API has all."""
LOOK_S: Final = 45.0
"""How long vendors may take while somebody waits for the page."""
STATES: Final = {
    "free": N_("free"),
    "unknown": N_("nobody says"),
    "same": N_("the same"),
    "scheduled": N_("planned"),
    "differs": N_("differs"),
}
SOURCES: Final = {"vendor": N_("vendor's list"), "bundled": N_("suggestion")}
KINDS: Final = {
    "input": N_("Input"),
    "cache_read": N_("Cache read"),
    "cache_write": N_("Cache write"),
    "cache_write_5m": N_("Cache write, 5 min"),
    "cache_write_1h": N_("Cache write, 1 h"),
    "output": N_("Output"),
    "reasoning": N_("Reasoning"),
    "audio_input": N_("Audio in"),
    "audio_output": N_("Audio out"),
    "image_input": N_("Image in"),
    "image_output": N_("Image out"),
    "per_request": N_("Request"),
    "per_second": N_("Second"),
    "per_character": N_("Character"),
    "per_search": N_("Search"),
    "per_image": N_("Image"),
}
TONES: Final = {"same": "good", "scheduled": "info", "differs": "warn"}


class AdoptForm(forms.Form, frozen=True, kw_only=True):
    """One price to adopt, as it was looked at."""

    model: forms.Line
    channel: forms.Line
    source: PriceSource
    digest: forms.Line
    version: forms.Id
    by_hand: bool = False
    """Whether a price that was made by hand is to be replaced."""


class ProposalForm(forms.Form, frozen=True, kw_only=True):
    """Which proposal, and whether it may replace what was made by hand."""

    proposal: forms.Id
    by_hand: bool = False


class PriceFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What of all prices is shown."""

    text: Annotated[str, msgspec.Meta(max_length=200)] = ""
    group: str = ""
    differing: bool = False

    @property
    def query(self) -> dict[str, str]:
        """The same as parameters of an address."""
        given = {"q": self.text, "group": self.group, "differing": "1" if self.differing else ""}
        return {name: value for name, value in given.items() if value}


@session.admin
async def show(request: Request) -> Response:
    """Show models with what is set, what others say, and what is earned."""
    console, asked = context.of(request), request.query_params
    wanted = PriceFilter(
        text=asked.get("q", "").strip()[:200],
        group=asked.get("group", ""),
        differing=asked.get("differing") == "1",
    )
    try:
        found = await priced(console, wanted.group)
    except KeyError:
        raise HTTPException(404) from None
    except LedgerError as error:
        return render.page(request, "admin/prices.html", why=str(error))
    after = asked.get("after", "")
    rows, more = await asyncio.to_thread(_rows, found, wanted, after)
    return render.page(
        request,
        "admin/prices.html",
        why="",
        found=found,
        wanted=wanted,
        rows=rows,
        proposals=await console.prices.proposals(limit=PROPOSALS),
        open=await console.prices.open_count(),
        by_name={each.name: each for each in found.sheet.standings},
        days=DAYS,
        states=STATES,
        sources=SOURCES,
        kinds=KINDS,
        tones=TONES,
        plain=_plain,
        nightly=console.settings.prices.nightly,
        **render.paging(AT, wanted.query, "after", after, more),
    )


def _rows(
    found: PricedSheet, wanted: PriceFilter, after: str
) -> tuple[list[PriceStanding], str | None]:
    """Models of one page, and the last of them if there are more."""
    all_ = found.found(wanted.text, differing=wanted.differing)
    rest = [each for each in all_ if each.name > after]
    shown = rest[:PAGE]
    return shown, shown[-1].name if len(rest) > PAGE else None


def _plain(price: Decimal | str | None) -> str | None:
    """A price without an exponent and needless zeros."""
    return None if price is None else format(Decimal(price).normalize(), "f")


@session.admin
@session.recent_at(AT)
async def adopt(request: Request) -> Response:
    """Adopt the price of one model, as it was looked at."""
    form = forms.filled(request, AdoptForm).value
    if form is None:
        raise HTTPException(404)
    choice = PriceChoice(
        model=form.model,
        channel=form.channel,
        source=form.source,
        digest=form.digest,
        version=form.version,
        replaces=form.by_hand,
    )
    prices = context.of(request).prices
    try:
        done = await prices.adopt([choice], _author(request))
    except (CatalogueError, DocumentError) as error:
        return _refused(request, error)
    return _adopted(request, done)


@session.admin
@session.recent_at(AT)
async def adopt_all(request: Request) -> Response:
    """Adopt every price that differs and was not made by hand."""
    try:
        done = await context.of(request).prices.adopt(None, _author(request))
    except (CatalogueError, DocumentError) as error:
        return _refused(request, error)
    return _adopted(request, done)


@session.admin
@session.recent_at(AT)
async def adopt_proposal(request: Request) -> Response:
    """Adopt what a proposal says."""
    form = forms.filled(request, ProposalForm).value
    if form is None:
        raise HTTPException(404)
    prices = context.of(request).prices
    try:
        done = await prices.adopt_proposals(
            [form.proposal], _author(request), replaces=form.by_hand
        )
    except (CatalogueError, DocumentError) as error:
        return _refused(request, error)
    return _adopted(request, done)


@session.admin
async def dismiss(request: Request) -> Response:
    """Leave a price as it is."""
    form = forms.filled(request, ProposalForm).value
    if form is None:
        raise HTTPException(404)
    try:
        by = session.user_of(request).id
        await context.of(request).prices.dismiss([form.proposal], by)
    except CatalogueError as error:
        return _refused(request, error)
    said = N_("Left as it is. It is proposed again when what is offered changes.")
    return render.redirect(request, AT, said)


@session.admin
async def look(request: Request) -> Response:
    """Read what vendors list now."""
    try:
        found = await context.of(request).price_looks.look(LOOK_S)
    except (CatalogueError, LedgerError) as error:
        return _refused(request, error)
    failed = sum(bool(each.why) for each in found.lists.values()) + len(found.unreached)
    said = N_("Lists read: %(read)s. Not to be read: %(failed)s. New proposals: %(proposed)s.")
    return render.redirect(
        request,
        AT,
        said,
        tone="warn" if failed else "good",
        read=str(len(found.lists) + len(found.unreached) - failed),
        failed=str(failed),
        proposed=str(found.proposed),
    )


def _adopted(request: Request, done: AdoptedPrices) -> Response:
    if not done.models:
        said = N_("Nothing to adopt: what differs was made by hand, or is the file's.")
        return render.redirect(request, AT, said, tone="info")
    names = ", ".join(done.models[:5]) + (" …" if len(done.models) > 5 else "")
    said = N_("Adopted for %(names)s. Other workers have it within two seconds.")
    return render.redirect(request, AT, said, names=names)


def _refused(request: Request, error: Exception) -> Response:
    said = N_("Nothing was changed: %(why)s")
    return render.redirect(request, AT, said, tone="bad", why=str(error)[:300])


def _author(request: Request) -> ChangeAuthor:
    who = session.visitor(request)
    return ChangeAuthor(
        user_id=session.user_of(request).id, address=who.address, agent=who.agent[:200]
    )


PAGES: Final = (
    Route(AT, show),
    Route(f"{AT}/adopt", adopt, methods=["POST"]),
    Route(f"{AT}/adopt-all", adopt_all, methods=["POST"]),
    Route(f"{AT}/proposals/adopt", adopt_proposal, methods=["POST"]),
    Route(f"{AT}/proposals/dismiss", dismiss, methods=["POST"]),
    Route(f"{AT}/look", look, methods=["POST"]),
)
