"""Whole answers for callers of the shape."""

import json

import msgspec
import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import SIGNATURE, Opaque
from trivium.conversation.parts import Reasoning, ReasoningForm, Text
from trivium.conversation.usage import Usage
from trivium.wire.codec import unsealed

ANSWERS = [
    "text",
    "calls",
    "thoughts",
    "media",
    "safety",
    "empty",
    "unknown",
    "grounded",
    "probable",
]
STOP = Finish(Unified.STOP)


def said(*parts, finish=STOP):
    return Answer((Candidate(tuple(parts), finish),))


def parts(answer):
    return answer["candidates"][0]["content"].get("parts")


@pytest.mark.parametrize("name", ANSWERS)
def test_what_was_read_is_written(wires, name):
    """The vendor's own answer comes out as it came, apart from names and signatures."""
    given = json.loads(wires.fixture(f"{name}.json"))
    found = wires.written(wires.answer(wires.fixture(f"{name}.json")))
    for one, other in zip(given["candidates"], found["candidates"], strict=True):
        for part in other["content"].get("parts", ()):
            part.get("functionCall", {}).pop("id", None)
        before = [
            {"functionCall": {"args": {}, **part["functionCall"]}}
            if "functionCall" in part
            else part
            for part in one.get("content", {}).get("parts", ())
            if part is not None
        ]
        assert [_bare(part) for part in before] == [
            _bare(part) for part in other["content"].get("parts", ())
        ]
        assert [
            bool("thoughtSignature" in part)
            for part in one.get("content", {}).get("parts", ())
            if part
        ] == ["thoughtSignature" in part for part in other["content"].get("parts", ())]
    assert given.get("usageMetadata", {}).get("totalTokenCount") == found.get(
        "usageMetadata", {}
    ).get("totalTokenCount")


def _bare(part):
    return {
        name: value
        for name, value in part.items()
        if name not in ("thoughtSignature", "partMetadata")
    }


@pytest.mark.parametrize("name", [*ANSWERS, "blocked"])
def test_what_is_written_reads_as_the_same_answer(wires, name):
    """Parts, ends and usage; signatures are the gateway's envelopes."""
    first = wires.answer(wires.fixture(f"{name}.json"))
    again = wires.answer(wires.whole(first, seal=unsealed))
    for one, other in zip(first.candidates, again.candidates, strict=True):
        assert [_unsigned(part) for part in one.parts] == [_unsigned(part) for part in other.parts]
        assert one.finish == other.finish or (one.finish.unified, other.finish.raw) == (
            Unified.OTHER,
            "OTHER",
        )
    assert first.usage == again.usage


def _unsigned(part):
    part = msgspec.structs.replace(part, opaque=())
    if isinstance(part, Text):
        # a source without a stretch of text has no place beside those with one
        ranged = tuple(one for one in part.citations if one.start is not None)
        part = msgspec.structs.replace(part, citations=ranged)
    return part


def test_the_frame_names_what_the_caller_asked_for(wires):
    """Our id, the public name, counters as numbers."""
    answer = Answer((Candidate((Text(text="Hi"),), STOP),), Usage(fresh=6, output=3), "vendor", "v")
    assert {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "Hi"}]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 6, "candidatesTokenCount": 3, "totalTokenCount": 9},
        "modelVersion": "gemini-pro",
        "responseId": "0a",
    } == wires.written(answer)


def test_a_blocked_prompt_is_a_candidate_that_says_so(wires):
    """Trap 90: never an empty list that SDKs index into."""
    found = wires.written(wires.answer(wires.fixture("blocked.json")))
    (candidate,) = found["candidates"]
    assert ("PROHIBITED_CONTENT", {"role": "model"}) == (
        candidate["finishReason"],
        candidate["content"],
    )
    assert 9 == found["usageMetadata"]["promptTokenCount"]


def test_another_shapes_signature_rides_on_the_first_call(wires):
    """Trap 82: nothing of it shows but one opaque string."""
    sig = Opaque(SIGNATURE, b"sig", wires.other, "claude-x")
    found = wires.written(
        said(
            Reasoning(text="Plan.", form=ReasoningForm.SUMMARY, opaque=(sig,)),
            Text(text="Looking."),
            ToolCall(id="1", name="f", arguments="{}"),
            ToolCall(id="2", name="f", arguments="{}"),
        )
    )
    thought, text, one, two = parts(found)
    assert {"text": "Plan.", "thought": True} == thought
    assert {"text": "Looking."} == text
    assert (sig,) == wires.open(one["thoughtSignature"])
    assert "thoughtSignature" not in two


def test_without_a_call_it_rides_on_a_last_empty_text(wires):
    """The place where the vendor itself puts it in streams."""
    sig = Opaque(SIGNATURE, b"sig", wires.other, "claude-x")
    found = wires.written(
        said(Reasoning(text="", form=ReasoningForm.HIDDEN, opaque=(sig,)), Text(text="Hello."))
    )
    assert {"text": "Hello."} == parts(found)[0]
    assert "" == parts(found)[1]["text"]
    assert (sig,) == wires.open(parts(found)[1]["thoughtSignature"])


def test_a_gateway_that_carries_nothing_writes_no_slot(wires):
    """No empty signature, no empty part."""
    sig = Opaque(SIGNATURE, b"sig", wires.other)
    found = wires.written(
        said(Reasoning(text="", form=ReasoningForm.HIDDEN, opaque=(sig,)), Text(text="Hello.")),
        seal=unsealed,
    )
    assert [{"text": "Hello."}] == parts(found)


@pytest.mark.parametrize(
    ("unified", "calls"),
    [
        (Unified.LENGTH, []),
        (Unified.CONTEXT_FULL, []),
        (Unified.CONTENT_FILTER, []),
        (Unified.OTHER, [{"_raw": '{"a'}]),
    ],
)
def test_half_a_call_is_dropped_at_the_limit_and_kept_otherwise(wires, unified, calls):
    """Half an object cannot be said; broken output must be seen."""
    found = wires.written(
        said(
            Text(text="a"),
            ToolCall(id="1", name="f", arguments='{"a'),
            finish=Finish(unified),
        )
    )
    assert calls == [
        part["functionCall"]["args"] for part in parts(found) if "functionCall" in part
    ]


def test_a_continuation_is_only_said_with_its_token(wires):
    """google-genai asks again until another word comes."""
    paused = Finish(Unified.PAUSED, "CONTINUATION", token="AAEC")
    found = wires.written(said(finish=paused))["candidates"][0]
    assert ("CONTINUATION", "AAEC") == (found["finishReason"], found["continuationToken"])
    found = wires.written(said(finish=Finish(Unified.PAUSED, "pause_turn")))["candidates"][0]
    assert "OTHER" == found["finishReason"]
    assert "continuationToken" not in found
