"""Messages as turns, odd ones included."""

import msgspec
import pytest

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Document,
    Image,
    Inline,
    Reasoning,
    ReasoningForm,
    Refusal,
    Remote,
    Stored,
    Text,
    Video,
)
from trivium.faults import Fault, Kind

USER = {"role": "user", "content": "Hi"}
SEALED = (Opaque("signature", b"s", StateOrigin("messages", "anthropic", "a")),)


def call(id_="call_1", name="f", arguments="{}", **more):
    function = {"name": name, "arguments": arguments}
    return {"id": id_, "type": "function", "function": function, **more}


@pytest.mark.parametrize("role", ["system", "developer", "user"])
def test_a_message_is_a_turn_in_its_place(asked, role):
    """Instructions in the middle stay in the middle; names stay."""
    found = asked(USER, {"role": role, "content": "Go", "name": "ann"}, USER)
    assert Turn(Role(role), (Text("Go"),), "ann") == found.turns[1]


ASSISTANT = [
    pytest.param({"content": "a"}, (Text("a"),), id="text"),
    pytest.param({"content": ""}, (), id="blank"),
    pytest.param({"content": None}, (), id="null"),
    pytest.param(
        {"content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "b"}]},
        (Text("a"), Refusal("b")),
        id="parts",
    ),
    pytest.param({"content": None, "refusal": "No."}, (Refusal("No."),), id="refusal"),
    pytest.param(
        {"content": None, "tool_calls": [call()]}, (ToolCall("call_1", "f", "{}"),), id="call"
    ),
    pytest.param(
        {"content": "", "tool_calls": [call(arguments="")]},
        (ToolCall("call_1", "f", "{}"),),
        id="empty-arguments",
    ),
    pytest.param(
        {"tool_calls": [call(arguments='{"a": 1.0')]},
        (ToolCall("call_1", "f", '{"a": 1.0'),),
        id="broken-arguments",
    ),
    pytest.param(
        {"tool_calls": [call(arguments={"a": [1]})]},
        (ToolCall("call_1", "f", '{"a":[1]}'),),
        id="object-arguments",
    ),
    pytest.param({"content": "a", "tool_calls": []}, (Text("a"),), id="no-calls"),
    pytest.param(
        {"tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "p", "input": "x"}}]},
        (ToolCall("c", "p", "x", CallKind.CUSTOM),),
        id="custom",
    ),
    pytest.param(
        {"content": None, "function_call": {"name": "f", "arguments": "{}"}},
        (ToolCall("", "f", "{}"),),
        id="function-call",
    ),
    pytest.param(
        {"content": "a", "reasoning_content": "Hm"}, (Reasoning("Hm"), Text("a")), id="reasoning"
    ),
    pytest.param(
        {"content": "a", "reasoning": "Hm"}, (Reasoning("Hm"), Text("a")), id="reasoning-short"
    ),
    pytest.param(
        {"content": None, "audio": {"id": "audio_1"}}, (Audio(None, "", "audio_1"),), id="audio"
    ),
    pytest.param(
        {
            "content": [
                {"type": "thinking", "thinking": "Hm", "signature": ""},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
            ]
        },
        (Reasoning("Hm"), ToolCall("t", "f", '{"a":1}')),
        id="anthropic-blocks",
    ),
]


@pytest.mark.parametrize(("message", "parts"), ASSISTANT)
def test_an_assistant_message_is_read(asked, message, parts):
    """Reasoning first, then content, refusal, sound and calls."""
    assert parts == asked(USER, {"role": "assistant", **message}).turns[1].parts


RESULTS = [
    pytest.param("ok", (Text("ok"),), id="string"),
    pytest.param("", (), id="blank"),
    pytest.param(None, (), id="null"),
    pytest.param([], (), id="empty"),
    pytest.param([{"type": "text", "text": "ok"}], (Text("ok"),), id="parts"),
    pytest.param(
        [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
        (Image(Inline("image/png", "AAAA")),),
        id="image",
    ),
    pytest.param(
        [{"type": "tool_reference", "tool_name": "x"}],
        (Text('{"type":"tool_reference","tool_name":"x"}'),),
        id="reference",
    ),
]


@pytest.mark.parametrize(("content", "parts"), RESULTS)
def test_trap_013_every_result_is_a_result(asked, content, parts):
    """Also one without words."""
    found = asked(
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "call_1", "content": content},
    )
    assert Turn(Role.USER, (ToolResult("call_1", parts),)) == found.turns[2]


def test_a_result_of_a_custom_call_knows_so(asked):
    """The shape does not tell the two apart, the history does."""
    custom = {"id": "c", "type": "custom", "custom": {"name": "p", "input": "x"}}
    found = asked(
        USER,
        {"role": "assistant", "tool_calls": [custom]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    )
    assert CallKind.CUSTOM is found.turns[2].parts[0].kind


def test_the_function_role_links_by_name(asked):
    """The deprecated role has no id."""
    found = asked(USER, {"role": "function", "name": "f", "content": "ok"})
    assert ToolResult("", (Text("ok"),), "f") == found.turns[1].parts[0]


def test_trap_216_anthropic_results_in_user_messages_are_results(asked):
    """Agents send the blocks of the messages shape on this route."""
    block = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": [{"type": "text", "text": "no"}],
        "is_error": True,
    }
    found = asked({"role": "user", "content": [block, {"type": "text", "text": "b"}]})
    assert (ToolResult("t", (Text("no"),), error=True), Text("b")) == found.turns[0].parts


def test_a_call_that_is_said_twice_is_one(asked):
    """As a block and in ``tool_calls``; the second would never be answered. Others are kept."""
    block = {"type": "tool_use", "id": "call_1", "name": "f", "input": {"a": 1}}
    calls = [call(arguments='{"a":1}'), call("call_2")]
    found = asked({"role": "assistant", "content": [block], "tool_calls": calls})
    made = (ToolCall("call_1", "f", '{"a":1}'), ToolCall("call_2", "f", "{}"))
    assert made == found.turns[0].parts


@pytest.mark.parametrize("name", ["cache_control", "prompt_cache_breakpoint"])
def test_trap_034_cache_marks_are_kept(asked, name):
    """On the very part that had them, in either spelling."""
    part = {"type": "text", "text": "a", name: {"type": "ephemeral", "ttl": "1h"}}
    (found,) = asked({"role": "user", "content": [part]}).turns[0].parts
    assert CacheMark("1h") == found.cache


@pytest.mark.parametrize(
    "message",
    [
        {"role": "system", "content": "a"},
        {"role": "user", "content": [{"type": "text", "text": "b"}, {"type": "text", "text": "a"}]},
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": "a", "reasoning_content": "c", "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "call_1", "content": "a"},
    ],
)
def test_trap_034_a_cache_mark_beside_the_content_is_on_its_last_part(asked, message):
    """As the AI SDK and LiteLLM write it where the content is a string."""
    found = asked({**message, "cache_control": {"type": "ephemeral", "ttl": "1h"}})
    *others, last = found.turns[0].parts
    assert CacheMark("1h") == last.cache
    assert not [part for part in others if not isinstance(part, Reasoning) and part.cache]
    assert () == found.extensions


def test_trap_034_a_cache_mark_on_a_call_or_with_nothing_to_mark(asked):
    """The first is kept; the second is told, like one that is no mark at all."""
    marked = {"role": "assistant", "tool_calls": [call(cache_control={"type": "ephemeral"})]}
    assert CacheMark() == asked(marked).turns[0].parts[0].cache
    for message, mark in (({"content": None}, {"type": "ephemeral"}), ({"content": "a"}, "always")):
        found = asked({"role": "assistant", **message, "cache_control": mark})
        assert ["messages[0].cache_control"] == [one.member for one in found.extensions]


def test_envelopes_are_opened_and_foreign_details_are_kept_as_foreign(asked, read_request):
    """An attachment that nobody we know made has no origin, so it goes to nobody."""
    message = {
        "role": "assistant",
        "content": "a",
        "reasoning_content": "Hm",
        "reasoning_details": [
            {"type": "reasoning.encrypted", "data": "ours"},
            {"type": "reasoning.encrypted", "data": "theirs"},
        ],
        "tool_calls": [call(extra_content={"google": {"thought_signature": "ours"}})],
    }
    found = read_request(
        {"model": "m", "messages": [USER, message]},
        open=lambda text: SEALED if text == "ours" else None,
    )
    own, foreign, text, tool = found.turns[1].parts
    assert Reasoning("Hm", opaque=SEALED) == own
    assert (ReasoningForm.HIDDEN, None) == (foreign.form, foreign.opaque[0].origin)
    assert [{"type": "reasoning.encrypted", "data": "theirs"}] == msgspec.json.decode(
        foreign.opaque[0].data
    )
    assert (Text("a"), SEALED) == (text, tool.opaque)


def test_unknown_members_of_messages_are_kept_by_path(asked):
    """What clients leave on messages they got is bookkeeping, the rest may matter."""
    found = asked(USER, {"role": "assistant", "content": "a", "parsed": 1, "weight": 0, "x": None})
    assert [("messages[1].parsed", Rank.BOOKKEEPING), ("messages[1].weight", Rank.HINT)] == [
        (one.member, one.rank) for one in found.extensions
    ]


@pytest.mark.parametrize(
    ("message", "param", "kind"),
    [
        ("Hi", "messages[1]", Kind.INVALID_TYPE),
        ({"content": "x"}, "messages[1].role", Kind.MISSING_MEMBER),
        ({"role": "robot", "content": "x"}, "messages[1].role", Kind.INVALID_VALUE),
        ({"role": "user"}, "messages[1].content", Kind.MISSING_MEMBER),
        ({"role": "user", "content": 5}, "messages[1].content", Kind.INVALID_TYPE),
        ({"role": "user", "content": {"type": "text"}}, "messages[1].content", Kind.INVALID_TYPE),
        ({"role": "user", "content": [5]}, "messages[1].content[0]", Kind.INVALID_TYPE),
        ({"role": "user", "content": [{}]}, "messages[1].content[0].type", Kind.MISSING_MEMBER),
        (
            {"role": "user", "content": [{"type": "hologram"}]},
            "messages[1].content[0].type",
            Kind.INVALID_VALUE,
        ),
        (
            {"role": "user", "content": [{"type": "text"}]},
            "messages[1].content[0].text",
            Kind.MISSING_MEMBER,
        ),
        (
            {
                "role": "system",
                "content": [{"type": "image_url", "image_url": {"url": "http://a"}}],
            },
            "messages[1].content[0].type",
            Kind.INVALID_VALUE,
        ),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "a.png"}}]},
            "messages[1].content[0].image_url.url",
            Kind.INVALID_VALUE,
        ),
        (
            {"role": "user", "content": [{"type": "image_url"}]},
            "messages[1].content[0].image_url",
            Kind.MISSING_MEMBER,
        ),
        (
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "A"}}]},
            "messages[1].content[0].input_audio.format",
            Kind.MISSING_MEMBER,
        ),
        (
            {"role": "user", "content": [{"type": "file", "file": {}}]},
            "messages[1].content[0].file.file_data",
            Kind.MISSING_MEMBER,
        ),
        ({"role": "tool", "content": "x"}, "messages[1].tool_call_id", Kind.MISSING_MEMBER),
        (
            {"role": "assistant", "tool_calls": [{"id": "a", "type": "function"}]},
            "messages[1].tool_calls[0].function",
            Kind.MISSING_MEMBER,
        ),
        (
            {"role": "assistant", "tool_calls": [call(name=None)]},
            "messages[1].tool_calls[0].function.name",
            Kind.MISSING_MEMBER,
        ),
        (
            {"role": "assistant", "tool_calls": {}},
            "messages[1].tool_calls",
            Kind.INVALID_TYPE,
        ),
    ],
)
def test_a_wrong_message_is_named(asked, message, param, kind):
    """With the path of what is wrong."""
    with pytest.raises(Fault) as caught:
        asked(USER, message)
    assert (param, kind) == (caught.value.param, caught.value.kind)


PNG = Image(Inline("image/png", "AAAA"))
PARTS = [
    pytest.param({"type": "input_text", "text": "a"}, Text("a"), id="trap-074-input-text"),
    pytest.param({"type": "output_text", "text": "a"}, Text("a"), id="trap-074-output-text"),
    pytest.param(
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "low"},
        Image(Inline("image/png", "AAAA"), "low"),
        id="trap-074-input-image",
    ),
    pytest.param(
        {"type": "input_image", "file_id": "file-1"},
        Image(Stored("chat", "file-1")),
        id="image-file",
    ),
    pytest.param(
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        PNG,
        id="trap-216-image",
    ),
    pytest.param(
        {"type": "document", "source": {"type": "url", "url": "https://e.com/a.pdf"}, "title": "T"},
        Document(Remote("https://e.com/a.pdf"), title="T"),
        id="trap-216-document",
    ),
    pytest.param(
        {"type": "video_url", "video_url": {"url": "https://e.com/a.mp4"}},
        Video(Remote("https://e.com/a.mp4")),
        id="video",
    ),
    pytest.param(
        {"type": "file", "file": {"file_data": "JVBERi0xLjc", "filename": "a.pdf"}},
        Document(Inline("application/pdf", "JVBERi0xLjc=", "a.pdf")),
        id="bare-base64",
    ),
    pytest.param(
        {"type": "input_file", "file_url": "https://e.com/a.pdf"},
        Document(Remote("https://e.com/a.pdf")),
        id="file-url",
    ),
    pytest.param(
        {"type": "file", "file": {"file_id": "file-abc", "filename": "a.pdf"}},
        Document(Stored("chat", "file-abc"), title="a.pdf"),
        id="trap-044-file-id",
    ),
]


@pytest.mark.parametrize(("part", "expected"), PARTS)
def test_a_part_of_another_spelling_is_read(asked, part, expected):
    """What agents and other shapes call it; a file id stays an id."""
    assert (expected,) == asked({"role": "user", "content": [part]}).turns[0].parts


def test_redacted_thinking_is_hidden_reasoning(asked):
    """Its data is nobody's that we know."""
    block = {"type": "redacted_thinking", "data": "x"}
    (found,) = asked(USER, {"role": "assistant", "content": [block]}).turns[1].parts
    assert (ReasoningForm.HIDDEN, b"x", None) == (
        found.form,
        found.opaque[0].data,
        found.opaque[0].origin,
    )


def test_annotations_of_an_echoed_answer_are_citations(asked):
    """Clients append the message as they got it."""
    note = {
        "type": "url_citation",
        "url_citation": {"start_index": 0, "end_index": 3, "url": "https://e.com", "title": "E"},
    }
    message = {"role": "assistant", "content": "See", "annotations": [note, 5, {"type": "x"}]}
    (found,) = asked(USER, message).turns[1].parts
    assert [("https://e.com", 0, 3), (None, None, None)] == [
        (one.url, one.start, one.end) for one in found.citations
    ]
