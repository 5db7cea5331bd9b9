"""What a vendor answers reaches the caller wherever the caller's shape has a place for it.

Each row is an answer with one thing more than another, written whole and streamed. What a shape has
no place for is named here and in docs/translation-model.md, and told to the lane's report.
"""

import msgspec
import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.answer_events import replayed
from trivium.conversation.answer_losses import LossReporter
from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.losses import Report
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    Citation,
    Document,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Remote,
    SearchResult,
    Stored,
    Text,
    TokenLogprob,
    VendorPart,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.wire.codec import WriteContext
from trivium.wire.codecs import CODECS

HI = Text("hi")
STOP = Finish(Unified.STOP)
GIF = Inline("image/gif", "R0lG")
SEALED = (Opaque("signature", b"s", StateOrigin("messages", "vendor", "main")),)
LIKELY = (TokenLogprob("hi", -0.5, (TokenLogprob("ho", -1.5),)),)
PLAIN = Answer((Candidate((HI,), STOP),), Usage(fresh=9, output=9))


def said(*parts, finish=STOP, **members):
    """An answer of these parts."""
    return msgspec.structs.replace(
        PLAIN, candidates=(Candidate(parts or (HI,), finish),), **members
    )


def ended(unified, **members):
    """An answer that ended like this."""
    return said(finish=Finish(unified, **members))


def used(**counters):
    """An answer with these counters."""
    return said(usage=Usage(**({"fresh": 9, "output": 9} | counters)))


ROWS = {
    "text": (said(HI, Text("ho")), PLAIN),
    "citation": (said(Text("hi", (Citation("https://a.example", "t", 0, 2),))), PLAIN),
    "log probabilities": (said(Text("hi", logprobs=LIKELY)), PLAIN),
    "likeliest tokens": (
        said(Text("hi", logprobs=LIKELY)), said(Text("hi", logprobs=(TokenLogprob("hi", -0.5),))),
    ),
    "attachment of a text": (said(Text("hi", opaque=SEALED)), PLAIN),
    "image": (said(HI, Image(GIF)), PLAIN),
    "image by address": (said(HI, Image(Remote("https://a.example/a.gif"))), PLAIN),
    "audio": (said(HI, Audio(Inline("audio/wav", "UklG"), "spoken", "a1", 9)), PLAIN),
    "audio without words": (said(HI, Audio(Inline("audio/wav", "UklG"), "", "a1", 9)), PLAIN),
    "video": (said(HI, Video(Inline("video/mp4", "AAAA"))), PLAIN),
    "document": (said(HI, Document(Inline("application/pdf", "JVBE"))), PLAIN),
    "stored document": (said(HI, Document(Stored("responses", "f1"))), PLAIN),
    "search result": (said(HI, SearchResult("s", "t", (Text("x"),))), PLAIN),
    "refusal": (said(HI, Refusal("no")), PLAIN),
    "reasoning": (said(Reasoning("hm"), HI), PLAIN),
    "summary": (said(Reasoning("hm", ReasoningForm.SUMMARY), HI), PLAIN),
    "hidden reasoning": (said(Reasoning("", ReasoningForm.HIDDEN, opaque=SEALED), HI), PLAIN),
    "signed reasoning": (said(Reasoning("hm", opaque=SEALED), HI), said(Reasoning("hm"), HI)),
    "call": (said(HI, ToolCall("c1", "look", '{"a":1}')), PLAIN),
    "call in a namespace": (
        said(ToolCall("c1", "look", "{}", namespace="n")), said(ToolCall("c1", "look", "{}")),
    ),
    "attachment of a call": (
        said(ToolCall("c1", "look", "{}", opaque=SEALED)), said(ToolCall("c1", "look", "{}")),
    ),
    "vendor's block with words": (said(HI, VendorPart(Native("elsewhere", b"{}"), "ran", "out")), PLAIN),
    "vendor's block": (said(HI, VendorPart(Native("elsewhere", b"{}"), "ran")), PLAIN),
    "vendor's search": (
        said(HI, VendorPart(Native("elsewhere", b"{}"), "search", "looked", ("q",))), PLAIN,
    ),
    "citation without an address": (said(Text("hi", (Citation(title="t"),))), PLAIN),
    "a source's own words": (
        said(Text("hi", (Citation("https://a.example", "t", quoted="so"),))),
        said(Text("hi", (Citation("https://a.example", "t"),))),
    ),
    "form of the reasoning": (
        said(Reasoning("hm", ReasoningForm.SUMMARY), HI), said(Reasoning("hm", ReasoningForm.FULL), HI),
    ),
    "kind of policy": (
        ended(Unified.CONTENT_FILTER, category="bio"), ended(Unified.CONTENT_FILTER),
    ),
    "words about it": (
        ended(Unified.CONTENT_FILTER, explanation="No."), ended(Unified.CONTENT_FILTER),
    ),
    "members of a call": (
        said(ToolCall("c1", "look", "{}", native=Native("elsewhere", b'{"by":"x"}'))),
        said(ToolCall("c1", "look", "{}")),
    ),
    "second candidate": (
        msgspec.structs.replace(PLAIN, candidates=(*PLAIN.candidates, Candidate((Text("ho"),), STOP))), PLAIN,
    ),
    **{f"end: {one.value}": (ended(one), PLAIN) for one in Unified if one is not Unified.STOP},
    "cache read": (used(fresh=4, cache_read=5), PLAIN),
    "cache write": (used(fresh=4, cache_write_short=5), PLAIN),
    "long cache write": (used(fresh=4, cache_write_long=5), used(fresh=4, cache_write_short=5)),
    "reasoning tokens": (used(output=4, reasoning=5), PLAIN),
    "audio tokens read": (used(fresh=4, audio_input=5), PLAIN),
    "audio tokens said": (used(output=4, audio_output=5), PLAIN),
    "image tokens read": (used(fresh=4, image_input=5), PLAIN),
    "image tokens drawn": (used(output=4, image_output=5), PLAIN),
    "tier": (said(service_tier="priority"), PLAIN),
    "tier of one vendor": (said(service_tier="scale"), said(service_tier="default")),
}  # fmt: skip

NO_PLACE = {
    "chat": {
        "attachment of a text", "call in a namespace", "members of a call", "video", "document",
        "stored document", "search result", "vendor's block", "vendor's block with words",
        "vendor's search", "citation without an address", "a source's own words",
        "form of the reasoning", "end: stop_sequence", "kind of policy", "words about it",
        "image tokens drawn", "long cache write",
    },
    "responses": {
        "image by address", "audio without words", "video", "document", "stored document",
        "search result", "vendor's block", "vendor's block with words", "members of a call",
        "citation without an address", "a source's own words", "second candidate",
        "end: stop_sequence", "end: tool_calls", "kind of policy", "words about it",
        "audio tokens read", "audio tokens said", "image tokens read", "image tokens drawn",
        "long cache write",
    },
    "messages": {
        "log probabilities", "likeliest tokens", "call in a namespace", "members of a call",
        "vendor's block", "vendor's block with words", "vendor's search",
        "citation without an address", "form of the reasoning", "second candidate",
        "audio tokens read", "audio tokens said", "image tokens read", "image tokens drawn",
    },
    "generate": {
        "call in a namespace", "members of a call", "search result", "vendor's block",
        "vendor's block with words", "citation without an address", "a source's own words",
        "form of the reasoning", "end: stop_sequence", "end: tool_calls", "kind of policy",
        "cache write", "long cache write",
    },
    "converse": {
        "log probabilities", "likeliest tokens", "call in a namespace", "members of a call",
        "vendor's block", "vendor's block with words", "vendor's search",
        "citation without an address", "form of the reasoning", "second candidate",
        "kind of policy", "words about it", "reasoning tokens", "audio tokens read",
        "audio tokens said", "image tokens read", "image tokens drawn",
    },
    "cohere": {
        "attachment of a text", "likeliest tokens", "call in a namespace", "members of a call",
        "vendor's block", "vendor's block with words", "vendor's search", "form of the reasoning",
        "second candidate", "kind of policy", "words about it", "tier", "tier of one vendor",
        "reasoning tokens", "audio tokens read", "audio tokens said", "image tokens read",
        "image tokens drawn", "cache write", "long cache write",
    },
}  # fmt: skip
"""What a caller's shape cannot say: shape -> rows. See docs/translation-model.md."""

THEMSELVES = {"end: tool_calls"}
"""Told by something else: calls say themselves that there are calls."""

OTHERWISE = {
    "chat": {"end: context_full", "end: paused", "end: other", "summary"},
    "responses": {"audio", "end: context_full", "end: paused", "end: other"},
    "messages": {
        "image", "image by address", "audio", "audio without words", "video", "document",
        "stored document", "search result", "refusal", "summary", "end: other",
        "tier of one vendor",
    },
    "generate": {
        "audio", "refusal", "reasoning", "signed reasoning", "end: context_full", "end: paused",
        "tier of one vendor",
    },
    "converse": {
        "image by address", "audio", "audio without words", "video", "document",
        "stored document", "search result", "refusal", "summary", "end: stop_sequence",
        "end: paused", "end: other", "tier of one vendor",
    },
    "cohere": {
        "image", "image by address", "audio", "audio without words", "video", "document",
        "stored document", "search result", "refusal", "summary", "a source's own words",
        "end: stop_sequence", "end: context_full", "end: paused", "end: content_filter",
        "end: other", "log probabilities",
    },
}  # fmt: skip
"""What is told in other words: a note, the nearest word, the one form of reasoning."""

BLOCKS = {"messages": {"citation"}, "converse": {"citation"}}
"""In a stream besides: a text is told by the time its citations come, so all of it is cited."""


def context(shape):
    """What a writer is told."""
    return WriteContext(
        request=Conversation(shape=shape, model="m"),
        id="a1",
        created=1795219200,
        model="m",
        request_id="req_a1",
        usage_wanted=True,
        seal=lambda opaque: f"sealed{len(opaque)}",
    )


def whole(shape, answer):
    """The body."""
    return CODECS[shape].write_answer(answer, context(shape.value))


def streamed(shape, answer):
    """The stream."""
    return CODECS[shape].write_stream(context(shape.value)).feed(replayed(answer))


@pytest.mark.parametrize("tell", [whole, streamed])
@pytest.mark.parametrize("shape", CODECS, ids=lambda shape: shape.value)
def test_what_a_vendor_says_is_told(shape, tell):
    """Whole and streamed alike, but for what the shape cannot say."""
    lost = {row for row, (more, less) in ROWS.items() if tell(shape, more) == tell(shape, less)}
    assert NO_PLACE[shape.value] == lost


def reported(shape, tell, answer):
    """Whether the lane's report on it says anything."""
    report = Report("the upstream")
    placing = LossReporter(CODECS[shape].places, report)
    if tell is whole:
        placing.answer(answer)
    else:
        placing.events(replayed(answer))
    return bool(report.dropped_names())


@pytest.mark.parametrize("tell", [whole, streamed])
@pytest.mark.parametrize("shape", CODECS, ids=lambda shape: shape.value)
def test_what_is_not_told_is_reported(shape, tell):
    """Of two answers that look the same, one is reported; and of all others only those named."""
    silent = NO_PLACE[shape.value] - THEMSELVES
    otherwise = OTHERWISE[shape.value] | (BLOCKS if tell is streamed else {}).get(
        shape.value, set()
    )
    found = {
        row for row, pair in ROWS.items() if any(reported(shape, tell, answer) for answer in pair)
    }
    assert silent | otherwise == found
