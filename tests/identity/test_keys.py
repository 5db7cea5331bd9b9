"""Keys are random, recognisable, and stored as digests."""

import hashlib
import itertools
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.identity import keys


def bytes_of(*values):
    """A source that repeats these bytes for ever."""
    stream = itertools.cycle(values)
    return lambda count: bytes(itertools.islice(stream, count))


def test_a_key_has_the_published_form():
    """Prefix, 43 characters, 6 of checksum, all base62."""
    key = keys.issue(bytes_of(0, 61, 62))
    assert key.startswith("sk-gateway-0z00z0")
    assert 11 + 43 + 6 == len(key) == keys.KEY_CHARS
    assert set(key.removeprefix("sk-gateway-")) <= set(string.ascii_letters + string.digits)


@pytest.mark.parametrize("secret", ["0" * 43, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"])
def test_the_checksum_is_the_crc_in_base62(secret):
    """Six digits, most significant first; the CRC-32 is computed here bit by bit."""
    value = 0
    for character in keys.checksum(secret):
        value = value * 62 + (
            string.digits + string.ascii_uppercase + string.ascii_lowercase
        ).index(character)
    crc = 0xFFFFFFFF
    for byte in secret.encode():
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    assert crc ^ 0xFFFFFFFF == value


def test_every_character_is_equally_likely():
    """Over all 256 byte values each of the 62 characters comes up the same number of times."""
    counts = Counter()
    for value in range(248):
        counts[keys.issue(bytes_of(value))[len(keys.PREFIX)]] += 1
    assert {4} == set(counts.values())
    assert 62 == len(counts)


@pytest.mark.parametrize("biased", [248, 249, 255])
def test_bytes_that_would_bias_are_drawn_again(biased):
    """The eight values beyond four times 62 count for nothing."""
    assert keys.issue(bytes_of(7)) == keys.issue(bytes_of(biased, 7, biased, biased))


def test_a_key_parses_to_the_digest_that_is_stored():
    """SHA-256 of the whole text."""
    key = keys.issue(bytes_of(1, 2, 3))
    assert hashlib.sha256(key.encode()).digest() == keys.parse(key) == keys.digest(key)


@given(st.binary(min_size=43, max_size=43), st.integers(0, 59), st.characters(codec="utf-8"))
def test_one_wrong_character_is_told_apart(seed, place, wrong):
    """A typo anywhere is seen without a look-up."""
    key = keys.issue(bytes_of(*seed, 0))
    place = min(place, len(key) - 1)
    other = key[:place] + wrong + key[place + 1 :]
    assert (key == other) == (keys.parse(other) is not None)


@given(st.binary(min_size=43, max_size=43), st.integers(11, 58))
def test_two_swapped_characters_are_told_apart(seed, place):
    """The other common typo."""
    key = keys.issue(bytes_of(*seed, 0))
    other = key[:place] + key[place + 1] + key[place] + key[place + 2 :]
    assert (key == other) == (keys.parse(other) is not None)


@pytest.mark.parametrize(
    "change",
    [
        lambda key: key[:-1],
        lambda key: key + "0",
        lambda key: key + "\n",
        lambda key: " " + key,
        lambda key: key.upper(),
        lambda key: key.removeprefix("sk-gateway-"),
        lambda key: "",
        lambda key: key[:-6] + "\N{FULLWIDTH DIGIT ONE}" * 6,
    ],
    ids=["short", "long", "newline", "space", "upper", "bare", "empty", "unicode"],
)
def test_what_is_no_key_has_no_digest(change):
    """Truncated, padded and foreign texts are not looked up."""
    assert keys.parse(change(keys.issue(bytes_of(1, 2, 3)))) is None


def test_the_hint_gives_no_secret_away():
    """Its characters come from the checksum."""
    key = keys.issue(bytes_of(1, 2, 3))
    assert key[-4:] == keys.hint(key)
    assert keys.HINT_CHARS <= keys.CHECK_CHARS
