"""A whole answer, between the lane that made it and the attempt that sends it."""

import msgspec

from trivium.conversation.usage import Usage


class Whole(msgspec.Struct, frozen=True, gc=False):
    """A whole answer on its way to the caller."""

    body: bytes
    usage: Usage | None
    content_type: bytes = b"application/json"
