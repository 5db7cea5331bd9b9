"""What speech and transcripts cost, by every way to price them."""

from decimal import Decimal

import pytest

from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.ledger.audio_cost import quote, used
from trivium.ledger.cost import cost, tariff_of
from trivium.routing.model import Model, PriceRow
from trivium.wire.operation import Operation

MODEL = Model(name="m", bindings=())
SPEECH, TRANSCRIPT = Operation.SPEECH, Operation.TRANSCRIPTIONS
HELLO = Usage(characters=1200)
MINUTE = Usage(seconds=60.0)


def tariff(**prices):
    return tariff_of("m", PriceRow(price={k: Decimal(v) for k, v in prices.items()}))


BILLS = {
    # prices, operation, known, reported, nano-dollars, estimated
    "by character": ({"per_character": "0.000015"}, SPEECH, HELLO, None, 18_000_000, False),
    "speech by second": (
        {"per_second": "0.00025"},
        SPEECH,
        Usage(characters=1200, seconds=100.0),
        None,
        25_000_000,
        False,
    ),
    "speech by second that could not be measured": (
        {"per_second": "0.00025"},
        SPEECH,
        HELLO,
        None,
        25_000_000,  # as its text takes: 100 s
        True,
    ),
    "speech by second, of which its vendor tells tokens": (
        {"per_second": "0.00025", "per_request": "0.001"},
        SPEECH,
        HELLO,
        Usage(fresh=300, audio_output=2000),
        26_000_000,
        True,
    ),
    "speech by tokens": (
        {"input": "0.6", "output": "12"},
        SPEECH,
        HELLO,
        Usage(fresh=300, audio_output=2000),
        24_180_000,
        False,
    ),
    "speech by tokens that nobody counted": (
        {"input": "0.6", "output": "12"},
        SPEECH,
        HELLO,
        None,
        180_000 + 2084 * 12_000,  # 100 s at 1,250 tokens a minute
        True,
    ),
    "by request": ({"per_request": "0.01"}, SPEECH, HELLO, None, 10_000_000, False),
    "by second": ({"per_second": "0.0001"}, TRANSCRIPT, MINUTE, None, 6_000_000, False),
    "by the vendor's seconds": (
        {"per_second": "0.0001"},
        TRANSCRIPT,
        MINUTE,
        Usage(seconds=61.0),
        6_100_000,
        False,
    ),
    "by tokens": (
        {"input": "2.5", "output": "10", "audio_input": "6"},
        TRANSCRIPT,
        MINUTE,
        Usage(fresh=10, audio_input=990, output=200),
        25_000 + 5_940_000 + 2_000_000,
        False,
    ),
    "by tokens that nobody counted": (
        {"input": "2.5", "output": "10", "audio_input": "6"},
        TRANSCRIPT,
        MINUTE,
        None,
        6_000_000 + 2_500_000,  # the vendor's own $0.006 a minute, and 250 tokens of text
        True,
    ),
    "by nonsense": (
        {"per_second": "0.0001"},
        TRANSCRIPT,
        MINUTE,
        Usage(seconds=-5.0),
        6_000_000,
        False,
    ),
}


@pytest.mark.parametrize("name", BILLS)
def test_a_bill_is_of_what_was_reported_or_known_or_estimated(name):
    """In that order, and it says so."""
    prices, _, known, reported, nanos, estimated = BILLS[name]
    found = used(tariff(**prices), known, reported)
    assert (nanos, estimated) == (cost(tariff(**prices), found)[0], found.estimated)


@pytest.mark.parametrize("name", BILLS)
def test_what_is_held_covers_what_is_foreseen(name):
    """Characters and seconds exactly; never nothing."""
    prices, operation, known, reported, nanos, _ = BILLS[name]
    held = quote(tariff(**prices), MODEL, operation, known)
    assert held.amount_nanos >= 1
    if reported is None:
        assert nanos == held.amount_nanos


def test_speech_by_second_is_held_by_its_text():
    """Twelve characters a second, until it has been heard."""
    held = quote(tariff(per_second="0.00025"), MODEL, SPEECH, HELLO)
    assert 25_000_000 == held.amount_nanos


@pytest.mark.parametrize(
    ("operation", "prices"),
    [
        (SPEECH, {"input": "1"}),
        (SPEECH, {"per_image": "1"}),
        (TRANSCRIPT, {"per_character": "1"}),
        (TRANSCRIPT, {"per_image": "1"}),
    ],
)
def test_a_model_without_a_price_for_it_is_not_served(operation, prices):
    """Nothing is free by accident."""
    with pytest.raises(Fault) as caught:
        quote(tariff(**prices), MODEL, operation, HELLO)
    assert (Kind.NOT_PERMITTED, "model") == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("prices", "known", "nanos"),
    [
        pytest.param({"input": "0.6", "output": "12"}, HELLO, 180_000, id="speech by tokens"),
        pytest.param({"per_second": "0.00025"}, HELLO, 0, id="speech by second"),
        pytest.param({"per_character": "0.000015"}, HELLO, 18_000_000, id="by character"),
        pytest.param(
            {"input": "2.5", "output": "10", "audio_input": "6"}, MINUTE, 6_000_000,
            id="a transcript by tokens",
        ),
        pytest.param({"per_second": "0.0001"}, MINUTE, 6_000_000, id="a transcript by second"),
    ],
)  # fmt: skip
def test_of_what_was_not_delivered_the_input_is_charged(prices, known, nanos):
    """The caller left before the first byte: of the sound, or the words, it has none."""
    found = used(tariff(**prices), known, None, is_delivered=False)
    assert nanos == cost(tariff(**prices), found)[0]
