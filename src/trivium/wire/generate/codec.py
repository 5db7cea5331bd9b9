"""The generate shape's codec: Google's generateContent and streamGenerateContent."""

from typing import Final

from trivium.wire.codec import Codec
from trivium.wire.generate import read_answer, read_request, write_answer, write_request
from trivium.wire.generate.read_stream import Reader
from trivium.wire.generate.write_stream import Writer
from trivium.wire.operation import Shape

CODEC: Final = Codec(
    shape=Shape.GENERATE,
    read_request=read_request.read,
    write_request=write_request.write,
    read_answer=read_answer.read,
    write_answer=write_answer.write,
    read_stream=Reader,
    write_stream=Writer,
)
