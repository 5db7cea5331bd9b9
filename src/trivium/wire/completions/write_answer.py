"""The canonical answer as a whole completion.

Source: OpenAI's API reference, completions, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.parts import Text
from trivium.wire.chat import write_usage
from trivium.wire.codec import WriteContext
from trivium.wire.completions import write_choice
from trivium.wire.completions.read_request import echoed

_encode: Final = msgspec.json.Encoder().encode


def write(answer: Answer, context: WriteContext) -> bytes:
    """The whole body for the caller."""
    before = write_choice.prompt_of(context.request) if echoed(context.members) else ""
    body: dict[str, Any] = {
        "id": f"cmpl-{context.id}",
        "object": write_choice.OBJECT,
        "created": context.created,
        "model": context.model,
        "choices": [_choice(at, one, before) for at, one in enumerate(answer.candidates)],
    }
    if answer.usage is not None:
        body["usage"] = write_usage.written(answer.usage)
    return _encode(body)


def _choice(at: int, candidate: Candidate, before: str) -> dict[str, Any]:
    tokens = [
        token for part in candidate.parts if isinstance(part, Text) for token in part.logprobs
    ]
    return {
        "text": before + "".join(write_choice.text_of(part) for part in candidate.parts),
        "index": at,
        "logprobs": write_choice.probabilities(tokens, len(before)) if tokens else None,
        "finish_reason": write_choice.ending(candidate.finish),
    }
