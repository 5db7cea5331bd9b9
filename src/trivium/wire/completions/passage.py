"""The completions operation on the pass-through lane."""

from typing import Final

import msgspec

from trivium.wire import openai_shapes
from trivium.wire.chat.request import answer, changes
from trivium.wire.chat.stream import ChunkWatch
from trivium.wire.checks import check, missing
from trivium.wire.operation import Shape
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members


def watch(facts: RequestFacts) -> ChunkWatch:
    """A fresh watch for one streamed completions answer."""
    return ChunkWatch(facts, Shape.COMPLETIONS)


_items: Final = msgspec.json.Decoder(list[msgspec.Raw])


def facts(body: Members) -> RequestFacts:
    """Read and check a completions request. Raises ``Fault`` naming the member."""
    model = body.needed("model")
    if "prompt" not in body:  # null is a prompt: the start of a document
        raise missing("prompt")
    each = max(body.integer("n", 1) or 1, body.integer("best_of", 0) or 1)
    choices = each * _prompts(body.raw("prompt"))
    limit = body.integer("max_tokens", 0)
    return RequestFacts(
        model=model,
        stream=body.flag("stream"),
        output_max=None if limit is None else limit * choices,
        choices=choices,
        usage_wanted=openai_shapes.usage_wanted(body),
    )


def _prompts(raw: bytes | None) -> int:
    """How many prompts: a string or one array of token ids is one, else one for each element."""
    if raw is None or not raw.startswith(b"[") or raw[1:].lstrip()[:1] not in (b'"', b"["):
        return 1
    return len(check(_items, raw, "prompt"))


PASSAGE: Final = PassThroughSpec(facts=facts, changes=changes, answer=answer, watch=watch)
