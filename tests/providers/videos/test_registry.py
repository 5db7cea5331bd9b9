"""Which way an upstream is asked."""

from trivium.providers.videos import google, openai
from trivium.providers.videos.registry import dialect_of
from trivium.wire.operation import Operation


def test_the_operation_decides():
    """A channel of either kind may serve a model."""
    assert openai.DIALECT is dialect_of(Operation.VIDEOS)
    assert google.DIALECT is dialect_of(Operation.GENERATE_VIDEO)
