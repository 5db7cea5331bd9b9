"""Signed addresses: only ours, only until they end."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.assets.address import SignatureCheck, SignedAddresses
from trivium.secret import Keyring

ID = "ab" * 20
KEYS = Keyring(b"1" * 32)
ADDRESSES = SignedAddresses(KEYS, "https://gateway.example/")


def parts(url):
    """Path, expiry and signature of an address."""
    found = urlsplit(url)
    query = parse_qs(found.query)
    return found.path, query["exp"][0], query["sig"][0]


def test_an_address_is_good_until_its_second():
    """And not a moment longer."""
    path, exp, sig = parts(ADDRESSES.sign(ID, 1000))
    assert (f"/assets/{ID}", "1000") == (path, exp)
    assert SignatureCheck.GOOD is ADDRESSES.check(ID, exp, sig, 999.9)
    assert SignatureCheck.EXPIRED is ADDRESSES.check(ID, exp, sig, 1000.0)


def test_the_origin_is_the_settings_own():
    """A slash at its end is not doubled."""
    assert ADDRESSES.sign(ID, 1).startswith(f"https://gateway.example/assets/{ID}?exp=1&sig=")


@pytest.mark.parametrize(
    ("asset_id", "exp"),
    [("cd" * 20, "1000"), (ID, "1001"), (ID, "01000"), (ID, "+1000"), (ID, "1e3"), (ID, "٣"),
     (ID, ""), (ID, None), (ID, "9" * 40)],
)  # fmt: skip
def test_neither_file_nor_end_can_be_changed(asset_id, exp):
    """The signature covers both, spelled in one way."""
    _, _, sig = parts(ADDRESSES.sign(ID, 1000))
    assert SignatureCheck.FORGED is ADDRESSES.check(asset_id, exp, sig, 0)


@given(st.one_of(st.none(), st.text(max_size=80)))
def test_no_other_signature_is_ours(sig):
    """Whatever it is, it is refused and nothing breaks."""
    assert SignatureCheck.FORGED is ADDRESSES.check(ID, "1000", sig, 0)


def test_every_changed_byte_of_a_signature_shows():
    """Key id and digest alike."""
    _, exp, sig = parts(ADDRESSES.sign(ID, 1000))
    for at in range(len(sig) - 1):
        other = "A" if sig[at] != "A" else "B"
        assert SignatureCheck.FORGED is ADDRESSES.check(
            ID, exp, sig[:at] + other + sig[at + 1 :], 0
        )


def test_a_replaced_key_still_opens_what_it_signed():
    """Until it is taken away."""
    _, exp, sig = parts(ADDRESSES.sign(ID, 1000))
    both = SignedAddresses(Keyring(b"2" * 32, b"1" * 32), "https://x.example")
    assert SignatureCheck.GOOD is both.check(ID, exp, sig, 0)
    assert SignatureCheck.FORGED is SignedAddresses(Keyring(b"2" * 32), "").check(ID, exp, sig, 0)
