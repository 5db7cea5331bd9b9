"""Requests of the responses shape as conversations: every member, and what is refused."""

import json

import msgspec
import pytest

from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.parts import Text
from trivium.conversation.request import (
    Conversation,
    Effort,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
)
from trivium.faults import Fault, Kind
from trivium.wire.codec import ReadContext
from trivium.wire.responses.codec import CODEC

BARE = {"model": "fast", "input": "hi"}
TURNS = (Turn(Role.USER, (Text("hi"),)),)


def read(body, **context):
    members = msgspec.json.decode(json.dumps(body), type=dict[str, msgspec.Raw])
    return CODEC.read_request(members, ReadContext(**context))


def test_the_least_request():
    """Absent stays absent; usage always comes in this shape's streams."""
    expected = Conversation(shape="responses", model="fast", turns=TURNS, usage_wanted=True)
    assert expected == read(BARE)


def test_null_is_absent():
    """SDKs spell out what was not chosen."""
    nulls = dict.fromkeys(
        (
            "instructions", "tools", "tool_choice", "temperature", "top_p", "reasoning", "text",
            "include", "metadata", "user", "previous_response_id", "prompt", "conversation",
            "truncation", "store", "stream", "max_output_tokens", "top_logprobs", "unheard_of",
        )
    )  # fmt: skip
    assert read(BARE) == read({**BARE, **nulls})


@pytest.mark.parametrize(
    ("member", "value", "field", "expected"),
    [
        ("instructions", "Be kind.", "instructions", (Text("Be kind."),)),
        ("temperature", 1, "sampling", Sampling(temperature=1.0)),
        ("top_p", 0.5, "sampling", Sampling(top_p=0.5)),
        ("max_output_tokens", 64, "output_max", 64),
        ("parallel_tool_calls", False, "parallel_calls", False),
        ("store", False, "store", False),
        ("stream", True, "stream", True),
        ("metadata", {"a": "b"}, "metadata", (("a", "b"),)),
        ("user", "u", "user", "u"),
        ("safety_identifier", "s", "safety_id", "s"),
        ("prompt_cache_key", "k", "cache_key", "k"),
        ("service_tier", "flex", "service_tier", "flex"),
        ("top_logprobs", 3, "top_logprobs", 3),
        ("top_logprobs", 3, "logprobs", True),
        ("top_logprobs", 0, "top_logprobs", None),
        ("include", ["message.output_text.logprobs"], "logprobs", True),
        ("reasoning", {"effort": "none"}, "reasoning", ReasoningSettings(effort=Effort.NONE)),
        (
            "reasoning",
            {"effort": "xhigh", "summary": "auto"},
            "reasoning",
            ReasoningSettings(effort=Effort.XHIGH, shown=True),
        ),
        (
            "reasoning",
            {"summary": "detailed"},
            "reasoning",
            ReasoningSettings(shown=True, style="detailed"),
        ),
        (
            "reasoning",
            {"generate_summary": "concise"},
            "reasoning",
            ReasoningSettings(shown=True, style="concise"),
        ),
        ("reasoning", {"summary": None}, "reasoning", None),
        ("text", {"verbosity": "low"}, "verbosity", "low"),
        ("text", {"format": {"type": "text"}}, "format", ResponseFormat(FormatKind.TEXT)),
        ("text", {"format": {"type": "json_object"}}, "format", ResponseFormat(FormatKind.JSON)),
        (
            "text",
            {"format": {"type": "json_schema", "name": "n", "schema": {"b": 1}, "strict": True}},
            "format",
            ResponseFormat(FormatKind.SCHEMA, b'{"b": 1}', "n", None, True),
        ),
    ],
)
def test_a_member_finds_its_place(member, value, field, expected):
    """What the caller asks for, in canonical words."""
    assert expected == getattr(read({**BARE, member: value}), field)


@pytest.mark.parametrize(
    ("member", "value", "expected"),
    [
        ("truncation", "auto", Extension("truncation", b'"auto"', Rank.CONTRACT)),
        ("moderation", {"model": "m"}, Extension("moderation", b'{"model": "m"}', Rank.CONTRACT)),
        ("client_metadata", {}, Extension("client_metadata", b"{}", Rank.BOOKKEEPING)),
        ("stream_options", {}, Extension("stream_options", b"{}", Rank.BOOKKEEPING)),
        ("max_tool_calls", 2, Extension("max_tool_calls", b"2", Rank.HINT)),
        ("unheard_of", [1], Extension("unheard_of", b"[1]", Rank.HINT)),
        ("reasoning", {"mode": "pro"}, Extension("reasoning.mode", b'"pro"', Rank.HINT)),
        (
            "include",
            ["reasoning.encrypted_content", "file_search_call.results"],
            Extension("include[1]", b'"file_search_call.results"', Rank.HINT),
        ),
    ],
)
def test_what_only_this_shape_has_is_kept_with_what_its_loss_means(member, value, expected):
    """Nothing is lost in silence, and nothing that matters is dropped."""
    assert (expected,) == read({**BARE, member: value}).extensions


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("truncation", "disabled"),
        ("include", ["reasoning.encrypted_content"]),
        ("reasoning", {"mode": "standard", "context": "auto"}),
        ("background", False),
    ],
)
def test_what_is_so_anyway_is_not_kept(member, value):
    """Codex and the SDKs spell out defaults in every request."""
    assert () == read({**BARE, member: value}).extensions


@pytest.mark.parametrize("member", ["previous_response_id", "conversation", "prompt"])
def test_references_into_a_store_are_refused_by_name(member):
    """And the message says how to do without (trap 70)."""
    with pytest.raises(Fault) as caught:
        read({**BARE, member: "resp_1"})
    fault = caught.value
    assert (Kind.UNREPRESENTABLE, member) == (fault.kind, fault.param)
    assert "`store` to false" in fault.message


@pytest.mark.parametrize(
    ("change", "kind", "param"),
    [
        ({"input": None}, Kind.MISSING_MEMBER, "input"),
        ({"input": {}}, Kind.INVALID_TYPE, "input"),
        ({"model": None}, Kind.MISSING_MEMBER, "model"),
        ({"background": True}, Kind.UNREPRESENTABLE, "background"),
        ({"temperature": 2.5}, Kind.INVALID_VALUE, "temperature"),
        ({"temperature": "1"}, Kind.INVALID_TYPE, "temperature"),
        ({"top_p": -1}, Kind.INVALID_VALUE, "top_p"),
        ({"top_p": True}, Kind.INVALID_TYPE, "top_p"),
        ({"max_output_tokens": 0}, Kind.INVALID_VALUE, "max_output_tokens"),
        ({"top_logprobs": 21}, Kind.INVALID_VALUE, "top_logprobs"),
        ({"store": "no"}, Kind.INVALID_TYPE, "store"),
        ({"metadata": {"a": 1}}, Kind.INVALID_TYPE, "metadata[...]"),
        ({"reasoning": {"effort": "huge"}}, Kind.INVALID_VALUE, "reasoning.effort"),
        ({"reasoning": {"summary": "long"}}, Kind.INVALID_VALUE, "reasoning.summary"),
        ({"text": {"verbosity": "loud"}}, Kind.INVALID_VALUE, "text.verbosity"),
        ({"text": {"format": {"type": "xml"}}}, Kind.INVALID_VALUE, "text.format.type"),
        (
            {"text": {"format": {"type": "json_schema", "schema": {}}}},
            Kind.MISSING_MEMBER,
            "text.format.name",
        ),
        (
            {"text": {"format": {"type": "json_schema", "name": "n"}}},
            Kind.MISSING_MEMBER,
            "text.format.schema",
        ),
        (
            {"text": {"format": {"type": "json_schema", "name": "n", "schema": []}}},
            Kind.INVALID_TYPE,
            "text.format.schema",
        ),
        ({"include": "x"}, Kind.INVALID_TYPE, "include"),
    ],
)
def test_what_is_wrong_is_named(change, kind, param):
    """With the path in the caller's own body."""
    with pytest.raises(Fault) as caught:
        read({**BARE, **change})
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_the_path_may_say_model_and_stream():
    """A context that knows is believed."""
    found = read({"input": "hi"}, model="slow", stream=True)
    assert ("slow", True) == (found.model, found.stream)
