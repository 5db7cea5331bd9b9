"""The canonical usage record: disjoint counters, whatever a vendor reports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import Usage

COUNT = st.integers(min_value=0, max_value=10**7)
INPUTS = (
    "fresh",
    "cache_read",
    "cache_write_short",
    "cache_write_long",
    "audio_input",
    "image_input",
)
OUTPUTS = ("output", "reasoning", "audio_output", "image_output")


def test_totals_are_the_sum_of_the_disjoint_counters():
    """Each counter is in exactly one total."""
    powers = {name: 2**at for at, name in enumerate(INPUTS + OUTPUTS)}
    usage = Usage(**powers)
    assert sum(powers[name] for name in INPUTS) == usage.input_total
    assert sum(powers[name] for name in OUTPUTS) == usage.output_total


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ({"prompt": 10, "completion": 5}, Usage(fresh=10, output=5)),
        (
            {"prompt": 119, "completion": 100, "cached": 64, "reasoning": 40},
            Usage(fresh=55, cache_read=64, output=60, reasoning=40),
        ),
        (
            {"prompt": 100, "completion": 0, "cached": 30, "cache_write": 50},
            Usage(fresh=20, cache_read=30, cache_write_short=50),
        ),
        (
            {"prompt": 100, "completion": 80, "audio_input": 90, "audio_output": 70},
            Usage(fresh=10, audio_input=90, output=10, audio_output=70),
        ),
        # vendors have reported parts above their totals: the total is what is billed
        ({"prompt": 10, "completion": 5, "cached": 64}, Usage(cache_read=10, output=5)),
        ({"prompt": 10, "completion": 5, "reasoning": 9}, Usage(fresh=10, reasoning=5)),
        (
            {"prompt": 10, "completion": 0, "cached": 6, "cache_write": 6, "audio_input": 6},
            Usage(cache_read=6, cache_write_short=4),
        ),
    ],
)
def test_inclusive_totals_are_taken_apart(reported, expected):
    """Parts contained in a total are counted once, as themselves."""
    assert expected == Usage.inclusive(**reported)


@given(
    prompt=COUNT,
    completion=COUNT,
    cached=COUNT,
    cache_write=COUNT,
    reasoning=COUNT,
    audio_input=COUNT,
    audio_output=COUNT,
)
def test_taking_apart_neither_adds_nor_loses_tokens(prompt, completion, **parts):
    """Whatever the parts claim, the totals stay what the vendor reported."""
    usage = Usage.inclusive(prompt=prompt, completion=completion, **parts)
    assert (prompt, completion) == (usage.input_total, usage.output_total)
    assert all(getattr(usage, name) >= 0 for name in INPUTS + OUTPUTS)


def test_a_usage_counts_as_one_request_that_the_vendor_reported():
    """Per-request prices apply without anybody setting the counter."""
    usage = Usage()
    assert (1, False, None, None) == (
        usage.requests,
        usage.estimated,
        usage.seconds,
        usage.characters,
    )
