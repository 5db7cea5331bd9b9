"""Attachments in an envelope: they come back whole, to their owner, or not at all."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.secret import Keyring
from trivium.wire.envelope import PREFIX, opener, sealer

KEYS = Keyring(b"k" * 32)
OTHER = Keyring(b"x" * 32)
MAKER = StateOrigin("messages", "anthropic", "main")


def one(data=b"opaque", kind=SIGNATURE):
    return Opaque(kind, data, MAKER, "claude-x")


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_what_was_sealed_comes_back_byte_for_byte(parts):
    """In order, each with its maker and model."""
    opaque = tuple(one(data) for data in parts)
    sealed = sealer(KEYS, 7)(opaque)
    assert opaque == opener(KEYS, 7)(sealed)
    assert sealed.startswith(PREFIX)
    assert sealed == base64.b64encode(base64.b64decode(sealed, validate=True)).decode()


def test_sealing_is_deterministic():
    """The same attachments give the same bytes, so a prompt cache is not disturbed."""
    assert sealer(KEYS, 7)((one(),)) == sealer(KEYS, 7)((one(),))


def test_another_users_envelope_does_not_open():
    """Nor one of another gateway."""
    sealed = sealer(KEYS, 7)((one(),))
    assert opener(KEYS, 8)(sealed) is None
    assert opener(OTHER, 7)(sealed) is None


def test_another_users_envelope_does_not_open_where_its_digits_continue():
    """A user id ends where the content begins."""
    sealed = sealer(KEYS, 1)((one(b"2:" + b"a" * 40),))
    assert [] == [user for user in (0, 2, 10, 11, 12) if opener(KEYS, user)(sealed)]


@pytest.mark.parametrize("bit", [0x01, 0x80])
def test_an_envelope_touched_anywhere_does_not_open(bit):
    """Magic, version, key id, digest and content."""
    sealed = base64.b64decode(sealer(KEYS, 7)((one(b"a" * 40),)))
    touched = [
        sealed[:at] + bytes([sealed[at] ^ bit]) + sealed[at + 1 :] for at in range(len(sealed))
    ]
    assert not any(opener(KEYS, 7)(base64.b64encode(text).decode()) for text in touched)


def test_an_envelope_cut_anywhere_does_not_open():
    """Nor one with something after its end."""
    sealed = base64.b64decode(sealer(KEYS, 7)((one(b"a" * 40),)))
    damaged = [*(sealed[:end] for end in range(len(sealed))), sealed + b"\x00"]
    assert not any(opener(KEYS, 7)(base64.b64encode(text).decode()) for text in damaged)


def test_a_digest_is_compared_in_constant_time(monkeypatch):
    """How much of a guess was right cannot be measured."""
    compared = []

    def compare(*both):
        compared.append(both)
        return False

    monkeypatch.setattr("trivium.wire.envelope.hmac.compare_digest", compare)
    assert opener(KEYS, 7)(sealer(KEYS, 7)((one(),))) is None
    assert [16, 16] == [len(one) for one in compared[0]]


def test_an_older_key_opens_what_it_sealed():
    """A caller's history outlives the replacing of a key; new envelopes have the new one."""
    sealed = sealer(KEYS, 7)((one(),))
    rotated = Keyring(b"x" * 32, b"k" * 32)
    assert (one(),) == opener(rotated, 7)(sealed)
    assert sealer(OTHER, 7)((one(),)) == sealer(rotated, 7)((one(),))


@pytest.mark.parametrize("text", ["", "x", PREFIX, PREFIX + "!", "c2lnbmF0dXJl", PREFIX + "AAAA"])
def test_a_vendors_own_string_is_no_envelope(text):
    """It is left to whoever reads the slot."""
    assert opener(KEYS, 7)(text) is None


def test_what_has_no_maker_is_not_sealed():
    """Nobody could be given it back."""
    assert "" == sealer(KEYS, 7)((Opaque(SIGNATURE, b"x"),))
