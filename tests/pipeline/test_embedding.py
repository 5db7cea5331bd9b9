"""Embeddings over real sockets: callers of one shape, upstreams of the other."""

import msgspec
import pytest

from gateway import Gateway, encoded, error_of
from scripted_upstream import Close, Double, Send, sized
from trivium.conversation.usage import Usage

JSON = b"Content-Type: application/json\r\n"
OPENAI = {
    "object": "list",
    "model": "x",
    "data": [
        {"object": "embedding", "index": 1, "embedding": "AACAPwAAAEA="},
        {"object": "embedding", "index": 0, "embedding": [0.5, -1]},
    ],
    "usage": {"prompt_tokens": 7, "total_tokens": 7},
}
GOOGLE = {"embeddings": [{"values": [0.5, -1]}, {"values": [1, 2]}]}
VECTORS = [[0.5, -1.0], [1.0, 2.0]]


def _answer(body):
    return [Send(sized(msgspec.json.encode(body), headers=JSON))]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("reported", "tokens", "told"),
    [
        ({"usageMetadata": {"promptTokenCount": 4}}, 4, None),
        ({}, 3, b"usage"),
    ],
)
async def test_an_openai_caller_reaches_google(reported, tokens, told):
    """Texts in order, length wanted, vectors in the caller's form; an estimate is marked."""
    async with (
        Double([_answer({**GOOGLE, **reported})]) as vendor,
        Gateway.to(("gemini", vendor), upstream_model="embed-9") as gateway,
    ):
        body = {"model": "m", "input": ["Once upon", "a"], "dimensions": 2, "user": "u"}
        status, headers, got = await gateway.post("/v1/embeddings", body)

        assert 200 == status, got
        found = msgspec.json.decode(got)
        assert VECTORS == [row["embedding"] for row in found["data"]]
        assert [0, 1] == [row["index"] for row in found["data"]]
        assert {"prompt_tokens": tokens, "total_tokens": tokens} == found["usage"]
        assert "m" == found["model"]
        assert told == headers.get(b"trivium-estimated")
        assert b"trivium-dropped" not in headers
        sent = vendor.requests[0]
        assert b"embed-9:batchEmbedContents" in sent.raw.split(b" ", 2)[1]
        assert {
            "requests": [
                {"model": "models/embed-9", "content": {"parts": [{"text": text}]},
                 "outputDimensionality": 2}
                for text in ("Once upon", "a")
            ]
        } == msgspec.json.decode(sent.body)  # fmt: skip
        assert Usage(fresh=tokens, estimated=told is not None) == gateway.records[0].usage


@pytest.mark.asyncio
async def test_a_google_caller_reaches_openai():
    """A batch, with what the shape has not reported; vectors by their index."""
    async with Double([_answer(OPENAI)]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        requests = [
            {"model": "models/m", "content": {"parts": [{"text": text}]}, "taskType": "CLUSTERING"}
            for text in ("Once upon", "a")
        ]
        path = "/v1beta/models/m:batchEmbedContents"
        status, headers, got = await gateway.post(path, {"requests": requests})

        assert 200 == status, got
        assert {
            "embeddings": [{"values": vector} for vector in VECTORS],
            "usageMetadata": {"promptTokenCount": 7, "totalTokenCount": 7},
        } == msgspec.json.decode(got)
        assert headers[b"trivium-dropped"].startswith(b"requests.taskType;act=dropped")
        assert {"model": "m", "input": ["Once upon", "a"]} == msgspec.json.decode(
            vendor.requests[0].body
        )


@pytest.mark.asyncio
async def test_one_content_is_a_batch_of_one():
    """embedContent answers with one embedding."""
    one = {"data": [{"embedding": [1], "index": 0}]}
    async with Double([_answer(one)]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        path = "/v1beta/models/m:embedContent"
        status, headers, got = await gateway.post(path, {"content": {"parts": [{"text": "Hi"}]}})

        assert (200, {"embedding": {"values": [1.0]}}) == (status, msgspec.json.decode(got))
        assert b"usage" == headers[b"trivium-estimated"]
        assert Usage(fresh=1, estimated=True) == gateway.records[0].usage


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("provider", "path", "body", "param"),
    [
        ("gemini", "/v1/embeddings", {"model": "m", "input": [1, 2]}, "input"),
        ("openai", "/v1beta/models/m:embedContent",
         {"content": {"parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]}},
         "content.parts[0]"),
    ],
)  # fmt: skip
async def test_what_cannot_be_carried_is_refused_by_name(provider, path, body, param):
    """Before anybody is called, in the caller's dialect."""
    async with Double([]) as vendor, Gateway.to((provider, vendor)) as gateway:
        status, _, got = await gateway.post(path, body)

        assert (400, param) == (status, error_of(got)["param"])
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_strict_callers_get_no_dropped_hint():
    """A 400 that names it."""
    async with Double([]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        body = {"content": {"parts": [{"text": "Hi"}]}, "taskType": "CLUSTERING"}
        status, _, got = await gateway.post(
            "/v1beta/models/m:embedContent", body, "trivium-strict: true"
        )

        assert (400, "taskType") == (status, error_of(got)["param"])


@pytest.mark.asyncio
async def test_too_few_vectors_are_a_broken_upstream():
    """Nobody gets another text's vector."""
    short = _answer({"embeddings": [{"values": [1]}]})
    async with Double([short]) as vendor, Gateway.to(("gemini", vendor)) as gateway:
        body = {"model": "m", "input": ["a", "b"]}
        status, _, _ = await gateway.post("/v1/embeddings", body)

        assert 502 == status


@pytest.mark.asyncio
async def test_the_caller_s_own_shape_passes():
    """Before any translation, whatever the order of the file."""
    async with (
        Double([]) as google,
        Double([[Send(sized(encoded(OPENAI), headers=JSON)), Close()]]) as openai,
        Gateway.to(("openai", openai), ("gemini", google)) as gateway,
    ):
        status, _, got = await gateway.post("/v1/embeddings", {"model": "m", "input": [1, 2]})

        assert (200, encoded(OPENAI)) == (status, got)
        assert [] == google.requests
