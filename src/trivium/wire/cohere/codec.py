"""Cohere's shape of the translation lane."""

from typing import Final

from trivium.conversation.parts import ReasoningForm
from trivium.conversation.shape_capabilities import ShapeCapabilities
from trivium.wire.codec import Codec
from trivium.wire.cohere import (
    citations,
    finish,
    read_answer,
    read_request,
    read_stream,
    write_answer,
    write_request,
    write_stream,
)
from trivium.wire.operation import Shape

CODEC: Final = Codec(
    shape=Shape.COHERE,
    read_request=read_request.read,
    write_request=write_request.write,
    read_answer=read_answer.read,
    write_answer=write_answer.write,
    read_stream=read_stream.Reader,
    write_stream=write_stream.Writer,
    places=ShapeCapabilities(
        shape="cohere",
        shows=lambda _: False,
        words=lambda part: bool(write_answer.plain(part)),
        ends=finish.ENDS,
        form=ReasoningForm.FULL,
        logprobs=True,
        rivals=False,
        signed_texts=False,
        cites=citations.has_place,
        counters=(
            "audio_input",
            "audio_output",
            "cache_write_long",
            "cache_write_short",
            "image_input",
            "image_output",
            "reasoning",
        ),
        tiers=frozenset({"default"}),
    ),
)
