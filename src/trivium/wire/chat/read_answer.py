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
from trivium.wire import caps, errors, openai_shapes
from trivium.wire.chat import failure, finish
from trivium.wire.chat.answer_structs import KnownWhole, OutsideUsage, Plain, Whole
from trivium.wire.chat.chunk import ChunkChoice
from trivium.wire.chat.stream_choice import CHOICES_MAX, ChoiceReader, Sequence
from trivium.wire.codec import AnswerContext
from trivium.wire.lenient import decoded
from trivium.wire.sse import LONG
from trivium.wire.unknown_members import KnownMembers, Members, all_noted, all_read

_FUNCTION: Final[Members] = all_read("name arguments")
_SAID: Final[Members] = {
    **all_read(
        "role content refusal reasoning_content reasoning reasoning_details annotations audio"
        " images"
    ),
    "tool_calls": [
        {
            **all_read("index id type extra_content"),
            "function": _FUNCTION,
            "custom": all_read("name input"),
        }
    ],
    "function_call": _FUNCTION,
}
# of vLLM, OpenRouter, Azure, llama.cpp and Groq, on how they worked: nothing to act on
_SERVERS: Final = all_noted(
    "kv_transfer_params prompt_filter_results prompt_logprobs prompt_token_ids provider timings"
    " x_groq"
)
_SERVERS_CHOICE: Final = all_noted(
    "content_filter_results native_finish_reason stop_reason token_ids"
)

ANSWER: Final = KnownMembers(
    "ChatAnswer",
    {
        "choices": [
            {
                **all_read("index finish_reason error"),
                "message": _SAID,
                "delta": _SAID,
                "logprobs": {**all_read("content"), **all_noted("refusal")},
                **_SERVERS_CHOICE,
            }
        ],
        **all_read(
            "id object created model usage error service_tier system_fingerprint obfuscation"
        ),
        **_SERVERS,
    },
)
"""A whole answer, or a chunk of a stream. The fingerprint means something to its maker alone."""


_decode: Final = msgspec.json.Decoder(Whole).decode
_decode_known: Final = msgspec.json.Decoder(KnownWhole).decode
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
        openai_shapes.usage(plain.usage),
        plain.id,
        plain.model,
        plain.service_tier,
    )


def _whole(body: bytes, context: AnswerContext) -> Answer:
    # each pass over a long one counts
    known = decoded(_decode_known, body) if len(body) > LONG else None
    whole = decoded(_decode, body) if known is None else known
    if whole is None:
        raise errors.nonsense("it is no chat completion")
    if whole.error:
        raise failure.told(whole.error, context)
    if not whole.choices:
        raise errors.nonsense("it has no choices")
    if len(whole.choices) > CHOICES_MAX:
        raise caps.too_many("choices", CHOICES_MAX)
    if known is None:
        ANSWER.look(body, context.unread)
    candidates = _words(whole.choices, context) or _any(whole, whole.choices, context)
    return Answer(
        candidates,
        openai_shapes.usage(whole.usage) or elsewhere(body),
        whole.id or "",
        whole.model or "",
        whole.service_tier,
    )


def elsewhere(data: bytes) -> Usage | None:
    """What an answer, or a chunk of one, reports elsewhere than in its ``usage``."""
    if b'"usage"' not in data:
        return None
    if (found := decoded(_decode_elsewhere, data)) is None:
        return None
    return openai_shapes.elsewhere(found.choices, found.x_groq)


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
