"""Content blocks of Converse callers: every kind, every place, every mistake by its name."""

import base64

import msgspec
import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.opaque import Opaque
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Citation,
    Document,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    SearchResult,
    Text,
    VendorPart,
    Video,
)
from trivium.faults import Fault, Kind
from trivium.wire.codec import ReadContext
from trivium.wire.converse.codec import CODEC

DATA = base64.b64encode(b"bytes").decode()


def test_text_and_media(caller):
    """In their order, each as what it is."""
    source = {"bytes": DATA}
    found = caller.said(
        {"text": "Look"},
        {"image": {"format": "png", "source": source}},
        {"video": {"format": "mp4", "source": source}},
        {"audio": {"format": "mp3", "source": source}},
        {"document": {"format": "pdf", "name": "Paper", "source": source}},
        {
            "searchResult": {
                "source": "https://a.example",
                "title": "A",
                "content": [{"text": "one"}, {"text": "two"}],
                "citations": {"enabled": True},
            }
        },
    )
    assert (
        Text("Look"),
        Image(Inline("image/png", DATA)),
        Video(Inline("video/mp4", DATA)),
        Audio(Inline("audio/mpeg", DATA)),
        Document(Inline("application/pdf", DATA), title="Paper"),
        SearchResult("https://a.example", "A", (Text("one"), Text("two")), True),
    ) == found


def test_a_cache_point_marks_what_stands_before_it(caller):
    """With its life; one that stands first is told as lost."""
    found = caller.read(
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"cachePoint": {"type": "default"}},
                        {"text": "a"},
                        {"cachePoint": {"type": "default", "ttl": "1h"}},
                    ],
                }
            ],
            "system": [{"text": "be"}, {"cachePoint": {"type": "default"}}],
        }
    )
    assert (Text("a", cache=CacheMark("1h")),) == found.turns[0].parts
    assert (Text("be", cache=CacheMark()),) == found.instructions
    assert ["messages.0.content.0.cachePoint"] == [one.member for one in found.extensions]


def test_calls_and_results(caller):
    """Arguments are text, results keep their order and their failure."""
    called = caller.said(
        {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"city": "Köln"}}},
        role="assistant",
    )
    assert (ToolCall("t1", "look", '{"city":"Köln"}'),) == called
    found = caller.said(
        {
            "toolResult": {
                "toolUseId": "t1",
                "content": [
                    {"text": "12"},
                    {"image": {"format": "png", "source": {"bytes": DATA}}},
                ],
                "status": "error",
            }
        },
        {"toolResult": {"toolUseId": "t2", "content": [{"json": {"a": 1}}]}},
        {"toolResult": {"toolUseId": "t3", "content": [{"json": [1]}, {"text": "b"}]}},
    )
    assert (
        ToolResult("t1", (Text("12"), Image(Inline("image/png", DATA))), error=True),
        ToolResult("t2", (Text('{"a":1}'),), structured=b'{"a": 1}'),
        ToolResult("t3", (Text("[1]"), Text("b"))),
    ) == found


def test_reasoning_and_its_slots(caller):
    """What we sealed comes back; what we did not is nobody's."""
    mine = Opaque("signature", b"sig", caller.origin)
    found = caller.said(
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": caller.seal((mine,))}}},
        {"reasoningContent": {"redactedContent": base64.b64encode(b"theirs").decode()}},
        {"text": "So."},
        role="assistant",
    )
    assert (
        Reasoning("Hm.", opaque=(mine,)),
        Reasoning("", ReasoningForm.HIDDEN, opaque=(Opaque("slot", base64.b64encode(b"theirs")),)),
        Text("So."),
    ) == found


def test_attachments_go_back_to_their_part(caller):
    """Those of a call came before it, those of a text behind it; alone they stay with no text."""
    own = Opaque("thought_signature", b"own", caller.origin)
    sealed = caller.seal((own,))
    silent = {"reasoningContent": {"reasoningText": {"text": "", "signature": sealed}}}
    hidden = {"reasoningContent": {"redactedContent": sealed}}
    call = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {}}}
    found = caller.said({"text": "a"}, silent, hidden, call, role="assistant")
    assert (Text("a", opaque=(own,)), ToolCall("t1", "look", "{}", opaque=(own,))) == found
    assert (Text("", opaque=(own,)),) == caller.said(hidden, role="assistant")


def test_cited_text_of_an_earlier_answer(caller):
    """One text, with its sources."""
    cited = {"title": "A", "location": {"web": {"url": "https://a.example", "domain": "a.example"}}}
    (found,) = caller.said(
        {"citationsContent": {"content": [{"text": "a"}, {"text": "b"}], "citations": [cited]}},
        role="assistant",
    )
    (citation,) = found.citations
    assert ("ab", "https://a.example", "A") == (found.text, citation.url, citation.title)
    assert isinstance(citation, Citation)


def test_guarded_content_is_told(caller):
    """Its words arrive; that a guardrail was to look at them does not."""
    found = caller.read(
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"guardContent": {"text": {"text": "a", "qualifiers": ["query"]}}},
                        {"guardContent": {"image": {"format": "png", "source": {"bytes": DATA}}}},
                    ],
                }
            ]
        }
    )
    assert (Text("a"), Image(Inline("image/png", DATA))) == found.turns[0].parts
    assert [
        "messages.0.content.0.guardContent",
        "messages.0.content.1.guardContent",
    ] == [one.member for one in found.extensions]


@pytest.mark.parametrize(
    ("role", "block", "kind", "known"),
    [
        ("user", {"toolAddition": {"tool": {"name": "a"}}}, "toolAddition", True),
        ("user", {"hologram": {"a": 1}}, "hologram", False),
        (
            "assistant",
            {"toolUse": {"toolUseId": "a", "name": "b", "input": {}, "type": "server_tool_use"}},
            "toolUse",
            True,
        ),
        (
            "user",
            {"toolResult": {"toolUseId": "a", "content": [], "type": "x"}},
            "toolResult",
            True,
        ),
    ],
)
def test_what_only_the_vendor_has_is_kept_as_it_came(caller, role, block, kind, known):
    """For its own shape alone."""
    (found,) = caller.said(block, role=role, checked=False)
    assert isinstance(found, VendorPart)
    assert (kind, known) == (found.kind, found.known)
    assert isinstance(found.native, Native)


def test_an_unknown_kind_inside_a_result(caller):
    """The same."""
    result = {"toolUseId": "a", "content": [{"hologram": 1}]}
    (found,) = caller.said({"toolResult": result}, checked=False)
    assert ("hologram", False) == (found.parts[0].kind, found.parts[0].known)


LONG = {"toolUseId": "a", "name": "b"}
BAD = [
    ("user", {}, "messages.0.content.0", Kind.INVALID_VALUE),
    ("user", {"text": "a", "image": {}}, "messages.0.content.0", Kind.INVALID_VALUE),
    ("user", {"text": None}, "messages.0.content.0", Kind.INVALID_VALUE),
    ("user", {"text": 5}, "messages.0.content.0.text", Kind.INVALID_TYPE),
    ("user", {"toolUse": LONG | {"input": {}}}, "messages.0.content.0", Kind.INVALID_VALUE),
    ("assistant", {"toolUse": LONG}, "messages.0.content.0.toolUse.input", Kind.INVALID_VALUE),
    (
        "assistant",
        {"toolUse": LONG | {"input": "x"}},
        "messages.0.content.0.toolUse.input",
        Kind.INVALID_VALUE,
    ),
    (
        "assistant",
        {"toolUse": {"name": "b", "input": {}}},
        "messages.0.content.0.toolUse.toolUseId",
        Kind.MISSING_MEMBER,
    ),
    (
        "user",
        {"toolResult": {"content": []}},
        "messages.0.content.0.toolResult.toolUseId",
        Kind.MISSING_MEMBER,
    ),
    (
        "user",
        {"toolResult": {"toolUseId": "a"}},
        "messages.0.content.0.toolResult.content",
        Kind.MISSING_MEMBER,
    ),
    (
        "user",
        {"toolResult": {"toolUseId": "a", "content": [], "status": "odd"}},
        "messages.0.content.0.toolResult.status",
        Kind.INVALID_VALUE,
    ),
    (
        "user",
        {"toolResult": {"toolUseId": "a", "content": [{"toolUse": {}}]}},
        "messages.0.content.0.toolResult.content.0",
        Kind.INVALID_VALUE,
    ),
    ("assistant", {"reasoningContent": {"x": 1}}, "messages.0.content.0.reasoningContent", None),
    (
        "assistant",
        {"reasoningContent": {"reasoningText": {}}},
        "messages.0.content.0.reasoningContent.reasoningText.text",
        Kind.INVALID_VALUE,
    ),
    ("user", {"guardContent": {"x": 1}}, "messages.0.content.0.guardContent", Kind.INVALID_VALUE),
    (
        "user",
        {"cachePoint": {"type": "odd"}},
        "messages.0.content.0.cachePoint.type",
        Kind.INVALID_VALUE,
    ),
    (
        "user",
        {"cachePoint": {"type": "default", "ttl": "9h"}},
        "messages.0.content.0.cachePoint.ttl",
        Kind.INVALID_VALUE,
    ),
]


@pytest.mark.parametrize(("role", "block", "place", "kind"), BAD)
def test_a_mistake_is_named(caller, role, block, place, kind):
    """As the vendor's SDKs spell the place; the text begins with it."""
    fault = caller.refused({"messages": [{"role": role, "content": [block]}]})
    assert place == fault.param
    assert fault.message.startswith(f"{place}: ")
    assert (kind or Kind.INVALID_VALUE) is fault.kind


def test_a_system_text_is_text(caller):
    """Pictures are refused there."""
    image = {"image": {"format": "png", "source": {"bytes": DATA}}}
    body = {
        "messages": [{"role": "user", "content": [{"text": "a"}]}],
        "system": [{"guardContent": image}],
    }
    assert "system" == caller.refused(body).param


def test_what_is_no_json_is_a_mistake_of_the_caller(caller):
    """Found where it stands, as it was only skimmed at first."""
    raw = b'[{"role":"user","content":[{"text":"a"},{"toolUse":{"x":"\\ud800\\x"}}]}]'
    with pytest.raises(Fault) as caught:
        CODEC.read_request({"messages": msgspec.Raw(raw)}, ReadContext(model="m"))
    assert Kind.MALFORMED_JSON is caught.value.kind
