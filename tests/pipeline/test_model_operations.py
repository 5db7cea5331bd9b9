"""What a model does, as its name, its class and its prices tell; lists are in ``edge/test_model_list.py``."""

from decimal import Decimal

import msgspec
import pytest

from trivium.pipeline.model_operations import operations_of, products_of
from trivium.routing.catalogue import build
from trivium.settings.model import Settings
from trivium.wire.operation import Operation, Product


def model(provider="openai", name="m", *, audio=None, **more):
    binding = {"channel": "a", "model": name} | ({"audio": audio} if audio else {})
    if not more.get("price"):
        more["free"] = True
    settings = {
        "channels": [{"name": "a", "provider": provider, "api_key": "k"}],
        "models": [{"name": "m", "bindings": [binding], **more}],
    }
    return build(msgspec.convert(settings, Settings)).models["m"]


def price(*kinds):
    return dict.fromkeys(kinds, "1")


ROWS = [
    ("openai", "gpt-5", {"price": price("input", "output")}, {Product.TEXT}),
    ("openai", "gpt-5", {}, {Product.TEXT}),
    ("openai", "m", {"price": price("per_request")}, {Product.TEXT}),
    ("openai", "embed-3", {"price": price("input")}, {Product.VECTORS}),
    ("openai", "dall-e-3", {"price": price("per_image")}, {Product.IMAGES}),
    ("openai", "whisper-1", {"price": price("per_second")}, {Product.TRANSCRIPT}),
    ("openai", "tts-1", {"price": price("per_character")}, {Product.SPEECH}),
    ("openai", "voice", {"price": price("per_character")}, {Product.SPEECH}),
    ("openai", "own", {"audio": "whisper"}, {Product.TRANSCRIPT}),
    ("openai", "sora-2", {"price": price("per_second")}, {Product.VIDEO}),
    ("anthropic", "claude", {"price": price("input", "output")}, {Product.TEXT}),
    ("gemini", "gemini-2.5-flash-image", {"price": price("input", "output")},
     {Product.TEXT, Product.IMAGES}),
    ("cohere", "rerank-v4", {"price": price("per_search")}, {Product.RANKING}),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "name", "more", "expected"), ROWS)
def test_a_model_makes_what_its_name_or_its_price_says(provider, name, more, expected):
    """A provider serves everything at one address, and does not say which model does what."""
    assert expected == products_of(model(provider, name, **more))


def test_of_changing_prices_the_latest_tell():
    """They are those that the model will have."""
    found = model(price=price("input", "output"))
    later = msgspec.structs.replace(found.prices[0], since=9, price={"input": Decimal(1)})
    changed = msgspec.structs.replace(found, prices=(*found.prices, later))
    assert ({Product.TEXT}, {Product.VECTORS}) == (products_of(found), products_of(changed))


def test_a_model_without_a_channel_makes_nothing():
    """All of them are switched off."""
    off = msgspec.structs.replace(model(), bindings=())
    assert frozenset() == products_of(off)


def test_who_only_draws_holds_no_conversation():
    """Whatever else its channel's provider serves."""
    assert Operation.CHAT not in operations_of(model(name="dall-e-3"))
    assert Operation.CHAT in operations_of(model(name="gpt-5"))
