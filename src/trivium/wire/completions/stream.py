"""Watching a completions stream, which is framed and ended as a chat stream is.

Source: openai-python 3.52.0, ``Stream``, and OpenAI's API reference, read 2026-11-21.
"""

from trivium.wire.chat.stream import ChunkWatch
from trivium.wire.operation import Shape
from trivium.wire.passage import Facts


def watch(facts: Facts) -> ChunkWatch:
    """A fresh watch for one streamed completions answer."""
    return ChunkWatch(facts, Shape.COMPLETIONS)
