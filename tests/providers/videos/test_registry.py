"""Which way an upstream is asked."""

from trivium.providers.videos import google, openai
from trivium.providers.videos.registry import protocol_of
from trivium.wire.operation import Operation


def test_the_operation_decides():
    """A channel of either kind may serve a model."""
    assert openai.PROTOCOL is protocol_of(Operation.VIDEOS)
    assert google.PROTOCOL is protocol_of(Operation.GENERATE_VIDEO)
