"""Attachments are scoped and never interpreted."""

import pytest

from trivium.conversation.attachments import belonging, first, opened, sealed_shut
from trivium.conversation.opaque import KINDS, REDACTED, SIGNATURE, SLOT, Opaque, StateOrigin

HERE = StateOrigin("messages", "anthropic", "main")
OWN = Opaque(SIGNATURE, b"own", HERE)


@pytest.mark.parametrize(
    "origin",
    [
        None,
        StateOrigin("chat", "anthropic", "main"),
        StateOrigin("messages", "bedrock", "main"),
        StateOrigin("messages", "anthropic", "second"),
    ],
)
def test_only_its_maker_gets_an_attachment_back(origin):
    """Another shape, vendor or account is another maker; the model is not asked."""
    other = Opaque(SIGNATURE, b"other", origin)
    same = Opaque(SIGNATURE, b"same", HERE, model="older")
    assert (OWN, same) == belonging((OWN, other, same), HERE)


def test_the_first_of_a_kind():
    """``None`` where there is none."""
    assert OWN is first((Opaque(REDACTED, b"x"), OWN, Opaque(SIGNATURE, b"later")), SIGNATURE)
    assert first((OWN,), REDACTED) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("envelope", (OWN,)),
        ("empty", ()),
        ("größe", (Opaque(SLOT, "größe".encode()),)),
    ],
)
def test_a_slot_is_an_envelope_or_stands_for_itself(text, expected):
    """What is no envelope of ours has no known maker."""
    envelopes = {"envelope": (OWN,), "empty": ()}
    assert expected == opened(text, envelopes.get)


def test_a_gateway_that_never_sealed_opens_nothing():
    """Every slot stands for itself."""
    assert (Opaque(SLOT, b"x"),) == opened("x", sealed_shut)
    assert SLOT in KINDS
