"""Long conversations that are words alone: what is one, and what may never be taken for one."""

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.wire import peek, references, state_refs
from trivium.wire.operation import CONVERSATION, Shape
from trivium.wire.plain_words import NAMES_MAX, only_words

SLOTS = {
    Shape.CHAT: "messages",
    Shape.MESSAGES: "messages",
    Shape.COHERE: "messages",
    Shape.RESPONSES: "input",
    Shape.GENERATE: "contents",
}


def turn(shape, text, role="user"):
    if shape is Shape.GENERATE:
        return {"role": role, "parts": [{"text": text}, {"text": text}]}
    return {"role": role, "content": text}


def body(shape, turns, **more):
    return msgspec.json.encode({"model": "m", SLOTS[shape]: turns, **more})


def told(data, shape):
    return only_words(peek.members(data), shape)


@pytest.mark.parametrize("size", [1, 400_000])
@pytest.mark.parametrize("shape", SLOTS)
def test_turns_of_texts_are_words(shape, size):
    """Whatever these say, and however they are escaped."""
    text = 'a "type" and "fileData" of \\u0041 call_tvm_ é\n' + "x" * size
    turns = [turn(shape, text), turn(shape, text, "assistant"), turn(shape, "")]
    settings = {"temperature": 0.5, "stream_options": {"include_usage": True}, "stop": ["a"]}
    if shape is Shape.GENERATE:
        settings = {
            "generationConfig": {"maxOutputTokens": 9},
            "systemInstruction": {"parts": [{"text": "Be terse."}]},
        }
    assert told(body(shape, turns, **settings), shape)
    assert told(msgspec.json.format(body(shape, turns, **settings)), shape)


def test_an_input_that_is_a_text_is_words():
    """Of the responses shape alone; in no other shape is it a conversation."""
    for shape, slot in SLOTS.items():
        assert told(b'{"%b":"Hi"}' % slot.encode(), shape) is (shape is Shape.RESPONSES)


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "function"}]},
        {"tools": [{"type": "file_search"}]},
        {"container": "c", "prompt": {"id": "p"}, "type": "x", "cachedContent": "c", "tool_call": 1, "url": {"type": "x"}},
        {"cachedContent": "cachedContents/1", "type": "x"},
        {"x": {"t\u0079pe": 1}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", SLOTS)
def test_what_stands_beside_the_conversation_counts(shape, more):
    """As names and within the values; Google's parts have no type."""
    if shape is not Shape.GENERATE:
        assert not told(body(shape, [turn(shape, "Hi")], **more), shape)


@pytest.mark.parametrize(
    "more",
    [
        b'"cachedContent":"c"',
        b'"cached_content":"c"',
        b'"systemInstruction":{"parts":[{"fileData":{"fileUri":"a"}}]}',
        b'"x":{"file\\u0055ri":"a"}',
    ],
)
def test_a_cached_prompt_is_a_reference(more):
    """Of Google's shape, in both spellings; and a name may be hidden by an escape."""
    data = b'{"contents":[{"parts":[{"text":"Hi"}]}],%b}' % more
    assert not told(data, Shape.GENERATE)


@pytest.mark.parametrize(
    "said",
    [
        b"[]",
        b"{}",
        b"null",
        b"7",
        b"[7]",
        b"[[]]",
        b"[{}]",
        b'[{"role":"user"}]',
        b'[{"content":"Hi"}]',
        b'[{"role":"user","content":null}]',
        b'[{"role":"user","content":{"text":"Hi"}}]',
        b'[{"role":"user","content":[{"type":"text","text":"Hi"}]}]',
        b'[{"role":"user","content":[{"image_url":"https://a"}]}]',
        b'[{"role":{"content":"Hi"},"content":"Hi"}]',
        b'[{"role":"user","content":"Hi","tool_calls":[]}]',
        b'[{"role":"user","content":"Hi","name":"n"}]',
        b'[{"role":"user","content":[{"file_id":"f"}],"content":"Hi"}]',
        b'[{"role":"user","content":"Hi","content":[{"file_id":"f"}]}]',
        b'[{"role":"user","content":"Hi","c\\u006fntent":[{"file_id":"f"}]}]',
        b'[{"role":"user","parts":[]},{"role":"user","parts":"Hi"}]',
        b'[{"role":["a"],"parts":[{"text":"Hi"}]}]',
        b'[{"role":"user","parts":[{"text":"Hi","thoughtSignature":"c2ln"}]}]',
        b'[{"role":"user","parts":[{"text":"Hi"},{"fileData":{"fileUri":"a"}}]}]',
        b'[{"role":"user","parts":[{"text":{"fileUri":"a"}}]}]',
        b'[{"role":"user","parts":[{"fileData":{"fileUri":"a"}}],"parts":[{"text":"Hi"}]}]',
        b'[{"role":"user","parts":[{"text":{"fileUri":"a"},"text":"Hi"}]}]',
        b'[{"role":"user","parts":[{"text":"Hi"}],"content":"Hi"}]',
        b'[{"role":"user","parts":[{"text":"Hi"}]},{"role":"user","parts":[7]}]',
        b"[" * 3000,
    ],
)
@pytest.mark.parametrize("shape", SLOTS)
def test_anything_else_is_not(shape, said):
    """Also what is no JSON, as a member is only skimmed until it is read."""
    raw = msgspec.Raw(said)
    assert not only_words(peek.Members({"model": msgspec.Raw(b'"m"'), SLOTS[shape]: raw}), shape)


@pytest.mark.parametrize("shape", SLOTS)
def test_of_another_spelling_nothing_is_known(shape):
    """Nor of a body that has none, nor of one that has it twice."""
    slot, turns = SLOTS[shape].encode(), msgspec.json.encode([turn(shape, "Hi")])
    assert told(b'{"%b":%b}' % (slot, turns), shape)
    assert not told(b'{"%b":%b}' % (slot.upper(), turns), shape)
    assert not told(b'{"%b":%b,"%b":7}' % (slot, turns, slot.upper()), shape)
    assert not told(b'{"%b":%b,"%b":%b}' % (slot, turns, slot, turns), shape)
    assert not told(b"{}", shape)


@pytest.mark.parametrize("shape", SLOTS)
def test_a_crowd_of_turns_is_not_looked_at(shape):
    """Each member of each costs a call."""
    few = NAMES_MAX // 4
    assert told(body(shape, [turn(shape, "a")] * few), shape)
    assert not told(body(shape, [turn(shape, "a")] * NAMES_MAX), shape)


def test_amazons_shape_is_left_to_the_search():
    """Its parts are never known to be words."""
    rest = set(CONVERSATION) - set(SLOTS)
    assert {Shape.CONVERSE} == {shape for shape in rest if shape not in state_refs.PARTS}
    assert not told(b'{"messages":[{"role":"user","content":[{"text":"a"}]}]}', Shape.CONVERSE)


_VALUES = st.recursive(
    st.sampled_from(["Hi", "https://a", "file-1", 7, None]),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(
        st.sampled_from(
            ["role", "content", "parts", "text", "type", "url", "image_url", "file_id", "fileData",
             "fileUri", "signature", "thoughtSignature", "encrypted_content", "tool_calls"]
        ),
        inner,
        max_size=3,
    ),
    max_leaves=6,
)  # fmt: skip


@given(st.sampled_from(list(SLOTS)), st.lists(_VALUES, max_size=3))
def test_nothing_that_refers_is_ever_words(shape, turns):
    """Held against the search."""
    whole = [turn(shape, "Hi")]
    for said in itertools.chain([turns], ([*whole, one] for one in turns)):
        data = body(shape, said)
        if told(data, shape):
            assert not references.tokens(data, shape)
            assert not state_refs.any_in(data, shape)
