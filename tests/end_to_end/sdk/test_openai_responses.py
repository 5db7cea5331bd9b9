"""The official OpenAI client on the responses shape."""

import asyncio

from openai import AsyncOpenAI


def test_a_whole_response(openai, vendor):
    """Text, usage, status and the request id."""
    answer = openai.responses.create(model="gpt-text", input="Say hello.", store=False)
    assert "completed" == answer.status
    assert answer.output_text
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens
    assert answer._request_id.startswith("req_")
    assert {"model": "text", "input": "Say hello.", "store": False} == vendor.last.body


def test_a_stream(openai):
    """Every event, numbered without gaps, the last one complete."""
    with openai.responses.create(model="gpt-text", input="Say hello.", stream=True) as stream:
        events = list(stream)
    assert list(range(len(events))) == [event.sequence_number for event in events]
    assert "response.created" == events[0].type
    assert "response.completed" == events[-1].type
    assert "Hi \u2028 😀" == events[-1].response.output_text.replace("\u0085", "")


def test_the_stream_helper(openai):
    """`responses.stream()` checks order and indices, and accumulates."""
    with openai.responses.stream(model="gpt-text", input="Say hello.") as stream:
        text = "".join(e.delta for e in stream if e.type == "response.output_text.delta")
        final = stream.get_final_response()
    assert final.output_text == text
    assert final.usage.output_tokens > 0


def test_tool_calls_in_a_stream(openai):
    """A function call arrives with its arguments whole."""
    with openai.responses.stream(model="gpt-tools", input="Weather?") as stream:
        done = [e for e in stream if e.type == "response.function_call_arguments.done"]
        final = stream.get_final_response()
    calls = [item for item in final.output if item.type == "function_call"]
    assert calls
    assert [event.arguments for event in done] == [call.arguments for call in calls]


def test_an_incomplete_response(openai):
    """Cut by the output limit."""
    with openai.responses.stream(model="gpt-incomplete", input="x") as stream:
        kinds = [event.type for event in stream]
    assert "response.incomplete" == kinds[-1]


def test_the_asynchronous_helper(gateway, key):
    """The same through `AsyncOpenAI`."""

    async def run():
        async with (
            AsyncOpenAI(base_url=f"{gateway.origin}/v1", api_key=key) as client,
            client.responses.stream(model="gpt-text", input="x") as stream,
        ):
            async for _ in stream:
                pass
            return await stream.get_final_response()

    assert "completed" == asyncio.run(run()).status
