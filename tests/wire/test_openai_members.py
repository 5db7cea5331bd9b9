"""What all OpenAI shapes read alike: model, limits, usage in streams."""

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire import openai_members
from trivium.wire.passage import RequestFacts
from trivium.wire.peek import members

STREAM = RequestFacts(model="m", stream=True)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{}", Kind.MISSING_MEMBER),
        (b'{"model":null}', Kind.MISSING_MEMBER),
        (b'{"model":""}', Kind.INVALID_VALUE),
        (b'{"model":5}', Kind.INVALID_TYPE),
    ],
)
def test_a_model_must_be_named(body, kind):
    """By a string with something in it."""
    with pytest.raises(Fault) as caught:
        openai_members.model(members(body))
    assert (kind, "model") == (caught.value.kind, caught.value.param)


def test_the_model_is_replaced_only_where_it_differs():
    """The channel's own name, or nothing at all."""
    body = members(b'{"model":"m"}')
    assert {} == openai_members.renamed(body, STREAM, "m")
    assert {"model": b'"own\\"x"'} == openai_members.renamed(body, STREAM, 'own"x')
    assert {"model": b'"m"'} == openai_members.renamed(members(b"{}"), STREAM, "m")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (b"", {"include_usage": True}),
        (b',"stream_options":null', {"include_usage": True}),
        (b',"stream_options":{"include_obfuscation":false}',
         {"include_obfuscation": False, "include_usage": True}),
        (b',"stream_options":{"include_usage":false}', {"include_usage": True}),
    ],
)  # fmt: skip
def test_usage_is_asked_for_beside_the_callers_own_options(options, expected):
    """Without it a stream cannot be billed."""
    body = members(b'{"model":"m"%b}' % options)
    assert not openai_members.usage_wanted(body)
    assert expected == msgspec.json.decode(openai_members.asking(body, STREAM)["stream_options"])


def test_usage_is_not_asked_for_twice_nor_without_a_stream():
    """What the caller asked for travels as it is."""
    body = members(b'{"stream_options":{"include_usage":true}}')
    assert openai_members.usage_wanted(body)
    assert {} == openai_members.asking(
        body, RequestFacts(model="m", stream=True, usage_wanted=True)
    )
    assert {} == openai_members.asking(body, RequestFacts(model="m"))


@pytest.mark.parametrize(
    ("options", "param"),
    [(b"[]", "stream_options"), (b"5", "stream_options"),
     (b'{"include_usage":"yes"}', "stream_options.include_usage"),
     (b'{"include_usage":true,"include_usage":false}', "stream_options.include_usage")],
)  # fmt: skip
def test_stream_options_of_another_kind_are_refused(options, param):
    """With the member's path, also inside."""
    with pytest.raises(Fault) as caught:
        openai_members.usage_wanted(members(b'{"stream_options":%b}' % options))
    assert param == caught.value.param
