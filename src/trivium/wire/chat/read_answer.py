"""A whole chat answer as the canonical one.

A whole answer is a stream of one chunk, so it is read by the same machine, choice by choice.
Source: OpenAI's API reference, chat completions, read 2026-11-21.
"""

from typing import Final

import msgspec

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.assemble import assembled
from trivium.conversation.events import Done, Event, Start
from trivium.conversation.parts import Text
from trivium.conversation.tool_pairs import minted
from trivium.conversation.usage import Usage
from trivium.wire import caps, openai_usage
from trivium.wire.chat import failure, finish
from trivium.wire.chat.answer_structs import OutsideUsage, Plain, Whole
from trivium.wire.chat.chunk import ChunkChoice
from trivium.wire.chat.stream_choice import CHOICES_MAX, ChoiceReader, Sequence
from trivium.wire.codec import AnswerContext
from trivium.wire.unknown_members import NOTED, READ, KnownMembers, Members

_FUNCTION: Final[Members] = {"name": READ, "arguments": READ}
_SAID: Final[Members] = {
    "role": READ,
    "content": READ,
    "refusal": READ,
    "reasoning_content": READ,
    "reasoning": READ,
    "reasoning_details": READ,
    "tool_calls": [
        {
            "index": READ,
            "id": READ,
            "type": READ,
            "function": _FUNCTION,
            "custom": {"name": READ, "input": READ},
            "extra_content": READ,
        }
    ],
    "function_call": _FUNCTION,
    "annotations": READ,
    "audio": READ,
    "images": READ,
}
_SERVERS: Final = (
    "kv_transfer_params",  # vLLM
    "prompt_filter_results",  # Azure
    "prompt_logprobs",  # vLLM
    "prompt_token_ids",  # vLLM
    "provider",  # OpenRouter
    "timings",  # llama.cpp
    "x_groq",  # Groq
)
"""What servers of this shape say of how they worked: nothing that a caller could act on."""
_SERVERS_CHOICE: Final = (
    "content_filter_results",  # Azure
    "native_finish_reason",  # OpenRouter
    "stop_reason",  # vLLM
    "token_ids",  # vLLM
)

ANSWER: Final = KnownMembers(
    "ChatAnswer",
    {
        "id": READ,
        "object": READ,
        "created": READ,
        "model": READ,
        "choices": [
            {
                "index": READ,
                "message": _SAID,
                "delta": _SAID,
                "finish_reason": READ,
                "logprobs": {"content": READ, "refusal": NOTED},
                "error": READ,
                **dict.fromkeys(_SERVERS_CHOICE, NOTED),
            }
        ],
        "usage": READ,
        "error": READ,
        "service_tier": READ,
        "system_fingerprint": READ,
        "obfuscation": READ,
        **dict.fromkeys(_SERVERS, NOTED),
    },
)
"""A whole answer, or a chunk of a stream. The fingerprint means something to its maker alone."""


_decode: Final = msgspec.json.Decoder(Whole).decode
_decode_elsewhere: Final = msgspec.json.Decoder(OutsideUsage).decode
_decode_plain: Final = msgspec.json.Decoder(Plain).decode


def read(body: bytes, context: AnswerContext) -> Answer:
    """Read an upstream's whole 200 body. Raises ``Fault``."""
    # HOT: one decode of what takes two where there is anything else: 3.2 -> 1.5 us
    # (2026-11-24, bench/hot.py --case answer.chat.text)
    try:
        plain = _decode_plain(body)
    except (ValueError, RecursionError):
        return _whole(body, context)
    choice = plain.choices[0]
    if context.think_tags or choice.finish_reason in finish.BROKEN:
        return _whole(body, context)
    end = finish.read(choice.finish_reason or None, called=False)
    return Answer(
        (Candidate((Text(choice.message.content),), end),),
        openai_usage.usage(plain.usage),
        plain.id,
        plain.model,
        plain.service_tier,
    )


def _whole(body: bytes, context: AnswerContext) -> Answer:
    try:
        whole = _decode(body)
    except (ValueError, RecursionError):
        raise failure.broke("it is no chat completion") from None
    if whole.error:
        raise failure.told(whole.error, context)
    if not whole.choices:
        raise failure.broke("it has no choices")
    if len(whole.choices) > CHOICES_MAX:
        raise caps.too_many("choices", CHOICES_MAX)
    ANSWER.look(body, context.unread)
    candidates = _words(whole.choices, context) or _any(whole, whole.choices, context)
    return Answer(
        candidates,
        openai_usage.usage(whole.usage) or elsewhere(body),
        whole.id or "",
        whole.model or "",
        whole.service_tier,
    )


def elsewhere(data: bytes) -> Usage | None:
    """What an answer, or a chunk of one, reports elsewhere than in its ``usage``."""
    if b'"usage"' not in data:
        return None
    try:
        found = _decode_elsewhere(data)
    except (ValueError, RecursionError):
        return None
    return openai_usage.elsewhere(found.choices, found.x_groq)


def _words(choices: list[ChunkChoice], context: AnswerContext) -> tuple[Candidate, ...]:
    """The one candidate of nothing but words; empty where there is anything else."""
    choice = choices[0]
    said = choice.message
    if (
        len(choices) > 1
        or said is None
        or choice.delta is not None
        or choice.logprobs is not None
        or context.think_tags
        or type(said.content) is not str
        or not said.content
        or said.reasoning_content
        or said.reasoning
        or said.reasoning_details
        or said.refusal
        or said.tool_calls
        or said.function_call is not None
        or said.annotations
        or said.audio
        or said.images
    ):
        return ()
    fault = failure.of_choice(choice, context)
    if fault is not None:
        raise fault
    end = finish.read(choice.finish_reason or None, called=False)
    return (Candidate((Text(said.content),), end),)


def _any(whole: Whole, choices: list[ChunkChoice], context: AnswerContext) -> tuple[Candidate, ...]:
    sequence = Sequence(context)
    sequence.id = whole.id or ""
    events: list[Event] = [Start()]
    ordered = sorted(choices, key=lambda choice: choice.index or 0)
    for at, choice in enumerate(ordered):
        _read_choice(at, choice, sequence, events)
    events.append(Done())
    return assembled(events).candidates


def _read_choice(at: int, choice: ChunkChoice, sequence: Sequence, events: list[Event]) -> None:
    fault = failure.of_choice(choice, sequence.context)
    if fault is not None:
        raise fault
    said = choice.message or choice.delta
    calls = (said.tool_calls if said is not None else None) or ()
    if len(calls) > caps.PARTS_MAX:
        raise caps.too_many("calls", caps.PARTS_MAX)
    for place, call in enumerate(calls):
        # each is whole: without an id it would go on with the one before
        call.index = place
        call.id = call.id or minted(f"{sequence.seed}.{at}.{place}")
    reader = ChoiceReader(at, sequence)
    reader.feed(choice, events)
    reader.end(events)
    events.append(reader.finished())
