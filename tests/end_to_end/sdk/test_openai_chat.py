"""The official OpenAI client on the chat shape."""

import asyncio

import pydantic
import pytest
from openai import AsyncOpenAI

HELLO = [{"role": "user", "content": "Say hello."}]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
]


class Town(pydantic.BaseModel):
    """A schema the SDK derives from a class."""

    city: str
    people: int


def test_a_whole_answer(openai, vendor):
    """Text, finish reason, usage and the request id; the vendor got its own name and key."""
    answer = openai.chat.completions.create(model="gpt-text", messages=HELLO, temperature=0.2)
    (choice,) = answer.choices
    assert ("Hi", "stop") == (choice.message.content, choice.finish_reason)
    assert (20, 7, 27) == (
        answer.usage.prompt_tokens,
        answer.usage.completion_tokens,
        answer.usage.total_tokens,
    )
    assert (8, 3) == (
        answer.usage.prompt_tokens_details.cached_tokens,
        answer.usage.completion_tokens_details.reasoning_tokens,
    )
    assert answer._request_id.startswith("req_")
    assert {"model": "text", "messages": HELLO, "temperature": 0.2} == vendor.last.body
    assert "Bearer sk-vendor-0123456789abcdef" == vendor.last.headers["authorization"]


def test_the_callers_own_headers_stay_here(openai, vendor, key):
    """Neither the gateway's key nor the SDK's description of the machine travels on."""
    openai.chat.completions.create(
        model="gpt-text", messages=HELLO, extra_headers={"OpenAI-Organization": "org-1"}
    )
    assert [] == [name for name in vendor.last.headers if name.startswith("x-stainless")]
    assert "openai-organization" not in vendor.last.headers
    assert key not in str(vendor.last.headers)


def test_unknown_members_travel(openai, vendor):
    """What the SDK does not know yet is the vendor's business."""
    openai.chat.completions.create(
        model="gpt-text", messages=HELLO, extra_body={"next_year": {"a": [1]}}
    )
    assert {"a": [1]} == vendor.last.body["next_year"]


def test_a_stream(openai):
    """Each piece of text, then the finish reason."""
    with openai.chat.completions.create(model="gpt-text", messages=HELLO, stream=True) as stream:
        chunks = list(stream)
    texts = [choice.delta.content for chunk in chunks for choice in chunk.choices]
    assert ["", "Hi", " there", None] == texts
    assert ["stop"] == [c.finish_reason for x in chunks for c in x.choices if c.finish_reason]


@pytest.mark.parametrize("model", ["gpt-text", "gpt-engine"])
def test_usage_nobody_asked_for_is_not_shown(openai, vendor, model):
    """The gateway asks for it, for the bill; programs may read `choices[0]` of every chunk."""
    with openai.chat.completions.create(model=model, messages=HELLO, stream=True) as stream:
        chunks = list(stream)
    assert {"include_usage": True} == vendor.last.body["stream_options"]
    assert [] == [chunk for chunk in chunks if not chunk.choices]
    assert [] == [chunk.usage for chunk in chunks if chunk.usage is not None]


def test_usage_asked_for_comes_last(openai):
    """One more chunk without choices."""
    with openai.chat.completions.create(
        model="gpt-text", messages=HELLO, stream=True, stream_options={"include_usage": True}
    ) as stream:
        chunks = list(stream)
    assert [] == chunks[-1].choices
    assert (20, 7, 27) == (
        chunks[-1].usage.prompt_tokens,
        chunks[-1].usage.completion_tokens,
        chunks[-1].usage.total_tokens,
    )
    assert [None] * (len(chunks) - 1) == [chunk.usage for chunk in chunks[:-1]]


@pytest.mark.parametrize("asked", [True, False])
def test_the_stream_helper(openai, asked):
    """`chat.completions.stream()` accumulates the same answer."""
    options = {"stream_options": {"include_usage": True}} if asked else {}
    with openai.chat.completions.stream(model="gpt-text", messages=HELLO, **options) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_completion()
    assert {"chunk", "content.delta", "content.done"} == set(kinds)
    assert "Hi there" == final.choices[0].message.content
    assert (27 if asked else None) == (final.usage and final.usage.total_tokens)


def test_tool_calls(openai, vendor):
    """A call, and the tools on the wire as they were given."""
    answer = openai.chat.completions.create(model="gpt-tools", messages=HELLO, tools=TOOLS)
    (call,) = answer.choices[0].message.tool_calls
    assert ("call_1", "weather", '{"city":"Köln"}') == (
        call.id,
        call.function.name,
        call.function.arguments,
    )
    assert TOOLS == vendor.last.body["tools"]


def test_tool_calls_in_a_stream(openai):
    """The helper joins the fragments of the arguments."""
    with openai.chat.completions.stream(model="gpt-tools", messages=HELLO, tools=TOOLS) as stream:
        final = stream.get_final_completion()
    (call,) = final.choices[0].message.tool_calls
    assert ("call_1", "weather", "tool_calls") == (
        call.id,
        call.function.name,
        final.choices[0].finish_reason,
    )
    assert {"city": 'Köln "usage":{ data: [DONE]'} == call.function.parsed_arguments


def test_the_result_of_a_tool_goes_back(openai, vendor):
    """The second turn, with the odd members real programs leave in it."""
    turns = [
        *HELLO,
        {
            "role": "assistant",
            "content": None,
            "refusal": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city":"Köln"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "12°"}]},
    ]
    openai.chat.completions.create(model="gpt-text", messages=turns, tools=TOOLS)
    assert turns == vendor.last.body["messages"]


def test_structured_output(openai):
    """`parse()` sends a strict schema and reads the answer into the class."""
    answer = openai.chat.completions.parse(
        model="gpt-structured", messages=HELLO, response_format=Town
    )
    assert Town(city="Köln", people=1087000) == answer.choices[0].message.parsed


def test_several_choices(openai):
    """Pieces of two answers, interleaved."""
    with openai.chat.completions.stream(model="gpt-choices", messages=HELLO, n=2) as stream:
        final = stream.get_final_completion()
    assert [0, 1] == [choice.index for choice in final.choices]


def test_many_at_once(gateway, key):
    """The asynchronous client, twenty answers on few connections, none mixed up."""

    async def run():
        async with AsyncOpenAI(base_url=f"{gateway.origin}/v1", api_key=key) as client:

            async def one(number):
                if number % 2:
                    answer = await client.chat.completions.create(model="gpt-text", messages=HELLO)
                    return answer.choices[0].message.content
                stream = await client.chat.completions.create(
                    model="gpt-text", messages=HELLO, stream=True
                )
                return "".join([c.choices[0].delta.content or "" async for c in stream])

            return await asyncio.gather(*(one(number) for number in range(20)))

    assert ["Hi there", "Hi"] * 10 == asyncio.run(run())
