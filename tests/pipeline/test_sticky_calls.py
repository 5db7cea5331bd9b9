"""Callers of messages and responses that send back the ids of calls, and maybe no reasoning."""

import asyncio

import anthropic
import msgspec
import pytest

from gateway import Gateway
from pipeline import test_affinity as vendors
from pipeline.test_affinity import SIGNED, MemoryTraces, speak
from scripted_upstream import Double, Send, chunked, sized
from trivium.wire.state_refs import CALL_PREFIX

THOUGHT = "Rome is where they ask about."
CALL = {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
SAID = {"role": "assistant", "content": None, "reasoning_content": THOUGHT, "tool_calls": [CALL]}
COUNT = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
CHAT = {
    "id": "c", "object": "chat.completion", "created": 1, "model": "x",
    "choices": [{"index": 0, "message": SAID, "finish_reason": "tool_calls"}], "usage": COUNT,
}  # fmt: skip


def chunk(delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {**CHAT, "object": "chat.completion.chunk", "choices": [choice], **more}
    return {name: value for name, value in chunk.items() if name != "usage" or "usage" in more}


CHUNKS = [
    chunk({"role": "assistant", "reasoning_content": THOUGHT[:9]}),
    chunk({"reasoning_content": THOUGHT[9:]}),
    chunk({"tool_calls": [{"index": 0, **CALL}]}),
    chunk({}, "tool_calls"),
    {**CHAT, "object": "chat.completion.chunk", "choices": [], "usage": COUNT},
]
RESPONSE = vendors.RESPONSE_EVENTS[-1]["response"]
CANDIDATE = {**vendors.CHUNKS[0]["candidates"][0], "finishReason": "STOP"}
GENERATED = {**vendors.CHUNKS[1], "candidates": [CANDIDATE]}
VENDORS = {
    "messages": ("anthropic", None, vendors.ANSWER, vendors.STREAM, SIGNED),
    "responses": (
        "openai",
        "responses",
        RESPONSE,
        vendors.framed(vendors.RESPONSE_EVENTS, named=True),
        SIGNED,
    ),
    "generate": ("gemini", None, GENERATED, vendors.framed(vendors.CHUNKS, named=False), SIGNED),
    "chat": ("deepseek", "chat", CHAT, vendors.framed(CHUNKS, named=False), THOUGHT),
}
START = {"role": "user", "content": "Weather?"}
INCLUDED = {"include": ["reasoning.encrypted_content"]}
CALLERS = {
    "messages": ("/v1/messages", {"model": "m", "max_tokens": 9000, "messages": [START]}),
    "messages that think": (
        "/v1/messages",
        {
            "model": "m",
            "max_tokens": 9000,
            "messages": [START],
            "thinking": {"type": "enabled", "budget_tokens": 2000},
        },
    ),
    "responses": ("/v1/responses", {"model": "m", "input": [START]}),
    "responses that include": ("/v1/responses", {"model": "m", "input": [START], **INCLUDED}),
}
PAIRS = [
    (caller, vendor) for caller in CALLERS for vendor in VENDORS if not caller.startswith(vendor)
]


def told(vendor, *, stream):
    """The vendor's answer, in pieces of seven bytes where it streams."""
    _, _, whole, events, _ = VENDORS[vendor]
    if not stream:
        return [Send(sized(msgspec.json.encode(whole), headers=vendors.JSON))]
    pieces = (events[at : at + 7] for at in range(0, len(events), 7))
    return [Send(chunked(*pieces, headers=vendors.SSE))]


def content(body, *, stream):
    """What was answered: blocks or items."""
    if not stream:
        answer = msgspec.json.decode(body)
        return answer.get("content") or answer["output"]
    events = [
        msgspec.json.decode(line.removeprefix(b"data: "))
        for line in body.split(b"\n")
        if line.startswith(b"data: {")
    ]
    if events[-1]["type"] == "response.completed":
        return events[-1]["response"]["output"]
    found = []
    for event in events:
        delta = event.get("delta", {})
        if event["type"] == "content_block_start":
            found.append(event["content_block"])
        for name in ("thinking", "signature", "text"):
            if name in delta:
                found[-1][name] += delta[name]
        if "partial_json" in delta:
            found[-1]["input"] = msgspec.json.decode(delta["partial_json"] or "{}")
    return found


def after(asked, said):
    """The next request and the call's id, where these blocks or items are sent back."""
    if "input" in asked:
        id_ = said[-1]["call_id"]
        result = {"type": "function_call_output", "call_id": id_, "output": "sun"}
        return {**asked, "input": [START, *said, result]}, id_
    id_ = said[-1]["id"]
    result = {"type": "tool_result", "tool_use_id": id_, "content": "sun"}
    turns = [{"role": "assistant", "content": said}, {"role": "user", "content": [result]}]
    return {**asked, "messages": [START, *turns]}, id_


def left(said, how):
    """What a client keeps of an answer: its calls, their words too, or all of it."""
    if how == "all":
        return said
    calls = [one for one in said if one["type"] in ("tool_use", "function_call")]
    if how == "calls":
        return calls
    words = [
        {name: value for name, value in one.items() if name != "encrypted_content"}
        | ({"signature": ""} if one["type"] == "thinking" else {})
        for one in said
        if one["type"] in ("thinking", "reasoning")
    ]
    return [*words, *calls]


async def spoken(caller, vendor, how, *, stream, kept=True):
    """The second request as the vendor sees it, with what was answered to it and the call's id."""
    path, asked = CALLERS[caller]
    provider, shape, *_ = VENDORS[vendor]
    traces = MemoryTraces()
    async with (
        Double([told(vendor, stream=stream), told(vendor, stream=False)]) as upstream,
        Gateway.to((provider, upstream), traces=traces) as gateway,
    ):
        speak(gateway, shape)
        status, _, body = await gateway.post(path, {**asked, "stream": stream})
        assert 200 == status, body
        said = content(body, stream=stream)
        again, id_ = after(asked, left(said, how))
        if not kept:
            traces.kept.clear()
        status, headers, body = await gateway.post(path, again)
        assert 200 == status, body
        return upstream.requests[1].body.decode(), headers, id_, said


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("how", ["calls", "words", "all"])
@pytest.mark.parametrize(("caller", "vendor"), PAIRS)
async def test_the_reasoning_reaches_its_maker_once(caller, vendor, how, stream):
    """However much of it the caller sent back, whole and streamed."""
    body, headers, id_, _ = await spoken(caller, vendor, how, stream=stream)
    assert (True, 1) == (id_.startswith(CALL_PREFIX), body.count(VENDORS[vendor][-1]))
    assert b"trivium-repaired" not in headers
    assert b"read again" not in headers.get(b"trivium-dropped", b"")


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("caller", "vendor"), PAIRS)
async def test_who_sent_all_of_it_misses_no_trace_that_is_gone(caller, vendor, stream):
    """It is told of a loss only where there is one."""
    how = "all"
    body, headers, _, said = await spoken(caller, vendor, how, stream=stream, kept=False)
    shown = len(said) > 1
    assert shown == body.count(VENDORS[vendor][-1])
    assert shown == (b"lost_state" not in headers.get(b"trivium-repaired", b""))


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "vendor"), PAIRS)
async def test_who_sent_calls_alone_is_told_of_a_trace_that_is_gone(caller, vendor):
    """The conversation goes on without."""
    body, headers, _, _ = await spoken(caller, vendor, "calls", stream=False, kept=False)
    assert not body.count(VENDORS[vendor][-1])
    assert b"lost_state;n=1" in headers[b"trivium-repaired"]


@pytest.mark.asyncio
@pytest.mark.parametrize("vendor", ["messages", "responses"])
async def test_a_vendor_of_the_callers_own_shape_keeps_its_ids(vendor):
    """It may keep the answer, under the ids it gave."""
    body, _, id_, _ = await spoken(vendor, vendor, "all", stream=False)
    assert not id_.startswith(CALL_PREFIX)
    assert 1 == body.count(SIGNED)


@pytest.mark.asyncio
async def test_plain_words_lead_nobody_back_to_one_account():
    """Whoever reads words reads anybody's, and one account must not get it all."""
    path, asked = CALLERS["messages"]
    traces = MemoryTraces()
    down = [Send(sized(b'{"error":{"message":"x"}}', status=b"503 Busy", headers=vendors.JSON))]
    one = told("chat", stream=False)
    async with (
        Double([down, one]) as first,
        Double([one, one]) as second,
        Gateway.to(("deepseek", first), ("deepseek", second), traces=traces) as gateway,
    ):
        speak(gateway, "chat")
        _, headers, body = await gateway.post(path, asked)
        again, _ = after(asked, left(content(body, stream=False), "calls"))
        assert "deepseek-1" == vendors.channel(headers)
        _, headers, _ = await gateway.post(path, again)
        assert "deepseek-0" == vendors.channel(headers)
        assert THOUGHT.encode() in first.requests[1].body


@pytest.mark.asyncio
async def test_the_official_client_calls_under_our_ids():
    """Anthropic's, with its own types, whole and streamed."""
    traces = MemoryTraces()
    streamed, whole = told("generate", stream=True), told("generate", stream=False)
    async with (
        Double([streamed, whole]) as upstream,
        Gateway.to(("gemini", upstream), traces=traces) as gateway,
    ):
        client = anthropic.AsyncAnthropic(
            api_key=gateway.key, base_url=f"http://127.0.0.1:{gateway.port}", max_retries=0
        )
        asked = {"model": "m", "max_tokens": 99}
        async with asyncio.timeout(10), client:
            async with client.messages.stream(messages=[START], **asked) as stream:
                answer = await stream.get_final_message()
            call = next(one for one in answer.content if one.type == "tool_use")
            again, _ = after({**asked, "messages": [START]}, [call.to_dict()])
            answer = await client.messages.create(**again)
        assert "tool_use" == answer.content[-1].type
        assert call.id.startswith(CALL_PREFIX)
        assert 1 == upstream.requests[1].body.count(SIGNED.encode())
