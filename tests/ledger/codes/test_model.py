"""Codes survive being copied by people, and slips are told from unknown codes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ledger.codes.model import ALPHABET, Code, check, hint, issue, parse

CODE = issue(lambda n: bytes(range(7, 7 + n)))
PLAIN = CODE.replace("-", "")
secrets = st.text(ALPHABET, min_size=22, max_size=22)


def code(**changes):
    """A code of batch 1 that expires at 100."""
    plain = {"id": 1, "batch_id": 1, "hint": "XYZ", "amount_nanos": 5, "expires_at": 100}
    return Code(**{**plain, "revoked_at": None, "redeemed_at": None, "user": None, **changes})


def test_a_code_is_five_groups_of_five():
    """Short enough to be read aloud, and without letters that look like digits."""
    groups = CODE.split("-")
    assert [5] * 5 == [len(group) for group in groups]
    assert not set("ILOU") & set(PLAIN)
    assert parse(CODE) is not None


def test_every_byte_of_chance_counts():
    """110 bits: each of the 22 characters comes from a byte of its own, all 32 as likely."""
    base = bytes(22)
    made = {issue(lambda _, i=i: base[:i] + b"\x01" + base[i + 1 :]) for i in range(22)}
    assert 22 == len(made)
    first = [issue(lambda _, b=b: bytes([b]) + base[1:])[0] for b in range(256)]
    assert {8} == {first.count(character) for character in ALPHABET}


@pytest.mark.parametrize(
    "typed",
    [
        CODE.lower(),
        PLAIN,
        f"  {CODE}\n",
        CODE.replace("-", " "),
        CODE.replace("0", "O").replace("1", "l"),
        CODE.replace("1", "I").replace("0", "o"),
    ],
)
def test_what_people_write_is_understood(typed):
    """Case, gaps and look-alikes do not count."""
    assert parse(CODE) == parse(typed)


@given(secrets, st.integers(0, 24), st.sampled_from(ALPHABET))
def test_one_wrong_character_is_found(secret, place, other):
    """In the secret or in the check itself."""
    whole = secret + check(secret)
    slipped = whole[:place] + other + whole[place + 1 :]
    assert (parse(slipped) is None) == (slipped != whole)


@given(secrets, st.integers(0, 21), st.integers(0, 21))
def test_two_characters_that_changed_places_are_found(secret, one, two):
    """Neighbours or not."""
    swapped = list(secret)
    swapped[one], swapped[two] = swapped[two], swapped[one]
    slipped = "".join(swapped) + check(secret)
    assert (parse(slipped) is None) == ("".join(swapped) != secret)


@pytest.mark.parametrize(
    "text", ["", "-", CODE[:-1], f"{CODE}0", "sk-gateway-x", "é" * 25, "0" * 9**6]
)
def test_what_cannot_be_a_code_is_none(text):
    """Too short, too long, foreign."""
    assert parse(text) is None


def test_the_hint_is_check_and_not_secret():
    """Who sees a list of codes cannot redeem one, nor guess from it."""
    assert check(PLAIN[:22]) == hint(CODE)


@pytest.mark.parametrize(
    ("changes", "now", "state"),
    [
        ({}, 99, "open"),
        ({}, 100, "expired"),
        ({"expires_at": None}, 10**12, "open"),
        ({"revoked_at": 5}, 200, "revoked"),
        ({"redeemed_at": 5, "user": "ada"}, 200, "redeemed"),
    ],
)
def test_a_code_says_how_it_stands(changes, now, state):
    """What happened first stays true."""
    assert state == code(**changes).state(now)
