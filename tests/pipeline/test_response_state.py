"""Responses that refer to each other, over real sockets, on upstreams of every kind."""

from hashlib import sha256

import msgspec
import pytest
import pytest_asyncio

from gateway import Gateway, error_of
from scripted_upstream import Close, Double, Send, chunked, sized
from trivium.identity import keys
from trivium.identity.model import Caller
from trivium.response_store.service import ResponseStore
from trivium.secret import Keyring
from trivium.settings.model import ResponsesSettings
from trivium.storage.vault import Vault
from trivium.wire import sse

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
VAULT = Vault(Keyring(b"k" * 32))

CHAT = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "x",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Ada it is."}}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27},
}  # fmt: skip
NATIVE = {
    "id": "resp_native", "object": "response", "created_at": 1, "model": "x", "status": "completed",
    "output": [{"type": "message", "id": "msg_native", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Ada it is.", "annotations": []}]}],
    "usage": {"input_tokens": 20, "output_tokens": 7, "total_tokens": 27},
}  # fmt: skip
DELTAS = [
    {"id": "c1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Ada "}}]},
    {"id": "c1", "choices": [{"index": 0, "delta": {"content": "it is."}}]},
    {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]


def message():
    """A messages answer with signed thoughts."""
    return whole({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk" * 20},
                    {"type": "text", "text": "Ada it is."}],
        "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 2},
    })  # fmt: skip


def whole(body):
    return [Send(sized(msgspec.json.encode(body), headers=JSON))]


def streamed(rows, *, done=True):
    """A chat stream; without ``done`` it breaks off."""
    data = b"".join(b"data: " + msgspec.json.encode(row) + b"\n\n" for row in rows)
    if not done:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + SSE + b"\r\n"
        return [Send(head + b"%x\r\n%b\r\n" % (len(data), data)), Close()]
    return [Send(chunked(data + b"data: [DONE]\n\n", headers=SSE))]


@pytest_asyncio.fixture
async def recall(database):
    """Stored responses on each engine."""
    memory = ResponseStore(database, VAULT, ResponsesSettings())
    memory.start()
    yield memory
    await memory.close()


def stranger(gateway):
    """Another user's key."""
    known = gateway.listener.snapshot_get
    key = keys.issue(lambda n: bytes(range(1, n + 1)))
    other = Caller(
        key_id=8, user_id=4, payer_id=4, unlimited=False, disabled=False, expires_at=float("inf"),
        models=frozenset(), prefixes=(),
    )  # fmt: skip
    table = {sha256(key.encode()).digest(): other}
    gateway.listener.snapshot_get = lambda digest: table.get(digest) or known(digest)
    return key


def sent(double, number=-1):
    """The JSON a double was sent."""
    return msgspec.json.decode(double.requests[number].body)


async def created(gateway, **body):
    """A response object."""
    status, _, answer = await gateway.post("/v1/responses", {"model": "m"} | body)
    assert 200 == status, answer
    return msgspec.json.decode(answer)


@pytest.mark.asyncio
async def test_a_follow_up_sees_the_whole_history(recall):
    """Input and answer of the turns before come first; instructions are not inherited."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who wrote it?", instructions="Be brief.")
        assert first["store"] is True
        second = await created(
            gateway, input=[{"role": "user", "content": "Sure?"}], previous_response_id=first["id"]
        )
        assert first["id"] == second["previous_response_id"]
        assert [
            {"role": "user", "content": "Who wrote it?"},
            {"role": "assistant", "content": "Ada it is."},
            {"role": "user", "content": "Sure?"},
        ] == [{"role": m["role"], "content": m["content"]} for m in sent(vendor)["messages"]]


@pytest.mark.asyncio
async def test_what_was_written_is_found_as_what_still_waits(recall):
    """The follow-up finds the answer in the queue as in the database, exactly the same."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        await created(gateway, input="Sure?", previous_response_id=first["id"])
        early = vendor.requests[-1].body
        assert await recall.writer.flush()
        assert 0 == recall.writer.waiting
        await created(gateway, input="Sure?", previous_response_id=first["id"])
        assert early == vendor.requests[-1].body


@pytest.mark.asyncio
async def test_a_streamed_answer_is_kept_as_it_ended(recall):
    """Its object is what the last event said."""
    async with (
        Double([streamed(DELTAS)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        _, _, body = await gateway.post(
            "/v1/responses", {"model": "m", "input": "Who?", "stream": True}
        )
        last = msgspec.json.decode(sse.frames(body)[-1].data)["response"]
        assert "completed" == last["status"]
        status, _, kept = await gateway.get(f"/v1/responses/{last['id']}")
        assert (200, last) == (status, msgspec.json.decode(kept))


@pytest.mark.asyncio
async def test_a_broken_stream_is_kept_as_failed(recall):
    """What the caller was told last is what can be read later."""
    async with (
        Double([streamed(DELTAS[:1], done=False)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        _, _, body = await gateway.post(
            "/v1/responses", {"model": "m", "input": "Who?", "stream": True}
        )
        last = msgspec.json.decode(sse.frames(body)[-1].data)["response"]
        _, _, kept = await gateway.get(f"/v1/responses/{last['id']}")
        assert "failed" == msgspec.json.decode(kept)["status"]


@pytest.mark.asyncio
async def test_nothing_is_kept_of_an_answer_that_never_began(recall):
    """The caller had an error and no id."""
    async with (
        Double([streamed([], done=False)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        status, _, _ = await gateway.post(
            "/v1/responses", {"model": "m", "input": "Who?", "stream": True}
        )
        assert 502 == status
        assert 0 == recall.writer.waiting


@pytest.mark.asyncio
async def test_without_store_nothing_is_kept(recall):
    """`store: false` is echoed, and the id leads nowhere."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?", store=False)
        assert first["store"] is False
        status, _, _ = await gateway.get(f"/v1/responses/{first['id']}")
        assert 404 == status


@pytest.mark.asyncio
async def test_an_operator_who_keeps_nothing_says_so(database):
    """Neither here nor upstream, whatever the caller asked for."""
    memory = ResponseStore(database, VAULT, ResponsesSettings(store=False))
    async with (
        Double([whole(NATIVE)]) as native,
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("openai", native), recall=memory) as one,
        Gateway.to(("deepseek", vendor), recall=memory) as other,
    ):
        await created(one, input="Who?", store=True)
        assert sent(native)["store"] is False
        answer = await created(other, input="Who?", store=True)
        assert answer["store"] is False
        assert 0 == memory.writer.waiting


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", ["openai", "deepseek"])
async def test_anothers_response_is_as_unknown_as_none(recall, provider):
    """Trap 70: a foreign id, a deleted one and an invented one get the same answer."""
    answer = NATIVE if provider == "openai" else CHAT
    async with (
        Double([whole(answer)]) as vendor,
        Gateway.to((provider, vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        gateway.key = stranger(gateway)
        calls = len(vendor.requests)
        told = []
        for name in (first["id"], "resp_invented"):
            asks = {"model": "m", "input": "Sure?", "previous_response_id": name}
            for status, _, body in (
                await gateway.post("/v1/responses", asks),
                await gateway.get(f"/v1/responses/{name}"),
                await gateway.get(f"/v1/responses/{name}/input_items"),
                await gateway.delete(f"/v1/responses/{name}"),
                await gateway.post(f"/v1/responses/{name}/cancel", b""),
            ):
                assert 404 == status
                error = error_of(body)
                told.append((error["code"], error["param"], error["message"].replace(name, "ID")))
        assert told[:5] == told[5:]
        assert calls == len(vendor.requests)


@pytest.mark.asyncio
async def test_an_upstream_that_keeps_answers_gets_its_own_ids_untouched(recall):
    """The body passes byte for byte, and only to the channel that has the answer."""
    async with (
        Double([whole(CHAT)]) as first,
        Double([whole(NATIVE)]) as keeps,
        Gateway.to(("openai", keeps), ("deepseek", first), recall=recall) as gateway,
    ):
        answer = await created(gateway, input="Who?")
        assert "resp_native" == answer["id"]
        asks = {"model": "m", "input": "Sure?", "previous_response_id": "resp_native"}
        body = msgspec.json.encode(asks)
        status, _, _ = await gateway.post("/v1/responses", body)
        assert 200 == status
        assert body == keeps.requests[-1].body
        assert [] == first.requests


@pytest.mark.asyncio
async def test_an_answer_whose_channel_is_gone_is_refused_by_name(recall):
    """The member is named; no other account is asked for what it cannot have."""
    async with Double([whole(NATIVE)]) as keeps, Double([whole(CHAT)]) as other:
        async with Gateway.to(("openai", keeps), recall=recall) as gateway:
            await created(gateway, input="Who?")
        async with Gateway.to(("deepseek", other), recall=recall) as gateway:
            status, _, body = await gateway.post(
                "/v1/responses",
                {"model": "m", "input": "Sure?", "previous_response_id": "resp_native"},
            )
            assert (404, "previous_response_id") == (status, error_of(body)["param"])
            assert [] == other.requests


@pytest.mark.asyncio
async def test_an_answer_of_ours_goes_on_at_an_upstream_that_keeps_its_own(recall):
    """The history is spelled out without our ids, and nothing of it is kept there."""
    async with Double([whole(CHAT)]) as chat, Double([whole(NATIVE)]) as keeps:
        async with Gateway.to(("deepseek", chat), recall=recall) as gateway:
            first = await created(gateway, input="Who?")
        async with Gateway.to(("openai", keeps), recall=recall) as gateway:
            second = await created(gateway, input="Sure?", previous_response_id=first["id"])
            asked = sent(keeps)
            assert asked["store"] is False
            assert asked.get("previous_response_id") is None
            assert first["id"] not in keeps.requests[-1].body.decode()
            assert ["user", "assistant", "user"] == [one["role"] for one in asked["input"]]
            third = await created(gateway, input="And?", previous_response_id=second["id"])
            assert second["id"] == third["previous_response_id"]
            assert 5 == len(sent(keeps)["input"])


@pytest.mark.asyncio
async def test_an_engine_that_forgets_is_remembered_for(recall):
    """An upstream of this shape without a store answers under its own id, which works here."""
    async with (
        Double([whole(NATIVE)]) as engine,
        Gateway.to(("vllm", engine), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        assert "resp_native" == first["id"]
        await created(gateway, input="Sure?", previous_response_id=first["id"])
        assert sent(engine).get("previous_response_id") is None
        assert ["user", "assistant", "user"] == [one["role"] for one in sent(engine)["input"]]


@pytest.mark.asyncio
async def test_an_item_is_found_by_its_id(recall):
    """With or without the type that says what it is."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        item = first["output"][0]["id"]
        for reference in ({"type": "item_reference", "id": item}, {"id": item}):
            await created(gateway, input=[reference, {"role": "user", "content": "Sure?"}])
            assert ["Ada it is.", "Sure?"] == [m["content"] for m in sent(vendor)["messages"]]


@pytest.mark.asyncio
@pytest.mark.parametrize("spelling", [b"item_reference", b"item\\u005freference"])
async def test_an_unknown_item_never_reaches_an_upstream(recall, spelling):
    """An account is shared: what one user's item says is not another's to ask for."""
    async with (
        Double([whole(NATIVE)]) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
    ):
        body = b'{"model":"m","input":[{"type":"%b","\\u0069d":"msg_else"}]}' % spelling
        status, _, answer = await gateway.post("/v1/responses", body)
        assert (404, "input[0].id") == (status, error_of(answer)["param"])
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_an_item_kept_upstream_goes_there(recall):
    """By name, untouched."""
    async with (
        Double([whole(NATIVE)]) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
    ):
        await created(gateway, input="Who?")
        assert await recall.writer.flush()
        asks = [{"type": "item_reference", "id": "msg_native"}]
        await created(gateway, input=asks)
        assert asks == sent(vendor)["input"]


@pytest.mark.asyncio
async def test_a_conversation_is_refused_where_nobody_keeps_it(recall):
    """By name, on an upstream of another shape."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        status, _, body = await gateway.post(
            "/v1/responses", {"model": "m", "input": "Who?", "conversation": "conv_1"}
        )
        assert (400, "conversation") == (status, error_of(body)["param"])


@pytest.mark.asyncio
async def test_two_sources_of_history_exclude_each_other(recall):
    """As the vendor has it."""
    async with (
        Double([whole(CHAT)]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
    ):
        status, _, body = await gateway.post(
            "/v1/responses",
            {"model": "m", "input": "?", "conversation": "c", "previous_response_id": "resp_1"},
        )
        assert (400, "previous_response_id") == (status, error_of(body)["param"])


def thinking():
    """A native answer with reasoning in it."""
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    return NATIVE | {"output": [reasoning, *NATIVE["output"]]}


@pytest.mark.asyncio
async def test_reasoning_goes_back_to_the_account_that_keeps_it(recall):
    """Trap 68: of two accounts only one can look it up; the other is passed over."""
    broken = [Send(sized(b"{}", status=b"500 No", headers=JSON))]
    async with (
        Double([broken]) as away,
        Double([whole(thinking())]) as keeps,
        Double([whole(NATIVE)]) as other,
    ):
        async with Gateway.to(("vllm", away), ("openai", keeps), recall=recall) as gateway:
            first = await created(gateway, input="Who?")
        # the account that keeps it has the same name, and comes second
        async with Gateway.to(("openai", other), ("openai", keeps), recall=recall) as gateway:
            await created(gateway, input=[*first["output"], {"role": "user", "content": "Sure?"}])
            assert first["output"] == sent(keeps)["input"][:2]
            assert [] == other.requests


@pytest.mark.asyncio
async def test_anothers_reasoning_is_not_looked_up(recall):
    """An id without its content is a reference, whatever its type says."""
    async with (
        Double([whole(thinking())]) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
    ):
        first = await created(gateway, input="Who?")
        gateway.key = stranger(gateway)
        status, _, body = await gateway.post(
            "/v1/responses", {"model": "m", "store": False, "input": first["output"]}
        )
        assert (404, "input[0].id") == (status, error_of(body)["param"])
        assert 1 == len(vendor.requests)


@pytest.mark.asyncio
async def test_reasoning_by_name_is_no_obstacle_where_nobody_keeps_it(recall):
    """A translated turn, and an engine that forgets, take the rest of the history."""
    async with (
        Double([whole(CHAT)]) as chat,
        Double([whole(NATIVE)]) as engine,
        Gateway.to(("deepseek", chat), recall=recall) as one,
        Gateway.to(("vllm", engine), recall=recall) as other,
    ):
        for gateway in (one, other):
            await created(
                gateway, input=[thinking()["output"][0], {"role": "user", "content": "Sure?"}]
            )


@pytest.mark.asyncio
async def test_an_answer_that_was_rewritten_is_kept_here(recall):
    """Its id is ours, so the upstream that keeps answers is not asked to keep a second copy."""
    async with (
        Double([message()]) as maker,
        Double([whole(NATIVE)]) as keeps,
    ):
        async with Gateway.to(("anthropic", maker), recall=recall) as gateway:
            first = await created(gateway, input="Who?", max_output_tokens=9000)
        async with Gateway.to(("openai", keeps), recall=recall) as gateway:
            second = await created(
                gateway, input=[*first["output"], {"role": "user", "content": "Sure?"}]
            )
            assert "resp_native" != second["id"]
            assert second["store"] is True
            assert sent(keeps)["store"] is False
            status, _, body = await gateway.get(f"/v1/responses/{second['id']}")
            assert (200, second) == (status, msgspec.json.decode(body))
            assert 1 == len(keeps.requests)


@pytest.mark.asyncio
async def test_a_kept_answer_is_no_loss_to_report(recall):
    """`store` is honoured here, so strict callers are not refused for it."""
    async with (
        Double([message()]) as vendor,
        Gateway.to(("anthropic", vendor), recall=recall) as gateway,
    ):
        status, headers, _ = await gateway.post(
            "/v1/responses",
            {"model": "m", "input": "Who?", "store": True, "max_output_tokens": 9000},
            "trivium-strict: true",
        )
        assert 200 == status
        assert b"store" not in headers.get(b"trivium-dropped", b"")
