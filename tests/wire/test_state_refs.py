"""Opaque state is found in requests that nobody has parsed, newest last, and nothing else is."""

import base64

import msgspec
import pytest

from growth.measuring import least
from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.secret import Keyring
from trivium.wire import state_refs
from trivium.wire.envelope import PREFIX, sealer
from trivium.wire.operation import Shape
from trivium.wire.state_refs import CALL_DIGITS, CALL_PREFIX, is_plain

VALUE = base64.b64encode(bytes(range(200))).decode()
OTHER = base64.b64encode(bytes(range(50, 250))).decode()
ENVELOPE = sealer(Keyring(b"k" * 32), 3)(
    (Opaque(SIGNATURE, b"s", StateOrigin("messages", "anthropic", "a")),)
)
CALL = CALL_PREFIX + "0123456789ab" * 2
FIELDS = {
    Shape.CHAT: [
        {"extra_content": {"google": {"thought_signature": VALUE}}},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": VALUE}]},
        {"reasoning_details": [{"type": "reasoning.text", "text": "x", "signature": VALUE}]},
    ],
    Shape.RESPONSES: [{"type": "reasoning", "id": "rs_1", "encrypted_content": VALUE}],
    Shape.MESSAGES: [
        {"type": "thinking", "thinking": "x", "signature": VALUE},
        {"type": "redacted_thinking", "data": VALUE},
    ],
    Shape.GENERATE: [{"thoughtSignature": VALUE}, {"thought_signature": VALUE}],
}
PLAIN = b'{"model":"m","messages":[{"role":"user","content":"the signature of thoughtSignature"}]}'


@pytest.mark.parametrize(
    ("shape", "field"), [(shape, field) for shape, fields in FIELDS.items() for field in fields]
)
@pytest.mark.parametrize("indent", [None, 1])
def test_every_slot_of_every_shape_is_found(shape, field, indent):
    """However the JSON is spelt; the same value has the same key in every slot and spelling."""
    body = msgspec.json.encode({"x": [field]})
    if indent:
        body = msgspec.json.format(body, indent=indent)
    assert state_refs.any_in(body, shape)
    assert not is_plain(body, shape)
    (mark,) = state_refs.found(body, shape).native
    assert (
        state_refs.native(msgspec.json.encode({"signature": VALUE}), Shape.MESSAGES)[0].key
        == mark.key
    )


@pytest.mark.parametrize("shape", list(FIELDS))
def test_an_ordinary_request_is_not_looked_into(shape):
    """Words of the text are no slots."""
    assert not state_refs.any_in(PLAIN, shape)


def test_another_value_has_another_key():
    """Keys are digests of the values."""
    one, two = (
        state_refs.native(msgspec.json.encode({"signature": value}), Shape.MESSAGES)[0].key
        for value in (VALUE, OTHER)
    )
    assert one != two


@pytest.mark.parametrize(
    "spelling",
    [
        lambda value: value.replace("+", "-").replace("/", "_"),
        lambda value: value.rstrip("="),
        lambda value: value.replace("=", "\\u003d"),
    ],
    ids=["url-safe", "unpadded", "escaped"],
)
def test_a_client_that_spells_base64_anew_is_understood(spelling):
    """A bytes field may come back in the other alphabet."""
    value = base64.b64encode(b"\xfb\xff" * 50).decode()
    plain = b'{"thoughtSignature":"%s"}' % value.encode()
    anew = b'{"thoughtSignature":"%s"}' % spelling(value).encode()
    keys = {state_refs.native(body, Shape.GENERATE)[0].key for body in (plain, anew)}
    assert 1 == len(keys)


def test_marks_come_in_their_order():
    """Envelopes, calls and vendors' values each tell where they stand."""
    body = msgspec.json.encode(
        [{"thought_signature": VALUE}, {"id": CALL}, {"data": ENVELOPE}, {"tool_call_id": CALL}]
    )
    found = state_refs.found(body, Shape.CHAT)
    assert [ENVELOPE] == [mark.key for mark in found.envelopes]
    assert [CALL] == [mark.key for mark in found.calls]
    assert found.native[0].at < found.calls[0].at < found.envelopes[0].at


def test_an_envelope_is_no_value_of_a_vendor():
    """What we sealed is opened, not looked up."""
    body = msgspec.json.encode({"signature": ENVELOPE})
    found = state_refs.found(body, Shape.MESSAGES)
    assert ((ENVELOPE,), ()) == (tuple(mark.key for mark in found.envelopes), found.native)


@pytest.mark.parametrize(
    "id_", [CALL_PREFIX, CALL_PREFIX + "0" * (CALL_DIGITS - 1), CALL + "0", CALL.upper()]
)
def test_only_whole_ids_of_ours_are_calls(id_):
    """What looks alike leads nowhere."""
    assert () == state_refs.found(msgspec.json.encode({"id": id_}), Shape.CHAT).calls


def test_words_inside_a_text_are_no_slot():
    """A tool may answer with JSON of its own, which stands escaped in a string."""
    inner = msgspec.json.encode({"signature": VALUE}).decode()
    assert () == state_refs.found(msgspec.json.encode({"content": inner}), Shape.MESSAGES).native


def test_a_body_full_of_marks_is_not_looked_at_to_its_end():
    """The newest decide; each older one would cost a look into the store."""
    many = state_refs.MARKS_MAX + 100
    calls = [f"{CALL_PREFIX}{n:024x}" for n in range(many)]
    body = msgspec.json.encode({"ids": calls, "data": [f"{ENVELOPE}{n:04d}" for n in range(many)]})
    found = state_refs.found(body, Shape.CHAT)
    assert [calls[100], calls[-1]] == [found.calls[0].key, found.calls[-1].key]
    assert (state_refs.MARKS_MAX, f"{ENVELOPE}{many - 1:04d}") == (
        len(found.envelopes),
        found.envelopes[-1].key,
    )


def test_a_word_that_only_begins_alike_carries_nothing():
    """Kinds of reasoning without a signature are nobody's in particular."""
    body = b'{"messages":[{"reasoning_details":[{"type":"reasoning.summary","summary":"x"}]}]}'
    assert not state_refs.any_in(body, Shape.CHAT)
    assert () == state_refs.native(body, Shape.CHAT)
    assert state_refs.any_in(body.replace(b".summary", b".text"), Shape.CHAT)


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_the_length_of_a_stream_does_not_matter(size):
    """Short reads are searched from the left, long ones from the right."""
    sealed = b'{"signature":"' + b"A" * 40 + b'"}'
    run = b"x" * size + sealed + b"x" * size
    assert [size + 1] == [mark.at for mark in state_refs.native(run, Shape.MESSAGES)]
    assert () == state_refs.native(run.replace(b"signature", b"statement"), Shape.MESSAGES)


@pytest.mark.parametrize("shape", [Shape.CHAT, Shape.RESPONSES, Shape.MESSAGES, Shape.GENERATE])
def test_words_without_values_are_looked_at_once(shape):
    """Half a megabyte of nothing but them, whatever stands between, takes no longer than reading."""
    words = (b'"reasoning.text"', b'"redacted_thinking"', b'"signature"', b'"thoughtSignature"')
    for word in (*words, b'"reasoning.encrypted"', b'"encrypted_content"', PREFIX.encode()):
        for gap in (b"", b" ", b"a" * 30):
            body = (word + gap) * (524_288 // len(word + gap))

            def look(body=body):
                state_refs.native(body, shape)
                state_refs.found(body, shape)

            assert least(look, 0.5) < 0.5, (word, gap)


def test_a_text_full_of_words_that_are_no_marks_is_not_looked_at_to_its_beginning():
    """Nor is any that stands before so many of them."""
    word = b'\\"' + CALL.encode() + b'\\" '
    mark = b'"' + CALL.encode() + b'"'
    few, many = word * 100, word * (state_refs.LOOKS_MAX + 1)
    assert 1 == len(state_refs.found(mark + few, Shape.CHAT).calls)
    assert 0 == len(state_refs.found(mark + many, Shape.CHAT).calls)
    assert 1 == len(state_refs.found(many + mark, Shape.CHAT).calls)


WORDS = {
    Shape.CHAT: b'{"model":"m","messages":[{"role":"user","content":"a type of \\"type\\""}],"max_tokens":5}',
    Shape.RESPONSES: b'{"model":"m","input":[{"role":"user","content":"hi"}],"store":false}',
    Shape.MESSAGES: b'{"model":"m","messages":[{"role":"user","content":"hi"}],"system":"be brief"}',
}
PARTS = [
    (Shape.CHAT, b'{"messages":[{"content":[{"type":"file","file":{"file_id":"f"}}]}]}'),
    (Shape.CHAT, b'{"messages":[{"role":"tool","tool_call_id":"call_tvm0","content":"4"}]}'),
    (Shape.CHAT, b'{"messages":[{"tool_calls":[{"id":"call_tvm0"}]}]}'),
    (Shape.CHAT, b'{"messages":[{"extra_content":{"google":{"thought_signature":"x"}}}]}'),
    (Shape.RESPONSES, b'{"input":[{"type":"reasoning","encrypted_content":"x"}]}'),
    (Shape.RESPONSES, b'{"prompt":{"id":"p"}}'),
    (Shape.RESPONSES, b'{"tools":[{"type":"code_interpreter","container":"c"}]}'),
    (Shape.MESSAGES, b'{"messages":[{"content":[{"type":"thinking","signature":"x"}]}]}'),
    (Shape.MESSAGES, b'{"container":"c"}'),
    (Shape.MESSAGES, rb'{"messages":[{"content":[{"t\u0079pe":"thinking","signature":"x"}]}]}'),
    (Shape.CHAT, rb'{"messages":[{"content":[{"t\u0079pe":"file","file":{"file_id":"f"}}]}]}'),
    (Shape.GENERATE, b'{"contents":[{"parts":[{"text":"hi"}]}]}'),
    (Shape.EMBEDDINGS, b'{"input":"hi"}'),
]


@pytest.mark.parametrize("shape", WORDS)
def test_words_alone_are_plain(shape):
    """Whatever the words say."""
    assert is_plain(WORDS[shape], shape)


@pytest.mark.parametrize(("shape", "body"), PARTS)
def test_what_may_carry_or_refer_is_not(shape, body):
    """Parts, calls, results and members of their own; shapes of which nothing is known."""
    assert not is_plain(body, shape)
