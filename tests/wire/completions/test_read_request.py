"""A completions request as a conversation, and what no conversation can carry."""

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.conversation.items import Role
from trivium.faults import Fault, Kind
from trivium.wire.codec import ReadContext
from trivium.wire.completions.read_request import echoed, read


def _read(**members):
    body = msgspec.json.encode({"model": "m", "prompt": "Once", **members})
    return read(msgspec.json.decode(body, type=dict[str, msgspec.Raw]), ReadContext())


@pytest.mark.parametrize("prompt", ["Once", ["Once"]])
def test_one_prompt_is_one_turn_of_the_user(prompt):
    """Alone or in an array of one."""
    found = _read(prompt=prompt)

    (turn,) = found.turns
    assert (Role.USER, ["Once"]) == (turn.role, [part.text for part in turn.parts])
    assert ("completions", "m", None) == (found.shape, found.model, found.output_max)


def test_members_of_both_shapes_keep_their_meaning():
    """Limits, sampling, stops, answers wanted, probabilities, streams."""
    found = _read(
        max_tokens=7, temperature=0.5, top_p=0.9, seed=3, frequency_penalty=1, presence_penalty=-1,
        stop=["a", "b"], n=2, best_of=2, logprobs=3, user="u", stream=True,
        stream_options={"include_usage": True}, logit_bias={"50256": -100},
    )  # fmt: skip

    sampling = found.sampling
    assert (0.5, 0.9, 3, 1, -1, b'{"50256":-100}') == (
        sampling.temperature, sampling.top_p, sampling.seed, sampling.frequency_penalty,
        sampling.presence_penalty, sampling.logit_bias,
    )  # fmt: skip
    assert (7, ("a", "b"), 2, True, 3) == (
        found.output_max, found.stop, found.candidates, found.logprobs, found.top_logprobs,
    )  # fmt: skip
    assert ("u", True, True, ()) == (found.user, found.stream, found.usage_wanted, found.extensions)


def test_a_member_of_one_server_is_kept_for_the_report():
    """It is a hint: no other server need know it."""
    (extension,) = _read(min_p=0.1, messages=None).extensions

    assert ("min_p", b"0.1") == (extension.member, extension.data)


@pytest.mark.parametrize(
    ("members", "param", "words"),
    [
        ({"prompt": [1, 2]}, "prompt", "token ids"),
        ({"prompt": [[1], [2]]}, "prompt", "token ids"),
        ({"prompt": ["a", "b"]}, "prompt", "2 prompts"),
        ({"prompt": None}, "prompt", "null"),
        ({"prompt": ""}, "prompt", "empty text"),
        ({"suffix": "end"}, "suffix", "at its end only"),
        ({"best_of": 3, "n": 2}, "best_of", "use `n`"),
        ({"max_tokens": 0}, "max_tokens", "no answer"),
        ({"echo": True, "logprobs": 0}, "echo", "probabilities of its prompt"),
    ],
)
def test_what_no_conversation_carries_is_refused_by_name(members, param, words):
    """The caller's code depends on each of them."""
    with pytest.raises(Fault) as caught:
        _read(**members)

    assert (Kind.UNREPRESENTABLE, param) == (caught.value.kind, caught.value.param)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({"prompt": 5}, Kind.INVALID_TYPE, "prompt"),
        ({"prompt": []}, Kind.INVALID_VALUE, "prompt"),
        ({"prompt": [True]}, Kind.INVALID_TYPE, "prompt[0]"),
        ({"suffix": 5}, Kind.INVALID_TYPE, "suffix"),
        ({"echo": "yes"}, Kind.INVALID_TYPE, "echo"),
        ({"logprobs": True}, Kind.INVALID_TYPE, "logprobs"),
        ({"logprobs": 6}, Kind.INVALID_VALUE, "logprobs"),
        ({"best_of": 21}, Kind.INVALID_VALUE, "best_of"),
        ({"best_of": "2"}, Kind.INVALID_TYPE, "best_of"),
        ({"best_of": 1, "n": 2}, Kind.INVALID_VALUE, "best_of"),
        ({"temperature": 3}, Kind.INVALID_VALUE, "temperature"),
        ({"n": 129}, Kind.INVALID_VALUE, "n"),
        ({"max_tokens": False}, Kind.INVALID_TYPE, "max_tokens"),
    ],
)
def test_a_wrong_value_is_named(members, kind, param):
    """With the member's path."""
    with pytest.raises(Fault) as caught:
        _read(**members)

    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_a_prompt_must_be_there():
    """Null is another matter."""
    with pytest.raises(Fault) as caught:
        read({"model": msgspec.Raw(b'"m"')}, ReadContext())

    assert Kind.MISSING_MEMBER is caught.value.kind


@pytest.mark.parametrize(("members", "expected"), [({}, False), ({"echo": b"true"}, True), ({"echo": b"null"}, False)])  # fmt: skip
def test_an_echo_is_asked_for(members, expected):
    """By true alone."""
    assert expected is echoed({name: msgspec.Raw(raw) for name, raw in members.items()})


def test_empty_wishes_ask_for_nothing():
    """Clients send every member they know."""
    found = _read(suffix="", echo=False, best_of=0, logprobs=None, stop=None)

    assert (None, (), ()) == (found.logprobs, found.stop, found.extensions)


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip
_NAMES = ("prompt", "suffix", "best_of", "echo", "logprobs", "max_tokens", "n", "stop", "stream_options")  # fmt: skip


@given(st.dictionaries(st.sampled_from(_NAMES), _ANY))
def test_any_body_is_read_or_refused(members):
    """Nothing a caller sends is an accident of ours."""
    with contextlib.suppress(Fault):
        assert _read(**members).turns
