"""How a cloud takes a shape of others: what is changed in a body, and what an answer comes in.

A provider's row says it for an operation (``Provider.wrappings``); where there is none, nothing is
wrapped and nothing is copied. Both lanes go by it: what passes has the members spliced with its
own changes, what is translated afterwards.
"""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import msgspec

from trivium.wire import peek
from trivium.wire.bedrock import invoke
from trivium.wire.bedrock.chunks import Unframer
from trivium.wire.messages import hosted
from trivium.wire.messages.hosted import Hosting


class StreamUnwrapper(Protocol):
    """Turns the bytes of one streamed answer into the shape's own."""

    def feed(self, data: bytes) -> bytes:
        """What became whole, possibly nothing. Raises ``Fault`` (UPSTREAM_BROKE)."""
        ...


class Wrapping(msgspec.Struct, frozen=True, kw_only=True):
    """One operation as one cloud has it."""

    changes: Callable[[Hosting], Mapping[str, bytes | None]]
    """Members to splice into a body of the shape; ``None`` removes one."""
    body: Callable[[bytes], bytes] | None = None
    """What is sent in the place of such a body; ``None``: the body."""
    answer: Callable[[bytes], bytes] | None = None
    """A whole 200 answer in the shape's own words; ``None``: it is in them."""
    stream: Callable[[], StreamUnwrapper] | None = None
    """A fresh unwrapper for a streamed answer; ``None``: it comes as the shape has it."""

    def wrapped(self, body: bytes, hosting: Hosting) -> bytes:
        """What is sent for a body of the shape."""
        changed = peek.members(body).splice(self.changes(hosting))
        return changed if self.body is None else self.body(changed)


BEDROCK_MESSAGES: Final = Wrapping(changes=hosted.for_bedrock, stream=Unframer)
"""InvokeModel with a body of Claude's: the path has the model, and whether it is streamed."""
BEDROCK_COUNT: Final = Wrapping(
    changes=hosted.for_bedrock_count, body=invoke.for_count, answer=invoke.count_from_bedrock
)
"""CountTokens, asked about the same."""
VERTEX_MESSAGES: Final = Wrapping(changes=hosted.for_vertex)
"""rawPredict and streamRawPredict: the path has the model."""
VERTEX_COUNT: Final = Wrapping(changes=hosted.for_vertex_count)
"""rawPredict of ``count-tokens``, whose body has the model."""
