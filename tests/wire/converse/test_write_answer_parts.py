"""Parts of an answer as blocks, as the vendor's own client reads them."""

import base64

import pytest

from trivium.conversation.calls import CallKind, ToolCall
from trivium.conversation.opaque import Opaque
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
    Text,
    VendorPart,
)
from trivium.conversation.usage import Usage
from trivium.wire.converse.write_answer_parts import counters, shows

DATA = base64.b64encode(b"bytes").decode()


def content(caller, *parts, **more):
    """What the client gets of these parts."""
    return caller.whole(*parts, **more)["output"]["message"]["content"]


def test_every_part_that_the_shape_has(caller):
    """In order, as what it is."""
    found = content(
        caller,
        Reasoning("Hm."),
        Text("a"),
        Refusal("No."),
        Image(Inline("image/png", DATA)),
        ToolCall("t1", "look", '{"city":"Köln"}'),
    )
    assert [
        {"reasoningContent": {"reasoningText": {"text": "Hm."}}},
        {"text": "a"},
        {"text": "No."},
        {"image": {"format": "png", "source": {"bytes": b"bytes"}}},
        {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"city": "Köln"}}},
    ] == found


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (SearchResult("s", "t", (Text("one"), Text("two"))), "one\ntwo"),
        (Audio(Inline("audio/mpeg", DATA), transcript="words"), "words"),
        (
            Audio(Inline("audio/mpeg", DATA)),
            "[Audio output, which the converse protocol cannot carry]",
        ),
        (
            Image(Remote("https://a.example/b.png")),
            "[Image output, which the converse protocol cannot carry]",
        ),
        (
            Image(Inline("image/bmp", DATA)),
            "[Image output, which the converse protocol cannot carry]",
        ),
        (
            Document(Inline("application/pdf", DATA)),
            "[Document output, which the converse protocol cannot carry]",
        ),
    ],
)
def test_what_it_has_not_is_said(caller, part, said):
    """In words, or in a note of what it was."""
    assert [{"text": said}] == content(caller, part)
    assert not shows(part)


def test_nothing_is_said_of_nothing(caller):
    """Nor of what another vendor's tools did."""
    foreign = VendorPart(Native("messages", b'{"type":"x"}'), "x")
    assert [] == content(caller, Text(""), foreign, Reasoning("", ReasoningForm.HIDDEN))


def test_a_block_of_its_own_shape_passes(caller):
    """As its maker wrote it."""
    own = b'{"toolUse":{"toolUseId":"a","name":"b","input":{},"type":"server_tool_use"}}'
    (found,) = content(caller, VendorPart(Native("converse", own), "toolUse"))
    assert "server_tool_use" == found["toolUse"]["type"]


def test_sources_stand_with_the_text_that_they_cover(caller):
    """A text without any stays a text."""
    cited = Citation("https://a.example/x", "A", 0, 1, "words")
    found = content(caller, Text("ab", (cited,)))
    assert [
        {
            "citationsContent": {
                "content": [{"text": "a"}],
                "citations": [
                    {
                        "title": "A",
                        "sourceContent": [{"text": "words"}],
                        "location": {"web": {"url": "https://a.example/x", "domain": "a.example"}},
                    }
                ],
            }
        },
        {"text": "b"},
    ] == found


def test_what_is_sealed_comes_back(caller):
    """Of reasoning, of a call, of a text and of nothing readable: to the very part."""
    own = Opaque("thought_signature", b"own", caller.origin)
    signed = Opaque("signature", b"sig", caller.origin)
    parts = (
        Reasoning("Hm.", opaque=(signed,)),
        Reasoning("", ReasoningForm.HIDDEN, opaque=(signed,)),
        Text("a", opaque=(own,)),
        ToolCall("t1", "look", "{}", opaque=(own,)),
    )
    blocks = content(caller, *parts)
    sent = [
        {"reasoningContent": {"redactedContent": base64.b64encode(inner).decode()}}
        if (inner := block.get("reasoningContent", {}).get("redactedContent"))
        else block
        for block in blocks
    ]
    assert parts == caller.said(*sent, role="assistant")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (ToolCall("", "f", "{}"), ("tooluse_0a0", {})),
        (ToolCall("a.b:c-d_1", "f", ""), ("a.b:c-d_1", {})),
        (ToolCall("c", "f", "[1]"), ("c", {"_raw": "[1]"})),
        (ToolCall("c", "f", "x", CallKind.CUSTOM), ("c", {"input": "x"})),
    ],
)
def test_a_call_is_legal(caller, call, expected):
    """Whatever the model wrote."""
    ((found),) = content(caller, call)
    assert expected == (found["toolUse"]["toolUseId"], found["toolUse"]["input"])


def test_an_id_that_is_none_is_made_one(caller):
    """Of the characters that the shape takes, and no more of them."""
    (found,) = content(caller, ToolCall("é" * 99, "f", "{}"))
    assert 0 < len(found["toolUse"]["toolUseId"]) <= 64


def test_counters_are_the_shapes_own():
    """Caches apart from the input, and a total of all."""
    usage = Usage(fresh=1, cache_read=2, cache_write_short=4, cache_write_long=8, output=16)
    assert {
        "inputTokens": 1,
        "outputTokens": 16,
        "totalTokens": 31,
        "cacheReadInputTokens": 2,
        "cacheWriteInputTokens": 12,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 4}, {"ttl": "1h", "inputTokens": 8}],
    } == counters(usage)
    assert "cacheDetails" not in counters(Usage(fresh=1))
