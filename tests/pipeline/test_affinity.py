"""A conversation goes back to who made its state, and to nobody else with that state."""

import base64

import msgspec
import pytest

from gateway import Gateway
from scripted_upstream import Double, Send, chunked, sized
from trivium.conversation.opaque import SIGNATURE, Opaque, StateOrigin
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.wire.envelope import PREFIX, sealer
from trivium.wire.operation import Shape
from trivium.wire.state_refs import CALL_PREFIX

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
SIGNED = base64.b64encode(b"signature of the second account " * 4).decode()
CALLED = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"city": "Rome"}}
ANSWER = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "x",
    "content": [{"type": "thinking", "thinking": "Hm.", "signature": SIGNED}, CALLED],
    "stop_reason": "tool_use", "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 9},
}  # fmt: skip
EVENTS = [
    {"type": "message_start", "message": {**ANSWER, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0,
     "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "signature_delta", "signature": SIGNED}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {**CALLED, "input": {}}},
    {"type": "content_block_delta", "index": 1,
     "delta": {"type": "input_json_delta", "partial_json": '{"city":"Rome"}'}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None},
     "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]  # fmt: skip
STREAM = b"".join(
    b"event: %s\ndata: %s\n\n" % (event["type"].encode(), msgspec.json.encode(event))
    for event in EVENTS
)
OK = [Send(sized(msgspec.json.encode(ANSWER), headers=JSON))]
STREAMED = [Send(chunked(*(STREAM[at : at + 7] for at in range(0, len(STREAM), 7)), headers=SSE))]
DOWN = [Send(sized(b'{"error":{"message":"x"}}', status=b"503 Busy", headers=JSON))]


class MemoryTraces:
    """Keeps traces where a test can see them, and counts the questions."""

    def __init__(self):
        self.kept = {}
        self.asked = []

    def add(self, user_id, id_, trace):
        self.kept.setdefault((user_id, id_), trace)

    async def find(self, user_id, ids):
        self.asked += ids
        return {id_: self.kept[user_id, id_] for id_ in ids if (user_id, id_) in self.kept}


def messages(*turns, stream=False):
    start = {"role": "user", "content": "Weather?"}
    return {"model": "m", "max_tokens": 99, "stream": stream, "messages": [start, *turns]}


def after(signature):
    """A history in which this signature stands."""
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": signature}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sun"}
    return messages(
        {"role": "assistant", "content": [thinking, CALLED]},
        {"role": "user", "content": [result]},
    )


def channel(headers):
    return headers[b"trivium-channel"].decode()


def blocks(seen):
    """Content of the assistant's turn in a body for messages."""
    return msgspec.json.decode(seen.body)["messages"][1]["content"]


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_vendors_own_signature_leads_back_to_its_account(stream):
    """Relayed as they are, whole and streamed in any cut; the plan's first comes second."""
    answer = STREAMED if stream else OK
    async with (
        Double([DOWN, OK]) as first,
        Double([answer, OK]) as second,
        Gateway.to(("anthropic", first), ("anthropic", second), traces=MemoryTraces()) as gateway,
    ):
        await gateway.post("/v1/messages", messages(stream=stream))
        status, headers, _ = await gateway.post("/v1/messages", after(SIGNED))
        assert (200, "anthropic-1", 1) == (status, channel(headers), len(first.requests))
        assert msgspec.json.encode(after(SIGNED)) == second.requests[1].body


@pytest.mark.asyncio
async def test_another_account_gets_the_conversation_without_the_signature():
    """When the maker is down; the calls stay, and the caller is told."""
    async with (
        Double([DOWN, OK]) as first,
        Double([OK, DOWN]) as second,
        Gateway.to(("anthropic", first), ("anthropic", second), traces=MemoryTraces()) as gateway,
    ):
        await gateway.post("/v1/messages", messages())
        status, headers, _ = await gateway.post("/v1/messages", after(SIGNED))
        assert (200, "anthropic-0") == (status, channel(headers))
        assert [CALLED] == [
            {name: block[name] for name in CALLED} for block in blocks(first.requests[1])
        ]
        assert b"foreign_signature" in headers[b"trivium-repaired"]


@pytest.mark.asyncio
async def test_a_signature_that_nobody_knows_passes_as_it_came():
    """The conversation may have begun elsewhere; its vendor will say what it makes of it."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("anthropic", vendor), traces=MemoryTraces()) as gateway,
    ):
        await gateway.post("/v1/messages", after(SIGNED))
        assert msgspec.json.encode(after(SIGNED)) == vendor.requests[0].body


@pytest.mark.asyncio
async def test_no_vendor_ever_sees_an_envelope():
    """A conversation that another shape's model began, now relayed in the caller's own."""
    google = (Opaque(SIGNATURE, b"s", StateOrigin("generate", "gemini", "g")),)
    async with (
        Double([OK]) as vendor,
        Gateway.to(("anthropic", vendor), traces=MemoryTraces()) as gateway,
    ):
        body = after(sealer(Keyring(b"k" * 32), 3)(google))
        status, headers, _ = await gateway.post("/v1/messages", body)
        assert (200, False) == (status, PREFIX.encode() in vendor.requests[0].body)
        assert b"foreign_signature" in headers[b"trivium-repaired"]


@pytest.mark.asyncio
async def test_an_envelope_leads_back_to_its_channel():
    """Without a look into the store: the maker's name is in it."""
    made = (Opaque("thought_signature", b"c2ln", StateOrigin("generate", "gemini", "gemini-1")),)
    answer = b'{"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[{"text":"Ho"}]}}]}'
    told = [Send(sized(answer, headers=JSON))]
    traces = MemoryTraces()
    async with (
        Double([told]) as first,
        Double([told]) as second,
        Gateway.to(("gemini", first), ("gemini", second), traces=traces) as gateway,
    ):
        status, headers, body = await gateway.post(
            "/v1/messages", after(sealer(Keyring(b"k" * 32), 3)(made))
        )
        assert (200, "gemini-1", []) == (status, channel(headers), traces.asked), body


CHAT = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Weather?"}]}


def chat_after(id_):
    """The second turn of a chat client that kept the call alone."""
    call = {
        "id": id_,
        "type": "function",
        "function": {"name": "look", "arguments": '{"city": "Rome"}'},
    }
    return {**CHAT, "messages": [
        *CHAT["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id_, "content": "sun"},
    ]}  # fmt: skip


def call_id(body, *, stream):
    """The id of the one call of an answer."""
    if not stream:
        return msgspec.json.decode(body)["choices"][0]["message"]["tool_calls"][0]["id"]
    frames = [part.removeprefix(b"data: ") for part in body.split(b"\n\n") if b"tool_calls" in part]
    ids = [
        call["id"]
        for frame in frames
        for call in msgspec.json.decode(frame)["choices"][0]["delta"].get("tool_calls", ())
        if call.get("id")
    ]
    (id_,) = ids
    return id_


def framed(events, *, named):
    """Server-sent events of these objects."""
    return b"".join(
        (b"event: %s\n" % event["type"].encode() if named else b"")
        + b"data: %s\n\n" % msgspec.json.encode(event)
        for event in events
    )


ITEM = {
    "type": "reasoning", "id": "rs_1", "encrypted_content": SIGNED,
    "summary": [{"type": "summary_text", "text": "Hm."}],
}  # fmt: skip
RUN = {
    "type": "function_call", "id": "fc_1", "call_id": "call_0", "name": "look",
    "arguments": '{"city":"Rome"}', "status": "completed",
}  # fmt: skip
RESPONSE = {"id": "resp_1", "object": "response", "created_at": 1, "model": "x", "output": []}
USED = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
RESPONSE_EVENTS = [
    {"type": "response.created", "response": {**RESPONSE, "status": "in_progress"}},
    {"type": "response.output_item.added", "output_index": 0,
     "item": {**ITEM, "summary": [], "encrypted_content": None}},
    {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
    {"type": "response.output_item.added", "output_index": 1,
     "item": {**RUN, "arguments": "", "status": "in_progress"}},
    {"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "fc_1",
     "delta": '{"city":"Rome"}'},
    {"type": "response.function_call_arguments.done", "output_index": 1, "item_id": "fc_1",
     "arguments": '{"city":"Rome"}'},
    {"type": "response.output_item.done", "output_index": 1, "item": RUN},
    {"type": "response.completed",
     "response": {**RESPONSE, "status": "completed", "output": [ITEM, RUN], "usage": USED}},
]  # fmt: skip
CHUNKS = [
    {"candidates": [{"index": 0, "content": {"role": "model", "parts": [
        {"functionCall": {"name": "look", "args": {"city": "Rome"}}, "thoughtSignature": SIGNED}]}}]},
    {"candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": []}}],
     "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}},
]  # fmt: skip
STREAMS = {
    "anthropic": (None, STREAM),
    "openai": ("responses", framed(RESPONSE_EVENTS, named=True)),
    "gemini": (None, framed(CHUNKS, named=False)),
}


def speak(gateway, shape):
    """Have the one model asked in this shape; ``None``: in the provider's only one."""
    known = gateway.services.router.catalogue
    model = known.models["m"]
    bindings = tuple(
        msgspec.structs.replace(one, shape=shape and Shape(shape)) for one in model.bindings
    )
    models = {"m": msgspec.structs.replace(model, bindings=bindings)}
    gateway.services.router = Router(msgspec.structs.replace(known, models=models), lambda: 0.5)


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [1, 10_000])
@pytest.mark.parametrize("provider", STREAMS)
async def test_a_stream_leaves_its_traces_in_any_cut(provider, cut):
    """Of every shape; what comes back stands in the upstream's own slot."""
    shape, stream = STREAMS[provider]
    pieces = (stream[at : at + cut] for at in range(0, len(stream), cut))
    told = [Send(chunked(*pieces, headers=SSE), cut=cut if cut > 1 else None)]
    async with (
        Double([told, DOWN]) as vendor,
        Gateway.to((provider, vendor), traces=MemoryTraces()) as gateway,
    ):
        speak(gateway, shape)
        _, _, body = await gateway.post("/v1/chat/completions", {**CHAT, "stream": True})
        id_ = call_id(body, stream=True)
        await gateway.post("/v1/chat/completions", chat_after(id_))
        assert id_.startswith(CALL_PREFIX)
        assert 1 == vendor.requests[1].body.count(SIGNED.encode())


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_chat_callers_id_brings_the_reasoning_back(stream):
    """Whole and streamed in any cut: trap 82."""
    async with (
        Double([STREAMED if stream else OK, OK]) as vendor,
        Gateway.to(("anthropic", vendor), traces=MemoryTraces()) as gateway,
    ):
        asked = {**CHAT, "stream": stream}
        _, _, body = await gateway.post("/v1/chat/completions", asked)
        id_ = call_id(body, stream=stream)
        status, headers, _ = await gateway.post("/v1/chat/completions", chat_after(id_))
        thinking, call = blocks(vendor.requests[1])
        assert (200, SIGNED, "Hm.") == (status, thinking["signature"], thinking["thinking"])
        assert (id_, "look") == (call["id"], call["name"])
        assert b"trivium-repaired" not in headers


@pytest.mark.asyncio
async def test_a_forgotten_id_costs_the_reasoning_and_is_told():
    """The conversation goes on."""
    async with (
        Double([OK]) as vendor,
        Gateway.to(("anthropic", vendor), traces=MemoryTraces()) as gateway,
    ):
        body = chat_after(CALL_PREFIX + "0" * 24)
        status, headers, _ = await gateway.post("/v1/chat/completions", body)
        assert (200, ["tool_use"]) == (status, [b["type"] for b in blocks(vendor.requests[0])])
        assert b"lost_state;n=1" in headers[b"trivium-repaired"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "body"),
    [("/v1/chat/completions", chat_after("call_1")), ("/v1/messages", messages())],
)
async def test_a_request_without_state_asks_nobody(path, body):
    """Nor does its answer wait for anything."""
    traces = MemoryTraces()
    async with (
        Double([OK]) as one,
        Double([OK]) as two,
        Gateway.to(("anthropic", one), ("anthropic", two), traces=traces) as gateway,
    ):
        status, _, _ = await gateway.post(path, body)
        assert (200, []) == (status, traces.asked)


@pytest.mark.asyncio
async def test_a_lone_channel_leaves_no_traces_of_its_signatures():
    """There is no other that could be mistaken for it."""
    traces = MemoryTraces()
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor), traces=traces) as gateway:
        await gateway.post("/v1/messages", messages())
        assert {} == traces.kept


@pytest.mark.asyncio
async def test_a_gateway_without_a_memory_serves_all_the_same():
    """The store is optional, and so is what it brings."""
    async with Double([OK]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        _, _, body = await gateway.post("/v1/chat/completions", CHAT)
        assert "toolu_1" == call_id(body, stream=False)
