"""How long to wait is read from wherever vendors put it."""

import pytest

from trivium.providers.retry_after import DELAY_MAX_S, reset_after, retry_after

NOW = "Sat, 21 Nov 2026 04:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "delay", "message", "seconds"),
    [
        ({}, None, "", None),
        ({"retry-after": "7"}, None, "", 7.0),
        ({"retry-after": " 1.5 "}, None, "", 1.5),
        ({"retry-after": "0"}, None, "", 0.0),
        ({"retry-after": "-3"}, None, "", 0.0),
        ({"retry-after": "inf"}, None, "", None),
        ({"retry-after": "nan"}, None, "", None),
        ({"retry-after": "soon"}, None, "", None),
        ({"retry-after": "999999999"}, None, "", DELAY_MAX_S),
        ({"retry-after-ms": "250", "retry-after": "9"}, None, "", 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, None, "", 9.0),
        ({"retry-after": "Sat, 21 Nov 2026 04:00:30 GMT", "date": NOW}, None, "", 30.0),
        ({"retry-after": "Sat, 21 Nov 2026 03:59:30 GMT", "date": NOW}, None, "", 0.0),
        ({"retry-after": "Sat, 21 Nov 2026 04:00:30 GMT"}, None, "", None),
        ({"retry-after": "Sat, 21 Xyz 2026 04:00:30 GMT", "date": NOW}, None, "", None),
        ({"retry-after": "Sat, 31 Feb 2026 04:00:30 GMT", "date": NOW}, None, "", None),
        ({"retry-after": "Sat, 21 Nov 2026 04:00:60 GMT", "date": NOW}, None, "", 59.0),
        ({"retry-after": NOW, "date": "yesterday"}, None, "", None),
        ({}, "34s", "", 34.0),
        ({}, "34.07s", "", 34.07),
        ({}, {"seconds": 3, "nanos": 500_000_000}, "", 3.5),
        ({}, {"seconds": "12"}, "", 12.0),
        ({}, {"seconds": []}, "", None),
        ({}, {"seconds": "nan"}, "", None),
        ({}, {"seconds": 10**400}, "", None),
        ({}, {"seconds": "inf"}, "", DELAY_MAX_S),
        ({}, 7, "", None),
        ({}, "later", "", None),
        ({"retry-after": "2"}, "34s", "", 2.0),
        ({}, None, "Please try again in 2s.", 2.0),
        ({}, None, "Please try again in 6ms.", 0.006),
        ({}, None, "please retry after 20 seconds", 20.0),
        ({}, None, "try again in 1m2.5s", 62.5),
        ({}, None, "Try again in 1h 2m", 3720.0),
        ({}, None, "try again in 3 minutes", 180.0),
        ({}, None, "try again in 3 months", None),
        ({}, None, "we retry 3 times", None),
        ({}, None, "Please try again later", None),
    ],
)
def test_delays_are_read(headers, delay, message, seconds):
    """Headers first, then Google's detail, then the words; nonsense gives nothing."""
    assert seconds == pytest.approx(retry_after(headers, delay, message))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "7", "x-ratelimit-reset-tokens": "6m0s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-requests": "0"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, None),
        (
            {
                "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s",
            },
            9.0,
        ),
        (
            {
                "anthropic-ratelimit-tokens-remaining": "0", "date": NOW,
                "anthropic-ratelimit-tokens-reset": "2026-11-21T04:00:30Z",
            },
            30.0,
        ),
        (
            {
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2026-11-21T04:00:30Z",
            },
            None,
        ),
        (
            {
                "anthropic-ratelimit-tokens-remaining": "0", "date": NOW,
                "anthropic-ratelimit-tokens-reset": "2026-11-21T99:00:30Z",
            },
            None,
        ),
    ],
)  # fmt: skip
def test_the_last_used_up_limit_to_be_filled_again_is_read(headers, seconds):
    """Limits of which something is left say nothing of this refusal."""
    assert reset_after(headers) == seconds
