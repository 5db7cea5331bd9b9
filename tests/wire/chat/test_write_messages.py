"""Turns as chat messages."""

import pytest

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.fit import FILLER
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Mend
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Native,
    Reasoning,
    Refusal,
    Text,
    VendorPart,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import BY_SHAPE, Input, ReasoningBack
from trivium.faults import Fault, Kind

ORIGIN = StateOrigin("chat", "openai", "channel-1")
PNG = Image(Inline("image/png", "AAAA"))
PNG_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def user(*parts, **more):
    return Turn(Role.USER, parts, **more)


def assistant(*parts):
    return Turn(Role.ASSISTANT, parts)


def system(text):
    return Turn(Role.SYSTEM, (Text(text),))


def text(words):
    return {"type": "text", "text": words}


def test_the_top_level_slot_comes_first(written):
    """One text is a string, several stay apart."""
    one = written(user(Text("Hi")), instructions=(Text("Be brief."),))["messages"]
    assert {"role": "system", "content": "Be brief."} == one[0]
    two = written(user(Text("Hi")), instructions=(Text("A"), Text("B")))["messages"]
    assert [text("A"), text("B")] == two[0]["content"]


def test_trap_038_instructions_have_the_role_the_target_knows(written):
    """``system`` everywhere; ``developer`` only where the target wants it."""
    turns = (Turn(Role.DEVELOPER, (Text("A"),)), user(Text("Hi")))
    assert "system" == written(*turns)["messages"][0]["role"]
    assert "developer" == written(*turns, facts={"developer_role": True})["messages"][0]["role"]


def test_trap_037_system_text_in_the_middle_stays_in_its_place(written):
    """As a system message, or as tagged user text for strict templates, which get one at the start."""
    turns = (system("A"), system("B"), user(Text("Hi")), system("C"))
    assert ["system", "system", "user", "system"] == [
        one["role"] for one in written(*turns)["messages"]
    ]
    strict = written(*turns, instructions=(Text("0"),), facts={"mid_system": False})["messages"]
    assert [
        {"role": "system", "content": [text("0"), text("A"), text("B")]},
        {"role": "user", "content": "Hi"},
        {"role": "user", "content": "<system>\nC\n</system>"},
    ] == strict


def test_trap_011_results_come_before_the_words_of_their_turn(written):
    """The calls in one message, their results next, then what the user says."""
    calls = (ToolCall("a", "f", "{}"), ToolCall("b", "g", '{"x":1}'))
    results = (ToolResult("a", (Text("1"),)), Text("And?"), ToolResult("b"))
    found = written(user(Text("Hi")), assistant(*calls), user(*results))["messages"]
    assert [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "g", "arguments": '{"x":1}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": ""},
        {"role": "user", "content": "And?"},
    ] == found[1:]


def test_trap_015_media_of_results_follow_in_a_user_message(written):
    """The tool's message says what follows, the part says where it belongs."""
    result = ToolResult("a", (Text("Read."), PNG, Document(Inline("application/pdf", "BBBB"))))
    found = written(assistant(ToolCall("a", "f")), user(result, Text("See?")))["messages"]
    assert [
        {
            "role": "tool",
            "tool_call_id": "a",
            "content": [
                text("Read."),
                text("[image 1 of call a follows]"),
                text("[document 2 of call a follows]"),
            ],
        },
        {
            "role": "user",
            "content": [
                text("[image 1 of call a]"),
                PNG_PART,
                text("[document 2 of call a]"),
                {
                    "type": "file",
                    "file": {
                        "filename": "document.pdf",
                        "file_data": "data:application/pdf;base64,BBBB",
                    },
                },
                text("See?"),
            ],
        },
    ] == found[1:]


def test_media_stay_in_results_where_the_target_takes_them_there(written):
    """Some servers of the shape do."""
    facts = {"inputs": BY_SHAPE["chat"]["inputs"] | {Input.RESULT_MEDIA}}
    found = written(user(ToolResult("a", (PNG,))), facts=facts)["messages"]
    assert [{"role": "tool", "tool_call_id": "a", "content": [PNG_PART]}] == found


@pytest.mark.parametrize(
    ("parts", "content"),
    [
        ((Text("no such file"),), "Error: no such file"),
        ((Text("Error: no such file"),), "Error: no such file"),
        ((), "Error:"),
    ],
)
def test_an_error_is_said_in_the_text_and_reported(write_request, written, parts, content):
    """The shape has no flag for it."""
    from trivium.conversation.request import Conversation

    turns = (user(ToolResult("a", parts, error=True)),)
    body, report = write_request(Conversation(shape="messages", model="m", turns=turns))
    assert content == body["messages"][0]["content"]
    assert ["messages[].content[].is_error"] == [drop.member for drop in report.drops]


def test_trap_018_long_names_are_shortened_alike_in_calls_and_tools(written):
    """And within the target's limit."""
    from trivium.conversation.tools import ChoiceMode, FunctionTool, ToolChoice

    name = "mcp__plugin_chrome-devtools-mcp_chrome-devtools__get_console_message"
    body = written(
        user(Text("Hi")),
        assistant(ToolCall("a", name)),
        tools=(FunctionTool(name),),
        tool_choice=ToolChoice(ChoiceMode.NAMED, (name,)),
    )
    names = {
        body["messages"][1]["tool_calls"][0]["function"]["name"],
        body["tools"][0]["function"]["name"],
        body["tool_choice"]["function"]["name"],
    }
    assert 1 == len(names)
    assert len(names.pop()) <= 64


def test_trap_071_custom_calls_travel_as_functions_where_they_must(written):
    """The raw input is one string member; targets that know custom tools get them as such."""
    turn = assistant(ToolCall("a", "patch", '*** "x"', CallKind.CUSTOM))
    (call,) = written(turn)["messages"][0]["tool_calls"]
    assert {"name": "patch", "arguments": '{"input":"*** \\"x\\""}'} == call["function"]
    (own,) = written(turn, facts={"custom_tools": True})["messages"][0]["tool_calls"]
    assert {"id": "a", "type": "custom", "custom": {"name": "patch", "input": '*** "x"'}} == own


def test_reasoning_goes_back_to_servers_that_demand_it(written):
    """As text; in tool loops an empty one too. Others do not get it."""
    turns = (
        assistant(Reasoning("Hm"), Reasoning("m"), Text("a")),
        assistant(ToolCall("a", "f", "{}")),
        assistant(Text("b")),
    )
    found = written(*turns, facts={"reasoning_back": ReasoningBack.TEXT})["messages"]
    assert ["Hm\n\nm", "", None] == [one.get("reasoning_content") for one in found]
    assert not any("reasoning_content" in one for one in written(*turns)["messages"])


def test_trap_026_attachments_go_back_to_their_maker_alone(written):
    """Byte for byte, and to no other account."""

    def turn(account):
        origin = StateOrigin("chat", "openai", account)
        details = Opaque("reasoning_details", b'[{"data":"x"}]', origin)
        extra = Opaque("extra_content", b'{"google":{"thought_signature":"s"}}', origin)
        return assistant(
            Reasoning("", opaque=(details,)), ToolCall("a", "f", "{}", opaque=(extra,))
        )

    (own,) = written(turn("channel-1"))["messages"]
    assert [{"data": "x"}] == own["reasoning_details"]
    assert {"google": {"thought_signature": "s"}} == own["tool_calls"][0]["extra_content"]
    (foreign,) = written(turn("channel-2"))["messages"]
    assert {"role", "content", "tool_calls"} == set(foreign)
    assert {"id", "type", "function"} == set(foreign["tool_calls"][0])


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((), {"content": ""}),
        ((Text(""),), {"content": ""}),
        ((Text("a"), Text("b")), {"content": [text("a"), text("b")]}),
        ((Refusal("No."),), {"content": None, "refusal": "No."}),
        ((Audio(None, "Hi", "audio_1"),), {"content": None, "audio": {"id": "audio_1"}}),
        ((VendorPart(Native("messages", b"{}"), "x", text="ran"),), {"content": "ran"}),
    ],
)
def test_an_assistant_message_is_written(written, parts, message):
    """Content is null only where something else stands in the message."""
    spoken, _ = written(assistant(*parts), user(Text("Go")))["messages"]
    assert {"role": "assistant", **message} == spoken


@pytest.mark.parametrize("parts", [(), (Text(""),), (VendorPart(Native("messages", b"{}"), "x"),)])
def test_an_answer_that_has_not_begun_is_not_gone_on_with(written, parts):
    """Servers take an empty last message for one to be gone on with, or refuse it."""
    assert ["user"] == [
        one["role"] for one in written(user(Text("a")), assistant(*parts))["messages"]
    ]


def test_an_assistants_own_pictures_are_refused(written):
    """They would be lost."""
    with pytest.raises(Fault) as caught:
        written(assistant(PNG))
    assert Kind.UNREPRESENTABLE is caught.value.kind


def test_what_the_shape_cannot_say_of_a_turn_is_reported(write_request):
    """Thoughts that are not read again; own attachments speak for theirs."""
    from trivium.conversation.request import Conversation

    details = Opaque("reasoning_details", b"[]", ORIGIN)
    turn = Turn(Role.ASSISTANT, (Reasoning("Hm", opaque=(details,)), Text("a")))
    lost = Turn(Role.ASSISTANT, (Reasoning("Hm"), Text("a")))
    _, report = write_request(Conversation(shape="responses", model="m", turns=(turn,)))
    assert [] == report.drops
    _, report = write_request(Conversation(shape="responses", model="m", turns=(turn, lost)))
    assert ["input"] == [drop.member for drop in report.drops]


def test_names_are_kept(written):
    """The shape has them."""
    (found,) = written(user(Text("Hi"), name="ann"))["messages"]
    assert {"role": "user", "content": "Hi", "name": "ann"} == found


def test_a_turn_of_which_nothing_is_left_says_so(write_request):
    """Servers refuse a message of the assistant's that says nothing."""
    searched = VendorPart(Native("messages", b"{}"), "web_search_tool_result")
    turns = (Turn(Role.ASSISTANT, (searched,)), Turn(Role.USER, (Text("And?"),)))
    body, report = write_request(Conversation(shape="messages", model="m", turns=turns))
    assert {"role": "assistant", "content": FILLER} == body["messages"][0]
    assert [Mend.EMPTY_TURN] == [one.what for one in report.repairs]
