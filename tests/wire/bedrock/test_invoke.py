"""Bodies of InvokeModel and CountTokens, and of whom they are."""

import base64
import json

import msgspec
import pytest

from trivium.faults import Fault, Kind
from trivium.wire import peek
from trivium.wire.bedrock import invoke
from trivium.wire.messages.hosted import Hosting

CLAUDE = {"anthropic_version": "bedrock-2023-05-31", "messages": [], "max_tokens": 5}


def body(members):
    return peek.members(json.dumps(members).encode())


def test_a_body_of_claudes_is_taken():
    """By its version, whatever else is in it."""
    assert Hosting("2023-06-01") == invoke.read(body({**CLAUDE, "prompt": "x"}), {})


@pytest.mark.parametrize(
    ("members", "family", "instead"),
    [
        ({"inputText": "x", "textGenerationConfig": {}}, "Titan Text", "/v1/chat/completions"),
        ({"inputText": "x", "dimensions": 3}, "Titan Embeddings", "never streamed"),
        ({"texts": ["x"], "input_type": "search_query"}, "Cohere Embed", "never streamed"),
        ({"messages": [], "inferenceConfig": {}}, "Nova", "/model/{model}/converse"),
        ({"schemaVersion": "messages-v1", "messages": []}, "Nova", "/converse"),
        ({"taskType": "TEXT_IMAGE"}, "Nova Canvas", "/v1/images/generations"),
        ({"text_prompts": []}, "Stable Diffusion", "/v1/images/generations"),
        ({"query": "x", "documents": []}, "rank documents", "/model/{model}/invoke"),
        ({"schemaVersion": "v1", "singleEmbeddingParams": {}}, "Nova Embeddings", "/v1/embeddings"),
        ({"message": "x"}, "Cohere Command", "/converse"),
        ({"prompt": "x", "max_gen_len": 5}, "Llama", "/converse"),
        ({"prompt": "x", "max_tokens_to_sample": 5}, "Claude 2", "/converse"),
        ({"prompt": "x"}, "complete a prompt", "/converse"),
    ],
)
def test_a_body_of_another_family_is_refused_by_its_name(members, family, instead):
    """With where the same can be asked."""
    with pytest.raises(Fault) as caught:
        invoke.read(body(members), {})
    assert Kind.INVALID_VALUE is caught.value.kind
    assert caught.value.param in members
    assert family in caught.value.message
    assert instead in caught.value.message


def test_a_body_that_nobody_has_lacks_the_version():
    """Whose body it is cannot be told."""
    with pytest.raises(Fault) as caught:
        invoke.read(body({"messages": []}), {})
    assert (Kind.MISSING_MEMBER, "anthropic_version") == (caught.value.kind, caught.value.param)


def test_a_guardrail_is_refused_and_never_left_out():
    """Whoever asks for one relies on it."""
    headers = {b"x-amzn-bedrock-guardrailidentifier": b"g"}
    with pytest.raises(Fault) as caught:
        invoke.read(body(CLAUDE), headers)
    assert (Kind.UNREPRESENTABLE, "guardrailIdentifier") == (
        caught.value.kind,
        caught.value.param,
    )


def asked(inner):
    raw = inner if isinstance(inner, bytes) else json.dumps(inner).encode()
    found = body({"input": {"invokeModel": {"body": base64.b64encode(raw).decode()}}})
    return invoke.token_input(found).invokeModel.body


def test_a_count_is_asked_of_the_request_inside():
    """Without what only matters for an answer."""
    inner = {**CLAUDE, "system": "s", "temperature": 1, "anthropic_beta": ["a"], "stream": True}
    found, hosting = invoke.counted(asked(inner), "m", 100)
    assert ({"messages": [], "system": "s", "model": "m"}, Hosting("2023-06-01", ("a",))) == (
        json.loads(found),
        hosting,
    )


@pytest.mark.parametrize(
    ("members", "kind", "param"),
    [
        ({}, Kind.MISSING_MEMBER, "input"),
        ({"input": None}, Kind.MISSING_MEMBER, "input"),
        ({"input": []}, Kind.INVALID_TYPE, "input"),
        ({"input": {}}, Kind.MISSING_MEMBER, "input.converse"),
        ({"input": {"converse": None}}, Kind.MISSING_MEMBER, "input.converse"),
        ({"input": {"converse": {}, "invokeModel": {"body": ""}}}, Kind.INVALID_VALUE, "input"),
        ({"input": {"invokeModel": 1}}, Kind.INVALID_TYPE, "input.invokeModel.body"),
        ({"input": {"invokeModel": {}}}, Kind.INVALID_TYPE, "input.invokeModel.body"),
        ({"input": {"invokeModel": {"body": "%"}}}, Kind.INVALID_TYPE, "input.invokeModel.body"),
        ({"input": {"invokeModel": {"body": "é"}}}, Kind.INVALID_TYPE, "input.invokeModel.body"),
    ],
)
def test_a_count_that_cannot_be_is_refused_by_name(members, kind, param):
    """In Bedrock's own members."""
    with pytest.raises(Fault) as caught:
        invoke.token_input(body(members))
    assert (kind, param) == (caught.value.kind, caught.value.param)


@pytest.mark.parametrize("inner", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_count_of_no_json_is_refused(inner):
    """As the same would be that comes by itself."""
    with pytest.raises(Fault) as caught:
        invoke.counted(asked(inner), "m", 100)
    assert Kind.MALFORMED_JSON is caught.value.kind


def test_counts_go_both_ways():
    """A vendor's is read, a caller's written."""
    sent = json.loads(invoke.for_count(b'{"a":1}'))
    assert b'{"a":1}' == base64.b64decode(sent["input"]["invokeModel"]["body"])
    assert b'{"input_tokens":3}' == invoke.count_from_bedrock(b'{"inputTokens":3}')
    assert b'{"inputTokens":3}' == invoke.count_answer(b'{"input_tokens":3}')


@pytest.mark.parametrize("answer", [b"", b"[]", b"{}", b'{"inputTokens":"x"}'])
def test_a_count_that_is_none_is_left_to_who_reads_the_shape(answer):
    """An error with status 200, for one."""
    assert answer == invoke.count_from_bedrock(answer)
    with pytest.raises(Fault) as caught:
        invoke.count_answer(answer)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 9, "output_tokens": 2}, [b"9", b"2"]),
        ({"output_tokens": 2}, [b"2"]),
        ({"input_tokens": -1}, []),
        ({"input_tokens": "x"}, []),
        (None, []),
    ],
)
def test_a_whole_answers_counts_are_headers(usage, expected):
    """Where it says them."""
    found = invoke.counters(msgspec.json.encode({"usage": usage}))
    assert expected == [value for _, value in found]
    assert set(dict(found)) <= set(invoke.TOKENS)


def test_what_a_large_body_holds_is_counted():
    """In base64 nobody has seen it; a long text is no crowd."""
    lead = b'{"anthropic_version":"bedrock-2023-05-31","messages":'
    crowd = b"[%b[]]}" % (b"{}," * 400_000)
    with pytest.raises(Fault) as caught:
        invoke.counted(asked(lead + crowd), "m", 100_000)
    assert ("input.invokeModel.body", Kind.BODY_TOO_LARGE) == (
        caught.value.param,
        caught.value.kind,
    )
    invoke.counted(asked(lead + b'"%b"}' % (b"{}," * 400_000)), "m", 100_000)
