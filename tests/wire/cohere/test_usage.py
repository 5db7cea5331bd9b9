"""Counts, both ways."""

import json

import pytest

from trivium.conversation.usage import Usage
from trivium.wire.cohere import usage


def read(told):
    """The record of an object."""
    return usage.usage(json.dumps(told).encode())


def test_what_is_billed_is_believed():
    """The vendor's own prompt is in the tokens and not in the bill, and is cached first."""
    told = {
        "billed_units": {"input_tokens": 5, "output_tokens": 7},
        "tokens": {"input_tokens": 71, "output_tokens": 9},
        "cached_tokens": 68,
    }
    assert read(told) == Usage(fresh=3, cache_read=2, output=7)
    assert read(told | {"cached_tokens": 64}) == Usage(fresh=5, output=7)


def test_tokens_stand_in():
    """Servers that bill nothing count all the same; numbers come as floats."""
    told = {"tokens": {"input_tokens": 71.0, "output_tokens": 9.0}, "cached_tokens": 64}
    assert read(told) == Usage(fresh=7, cache_read=64, output=9)


def test_vectors_of_pictures_count_apart():
    """Their tokens have a counter of their own."""
    assert read({"billed_units": {"image_tokens": 3}}) == Usage(image_input=3)
    billed = {"billed_units": {"input_tokens": 8, "image_tokens": 3}}
    assert read(billed) == Usage(fresh=8, image_input=3)


@pytest.mark.parametrize(
    "told",
    [{}, None, [], {"billed_units": 7}, {"tokens": {"input_tokens": -1}}, {"cached_tokens": "x"}],
)
def test_nonsense_is_no_count(told):
    """Better an estimate than a bill from half of it."""
    assert read(told) is None


def test_an_unsaid_input_is_marked():
    """No request has none."""
    assert read({"billed_units": {"output_tokens": 7}}).estimated


def test_it_comes_back():
    """Cached tokens are in the total."""
    counted = Usage(fresh=3, cache_read=2, output=7)
    assert read(usage.written(counted)) == counted
