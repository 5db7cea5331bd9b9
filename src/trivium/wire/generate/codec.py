"""The generate shape's codec: Google's generateContent and streamGenerateContent."""

from typing import Final

from trivium.conversation.finish import Unified
from trivium.conversation.parts import Audio, ReasoningForm
from trivium.conversation.shape_capabilities import ShapeCapabilities
from trivium.wire.codec import Codec
from trivium.wire.generate import (
    read_answer,
    read_request,
    write_answer,
    write_answer_parts,
    write_request,
)
from trivium.wire.generate.finish import CUT
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
    places=ShapeCapabilities(
        shape="generate",
        shows=lambda part: (
            write_answer_parts.plain(part) is not None
            and not (isinstance(part, Audio) and part.source is None)
        ),
        words=lambda part: isinstance(part, Audio) and bool(part.transcript),
        ends=frozenset(Unified) - {Unified.STOP_SEQUENCE, Unified.CONTEXT_FULL, Unified.PAUSED},
        explanation=True,
        form=ReasoningForm.SUMMARY,
        candidates=True,
        logprobs=True,
        queries=True,
        cut_calls=CUT,
        counters=("cache_write_long", "cache_write_short"),
        tiers=frozenset({"default", "flex", "priority"}),
    ),
)
