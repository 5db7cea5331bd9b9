"""InvokeModel for embeddings, as callers send it."""

import base64
import json
import struct

import pytest

from trivium.conversation.usage import Usage
from trivium.conversation.vectors import VectorAnswer
from trivium.faults import Fault, Kind
from trivium.wire import peek
from trivium.wire.bedrock import invoked_vectors
from trivium.wire.bedrock.invoked_vectors import PASSAGE, caller_of

ANSWER = VectorAnswer(vectors=([0.5, -1.0],), usage=Usage(fresh=3))


def body(members):
    return peek.members(json.dumps(members).encode())


def read(members):
    table = body(members).table
    return caller_of(table).read_request(table, "m")


def written(members, answer=ANSWER):
    caller = caller_of(body(members).table)
    return json.loads(caller.write_answer(answer, read(members), "m"))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"inputText": "a"}, True),
        ({"inputImage": "AA=="}, True),
        ({"texts": ["a"], "input_type": "search_query"}, True),
        ({"images": ["a"]}, True),
        ({"inputs": []}, True),
        ({"inputText": "a", "textGenerationConfig": {}}, False),
        ({"anthropic_version": "x", "inputs": []}, False),
        ({"schemaVersion": "x", "inputs": []}, False),
        ({"messages": []}, False),
    ],
)
def test_a_request_for_vectors_is_known_by_its_members(members, expected):
    """Not by the model's name, which may be anything here."""
    assert expected is invoked_vectors.is_asked(body(members))


@pytest.mark.parametrize(
    ("members", "model", "expected"),
    [
        ({"inputText": "a"}, "amazon.titan-embed-text-v2:0", True),
        ({"inputText": "a"}, "arn:aws:bedrock:us-east-1:1:provisioned-model/x", True),
        ({"inputText": "a"}, "us.cohere.embed-v4:0", False),
        ({"texts": ["a"]}, "us.cohere.embed-v4:0", True),
        ({"texts": ["a"]}, "amazon.titan-embed-text-v2:0", False),
    ],
)
def test_a_body_passes_to_its_own_maker(members, model, expected):
    """To another's it is written anew."""
    assert expected is invoked_vectors.passes(body(members), model)


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({"inputText": None}, Kind.MISSING_MEMBER, "inputText"),
        ({"inputText": ["a"]}, Kind.INVALID_TYPE, "inputText"),
        ({"inputText": "a", "inputImage": 1}, Kind.INVALID_TYPE, "inputImage"),
        ({"texts": "a"}, Kind.INVALID_TYPE, "texts"),
        ({"texts": None}, Kind.MISSING_MEMBER, "texts"),
    ],
)
def test_what_passes_is_looked_at(members, kind, param):
    """So far that it asks for something."""
    with pytest.raises(Fault) as caught:
        PASSAGE.facts(body(members))
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_what_passes_is_not_changed():
    """The model is in the address."""
    asked = body({"inputText": "a", "embeddingTypes": ["binary"], "normalize": False})
    facts = PASSAGE.facts(asked)
    assert ("", {}) == (facts.model, PASSAGE.changes(asked, facts, "up", False))


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ({"embedding": [1], "inputTextTokenCount": 3}, Usage(fresh=3)),
        ({"embeddingsByType": {"binary": [1]}, "inputTextTokenCount": 3}, Usage(fresh=3)),
        ({"embedding": [1], "inputTextTokenCount": -3}, None),
        ({"embeddings": [[1]]}, None),
        ({"embeddings": {"int8": [[1]]}, "meta": {"billed_units": {"input_tokens": 4}}}, Usage(fresh=4)),
    ],
)  # fmt: skip
def test_answers_of_either_maker_say_what_was_read(told, usage):
    """Where they do."""
    assert usage == PASSAGE.answer(json.dumps(told).encode()).usage


@pytest.mark.parametrize("told", [b"", b"[]", b"{}", b'{"embedding":3}', b'{"message":"no"}'])
def test_an_answer_without_vectors_is_none(told):
    """And is not charged for."""
    with pytest.raises(Fault) as caught:
        PASSAGE.answer(told)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_titans_request_for_another_model():
    """One text; what no other model has is told."""
    found = read({"inputText": "a", "dimensions": 256, "normalize": True, "embeddingTypes": None})
    assert (("a",), 256) == (found.inputs, found.dimensions)
    assert [("normalize", b"true")] == [(one.member, one.data) for one in found.extensions]
    config = {"outputEmbeddingLength": 384}
    assert 384 == read({"inputText": "a", "embeddingConfig": config}).dimensions


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({"inputText": None, "dimensions": 3}, Kind.MISSING_MEMBER, "inputText"),
        ({"inputText": 3}, Kind.INVALID_TYPE, "inputText"),
        ({"inputText": "a", "inputImage": "AA=="}, Kind.UNREPRESENTABLE, "inputImage"),
        ({"inputText": "a", "embeddingTypes": ["float", "binary"]}, Kind.UNREPRESENTABLE,
         "embeddingTypes[1]"),
        ({"inputText": "a", "embeddingTypes": ["x"]}, Kind.INVALID_VALUE, "embeddingTypes[0]"),
        ({"inputText": "a", "embeddingTypes": "float"}, Kind.INVALID_TYPE, "embeddingTypes"),
        ({"inputText": "a", "dimensions": "3"}, Kind.INVALID_TYPE, "dimensions"),
        ({"inputText": "a", "dimensions": True}, Kind.INVALID_TYPE, "dimensions"),
        ({"inputText": "a", "dimensions": 0}, Kind.INVALID_VALUE, "dimensions"),
        ({"inputText": "a", "embeddingConfig": 3}, Kind.INVALID_TYPE, "embeddingConfig"),
        ({"inputText": "a", "embeddingConfig": {"outputEmbeddingLength": -1}}, Kind.INVALID_VALUE,
         "embeddingConfig.outputEmbeddingLength"),
        ({"texts": ["a"], "embedding_types": ["int8"]}, Kind.UNREPRESENTABLE, "embedding_types[0]"),
    ],
)  # fmt: skip
def test_what_no_other_model_can_do_is_refused_by_name(members, kind, param):
    """And what is wrong as well."""
    with pytest.raises(Fault) as caught:
        read(members)
    assert (kind, param) == (caught.value.kind, caught.value.param)


def test_titans_answer_has_its_vector_twice():
    """As its second version does."""
    vector = [0.5, -1.0]
    expected = {
        "embedding": vector,
        "embeddingsByType": {"float": vector},
        "inputTextTokenCount": 3,
    }
    assert expected == written({"inputText": "a"})


def test_coheres_answer_goes_by_the_forms_that_were_named():
    """A list, or an object of forms."""
    asked = {"texts": ["a"], "input_type": "search_query"}
    plain = written(asked)
    assert ("embeddings_floats", [[0.5, -1.0]], ["a"]) == (
        plain["response_type"], plain["embeddings"], plain["texts"],
    )  # fmt: skip
    packed = base64.b64encode(struct.pack("<2f", 0.5, -1.0)).decode()
    named = written(asked | {"embedding_types": ["float", "base64"]})
    assert ("embeddings_by_type", {"float": [[0.5, -1.0]], "base64": [packed]}) == (
        named["response_type"], named["embeddings"],
    )  # fmt: skip
