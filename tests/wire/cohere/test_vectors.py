"""Embeddings, both ends."""

import inspect
import json

import cohere.v2.client
import msgspec
import pytest
from cohere import EmbedByTypeResponse
from cohere.core.unchecked_base_model import construct_type

from trivium.conversation.losses import Rank, Report
from trivium.conversation.request import Extension
from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer, VectorRequest
from trivium.faults import Fault, Kind
from trivium.wire.cohere.vectors import read_answer, read_request, write_answer, write_request

EVERY = {
    "texts": ["a", "b"],
    "input_type": "search_query",
    "embedding_types": ["float", "base64"],
    "output_dimension": 256,
    "max_tokens": 9,
    "truncate": "END",
    "priority": 1,
}


def read(**body):
    """A request."""
    raws = {name: msgspec.Raw(json.dumps(value).encode()) for name, value in body.items()}
    return read_request(raws, "m")


def refused(error):
    """Any error of a vendor's."""
    return Fault(Kind.UPSTREAM_BROKE, error.decode())


def test_every_member_of_the_sdk():
    """Texts and length; the rest is told."""
    known = set(inspect.signature(cohere.v2.client.V2Client.embed).parameters)
    assert known - {"self", "request_options", "model", "images", "inputs"} == set(EVERY)
    found = read(model="m", **EVERY)
    assert (found.inputs, found.dimensions) == (("a", "b"), 256)
    assert (found.packed, found.numbers) == (True, True)
    assert {one.member for one in found.extensions} == {
        "input_type",
        "max_tokens",
        "truncate",
        "priority",
    }


def test_inputs_of_texts():
    """Pieces of one are one."""
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert read(inputs=[{"content": content}]).inputs == ("ab",)


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "texts"),
        ({"texts": []}, "texts"),
        ({"texts": [7]}, "texts[0]"),
        ({"texts": ["a"], "images": ["b"]}, "images"),
        ({"images": ["data:"]}, "images"),
        ({"inputs": [{"content": [{"type": "image_url"}]}]}, "inputs[0].content[0]"),
        ({"inputs": [{"content": []}]}, "inputs[0].content"),
        ({"inputs": [{"content": [{"type": "x"}]}]}, "inputs[0].content[0].type"),
        ({"texts": ["a"], "embedding_types": ["binary"]}, "embedding_types[0]"),
        ({"texts": ["a"], "embedding_types": ["x"]}, "embedding_types[0]"),
        ({"texts": ["a"], "output_dimension": 0}, "output_dimension"),
        ({"texts": ["a"], "output_dimension": "x"}, "output_dimension"),
        ({"texts": ["a"], "input_type": "x"}, "input_type"),
    ],
)
def test_what_is_wrong_is_named(body, param):
    """What cannot be carried is refused the same way."""
    with pytest.raises(Fault) as caught:
        read(**body)
    assert caught.value.param == param


def test_what_an_upstream_is_asked():
    """Numbers, of texts to be found; the type where the caller says one."""
    report = Report("x")
    wanted = VectorRequest(inputs=("a",), dimensions=7)
    assert json.loads(write_request(wanted, "embed-v4", report)) == {
        "model": "embed-v4",
        "texts": ["a"],
        "input_type": "search_document",
        "embedding_types": ["float"],
        "output_dimension": 7,
    }
    own = Extension("input_type", b'"clustering"', Rank.HINT)
    other = Extension("user_tag", b'"x"', Rank.HINT)
    wanted = VectorRequest(inputs=("a",), extensions=(own, other))
    assert json.loads(write_request(wanted, "m", report))["input_type"] == "clustering"
    assert [drop.member for drop in report.drops] == ["user_tag"]


def test_answers(wire):
    """Of either form, and as the SDK reads them."""
    found = read_answer(wire("embed.json"), 2, refused)
    assert found == VectorAnswer(vectors=([0.25, -0.5], [1.0, 0.125]), usage=Usage(fresh=8))
    wanted = VectorRequest(inputs=("one", "two"), packed=True, numbers=True)
    told = json.loads(write_answer(found, wanted, "m"))
    theirs = construct_type(type_=EmbedByTypeResponse, object_=told)
    assert theirs.embeddings.float_ == [[0.25, -0.5], [1.0, 0.125]]
    assert len(theirs.embeddings.base64) == 2
    assert theirs.meta.billed_units.input_tokens == 8
    only = json.loads(write_answer(found, VectorRequest(inputs=("one", "two"), packed=True), "m"))
    assert set(only["embeddings"]) == {"base64"}
    back = read_answer(json.dumps(only).encode(), 2, refused)
    assert back.vectors == found.vectors
    assert read_answer(b'{"embeddings":[[1.0]]}', 1, refused).vectors == ([1.0],)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b'{"embeddings":{"float":[[1.0]]}}',
        b'{"embeddings":{"float":[[],[]]}}',
        b'{"embeddings":{"base64":["?","?"]}}',
        b'{"message":"no"}',
        b'{"error":{"message":"no"}}',
    ],
)
def test_what_is_no_answer(body):
    """Two vectors were asked for."""
    with pytest.raises(Fault) as caught:
        read_answer(body, 2, refused)
    assert caught.value.kind is Kind.UPSTREAM_BROKE
