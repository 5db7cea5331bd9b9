"""Histories as items of a responses request."""

import json

import msgspec
import pytest

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Report
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    Citation,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Text,
    VendorPart,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.faults import Fault
from trivium.wire.responses import write_input
from trivium.wire.responses.write_content import PartsWriter

ORIGIN = StateOrigin("responses", "openai", "main")
ITEM = b'{"type":"reasoning","id":"rs_1"}'
OWN = (Opaque("reasoning_item", ITEM, ORIGIN),)
FOREIGN = (Opaque("reasoning_item", ITEM, StateOrigin("responses", "openai", "other")),)
IMAGE = Image(Inline("image/png", "AAAA"))


def items(*turns, report=None, **facts):
    known = target(ORIGIN, "m", **facts)
    content = PartsWriter(
        Conversation(shape="messages", model="m"), known, report or Report(known.title)
    )
    return json.loads(msgspec.json.encode(write_input.items(turns, content)))


def user(*parts):
    return Turn(Role.USER, parts)


def assistant(*parts, **more):
    return Turn(Role.ASSISTANT, parts, **more)


def spoken(text):
    return {"type": "output_text", "text": text, "annotations": []}


def message(role, *content, **more):
    return {"type": "message", "role": role, "content": list(content), **more}


def words(text):
    return {"type": "input_text", "text": text}


PICTURE = {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"}
CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c"}


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (user(Text("a"), IMAGE), [message("user", words("a"), PICTURE)]),
        (user(), [message("user", words(""))]),
        (user(Text("")), [message("user", words(""))]),
        (assistant(), []),
        (Turn(Role.DEVELOPER, (Text("a"),)), [message("system", words("a"))]),
        (
            assistant(Text("a"), Refusal("b"), phase="final_answer"),
            [
                message(
                    "assistant",
                    spoken("a"),
                    {"type": "refusal", "refusal": "b"},
                    phase="final_answer",
                )
            ],
        ),
        (assistant(Text("a"), ToolCall("c", "f")), [message("assistant", spoken("a")), CALL]),
        (assistant(ToolCall("c", "f", "{bro")), [{**CALL, "arguments": "{bro"}]),
        (assistant(ToolCall("c", "f", "{}", namespace="n")), [{**CALL, "name": "n__f"}]),
        (
            assistant(ToolCall("c", "p", "x", CallKind.CUSTOM)),
            [{"type": "custom_tool_call", "call_id": "c", "name": "p", "input": "x"}],
        ),
        (
            assistant(ToolCall("c", "f", "{}", native=Native("responses", b'{"caller":1}'))),
            [{**CALL, "caller": 1}],
        ),
        (
            user(ToolResult("c", (Text("x"),)), Text("and")),
            [{**OUTPUT, "output": "x"}, message("user", words("and"))],
        ),
        (user(ToolResult("c")), [{**OUTPUT, "output": ""}]),
        (
            user(ToolResult("c", (Text("x"), IMAGE))),
            [{**OUTPUT, "output": [words("x"), PICTURE]}],
        ),
        (
            user(ToolResult("c", (Text("x"),), kind=CallKind.CUSTOM)),
            [{"type": "custom_tool_call_output", "call_id": "c", "output": "x"}],
        ),
        (user(ToolResult("c", (Text("x"),), error=True)), [{**OUTPUT, "output": "Error: x"}]),
        (
            user(ToolResult("c", (Text("error: x"),), error=True)),
            [{**OUTPUT, "output": "error: x"}],
        ),
        (
            user(ToolResult("c", (IMAGE,), error=True)),
            [{**OUTPUT, "output": [words("Error:"), PICTURE]}],
        ),
        (
            assistant(VendorPart(Native("responses", b'{"type":"web_search_call"}'), "x", "q")),
            [{"type": "web_search_call"}],
        ),
        (
            assistant(VendorPart(Native("messages", b"{}"), "x", "q")),
            [message("assistant", spoken("q"))],
        ),
        (assistant(Audio(None, "heard", "a1")), [message("assistant", spoken("heard"))]),
        (
            assistant(Text("a", (Citation("https://a.org", "A", 0, 1), Citation(title="x")))),
            [
                message(
                    "assistant",
                    {
                        **spoken("a"),
                        "annotations": [
                            {
                                "type": "url_citation",
                                "url": "https://a.org",
                                "title": "A",
                                "start_index": 0,
                                "end_index": 1,
                            }
                        ],
                    },
                )
            ],
        ),
    ],
)
def test_a_turn_becomes_items(turn, expected):
    """Calls and results are items of their own, the assistant's words are output (trap 74)."""
    assert expected == items(turn)


def test_an_instructing_turn_is_a_developers_where_the_model_wants_it():
    """The role is the profile's word."""
    turn = Turn(Role.SYSTEM, (Text("a"),))
    assert [message("developer", words("a"))] == items(turn, developer_role=True)


def test_free_text_calls_are_wrapped_for_models_without_them():
    """The same on both sides of the pair."""
    found = items(
        assistant(ToolCall("c", "f", 'a"b', CallKind.CUSTOM)),
        user(ToolResult("c", (Text("x"),), kind=CallKind.CUSTOM)),
        custom_tools=False,
    )
    assert [{**CALL, "arguments": '{"input":"a\\"b"}'}, {**OUTPUT, "output": "x"}] == found


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([assistant(Reasoning("s", opaque=OWN), ToolCall("c", "f"))], ["reasoning", "call"]),
        ([assistant(Reasoning("s", opaque=OWN)), assistant(Text("a"))], ["reasoning", "message"]),
        ([assistant(Reasoning("s", opaque=OWN)), user(Text("a"))], ["message"]),
        ([assistant(Reasoning("s", opaque=OWN))], []),
        ([assistant(Text("a"), Reasoning("s", opaque=OWN)), user(Text("b"))], ["message"] * 2),
        ([assistant(Reasoning("s", opaque=FOREIGN), ToolCall("c", "f"))], ["call"]),
        ([assistant(Reasoning("s"), ToolCall("c", "f"))], ["call"]),
    ],
)
def test_reasoning_goes_back_to_its_maker_and_never_alone(turns, expected):
    """Another account could not read it; an item that nothing follows is refused (trap 68)."""
    found = items(*turns)
    assert expected == [row["type"].removeprefix("function_") for row in found]


def test_reasoning_that_a_caller_repeats_is_said_once():
    """The vendor refuses a second item of one id; one that was left out does not count."""
    thought, other = Reasoning("s", ReasoningForm.SUMMARY, opaque=OWN), ToolCall("d", "f")
    first = assistant(thought, ToolCall("c", "f"))
    answer = user(ToolResult("c", (Text("1"),)))
    found = items(assistant(thought), user(Text("?")), first, answer, assistant(thought, other))
    assert ["message", "reasoning", "call", "call_output", "call"] == [
        row["type"].removeprefix("function_") for row in found
    ]


def test_foreign_reasoning_is_missed_aloud():
    """The model will think again, and the caller may know."""
    report = Report("x")
    items(assistant(Reasoning("s", ReasoningForm.FULL)), report=report)
    assert ["messages"] == [drop.member for drop in report.drops]


def test_pictures_of_the_assistant_are_refused():
    """There is no place for them, and what follows may be about them."""
    with pytest.raises(Fault, match="only words from an assistant"):
        items(assistant(IMAGE))


def test_names_that_the_model_does_not_take_are_shortened_and_told():
    """The same on every turn; the answer's are restored from the declarations (trap 72)."""
    report = Report("x")
    call = assistant(ToolCall("c", "f" * 60, namespace="agents"))
    (first,), (second,) = items(call, report=report), items(call, tool_name_max=40)
    assert (64, 40) == (len(first["name"]), len(second["name"]))
    assert [f"agents__{'f' * 60}"] == [repair.where for repair in report.repairs]


def test_a_citation_without_an_address_is_told():
    """Offsets into another vendor's documents mean nothing here."""
    report = Report("the target")
    cited = (Citation(native=Native("messages", b"{}")), Citation(url="https://a.example"))
    (found,) = items(assistant(Text("a", cited)), report=report)
    assert ["https://a.example"] == [one["url"] for one in found["content"][0]["annotations"]]
    assert ["citations"] == [one.member for one in report.drops]
