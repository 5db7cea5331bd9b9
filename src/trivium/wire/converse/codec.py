"""The converse shape of the translation lane."""

from typing import Final

from trivium.conversation.finish import Unified
from trivium.conversation.parts import ReasoningForm
from trivium.conversation.shape_capabilities import ShapeCapabilities
from trivium.wire.codec import Codec, UpstreamCodec
from trivium.wire.converse import (
    citations,
    read_answer,
    read_request,
    read_stream,
    write_answer,
    write_answer_parts,
    write_request,
    write_stream,
)
from trivium.wire.operation import Shape

CODEC: Final = Codec(
    shape=Shape.CONVERSE,
    read_request=read_request.read,
    write_request=write_request.write,
    read_answer=read_answer.read,
    write_answer=write_answer.write,
    read_stream=read_stream.Reader,
    write_stream=write_stream.Writer,
    places=ShapeCapabilities(
        shape="converse",
        shows=write_answer_parts.shows,
        words=lambda part: bool(write_answer_parts.plain(part)),
        ends=frozenset(Unified) - {Unified.OTHER, Unified.PAUSED},
        form=ReasoningForm.FULL,
        blocks_cited=True,
        cites=lambda citation: citations.written(citation) is not None,
        counters=("audio_input", "audio_output", "image_input", "image_output", "reasoning"),
        tiers=frozenset({"default", "priority", "flex"}),
    ),
)
UPSTREAM: Final[UpstreamCodec] = CODEC
"""What an upstream of the shape is asked with, and heard by."""
