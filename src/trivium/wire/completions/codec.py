"""The completions shape's codec: the caller's side only, nobody is translated into it."""

from typing import Final

from trivium.wire.codec import CallerCodec
from trivium.wire.completions.read_request import read as read_request
from trivium.wire.completions.write_answer import write as write_answer
from trivium.wire.completions.write_stream import Writer
from trivium.wire.operation import Shape

CODEC: Final = CallerCodec(
    shape=Shape.COMPLETIONS,
    read_request=read_request,
    write_answer=write_answer,
    write_stream=Writer,
)
