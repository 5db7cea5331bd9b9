"""The official SDKs, a served gateway, and a real model behind it, in the caller's own shape.

Nothing here depends on what the model says.
"""

import asyncio
import json
import time

import openai as openai_sdk
import pytest

from end_to_end.sdk.clients import Wire, anthropic_at, openai_at
from end_to_end.sdk.engine import recorded
from end_to_end.sdk.node import ENGINE, run

pytestmark = pytest.mark.engine

TURN = [{"role": "user", "content": "Say hello."}]
MESSAGE = {"model": "smol", "max_tokens": 12, "messages": TURN}


@pytest.fixture(scope="module")
def gateway(engine_gateway):
    """A gateway with the engine as its only channel."""
    return engine_gateway


@pytest.fixture(scope="module")
def key(gateway):
    """A key for the model that is served in every shape of the engine."""
    return gateway.key("smol")


@pytest.fixture(scope="module")
def openai(gateway, key):
    """OpenAI's client."""
    with openai_at(f"{gateway.origin}/v1", key, Wire()) as client:
        yield client


@pytest.fixture(scope="module")
def anthropic(gateway, key):
    """Anthropic's client."""
    with anthropic_at(gateway.origin, key, Wire()) as client:
        yield client


def test_a_chat(openai, gateway):
    """Words and usage; the record says what the answer said."""
    answer = openai.chat.completions.create(model="smol", messages=TURN, max_tokens=12)
    (choice,) = answer.choices
    assert choice.message.content.strip()
    assert choice.finish_reason in ("stop", "length")
    assert 0 < answer.usage.completion_tokens <= 12
    row = recorded(gateway, answer._request_id)
    assert ("chat", "smol", "local", "smollm2", 200) == (
        row["operation"],
        row["model"],
        row["channel"],
        row["upstream_model"],
        row["status"],
    )


@pytest.mark.parametrize("asked", [True, False])
def test_a_chat_streamed(openai, asked):
    """Through the SDK's accumulating helper; usage for whom asked for it."""
    options = {"stream_options": {"include_usage": True}} if asked else {}
    with openai.chat.completions.stream(
        model="smol", messages=TURN, max_tokens=12, **options
    ) as stream:
        text = "".join(event.delta for event in stream if event.type == "content.delta")
        final = stream.current_completion_snapshot
    assert text.strip()
    assert text == final.choices[0].message.content
    assert final.choices[0].finish_reason in ("stop", "length")
    assert asked == (final.usage is not None)


def test_structured_output(openai):
    """The engine holds the model to the schema, for as long as its tokens last."""
    schema = {
        "type": "object",
        "properties": {"yes": {"type": "boolean"}},
        "required": ["yes"],
        "additionalProperties": False,
    }
    answer = openai.chat.completions.create(
        model="smol",
        messages=TURN,
        max_tokens=40,
        temperature=0,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        },
    )
    (choice,) = answer.choices
    assert choice.message.content.lstrip().startswith("{")
    if choice.finish_reason == "stop":
        assert ["yes"] == list(json.loads(choice.message.content))


def test_a_response(openai):
    """Whole, with every member the SDK reads, and honest about being cut."""
    answer = openai.responses.create(model="smol", input="Count to ten.", max_output_tokens=16)
    assert answer.output_text.strip()
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens
    if answer.usage.output_tokens >= 16:
        assert ("incomplete", "max_output_tokens") == (
            answer.status,
            answer.incomplete_details.reason,
        )


def test_a_response_streamed(openai):
    """The helper, which the engine's own events would crash."""
    with openai.responses.stream(model="smol", input="Say hello.", temperature=0) as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert list(range(len(events))) == [event.sequence_number for event in events]
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(deltas) == final.output_text
    assert final.usage.output_tokens > 0


def test_a_response_streamed_and_cut(openai):
    """By its limit: the stream ends as incomplete, where the engine says completed."""
    with openai.responses.stream(
        model="smol", input="Count to one hundred.", max_output_tokens=2, temperature=0
    ) as stream:
        last = list(stream)[-1]
    assert ("response.incomplete", "max_output_tokens") == (
        last.type,
        last.response.incomplete_details.reason,
    )


def test_a_completion(openai):
    """Whole and streamed."""
    asked = {"model": "smol", "prompt": "Once upon", "max_tokens": 8}
    answer = openai.completions.create(**asked)
    assert answer.choices[0].text
    assert 0 < answer.usage.completion_tokens <= 8
    with openai.completions.create(**asked, stream=True) as stream:
        chunks = list(stream)
    assert "".join(chunk.choices[0].text for chunk in chunks)


@pytest.mark.parametrize("encoding", [None, "float"])
def test_embeddings(openai, encoding):
    """As base64, the SDK's own choice, and as numbers."""
    options = {"encoding_format": encoding} if encoding else {}
    answer = openai.embeddings.create(model="smol", input=["one", "two"], **options)
    assert [576, 576] == [len(one.embedding) for one in answer.data]
    assert answer.data[0].embedding != answer.data[1].embedding
    assert answer.usage.prompt_tokens > 0


def test_the_model_list(openai, anthropic):
    """In both dialects."""
    assert ["smol"] == [model.id for model in openai.models.list()]
    assert ["smol"] == [model.id for model in anthropic.models.list()]


def test_a_message(anthropic, gateway):
    """Words, stop reason, usage, and a record of it."""
    answer = anthropic.messages.create(**MESSAGE, system="Be brief.")
    assert answer.content[0].text.strip()
    assert answer.stop_reason in ("end_turn", "max_tokens")
    assert 0 < answer.usage.output_tokens <= 12
    assert "messages" == recorded(gateway, answer._request_id)["operation"]


def test_a_message_streamed(anthropic):
    """Through the accumulating helper; in words, as an emoji would cost the count of input."""
    with anthropic.messages.stream(**MESSAGE, extra_body={"temperature": 0}) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text.strip()
    assert text == final.content[0].text
    assert 0 < final.usage.output_tokens <= 12
    assert final.usage.input_tokens > 0


def test_tokens_are_counted(anthropic):
    """By the engine's tokenizer; the same as the answer's own count, cached or not."""
    counted = anthropic.messages.count_tokens(model="smol", messages=TURN)
    usage = anthropic.messages.create(**MESSAGE).usage
    assert counted.input_tokens == usage.input_tokens + (usage.cache_read_input_tokens or 0)


@pytest.mark.parametrize("time", range(3))
def test_an_answer_that_begins_with_an_emoji(openai, anthropic, time):
    """Most do here; the engine then leaves out the frame that the SDKs' helpers begin with."""
    turn = [{"role": "user", "content": "🌟🌟🌟🌟🌟"}]
    with anthropic.messages.stream(model="smol", max_tokens=8, messages=turn) as message:
        text = "".join(message.text_stream)
        assert text == "".join(block.text for block in message.get_final_message().content)
    with openai.chat.completions.stream(model="smol", max_tokens=8, messages=turn) as stream:
        for _ in stream:
            pass
        assert "assistant" == stream.current_completion_snapshot.choices[0].message.role
    with openai.responses.stream(model="smol", max_output_tokens=1, input=turn) as stream:
        kinds = [event.type for event in stream]
    assert ("response.created", "response.incomplete") == (kinds[0], kinds[-1])


def test_a_prompt_that_is_too_long(openai):
    """In the words by which agents know that they must shorten it."""
    turn = [{"role": "user", "content": "word " * 5000}]
    with pytest.raises(openai_sdk.BadRequestError) as caught:
        openai.chat.completions.create(model="smol", messages=turn)
    assert "context_length_exceeded" == caught.value.code
    assert "prompt is too long" in str(caught.value)
    assert "exceeds the context window" in str(caught.value)


def test_several_at_once(gateway, key):
    """More than the engine has slots for: the others wait in the engine, none fails."""

    async def run():
        async with openai_sdk.AsyncOpenAI(base_url=f"{gateway.origin}/v1", api_key=key) as client:

            async def one():
                stream = await client.chat.completions.create(
                    model="smol", messages=TURN, max_tokens=4, stream=True
                )
                return [chunk async for chunk in stream]

            return await asyncio.gather(*(one() for _ in range(6)))

    assert all(answer[-1].choices[0].finish_reason for answer in asyncio.run(run()))


def test_a_departure_frees_the_engine(openai, gateway):
    """A long answer is given up; the record says so and has its tokens.

    Long whatever the model would say: a short one may be over before this caller leaves.
    """
    long = {"ignore_eos": True}  # llama.cpp's own
    stream = openai.chat.completions.create(
        model="smol", messages=TURN, max_tokens=1500, stream=True, extra_body=long
    )
    request_id = stream.response.headers["x-request-id"]
    next(iter(stream))
    began = time.monotonic()
    stream.close()
    row = recorded(gateway, request_id)
    assert time.monotonic() - began < 4
    assert "caller_left" == row["fault"]
    assert 0 < row["output"] < 1500


@pytest.mark.node
def test_the_node_clients(gateway, key):
    """Their stream helpers as well."""
    run(ENGINE, gateway, key)
