"""Refusals say whose limit it is, what it is and when to come back."""

import pytest

from trivium.admission.meter import Meter, Of, Subject
from trivium.admission.refusal import (
    budget_headers,
    duration,
    headers_of,
    limit_headers,
    limited,
    moment,
    reset_line,
    too_large,
)
from trivium.faults import Kind
from trivium.ledger.refusals import overspent
from trivium.settings.budget import FOREVER, Budget, Period
from trivium.settings.limits import RateLimits
from trivium.wire.operation import Shape

LIMITS = RateLimits(10, 2000, 3)


@pytest.mark.parametrize(
    ("subject", "of", "wait", "kind", "text"),
    [
        (Subject.KEY, Of.REQUESTS, 1.2, Kind.RATE_LIMITED, "this key may use 10 requests a minute"),
        (Subject.USER, Of.TOKENS, 0.0, Kind.RATE_LIMITED, "user may use 2000 tokens a minute"),
        (Subject.MODEL, Of.CONCURRENCY, 1.0, Kind.RATE_LIMITED, "model may have 3 running"),
        (Subject.CHANNEL, Of.REQUESTS, 2.0, Kind.UPSTREAM_BUSY, "its operator has set"),
    ],
)
def test_a_refusal_for_now(subject, of, wait, kind, text):
    """Agents read the delay out of the words."""
    fault = limited(Meter(subject, "x", LIMITS), of, wait, 0.0)
    assert (kind, wait) == (fault.kind, fault.retry_after)
    assert text in fault.message
    assert fault.message.endswith(f"Please try again in {max(1, -int(-wait // 1))}s.")
    assert subject is not Subject.CHANNEL or "10" not in fault.message


def test_a_refusal_for_good():
    """Waiting does not make a request smaller."""
    fault = too_large(Meter(Subject.KEY, "x", LIMITS), 9000, 0.0)
    assert (Kind.LIMIT_TOO_LOW, None) == (fault.kind, fault.retry_after)
    assert Kind.UPSTREAM_BUSY is too_large(Meter(Subject.CHANNEL, "x", LIMITS), 9000, 0.0).kind


@pytest.mark.parametrize(
    ("period", "ends_at", "reset"),
    [
        (Period.MONTH, 1_796_083_200, b"2026-12-01T00:00:00Z"),
        (Period.TOTAL, FOREVER, None),
        (Period.FIVE_HOURS, FOREVER, None),
    ],
)
def test_a_spent_budget_is_named_in_headers(period, ends_at, reset):
    """With the moment at which it begins anew, if there is one."""
    budget = Budget(amount_nanos=5 * 10**9, period=period, scope="team:3", whose="the team r")
    headers = dict(budget_headers(overspent(budget, 10**6, ends_at)))
    named = f"team:3; period={period.value}; limit=5.00".encode()
    assert (named, reset) == (headers[b"trivium-budget"], headers.get(b"trivium-budget-reset"))


def test_an_answer_says_when_a_budget_begins_anew():
    """As a line of its own; nothing where no budget ever does."""
    assert b"trivium-budget-reset: 2026-12-01T00:00:00Z\r\n" == reset_line(1_796_083_200)
    assert b"" == reset_line(FOREVER)


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
    ] == headers_of(meters, 25.0, shape, NOW)


def test_anthropic_clients_are_told_counts_and_moments(meters):
    """RFC 3339, never too early."""
    assert [
        (b"anthropic-ratelimit-requests-limit", b"10"),
        (b"anthropic-ratelimit-requests-remaining", b"9"),
        (b"anthropic-ratelimit-requests-reset", b"2026-09-21T14:15:21Z"),
        (b"anthropic-ratelimit-tokens-limit", b"1000"),
        (b"anthropic-ratelimit-tokens-remaining", b"1000"),
        (b"anthropic-ratelimit-tokens-reset", b"2026-09-21T14:13:46Z"),
    ] == headers_of(meters, 25.0, Shape.MESSAGES, NOW)


def test_google_has_no_such_headers(meters):
    """The body of a refusal says it."""
    assert [] == limit_headers(meters, 25.0, Shape.GENERATE, NOW)


def test_a_refusal_tells_of_the_limit_that_refused(meters):
    """Also a model's."""
    assert (b"x-ratelimit-limit-requests", b"1") == limit_headers(
        meters[2:], 25.0, Shape.CHAT, NOW
    )[0]


def test_slots_have_no_headers():
    """No vendor has any."""
    assert [] == headers_of(
        [Meter(Subject.KEY, "x", RateLimits(concurrency=1))], 0.0, Shape.CHAT, NOW
    )


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
