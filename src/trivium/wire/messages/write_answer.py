"""Whole answers as messages. Source: messages reference and SDK types 2.11, read on 2026-11-21."""

from typing import Final

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.estimate import tokens
from trivium.conversation.usage import Usage
from trivium.wire.codec import WriteContext
from trivium.wire.messages import finish
from trivium.wire.messages.write_answer_parts import blocks, counters

_encode: Final = msgspec.json.Encoder().encode


def write(answer: Answer, context: WriteContext) -> bytes:
    """The message; of several candidates the first, since the shape has one."""
    candidate = answer.candidates[0]
    content = [
        block
        for index, part in enumerate(candidate.parts)
        for block in blocks(part, context, index)
    ]
    usage = answer.usage
    if usage is None:
        counted = context.input_estimate or tokens(context.request)
        usage = Usage(fresh=counted, estimated=True)
    return _encode(
        {
            "id": f"msg_{context.id}",
            "type": "message",
            "role": "assistant",
            "model": context.model,
            "content": content,
            **finish.written(candidate.finish, map(type, candidate.parts)),
            "usage": counters(usage, answer.service_tier),
        }
    )
