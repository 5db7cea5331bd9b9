"""The models that a user may ask for: found, compared, and called for the first time."""

import asyncio
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.console import context, render, session
from trivium.console.account.overview import first_call, may_use
from trivium.console.language import N_
from trivium.identity.model import Key, User
from trivium.ledger.cost import row_at
from trivium.pipeline.model_operations import products_of
from trivium.routing.model import Model, PriceRow
from trivium.settings.prices import KINDS as PRICES
from trivium.wire.operation import Product

PAGE: Final = 50
PRODUCTS: Final = {
    Product.TEXT: N_("Text"),
    Product.VECTORS: N_("Embeddings"),
    Product.IMAGES: N_("Images"),
    Product.SPEECH: N_("Speech"),
    Product.TRANSCRIPT: N_("Transcripts"),
    Product.VIDEO: N_("Video"),
    Product.RANKING: N_("Ranking"),
    Product.VERDICTS: N_("Moderation"),
}
"""What models make, as the filter has it."""
KINDS: Final = {
    "input": N_("Input"),
    "cache_read": N_("Input read from a cache"),
    "cache_write": N_("Input written to a cache"),
    "cache_write_5m": N_("Input written to a cache of 5 minutes"),
    "cache_write_1h": N_("Input written to a cache of 1 hour"),
    "output": N_("Output"),
    "reasoning": N_("Reasoning"),
    "audio_input": N_("Audio input"),
    "audio_output": N_("Audio output"),
    "image_input": N_("Image input"),
    "image_output": N_("Image output"),
    "per_request": N_("A request"),
    "per_second": N_("A second"),
    "per_character": N_("A character"),
    "per_search": N_("A search"),
    "per_image": N_("An image"),
}
"""Kinds of price in the order of the page. Those that do not begin with ``per`` are of a million
tokens."""
assert KINDS.keys() == PRICES.keys()
_MILLION: Final = 10**6


class OfferedPrice(msgspec.Struct, frozen=True):
    """One price as its reader pays it."""

    label: str
    """The kind: a message marked with ``N_``."""
    note: str
    """What narrows it, such as a size; empty for nothing."""
    usd: Fraction
    is_million: bool
    """Whether it is of a million tokens."""


class OfferedPrices(msgspec.Struct, frozen=True):
    """What a model costs from a moment on; of a length of the input only what differs."""

    since: int
    """Seconds since the epoch; 0: always."""
    above: int
    """Input tokens above which it holds; 0: any."""
    lines: tuple[OfferedPrice, ...]


class OfferedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model as one user sees it."""

    model: Model
    products: tuple[str, ...]
    """What it makes: messages marked with ``N_``."""
    input: Fraction | None
    """What a million input tokens cost this user; ``None``: they have no price of their own."""
    output: Fraction | None
    other: OfferedPrice | None
    """The first price there is where there is none of tokens."""


def usable(keys: Sequence[Key], models: Iterable[Model]) -> list[Model]:
    """Models with a channel that one of the keys may ask for; all of them before the first key."""
    return [
        model
        for model in models
        if model.bindings and (not keys or any(may_use(key, model.name) for key in keys))
    ]


def offered(model: Model, multiplier: Fraction, now: float) -> OfferedModel:
    """The row of a model, with the prices in force."""
    made = products_of(model)
    lines = _lines(row_at(model.prices, now), multiplier) if model.prices else ()
    by_label = {line.label: line.usd for line in lines if line.is_million}
    return OfferedModel(
        model=model,
        products=tuple(label for product, label in PRODUCTS.items() if product in made),
        input=by_label.get(KINDS["input"]),
        output=by_label.get(KINDS["output"]),
        other=next((line for line in lines if not line.is_million), None),
    )


def price_lists(model: Model, multiplier: Fraction, now: float) -> list[OfferedPrices]:
    """What the model costs now, what differs for long inputs, and the same from later days on;
    empty when it is free.
    """
    if not model.prices:
        return []
    current = row_at(model.prices, now)
    found = []
    for row in (current, *(row for row in model.prices if row.since > now)):
        since = 0 if row is current else row.since
        found.append(OfferedPrices(since, 0, _lines(row, multiplier)))
        for tier in row.tiers:
            differing = PriceRow(price=tier.price)
            found.append(OfferedPrices(since, tier.above, _lines(differing, multiplier)))
    return found


def _lines(row: PriceRow, multiplier: Fraction) -> tuple[OfferedPrice, ...]:
    lines = [
        OfferedPrice(label, "", Fraction(row.price[kind]) * multiplier, not kind.startswith("per_"))
        for kind, label in KINDS.items()
        if kind in row.price
    ]
    for image in row.images:
        note = " ".join(filter(None, (image.size, image.quality)))
        lines.append(
            OfferedPrice(KINDS["per_image"], note, Fraction(image.price) * multiplier, False)
        )
    for video in row.videos:
        usd = Fraction(video.price) * multiplier
        lines.append(OfferedPrice(KINDS["per_second"], video.size, usd, False))
    return tuple(lines)


def _fitting(models: Sequence[Model], words: Sequence[str], product: Product | None) -> list[Model]:
    return [each for each in models if _fits(each, words, product)]


def _fits(model: Model, words: Sequence[str], product: Product | None) -> bool:
    text = f"{model.name} {model.title or ''} {model.owned_by}".lower()
    if not all(word in text for word in words):
        return False
    return product is None or product in products_of(model)


async def _usable(request: Request, user: User) -> tuple[list[Key], list[Model]]:
    console = context.of(request)
    keys = [key for key in await console.own_keys.own(user.id) if not key.disabled]
    return keys, usable(keys, console.models())


@session.signed_in
async def show(request: Request) -> Response:
    """Show the models page by page: all, those with some words in their names, of one product."""
    console = context.of(request)
    user = session.user_of(request)
    asked = request.query_params
    words = asked.get("q", "")[:200]
    product = next((one for one in PRODUCTS if one.name.lower() == asked.get("makes")), None)
    _, models = await _usable(request, user)
    # what thousands of models make takes longer to tell than others should wait
    fitting = await asyncio.to_thread(_fitting, models, words.lower().split(), product)
    at = asked.get("from", "")
    start = int(at) if at.isdecimal() and len(at) < 8 else 0
    more = start + PAGE if start + PAGE < len(fitting) else None
    multiplier, now = console.multiplier(user.group), console.clock.now()
    kept = ({"q": words} if words else {}) | ({"makes": product.name.lower()} if product else {})
    return render.page(
        request,
        "account/models.html",
        rows=[offered(each, multiplier, now) for each in fitting[start : start + PAGE]],
        count=len(fitting),
        there_are=len(models),
        words=words,
        product=product,
        products=PRODUCTS,
        **render.paging("/account/models", kept, "from", at, more),
    )


@session.signed_in
async def one(request: Request) -> Response:
    """Show one model: what it makes and costs, and how each client asks for it."""
    console = context.of(request)
    user = session.user_of(request)
    keys, models = await _usable(request, user)
    name = request.path_params["name"]
    model = next((each for each in models if each.name == name), None)
    if model is None:
        raise HTTPException(404)
    multiplier, now = console.multiplier(user.group), console.clock.now()
    made = products_of(model)
    balance = await console.entries.balance(user.id)
    return render.page(
        request,
        "account/model.html",
        offer=offered(model, multiplier, now),
        lists=price_lists(model, multiplier, now),
        share="" if multiplier == 1 else str(multiplier),
        talks=Product.TEXT in made,
        embeds=made == {Product.VECTORS},
        draws=Product.IMAGES in made,
        call=first_call(keys, user, balance, [model]),
        keys=[key for key in keys if may_use(key, name)],
        origin=console.api_origin,
    )


PAGES: Final = (Route("/account/models", show), Route("/account/models/{name:path}", one))
