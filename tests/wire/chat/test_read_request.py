"""Chat requests as conversations: what callers send, and what is wrong with it by name."""

import msgspec
import pytest

from trivium.conversation.items import Role
from trivium.conversation.losses import Rank
from trivium.conversation.parts import Text
from trivium.conversation.request import (
    Effort,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
)
from trivium.faults import Fault, Kind

USER = {"role": "user", "content": "Hi"}


def test_absent_and_null_members_are_the_same(asked):
    """Clients spell out null for what they do not set."""
    names = ("temperature", "n", "stop", "tools", "tool_choice", "user", "stream_options", "stream")
    assert asked() == asked(**dict.fromkeys(names))


@pytest.mark.parametrize(
    ("members", "field", "expected"),
    [
        ({"max_tokens": 5}, "output_max", 5),
        ({"max_tokens": 5, "max_completion_tokens": 7}, "output_max", 7),
        ({"max_tokens": 5.0}, "output_max", 5),
        ({"stop": "END"}, "stop", ("END",)),
        ({"stop": ["a", "", "b"]}, "stop", ("a", "b")),
        ({"reasoning_effort": "xhigh"}, "reasoning", ReasoningSettings(effort=Effort.XHIGH)),
        ({"response_format": {"type": "text"}}, "format", ResponseFormat(FormatKind.TEXT)),
        ({"response_format": {"type": "json_object"}}, "format", ResponseFormat(FormatKind.JSON)),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
            "format",
            ResponseFormat(FormatKind.SCHEMA, b"{}", "x"),
        ),
        ({"modalities": ["Text", "audio"]}, "modalities", ("text", "audio")),
        ({"n": 2}, "candidates", 2),
        ({"logprobs": True}, "logprobs", True),
        ({"top_logprobs": 20}, "top_logprobs", 20),
        ({"metadata": {"b": "1", "a": "2"}}, "metadata", (("b", "1"), ("a", "2"))),
        ({"user": "u"}, "user", "u"),
        ({"safety_identifier": "s"}, "safety_id", "s"),
        ({"prompt_cache_key": "k"}, "cache_key", "k"),
        ({"service_tier": "flex"}, "service_tier", "flex"),
        ({"store": False}, "store", False),
        ({"parallel_tool_calls": False}, "parallel_calls", False),
        # whose answers have room for one call
        ({"functions": [{"name": "f"}]}, "parallel_calls", False),
        ({"functions": [{"name": "f"}], "tools": []}, "parallel_calls", False),
        (
            {"functions": [], "tools": [{"type": "function", "function": {"name": "f"}}]},
            "parallel_calls",
            None,
        ),
        ({"stream": True}, "stream", True),
        ({"stream": True, "stream_options": {"include_usage": True}}, "usage_wanted", True),
        ({"stream": True, "stream_options": {}}, "usage_wanted", False),
        ({"verbosity": "high"}, "verbosity", "high"),
        (
            {"temperature": 0, "top_p": 1, "seed": -3, "logit_bias": {"5": 1}},
            "sampling",
            Sampling(0, 1, seed=-3, logit_bias=b'{"5":1}'),
        ),
        ({"audio": {"voice": "a"}}, "audio", b'{"voice":"a"}'),
    ],
)
def test_a_member_is_read(asked, members, field, expected):
    """Each has its place in the conversation."""
    assert expected == getattr(asked(**members), field)


@pytest.mark.parametrize(
    ("members", "param", "kind"),
    [
        ({"temperature": 3}, "temperature", Kind.INVALID_VALUE),
        ({"temperature": "hot"}, "temperature", Kind.INVALID_TYPE),
        ({"temperature": True}, "temperature", Kind.INVALID_TYPE),
        ({"top_p": -0.1}, "top_p", Kind.INVALID_VALUE),
        ({"frequency_penalty": 2.5}, "frequency_penalty", Kind.INVALID_VALUE),
        ({"seed": 1.5}, "seed", Kind.INVALID_TYPE),
        ({"logit_bias": []}, "logit_bias", Kind.INVALID_TYPE),
        ({"max_tokens": 0}, "max_tokens", Kind.INVALID_VALUE),
        ({"max_completion_tokens": -1}, "max_completion_tokens", Kind.INVALID_VALUE),
        ({"n": 0}, "n", Kind.INVALID_VALUE),
        ({"n": 129}, "n", Kind.INVALID_VALUE),
        ({"top_logprobs": 21}, "top_logprobs", Kind.INVALID_VALUE),
        ({"logprobs": 1}, "logprobs", Kind.INVALID_TYPE),
        ({"stop": ["a", "b", "c", "d", "e"]}, "stop", Kind.INVALID_VALUE),
        ({"stop": [1]}, "stop[0]", Kind.INVALID_TYPE),
        ({"reasoning_effort": "huge"}, "reasoning_effort", Kind.INVALID_VALUE),
        ({"verbosity": "loud"}, "verbosity", Kind.INVALID_VALUE),
        ({"modalities": "text"}, "modalities", Kind.INVALID_TYPE),
        ({"metadata": {"a": 1}}, "metadata.a", Kind.INVALID_TYPE),
        ({"response_format": {"type": "xml"}}, "response_format.type", Kind.INVALID_VALUE),
        ({"response_format": {}}, "response_format.type", Kind.MISSING_MEMBER),
        (
            {"response_format": {"type": "json_schema"}},
            "response_format.json_schema",
            Kind.MISSING_MEMBER,
        ),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
            "response_format.json_schema.name",
            Kind.MISSING_MEMBER,
        ),
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "x", "schema": 5},
                }
            },
            "response_format.json_schema.schema",
            Kind.INVALID_TYPE,
        ),
        (
            {"stream_options": {"include_usage": 1}},
            "stream_options.include_usage",
            Kind.INVALID_TYPE,
        ),
        ({"stream": "yes"}, "stream", Kind.INVALID_TYPE),
    ],
)
def test_a_wrong_member_is_named(asked, members, param, kind):
    """With its path, and what kind of mistake it is."""
    with pytest.raises(Fault) as caught:
        asked(**members)
    assert (param, kind) == (caught.value.param, caught.value.kind)
    assert f"`{param}`" in caught.value.message


@pytest.mark.parametrize(
    ("body", "param", "kind"),
    [
        ({"messages": [USER]}, "model", Kind.MISSING_MEMBER),
        ({"model": "", "messages": [USER]}, "model", Kind.MISSING_MEMBER),
        ({"model": "m"}, "messages", Kind.MISSING_MEMBER),
        ({"model": "m", "messages": []}, "messages", Kind.INVALID_VALUE),
        ({"model": "m", "messages": "Hi"}, "messages", Kind.INVALID_TYPE),
    ],
)
def test_model_and_messages_are_required(read_request, body, param, kind):
    """Nothing can be made of a request without them."""
    with pytest.raises(Fault) as caught:
        read_request(body)
    assert (param, kind) == (caught.value.param, caught.value.kind)


def test_members_nobody_knows_are_kept_with_their_rank(asked):
    """So that their loss can be reported; null ones are none."""
    found = asked(
        prediction={"type": "content", "content": "x"}, moderation={"model": "o"}, top_k=5, foo=None
    )
    assert {
        Extension("prediction", b'{"type":"content","content":"x"}', Rank.HINT),
        Extension("moderation", b'{"model":"o"}', Rank.CONTRACT),
        Extension("top_k", b"5", Rank.HINT),
    } == set(found.extensions)


def test_a_user_that_is_no_string_is_kept_for_the_record(asked):
    """Open WebUI pipelines send an object."""
    found = asked(user={"id": 1})
    assert (None, (Extension("user", b'{"id":1}', Rank.BOOKKEEPING),)) == (
        found.user,
        found.extensions,
    )


def test_trap_216_input_instead_of_messages_is_the_responses_shape(read_request):
    """Agents send it on this route; its text is not lost."""
    found = read_request({"model": "m", "messages": None, "input": "Hi"})
    assert [(Role.USER, "Hi")] == [
        (turn.role, part.text) for turn in found.turns for part in turn.parts if type(part) is Text
    ]


def test_the_schema_keeps_its_bytes(read_request):
    """Order and spelling of numbers are the caller's."""
    schema = b'{"type":"object","properties":{"b":{"maximum":1.0},"a":{}}}'
    body = (
        b'{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":'
        b'{"type":"json_schema","json_schema":{"name":"n","schema":' + schema + b"}}}"
    )
    assert schema == read_request(body).format.schema


@pytest.mark.parametrize("raw", [b'"\xff"', b'{"a":'])
def test_json_that_is_only_skimmed_at_first_is_refused_when_read(raw):
    """The top level is split before its members are looked into."""
    from trivium.wire.chat.read_request import read
    from trivium.wire.codec import ReadContext

    members = {"model": msgspec.Raw(b'"m"'), "messages": msgspec.Raw(raw)}
    with pytest.raises(Fault) as caught:
        read(members, ReadContext())
    assert Kind.MALFORMED_JSON is caught.value.kind
