"""The canonical answer as a whole completion, and what one says whole or in pieces.

Parts of an answer that the shape has no place for (reasoning, pictures, vendors' own blocks) are
left out: its only content is ``text``. Source: OpenAI's API reference, completions, read on
2026-11-21.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.parts import Refusal, Text, TokenLogprob
from trivium.conversation.request import Conversation
from trivium.wire.chat import finish, write_usage
from trivium.wire.codec import WriteContext
from trivium.wire.completions.read_request import echoed

OBJECT: Final = "text_completion"
_encode: Final = msgspec.json.Encoder().encode


def write(answer: Answer, context: WriteContext) -> bytes:
    """The whole body for the caller."""
    before = prompt_of(context.request) if echoed(context.members) else ""
    body: dict[str, Any] = {
        "id": f"cmpl-{context.id}",
        "object": OBJECT,
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
        "text": before + "".join(text_of(part) for part in candidate.parts),
        "index": at,
        "logprobs": probabilities(tokens, len(before)) if tokens else None,
        "finish_reason": ending(candidate.finish),
    }


def text_of(part: Part) -> str:
    """What a part adds to ``text``; empty where it adds nothing."""
    return part.text if isinstance(part, Text | Refusal) else ""


def prompt_of(request: Conversation) -> str:
    """The prompt that ``echo`` repeats."""
    return "".join(text_of(part) for turn in request.turns for part in turn.parts)


def ending(found: Finish) -> str:
    """``finish_reason``: the shape knows stop, length and content_filter."""
    if found.unified is Unified.TOOL_CALLS:
        return "stop"
    return finish.written(found, legacy=False)


def probabilities(tokens: Iterable[TokenLogprob], start: int) -> dict[str, Any]:
    """``logprobs``: four lists of equal length; offsets count code points of the whole text."""
    names: list[str] = []
    own: list[float] = []
    top: list[dict[str, float]] = []
    offsets: list[int] = []
    for one in tokens:
        names.append(one.token)
        own.append(one.logprob)
        top.append({other.token: other.logprob for other in one.top})
        offsets.append(start)
        start += len(one.token)
    return {"tokens": names, "token_logprobs": own, "top_logprobs": top, "text_offset": offsets}
