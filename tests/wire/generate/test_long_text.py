"""Offsets into a text that is not kept."""

import random

import pytest

from trivium.wire.generate.citations import Offsets
from trivium.wire.generate.long_text import LongText

WORDS = {
    "ascii": "plain words ",
    "two bytes": "\u00e9\u00df",
    "three bytes": "\u6674\u5929",
    "four bytes": "\U0001f600",
    "mixed": "a\u00e9\u6674\U0001f600 ",
    "half a pair": "a\ud83d b",
}


@pytest.mark.parametrize("step", [1, 7, 512, 5000])
@pytest.mark.parametrize("name", WORDS)
def test_every_place_is_as_in_a_text_that_is_kept(name, step):
    """However it comes."""
    text = (WORDS[name] * 2000)[:5000]
    one = LongText()
    for at in range(0, len(text), step):
        one.add(text[at : at + step])
    offsets = Offsets(text)
    for at in [*range(0, 5000, 3), 511, 512, 513, 4607, 4608, 4999, 5000, 5001, 10**9]:
        assert offsets.in_bytes(at) == one.in_bytes(at)


def test_stretches_of_any_kind_follow_each_other():
    """What one has does not count for the next."""
    dice = random.Random(7)
    text = "".join(dice.choice(list(WORDS.values())) * dice.randrange(1, 300) for _ in range(200))
    one = LongText()
    one.add(text)
    offsets = Offsets(text)
    for at in range(0, len(text) + 2, 5):
        assert offsets.in_bytes(at) == one.in_bytes(at)
    assert 0 == one.in_bytes(-1)


def test_nothing_is_quoted():
    """It is not there any more."""
    one = LongText()
    one.add("a" * 2000)
    assert None is one.quoted(0, 3)
