"""The Converse shape of the translation lane."""

from typing import Final

from trivium.conversation.finish import Unified
from trivium.conversation.parts import ReasoningForm
from trivium.conversation.shape_capabilities import ShapeCapabilities
from trivium.wire.codec import CallerOnly
from trivium.wire.converse import (
    citations,
    read_request,
    write_answer,
    write_answer_parts,
    write_stream,
)
from trivium.wire.operation import Shape

PLACES: Final = ShapeCapabilities(
    shape="converse",
    shows=write_answer_parts.shows,
    words=lambda part: bool(write_answer_parts.plain(part)),
    ends=frozenset(Unified) - {Unified.OTHER, Unified.PAUSED},
    form=ReasoningForm.FULL,
    blocks_cited=True,
    cites=lambda citation: citations.written(citation) is not None,
    counters=("audio_input", "audio_output", "image_input", "image_output", "reasoning"),
    tiers=frozenset({"default", "priority", "flex"}),
)

CODEC: Final = CallerOnly(
    shape=Shape.CONVERSE,
    read_request=read_request.read,
    write_answer=write_answer.write,
    write_stream=write_stream.Writer,
    places=PLACES,
)
