"""The caller, the record and the entry say the same of what was used, wherever the vendor says it."""

import json

import pytest

from end_to_end.estimating import ASK, PATH, PROVIDER, Books
from end_to_end.features import amazon, answering, streams
from end_to_end.features.asking import SHAPES
from gateway import Gateway
from scripted_upstream import Double, Send, chunked, sized
from trivium.conversation.usage import Usage
from trivium.wire import event_stream
from trivium.wire.sse import frames

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
EVENTS = b"Content-Type: application/vnd.amazon.eventstream\r\n"
WORDS = "sixteen letters."
"""Four tokens."""

WHOLE = {
    "chat": {"id": "c", "object": "chat.completion", "created": 1, "model": "up",
             "choices": [{"index": 0, "message": {"role": "assistant", "content": WORDS}, "finish_reason": "stop"}]},
    "responses": {"id": "r", "object": "response", "created_at": 1, "model": "up", "status": "completed",
                  "output": [{"type": "message", "id": "i", "role": "assistant", "status": "completed",
                              "content": [{"type": "output_text", "text": WORDS, "annotations": []}]}]},
    "messages": {"id": "m", "type": "message", "role": "assistant", "model": "up",
                 "content": [{"type": "text", "text": WORDS}], "stop_reason": "end_turn", "stop_sequence": None},
    "generate": {"candidates": [{"content": {"parts": [{"text": WORDS}], "role": "model"}, "finishReason": "STOP", "index": 0}],
                 "modelVersion": "up"},
}  # fmt: skip
WHOLE["converse"] = answering.converse(WORDS)
WHOLE["cohere"] = answering.cohere(WORDS)
del WHOLE["converse"]["usage"], WHOLE["cohere"]["usage"]
PROVIDER = PROVIDER | {"converse": "bedrock", "cohere": "cohere"}
PATH = PATH | {"converse": "/model/m/converse-stream", "cohere": "/v2/chat"}
ASK = ASK | {
    "converse": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
    "cohere": {"messages": [{"role": "user", "content": "Hi"}], "stream": True},
}
WHOLLY = {
    "/v1beta/models/m:streamGenerateContent?alt=sse": "/v1beta/models/m:generateContent",
    "/model/m/converse-stream": "/model/m/converse",
}
"""Where a whole answer is asked for elsewhere."""
COUNTERS = {
    "converse": ("usage", "inputTokens", "outputTokens"),
    "cohere": ("usage", "input_tokens", "output_tokens"),
    "chat": ("usage", "prompt_tokens", "completion_tokens"),
    "responses": ("usage", "input_tokens", "output_tokens"),
    "messages": ("usage", "input_tokens", "output_tokens"),
    "generate": ("usageMetadata", "promptTokenCount", "candidatesTokenCount"),
}
NONSENSE = ["-5000", "1e400", "1" + "0" * 30, '"many"', "[]"]


def answer(shape, count):
    """A whole answer whose output is reported so, as bytes that need not be JSON we can write."""
    member, given, made = COUNTERS[shape]
    counters = f'"{given}":9,"{made}":{count}'
    if shape == "cohere":
        counters = f'"billed_units":{{{counters}}}'
    return f'{json.dumps(WHOLE[shape])[:-1]},"{member}":{{{counters}}}}}'.encode()


def streamed(shape, count):
    """The same as a stream."""
    if shape == "responses":
        done = b'{"type":"response.completed","sequence_number":3,"response":%b}' % answer(
            shape, count
        )
        opening = WHOLE[shape] | {"status": "in_progress", "output": []}
        delta = {"type": "response.output_text.delta", "sequence_number": 2, "item_id": "i",
                 "output_index": 0, "content_index": 0, "delta": WORDS}  # fmt: skip
        rows = [{"type": "response.created", "sequence_number": 1, "response": opening}, delta]
        return [*(json.dumps(row).encode() for row in rows), done]
    if shape == "converse":
        told = amazon.events(streams.stream("converse", answering.converse(WORDS)))
        rows = [(kind, json.dumps(data).encode()) for kind, data in told[:-1]]
        usage = b'{"usage":{"inputTokens":9,"outputTokens":%b}}' % count.encode()
        return [*rows, ("metadata", usage)]
    if shape == "cohere":
        *told, _ = streams.frames("cohere", answering.cohere(WORDS))
        usage = b'{"billed_units":{"input_tokens":9,"output_tokens":%b}}' % count.encode()
        end = b'{"type":"message-end","id":"c","delta":{"finish_reason":"COMPLETE","usage":%b}}'
        return [*told, b"event: message-end\ndata: " + end % usage + b"\n\n"]
    if shape == "messages":
        message = WHOLE[shape] | {
            "content": [],
            "stop_reason": None,
            "usage": {"input_tokens": 9, "output_tokens": 1},
        }
        rows = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORDS}},
            {"type": "content_block_stop", "index": 0},
        ]  # fmt: skip
        stop = b'{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":%b}}'
        return [
            *(json.dumps(row).encode() for row in rows),
            stop % count.encode(),
            b'{"type":"message_stop"}',
        ]
    if shape == "generate":
        return [answer(shape, count)]
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "up"}
    rows = [
        chunk | {"choices": [{"index": 0, "delta": {"role": "assistant", "content": WORDS}, "finish_reason": None}]},
        chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]  # fmt: skip
    usage = b'{"prompt_tokens":9,"completion_tokens":%b}' % count.encode()
    last = b'{"id":"c","choices":[],"usage":%b}' % usage
    return [*(json.dumps(row).encode() for row in rows), last, b"[DONE]"]


def spoken(shape, rows):
    """A stream of these events."""
    if shape == "converse":
        frames_ = [event_stream.event(kind, data) for kind, data in rows]
        return chunked(*frames_, headers=EVENTS)
    if shape == "cohere":
        return chunked(*rows, headers=SSE)
    return chunked(*(b"data: %b\n\n" % row for row in rows), headers=SSE)


async def used(caller, vendor, reply, *, stream, price=True):
    """What the caller is told, what is recorded, what is booked."""
    ask = {name: value for name, value in ASK[caller].items() if name != "stream" or stream}
    if stream and caller == "chat":
        ask["stream_options"] = {"include_usage": True}
    path = PATH[caller] if stream else WHOLLY.get(PATH[caller], PATH[caller])
    model = {"free": False, "price": {"input": "1", "output": "10"}} if price else {}
    async with (
        Double([[Send(reply)]]) as double,
        Gateway.to((PROVIDER[vendor], double), model=model, binding={"shape": vendor}) as gateway,
    ):
        books = gateway.services.ledger
        if price:
            books = gateway.services.ledger = Books()
        status, _, body = await gateway.post(path, {"model": "m"} | ask)
        assert 200 == status, body
        booked = books.settled[0][0 if price else 1]
        return told(caller, body, stream=stream), gateway.records[0].usage, booked


def told(caller, body, *, stream):
    """Input and output by the last counters that a caller got."""
    member, given, made = COUNTERS[caller]
    if not stream:
        rows = [body]
    elif caller == "converse":
        rows = [json.dumps(row).encode() for _, row in amazon.events(body)]
    else:
        rows = [frame.data for frame in frames(body)]
    found = {}
    for row in rows:
        if row == b"[DONE]":
            continue
        data = json.loads(row)
        data = data.get("response", data)
        found |= data.get("message", {}).get(member) or {}
        found |= data.get(member) or {}
        found |= (data.get("delta") or {}).get(member) or {} if caller == "cohere" else {}
    found = found.get("billed_units", found)
    return found.get(given), found.get(made)


@pytest.mark.asyncio
@pytest.mark.parametrize("count", NONSENSE)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("vendor", SHAPES)
async def test_nonsense_is_told_to_nobody(vendor, stream, count):
    """Where an answer is translated its caller is told what is recorded and billed: an estimate."""
    caller = SHAPES[SHAPES.index(vendor) - 1]
    if stream:
        rows = streamed(vendor, count)
        reply = spoken(vendor, rows)
    else:
        reply = sized(answer(vendor, count), headers=JSON)
    says, recorded, booked = await used(caller, vendor, reply, stream=stream)
    assert booked == recorded
    assert (4, True) == (booked.output_total, booked.estimated)
    assert (booked.input_total, booked.output_total) == says


@pytest.mark.asyncio
@pytest.mark.parametrize("count", NONSENSE)
@pytest.mark.parametrize("vendor", SHAPES)
async def test_nonsense_of_the_callers_own_shape_is_billed_as_an_estimate(vendor, count):
    """Never nothing, and never a failure of a sound answer."""
    reply = sized(answer(vendor, count), headers=JSON)
    _, recorded, booked = await used(vendor, vendor, reply, stream=False)
    assert booked == recorded
    assert (4, True) == (booked.output_total, booked.estimated)
    reply = spoken(vendor, streamed(vendor, count))
    _, recorded, booked = await used(vendor, vendor, reply, stream=True)
    assert booked == recorded
    assert (4, True) == (booked.output_total, booked.estimated)


@pytest.mark.asyncio
async def test_a_free_model_is_counted_alike():
    """Nothing is booked; the caller and the record still agree."""
    reply = sized(answer("messages", "1" + "0" * 30), headers=JSON)
    says, recorded, _ = await used("chat", "messages", reply, stream=False, price=False)
    assert (recorded.input_total, recorded.output_total) == says
    assert (4, True) == (recorded.output_total, recorded.estimated)


COUNTED = {"prompt_tokens": 9, "completion_tokens": 44, "total_tokens": 53}
PLACES = {
    "in a choice": lambda body, choice: (body, choice | {"usage": COUNTED}),
    "in x_groq": lambda body, choice: (body | {"x_groq": {"id": "r", "usage": COUNTED}}, choice),
    "at the top": lambda body, choice: (body | {"usage": COUNTED | {"cached_tokens": 5}}, choice),
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("caller", ["chat", "messages"])
async def test_counts_are_found_wherever_servers_of_the_chat_shape_put_them(caller, stream, place):
    """In a whole answer and at the end of a stream, passed on and translated."""
    said = {"role": "assistant", "content": WORDS}
    end = {"index": 0, "finish_reason": "stop"} | ({"delta": {}} if stream else {"message": said})
    body, choice = PLACES[place](WHOLE["chat"], end)
    last = json.dumps(body | {"choices": [choice]}).encode()
    reply = sized(last, headers=JSON)
    if stream:
        first = WHOLE["chat"] | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]}
        rows = [json.dumps(first).encode(), last, b"[DONE]"]
        reply = chunked(*(b"data: %b\n\n" % row for row in rows), headers=SSE)
    _, recorded, booked = await used(caller, "chat", reply, stream=stream)
    cached = 5 if place == "at the top" else 0
    assert Usage(fresh=9 - cached, cache_read=cached, output=44) == booked == recorded
