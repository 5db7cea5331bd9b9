"""Bedrock's other endpoints behind a running gateway, signed: streams, SDKs, vectors, clocks."""

import asyncio
import base64
import json

import anthropic
import openai
import pytest
from anthropic._client import ANTHROPIC_API_VERSION

from end_to_end.test_bedrock import OWN, cloud, say, serving, settings
from trivium.wire.event_stream import event
from trivium.wire.operation import EVENT_STREAM

assert cloud  # a fixture

STREAM = {"content-type": EVENT_STREAM}
HELLO = [{"role": "user", "content": "Hi"}]
MODEL = "us.acme.model-v1:0"


def converse_stream():
    """What ConverseStream answers, in frames."""
    events = [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hel"}}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "lo"}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("messageStop", {"stopReason": "end_turn"}),
        ("metadata", {"usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
                      "metrics": {"latencyMs": 1}}),
    ]  # fmt: skip
    return b"".join(event(name, json.dumps(data).encode()) for name, data in events)


def claude():
    """A whole message."""
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude",
        "content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2},
    }  # fmt: skip


def claude_events():
    """The same, streamed."""
    start = claude() | {"content": [], "stop_reason": None}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]  # fmt: skip


def claude_stream():
    """The events in Bedrock's frames."""
    data = [base64.b64encode(json.dumps(one).encode()).decode() for one in claude_events()]
    return b"".join(event("chunk", json.dumps({"bytes": one}).encode()) for one in data)


def claude_sse():
    """The events as Mantle sends them."""
    return "".join(
        f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in claude_events()
    ).encode()


async def heard(gateway):
    """The text of one message, and of one that is streamed."""
    asked = {"model": "m", "max_tokens": 9, "messages": HELLO}
    base = f"http://127.0.0.1:{gateway.port}"
    async with anthropic.AsyncAnthropic(
        api_key=gateway.key, base_url=base, max_retries=0
    ) as client:
        whole = await client.messages.create(**asked)
        async with client.messages.stream(**asked) as stream:
            streamed = await stream.get_final_message()
    assert (3, 2) == (streamed.usage.input_tokens, streamed.usage.output_tokens)
    return whole.content[0].text, streamed.content[0].text


def openai_client(gateway):
    """OpenAI's SDK, to be closed."""
    return openai.AsyncOpenAI(
        api_key=gateway.key, base_url=f"http://127.0.0.1:{gateway.port}/v1", max_retries=0
    )


@pytest.mark.asyncio
async def test_a_stream_comes_through_a_signed_channel(cloud, tmp_path):
    """For a caller of another shape, to its end."""
    cloud.answers = [(200, STREAM, converse_stream())]
    async with (
        serving(tmp_path, settings(cloud, OWN)) as gateway,
        openai_client(gateway) as client,
    ):
        stream = await client.chat.completions.create(
            model="m", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    assert "Hello" == "".join(
        chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices
    )
    assert (3, 2) == (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens)
    (seen,) = cloud.requests
    assert "/model/us.acme.model-v1%3A0/converse-stream" == seen.target
    assert EVENT_STREAM == seen.headers["accept"]


@pytest.mark.asyncio
async def test_claude_by_invoke_model_is_a_claude_to_its_sdk(cloud, tmp_path):
    """Whole and streamed; the model is in the path, the version in the body."""
    cloud.answers = [(200, {}, json.dumps(claude()).encode()), (200, STREAM, claude_stream())]
    async with serving(tmp_path, settings(cloud, OWN, provider="bedrock-messages")) as gateway:
        assert ("Hello", "Hello") == await heard(gateway), gateway.log
    whole, streamed = cloud.requests
    assert [
        "/model/us.acme.model-v1%3A0/invoke", "/model/us.acme.model-v1%3A0/invoke-with-response-stream",
    ] == [whole.target, streamed.target]  # fmt: skip
    sent = json.loads(streamed.body)
    assert ANTHROPIC_API_VERSION == sent["anthropic_version"], "as its client of Bedrock has it"
    assert not sent.keys() & {"model", "stream"}


@pytest.mark.asyncio
async def test_mantle_speaks_both_shapes(cloud, tmp_path):
    """By the official SDKs, with the signature of its own service, whatever headers they add."""
    cloud.answers = [
        (200, {}, json.dumps(claude()).encode()),
        (200, {"content-type": "text/event-stream"}, claude_sse()),
    ]
    text = settings(cloud, OWN, provider="bedrock-mantle", path="/v1")
    async with serving(tmp_path, text) as gateway:
        assert ("Hello", "Hello") == await heard(gateway), gateway.log
        async with openai_client(gateway) as client:
            said = await client.chat.completions.create(model="m", messages=HELLO)
    assert "Hi" == said.choices[0].message.content
    targets = [seen.target for seen in cloud.requests]
    assert ["/anthropic/v1/messages", "/anthropic/v1/messages", "/v1/chat/completions"] == targets
    versions = {seen.headers["anthropic-version"] for seen in cloud.requests[:2]}
    assert {ANTHROPIC_API_VERSION} == versions
    assert {MODEL} == {json.loads(seen.body)["model"] for seen in cloud.requests}
    assert 0 == cloud.refused


@pytest.mark.asyncio
async def test_titans_vectors_are_those_of_openais_sdk(cloud, tmp_path):
    """One text; several are refused by the name of what takes them."""
    text = settings(cloud, OWN, provider="bedrock-embed").replace(
        MODEL, "amazon.titan-embed-text-v2:0"
    )
    cloud.answers = [(200, {}, b'{"embedding":[0.5,0.25],"inputTextTokenCount":7}')]
    async with serving(tmp_path, text) as gateway, openai_client(gateway) as client:
        got = await client.embeddings.create(model="m", input="Hi", dimensions=256)
        assert ([0.5, 0.25], 7) == (got.data[0].embedding, got.usage.prompt_tokens)
        with pytest.raises(openai.BadRequestError, match="one text a request"):
            await client.embeddings.create(model="m", input=["a", "b"])
    (seen,) = cloud.requests
    assert "/model/amazon.titan-embed-text-v2%3A0/invoke" == seen.target
    assert {"inputText": "Hi", "dimensions": 256} == json.loads(seen.body)


@pytest.mark.asyncio
async def test_coheres_vectors_are_those_of_openais_sdk(cloud, tmp_path):
    """Several texts at once, in their order."""
    text = settings(cloud, OWN, provider="bedrock-embed").replace(MODEL, "cohere.embed-v4:0")
    told = {"id": "e", "embeddings": {"float": [[0.5, 1], [2, 3]]}, "texts": ["a", "b"]}
    cloud.answers = [(200, {}, json.dumps(told).encode())]
    async with serving(tmp_path, text) as gateway, openai_client(gateway) as client:
        got = await client.embeddings.create(model="m", input=["a", "b"])
    assert [[0.5, 1.0], [2.0, 3.0]] == [row.embedding for row in got.data]
    assert ["a", "b"] == json.loads(cloud.requests[0].body)["texts"]


@pytest.mark.asyncio
async def test_no_request_is_lost_while_clocks_move(cloud, tmp_path):
    """Two channels at one host; an hour on, and back, under load."""
    text = settings(cloud, OWN)
    more = text[text.index("[[channels]]") : text.index("[[models]]")].replace('"aws"', '"other"')
    text = text.replace("[[models]]", more + "[[models]]").replace(
        "bindings = [{", f'bindings = [{{ channel = "other", model = "{MODEL}" }}, {{'
    )
    async with serving(tmp_path, text) as gateway:

        async def asking():
            return [(await say(gateway))[0] for _ in range(20)]

        async def moving():
            for apart in (3600.0, -3600.0, 0.0):
                await asyncio.sleep(0.1)
                cloud.apart_s = apart

        got = await asyncio.gather(moving(), *(asking() for _ in range(6)))
        for apart in (3600.0, 0.0):  # also where the load was over sooner than the clock moved
            cloud.apart_s = apart
            got.append([(await say(gateway))[0]])
    statuses = [status for row in got[1:] for status in row]
    assert [200] * 122 == statuses, gateway.log[-3000:]
    assert 122 == len(cloud.requests)
    assert cloud.refused >= 2
