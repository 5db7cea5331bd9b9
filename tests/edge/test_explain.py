"""``POST /api/explain``: asked with a key, answered without calling anybody."""

import msgspec
import pytest

from gateway import VENDOR_KEY, Gateway, error_of
from scripted_upstream import Double
from trivium.edge import explain
from trivium.edge.explain import read
from trivium.faults import Fault

CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "seed": 7}
GENERATE = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


@pytest.mark.parametrize("shape", ["nope", "messages_count", "generate_stream"])
def test_what_cannot_be_asked_about_is_named(shape):
    """Whether it is an operation or not."""
    with pytest.raises(Fault, match=f"Invalid enum value '{shape}' - at `\\$.shape`"):
        read(msgspec.json.encode({"shape": shape, "body": CHAT}), {})


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ({"body": CHAT}, "chat"),
        ({"shape": "generate", "model": "m", "body": GENERATE}, "generate"),
        ({"shape": "generate", "model": "m", "body": GENERATE, "stream": True}, "generate_stream"),
    ],
)
async def test_a_request_is_explained(question, operation):
    """The plan and the body; nobody is called, no secret and no host is told."""
    async with Double([[]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, body = await gateway.post("/api/explain", question)
        told = msgspec.json.decode(body)
        assert (200, b"application/json") == (status, headers[b"content-type"]), body
        assert (operation, None) == (told["operation"], told["refused"])
        assert told["stream"] is (operation == "generate_stream")
        (step,) = told["steps"]
        assert ("/v1/messages", "translation") == (step["path"], step["lane"])
        assert "Hi" == step["body"]["messages"][0]["content"][0]["text"]
        assert ([], []) == (vendor.requests, gateway.records)
        assert VENDOR_KEY.encode() not in body
        assert gateway.key.encode() not in body
        assert b"127.0.0.1" not in body


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["header", "body"])
async def test_strict_is_honoured(how):
    """The refusal with member and target is a 200: the question was answered."""
    question = {"body": CHAT, "strict": how == "body"}
    headers = ["trivium-strict: true"] if how == "header" else []
    async with Double([[]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, _, body = await gateway.post("/api/explain", question, *headers)
        told = msgspec.json.decode(body)
        assert (200, True, "seed") == (status, told["strict"], told["refused"]["param"])
        assert "the messages shape of m" == told["steps"][0]["refused"]["target"]


@pytest.mark.asyncio
async def test_a_key_is_asked_for():
    """401 without one; the list of models of a key counts here as well."""
    async with (
        Double([[]]) as vendor,
        Gateway.to(("openai", vendor), models=frozenset({"other"})) as gateway,
    ):
        raw = gateway.head("/api/explain", msgspec.json.encode({"body": CHAT}), key=False)
        status, _, _ = await gateway.send(raw)
        assert 401 == status
        _, _, body = await gateway.post("/api/explain", {"body": CHAT})
        assert 403 == msgspec.json.decode(body)["refused"]["status"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("question", "said"),
    [
        (b"{", "looks like"),
        ({}, "`body`"),
        ({"body": {}, "shape": "sonnet"}, "sonnet"),
        ({"body": {}, "colour": "red"}, "colour"),
        ({"body": GENERATE, "shape": "generate"}, "`model` is missing"),
    ],
)
async def test_a_question_that_is_none_is_refused(question, said):
    """400, naming what is wrong and showing how one looks."""
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, body = await gateway.post("/api/explain", question)
        assert (400, True) == (status, said in error_of(body)["message"]), body


def test_the_callers_key_is_not_part_of_the_rehearsal():
    """Headers that change the meaning of a request travel, those that present a key do not."""
    headers = {b"authorization": b"Bearer x", b"anthropic-version": b"2023-06-01"}
    assert {b"anthropic-version": b"2023-06-01"} == read(b'{"body":{}}', headers).headers
    with pytest.raises(Fault):
        read(b"[]", headers)


@pytest.mark.asyncio
async def test_a_crash_is_answered(monkeypatch):
    """Nobody waits for an answer that never comes."""

    async def crash(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(explain, "explain", crash)
    async with Double([[]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, _, body = await gateway.post("/api/explain", {"body": CHAT})
        assert 500 == status
        assert b"ZeroDivisionError" not in body
