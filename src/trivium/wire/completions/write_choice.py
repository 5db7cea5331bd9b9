"""What a completion says, whole or in pieces: text, probabilities, an ending.

Parts of an answer that the shape has no place for (reasoning, pictures, vendors' own blocks) are
left out: its only content is ``text``. Source: OpenAI's API reference, completions, read on
2026-11-21.
"""

from collections.abc import Iterable
from typing import Any, Final

from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Part
from trivium.conversation.parts import Refusal, Text, TokenLogprob
from trivium.conversation.request import Conversation
from trivium.wire.chat import finish

OBJECT: Final = "text_completion"


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
    return {
        "tokens": names,
        "token_logprobs": own,
        "top_logprobs": top,
        "text_offset": offsets,
    }
