"""Counts of tokens over real sockets: passed on, translated, or estimated."""

import msgspec
import pytest

from gateway import Gateway, error_of
from scripted_upstream import Double, Reset, Send, sized

JSON = b"Content-Type: application/json\r\n"
ASKED = {
    "messages": ("/v1/messages/count_tokens", {
        "model": "m", "system": "Be brief.", "messages": [{"role": "user", "content": "Hello there."}],
        "tools": [{"name": "look", "input_schema": {"type": "object"}}]}),
    "generate": ("/v1beta/models/m:countTokens", {"generateContentRequest": {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hello there."}]}],
        "tools": [{"functionDeclarations": [
            {"name": "look", "parametersJsonSchema": {"type": "object"}}]}]}}),
    "responses": ("/v1/responses/input_tokens", {
        "model": "m", "instructions": "Be brief.", "input": "Hello there.",
        "tools": [{"type": "function", "name": "look", "parameters": {"type": "object"},
                   "strict": False}]}),
}  # fmt: skip
TOLD = {
    "messages": {"input_tokens": 31},
    "generate": {"totalTokens": 31},
    "responses": {"object": "response.input_tokens", "input_tokens": 31},
}
ENDS = {"messages": "/count_tokens", "generate": ":countTokens", "responses": "/input_tokens"}
PROVIDER = {"messages": "anthropic", "generate": "gemini", "responses": "openai"}
ESTIMATE = 3 + 4 + 3 + 8 + 1 + 5
"""Instructions, a turn, its words; a tool, its name, its schema."""


def _answer(body):
    return [Send(sized(msgspec.json.encode(body), headers=JSON))]


def _number(shape, got):
    return msgspec.json.decode(got)["totalTokens" if shape == "generate" else "input_tokens"]


@pytest.mark.asyncio
@pytest.mark.parametrize("upstream", ASKED)
@pytest.mark.parametrize("caller", ASKED)
async def test_every_shape_has_its_tokens_counted_by_every_counter(caller, upstream):
    """By the upstream's own endpoint; nothing is estimated, billed or held."""
    async with (
        Double([_answer(TOLD[upstream])]) as vendor,
        Gateway.to((PROVIDER[upstream], vendor)) as gateway,
    ):
        path, body = ASKED[caller]
        status, headers, got = await gateway.post(path, body)

        assert (200, TOLD[caller]) == (status, msgspec.json.decode(got))
        assert b"trivium-estimated" not in headers
        (sent,) = vendor.requests
        assert sent.raw.split(b" ", 2)[1].decode().endswith(ENDS[upstream])
        for word in (b"Be brief.", b"Hello there.", b"look"):
            assert word in sent.body
        assert b"max_tokens" not in sent.body
        assert [] == gateway.services.ledger.settled
        assert (None, 200) == (gateway.records[0].usage, gateway.records[0].status)


@pytest.mark.asyncio
@pytest.mark.parametrize("caller", ASKED)
async def test_an_upstream_that_cannot_count_is_not_asked(caller):
    """The number is ours and marked; the body has nothing but it."""
    async with Double([]) as vendor, Gateway.to(("groq", vendor)) as gateway:
        path, body = ASKED[caller]
        status, headers, got = await gateway.post(path, body)

        assert (200, ESTIMATE) == (status, _number(caller, got))
        assert set(TOLD[caller]) == set(msgspec.json.decode(got))
        assert b"tokens" == headers[b"trivium-estimated"]
        assert [] == vendor.requests
        assert (None, 200, "") == (
            gateway.records[0].usage, gateway.records[0].status, gateway.records[0].fault,
        )  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "answer",
    [
        [Reset()],
        [Send(sized(b'{"error":{"message":"no"}}', status=b"503 Busy", headers=JSON))],
        [Send(sized(b"Not Found", status=b"404 Not Found"))],
        [Send(sized(b"<html>", headers=JSON))],
    ],
)
async def test_a_counter_that_fails_is_stood_in_for(answer):
    """A client's meter goes on; engines without the endpoint answer 404."""
    async with Double([answer, answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, got = await gateway.post(*ASKED["messages"])

        assert (200, ESTIMATE) == (status, _number("messages", got))
        assert b"tokens" == headers[b"trivium-estimated"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        ("/v1/messages/count_tokens", {"model": "m"}, "messages"),
        ("/v1/messages/count_tokens", {"model": "m", "messages": [{"role": "x"}]}, "messages.0.role"),
        ("/v1/responses/input_tokens", {"model": "m"}, "input"),
        ("/v1beta/models/m:countTokens", {}, "contents"),
    ],
)  # fmt: skip
async def test_a_wrong_request_is_not_counted(path, body, param):
    """It would not be answered either."""
    async with Double([]) as vendor, Gateway.to(("groq", vendor)) as gateway:
        status, _, got = await gateway.post(path, body)

        assert (400, param) == (status, error_of(got)["param"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("caller", "expected", "told"), [("messages", 400, None), ("generate", 200, b"tokens")]
)
async def test_the_vendor_s_word_on_a_request_is_the_caller_s_if_the_request_is(
    caller, expected, told
):
    """What we translated is not: the vendor refused our words."""
    refused = sized(
        b'{"type":"error","error":{"type":"invalid_request_error","message":"no such tool"}}',
        status=b"400 Bad Request",
        headers=JSON,
    )
    async with (
        Double([[Send(refused)]]) as vendor,
        Gateway.to(("anthropic", vendor)) as gateway,
    ):
        status, headers, _ = await gateway.post(*ASKED[caller])

        assert (expected, told) == (status, headers.get(b"trivium-estimated"))
