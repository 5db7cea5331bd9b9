"""Which way of asking for videos an upstream has."""

from trivium.providers.videos import openai
from trivium.providers.videos.protocol import VideoProtocol
from trivium.wire.operation import Operation


def protocol_of(operation: Operation) -> VideoProtocol:
    """How an upstream is asked that serves videos by this operation."""
    if operation is not Operation.GENERATE_VIDEO:
        return openai.PROTOCOL
    from trivium.providers.videos import google

    return google.PROTOCOL
