"""Attachments in an envelope: they come back whole, to their owner, or not at all."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.opaque import SIGNATURE, Opaque, Origin
from trivium.wire.envelope import PREFIX, opener, sealer

KEY = b"k" * 32
MAKER = Origin("messages", "anthropic", "main")


def one(data=b"opaque", kind=SIGNATURE):
    return Opaque(kind, data, MAKER, "claude-x")


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_what_was_sealed_comes_back_byte_for_byte(parts):
    """In order, each with its maker and model."""
    opaque = tuple(one(data) for data in parts)
    sealed = sealer(KEY, 7)(opaque)
    assert opaque == opener(KEY, 7)(sealed)
    assert sealed.startswith(PREFIX)
    assert sealed == base64.b64encode(base64.b64decode(sealed, validate=True)).decode()


def test_sealing_is_deterministic():
    """The same attachments give the same bytes, so a prompt cache is not disturbed."""
    assert sealer(KEY, 7)((one(),)) == sealer(KEY, 7)((one(),))


def test_another_users_envelope_does_not_open():
    """Nor one of another gateway."""
    sealed = sealer(KEY, 7)((one(),))
    assert opener(KEY, 8)(sealed) is None
    assert opener(b"x" * 32, 7)(sealed) is None


@pytest.mark.parametrize("at", range(0, 100, 7))
def test_a_changed_envelope_does_not_open(at):
    """At whatever place."""
    sealed = sealer(KEY, 7)((one(b"a" * 40),))
    changed = sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :]
    assert opener(KEY, 7)(changed) is None


@pytest.mark.parametrize("text", ["", "x", PREFIX, PREFIX + "!", "c2lnbmF0dXJl", PREFIX + "AAAA"])
def test_a_vendors_own_string_is_no_envelope(text):
    """It is left to whoever reads the slot."""
    assert opener(KEY, 7)(text) is None


def test_what_has_no_maker_is_not_sealed():
    """Nobody could be given it back."""
    assert "" == sealer(KEY, 7)((Opaque(SIGNATURE, b"x"),))
