"""An act is told in a line that holds no secret, however it came about."""

import msgspec
import pytest

from trivium.observe.audit.model import (
    ITEMS_MAX,
    TEXT_CHARS_MAX,
    ActKind,
    encoded,
    short,
)


def test_the_stored_words_are_short_and_distinct():
    """They are column values, filters on the command line and in addresses of pages."""
    words = [kind.value for kind in ActKind]
    assert len(words) == len(set(words))
    assert [] == [word for word in words if not word.replace("_", "").islower() or len(word) > 30]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("plain", "plain"),
        ("twolines", "twol"),
        ("a\nb", "a\ufffdb"),
        ("\x1b[2J", "\ufffd[2J"),
        ("\u202eabc", "\ufffdabc"),
        ("", ""),
    ],
)
def test_what_others_wrote_stays_on_one_line(given, stored):
    """Control characters and changes of direction forge lines of a log."""
    assert stored == short(given, 4 if given == "twolines" else 20)


@pytest.mark.parametrize("secret", [
    "sk-gateway-" + "a" * 49, "gws_" + "b" * 43, "gwat_" + "c" * 43, "gwrt_" + "d" * 43,
    "gwac_" + "e" * 43, "gwdev_" + "f" * 43, "gwadm_" + "f" * 43, "sk_test_51abcdefghi", "whsec_abcdefghijkl",
])  # fmt: skip
def test_secrets_of_ours_are_masked(secret):
    """A caller of ``add`` may slip; the log must not keep it."""
    stored = encoded({"note": f"given {secret} by mistake", "token": secret})
    assert secret not in stored
    assert "***" in stored


def test_a_detail_is_bounded():
    """In the number of its members and in each text, so it stays JSON."""
    stored = encoded({f"n{i}": "x" * 5000 for i in range(100)})
    read = msgspec.json.decode(stored)
    assert (ITEMS_MAX, {TEXT_CHARS_MAX}) == (len(read), {len(text) for text in read.values()})


def test_no_detail_is_no_text():
    """An empty column, not an empty object."""
    assert ["", ""] == [encoded(None), encoded({})]


def test_numbers_and_flags_stay_what_they_are():
    """So that a program may filter by them."""
    assert {"codes": 3, "auto": True, "app": None} == msgspec.json.decode(
        encoded({"codes": 3, "auto": True, "app": None})
    )
