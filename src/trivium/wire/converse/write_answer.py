"""Whole answers as Converse has them. Source: botocore 1.44, read on 2026-11-28."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer
from trivium.conversation.estimate import tokens
from trivium.conversation.finish import Finish
from trivium.conversation.usage import Usage
from trivium.wire.codec import WriteContext
from trivium.wire.converse import finish
from trivium.wire.converse.read_request import RESPONSE_PATHS, STOP_PATH
from trivium.wire.converse.write_answer_parts import blocks, ending
from trivium.wire.lenient import decoded

_encode: Final = msgspec.json.Encoder().encode
_paths: Final = msgspec.json.Decoder(list[Any]).decode


def write(answer: Answer, context: WriteContext) -> bytes:
    """The answer; of several candidates the first, since the shape has one."""
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
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": finish.written(candidate.finish, map(type, candidate.parts)),
            **ending(usage, answer.service_tier),
            **wanted_fields(candidate.finish, context.members),
        }
    )


def wanted_fields(end: Finish, members: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
    """The fields of the model's own answer that the caller asked to have repeated."""
    raw = members.get(RESPONSE_PATHS)
    if raw is None or STOP_PATH not in (decoded(_paths, raw) or ()):
        return {}
    return {"additionalModelResponseFields": {"stop_sequence": end.stop_sequence}}
