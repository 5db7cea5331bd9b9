"""The converse shape of the translation lane."""

from typing import Final

from trivium.wire.codec import UpstreamCodec
from trivium.wire.converse import read_answer, read_stream, write_request
from trivium.wire.operation import Shape

UPSTREAM: Final = UpstreamCodec(
    shape=Shape.CONVERSE,
    write_request=write_request.write,
    read_answer=read_answer.read,
    read_stream=read_stream.Reader,
)
