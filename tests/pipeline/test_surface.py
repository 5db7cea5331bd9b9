"""Requests as the clouds' clients send them, and what they are answered, whoever serves them."""

import base64
import json

import pytest

from end_to_end.features.telling import TEXT
from gateway import Gateway, error_of
from scripted_upstream import Double, Send, Wait, chunked, sized
from trivium.wire.event_stream import EventFrames

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
CLAUDE = {
    "anthropic_version": "bedrock-2023-05-31",
    "max_tokens": 5,
    "messages": [{"role": "user", "content": "Hi"}],
}
MESSAGE = (
    b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":'
    b'[{"type":"text","text":"Ho"}],"stop_reason":"end_turn","stop_sequence":null,'
    b'"usage":{"input_tokens":9,"output_tokens":2}}'
)
EVENTS = [
    {"type": "message_start", "message": json.loads(MESSAGE) | {"content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]


def wire(*events):
    return b"".join(
        b"event: %b\ndata: %b\n\n" % (one["type"].encode(), json.dumps(one).encode())
        for one in events
    )


OK = [Send(sized(MESSAGE, headers=JSON))]
STREAM = [Send(chunked(wire(*EVENTS), headers=SSE))]
PLACE = "/v1/projects/p/locations/l/publishers"
VERTEX = CLAUDE | {"anthropic_version": "vertex-2023-10-16"}


def sent(vendor, at=0):
    """The body that a vendor got."""
    return json.loads(vendor.requests[at].raw.partition(b"\r\n\r\n")[2])


def frames(body):
    """(kind, payload) of each frame; the data of a chunk in the place of its base64."""
    out = []
    for one in EventFrames().feed(body):
        payload = json.loads(one.payload)
        kind = one.word(":event-type") or one.word(":exception-type")
        data = json.loads(base64.b64decode(payload["bytes"])) if kind == "chunk" else payload
        out.append((kind, data))
    return out


@pytest.mark.asyncio
async def test_invoke_is_a_message_of_the_model_in_the_path():
    """The vendor sees a request of the shape; the caller its counts in headers as well."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, got = await gateway.post("/model/m/invoke", CLAUDE)
        assert (200, MESSAGE) == (status, got)
        expected = {**CLAUDE, "model": "m", "stream": False}
        expected.pop("anthropic_version")
        assert expected == sent(vendor)
        assert (b"9", b"2") == (
            headers[b"x-amzn-bedrock-input-token-count"],
            headers[b"x-amzn-bedrock-output-token-count"],
        )
        assert headers[b"x-amzn-bedrock-invocation-latency"].isdigit()
        assert b"x-amzn-requestid" in headers
        (record,) = gateway.records
        assert ("messages", "m", 200, 2) == (
            record.operation, record.model, record.status, record.usage.output,
        )  # fmt: skip


@pytest.mark.asyncio
async def test_what_the_body_says_of_betas_is_said_in_the_header_and_forgotten_again():
    """The next request on the connection has the same head, and another body."""
    path, beta = "/model/m/invoke", ["a-1", "b-2"]
    async with Double([OK] * 3) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        line = await gateway.wire()
        for body in (CLAUDE | {"anthropic_beta": beta}, CLAUDE | {"anthropic_beta": []}, CLAUDE):
            raw = json.dumps(body).encode()
            await line.send(gateway.head(path, raw, "Anthropic-Beta: c-3"))
            assert 200 == (await line.answer())[0]
        await line.close()
        told = [dict(request.headers) for request in vendor.requests]
        assert [b"c-3,a-1,b-2", b"c-3", b"c-3"] == [one[b"anthropic-beta"] for one in told]
        assert {b"2023-06-01"} == {one[b"anthropic-version"] for one in told}
        assert all("anthropic_beta" not in sent(vendor, at) for at in range(3))


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [None, 1])
async def test_invoke_s_stream_is_frames(cut):
    """Each event a chunk, the last with what it took."""
    answer = [Send(chunked(wire(*EVENTS), headers=SSE), cut=cut)]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        path = "/model/m/invoke-with-response-stream"
        status, headers, got = await gateway.post(path, CLAUDE)
        assert 200 == status
        assert b"application/vnd.amazon.eventstream" == headers[b"content-type"]
        assert b"application/json" == headers[b"x-amzn-bedrock-content-type"]
        assert sent(vendor)["stream"] is True
        found = frames(got)
        assert {"chunk"} == {kind for kind, _ in found}
        metrics = found[-1][1].pop("amazon-bedrock-invocationMetrics")
        assert EVENTS == [data for _, data in found]
        assert (9, 2) == (metrics["inputTokenCount"], metrics["outputTokenCount"])
        assert 0 <= metrics["firstByteLatency"] <= metrics["invocationLatency"]


@pytest.mark.asyncio
async def test_a_stream_that_breaks_ends_with_an_exception():
    """Whatever the vendor's own words were."""
    said = chunked(wire(*EVENTS[:3]), headers=SSE).removesuffix(b"0\r\n\r\n")
    answer = [Send(said), Wait(0.05), Send(b"0\r\n\r\n")]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        _, _, got = await gateway.post("/model/m/invoke-with-response-stream", CLAUDE)
        kinds = [kind for kind, _ in frames(got)]
        assert ["chunk"] * 3 == kinds[:3]
        assert kinds[-1].endswith("Exception")
        assert "upstream_broke" == gateway.records[0].fault


@pytest.mark.asyncio
async def test_a_silent_stream_is_kept_alive_in_frames():
    """The shape's own ping."""
    answer = [Wait(0.4), *STREAM]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor), heartbeat_s=0.1) as gateway:  # fmt: skip
        _, _, got = await gateway.post("/model/m/invoke-with-response-stream", CLAUDE)
        kinds = [data["type"] for _, data in frames(got)]
        assert "ping" == kinds[0]
        assert "message_stop" == kinds[-1]


@pytest.mark.asyncio
async def test_an_http_1_0_caller_has_its_frames_to_the_end_of_the_connection():
    """No chunks of HTTP around them."""
    async with Double([STREAM]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        raw = gateway.head("/model/m/invoke-with-response-stream", json.dumps(CLAUDE).encode())
        line = await gateway.wire()
        await line.send(raw.replace(b"HTTP/1.1", b"HTTP/1.0", 1))
        _, _, got = await line.answer()
        await line.close()
        assert len(EVENTS) == len(frames(got))


FAILURES = {
    "another family": ({"inputText": "x"}, 400, "ValidationException"),
    "no version": ({"messages": [], "max_tokens": 5}, 400, "ValidationException"),
    "no JSON": (b"{", 400, "ValidationException"),
    "no limit": (
        {"anthropic_version": "bedrock-2023-05-31", "messages": []},
        400,
        "ValidationException",
    ),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("path", ["/model/m/invoke", "/model/m/invoke-with-response-stream"])
async def test_a_body_that_cannot_be_is_refused_in_amazon_s_words(name, path):
    """Before anybody is called."""
    body, expected, kind = FAILURES[name]
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, got = await gateway.post(path, body)
        assert (expected, kind.encode()) == (status, headers[b"x-amzn-errortype"])
        assert json.loads(got)["message"] == error_of(got)["message"]
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_an_unknown_model_or_key_is_refused_in_amazon_s_words():
    """From the first look at the head on."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, _ = await gateway.post("/model/other/invoke", CLAUDE)
        assert (404, b"ResourceNotFoundException") == (status, headers[b"x-amzn-errortype"])
        raw = gateway.head("/model/m/invoke", b"{}", key=False)
        status, headers, _ = await gateway.send(raw)
        assert (403, b"AccessDeniedException") == (status, headers[b"x-amzn-errortype"])


@pytest.mark.asyncio
async def test_tokens_are_counted_for_bedrock_s_clients():
    """Of the request inside, in their words."""
    inner = base64.b64encode(json.dumps(CLAUDE).encode()).decode()
    answer = [Send(sized(b'{"input_tokens":14}', headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        body = {"input": {"invokeModel": {"body": inner}}}
        status, _, got = await gateway.post("/model/m/count-tokens", body)
        assert (200, b'{"inputTokens":14}') == (status, got)
        assert {"model": "m", "messages": CLAUDE["messages"]} == sent(vendor)


HELLO = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "system": [{"text": "Be."}]}


@pytest.mark.asyncio
async def test_a_conversation_is_counted_by_whoever_counts():
    """Bedrock's clients send it as Converse has it; Bedrock itself gets it as it came."""
    body = {"input": {"converse": HELLO}}
    path = "/model/m/count-tokens"
    answer = [Send(sized(b'{"input_tokens":14}', headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, got = await gateway.post(path, body)
        assert (200, b'{"inputTokens":14}') == (status, got)
        assert b"/v1/messages/count_tokens" in vendor.requests[0].raw.partition(b"\r\n")[0]
        assert ([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], [{"type": "text", "text": "Be."}]) == (
            sent(vendor)["messages"], sent(vendor)["system"],
        )  # fmt: skip
        assert b"trivium-estimated" not in headers
    answer = [Send(sized(b'{"inputTokens":15}', headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("bedrock", vendor)) as gateway:
        assert b'{"inputTokens":15}' == (await gateway.post(path, body))[2]
        assert body == sent(vendor)
        assert path.encode() in vendor.requests[0].raw.partition(b"\r\n")[0]
    async with Double([OK]) as vendor, Gateway.to(("cohere", vendor)) as gateway:
        status, headers, got = await gateway.post(path, body)
        assert (200, b"tokens") == (status, headers[b"trivium-estimated"])
        assert 0 < json.loads(got)["inputTokens"]
        assert [] == vendor.requests


COUNTS_REFUSED = {
    "no messages": ({"converse": {}}, "input.converse.messages"),
    "no list": ({"converse": {"messages": {}}}, "input.converse.messages"),
    "no object": ({"converse": 3}, "input.converse"),
    "both": ({"converse": HELLO, "invokeModel": {"body": ""}}, "input"),
    "neither": ({}, "input.converse"),
}


@pytest.mark.asyncio
async def test_a_count_of_nothing_is_refused_in_amazon_s_words():
    """By the member's name, and nobody is asked."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        for name, (asked, param) in COUNTS_REFUSED.items():
            status, headers, got = await gateway.post("/model/m/count-tokens", {"input": asked})
            assert (400, b"ValidationException") == (status, headers[b"x-amzn-errortype"]), name
            assert param == error_of(got)["param"], name
        assert [] == vendor.requests


VECTORS = {
    "object": "list",
    "data": [{"index": 0, "embedding": [0.5, 1.5]}],
    "usage": {"prompt_tokens": 4, "total_tokens": 4},
}


@pytest.mark.asyncio
async def test_invoke_has_texts_embedded_by_any_upstream():
    """Titan's body and Cohere's, each answered in its own words; here by one of OpenAI's shape."""
    answer = [Send(sized(json.dumps(VECTORS).encode(), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        titan = {"inputText": "a", "dimensions": 2, "normalize": True}
        status, headers, got = await gateway.post("/model/m/invoke", titan)
        assert (200, {"input": ["a"], "model": "m", "dimensions": 2}) == (
            status, {name: sent(vendor)[name] for name in ("input", "model", "dimensions")},
        )  # fmt: skip
        assert b"normalize" in headers[b"trivium-dropped"]
        assert ([0.5, 1.5], 4) == (
            json.loads(got)["embedding"], json.loads(got)["inputTextTokenCount"],
        )  # fmt: skip
        cohere = {"texts": ["a"], "input_type": "search_query"}
        _, _, got = await gateway.post("/model/m/invoke", cohere)
        assert [[0.5, 1.5]] == json.loads(got)["embeddings"]
        for one, record in zip((titan, cohere), gateway.records, strict=True):
            assert ("invoke_embed", 4) == (record.operation, record.usage.fresh), one


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("upstream", "asked", "written"),
    [
        ("amazon.titan-embed-text-v2:0", {"inputText": "a", "embeddingTypes": ["binary"]}, None),
        ("cohere.embed-v4:0", {"texts": ["a"], "input_type": "clustering", "x": 1}, None),
        ("cohere.embed-v4:0", {"inputText": "a"},
         {"texts": ["a"], "input_type": "search_document", "embedding_types": ["float"]}),
        ("amazon.titan-embed-text-v2:0", {"texts": ["a"], "input_type": "clustering"}, {"inputText": "a"}),
    ],
)  # fmt: skip
async def test_an_embedding_body_reaches_its_own_maker_as_it_came(upstream, asked, written):
    """And another's model in that one's words."""
    told = {"embedding": [1.5], "inputTextTokenCount": 2} if "titan" in upstream else {"embeddings": [[1.5]]}  # fmt: skip
    answer = [Send(sized(json.dumps(told).encode(), headers=JSON))]
    async with (
        Double([answer]) as vendor,
        Gateway.to(("bedrock-embed", vendor), upstream_model=upstream) as gateway,
    ):
        status, _, got = await gateway.post("/model/m/invoke", asked)
        assert (200, written or asked) == (status, sent(vendor))
        if written is None:
            assert told == json.loads(got)
        else:
            assert ("embedding" if "inputText" in asked else "embeddings") in json.loads(got)


EMBED_REFUSED = {
    "two texts for Titan": ({"texts": ["a", "b"]}, "input"),
    "small integers of another's": ({"texts": ["a"], "embedding_types": ["int8"]}, "embedding_types[0]"),
    "no text": ({"inputText": None}, "inputText"),
    "a guardrail": ({"inputText": "a"}, "guardrailIdentifier"),
}  # fmt: skip


@pytest.mark.asyncio
async def test_what_cannot_be_embedded_is_refused_in_amazon_s_words():
    """By name; nobody is asked."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("bedrock-embed", vendor), upstream_model="amazon.titan-embed-x") as gateway,
    ):
        for name, (asked, param) in EMBED_REFUSED.items():
            more = ["X-Amzn-Bedrock-GuardrailIdentifier: g"] if "guard" in name else []
            status, headers, got = await gateway.post("/model/m/invoke", asked, *more)
            assert (400, b"ValidationException") == (status, headers[b"x-amzn-errortype"]), name
            assert param == error_of(got)["param"], name
        path = "/model/m/invoke-with-response-stream"
        status, _, got = await gateway.post(path, {"inputText": "a"})
        assert (400, "inputText") == (status, error_of(got)["param"])
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_invoke_has_documents_ranked():
    """As the rerank models on Bedrock do."""
    told = {"id": "r", "results": [{"index": 1, "relevance_score": 0.5}], "meta": {"billed_units": {"search_units": 1}}}  # fmt: skip
    answer = [Send(sized(json.dumps(told).encode(), headers=JSON))]
    asked = {"query": "q", "documents": ["a", "b"], "api_version": 2}
    async with Double([answer]) as vendor, Gateway.to(("cohere", vendor)) as gateway:
        status, _, got = await gateway.post("/model/m/invoke", asked)
        assert (200, {"results": told["results"]}) == (status, json.loads(got))
        assert {"query": "q", "documents": ["a", "b"], "model": "m"} == sent(vendor)
        assert 1 == gateway.records[0].usage.searches
        status, headers, _ = await gateway.post("/model/m/invoke", asked | {"documents": []})
        assert (400, b"ValidationException") == (status, headers[b"x-amzn-errortype"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "asked", "stream"),
    [("rawPredict", None, None), ("rawPredict", True, True), ("streamRawPredict", None, True)],
)
async def test_raw_predict_is_a_message_of_the_model_in_the_path(method, asked, stream):
    """Events are events; the body may ask for them as well."""
    body = VERTEX if asked is None else VERTEX | {"stream": asked}
    async with Double([STREAM if stream else OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:  # fmt: skip
        status, _, got = await gateway.post(f"{PLACE}/anthropic/models/m:{method}", body)
        assert 200 == status
        assert (wire(*EVENTS) if stream else MESSAGE) == got
        assert ("m", stream) == (sent(vendor)["model"], sent(vendor).get("stream"))
        assert "anthropic_version" not in sent(vendor)


@pytest.mark.asyncio
async def test_vertex_s_count_names_the_model_in_the_body():
    """Errors are of the shape."""
    answer = [Send(sized(b'{"input_tokens":14}', headers=JSON))]
    asked = {"model": "m", "messages": [], "anthropic_version": "vertex-2023-10-16"}
    path = f"{PLACE}/anthropic/models/count-tokens:rawPredict"
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        assert b'{"input_tokens":14}' == (await gateway.post(path, asked))[2]
        assert {"model": "m", "messages": []} == sent(vendor)
        status, _, got = await gateway.post(path, {"model": "m"})
        assert (400, "anthropic_version") == (status, error_of(got)["param"])


@pytest.mark.asyncio
async def test_predict_has_texts_embedded_by_any_upstream():
    """Here by one of OpenAI's shape."""
    vectors = {
        "object": "list",
        "data": [{"index": at, "embedding": [at, 0.5]} for at in range(2)],
        "usage": {"prompt_tokens": 4, "total_tokens": 4},
    }
    answer = [Send(sized(json.dumps(vectors).encode(), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        body = {"instances": [{"content": "a"}, {"content": "b"}]}
        status, _, got = await gateway.post(f"{PLACE}/google/models/m:predict", body)
        assert 200 == status, got
        assert ["a", "b"] == sent(vendor)["input"]
        values = [one["embeddings"]["values"] for one in json.loads(got)["predictions"]]
        assert [[0, 0.5], [1, 0.5]] == values


ASKED = b'{"messages":[{"role":"user","content":"Hi"}]}'
CHAT = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"Ho"},"finish_reason":"stop"}]}'


@pytest.mark.asyncio
async def test_a_deployment_s_path_wins_over_the_body():
    """And a body that names none is no mistake."""
    answer = [Send(sized(CHAT, headers=JSON))]
    path = "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    async with Double([answer]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        for body in ({"model": "other"}, {}):
            status, _, got = await gateway.post(path, {"messages": CLAUDE["messages"], **body})
            assert (200, CHAT) == (status, got)
        assert ["m", "m"] == [sent(vendor, at)["model"] for at in range(2)]


@pytest.mark.asyncio
async def test_a_deployment_s_form_has_its_model_from_the_path():
    """Its own field yields."""
    form = (
        b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nother\r\n'
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\r\n--b--\r\n'
    )
    answer = [Send(sized(b'{"text":"Ho"}', headers=JSON))]
    path = "/openai/deployments/m/audio/transcriptions"
    async with Double([answer]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, got = await gateway.post(path, form, "Content-Type: multipart/form-data; boundary=b")  # fmt: skip
        assert (200, b'{"text":"Ho"}') == (status, got)
        raw = vendor.requests[0].raw
        assert 1 == raw.count(b'name="model"')
        assert b"\r\n\r\nm\r\n" in raw
        assert b"other" not in raw


@pytest.mark.asyncio
async def test_a_key_in_azure_s_header_is_taken_and_goes_no_further():
    """As any other key."""
    answer = [Send(sized(CHAT, headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        path = "/openai/deployments/m/chat/completions"
        raw = gateway.head(path, ASKED, f"api-key: {gateway.key}", key=False)
        assert 200 == (await gateway.send(raw))[0]
        assert gateway.key.encode() not in vendor.requests[0].raw
        assert b"api-key" not in dict(vendor.requests[0].headers)
