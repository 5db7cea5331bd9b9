"""Conversations as chat requests, by what the target takes."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Drop, DropAction, Rank, Report
from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import CacheMark, Image, Inline, Reasoning, Text
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
from trivium.conversation.target import Thinks, target
from trivium.faults import Fault, Kind
from trivium.wire.chat.write_request import write

USER = Turn(Role.USER, (Text("Hi"),))
ORIGIN = StateOrigin("chat", "openai", "channel-1")


def asking(shape="messages", **fields):
    return Conversation(shape=shape, model="m", turns=(USER,), **fields)


@pytest.mark.parametrize(
    "name", ["text", "parts", "system-middle", "tools", "sampling", "format", "refusal"]
)
def test_reading_and_writing_gives_the_request_again(wire, read_request, write_request, name):
    """Where nothing has to be lost nothing is, and the report says so."""
    body = msgspec.json.format(wire(f"request-{name}.json"), indent=-1)
    conversation = read_request(body)
    out, report = write_request(conversation)
    assert {**msgspec.json.decode(body), "model": "m2"} == out
    assert ([], []) == (report.drops, report.repairs)
    again = read_request(msgspec.json.encode(out))
    assert msgspec.structs.replace(conversation, model="m2") == again


def test_a_whole_number_goes_out_as_it_came():
    """What a caller wrote as 1 is no 1.0."""
    sampling = Sampling(temperature=1, top_p=0, frequency_penalty=-1, presence_penalty=2)
    out = write(asking(sampling=sampling), target(ORIGIN, "m"), Report("m"))
    rest = b'"temperature":1,"top_p":0,"frequency_penalty":-1,"presence_penalty":2'
    assert rest in out


def test_trap_039_the_limit_has_the_name_the_model_takes(written):
    """Older servers know one, reasoning models the other."""
    assert 9 == written(USER, output_max=9)["max_tokens"]
    new = written(USER, output_max=9, facts={"output_member": "max_completion_tokens"})
    assert (9, False) == (new["max_completion_tokens"], "max_tokens" in new)
    assert 5 == written(USER, facts={"output_default": 5})["max_tokens"]


def test_an_end_user_of_a_long_name_is_kept_and_sent_as_a_digest():
    """Claude Code names device, account and session: OpenAI refuses the request for it."""
    report = Report("m", strict=True)
    out = msgspec.json.decode(write(asking(user="u" * 190), target(ORIGIN, "m"), report))
    assert 64 == len(out["user"])
    assert (["metadata.user_id"], []) == (report.kept, report.drops)


def test_trap_118_usage_is_always_asked_for(written):
    """A stream without it could not be billed; a whole answer has it anyway."""
    assert {"include_usage": True} == written(USER, stream=True)["stream_options"]
    assert "stream_options" not in written(USER)


@pytest.mark.parametrize(
    ("wanted", "facts", "expected"),
    [
        (None, {}, None),
        (ReasoningSettings(effort=Effort.MAX), {}, "max"),
        (ReasoningSettings(effort=Effort.MAX), {"efforts": (Effort.LOW, Effort.HIGH)}, "high"),
        (ReasoningSettings(switch=Thinking.OFF), {}, "none"),
        (ReasoningSettings(budget=2000), {}, "low"),
        (ReasoningSettings(switch=Thinking.ADAPTIVE), {}, None),
        (ReasoningSettings(effort=Effort.LOW), {"thinks": Thinks.NONE}, None),
    ],
)
def test_reasoning_is_asked_for_in_steps_the_model_knows(written, wanted, facts, expected):
    """The nearest one; nothing where the model decides or does not think."""
    assert expected == written(USER, reasoning=wanted, facts=facts).get("reasoning_effort")


@pytest.mark.parametrize(
    ("fields", "facts", "drop"),
    [
        (
            {"sampling": Sampling(temperature=0.5)},
            {"refuses": frozenset({Concept.TEMPERATURE})},
            Drop("temperature", "not taken by this model"),
        ),
        (
            {"sampling": Sampling(temperature=1.5)},
            {"temperature_max": 1.0},
            Drop("temperature", "at most 1", DropAction.CHANGED),
        ),
        ({"sampling": Sampling(top_k=5)}, {}, Drop("top_k", "the chat shape has none")),
        (
            {"reasoning": ReasoningSettings(effort=Effort.MAX)},
            {"efforts": (Effort.LOW, Effort.HIGH)},
            Drop("output_config.effort", "high is the nearest", DropAction.CHANGED),
        ),
        (
            {"reasoning": ReasoningSettings(effort=Effort.LOW)},
            {"thinks": Thinks.NONE},
            Drop("output_config.effort", "not taken by this model"),
        ),
        (
            {"cache": CacheMark()},
            {},
            Drop("cache_control", "the chat shape has no mark for the whole"),
        ),
        (
            {"extensions": (Extension("top_k", b"5", Rank.HINT),)},
            {},
            Drop("top_k", "known to the caller's own shape only"),
        ),
    ],
)
def test_a_hint_is_dropped_aloud_and_refused_in_strict_mode(write_request, fields, facts, drop):
    """Under the caller's own name for it."""
    _, report = write_request(asking(**fields), **facts)
    assert [drop] == report.drops
    with pytest.raises(Fault) as caught:
        write_request(asking(**fields), strict=True, **facts)
    assert (Kind.UNREPRESENTABLE, drop.member) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize(
    ("fields", "facts", "member"),
    [
        (
            {"format": ResponseFormat(FormatKind.SCHEMA, b"{}")},
            {"schema": False},
            "output_config.format",
        ),
        ({"format": ResponseFormat(FormatKind.ENUM, b"{}")}, {}, "output_config.format"),
        ({"logprobs": True}, {"refuses": frozenset({Concept.LOGPROBS})}, "logprobs"),
        ({"candidates": 2}, {"refuses": frozenset({Concept.CANDIDATES})}, "candidates"),
        ({"output_max": 5}, {"refuses": frozenset({Concept.OUTPUT_MAX})}, "max_tokens"),
        ({"extensions": (Extension("mcp_servers", b"[]", Rank.CONTRACT),)}, {}, "mcp_servers"),
    ],
)
def test_a_contract_that_cannot_be_kept_is_refused(write_request, fields, facts, member):
    """Always, with the caller's member and the target named."""
    with pytest.raises(Fault) as caught:
        write_request(asking(**fields), **facts)
    assert (Kind.UNREPRESENTABLE, member) == (caught.value.kind, caught.value.param)
    assert "the chat shape of m2" in caught.value.message


def test_bookkeeping_is_left_out_without_a_word(write_request):
    """It is for our own records."""
    fields = {"extensions": (Extension("anthropic_beta", b"[]", Rank.BOOKKEEPING),)}
    out, report = write_request(asking(**fields), strict=True)
    assert ({"model", "messages"}, []) == (set(out), report.drops)


def test_what_asks_for_nothing_is_not_spelled_out(written):
    """Other shapes always say it; plain servers do not know the members."""
    assert {"model", "messages"} == set(written(USER, modalities=("text",), candidates=1))
    body = written(USER, modalities=("text", "audio"), candidates=2, audio=b'{"voice":"a"}')
    assert (["text", "audio"], 2, {"voice": "a"}) == (
        body["modalities"],
        body["n"],
        body["audio"],
    )


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (ResponseFormat(FormatKind.TEXT), {"type": "text"}),
        (ResponseFormat(FormatKind.JSON), {"type": "json_object"}),
        (
            ResponseFormat(FormatKind.SCHEMA, b'{"type":"object"}'),
            {
                "type": "json_schema",
                "json_schema": {"name": "response", "schema": {"type": "object"}},
            },
        ),
    ],
)
def test_trap_045_strict_is_said_only_where_the_caller_said_it(written, wanted, expected):
    """Optional properties are illegal under strict; a missing name is ours."""
    assert expected == written(USER, format=wanted)["response_format"]


TURNS = st.lists(
    st.sampled_from(
        [
            (USER,),
            (Turn(Role.SYSTEM, (Text("Rules."),)),),
            (Turn(Role.ASSISTANT, (Reasoning("Hm"), Text("Yes."))),),
            (
                Turn(
                    Role.ASSISTANT,
                    (ToolCall("c1", "f", '{"b": 1,"a":2}'), ToolCall("c2", "x" * 70, "")),
                ),
                Turn(
                    Role.USER,
                    (
                        ToolResult("c1", (Text("no"),), error=True),
                        ToolResult("c2", (Image(Inline("image/png", "AAAA")),)),
                        Text("See."),
                    ),
                ),
            ),
        ]
    ),
    min_size=1,
    max_size=8,
)


@given(TURNS, st.integers(1, 8), st.booleans())
def test_a_history_that_grows_keeps_the_bytes_it_had(groups, cut, mid_system):
    """Prompt caches and signatures hold for a prefix."""
    facts = target(ORIGIN, "m2", mid_system=mid_system)

    def history(some):
        turns = tuple(turn for group in some for turn in group)
        body = write(Conversation(shape="chat", model="m", turns=turns), facts, Report("t"))
        return bytes(msgspec.json.decode(body, type=dict[str, msgspec.Raw])["messages"])

    first = groups[:cut]
    if not mid_system and all(group[0].role is Role.SYSTEM for group in first):
        # what only instructs is still the leading message, which may grow
        return
    assert history(groups).startswith(history(first)[:-1])


@given(TURNS)
def test_writing_is_a_function_of_its_arguments(groups):
    """Twice the same, twice the same bytes."""
    turns = tuple(turn for group in groups for turn in group)
    conversation = Conversation(shape="chat", model="m", turns=turns)
    facts = target(ORIGIN, "m2")
    assert write(conversation, facts, Report("t")) == write(conversation, facts, Report("t"))
