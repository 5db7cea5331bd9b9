"""Requests of the Gemini API's dialect, as Vertex AI takes them."""

import msgspec
import pytest

from trivium.wire.generate.for_vertex import changes, counted
from trivium.wire.operation import Operation
from trivium.wire.peek import members

HI = {"parts": [{"text": "Hi"}]}
USER = {**HI, "role": "user"}
MODEL = {"role": "model", "parts": [{"text": "Yes?"}]}


def mended(body, operation=Operation.GENERATE):
    """(what is sent, what that repairs)."""
    data = body if isinstance(body, bytes) else msgspec.json.encode(body)
    found = members(data)
    changed, repaired = changes(operation, found)
    return msgspec.json.decode(found.splice(changed)) if changed else None, repaired


@pytest.mark.parametrize(
    ("contents", "sent"),
    [
        ([HI], [USER]),
        (HI, USER),
        ([{**HI, "role": None}], [USER]),
        ([{**HI, "role": ""}], [USER]),
        ([USER, MODEL, HI], [USER, MODEL, USER]),
        ([{**HI, "role": "function"}], [USER]),
        ([{**HI, "role": "tool"}], [USER]),
    ],
)
def test_a_content_without_a_role_is_the_users(contents, sent):
    """As it is to the Gemini API; all else stays as it was."""
    body = {"contents": contents, "labels": {"team": "a"}}
    assert ({**body, "contents": sent}, ["contents[].role"]) == mended(body)


@pytest.mark.parametrize(
    "contents",
    [[USER, MODEL], USER, [], [3], "hi", None, [{"role": 3, "parts": []}], [[USER]]],
)
def test_what_is_right_or_hopeless_stays(contents):
    """The vendor says what is wrong with the caller's own mistakes."""
    assert (None, []) == mended({"contents": contents})


def test_bytes_of_other_contents_stay():
    """Numbers and escapes are not written anew."""
    body = rb'{"contents":[{"role":"model","parts":[{"text":"\u0061", "n":1.50}]},{"parts":[]}]}'
    changed, _ = changes(Operation.GENERATE, members(body))
    assert (
        rb'[{"role":"model","parts":[{"text":"\u0061", "n":1.50}]},{"parts":[],"role":"user"}]'
        == changed["contents"]
    )


def test_twice_the_same_member_stays():
    """Which of the two counts is for whoever reads it."""
    assert (None, []) == mended(b'{"contents":[{"role":"x","role":"user","parts":[]}]}')


@pytest.mark.parametrize("spelled", ["generateContentRequest", "generate_content_request"])
def test_a_count_is_unwrapped(spelled):
    """What no count has there is left out; nothing of it is counted."""
    inner = {
        "model": "models/gemini-x", "contents": [HI], "systemInstruction": HI, "tools": [{"a": 1}],
        "generationConfig": {"seed": 1}, "safetySettings": [], "toolConfig": {},
    }  # fmt: skip
    sent = {
        "contents": [USER], "systemInstruction": HI, "tools": [{"a": 1}],
        "generationConfig": {"seed": 1},
    }  # fmt: skip
    told = ["generateContentRequest", "contents[].role"]
    assert (sent, told) == mended({spelled: inner}, Operation.GENERATE_COUNT)
    assert sent == msgspec.json.decode(counted(msgspec.json.encode({spelled: inner})))


def test_a_bare_count_keeps_its_members():
    """Only the role is named."""
    body = {"contents": [HI]}
    assert ({"contents": [USER]}, ["contents[].role"]) == mended(body, Operation.GENERATE_COUNT)
    ready = msgspec.json.encode({"contents": [USER]})
    assert ready == counted(ready)


def test_a_wrapper_that_is_none_is_left_to_the_vendor():
    """Also where it is in another operation's body."""
    assert (None, []) == mended({"generateContentRequest": 3}, Operation.GENERATE_COUNT)
    wrapped = {"generateContentRequest": {"contents": [HI]}, "contents": [USER]}
    assert (None, []) == mended(wrapped)
