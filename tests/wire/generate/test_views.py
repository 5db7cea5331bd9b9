"""Loose views of answers."""

import msgspec
import pytest

from trivium.faults import Kind
from trivium.wire.generate import views

PLAIN = b'{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"index":0}],"usageMetadata":{}}'


def test_a_plain_chunk_is_one_more_piece_of_one_text():
    """The usual chunk of a stream."""
    candidate = views.plain(PLAIN).candidates[0]
    assert ("a", False, 0) == (
        candidate.content.parts[0].text,
        candidate.content.parts[0].thought,
        candidate.index,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"text":"a"', b'"text":""'),
        (b'"text":"a"', b'"text":"a","thoughtSignature":"AAEC"'),
        (b'"text":"a"', b'"text":"a","new":1'),
        (b'"index":0', b'"index":0,"finishReason":"STOP"'),
        (b'"index":0', b'"groundingMetadata":{}'),
        (b'[{"text":"a"}]', b'[{"text":"a"},{"text":"b"}]'),
        (b'[{"text":"a"}]', b"[]"),
        (b'"usageMetadata"', b'"promptFeedback"'),
        (b'"usageMetadata"', b'"error"'),
    ],
)
def test_anything_more_is_not_plain(old, new):
    """What a plain chunk has not is read the long way."""
    with pytest.raises(msgspec.ValidationError):
        views.plain(PLAIN.replace(old, new))


def test_a_part_is_found_with_all_its_members():
    """By the positions in which the chunk was read."""
    data = b'{"candidates":[null,{"content":{"parts":[{"text":"a"},{"new":1}]}}]}'
    assert {"new": msgspec.Raw(b"1")} == views.LooseParts(data).at(1, 1)


@pytest.mark.parametrize(
    ("raw", "value"), [(b"", None), (b'{"a":1}', {"a": 1}), (b"{", None), (b"nope", None)]
)
def test_a_member_that_cannot_be_read_is_absent(raw, value):
    """Nobody fails over what nobody needs."""
    assert value == views.value(msgspec.Raw(raw))


def test_nonsense_is_the_upstreams_failure():
    """One fault for all of it."""
    assert Kind.UPSTREAM_BROKE is views.broke().kind
