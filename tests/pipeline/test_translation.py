"""The translation lane over real sockets: every shape of caller to every shape of upstream."""

import msgspec
import pytest

from gateway import Gateway, encoded, error_of
from scripted_upstream import Close, Double, Send, chunked, sized
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Binding
from trivium.routing.router import Router
from trivium.wire import sse
from trivium.wire.operation import Shape

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
PROVIDER = {"chat": "openai", "responses": "openai", "messages": "anthropic", "generate": "gemini"}

TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ASKED = {
    "chat": lambda stream: ("/v1/chat/completions", {
        "model": "m", "stream": stream, "max_tokens": 99,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": TOOL}}]}),
    "responses": lambda stream: ("/v1/responses", {
        "model": "m", "stream": stream, "max_output_tokens": 99, "store": False,
        "instructions": "Be brief.", "input": "Weather?",
        "tools": [{"type": "function", "name": "look", "parameters": TOOL, "strict": False}]}),
    "messages": lambda stream: ("/v1/messages", {
        "model": "m", "stream": stream, "max_tokens": 99, "system": "Be brief.",
        "messages": [{"role": "user", "content": "Weather?"}],
        "tools": [{"name": "look", "input_schema": TOOL}]}),
    "generate": lambda stream: (
        "/v1beta/models/m:" + ("streamGenerateContent?alt=sse" if stream else "generateContent"), {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "Weather?"}]}],
            "generationConfig": {"maxOutputTokens": 99},
            "tools": [{"functionDeclarations": [{"name": "look", "parametersJsonSchema": TOOL}]}]}),
}  # fmt: skip

CALLED = {
    "chat": {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "x",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "Let me see.", "tool_calls": [
                {"id": "call_1", "type": "function",
                 "function": {"name": "look", "arguments": '{"city":"Rome"}'}}]}}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27,
                  "prompt_tokens_details": {"cached_tokens": 5}}},
    "responses": {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "x", "status": "completed",
        "output": [
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look",
             "arguments": '{"city":"Rome"}', "status": "completed"}],
        "usage": {"input_tokens": 20, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 7,
                  "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 27}},
    "messages": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "call_1", "name": "look", "input": {"city": "Rome"}}],
        "stop_reason": "tool_use", "stop_sequence": None,
        "usage": {"input_tokens": 15, "cache_read_input_tokens": 5, "output_tokens": 7}},
    "generate": {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [
            {"text": "Let me see."}, {"functionCall": {"name": "look", "args": {"city": "Rome"}}}]}}],
        "usageMetadata": {"promptTokenCount": 20, "cachedContentTokenCount": 5,
                          "candidatesTokenCount": 7, "totalTokenCount": 27}},
}  # fmt: skip


def said(shape, body):
    """(text, call name, call arguments, input tokens, output tokens, why it ended) of an answer."""
    answer = msgspec.json.decode(body)
    if shape == "chat":
        (choice,) = answer["choices"]
        (call,) = choice["message"]["tool_calls"]
        used = answer["usage"]
        return (choice["message"]["content"], call["function"]["name"],
                msgspec.json.decode(call["function"]["arguments"]), used["prompt_tokens"],
                used["completion_tokens"], choice["finish_reason"] == "tool_calls")  # fmt: skip
    if shape == "responses":
        message, call = answer["output"]
        used = answer["usage"]
        return (message["content"][0]["text"], call["name"], msgspec.json.decode(call["arguments"]),
                used["input_tokens"], used["output_tokens"], answer["status"] == "completed")  # fmt: skip
    if shape == "messages":
        text, call = answer["content"]
        used = answer["usage"]
        total = used["input_tokens"] + used["cache_read_input_tokens"]
        return (text["text"], call["name"], call["input"], total, used["output_tokens"],
                answer["stop_reason"] == "tool_use")  # fmt: skip
    (candidate,) = answer["candidates"]
    text, call = candidate["content"]["parts"]
    used = answer["usageMetadata"]
    return (text["text"], call["functionCall"]["name"], call["functionCall"]["args"],
            used["promptTokenCount"], used["candidatesTokenCount"],
            candidate["finishReason"] == "STOP")  # fmt: skip


def speaks(gateway, shape):
    """Have the gateway's one model speak this shape upstream."""
    catalogue = gateway.services.router.catalogue
    model = catalogue.models["m"]
    told = Shape(shape)
    bindings = tuple(
        Binding(channel=b.channel, model=b.model, shape=told, priority=b.priority)
        for b in model.bindings
    )
    models = {"m": msgspec.structs.replace(model, bindings=bindings)}
    gateway.services.router = Router(msgspec.structs.replace(catalogue, models=models), lambda: 0.5)


PAIRS = [(caller, upstream) for caller in ASKED for upstream in CALLED]


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
async def test_every_shape_asks_every_shape_for_a_tool_call(caller, upstream):
    """Text, call, arguments, usage and reason come back in the caller's words; nothing is lost."""
    answer = [Send(sized(msgspec.json.encode(CALLED[upstream]), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](False)
        status, headers, got = await gateway.post(path, body)
        assert 200 == status, got
        assert ("Let me see.", "look", {"city": "Rome"}, 20, 7, True) == said(caller, got)
        assert b"trivium-dropped" not in headers
        sent = vendor.requests[0].body
        for word in (b"Be brief.", b"Weather?", b"look", b"city", b"99"):
            assert word in sent
        usage = gateway.records[0].usage
        assert (15, 5, 7) == (usage.fresh, usage.cache_read, usage.output)


def streamed(shape):
    """The same answer as that shape's stream, its arguments in two pieces where they can be."""
    whole = CALLED[shape]
    if shape == "chat":
        base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "x"}
        deltas = [
            {"role": "assistant", "content": ""}, {"content": "Let me "}, {"content": "see."},
            {"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
                             "function": {"name": "look", "arguments": ""}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": '"Rome"}'}}]},
        ]  # fmt: skip
        frames = [
            {**base, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas
        ]
        frames.append(
            {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
        )
        frames.append({**base, "choices": [], "usage": whole["usage"]})
        return b"".join(sse.frame(msgspec.json.encode(f)) for f in frames) + b"data: [DONE]\n\n"
    if shape == "generate":
        parts = [
            {"text": "Let me "},
            {"text": "see."},
            whole["candidates"][0]["content"]["parts"][1],
        ]
        frames = [
            {"candidates": [{"index": 0, "content": {"role": "model", "parts": [p]}}]}
            for p in parts
        ]
        frames[-1]["candidates"][0]["finishReason"] = "STOP"
        frames[-1]["usageMetadata"] = whole["usageMetadata"]
        return b"".join(sse.frame(msgspec.json.encode(f)) for f in frames)
    if shape == "messages":
        empty = {**whole, "content": [], "stop_reason": None}
        events = [
            {"type": "message_start", "message": empty},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me "}},
            {"type": "ping"},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "see."}},
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1,
             "content_block": {"type": "tool_use", "id": "call_1", "name": "look", "input": {}}},
            {"type": "content_block_delta", "index": 1,
             "delta": {"type": "input_json_delta", "partial_json": '{"city":'}},
            {"type": "content_block_delta", "index": 1,
             "delta": {"type": "input_json_delta", "partial_json": '"Rome"}'}},
            {"type": "content_block_stop", "index": 1},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": whole["usage"]},
            {"type": "message_stop"},
        ]  # fmt: skip
        return named(events)
    message, call = whole["output"]
    open_ = {**whole, "status": "in_progress", "output": [], "usage": None}
    text = message["content"][0]
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    fc = {"item_id": "fc_1", "output_index": 1}
    events = [
        {"type": "response.created", "response": open_},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**message, "content": []},
        },
        {"type": "response.content_part.added", **at, "part": {**text, "text": ""}},
        {"type": "response.output_text.delta", **at, "delta": "Let me "},
        {"type": "response.output_text.delta", **at, "delta": "see."},
        {"type": "response.output_text.done", **at, "text": "Let me see."},
        {"type": "response.content_part.done", **at, "part": text},
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {
            "type": "response.output_item.added",
            "output_index": 1,
            "item": {**call, "arguments": ""},
        },
        {"type": "response.function_call_arguments.delta", **fc, "delta": '{"city":'},
        {"type": "response.function_call_arguments.delta", **fc, "delta": '"Rome"}'},
        {"type": "response.function_call_arguments.done", **fc, "arguments": call["arguments"]},
        {"type": "response.output_item.done", "output_index": 1, "item": call},
        {"type": "response.completed", "response": whole},
    ]
    return named([{**event, "sequence_number": n} for n, event in enumerate(events)])


def named(events):
    return b"".join(sse.frame(msgspec.json.encode(e), e["type"].encode()) for e in events)


def gathered(shape, wire):
    """(text, call name, arguments text) of a stream, and whether its terminal event came once."""
    events = [f.data for f in sse.frames(wire)]
    if shape == "chat":
        assert b"[DONE]" == events[-1]
        chunks = [msgspec.json.decode(e) for e in events[:-1]]
        deltas = [c["choices"][0]["delta"] for c in chunks if c["choices"]]
        calls = [d["tool_calls"][0] for d in deltas if d.get("tool_calls")]
        ends = [c["choices"][0]["finish_reason"] for c in chunks if c["choices"]]
        assert ["tool_calls"] == [e for e in ends if e]
        return ("".join(d.get("content") or "" for d in deltas), calls[0]["function"]["name"],
                "".join(c["function"].get("arguments", "") for c in calls))  # fmt: skip
    events = [msgspec.json.decode(e) for e in events]
    if shape == "generate":
        parts = [p for e in events for c in e.get("candidates", []) for p in c["content"]["parts"]]
        (call,) = [p["functionCall"] for p in parts if "functionCall" in p]
        assert "STOP" == events[-1]["candidates"][0]["finishReason"]
        assert 20 == events[-1]["usageMetadata"]["promptTokenCount"]
        return ("".join(p.get("text", "") for p in parts), call["name"],
                msgspec.json.encode(call["args"]).decode())  # fmt: skip
    kinds = [e["type"] for e in events]
    if shape == "messages":
        assert ("message_start", "message_stop", 1) == (
            kinds[0],
            kinds[-1],
            kinds.count("message_stop"),
        )
        deltas = [e["delta"] for e in events if e["type"] == "content_block_delta"]
        (name,) = [e["content_block"]["name"] for e in events
                   if e["type"] == "content_block_start" and e["content_block"]["type"] == "tool_use"]  # fmt: skip
        return ("".join(d.get("text", "") for d in deltas), name,
                "".join(d.get("partial_json", "") for d in deltas))  # fmt: skip
    assert ("response.created", "response.completed") == (kinds[0], kinds[-1])
    assert list(range(len(events))) == [e["sequence_number"] for e in events]
    done = {
        e["item"]["type"]: e["item"] for e in events if e["type"] == "response.output_item.done"
    }
    text = "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta")
    assert done["message"]["content"][0]["text"] == text
    return (text, done["function_call"]["name"], done["function_call"]["arguments"])


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
@pytest.mark.parametrize("cut", [None, 11])
async def test_every_shape_streams_from_every_shape(caller, upstream, cut):
    """In the caller's own order of events, however the upstream's bytes were cut."""
    answer = [Send(chunked(streamed(upstream), headers=SSE), cut=cut)]
    async with Double([answer]) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](True)
        status, _, got = await gateway.post(path, body)
        assert 200 == status, got
        text, name, arguments = gathered(caller, got)
        assert ("Let me see.", "look", {"city": "Rome"}) == (
            text,
            name,
            msgspec.json.decode(arguments),
        )
        (record,) = gateway.records
        assert ("", 15, 5, 7) == (
            record.fault, record.usage.fresh, record.usage.cache_read, record.usage.output,
        )  # fmt: skip


OTHERS = [(caller, upstream) for caller, upstream in PAIRS if caller != upstream]
ENDS = {
    "chat": b'data: {"error":{',
    "responses": b"event: response.failed",
    "messages": b"event: error",
    "generate": b'data: {"error":{',
}


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), OTHERS)
async def test_a_translated_stream_that_breaks_at_any_event_is_ended_legally(caller, upstream):
    """Before the first word another status, after it the caller's own error and no other end."""
    wire = streamed(upstream)
    events = [piece + b"\n\n" for piece in wire.split(b"\n\n") if piece]
    head = b"HTTP/1.1 200 OK\r\n" + SSE + b"Transfer-Encoding: chunked\r\n\r\n"
    stops = range(1, len(events) - 1)
    scripts = []
    for stop in stops:
        sent = b"".join(events[:stop])
        scripts.append([Send(head + b"%x\r\n%b\r\n" % (len(sent), sent)), Close()])
    async with Double(scripts) as vendor, Gateway.to((PROVIDER[upstream], vendor)) as gateway:
        speaks(gateway, upstream)
        path, body = ASKED[caller](True)
        seen = set()
        for _ in stops:
            status, headers, got = await gateway.post(path, body)
            seen.add(status)
            if status == 200:
                assert (True, 0) == (ENDS[caller] in got[-3000:], got.count(b"[DONE]"))
                assert headers[b"x-request-id"] in got
            else:
                assert 502 == status
        assert 200 in seen
        assert {"upstream_broke"} == {record.fault for record in gateway.records}


@pytest.mark.asyncio
async def test_what_cannot_be_carried_is_refused_by_name_before_anything_is_called():
    """A stored file of one vendor means nothing to another."""
    body = {"model": "m", "messages": [{"role": "user", "content": [
        {"type": "file", "file": {"file_id": "file-abc"}}]}]}  # fmt: skip
    async with Double([[]]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, _, got = await gateway.post("/v1/chat/completions", body)
        assert 400 == status
        assert error_of(got)["param"].endswith("file_id")
        assert [] == vendor.requests


@pytest.mark.asyncio
async def test_a_hint_that_is_dropped_is_reported_and_in_strict_mode_refused():
    """`seed` is a wish; Anthropic's protocol has none."""
    path, body = ASKED["chat"](False)
    body = body | {"seed": 7}
    answer = [Send(sized(msgspec.json.encode(CALLED["messages"]), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, _ = await gateway.post(path, body)
        assert 200 == status
        assert b"seed" in headers[b"trivium-dropped"]
        status, _, got = await gateway.post(path, body, "trivium-strict: true")
        assert (400, "seed") == (status, error_of(got)["param"])


@pytest.mark.asyncio
async def test_a_users_profile_at_another_vendor_is_reported():
    """Only its own vendor knows it; that one gets it."""
    path, body = ASKED["messages"](False)
    answer = [Send(sized(msgspec.json.encode(CALLED["chat"]), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        _, headers, _ = await gateway.post(path, body, "vendor-user-profile-id: uprof_1")
        assert b"vendor-user-profile-id" in headers[b"trivium-dropped"]


@pytest.mark.asyncio
async def test_who_declares_functions_is_told_that_a_second_call_has_no_room():
    """The upstream is asked for one call at a time, and may still make two."""
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}],
            "functions": [{"name": "look", "parameters": TOOL}]}  # fmt: skip
    made = CALLED["messages"]
    twice = made | {"content": [*made["content"], made["content"][-1] | {"id": "toolu_2"}]}
    answer = [Send(sized(msgspec.json.encode(twice), headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("anthropic", vendor)) as gateway:
        status, headers, got = await gateway.post("/v1/chat/completions", body)
        assert 200 == status
        assert headers[b"trivium-dropped"].startswith(b"answer.tool_calls;act=dropped")
        assert "look" == msgspec.json.decode(got)["choices"][0]["message"]["function_call"]["name"]
        sent = msgspec.json.decode(vendor.requests[0].body)
        assert {"type": "auto", "disable_parallel_tool_use": True} == sent["tool_choice"]


LONG = "mcp__plugin_chrome-devtools-mcp_chrome-devtools__get_console_message"


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_tool_with_a_name_too_long_for_the_target_is_called_by_its_own(stream):
    """Claude Code's names are up to 128 characters, OpenAI takes 64."""
    path, body = ASKED["messages"](stream)
    body["tools"][0]["name"] = LONG
    async with Double([]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "chat")

        def answer(name: str) -> bytes:
            wire = streamed("chat") if stream else msgspec.json.encode(CALLED["chat"])
            wire = wire.replace(b'"look"', b'"%b"' % name.encode())
            return chunked(wire, headers=SSE) if stream else sized(wire, headers=JSON)

        vendor.script = [[Send(answer("x"))]]
        await gateway.post(path, body)
        sent = msgspec.json.decode(vendor.requests[0].body)
        name = sent["tools"][0]["function"]["name"]
        assert len(name) <= 64
        vendor.script = [[Send(answer(name))]]
        _, _, got = await gateway.post(path, body)
        assert LONG.encode() in got
        assert name.encode() not in got


@pytest.mark.asyncio
async def test_a_fallback_to_another_shape_is_translated_afresh_from_the_original():
    """The second channel gets what the caller said, not what the first was sent."""
    broken = [Send(sized(b"{}", status=b"503 Busy", headers=JSON))]
    answer = [Send(sized(msgspec.json.encode(CALLED["generate"]), headers=JSON))]
    async with (
        Double([broken]) as first,
        Double([answer]) as second,
        Gateway.to(("anthropic", first), ("gemini", second)) as gateway,
    ):
        path, body = ASKED["chat"](False)
        status, headers, got = await gateway.post(path, body)
        assert (200, b"2") == (status, headers[b"trivium-attempts"])
        assert ("Let me see.", "look") == said("chat", got)[:2]
        assert b"functionDeclarations" in second.requests[0].body
        assert b"input_schema" in first.requests[0].body


def test_the_providers_of_this_table_speak_their_shapes():
    """A guard of the table above: each provider has the operation it is asked for."""
    for shape, provider in PROVIDER.items():
        assert any(op.value.startswith(shape) for op in PROVIDERS[provider].paths)
    assert encoded({"a": 1}) == b'{"a":1}'


@pytest.mark.asyncio
async def test_a_body_of_countless_tiny_objects_is_refused_before_they_are_made():
    """A limit on bytes does not hold what they would take in memory."""
    async with (
        Double() as vendor,
        Gateway.to(("anthropic", vendor)) as gateway,
    ):
        said = b'{"role":"user","content":"a"},' * 25_001
        body = b'{"model":"m","max_tokens":5,"messages":[%b]}' % said[:-1]
        status, _, answer = await gateway.post("/v1/chat/completions", body)
        assert 413 == status
        assert "more than 25000 JSON objects" in error_of(answer)["message"]
        assert [] == vendor.requests
