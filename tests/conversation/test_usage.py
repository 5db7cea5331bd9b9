"""The canonical usage record: disjoint counters, whatever a vendor reports."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.usage import GeneratedImages, Usage, added

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
    assert (1, False, None, None, None) == (
        usage.requests,
        usage.estimated,
        usage.seconds,
        usage.characters,
        usage.searches,
    )


def test_several_calls_add_up():
    """Counter by counter, as one request; pictures of one kind together."""
    images = GeneratedImages(count=1, size="1x1", quality="low")
    one = Usage(fresh=1, output=2, image_output=10, images=(images,), seconds=1.5, searches=2)
    other = Usage(fresh=3, cache_read=4, reasoning=5, images=(images,), searches=1, estimated=True)
    assert Usage(
        fresh=4, cache_read=4, output=2, reasoning=5, image_output=10, seconds=1.5,
        images=(GeneratedImages(count=2, size="1x1", quality="low"),), searches=3, estimated=True,
    ) == added(one, other)  # fmt: skip


def test_every_counter_is_added():
    """One that is added to the record cannot be forgotten here."""
    numbers = [f.name for f in msgspec.structs.fields(Usage) if f.default == 0 and f.type is int]
    both = added(Usage(**dict.fromkeys(numbers, 1)), Usage(**dict.fromkeys(numbers, 2)))
    assert dict.fromkeys(numbers, 3) == {name: getattr(both, name) for name in numbers}


def test_nothing_adds_nothing():
    """An upstream that reported none."""
    one = Usage(fresh=1, requests=1)
    assert one is added(None, one) is added(one, None)
    assert added(None, None) is None
