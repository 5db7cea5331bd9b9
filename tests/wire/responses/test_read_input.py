"""Input items as turns, one for each, in place."""

import json

import pytest

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Image,
    Native,
    Reasoning,
    ReasoningForm,
    Refusal,
    Remote,
    Text,
    VendorPart,
)
from trivium.conversation.tools import CustomTool
from trivium.faults import Fault, Kind
from trivium.wire.responses.read_input import InputReader

GOOGLE = StateOrigin("generate", "google", "main")
CLAUDE = StateOrigin("messages", "anthropic", "main")
SIGNED = Opaque("signature", b"S", CLAUDE)
ENVELOPES = {
    "sealed-thinking": (SIGNED,),
    "sealed-words": (SIGNED, Opaque("words", b"Raw.", CLAUDE)),
    "sealed-mark": (Opaque("thought_signature", b"T", GOOGLE),),
    "sealed-other": (Opaque("thought_signature", b"U", GOOGLE),),
}


MEMBERS = (
    *("role", "id", "content", "summary", "encrypted_content", "call_id", "name", "namespace"),
    *(
        "arguments",
        "input",
        "output",
        "result",
        "output_format",
        "code",
        "action",
        "tools",
        "phase",
    ),
)
KINDS = (
    *("message", "reasoning", "function_call", "custom_tool_call", "function_call_output"),
    *("custom_tool_call_output", "additional_tools", "item_reference", "web_search_call"),
    *(
        "image_generation_call",
        "code_interpreter_call",
        "tool_search_output",
        "compaction",
        "never",
    ),
)


def read(*items):
    tools, extensions = [], []
    raw = json.dumps(list(items)).encode()
    return InputReader(ENVELOPES.get, tools, extensions).turns(raw), tools, extensions


def turns(*items):
    return read(*items)[0]


def said(role, *parts, **more):
    return Turn(role, parts, **more)


CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'}
HIDDEN = {"type": "reasoning", "id": "rs_1", "summary": []}
SEARCH = {"type": "web_search_call", "id": "ws_1", "action": {"query": "q"}}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"role": "user", "content": "hi"}, said(Role.USER, Text("hi"))),
        (
            {"type": "message", "role": "developer", "content": "d"},
            said(Role.DEVELOPER, Text("d")),
        ),
        ({"role": "system", "content": []}, said(Role.SYSTEM)),
        (
            {
                "id": "msg_1",
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "phase": "commentary",
                "content": [
                    {"type": "output_text", "text": "a", "annotations": []},
                    {"type": "refusal", "refusal": "b"},
                ],
            },
            said(Role.ASSISTANT, Text("a"), Refusal("b"), phase="commentary"),
        ),
        (CALL, said(Role.ASSISTANT, ToolCall("c1", "f", '{"a": 1}'))),
        (
            {**CALL, "namespace": "n", "caller": {"type": "direct"}, "id": "fc_1"},
            said(
                Role.ASSISTANT,
                ToolCall(
                    "c1",
                    "f",
                    '{"a": 1}',
                    namespace="n",
                    native=Native("responses", b'{"caller":{"type": "direct"}}'),
                ),
            ),
        ),
        (
            {"type": "custom_tool_call", "call_id": "c1", "name": "p", "input": "*** x"},
            said(Role.ASSISTANT, ToolCall("c1", "p", "*** x", CallKind.CUSTOM)),
        ),
        (
            {"type": "function_call_output", "call_id": "c1", "output": "done"},
            said(Role.USER, ToolResult("c1", (Text("done"),))),
        ),
        (
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [
                    {"type": "input_text", "text": "see"},
                    {"type": "input_image", "image_url": "https://a.org/x.png"},
                ],
            },
            said(Role.USER, ToolResult("c1", (Text("see"), Image(Remote("https://a.org/x.png"))))),
        ),
        (
            {"type": "custom_tool_call_output", "call_id": "c1", "output": ""},
            said(Role.USER, ToolResult("c1", (Text(""),), kind=CallKind.CUSTOM)),
        ),
        (
            {**HIDDEN, "summary": [{"type": "summary_text", "text": "s"}]},
            said(Role.ASSISTANT, Reasoning("s", ReasoningForm.SUMMARY)),
        ),
        (
            {**HIDDEN, "content": [{"type": "reasoning_text", "text": "r"}]},
            said(Role.ASSISTANT, Reasoning("r", ReasoningForm.FULL)),
        ),
        (
            {**HIDDEN, "encrypted_content": "sealed-thinking"},
            said(
                Role.ASSISTANT,
                Reasoning("", ReasoningForm.HIDDEN, opaque=ENVELOPES["sealed-thinking"]),
            ),
        ),
        (
            {**HIDDEN, "encrypted_content": "gAAAA"},
            said(
                Role.ASSISTANT,
                Reasoning("", ReasoningForm.HIDDEN, opaque=(Opaque("slot", b"gAAAA"),)),
            ),
        ),
        (
            SEARCH,
            said(
                Role.ASSISTANT,
                VendorPart(Native("responses", json.dumps(SEARCH).encode()), SEARCH["type"], "q"),
            ),
        ),
        (
            {"type": "computer_call_output", "x": 1},
            said(
                Role.USER,
                VendorPart(
                    Native("responses", b'{"type": "computer_call_output", "x": 1}'),
                    "computer_call_output",
                ),
            ),
        ),
    ],
)
def test_an_item_is_a_turn(item, expected):
    """Easy messages, full ones, calls, outputs, reasoning, and what only this shape has."""
    assert (expected,) == turns(item)


def test_a_string_is_what_the_user_says():
    """The short form."""
    assert (said(Role.USER, Text("hi")),) == InputReader(ENVELOPES.get, [], []).turns(b'"hi"')


def test_reasoning_without_anything_is_no_turn():
    """Clients echo items whose content was not asked for."""
    assert () == turns(HIDDEN)


def test_reasoning_of_another_form_is_the_callers_mistake():
    """It is named, and no upstream is blamed."""
    with pytest.raises(Fault) as caught:
        turns({"role": "user", "content": "x"}, {**HIDDEN, "summary": "Hm."})
    assert (Kind.INVALID_VALUE, "input[1]") == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize("kept", [{}, {"content": [{"type": "reasoning_text", "text": "Raw."}]}])
def test_words_are_back_with_their_signature(kept):
    """Clients drop what can be read (Codex, AI SDK); signed without its words, it is refused."""
    found = turns({**HIDDEN, "encrypted_content": "sealed-words"} | kept)
    assert (said(Role.ASSISTANT, Reasoning("Raw.", opaque=(SIGNED,))),) == found


def test_a_developer_in_the_middle_stays_there():
    """Hoisting it would rewrite all that stands before (trap 76)."""
    roles = ["user", "assistant", "developer", "user"]
    found = turns(*({"role": role, "content": "x"} for role in roles))
    assert roles == [turn.role.value for turn in found]


def test_riding_attachments_return_to_their_parts():
    """To the call that follows, else to the text before (trap 82)."""
    mark = {**HIDDEN, "encrypted_content": "sealed-mark"}
    other = {**HIDDEN, "encrypted_content": "sealed-other"}
    text = {"role": "assistant", "content": "x"}
    found = turns(text, other, mark, CALL, {"role": "user", "content": "y"})
    assert (
        said(Role.ASSISTANT, Text("x", opaque=ENVELOPES["sealed-other"])),
        said(Role.ASSISTANT, ToolCall("c1", "f", '{"a": 1}', opaque=ENVELOPES["sealed-mark"])),
        said(Role.USER, Text("y")),
    ) == found


def test_an_attachment_that_nothing_stands_by_stays_by_itself():
    """Such as behind what the user says."""
    found = turns({"role": "user", "content": "y"}, {**HIDDEN, "encrypted_content": "sealed-mark"})
    assert Reasoning("", ReasoningForm.HIDDEN, opaque=ENVELOPES["sealed-mark"]) == found[1].parts[0]


def test_tools_may_arrive_in_the_history():
    """They are declared like all others (trap 72)."""
    found, tools, _ = read(
        {"type": "additional_tools", "tools": [{"type": "custom", "name": "patch"}]}
    )
    assert ((), [CustomTool("patch")]) == (found, tools)


@pytest.mark.parametrize("kind", ["compaction", "compaction_trigger"])
def test_a_shortened_history_is_a_contract(kind):
    """Without it the model would know nothing of what was said."""
    _, _, extensions = read({"type": kind, "encrypted_content": "x"})
    assert [("input[0]", Rank.CONTRACT)] == [(one.member, one.rank) for one in extensions]


@pytest.mark.parametrize("item", [{"type": "item_reference", "id": "rs_1"}, {"id": "rs_1"}])
def test_a_reference_is_refused_with_what_to_do(item):
    """Clients that rely on a store say so with ids alone (AI SDK, LangChain)."""
    with pytest.raises(Fault, match="`store` to false") as caught:
        turns({"role": "user", "content": "x"}, item)
    assert (Kind.UNREPRESENTABLE, "input[1].id") == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("item", "kind", "param"),
    [
        (7, Kind.INVALID_TYPE, "input[0]"),
        ({}, Kind.MISSING_MEMBER, "input[0].type"),
        ({"type": "message", "content": "x"}, Kind.MISSING_MEMBER, "input[0].role"),
        ({"role": "tool", "content": "x"}, Kind.INVALID_VALUE, "input[0].role"),
        ({"role": "user"}, Kind.MISSING_MEMBER, "input[0].content"),
        ({**CALL, "call_id": None}, Kind.MISSING_MEMBER, "input[0].call_id"),
        ({**CALL, "name": ""}, Kind.MISSING_MEMBER, "input[0].name"),
        ({**CALL, "arguments": {}}, Kind.INVALID_TYPE, "input[0].arguments"),
        ({**CALL, "type": "custom_tool_call"}, Kind.MISSING_MEMBER, "input[0].input"),
        ({"type": "function_call_output"}, Kind.MISSING_MEMBER, "input[0].call_id"),
        (
            {"type": "function_call_output", "call_id": "c"},
            Kind.MISSING_MEMBER,
            "input[0].output",
        ),
        (
            {
                "type": "function_call_output",
                "call_id": "c",
                "output": [{"type": "refusal", "refusal": "x"}],
            },
            Kind.INVALID_VALUE,
            "input[0].output[0].type",
        ),
    ],
)
def test_a_wrong_item_is_named(item, kind, param):
    """By its path."""
    with pytest.raises(Fault) as caught:
        turns(item)
    assert (kind, param) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize("kind", KINDS)
def test_no_item_of_a_caller_is_an_upstreams_fault(kind):
    """Whatever type any of its members has: what answers are read with is used here too."""
    faults = []
    for member in MEMBERS:
        for value in (5, "x", {}, [], [5], [[]], {"type": 5}, [{"type": "message", "text": 5}]):
            try:
                read({"type": kind, member: value})
            except Fault as fault:
                faults.append((fault.kind, bool(fault.param)))
    assert {*faults} <= {(one, True) for one in Kind if one is not Kind.UPSTREAM_BROKE}
