"""What a request may cost at most is foreseen by the written rule."""

from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest

from trivium.clock import FixedClock
from trivium.faults import Fault, Kind
from trivium.ledger.model import FREE
from trivium.ledger.quote import CONTEXT_MAX, OUTPUT_MAX, Pricing, tokens_of_picture
from trivium.routing.model import ImagePrice, Model, PriceRow, PriceTier, VideoPrice
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts

CALLER = SimpleNamespace(payer_id=1, user_id=1, team_id=0, key_id=1, unlimited=False, group="")
PRICE = {"input": Decimal(1), "output": Decimal(2)}


def model(price=PRICE, *, tiers=(), later=(), **more):
    """A priced model."""
    rows = (PriceRow(price=price, tiers=tiers), *later)
    return Model(name="m", bindings=(), prices=rows, **more)


def quoted(asked, size=100, operation=Operation.CHAT, caller=CALLER, groups=None, **facts):
    """The highest price in nano-dollars."""
    pricing = Pricing(FixedClock(50.0), groups)
    return pricing.quote(
        caller, asked, operation, RequestFacts(model="m", **facts), size
    ).amount_nanos


@pytest.mark.parametrize(
    ("asked", "size", "facts", "tokens_in", "tokens_out"),
    [
        (model(), 100, {"output_max": 30}, 50, 30),
        (model(), 101, {"output_max": 30}, 51, 30),
        (model(), 100, {}, 50, OUTPUT_MAX),
        (model(), 100, {"choices": 3}, 50, 3 * OUTPUT_MAX),
        (model(output_max=20), 100, {"choices": 2}, 50, 40),
        (model(output_max=20), 100, {"output_max": 30}, 50, 20),
        (model(output_max=20), 100, {"output_max": 30, "choices": 2}, 50, 30),
        (model(output_max=20), 100, {"output_max": 10**9}, 50, 20),
        (model(context_max=40), 100, {"output_max": 0}, 40, 0),
        (model(), 10**8, {"output_max": 0}, CONTEXT_MAX, 0),
    ],
)
def test_a_quote_is_input_and_limit(asked, size, facts, tokens_in, tokens_out):
    """Half the body's bytes, and the output that is allowed, over every answer asked for."""
    assert tokens_in * 1000 + tokens_out * 2000 == quoted(asked, size, **facts)


def test_the_dearest_class_is_assumed():
    """A prompt may be written to a cache, an answer may be reasoning."""
    price = {**PRICE, "cache_write": Decimal(3), "reasoning": Decimal(5)}
    assert 50 * 3000 + 10 * 5000 == quoted(model(price), output_max=10)


def test_a_long_context_is_quoted_by_its_tier():
    """As it will be billed."""
    tier = PriceTier(above=49, price={"input": Decimal(7)})
    assert 50 * 7000 == quoted(model(tiers=(tier,)), output_max=0)


@pytest.mark.parametrize(
    ("price", "videos", "size", "expected"),
    [
        ({"per_second": "0.1"}, {}, "720x1280", 800_000_000),
        ({"per_second": "0.1"}, {"1280x720": "0.3"}, "1280x720", 2_400_000_000),
        ({}, {"1280x720": "0.3"}, "1280x720", 2_400_000_000),
        ({"per_request": "0.5"}, {}, "720x1280", 500_000_000),
        ({"per_request": "0.5", "per_second": "0.1"}, {}, "720x1280", 1_300_000_000),
    ],
)
def test_a_video_is_held_at_what_it_will_cost(price, videos, size, expected):
    """By the second and its size; nothing of it is left to chance."""
    row = PriceRow(
        price={kind: Decimal(text) for kind, text in price.items()},
        videos=tuple(VideoPrice(size=of, price=Decimal(text)) for of, text in videos.items()),
    )
    facts = RequestFacts(model="m", seconds=8, size=size)
    args = (CALLER, Model(name="m", bindings=(), prices=(row,)), Operation.VIDEOS, facts, 100)
    assert expected == Pricing(FixedClock()).quote(*args).amount_nanos


def test_a_video_of_a_size_without_a_price_is_refused():
    """A model that is priced by the token makes no videos."""
    facts = RequestFacts(model="m", seconds=8, size="720x1280")
    row = PriceRow(price=PRICE, videos=(VideoPrice(size="1280x720", price=Decimal(1)),))
    asked = Model(name="m", bindings=(), prices=(row,))
    with pytest.raises(Fault, match="no price for videos of 720x1280") as caught:
        Pricing(FixedClock()).quote(CALLER, asked, Operation.VIDEOS, facts, 100)
    assert Kind.NOT_PERMITTED is caught.value.kind


def test_a_request_has_its_own_price():
    """Beside tokens, or alone."""
    price = {"per_request": Decimal("0.01")}
    assert 10_000_000 == quoted(model(price), output_max=5)
    assert 10_000_000 + 50_000 == quoted(model({**PRICE, **price}), output_max=0)


def test_a_group_is_quoted_its_factor():
    """A group that nobody declared pays what is written."""
    student = SimpleNamespace(
        payer_id=1, user_id=1, team_id=0, key_id=1, unlimited=False, group="students"
    )
    asked = model()
    assert 25_000 == quoted(
        asked, output_max=0, caller=student, groups={"students": Fraction(1, 2)}
    )
    assert 50_000 == quoted(asked, output_max=0, caller=student, groups={"others": Fraction(1, 2)})
    pricing = Pricing(FixedClock(0.0), {"others": Fraction(1, 2)})
    assert (1, Fraction(1, 2)) == (pricing.multiplier("students"), pricing.multiplier("others"))


def test_prices_are_those_of_the_moment():
    """A change takes effect at its second, and a reload at once."""
    clock = FixedClock(99.0)
    pricing = Pricing(clock)
    later = PriceRow(since=100, price={"input": Decimal(9), "output": Decimal(9)})
    asked = model(later=(later,))
    facts = RequestFacts(model="m", output_max=0)
    args = (Operation.CHAT, facts, 100)
    assert 50_000 == pricing.quote(CALLER, asked, *args).amount_nanos
    clock.advance(1)
    assert 450_000 == pricing.quote(CALLER, asked, *args).amount_nanos
    assert 50_000 == pricing.quote(CALLER, model(), *args).amount_nanos


def test_what_is_foreseen_to_cost_nothing_still_needs_a_balance():
    """A nano-dollar is held where seconds or characters come later."""
    assert 1 == quoted(model({"input": Decimal(0), "per_second": Decimal(1)}),
                       operation=Operation.EMBEDDINGS)  # fmt: skip


@pytest.mark.parametrize(
    "operation", [Operation.RESPONSES_COUNT, Operation.MESSAGES_COUNT, Operation.GENERATE_COUNT]
)
def test_counting_is_free(operation):
    """At every vendor."""
    pricing = Pricing(FixedClock())
    assert FREE is pricing.quote(CALLER, model(), operation, RequestFacts(model="m"), 100)


def test_a_free_model_is_free():
    """The only way to a price of zero."""
    free = Model(name="m", bindings=(), free=True)
    assert FREE is Pricing(FixedClock()).quote(
        CALLER, free, Operation.CHAT, RequestFacts(model="m"), 1
    )


@pytest.mark.parametrize(
    ("price", "operation"),
    [
        ({"input": Decimal(1)}, Operation.CHAT),
        ({"input": Decimal(1)}, Operation.GENERATE_STREAM),
        ({"per_second": Decimal(1)}, Operation.CHAT),
        ({"per_image": Decimal(1)}, Operation.EMBEDDINGS),
    ],
)
def test_an_operation_without_a_price_is_refused(price, operation):
    """Never silently nothing."""
    with pytest.raises(Fault) as caught:
        quoted(model(price), operation=operation)
    assert (Kind.NOT_PERMITTED, "model") == (caught.value.kind, caught.value.param)


def test_vectors_need_no_price_of_output():
    """They have none."""
    assert 50_000 == quoted(model({"input": Decimal(1)}), operation=Operation.EMBEDDINGS)


@pytest.mark.parametrize(
    ("price", "images", "facts", "nanos"),
    [
        ({"per_image": Decimal("0.02")}, (), {"choices": 3}, 60_000_000),
        ({}, (("1x1", "hd", "2"), ("", "", "1")), {"size": "1x1", "quality": "hd"}, 2 * 10**9),
        ({}, (("1x1", "hd", "2"), ("", "", "1")), {"size": "1x1"}, 2 * 10**9),
        ({}, (("1x1", "hd", "2"), ("", "", "1")), {"size": "2x2", "choices": 2}, 2 * 10**9),
        ({}, (("1x1", "hd", "2"), ("", "", "1")), {"size": "2x2", "quality": "low"}, 10**9),
        (PRICE, (), {"choices": 2}, 50 * 1000 + 2 * 6240 * 2000),
        (PRICE | {"image_output": Decimal(4)}, (), {}, 50 * 1000 + 6240 * 4000),
        ({"per_request": Decimal("0.5")}, (), {}, 5 * 10**8),
    ],
)
def test_pictures_are_quoted_at_their_dearest(price, images, facts, nanos):
    """By the piece, by tokens, by the request."""
    rows = tuple(
        ImagePrice(size=size, quality=quality, price=Decimal(text))
        for size, quality, text in images
    )
    asked = Model(name="m", bindings=(), prices=(PriceRow(price=price, images=rows),))
    told = RequestFacts(model="m", **facts)
    found = Pricing(FixedClock(50.0)).quote(CALLER, asked, Operation.IMAGES, told, 100)
    assert nanos == found.amount_nanos


def test_a_model_without_a_price_for_pictures_draws_none():
    """It would be free."""
    asked = model({"input": Decimal(1)})
    with pytest.raises(Fault) as told:
        quoted(asked, operation=Operation.IMAGES)
    assert Kind.NOT_PERMITTED is told.value.kind


@pytest.mark.parametrize(
    ("name", "tokens"), [("gpt-image-1", 6240), ("gpt-image-2", 12329), ("flux", 6240)]
)
def test_a_picture_has_so_many_tokens_at_most(name, tokens):
    """By what is known of its model."""
    assert tokens == tokens_of_picture(Model(name=name, bindings=()))


@pytest.mark.parametrize(("referred", "tokens_in"), [(5000, 5050), (2**40, 9000)])
def test_what_a_body_refers_to_is_held_for_within_the_context(referred, tokens_in):
    """One cent lets no more than that run."""
    asked = model(context_max=9000)
    assert tokens_in * 1000 == quoted(asked, output_max=0, referred=referred)
