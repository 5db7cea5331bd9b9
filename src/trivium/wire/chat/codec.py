"""The chat shape's codec."""

from typing import Final

from trivium.conversation.finish import Unified
from trivium.conversation.parts import Audio, Image, ReasoningForm
from trivium.conversation.shape_capabilities import ShapeCapabilities
from trivium.wire.chat.read_answer import read as read_answer
from trivium.wire.chat.read_answer_parts import image_member
from trivium.wire.chat.read_request import read as read_request
from trivium.wire.chat.read_stream import Reader
from trivium.wire.chat.write_answer import write as write_answer
from trivium.wire.chat.write_request import write as write_request
from trivium.wire.chat.write_stream import Writer
from trivium.wire.codec import Codec
from trivium.wire.operation import Shape

CODEC: Final = Codec(
    shape=Shape.CHAT,
    read_request=read_request,
    write_request=write_request,
    read_answer=read_answer,
    write_answer=write_answer,
    read_stream=Reader,
    write_stream=Writer,
    places=ShapeCapabilities(
        shape="chat",
        shows=lambda part: (
            isinstance(part, Audio) or (isinstance(part, Image) and image_member(part) is not None)
        ),
        words=lambda _: False,
        ends=frozenset({Unified.STOP, Unified.TOOL_CALLS, Unified.LENGTH, Unified.CONTENT_FILTER}),
        refusals=True,
        form=ReasoningForm.FULL,
        transcripts=True,
        candidates=True,
        logprobs=True,
        signed_texts=False,
        counters=("cache_write_long", "image_output"),
    ),
)
