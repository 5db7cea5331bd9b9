"""The messages shape of the translation lane."""

from typing import Final

from trivium.wire.codec import Codec
from trivium.wire.messages import (
    read_answer,
    read_request,
    read_stream,
    write_answer,
    write_request,
    write_stream,
)
from trivium.wire.operation import Shape

CODEC: Final = Codec(
    shape=Shape.MESSAGES,
    read_request=read_request.read,
    write_request=write_request.write,
    read_answer=read_answer.read,
    write_answer=write_answer.write,
    read_stream=read_stream.Reader,
    write_stream=write_stream.Writer,
)
