"""GenerateContentRequest as a canonical conversation."""

import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.parts import Audio, Document, Image, Inline, Remote, Stored, Text, Video
from trivium.conversation.request import (
    Extension,
    FormatKind,
    ReasoningSettings,
    Sampling,
)
from trivium.conversation.tools import ChoiceMode, ServerKind, ToolChoice
from trivium.faults import Kind

HI = [{"role": "user", "parts": [{"text": "hi"}]}]


def test_google_genai_for_python_with_both_spellings(wires):
    """Trap 92, 93: the official SDK's own mixture is one request; the caller's JSON stays as it was."""
    found = wires.read(wires.fixture("genai.request.json"), stream=True)
    user, model, result = found.turns
    assert (
        Text(text="What is this?"),
        Image(source=Inline("image/png", "+//+AA==")),
        Document(
            source=Stored(
                "generate",
                "https://generativelanguage.googleapis.com/v1beta/files/abc",
                "application/pdf",
            )
        ),
        Video(source=Remote("https://youtu.be/9hE5-98ZeCg")),
        Audio(source=Inline("audio/wav", "UklGRg==")),
    ) == user.parts
    assert (
        ToolCall(
            id="",
            name="look_up",
            arguments='{"some_key":1.0,"camelKey":[12345678901234567890123],"nested_one":{"a_b":null}}',
        ),
    ) == model.parts
    assert (
        ToolResult(
            call_id="",
            name="look_up",
            parts=(Text(text='{"output":"red","more_data":2.0}'),),
            structured=b'{"output":"red","more_data":2.0}',
        ),
    ) == result.parts
    assert (Role.USER, Role.ASSISTANT, Role.USER) == (user.role, model.role, result.role)
    assert (Text(text="Be brief."),) == found.instructions
    function, search = found.tools
    assert b'"max_items":{"type":"integer","default":3}' in function.parameters
    assert ServerKind.WEB_SEARCH is search.kind
    assert ToolChoice(ChoiceMode.NAMED, ("look_up",)) == found.tool_choice
    assert Sampling(0.5, 0.9, 5, 0.2, 0.1, 7) == found.sampling
    assert (256, 1, ("END",), True) == (
        found.output_max,
        found.candidates,
        found.stop,
        found.stream,
    )
    assert FormatKind.SCHEMA is found.format.kind
    assert (
        b'{"type":"object","properties":{"note":{"type":["string","null"]},'
        b'"max_items":{"type":"array","items":{"type":"string"},"minItems":2}}}'
    ) == found.format.schema
    assert ReasoningSettings(budget=2048, shown=True) == found.reasoning
    assert (("some_team", "a"),) == found.metadata
    assert () == found.extensions


def test_langchain_with_calls_that_have_no_ids(wires):
    """Calls and results stay in order, with names; empty safety settings are nothing."""
    found = wires.read(wires.fixture("langchain.request.json"))
    assert [("weather", ""), ("weather", ""), ("now", "")] == [
        (part.name, part.id) for part in found.turns[1].parts
    ]
    assert [("weather", "warm", False), ("weather", "cold", False), ("now", "no clock", True)] == [
        (part.name, part.parts[0].text, part.error) for part in found.turns[2].parts
    ]
    weather, now = found.tools
    assert (
        b'{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'
        == weather.parameters
    )
    assert now.parameters is None
    assert () == found.extensions


def test_gemini_cli_with_a_placeholder_for_a_signature(wires):
    """The placeholder is nobody's signature; the schema passes as it is."""
    found = wires.read(wires.fixture("gemini-cli.request.json"))
    (call,) = found.turns[1].parts
    assert ("call_1", ()) == (call.id, call.opaque)
    assert b'"$schema":"http://json-schema.org/draft-07/schema#"' in found.tools[0].parameters
    assert ReasoningSettings(budget=8192, shown=True) == found.reasoning


ALONE = {
    "system_instruction": {"parts": {"text": "You are a cat."}},
    "contents": {"parts": {"text": "Hello there"}},
    "tools": {"function_declarations": {"name": "f", "parameters": {"type": "OBJECT"}}},
}
LISTED = {
    "system_instruction": {"parts": [{"text": "You are a cat."}]},
    "contents": [{"parts": [{"text": "Hello there"}]}],
    "tools": [{"function_declarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}],
}
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "AAEC"}}


def test_one_object_stands_for_an_array_of_one(wires):
    """The vendor's parser takes it, and its examples for curl are written so."""
    assert wires.read(LISTED) == wires.read(ALONE)
    result = {"name": "f", "response": {"output": "x"}, "parts": PICTURE}
    (spoken,) = wires.read({"contents": {"parts": {"functionResponse": result}}}).turns
    said, shown = spoken.parts[0].parts
    assert ("x", "AAEC") == (said.text, shown.source.data)


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ("Be brief.", ["Be brief."]),
        ({"parts": [{"text": "A"}, {"text": "B"}]}, ["A", "B"]),
        ({"role": "system", "parts": [{"text": "A"}]}, ["A"]),
        ({"parts": [{"text": ""}]}, []),
        ("", []),
        ({}, []),
    ],
)
@pytest.mark.parametrize("name", ["systemInstruction", "system_instruction"])
def test_the_system_instruction_is_a_content_or_a_text(wires, name, given, texts):
    """Its role says nothing."""
    found = wires.read({"contents": HI, name: given})
    assert texts == [text.text for text in found.instructions]


@pytest.mark.parametrize(
    ("role", "kind"),
    [("user", Role.USER), ("model", Role.ASSISTANT), ("function", Role.USER), ("tool", Role.USER), ("", Role.USER), (None, Role.USER)],
)  # fmt: skip
def test_roles(wires, role, kind):
    """A missing one is the user's."""
    found = wires.read({"contents": [{"role": role, "parts": [{"text": "a"}]}]})
    assert (Turn(kind, (Text(text="a"),)),) == found.turns


@pytest.mark.parametrize(
    ("members", "rank"),
    [
        ({"cachedContent": "cachedContents/1"}, Rank.CONTRACT),
        ({"cached_content": "cachedContents/1"}, Rank.CONTRACT),
        ({"continuationToken": "AAEC"}, Rank.CONTRACT),
        ({"generationConfig": {"responseFormat": [{"text": {}}]}}, Rank.CONTRACT),
        ({"safetySettings": [{"category": "X", "threshold": "OFF"}]}, Rank.HINT),
        ({"generationConfig": {"imageConfig": {"aspectRatio": "1:1"}}}, Rank.HINT),
        ({"toolConfig": {"retrievalConfig": {"languageCode": "de"}}}, Rank.HINT),
        ({"brandNew": 1}, Rank.HINT),
    ],
)
def test_members_that_only_this_shape_has_are_kept_with_what_their_loss_costs(wires, members, rank):
    """A cached prompt is part of the request; a safety setting is not."""
    (found,) = wires.read({"contents": HI, **members}).extensions
    (outer,) = members
    inner = members[outer]
    path = f"{outer}.{next(iter(inner))}" if outer in ("generationConfig", "toolConfig") else outer
    assert (path, rank) == (found.member, found.rank)


def test_empty_members_are_nothing(wires):
    """LangChain always sends empty safety settings."""
    body = {
        "contents": HI,
        "safetySettings": [],
        "brandNew": {},
        "cachedContent": "",
        "model": None,
    }
    assert () == wires.read(body).extensions


@pytest.mark.parametrize(
    ("tier", "found"),
    [("flex", "flex"), ("standard", "default"), ("PRIORITY", "priority"), ("unspecified", None), ("new", "new")],
)  # fmt: skip
def test_tiers_in_our_words(wires, tier, found):
    """Lower case on the wire, any case taken."""
    assert found == wires.read({"contents": HI, "serviceTier": tier}).service_tier


@pytest.mark.parametrize("name", ["g", "models/g"])
def test_a_body_may_repeat_the_model(wires, name):
    """With or without its prefix."""
    assert "g" == wires.read({"contents": HI, "model": name}).model


@pytest.mark.parametrize(
    ("body", "kind", "param"),
    [
        ({}, Kind.MISSING_MEMBER, "contents"),
        ({"contents": []}, Kind.MISSING_MEMBER, "contents"),
        ({"contents": "hi"}, Kind.INVALID_TYPE, "contents"),
        ({"contents": [{"role": "system", "parts": []}]}, Kind.INVALID_VALUE, "contents[0].role"),
        ({"contents": [{"parts": {}}]}, Kind.INVALID_TYPE, "contents[0].parts"),
        ({"contents": [{"parts": ["hi"]}]}, Kind.INVALID_TYPE, "contents[0].parts[0]"),
        ({"contents": HI, "model": "other"}, Kind.INVALID_VALUE, "model"),
        ({"contents": HI, "systemInstruction": {}, "system_instruction": {}}, Kind.DUPLICATE_MEMBER, "system_instruction"),
        ({"contents": HI, "system_instruction": {"parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}}, Kind.INVALID_TYPE, "system_instruction.parts[0]"),
        ({"contents": HI, "generationConfig": 5}, Kind.INVALID_TYPE, "generationConfig"),
        ({"contents": HI, "labels": {"a": 1}}, Kind.INVALID_TYPE, "labels.a"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(wires, body, kind, param):
    """Bad input gets an error that says where."""
    fault = wires.refused(body)
    assert (kind, param) == (fault.kind, fault.param)


def test_extension_values_are_kept_as_they_came(wires):
    """Byte for byte."""
    body = b'{"contents":[{"parts":[{"text":"a"}]}],"brandNew":{"a":1.0, "b":2}}'
    assert (Extension("brandNew", b'{"a":1.0, "b":2}', Rank.HINT),) == wires.read(body).extensions


@pytest.mark.parametrize(
    ("role", "part", "other"),
    [
        ("user", {"functionCall": {"name": "f"}}, "model"),
        ("model", {"functionResponse": {"name": "f", "response": {}}}, "user"),
    ],
)
def test_a_call_is_the_models_and_a_result_the_users(wires, role, part, other):
    """Anything else no upstream takes, in whatever shape."""
    fault = wires.refused({"contents": [{"role": role, "parts": [part]}]})
    assert "contents[0].role" == fault.param
    assert f"must be {other}" in fault.message


PNG = {"mimeType": "image/png", "data": "iVBORw0KGgo"}


@pytest.mark.parametrize(
    "contents",
    [
        [{"role": "user", "parts": [{"text": "a"}, {"inlineData": PNG}, {"text": ""}]}],
        [{"parts": []}, {"role": "model", "parts": [{"text": "b"}]}],
        [{"role": "model", "parts": [{"text": "b"}]}, {"role": "model", "parts": [{"text": "c"}]}],
        [{"role": "user", "parts": [{"inlineData": PNG | {"displayName": "d"}}, {}]}],
        [{"role": "user", "parts": [{"inline_data": PNG}, {"text": "a", "thought": True}]}],
        [{"role": "model", "parts": [{"functionCall": {"name": "f"}}]}],
        [{"role": "user", "parts": [{"inlineData": {"mimeType": "audio/wav", "data": "AA_-"}}]}],
    ],
)
def test_a_large_history_is_read_as_a_small_one_is(wires, monkeypatch, contents):
    """Whatever else is in it than words and files."""
    small = wires.read({"contents": contents})
    monkeypatch.setattr("trivium.wire.json_size.PACED_BYTES", 10)
    assert small == wires.read({"contents": contents})


@pytest.mark.parametrize(
    ("part", "param"),
    [
        ({"inlineData": PNG | {"data": "a,b"}}, "contents[0].parts[1].inlineData.data"),
        ({"inlineData": PNG | {"data": ""}}, "contents[0].parts[1].inlineData.data"),
        ({"inlineData": {"data": "AA=="}}, "contents[0].parts[1].inlineData.mimeType"),
        ({"inlineData": PNG, "text": "a"}, "contents[0].parts[1]"),
        ({"text": 5}, "contents[0].parts[1].text"),
    ],
)
def test_a_large_history_is_refused_as_a_small_one_is(wires, monkeypatch, part, param):
    """By name."""
    body = {"contents": [{"role": "user", "parts": [{"text": "a"}, part]}]}
    first = wires.refused(body)
    monkeypatch.setattr("trivium.wire.json_size.PACED_BYTES", 10)
    second = wires.refused(body)
    assert (first.kind, first.param, first.message) == (second.kind, second.param, second.message)
    assert param == first.param
