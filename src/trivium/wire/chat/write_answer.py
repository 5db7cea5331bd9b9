"""The canonical answer as a whole chat completion.

Source: OpenAI's API reference, chat completions, read 2026-11-21. ``content`` is null only beside
tool calls; ``refusal`` is always there; ``tool_calls`` is left out when there are none.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.custom_tools import Customs
from trivium.conversation.items import Part
from trivium.conversation.parts import SECTION, Audio, Image, Reasoning, Refusal, Text, TokenLogprob
from trivium.wire import logprobs
from trivium.wire.chat import finish, write_usage
from trivium.wire.chat.citations import annotation
from trivium.wire.chat.read_answer_parts import audio_members, details, extra, image_member
from trivium.wire.codec import WriteContext

_encode: Final = msgspec.json.Encoder().encode


def write(answer: Answer, context: WriteContext) -> bytes:
    """The whole body for the caller."""
    tools = context.request.tools
    if tools and (customs := Customs(tools)):
        answer = customs.answer(answer)
    legacy = finish.is_legacy(context.members)
    body: dict[str, Any] = {
        "id": f"chatcmpl-{context.id}",
        "object": "chat.completion",
        "created": context.created,
        "model": context.model,
        "choices": [
            _choice(at, candidate, legacy, context)
            for at, candidate in enumerate(answer.candidates)
        ],
    }
    if answer.usage is not None:
        body["usage"] = write_usage.written(answer.usage)
    if answer.service_tier is not None:
        body["service_tier"] = answer.service_tier
    return _encode(body)


def _choice(at: int, candidate: Candidate, legacy: bool, context: WriteContext) -> dict[str, Any]:
    parts = candidate.parts
    if len(parts) == 1 and type(parts[0]) is Text and not (parts[0].citations or parts[0].logprobs):
        # HOT: most answers are one text: 1.5 -> 1.3 us
        # (2026-11-24, bench/hot.py --case reply.chat.chat-text)
        message: dict[str, Any] = {"role": "assistant", "content": parts[0].text, "refusal": None}
        likely = None
    else:
        said = _Said(context)
        for part in parts:
            said.add(part)
        message, likely = said.message(legacy), said.logprobs()
    return {
        "index": at,
        "message": message,
        "logprobs": likely,
        "finish_reason": finish.written(candidate.finish, legacy=legacy),
    }


class _Said:
    """A message that is being put together."""

    __slots__ = (
        "_annotations",
        "_calls",
        "_context",
        "_details",
        "_more",
        "_probable",
        "_reasoning",
        "_reasoning_size",
        "_refusal",
        "_size",
        "_texts",
    )

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._texts: list[str] = []
        self._size = 0
        self._refusal: list[str] = []
        self._reasoning: list[str] = []
        self._reasoning_size = 0
        self._details: list[dict[str, Any]] = []
        self._annotations: list[dict[str, Any]] = []
        self._calls: list[ToolCall] = []
        self._probable: list[TokenLogprob] = []
        self._more: dict[str, Any] = {}

    def add(self, part: Part) -> None:
        """Put one part where the message has it."""
        if isinstance(part, Text):
            self._say(part)
        elif isinstance(part, Reasoning):
            self._think(part)
        elif isinstance(part, Refusal):
            self._refusal.append(part.text)
        elif isinstance(part, ToolCall):
            self._calls.append(part)
        elif isinstance(part, Audio):
            self._more["audio"] = audio_members(part)
        elif isinstance(part, Image):
            member = image_member(part)
            if member is not None:
                self._more.setdefault("images", []).append(member)

    def _say(self, part: Text) -> None:
        for citation in part.citations:
            found = annotation(citation, self._size, len(part.text))
            if found is not None:
                self._annotations.append(found)
        self._probable.extend(part.logprobs)
        self._texts.append(part.text)
        self._size += len(part.text)

    def _think(self, part: Reasoning) -> None:
        if part.text:
            if self._reasoning:
                self._reasoning_size += len(SECTION)
            self._reasoning.append(part.text)
        place = (self._reasoning_size, len(part.text))
        self._reasoning_size += len(part.text)
        found = details(part.opaque, place, self._context.seal)
        if found is not None:
            self._details.append(found)

    def message(self, legacy: bool) -> dict[str, Any]:
        """Return ``choices[].message`` with everything the candidate said."""
        content = "".join(self._texts)
        spoken = bool(self._calls or self._refusal or "audio" in self._more)
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if spoken and not content else content,
            "refusal": "".join(self._refusal) if self._refusal else None,
        }
        if self._reasoning:
            message["reasoning_content"] = SECTION.join(self._reasoning)
        if self._details:
            message["reasoning_details"] = self._details
        if self._annotations:
            message["annotations"] = self._annotations
        if self._calls and legacy:
            call = self._calls[0]  # there is room for one; the loss of others is reported
            message["function_call"] = {"name": call.name, "arguments": call.arguments or "{}"}
        elif self._calls:
            message["tool_calls"] = [self._call(call) for call in self._calls]
        message.update(self._more)
        return message

    def _call(self, call: ToolCall) -> dict[str, Any]:
        out: dict[str, Any] = {"id": call.id, "type": call.kind.value}
        if call.kind is CallKind.CUSTOM:
            out["custom"] = {"name": call.name, "input": call.arguments}
        else:
            out["function"] = {"name": call.name, "arguments": call.arguments or "{}"}
        sealed = extra(call.opaque, self._context.seal)
        if sealed is not None:
            out["extra_content"] = sealed
        return out

    def logprobs(self) -> dict[str, Any] | None:
        """``choices[].logprobs``; ``None`` when nobody said any."""
        if not self._probable:
            return None
        return {"content": logprobs.written(self._probable), "refusal": None}
