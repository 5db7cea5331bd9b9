"""Messages usage to the canonical record."""

import pytest

from trivium.conversation.usage import Usage
from trivium.wire.messages.read_usage import merged, usage


@pytest.mark.parametrize(
    ("reported", "wanted"),
    [
        ({"input_tokens": 25, "output_tokens": 14}, Usage(fresh=25, output=14)),
        ({"input_tokens": 25}, Usage(fresh=25)),
        ({"output_tokens": 0}, Usage(estimated=True)),
        ({"input_tokens": None, "output_tokens": 3}, Usage(output=3, estimated=True)),
        (
            {"input_tokens": 1, "cache_read_input_tokens": 2000, "output_tokens": 3},
            Usage(fresh=1, cache_read=2000, output=3),
        ),
        # the split says which price, the total how many
        (
            {
                "cache_creation_input_tokens": 300,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 100,
                    "ephemeral_1h_input_tokens": 200,
                },
            },
            Usage(cache_write_short=100, cache_write_long=200),
        ),
        ({"cache_creation_input_tokens": 300}, Usage(cache_write_short=300)),
        (
            {"input_tokens": 1, "cache_creation": {"ephemeral_1h_input_tokens": 200}},
            Usage(fresh=1, cache_write_long=200),
        ),
        (
            {
                "cache_creation_input_tokens": 150,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 0,
                    "ephemeral_1h_input_tokens": 200,
                },
            },
            Usage(cache_write_long=150),
        ),
        # thinking is a part of the output
        (
            {"output_tokens": 57, "output_tokens_details": {"thinking_tokens": 20}},
            Usage(output=37, reasoning=20, estimated=True),
        ),
        (
            {"output_tokens": 5, "output_tokens_details": {"thinking_tokens": 20}},
            Usage(reasoning=5, estimated=True),
        ),
        # steps that the top level leaves out
        (
            {
                "input_tokens": 10,
                "output_tokens": 1,
                "iterations": [
                    {"type": "message", "input_tokens": 10, "output_tokens": 1},
                    {"type": "compaction", "input_tokens": 500, "output_tokens": 50},
                    {
                        "type": "advisor_message",
                        "input_tokens": 7,
                        "cache_read_input_tokens": 3,
                        "output_tokens": 9,
                        "output_tokens_details": {"thinking_tokens": 4},
                    },
                    {"type": "fallback_message", "input_tokens": 10, "output_tokens": 1},
                    "odd",
                ],
            },
            Usage(fresh=517, cache_read=3, output=56, reasoning=4),
        ),
        # nonsense is worse than nothing
        ({"input_tokens": 4, "output_tokens": "x"}, None),
        ({"input_tokens": 4, "cache_read_input_tokens": -3}, None),
        ({"input_tokens": 4, "cache_creation": {"ephemeral_1h_input_tokens": "x"}}, None),
        ({"input_tokens": 4, "iterations": [{"type": "compaction", "input_tokens": {}}]}, None),
        (
            {"input_tokens": 4, "iterations": {}, "output_tokens_details": []},
            Usage(fresh=4),
        ),
        ({}, None),
        ({"service_tier": "standard"}, None),
        ({"input_tokens": None, "output_tokens": None}, None),
        (None, None),
        ([], None),
    ],
)
def test_counters_become_disjoint(reported, wanted):
    """Each token is counted once, under the price it has."""
    assert wanted == usage(reported)


def test_later_totals_replace_and_null_keeps():
    """The numbers of a stream are totals, not increments."""
    before = merged({}, {"input_tokens": 43, "output_tokens": 1, "cache_read_input_tokens": 9})
    after = merged(
        before, {"input_tokens": 61, "output_tokens": 2, "cache_read_input_tokens": None}
    )
    assert {"input_tokens": 61, "output_tokens": 2, "cache_read_input_tokens": 9} == after
    assert after == merged(after, None)
    assert after == merged(after, "odd")


def test_what_is_not_read_is_not_kept():
    """A stream may name another counter in each of a hundred thousand events."""
    assert {"output_tokens": 2} == merged({}, {"output_tokens": 2, "x": 1})
    assert {"output_tokens": 3} == merged({"output_tokens": 2}, {"output_tokens": 3, "y": 1})


_SPLIT = {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2}
_STEP = {
    "type": "compaction",
    "input_tokens": 9,
    "cache_read_input_tokens": 4,
    "cache_creation": _SPLIT,
    "output_tokens": 7,
    "output_tokens_details": {"thinking_tokens": 3},
}


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [_STEP],
        [_STEP, {"type": "message", "input_tokens": 5}, "odd", _STEP],
        [_STEP, _STEP | {"type": "advisor_message", "cache_creation_input_tokens": 9}],
        [_STEP, _STEP | {"input_tokens": -1}, _STEP],
    ],
)
def test_steps_of_a_stream_are_kept_as_one(steps):
    """They come to the same."""
    reported = {"input_tokens": 1, "output_tokens": 2, "iterations": steps}
    kept = merged({}, reported)
    assert len(kept["iterations"]) < 2
    assert usage(reported) == usage(kept)
