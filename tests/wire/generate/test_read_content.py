"""Parts of a request's contents."""

import json

import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.opaque import (
    REDACTED,
    SIGNATURE,
    SLOT,
    THOUGHT_SIGNATURE,
    Opaque,
)
from trivium.conversation.parts import (
    Document,
    Image,
    Inline,
    Native,
    Reasoning,
    ReasoningForm,
    Text,
    VendorPart,
    Video,
)
from trivium.faults import Kind

CALL = {"functionCall": {"name": "f", "args": {}}}
PNG = {"mimeType": "image/png", "data": "AAAA"}


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ({"text": "a"}, Text(text="a")),
        ({"text": ""}, Text(text="")),
        ({"text": "a", "thought": True}, Reasoning(text="a", form=ReasoningForm.SUMMARY)),
        ({"text": "a", "thought": False}, Text(text="a")),
        ({"inline_data": PNG}, Image(source=Inline("image/png", "AAAA"))),
        (
            {"inlineData": {**PNG, "displayName": "a.png"}, "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"}},
            Image(source=Inline("image/png", "AAAA", "a.png"), detail="low"),
        ),
        (
            {"inlineData": {"mime_type": "video/mp4", "data": "AAAA"}, "videoMetadata": {"fps": 2}},
            Video(source=Inline("video/mp4", "AAAA"), metadata=Native("generate", b'{"fps": 2}')),
        ),
        ({"functionCall": {"name": "f"}}, ToolCall(id="", name="f", arguments="{}")),
        ({"functionCall": {"name": "f", "args": None}}, ToolCall(id="", name="f", arguments="{}")),
        ({"function_call": {"name": "f", "id": "1", "args": {"a": [1.0]}}}, ToolCall(id="1", name="f", arguments='{"a":[1.0]}')),
        ({"functionCall": {"name": "f", "args": {"_raw": '{"a'}}}, ToolCall(id="", name="f", arguments='{"a')),
    ],
)  # fmt: skip
def test_every_part_has_its_canonical_form(wires, part, found):
    """Both spellings, with modifiers."""
    assert (found,) == wires.turns(part)


@pytest.mark.parametrize(
    ("response", "text", "error"),
    [
        ({"output": "warm"}, "warm", False),
        ({"result": "warm"}, "warm", False),
        ({"content": "warm"}, "warm", False),
        ({"name": "f", "content": "warm"}, "warm", False),
        ({"name": "g", "content": "warm"}, '{"name":"g","content":"warm"}', False),
        ({"output": {"a": 1}}, '{"a":1}', False),
        ({"result": {"a": 1}}, '{"result":{"a":1}}', False),
        ({"error": "bad"}, "bad", True),
        ({"error": {"code": 1}}, '{"code":1}', True),
        ({"error": None}, '{"error":null}', False),
        ({"output": "a", "error": "b"}, '{"output":"a","error":"b"}', False),
        ({"a": 1.0, "b": [2]}, '{"a":1.0,"b":[2]}', False),
        ({}, "{}", False),
    ],
)
def test_a_result_is_text_in_any_clients_wrapping(wires, response, text, error):
    """Trap 84: an empty result is still a result."""
    (found,) = wires.turns({"functionResponse": {"name": "f", "response": response}})
    assert (text, error) == (found.parts[0].text, found.error)
    assert response == json.loads(found.structured)


def test_a_result_may_hold_media(wires):
    """Images come after the words."""
    (found,) = wires.turns(
        {"functionResponse": {"id": "1", "name": "f", "response": {"output": ""}, "parts": [{"inlineData": PNG}]}}
    )  # fmt: skip
    assert (
        ToolResult(
            call_id="1",
            name="f",
            parts=(Image(source=Inline("image/png", "AAAA")),),
            structured=b'{"output": ""}',
        )
        == found
    )


def test_a_result_without_a_response_is_empty(wires):
    """It still answers its call."""
    assert (ToolResult(call_id="", name="f"),) == wires.turns({"functionResponse": {"name": "f"}})


@pytest.mark.parametrize(
    ("part", "kind", "text"),
    [
        ({"executableCode": {"language": "PYTHON", "code": "print(1)"}}, "executableCode", "```python\nprint(1)\n```"),
        ({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}, "codeExecutionResult", "```\n1\n```"),
        ({"toolCall": {"id": "x"}}, "toolCall", ""),
        ({"hologram": {"depth": 3}}, "hologram", ""),
    ],
)  # fmt: skip
def test_a_part_nobody_else_has_is_kept_verbatim(wires, part, kind, text):
    """Also one that is unknown today."""
    (found,) = wires.turns(part)
    assert VendorPart(
        native=Native("generate", json.dumps(part).encode()), kind=kind, text=text
    ) == (msgspec_spaced(found))


def msgspec_spaced(part):
    """The part with the blanks that ``json.dumps`` puts."""
    data = json.dumps(json.loads(part.native.data)).encode()
    return VendorPart(native=Native("generate", data), kind=part.kind, text=part.text)


def test_a_picture_drawn_while_thinking_is_no_picture_of_the_answer(wires):
    """It goes back to its maker and to nobody else."""
    (found,) = wires.turns({"thought": True, "inline_data": PNG}, role="model")
    assert ("inline_data", "") == (found.kind, found.text)


@pytest.mark.parametrize("part", [{}, {"text": ""}, {"text": None}])
def test_a_part_with_nothing_in_it_is_an_empty_text(wires, part):
    """Google's SDK for Go leaves out members that are empty when it sends an answer back."""
    assert (Text(""),) == wires.turns(part)
    (thought,) = wires.turns(part | {"thought": True}, role="model")
    assert ("", True) == (thought.text, isinstance(thought, Reasoning))


@pytest.mark.parametrize(
    ("part", "kind", "param"),
    [
        ({"text": "a", "inlineData": PNG}, Kind.INVALID_VALUE, ""),
        ({"text": "a", "functionCall": {"name": "f"}}, Kind.INVALID_VALUE, ""),
        ({"inlineData": PNG, "inline_data": PNG}, Kind.DUPLICATE_MEMBER, ".inline_data"),
        ({"inlineData": {"data": "AAAA"}}, Kind.MISSING_MEMBER, ".inlineData.mimeType"),
        ({"inlineData": {"mimeType": "image/png", "data": "?"}}, Kind.INVALID_VALUE, ".inlineData.data"),
        ({"fileData": {}}, Kind.MISSING_MEMBER, ".fileData.fileUri"),
        ({"functionCall": {"args": {}}}, Kind.MISSING_MEMBER, ".functionCall.name"),
        ({"functionCall": {"name": "f", "args": "{}"}}, Kind.INVALID_TYPE, ".functionCall.args"),
        ({"functionResponse": {"response": {}}}, Kind.MISSING_MEMBER, ".functionResponse.name"),
        ({"functionResponse": {"name": "f", "response": "x"}}, Kind.INVALID_TYPE, ".functionResponse.response"),
        ({"functionResponse": {"name": "f", "parts": [{}]}}, Kind.MISSING_MEMBER, ".functionResponse.parts[0].inlineData"),
        ({"text": "a", "thought": "yes"}, Kind.INVALID_TYPE, ".thought"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(wires, part, kind, param):
    """Bad input gets an error that says where."""
    fault = wires.refused({"contents": [{"parts": [part]}]})
    assert (kind, f"contents[0].parts[0]{param}") == (fault.kind, fault.param)


@pytest.mark.parametrize(
    "placeholder",
    [
        "skip_thought_signature_validator",
        "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
        "context_engineering_is_the_way_to_go",
        "",
        None,
    ],
)
def test_a_placeholder_is_nobodys_signature(wires, placeholder):
    """The vendor's documented stand-ins, as text and as bytes."""
    (found,) = wires.turns({**CALL, "thoughtSignature": placeholder}, role="model")
    assert () == found.opaque


@pytest.mark.parametrize(
    "part", [CALL, {"text": "a"}, {"text": ""}, {"text": "a", "thought": True}, {}]
)
def test_a_signature_of_the_vendor_itself_has_no_known_maker(wires, part):
    """Nobody knows for which account it was made, so it goes to none."""
    (found,) = wires.turns({**part, "thoughtSignature": "AAEC-_8"}, role="model")
    assert (Opaque(SLOT, b"AAEC+/8="),) == found.opaque


@pytest.mark.parametrize(
    "part", [CALL, {"text": "a"}, {"text": ""}, {"text": "a", "thought": True}]
)
@pytest.mark.parametrize("url_safe", [False, True])
def test_a_sealed_signature_stays_on_its_part(wires, part, url_safe):
    """google-genai for Python sends it back in the other alphabet."""
    slot = wires.seal((wires.signature(),))
    if url_safe:
        slot = slot.replace("+", "-").replace("/", "_").rstrip("=")
    (found,) = wires.turns({**part, "thoughtSignature": slot}, role="model")
    assert (wires.signature(),) == found.opaque
    assert THOUGHT_SIGNATURE == found.opaque[0].kind


def opaque(wires, kind, data=b"sig"):
    return Opaque(kind, data, wires.other, "claude-x")


def test_what_another_shape_attached_to_a_thought_finds_its_thought(wires):
    """It rode on the call; the caller sent the thoughts back."""
    sig, red = opaque(wires, SIGNATURE), opaque(wires, REDACTED)
    found = wires.turns(
        {"text": "Plan.", "thought": True},
        {"text": "Looking."},
        {**CALL, "thoughtSignature": wires.seal((sig, red))},
        role="model",
    )
    assert (
        Reasoning(text="Plan.", form=ReasoningForm.SUMMARY, opaque=(sig,)),
        Reasoning(text="", form=ReasoningForm.HIDDEN, opaque=(red,)),
        Text(text="Looking."),
        ToolCall(id="", name="f", arguments="{}"),
    ) == found


def test_what_another_shape_attached_survives_a_caller_that_drops_thoughts(wires):
    """Gemini CLI sends calls back whole and thoughts not at all."""
    sig = opaque(wires, SIGNATURE)
    found = wires.turns(
        {"text": "Looking."}, {**CALL, "thoughtSignature": wires.seal((sig,))}, role="model"
    )
    assert (
        Reasoning(text="", form=ReasoningForm.HIDDEN, opaque=(sig,)),
        Text(text="Looking."),
        ToolCall(id="", name="f", arguments="{}"),
    ) == found


def test_what_rode_on_a_last_empty_text_leaves_no_text(wires):
    """The empty text was ours."""
    sig = opaque(wires, SIGNATURE)
    found = wires.turns(
        {"text": "Plan.", "thought": True},
        {"text": "Hello."},
        {"text": "", "thoughtSignature": wires.seal((sig,))},
        role="model",
    )
    assert (
        Reasoning(text="Plan.", form=ReasoningForm.SUMMARY, opaque=(sig,)),
        Text(text="Hello."),
    ) == found


def test_each_run_of_calls_has_its_own_thoughts(wires):
    """Behind a call a new run begins."""
    one, two = opaque(wires, SIGNATURE, b"1"), opaque(wires, SIGNATURE, b"2")
    found = wires.turns(
        {"text": "A", "thought": True},
        {**CALL, "thoughtSignature": wires.seal((one,))},
        {"text": "B", "thought": True},
        {**CALL, "thoughtSignature": wires.seal((two,))},
        role="model",
    )
    assert [(b"1",), (), (b"2",), ()] == [tuple(o.data for o in part.opaque) for part in found]


def test_unknown_members_of_a_known_part_are_reported(wires):
    """They are not lost in silence."""
    found = wires.read({"contents": [{"parts": [{"text": "a", "newFlag": 1}]}]})
    assert "contents[0].parts[0].newFlag" == found.extensions[0].member


def test_a_document_keeps_its_name(wires):
    """PDF by bytes."""
    (found,) = wires.turns(
        {"inlineData": {"mimeType": "application/pdf", "data": "AAAA", "displayName": "a.pdf"}}
    )
    assert Document(source=Inline("application/pdf", "AAAA", "a.pdf")) == found


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"text": "a", "partMetadata": {"a": 1}}, ["partMetadata"]),
        ({"text": "a", "videoMetadata": {"fps": 1}}, ["videoMetadata"]),
        ({"text": "a", "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"}}, ["mediaResolution"]),
        ({"text": "a", "mediaProcessing": "STATIC"}, ["mediaProcessing"]),
        ({"text": "a"}, []),
    ],
)
def test_what_a_part_says_about_its_data_is_kept_to_be_told(wires, part, said):
    """No other shape has a word for it."""
    found = wires.read({"contents": [{"parts": [part]}]})
    assert [f"contents[0].parts[0].{one}" for one in said] == [
        one.member for one in found.extensions
    ]
