"""The responses shape's codec."""

from typing import Final

from trivium.conversation.finish import Unified
from trivium.conversation.shape_capabilities import ShapeCapabilities
from trivium.wire.codec import Codec
from trivium.wire.operation import Shape
from trivium.wire.responses import (
    citations,
    read_answer,
    read_request,
    write_answer,
    write_answer_parts,
    write_request,
)
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
    places=ShapeCapabilities(
        shape="responses",
        shows=lambda part: write_answer_parts.kind(part) not in (None, "message"),
        words=lambda part: bool(write_answer_parts.words(part)),
        ends=frozenset({Unified.STOP, Unified.TOOL_CALLS, Unified.LENGTH, Unified.CONTENT_FILTER}),
        refusals=True,
        logprobs=True,
        namespaces=True,
        queries=True,
        cites=lambda citation: citations.annotation(citation, 0) is not None,
        counters=("audio_input", "audio_output", "cache_write_long", "image_input", "image_output"),
    ),
)
