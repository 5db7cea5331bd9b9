"""The responses shape's codec."""

from typing import Final

from trivium.wire.codec import Codec
from trivium.wire.operation import Shape
from trivium.wire.responses import read_answer, read_request, write_answer, write_request
from trivium.wire.responses.read_stream import Reader
from trivium.wire.responses.write_stream import Writer

CODEC: Final = Codec(
    shape=Shape.RESPONSES,
    read_request=read_request.read,
    write_request=write_request.write,
    read_answer=read_answer.read,
    write_answer=write_answer.write,
    read_stream=Reader,
    write_stream=Writer,
)
