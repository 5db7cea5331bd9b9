"""Requests about stored responses, over real sockets."""

import msgspec
import pytest

from gateway import Gateway, error_of
from pipeline.test_response_state import (
    CHAT,
    DELTAS,
    JSON,
    NATIVE,
    SSE,
    created,
    recall,
    sent,
    whole,
)
from scripted_upstream import Close, Double, Send, Wait, sized
from trivium.wire import sse

__all__ = ["recall"]  # the fixture

CANCEL = "/v1/responses/resp_native/cancel"


@pytest.mark.asyncio
async def test_a_response_is_read_as_it_was_answered(recall):
    """Byte for byte what the caller had, and nobody is charged for reading it."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        before = len(gateway.services.ledger.holds)
        for _ in range(2):  # trap 79
            status, _, body = await gateway.get(f"/v1/responses/{first['id']}")
            assert (200, first) == (status, msgspec.json.decode(body))
        assert before == len(gateway.services.ledger.holds)
        assert 1 == len(vendor.requests)


@pytest.mark.asyncio
async def test_the_input_is_listed_with_its_history(recall):
    """Everything the model saw, by pages, each item with an id of its own."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        second = await created(
            gateway, input=[{"role": "user", "content": "Sure?"}], previous_response_id=first["id"]
        )
        path = f"/v1/responses/{second['id']}/input_items"
        _, _, body = await gateway.get(f"{path}?order=asc&limit=2")
        page = msgspec.json.decode(body)
        _, _, body = await gateway.get(f"{path}?order=asc&after={page['last_id']}")
        rest = msgspec.json.decode(body)
        texts = [item["content"][0]["text"] for item in page["data"] + rest["data"]]
        assert ["Who?", "Ada it is.", "Sure?"] == texts
        assert (True, False) == (page["has_more"], rest["has_more"])
        status, _, body = await gateway.get(f"{path}?limit=none")
        assert (400, "limit") == (status, error_of(body)["param"])


def piece(rows, end=b""):
    """Frames of a chat stream as one chunk."""
    data = b"".join(b"data: " + msgspec.json.encode(row) + b"\n\n" for row in rows) + end
    return b"%x\r\n%b\r\n" % (len(data), data)


REST = [Send(piece(DELTAS[1:], b"data: [DONE]\n\n") + b"0\r\n\r\n")]


@pytest.mark.parametrize("rest", [REST, [Close()]], ids=["ended", "cut"])
@pytest.mark.asyncio
async def test_a_stream_that_takes_its_time_is_kept_with_its_input(recall, rest):
    """The request is let go of when the answer begins, and kept when the answer has ended."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + SSE + b"\r\n"
    slow = [Send(head + piece(DELTAS[:1])), Wait(0.05), *rest]
    async with (
        Double([slow, whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        asked = {"model": "m", "input": "Who?", "stream": True}
        _, _, body = await gateway.post("/v1/responses", asked)
        said = msgspec.json.decode(sse.frames(body)[-1].data)["response"]
        _, _, body = await gateway.get(f"/v1/responses/{said['id']}/input_items")
        (item,) = msgspec.json.decode(body)["data"]
        assert "Who?" == item["content"][0]["text"]
        await created(gateway, input="Sure?", previous_response_id=said["id"])
        assert "Who?" in str(sent(vendor)["messages"])


@pytest.mark.asyncio
async def test_a_deleted_response_is_unknown(recall):
    """To read, to delete again, and to go on from; what followed it stays whole."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        second = await created(gateway, input="Sure?", previous_response_id=first["id"])
        path = f"/v1/responses/{first['id']}"
        status, _, body = await gateway.delete(path)
        assert 200 == status
        assert {"id": first["id"], "object": "response", "deleted": True} == msgspec.json.decode(
            body
        )
        assert 404 == (await gateway.get(path))[0]
        assert 404 == (await gateway.delete(path))[0]
        asks = {"model": "m", "input": "?", "previous_response_id": first["id"]}
        assert 404 == (await gateway.post("/v1/responses", asks))[0]
        await created(gateway, input="?", previous_response_id=second["id"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "param"), [("?stream=true", "stream"), ("?stream=True&starting_after=3", "stream")]
)
async def test_an_answer_is_not_streamed_again(recall, query, param):
    """That is for answers that run in the background."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        status, _, body = await gateway.get(f"/v1/responses/{first['id']}{query}")
        assert (400, param) == (status, error_of(body)["param"])


@pytest.mark.asyncio
async def test_what_an_upstream_keeps_is_asked_of_it(recall):
    """With the operator's account, in the vendor's words."""
    page = b'{"object":"list","data":[],"has_more":false}'
    gone = b'{"id":"resp_native","object":"response","deleted":true}'
    script = [
        whole(NATIVE),
        [Send(sized(msgspec.json.encode(NATIVE), headers=JSON))],
        [Send(sized(page, headers=JSON))],
        [Send(sized(gone, headers=JSON))],
    ]
    async with (
        Double(script) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
    ):
        await created(gateway, input="Who?")
        path = "/v1/responses/resp_native"
        _, _, body = await gateway.get(path + "?include=x&key=secret")
        assert msgspec.json.encode(NATIVE) == body
        assert b"GET /v1/responses/resp_native?include=x HTTP/1.1" == vendor.requests[1].line
        assert (b"authorization", b"Bearer sk-vendor-0123456789abcdef") in vendor.requests[
            1
        ].headers
        _, _, body = await gateway.get(path + "/input_items?limit=3")
        assert page == body
        line = b"GET /v1/responses/resp_native/input_items?limit=3 HTTP/1.1"
        assert line == vendor.requests[2].line
        _, _, body = await gateway.delete(path)
        assert gone == body
        assert b"DELETE /v1/responses/resp_native HTTP/1.1" == vendor.requests[3].line
        assert 404 == (await gateway.get(path))[0]
        assert 4 == len(vendor.requests)


@pytest.mark.asyncio
async def test_what_an_upstream_has_lost_is_unknown(recall):
    """And a delete of it succeeds: gone is gone."""
    lost = [Send(sized(b'{"error":{"message":"no"}}', status=b"404 Not Found", headers=JSON))]
    async with (
        Double([whole(NATIVE), lost]) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
    ):
        await created(gateway, input="Who?")
        assert 404 == (await gateway.get("/v1/responses/resp_native"))[0]
        assert 200 == (await gateway.delete("/v1/responses/resp_native"))[0]


@pytest.mark.asyncio
async def test_an_upstreams_trouble_is_told_in_our_words(recall):
    """Its credential's failure is nothing the caller can mend."""
    refused = [Send(sized(b'{"error":{"message":"bad key"}}', status=b"401 No", headers=JSON))]
    async with (
        Double([whole(NATIVE), refused]) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
    ):
        await created(gateway, input="Who?")
        status, _, body = await gateway.get("/v1/responses/resp_native")
        assert 502 == status
        assert b"bad key" not in body


@pytest.mark.asyncio
async def test_an_upstream_that_is_not_called_any_more_is_named(recall):
    """Only the note of it can be deleted."""
    async with Double([whole(NATIVE)]) as vendor:
        async with Gateway.to(("openai", vendor), recall=recall) as gateway:
            await created(gateway, input="Who?")
        async with Gateway.to(("deepseek", vendor), recall=recall) as gateway:
            status, _, body = await gateway.get("/v1/responses/resp_native")
            assert 404 == status
            assert "does not call any more" in error_of(body)["message"]
            assert 200 == (await gateway.delete("/v1/responses/resp_native"))[0]
            assert 404 == (await gateway.delete("/v1/responses/resp_native"))[0]


@pytest.mark.asyncio
async def test_only_what_runs_in_the_background_can_be_cancelled(recall):
    """The vendor says the same."""
    async with (
        Double([whole(NATIVE)]) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
    ):
        await created(gateway, input="Who?")
        status, _, body = await gateway.post(CANCEL, b"")
        assert 400 == status
        assert "background" in error_of(body)["message"]


@pytest.mark.asyncio
async def test_a_gateway_that_keeps_nothing_knows_nothing():
    """Without a store every id is unknown."""
    async with Double([whole(CHAT)]) as vendor, Gateway.to(("deepseek", vendor)) as gateway:
        assert 404 == (await gateway.get("/v1/responses/resp_1"))[0]
