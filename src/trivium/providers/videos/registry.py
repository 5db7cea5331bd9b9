"""Which way of asking for videos an upstream has."""

from trivium.providers.videos import google, openai
from trivium.providers.videos.protocol import VideoProtocol
from trivium.wire.operation import Operation


def protocol_of(operation: Operation) -> VideoProtocol:
    """How an upstream is asked that serves videos by this operation."""
    return google.PROTOCOL if operation is Operation.GENERATE_VIDEO else openai.PROTOCOL
