"""The signed value in the top-up address."""

import pytest

from trivium.oauth import topup
from trivium.oauth.topup import Attribution
from trivium.secret import Keyring

KEYS = Keyring(b"k" * 32)
WHO = Attribution(user_id=7, app_id=3)
NOW = 1_790_000_000


def test_what_is_sealed_opens_for_a_quarter_of_an_hour():
    """And not a second longer."""
    value = topup.sealed(KEYS, WHO, NOW)
    assert WHO == topup.opened(KEYS, value, NOW)
    assert WHO == topup.opened(KEYS, value, NOW + 899)
    assert None is topup.opened(KEYS, value, NOW + 900)


def test_an_older_key_still_opens():
    """Keys are replaced while addresses are on their way."""
    assert WHO == topup.opened(Keyring(b"n" * 32, b"k" * 32), topup.sealed(KEYS, WHO, NOW), NOW)


@pytest.mark.parametrize("at", range(0, 80, 5))
def test_a_changed_value_does_not_open(at):
    """Wherever it was changed."""
    value = topup.sealed(KEYS, WHO, NOW)
    other = "A" if value[at] != "A" else "B"
    assert None is topup.opened(KEYS, value[:at] + other + value[at + 1 :], NOW)


@pytest.mark.parametrize("value", ["", "x", "ä", "A" * 80, "A" * 5000, "=" * 4])
def test_what_is_none_of_ours_does_not_open(value):
    """Nor does it raise."""
    assert None is topup.opened(KEYS, value, NOW)


def test_another_gateways_value_does_not_open():
    """The key is the gateway's own."""
    assert None is topup.opened(Keyring(b"x" * 32), topup.sealed(KEYS, WHO, NOW), NOW)
