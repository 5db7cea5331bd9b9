"""A whole answer as a GenerateContentResponse."""

from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Unified
from trivium.conversation.items import Part
from trivium.conversation.opaque import Opaque, Seal
from trivium.conversation.parts import Citation, Text, TokenLogprob, VendorPart
from trivium.wire.codec import WriteContext
from trivium.wire.generate import citations, finish, logprobs, write_answer_parts, write_usage

_encode: Final = msgspec.json.Encoder().encode


def write(answer: Answer, context: WriteContext) -> bytes:
    """The body for the caller. A blocked prompt is a candidate that says so."""
    out: dict[str, Any] = {
        "candidates": [
            _candidate(candidate, at, context.seal)
            for at, candidate in enumerate(answer.candidates)
        ]
    }
    if answer.usage is not None:
        out["usageMetadata"] = write_usage.metadata(answer.usage, answer.service_tier)
    out["modelVersion"] = context.model
    out["responseId"] = context.id
    return _encode(out)


def _candidate(candidate: Candidate, at: int, seal: Seal) -> dict[str, Any]:
    parts, cited, tokens = _parts(candidate, seal)
    content: dict[str, Any] = {"role": "model"}
    if parts:
        content["parts"] = parts
    out: dict[str, Any] = {"content": content, **ending(candidate), "index": at}
    found = citations.grounding(cited, [one for part in candidate.parts for one in searched(part)])
    if found is not None:
        out["groundingMetadata"] = found
    result = logprobs.written(tokens)
    if result is not None:
        out["logprobsResult"] = result
    return out


def ending(candidate: Candidate) -> dict[str, Any]:
    """Members of a candidate that say why it ended."""
    end = candidate.finish
    out: dict[str, Any] = {"finishReason": finish.word(end)}
    if end.explanation:
        out["finishMessage"] = end.explanation
    if end.unified is Unified.PAUSED and end.token:
        out["continuationToken"] = end.token
    return out


_Cited = list[tuple[int, str, tuple[Citation, ...]]]


def searched(part: Part) -> tuple[str, ...]:
    """What a part says was searched for: it is said of the whole candidate."""
    return part.queries if isinstance(part, VendorPart) else ()


def _parts(
    candidate: Candidate, seal: Seal
) -> tuple[list[dict[str, Any]], _Cited, list[TokenLogprob]]:
    out: list[dict[str, Any]] = []
    cited: _Cited = []
    tokens: list[TokenLogprob] = []
    pending: list[Opaque] = []
    for part in candidate.parts:
        own, later = write_answer_parts.riding(part.opaque)
        pending.extend(later)
        member: dict[str, Any] | None
        if isinstance(part, ToolCall):
            member, whole = write_answer_parts.call(part, part.arguments)
            if not whole and candidate.finish.unified in finish.CUT:
                continue
            own, pending = (*pending, *own), []
        else:
            member = write_answer_parts.plain(part)
        signature = seal(own) if own else ""
        if member is None and signature:
            member = {"text": ""}
        if member is None:
            continue
        if signature:
            member["thoughtSignature"] = signature
        if isinstance(part, Text):
            cited.append((len(out), part.text, part.citations))
            tokens.extend(part.logprobs)
        out.append(member)
    if pending and (signature := seal(tuple(pending))):
        out.append({"text": "", "thoughtSignature": signature})
    return out, cited, tokens
