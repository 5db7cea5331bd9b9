"""Headers of limits, in each dialect."""

import pytest

from trivium.admission.meter import Meter, Subject
from trivium.admission.telling import duration, granted, moment, told
from trivium.settings.limits import RateLimits
from trivium.wire.operation import Shape

NOW = 1_790_000_025.0


@pytest.fixture
def meters():
    """A key's with room, a user's with less, and a model's."""
    made = [
        Meter(Subject.KEY, "key:7", RateLimits(requests=60, tokens=1000)),
        Meter(Subject.USER, "user:3", RateLimits(requests=10)),
        Meter(Subject.MODEL, "model:m", RateLimits(requests=1, tokens=1)),
    ]
    for meter in made:
        meter.take(0)
    return made


@pytest.mark.parametrize(
    "shape", [Shape.CHAT, Shape.RESPONSES, Shape.COMPLETIONS, Shape.EMBEDDINGS, Shape.MODERATIONS]
)
def test_openai_clients_are_told_counts_and_durations(meters, shape):
    """Of the tightest of the caller's own limits."""
    assert [
        (b"x-ratelimit-limit-requests", b"10"),
        (b"x-ratelimit-remaining-requests", b"9"),
        (b"x-ratelimit-reset-requests", b"1m35s"),
        (b"x-ratelimit-limit-tokens", b"1000"),
        (b"x-ratelimit-remaining-tokens", b"1000"),
        (b"x-ratelimit-reset-tokens", b"0ms"),
    ] == granted(meters, 25.0, shape, NOW)


def test_anthropic_clients_are_told_counts_and_moments(meters):
    """RFC 3339, never too early."""
    assert [
        (b"anthropic-ratelimit-requests-limit", b"10"),
        (b"anthropic-ratelimit-requests-remaining", b"9"),
        (b"anthropic-ratelimit-requests-reset", b"2026-09-21T14:15:21Z"),
        (b"anthropic-ratelimit-tokens-limit", b"1000"),
        (b"anthropic-ratelimit-tokens-remaining", b"1000"),
        (b"anthropic-ratelimit-tokens-reset", b"2026-09-21T14:13:46Z"),
    ] == granted(meters, 25.0, Shape.MESSAGES, NOW)


def test_google_has_no_such_headers(meters):
    """The body of a refusal says it."""
    assert [] == told(meters, 25.0, Shape.GENERATE, NOW)


def test_a_refusal_tells_of_the_limit_that_refused(meters):
    """Also a model's."""
    assert (b"x-ratelimit-limit-requests", b"1") == told(meters[2:], 25.0, Shape.CHAT, NOW)[0]


def test_slots_have_no_headers():
    """No vendor has any."""
    assert [] == granted([Meter(Subject.KEY, "x", RateLimits(concurrency=1))], 0.0, Shape.CHAT, NOW)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, b"0ms"), (0.024, b"24ms"), (59.9, b"59s"), (73.0, b"1m13s"), (360, b"6m0s")],
)
def test_a_duration_as_openai_writes_it(seconds, text):
    """Tools show it as it is."""
    assert text == duration(seconds)


def test_a_moment_as_anthropic_writes_it():
    """UTC."""
    assert b"1970-01-01T00:00:00Z" == moment(0)
