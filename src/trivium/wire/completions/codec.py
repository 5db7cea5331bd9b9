"""The completions shape's codec: the caller's side only, nobody is translated into it."""

from typing import Final

from trivium.conversation.finish import Unified
from trivium.conversation.shape_capabilities import ShapeCapabilities
from trivium.wire.codec import CallerOnly
from trivium.wire.completions.read_request import read as read_request
from trivium.wire.completions.write_answer import write as write_answer
from trivium.wire.completions.write_stream import Writer
from trivium.wire.operation import Shape

CODEC: Final = CallerOnly(
    shape=Shape.COMPLETIONS,
    read_request=read_request,
    write_answer=write_answer,
    write_stream=Writer,
    places=ShapeCapabilities(
        shape="completions",
        shows=lambda _: False,
        words=lambda _: False,
        ends=frozenset({Unified.STOP, Unified.LENGTH, Unified.CONTENT_FILTER}),
        reasoning=False,
        calls=False,
        candidates=True,
        logprobs=True,
        signed_texts=False,
        cites=lambda _: False,
        counters=("cache_write_long", "image_output"),
        tiers=frozenset({""}),
    ),
)
