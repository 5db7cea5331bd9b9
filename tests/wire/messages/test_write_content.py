"""Parts of a history as content blocks for an upstream."""

import pytest

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Report
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Citation,
    Document,
    Image,
    Inline,
    Native,
    Pieces,
    Remote,
    Stored,
    Text,
    Video,
)
from trivium.conversation.target import Input
from trivium.conversation.tools import FunctionTool
from trivium.faults import Fault, Kind
from trivium.wire.messages.write_content import ContentWriter


def marks(wires, count, most=4):
    """Marks of a request that has so many, and the report."""
    report = Report("this model")
    parts = tuple(Text("x", cache=CacheMark()) for _ in range(count))
    asked = wires.request(turns=(Turn(Role.USER, parts),))
    return ContentWriter(asked, wires.facts(cache_marks=most), report), report


@pytest.mark.parametrize(
    ("wanted", "life", "told"),
    [
        (None, None, False),
        ("5m", "5m", False),
        ("1h", "1h", False),
        ("30m", "1h", False),
        ("12h", "1h", True),
        ("9d", None, True),
    ],
)
def test_lives_are_the_nearest_there_are(wires, wanted, life, told):
    """One that is not close enough is reported."""
    found, report = marks(wires, 1)
    row = found.mark(CacheMark(wanted))["cache_control"]
    assert ("ephemeral", life) == (row["type"], row.get("ttl"))
    assert told is bool(report.drops)


@pytest.mark.parametrize(("count", "most", "sent"), [(3, 4, 3), (6, 4, 4), (2, 0, 0)])
def test_of_too_many_the_last_ones_stay(wires, count, most, sent):
    """They cover the most; none is there that nobody asked for."""
    found, report = marks(wires, count, most)
    rows = [bool(found.mark(CacheMark())) for _ in range(count)]
    assert [False] * (count - sent) + [True] * sent == rows
    assert {} == found.mark(None)
    assert bool(report.drops) is (sent < count)


PNG = Inline("image/png", "aGk=")
PDF = Inline("application/pdf", "aGk=", "report.pdf")
LONG = "mcp__plugin_chrome-devtools-mcp_chrome-devtools__get_console_message" + "_x" * 40


def written(wires, *parts, **facts):
    """The blocks of one user turn, and the report."""
    body, report = wires.write(wires.request(turns=(Turn(Role.USER, parts),)), **facts)
    return body["messages"][0]["content"], report


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (
            Image(PNG),
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
            },
        ),
        # by its bytes, and in the vendor's words
        (
            Image(Inline("image/jpg", "iVBORw0KGgo=")),
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
            },
        ),
        (
            Image(Inline("image/jpg", "aGk=")),
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/jpeg", "data": "aGk="},
            },
        ),
        (
            Image(Remote("https://a.example/a.png")),
            {"type": "image", "source": {"type": "url", "url": "https://a.example/a.png"}},
        ),
        (
            Image(Stored("messages", "file_1")),
            {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        ),
        (
            Document(PDF),
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
                "title": "report.pdf",
            },
        ),
        (
            Document(Inline("text/csv", "aGk="), title="T", context="C", citable=True),
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": "hi"},
                "title": "T",
                "context": "C",
                "citations": {"enabled": True},
            },
        ),
        (
            Document(Pieces((Text("A"), Text("B")))),
            {
                "type": "document",
                "source": {
                    "type": "content",
                    "content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}],
                },
            },
        ),
    ],
)
def test_trap_43_media_is_written_in_the_form_there_is_for_it(wires, part, block):
    """Bytes, addresses and files; text files as text."""
    found, report = written(wires, part)
    assert ([block], []) == (found, report.drops)


@pytest.mark.parametrize(
    ("part", "facts", "member"),
    [
        (Image(Inline("image/bmp", "aGk=")), {}, "image_url"),
        (Image(PNG), {"inputs": frozenset()}, "image_url"),
        (Image(Remote("https://a.example")), {"inputs": frozenset({Input.IMAGE})}, "image_url"),
        (Image(Stored("chat", "file-1")), {}, "file_id"),
        (Document(Stored("responses", "file-1")), {}, "file_id"),
        (Document(PDF), {"inputs": frozenset()}, "file"),
        (Document(Remote("https://a.example")), {"inputs": frozenset({Input.DOCUMENT})}, "file"),
        (Document(Inline("application/zip", "aGk=")), {}, "file"),
        (Document(Inline("text/plain", "/w==")), {}, "file"),
        (Audio(Inline("audio/wav", "aGk=")), {}, "input_audio"),
        (Video(Inline("video/mp4", "aGk=")), {}, "Video"),
    ],
)
def test_trap_44_media_that_cannot_be_carried_is_refused_by_name(wires, part, facts, member):
    """Never a request without it."""
    with pytest.raises(Fault) as caught:
        written(wires, part, **facts)
    assert (Kind.UNREPRESENTABLE, member) == (caught.value.kind, caught.value.param)


def test_detail_is_a_hint(wires):
    """The shape has no such choice; the usual one is none."""
    assert not written(wires, Image(PNG, detail="auto"))[1].drops
    assert ["image_url.detail"] == [
        one.member for one in written(wires, Image(PNG, detail="high"))[1].drops
    ]


@pytest.mark.parametrize(
    ("parts", "content"),
    [
        ((), None),
        ((Text("A"),), "A"),
        ((Text("A"), Text("B")), [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]),
    ],
)
def test_trap_13_a_result_is_written_with_or_without_words(wires, parts, content):
    """One text in its plain form."""
    (block,), _ = written(wires, ToolResult("a", parts))
    assert ("a", content) == (block["tool_use_id"], block.get("content"))


def test_trap_15_media_in_results_stays_in_them(wires):
    """A model that takes none there is not given any."""
    result = ToolResult("a", (Text("A"), Image(PNG)), error=True)
    (block,), _ = written(wires, result)
    assert (["text", "image"], True) == (
        [one["type"] for one in block["content"]],
        block["is_error"],
    )
    with pytest.raises(Fault):
        written(wires, result, inputs=frozenset({Input.IMAGE}))


def test_only_the_shapes_own_citations_are_repeated(wires):
    """What their maker sealed in them cannot be made up."""
    own = Citation(native=Native("messages", b'{"type":"char_location"}'))
    (block,), report = written(wires, Text("A", (own, Citation("https://a.example"))))
    assert ([{"type": "char_location"}], ["annotations"]) == (
        block["citations"],
        [one.member for one in report.drops],
    )


def test_free_text_calls_are_objects(wires):
    """As their tool is declared here: with one string."""
    call = ToolCall("a", "f", "free", CallKind.CUSTOM)
    body, _ = wires.write(
        wires.request(turns=(Turn(Role.USER, (Text("Hi"),)), Turn(Role.ASSISTANT, (call,))))
    )
    assert {"input": "free"} == body["messages"][1]["content"][0]["input"]


def test_trap_18_long_names_are_shortened_everywhere_alike(wires):
    """In the declaration and in the history, the same in every process; noted."""
    request = wires.request(
        turns=(Turn(Role.USER, (Text("Hi"),)), Turn(Role.ASSISTANT, (ToolCall("a", LONG),))),
        tools=(FunctionTool(LONG),),
    )
    body, report = wires.write(request)
    name = body["tools"][0]["name"]
    assert name == body["messages"][1]["content"][0]["name"]
    assert 128 == len(name)
    assert ["tool_name"] == [one.what.value for one in report.repairs]
