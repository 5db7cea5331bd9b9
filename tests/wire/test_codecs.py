"""Four codecs, each whole; no code for pairs."""

import pytest

from trivium.wire.codec import Codec
from trivium.wire.codecs import CODECS
from trivium.wire.operation import CONVERSATION


def test_every_conversation_shape_has_its_codec():
    """And no other shape has one."""
    assert CONVERSATION == set(CODECS)


@pytest.mark.parametrize("shape", sorted(CONVERSATION, key=lambda shape: shape.value))
def test_a_codec_is_filed_under_its_own_shape(shape):
    """All six jobs are somebody's."""
    codec = CODECS[shape]
    assert isinstance(codec, Codec)
    assert shape is codec.shape
    jobs = (
        "read_request",
        "write_request",
        "read_answer",
        "write_answer",
        "read_stream",
        "write_stream",
    )
    assert all(callable(getattr(codec, job)) for job in jobs)
