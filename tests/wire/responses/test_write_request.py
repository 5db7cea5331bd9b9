"""Conversations as requests of the responses shape."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import DropAction, Rank, Report
from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import CacheMark, Reasoning, ReasoningForm, Text
from trivium.conversation.request import (
    Conversation,
    Effort,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.target import ReasoningBack, Thinks, target
from trivium.conversation.tools import ChoiceMode, FunctionTool, ToolChoice
from trivium.faults import Fault, Kind
from trivium.wire.codec import ReadContext
from trivium.wire.responses.codec import CODEC

ORIGIN = StateOrigin("responses", "openai", "main")
FACTS = target(ORIGIN, "gpt-5")
USER = Turn(Role.USER, (Text("hi"),))
LEAST = {
    "model": "gpt-5",
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    ],
    "include": ["reasoning.encrypted_content"],
    "store": False,
}


def body(facts=FACTS, report=None, **members):
    conversation = Conversation(**{"shape": "chat", "model": "fast", "turns": (USER,), **members})
    report = report or Report(facts.title)
    return json.loads(CODEC.write_request(conversation, facts, report))


def test_the_least_request_stores_nothing_and_asks_for_sealed_reasoning():
    """On behalf of another shape's caller nothing is left at the vendor."""
    assert LEAST == body()


def test_a_caller_of_this_shape_decides_about_storing():
    """And keeps the members that only this shape has."""
    extensions = (Extension("truncation", b'"auto"', Rank.CONTRACT),)
    found = body(shape="responses", store=True, extensions=extensions)
    assert (True, "auto") == (found["store"], found["truncation"])


def test_an_end_user_of_a_long_name_is_kept_and_sent_as_a_digest():
    """Claude Code names device, account and session: OpenAI refuses the request for it."""
    report = Report("m", strict=True)
    assert 64 == len(body(report=report, shape="messages", user="u" * 190)["user"])
    assert (["metadata.user_id"], []) == (report.kept, report.drops)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"instructions": (Text("Be kind."),)}, {"instructions": "Be kind."}),
        ({"sampling": Sampling(temperature=0.5, top_p=0.9)}, {"temperature": 0.5, "top_p": 0.9}),
        ({"output_max": 64}, {"max_output_tokens": 64}),
        ({"stream": True}, {"stream": True}),
        ({"user": "u", "safety_id": "s"}, {"user": "u", "safety_identifier": "s"}),
        ({"cache_key": "k"}, {"prompt_cache_key": "k"}),
        ({"service_tier": "flex"}, {"service_tier": "flex"}),
        ({"metadata": (("a", "b"),)}, {"metadata": {"a": "b"}}),
        ({"verbosity": "low"}, {"text": {"verbosity": "low"}}),
        (
            {"reasoning": ReasoningSettings(effort=Effort.HIGH, shown=True, style="detailed")},
            {"reasoning": {"effort": "high", "summary": "detailed"}},
        ),
        (
            {"reasoning": ReasoningSettings(switch=Thinking.ON, budget=9000, shown=True)},
            {"reasoning": {"effort": "medium", "summary": "auto"}},
        ),
        (
            {"reasoning": ReasoningSettings(switch=Thinking.OFF)},
            {"reasoning": {"effort": "none"}},
        ),
        ({"reasoning": ReasoningSettings(switch=Thinking.ADAPTIVE)}, {}),
        ({"format": ResponseFormat(FormatKind.TEXT)}, {}),
        (
            {"format": ResponseFormat(FormatKind.JSON)},
            {"text": {"format": {"type": "json_object"}}},
        ),
        (
            {"format": ResponseFormat(FormatKind.SCHEMA, b'{"z":1,"a":2}')},
            {
                "text": {
                    "format": {
                        "type": "json_schema",
                        "name": "response",
                        "schema": {"z": 1, "a": 2},
                    }
                }
            },
        ),
        (
            {"logprobs": True, "top_logprobs": 2},
            {
                "include": ["reasoning.encrypted_content", "message.output_text.logprobs"],
                "top_logprobs": 2,
            },
        ),
        ({"stop": ("END",)}, {}),  # the gateway cuts the text itself
        ({"parallel_calls": False}, {}),  # nothing to call
        ({"tool_choice": ToolChoice(ChoiceMode.NONE)}, {}),
    ],
)
def test_a_wish_becomes_a_member(members, expected):
    """In the shape's own words."""
    assert LEAST | expected == body(**members)


def test_a_whole_number_goes_out_as_it_came():
    """What a caller wrote as 1 is no 1.0."""
    asked = Conversation(
        shape="chat", model="fast", turns=(USER,), sampling=Sampling(temperature=1, top_p=0)
    )
    out = CODEC.write_request(asked, FACTS, Report(FACTS.title))
    assert b'"temperature":1,"top_p":0,' in out


@pytest.mark.parametrize(
    ("members", "member"),
    [
        ({"sampling": Sampling(top_k=3)}, "Sampling.top_k"),
        ({"sampling": Sampling(seed=3)}, "seed"),
        ({"sampling": Sampling(frequency_penalty=1.0)}, "frequency_penalty"),
        ({"sampling": Sampling(presence_penalty=1.0)}, "presence_penalty"),
        ({"sampling": Sampling(logit_bias=b"{}")}, "logit_bias"),
        ({"turns": (msgspec.structs.replace(USER, name="Ann"),)}, "messages[].name"),
        ({"extensions": (Extension("prediction", b"{}", Rank.HINT),)}, "prediction"),
    ],
)
def test_a_hint_is_dropped_and_said(members, member):
    """By the name that the caller knows it by."""
    report = Report(FACTS.title)
    assert LEAST == body(report=report, **members)
    assert [member] == [drop.member for drop in report.drops]


@pytest.mark.parametrize(
    ("members", "param"),
    [
        ({"candidates": 2}, "n"),
        ({"modalities": ("text", "audio")}, "modalities"),
        ({"format": ResponseFormat(FormatKind.ENUM, b"{}")}, "response_format"),
        ({"extensions": (Extension("x", b"{}", Rank.CONTRACT),)}, "x"),
    ],
)
def test_a_contract_is_refused(members, param):
    """The caller's code depends on it."""
    with pytest.raises(Fault) as caught:
        body(**members)
    assert (Kind.UNREPRESENTABLE, param) == (caught.value.kind, caught.value.param)


def test_a_model_that_refuses_a_member_does_not_get_it():
    """What this model takes is its profile's word."""
    facts = target(
        ORIGIN,
        "o",
        refuses={Concept.TEMPERATURE, Concept.VERBOSITY},
        thinks=Thinks.NONE,
        reasoning_back=ReasoningBack.NOTHING,
    )
    report = Report(facts.title)
    wishes = {
        "sampling": Sampling(temperature=1.0),
        "verbosity": "low",
        "reasoning": ReasoningSettings(effort=Effort.LOW),
    }
    found = body(facts, report, **wishes)
    assert {"model": "o", "input": LEAST["input"], "store": False} == found
    assert ["temperature", "reasoning_effort", "verbosity"] == [one.member for one in report.drops]


def test_the_nearest_effort_is_sent_and_said():
    """A step that the model does not know is no reason to refuse."""
    facts = target(ORIGIN, "o", efforts=(Effort.LOW, Effort.HIGH))
    report = Report(facts.title)
    found = body(facts, report, reasoning=ReasoningSettings(effort=Effort.MAX))
    assert {"effort": "high"} == found["reasoning"]
    assert [DropAction.CHANGED] == [drop.act for drop in report.drops]


def test_the_least_output_limit_is_raised_and_said():
    """Health checks ask for one token; upstream takes no less than 16."""
    report = Report(FACTS.title)
    assert 16 == body(report=report, output_max=1)["max_output_tokens"]
    assert [("max_completion_tokens", DropAction.CHANGED)] == [
        (one.member, one.act) for one in report.drops
    ]


def test_several_instructions_stay_apart():
    """Blocks of the messages shape, with their cache mark, in one item."""
    found = body(instructions=(Text("a"), Text("b", cache=CacheMark("5m"))))
    assert "instructions" not in found
    assert {
        "type": "message",
        "role": "system",
        "content": [
            {"type": "input_text", "text": "a"},
            {
                "type": "input_text",
                "text": "b",
                "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "30m"},
            },
        ],
    } == found["input"][0]


def test_only_so_many_cache_marks_as_the_target_takes():
    """The last ones cover most."""
    texts = tuple(Text(str(at), cache=CacheMark()) for at in range(6))
    content = body(turns=(Turn(Role.USER, texts),))["input"][0]["content"]
    marked = [row["text"] for row in content if "prompt_cache_breakpoint" in row]
    assert ["2", "3", "4", "5"] == marked


def test_three_turns_of_sealed_reasoning_go_back_word_for_word():
    """Each before its own call, the vendor's bytes untouched (traps 64, 65)."""
    turns = [USER]
    items = []
    for at in range(3):
        item = b'{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"g%d"}' % (
            at,
            at,
        )
        items.append(json.loads(item))
        turns += [
            Turn(
                Role.ASSISTANT,
                (
                    Reasoning(
                        "", ReasoningForm.HIDDEN, opaque=(Opaque("reasoning_item", item, ORIGIN),)
                    ),
                    ToolCall(f"c{at}", "f", "{}"),
                ),
            ),
            Turn(Role.USER, (ToolResult(f"c{at}", (Text("ok"),)),)),
        ]
    found = body(turns=tuple(turns))["input"]
    assert ["message", *(["reasoning", "function_call", "function_call_output"] * 3)] == [
        row["type"] for row in found
    ]
    assert items == [row for row in found if row["type"] == "reasoning"]


_PARTS = st.sampled_from(
    [
        (Role.USER, Text("a")),
        (Role.USER, Text("")),
        (Role.USER, ToolResult("c", (Text("x"), Text("y")))),
        (Role.DEVELOPER, Text("d")),
        (Role.ASSISTANT, Text("b")),
        (Role.ASSISTANT, ToolCall("c", "f", "{}")),
        (
            Role.ASSISTANT,
            Reasoning(
                "", ReasoningForm.HIDDEN, opaque=(Opaque("reasoning_item", b'{"r":1}', ORIGIN),)
            ),
        ),
    ]
)


@given(st.lists(_PARTS, max_size=6), st.lists(_PARTS, max_size=4))
def test_a_history_that_grows_begins_with_the_bytes_it_had(before, after):
    """Prompt caches and sealed reasoning both depend on it."""

    def history(parts):
        turns = (USER, *(Turn(role, (part,)) for role, part in parts))
        conversation = Conversation(shape="chat", model="fast", turns=turns)
        raw = CODEC.write_request(conversation, FACTS, Report(FACTS.title))
        return bytes(msgspec.json.decode(raw, type=dict[str, msgspec.Raw])["input"])

    # a history that is sent ends with what the caller says
    shorter = history([*before, (Role.USER, Text("next"))])
    longer = history([*before, (Role.USER, Text("next")), *after])
    assert longer.startswith(shorter[:-1])


def test_a_codex_request_survives_its_own_shape():
    """Read and written for a native target, only names are flattened and ids left out."""
    request = {
        "model": "fast",
        "input": [
            {"type": "message", "id": "m1", "role": "developer", "content": "Rules."},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        ],
        "tools": [
            {
                "type": "namespace",
                "name": "agents",
                "description": "Sub-agents.",
                "tools": [{"type": "function", "name": "spawn", "strict": False}],
            },
            {"type": "web_search", "external_web_access": False},
            {
                "type": "custom",
                "name": "apply_patch",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"},
            },
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "reasoning": {"summary": "auto"},
        "store": False,
        "stream": True,
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "k",
        "client_metadata": {"a": 1},
    }
    members = msgspec.json.decode(json.dumps(request), type=dict[str, msgspec.Raw])
    conversation = CODEC.read_request(members, ReadContext())
    report = Report(FACTS.title)
    found = json.loads(CODEC.write_request(conversation, FACTS, report))
    flat = {
        "type": "function",
        "name": "agents__spawn",
        "parameters": {"type": "object", "properties": {}},
        "strict": False,
    }
    rules = {"type": "message", "role": "system"}
    assert {
        **request,
        "model": "gpt-5",
        "input": [
            {**rules, "content": [{"type": "input_text", "text": "Rules."}]},
            request["input"][1],
        ],
        "tools": [flat, *request["tools"][1:]],
    } == found
    assert ["tools[0].description"] == [drop.member for drop in report.drops]


def test_its_own_shapes_members_are_put_back_where_they_were():
    """What was left out stays out: the vendor tries ``strict`` where nothing is said of it."""
    asked = {
        "model": "fast",
        "input": "go",
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}],
        "include": ["web_search_call.action.sources", "reasoning.encrypted_content"],
        "reasoning": {"effort": "low", "context": "all_turns"},
        "max_tool_calls": 3,
    }
    members = msgspec.json.decode(json.dumps(asked), type=dict[str, msgspec.Raw])
    report = Report(FACTS.title, strict=True)
    spoken = CODEC.read_request(members, ReadContext())
    found = json.loads(CODEC.write_request(spoken, FACTS, report))
    assert sorted(asked["include"]) == sorted(found["include"])
    for name in ("tools", "reasoning", "max_tool_calls"):
        assert asked[name] == found[name]
    assert not report.drops


def test_tools_are_declared_with_what_may_be_done():
    """Choice and parallel calls only where there is something to call."""
    found = body(
        tools=(FunctionTool("f"),),
        tool_choice=ToolChoice(ChoiceMode.REQUIRED),
        parallel_calls=False,
    )
    assert ("required", False) == (found["tool_choice"], found["parallel_tool_calls"])
