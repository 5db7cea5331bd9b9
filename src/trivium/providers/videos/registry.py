"""Which way of asking for videos an upstream has."""

from trivium.providers.videos import google, openai
from trivium.providers.videos.dialect import Dialect
from trivium.wire.operation import Operation


def dialect_of(operation: Operation) -> Dialect:
    """How an upstream is asked that serves videos by this operation."""
    return google.DIALECT if operation is Operation.GENERATE_VIDEO else openai.DIALECT
