"""Usage of the converse shape as disjoint counters."""

import pytest

from trivium.conversation.usage import Usage
from trivium.wire.converse.read_usage import usage


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ({"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}, Usage(fresh=3, output=4)),
        (
            {"inputTokens": 3, "outputTokens": 4, "cacheReadInputTokens": 50, "cacheWriteInputTokens": 60},
            Usage(fresh=3, cache_read=50, cache_write_short=60, output=4),
        ),
        (
            {"inputTokens": 3, "cacheWriteInputTokens": 60, "cacheDetails": [{"ttl": "1h", "inputTokens": 50}, {"ttl": "5m", "inputTokens": 10}]},
            Usage(fresh=3, cache_write_short=10, cache_write_long=50),
        ),
        (
            {"inputTokens": 3, "cacheDetails": [{"ttl": "1h", "inputTokens": 50}, {"ttl": "5m", "inputTokens": 10}]},
            Usage(fresh=3, cache_write_short=10, cache_write_long=50),
        ),
        (
            {"inputTokens": 3, "cacheWriteInputTokens": 40, "cacheDetails": [{"ttl": "1h", "inputTokens": 50}]},
            Usage(fresh=3, cache_write_long=40),
        ),
        ({"inputTokens": 3.0, "outputTokens": "4"}, Usage(fresh=3, output=4)),
        ({"outputTokens": 4}, Usage(output=4, estimated=True)),
        ({"inputTokens": 3, "cacheDetails": "none"}, Usage(fresh=3)),
        ({"inputTokens": 3, "cacheDetails": [1, None]}, Usage(fresh=3)),
        ({"totalTokens": 7}, None),
        ({"inputTokens": -3}, None),
        ({"inputTokens": 3, "cacheDetails": [{"ttl": "1h", "inputTokens": "x"}]}, None),
        ({}, None),
        ([], None),
        (None, None),
    ],
)  # fmt: skip
def test_counters(reported, expected):
    """Cached input is beside the fresh one; nonsense costs the whole count."""
    assert expected == usage(reported)
