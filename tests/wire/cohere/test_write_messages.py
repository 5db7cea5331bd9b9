"""Turns as messages."""

import pytest

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend
from trivium.conversation.parts import (
    Audio,
    Citation,
    Document,
    Image,
    Inline,
    Pieces,
    Reasoning,
    Refusal,
    Remote,
    Text,
)
from trivium.conversation.request import Conversation
from trivium.faults import Fault

ASK = Turn(Role.USER, (Text("hi"),))
GIF = Inline("image/gif", "R0lGODlhAQABAAAAACw=")


def saying(*turns, **members):
    """A conversation of another shape."""
    return Conversation(shape="chat", model="m", turns=turns, **members)


def assistant(*parts):
    """The assistant's turn in the middle."""
    return saying(ASK, Turn(Role.ASSISTANT, parts), ASK)


def test_instructions_lead_and_stay(write):
    """At the top and in the middle."""
    body, report = write(
        saying(ASK, Turn(Role.SYSTEM, (Text("b"),)), ASK, instructions=(Text("a"),))
    )
    assert [row["role"] for row in body["messages"]] == ["system", "user", "system", "user"]
    assert not report.drops


def test_words_before_calls_are_the_plan(write):
    """One piece of them; thinking goes back in its own words."""
    body, report = write(assistant(Reasoning("Hm."), Text("p"), ToolCall("c1", "look", '{"a":1}')))
    assert body["messages"][1] == {
        "role": "assistant",
        "tool_plan": "p",
        "content": [{"type": "thinking", "thinking": "Hm."}],
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "look", "arguments": '{"a":1}'},
            }
        ],
    }
    assert not report.drops


def test_several_pieces_stay_apart(write):
    """As content, before calls too."""
    body, _ = write(assistant(Text("a"), Text("b"), ToolCall("c1", "look")))
    message = body["messages"][1]
    assert [row["text"] for row in message["content"]] == ["a", "b"]
    assert "tool_plan" not in message


def test_results(write):
    """Documents are documents; a failure is said; pictures follow."""
    result = ToolResult(
        "c1", (Text("found"), Document(Pieces((Text("x"),)), title="T"), Image(GIF)), error=True
    )
    turns = (ASK, Turn(Role.ASSISTANT, (ToolCall("c1", "look"),)), Turn(Role.USER, (result,)))
    body, report = write(saying(*turns))
    tool, user = body["messages"][2:]
    assert tool["content"][0] == {"type": "text", "text": "Error: found"}
    assert tool["content"][1]["document"] == {"data": {"title": "T", "text": "x"}}
    assert user["content"][1]["type"] == "image_url"
    assert {drop.member for drop in report.drops} == {"ToolResult.error", "messages"}


def test_documents_to_be_cited_stand_beside(write):
    """All others are words where they stand."""
    cited = Document(Pieces((Text("x"),)), title="T", citable=True)
    plain = Document(Pieces((Text("y"),)), title="U")
    body, report = write(saying(Turn(Role.USER, (cited, plain, Text("hi")))))
    assert body["documents"] == [{"data": {"title": "T", "text": "x"}}]
    assert [row["text"] for row in body["messages"][0]["content"]] == ["U\ny", "hi"]
    assert [drop.member for drop in report.drops] == ["file"]


def test_its_own_documents_come_back(read, write):
    """Wherever they were kept meanwhile; not to be cited is said."""
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "documents": [{"id": "d", "data": {"text": "x", "year": 7}}],
    }
    body, report = write(read(asked))
    assert body["documents"] == asked["documents"]
    assert not report.drops
    body, _ = write(read(asked | {"citation_options": {"mode": "OFF"}}))
    assert body["citation_options"] == {"mode": "OFF"}


def test_its_own_citations_come_back(read, write):
    """Those of others cannot."""
    row = {
        "start": 0,
        "end": 1,
        "text": "a",
        "sources": [{"type": "tool", "id": "c1:0"}],
        "content_index": 0,
        "type": "TEXT_CONTENT",
    }
    said = {"role": "assistant", "content": [{"type": "text", "text": "a"}], "citations": [row]}
    asked = {"model": "m", "messages": [{"role": "user", "content": "q"}, said]}
    body, _ = write(read(asked))
    assert body["messages"][1]["citations"] == [row]
    _, report = write(assistant(Text("a", (Citation("https://a.example"),))))
    assert [drop.member for drop in report.drops] == ["annotations"]


@pytest.mark.parametrize(
    ("part", "member"),
    [
        (Audio(Inline("audio/wav", "UklGRg==")), "input_audio"),
        (Document(Inline("application/pdf", "JVBERg==")), "file"),
        (Image(Inline("image/svg+xml", "PHN2Zz4=")), "image_url"),
    ],
)
def test_what_it_cannot_take_is_refused_by_name(write, part, member):
    """In the caller's own words."""
    with pytest.raises(Fault) as caught:
        write(saying(Turn(Role.USER, (Text("hi"), part))))
    assert caught.value.param == member


def test_pictures(write):
    """By address and inline; a detail that it has not is the nearest."""
    remote = Image(Remote("https://a.example/a.png"), detail="original")
    body, report = write(saying(Turn(Role.USER, (remote, Image(GIF)))))
    first, second = body["messages"][0]["content"]
    assert first["image_url"] == {"url": "https://a.example/a.png", "detail": "high"}
    assert second["image_url"]["url"].startswith("data:image/gif;base64,")
    assert [drop.member for drop in report.drops] == ["image_url.detail"]


def test_what_is_left_of_a_turn(write):
    """A filler, where nothing is; words of a refusal; free text in one member."""
    body, report = write(assistant(Reasoning("")))
    assert body["messages"][1]["content"] == "(no content)"
    assert report.repairs[0].what is Mend.EMPTY_TURN
    body, _ = write(assistant(Refusal("no"), ToolCall("c", "f", "raw", CallKind.CUSTOM)))
    message = body["messages"][1]
    assert message["content"] == "no"
    assert message["tool_calls"][0]["function"]["arguments"] == '{"input":"raw"}'
