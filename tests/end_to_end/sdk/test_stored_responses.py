"""OpenAI's client with responses that refer to each other, on upstreams of three kinds."""

import msgspec
import openai
import pytest
import pytest_asyncio

from gateway import Gateway
from scripted_upstream import Double, Send, chunked, sized
from trivium.response_store.service import ResponseStore
from trivium.secret import Keyring
from trivium.settings.model import ResponsesSettings
from trivium.storage.vault import Vault

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
TOOLS = [
    {
        "type": "function",
        "name": "look",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "strict": True,
    }
]
CITIES = ("Rome", "Oslo")


def whole(body):
    return [Send(sized(msgspec.json.encode(body), headers=JSON))]


def chat(*, text=None, calls=()):
    """A chat answer."""
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": call, "type": "function",
             "function": {"name": "look", "arguments": f'{{"city":"{city}"}}'}}
            for call, city in calls
        ]  # fmt: skip
    reason = "tool_calls" if calls else "stop"
    return whole({
        "id": "c1", "object": "chat.completion", "created": 1, "model": "x",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    })  # fmt: skip


def message(*, text=None, calls=()):
    """A messages answer."""
    content = [] if text is None else [{"type": "text", "text": text}]
    content += [
        {"type": "tool_use", "id": call, "name": "look", "input": {"city": city}}
        for call, city in calls
    ]
    return whole({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "x", "content": content,
        "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 2},
    })  # fmt: skip


def heard_by_chat(body):
    """What a chat upstream was told, as (who, what)."""
    out = []
    for one in body["messages"]:
        calls = [call["function"]["arguments"] for call in one.get("tool_calls", ())]
        out.append((one["role"], calls or one["content"]))
    return out


def heard_by_messages(body):
    """The same of a messages upstream; one message may hold several results."""
    out = []
    for one in body["messages"]:
        blocks = one["content"]
        if isinstance(blocks, str):
            out.append((one["role"], blocks))
            continue
        calls = [b["input"] for b in blocks if b["type"] == "tool_use"]
        results = [b for b in blocks if b["type"] == "tool_result"]
        texts = [b["text"] for b in blocks if b["type"] == "text"]
        if calls:
            said = [msgspec.json.encode(call).decode() for call in calls]
            out.append((one["role"], said))
        for result in results:
            content = result["content"]
            text = content if isinstance(content, str) else content[0]["text"]
            out.append(("tool", text))
        out += [(one["role"], text) for text in texts]
    return out


UPSTREAMS = {
    "chat": ("deepseek", chat, heard_by_chat),
    "messages": ("anthropic", message, heard_by_messages),
}


@pytest_asyncio.fixture
async def recall(database):
    """Stored responses on each engine."""
    memory = ResponseStore(database, Vault(Keyring(b"k" * 32)), ResponsesSettings())
    memory.start()
    yield memory
    await memory.close()


def client_of(gateway):
    """The client as its documentation makes it."""
    return openai.AsyncOpenAI(
        base_url=f"http://127.0.0.1:{gateway.port}/v1", api_key=gateway.key, max_retries=0
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_three_turns_with_tools_need_only_the_last_id(recall, kind):
    """Parallel calls, their results and two texts, each turn sending what is new."""
    provider, answer, heard = UPSTREAMS[kind]
    calls = [(f"call_{city}", city) for city in CITIES]
    script = [answer(calls=calls), answer(text="Both sunny."), answer(text="Rome.")]
    async with (
        Double(script) as vendor,
        Gateway.to((provider, vendor), recall=recall) as gateway,
        client_of(gateway) as client,
    ):
        first = await client.responses.create(
            model="m", input="Weather?", instructions="Be brief.", tools=TOOLS, max_output_tokens=99
        )
        asked = [item for item in first.output if item.type == "function_call"]
        second = await client.responses.create(
            model="m", tools=TOOLS, previous_response_id=first.id, max_output_tokens=99,
            input=[
                {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
                for call in asked
            ],
        )  # fmt: skip
        third = await client.responses.create(
            model="m", input="Which one?", previous_response_id=second.id, max_output_tokens=99
        )
        assert ("Both sunny.", "Rome.") == (second.output_text, third.output_text)
        assert (first.id, second.id) == (second.previous_response_id, third.previous_response_id)
        told = heard(msgspec.json.decode(vendor.requests[-1].body))
        assert [
            ("user", "Weather?"),
            ("assistant", [f'{{"city":"{city}"}}' for city in CITIES]),
            ("tool", "sunny"),
            ("tool", "sunny"),
            ("assistant", "Both sunny."),
            ("user", "Which one?"),
        ] == told
        assert b"Be brief." not in vendor.requests[-1].body

        again = await client.responses.retrieve(third.id)
        assert third.to_dict() == again.to_dict()
        listed = [
            item async for item in client.responses.input_items.list(third.id, order="asc", limit=2)
        ]
        assert [
            "message", "function_call", "function_call",
            "function_call_output", "function_call_output", "message", "message",
        ] == [item.type for item in listed]  # fmt: skip
        assert len(listed) == len({item.id for item in listed})

        await client.responses.delete(third.id)
        with pytest.raises(openai.NotFoundError):
            await client.responses.retrieve(third.id)
        with pytest.raises(openai.NotFoundError) as caught:
            await client.responses.create(model="m", input="?", previous_response_id=third.id)
        assert "previous_response_id" == caught.value.param


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_an_item_can_be_named_instead_of_sent(recall, kind):
    """Given and answered ones; the upstream sees them in full."""
    provider, answer, heard = UPSTREAMS[kind]
    async with (
        Double([answer(text="Ada.")]) as vendor,
        Gateway.to((provider, vendor), recall=recall) as gateway,
        client_of(gateway) as client,
    ):
        first = await client.responses.create(model="m", input="Who?", max_output_tokens=99)
        given = await client.responses.input_items.list(first.id)
        names = [given.data[0].id, first.output[0].id]
        await client.responses.create(
            model="m", max_output_tokens=99,
            input=[
                *({"type": "item_reference", "id": name} for name in names),
                {"role": "user", "content": "Sure?"},
            ],
        )  # fmt: skip
        told = heard(msgspec.json.decode(vendor.requests[-1].body))
        assert [("user", "Who?"), ("assistant", "Ada."), ("user", "Sure?")] == told


@pytest.mark.asyncio
@pytest.mark.parametrize("asked", [{}, {"include": ["reasoning.encrypted_content"]}])
async def test_signed_thoughts_go_back_to_their_maker(recall, asked):
    """The block before the call comes back with its signature, though the client sent only ids."""
    thought = {"type": "thinking", "thinking": "Look it up.", "signature": "c2lnbmVk" * 20}
    call = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"city": "Rome"}}
    first_answer = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "x",
        "content": [thought, call], "stop_reason": "tool_use", "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 2},
    }  # fmt: skip
    async with (
        Double([whole(first_answer), message(text="Sunny.")]) as vendor,
        Gateway.to(("anthropic", vendor), recall=recall) as gateway,
        client_of(gateway) as client,
    ):
        first = await client.responses.create(
            model="m", input="Weather?", tools=TOOLS, max_output_tokens=9000,
            reasoning={"effort": "high"}, **asked,
        )  # fmt: skip
        (called,) = [item for item in first.output if item.type == "function_call"]
        result = {"type": "function_call_output", "call_id": called.call_id, "output": "sunny"}
        second = await client.responses.create(
            model="m", input=[result], previous_response_id=first.id, tools=TOOLS,
            max_output_tokens=9000, reasoning={"effort": "high"},
        )  # fmt: skip
        assert "Sunny." == second.output_text
        turns = msgspec.json.decode(vendor.requests[-1].body)["messages"]
        (spoken,) = [turn for turn in turns if turn["role"] == "assistant"]
        assert [thought, call] == spoken["content"]


@pytest.mark.asyncio
async def test_a_streamed_turn_is_gone_on_from_at_once(recall):
    """The follow-up is sent while the stream's connection still closes."""
    rows = [
        {"id": "c1", "choices": [{"index": 0, "delta": {"content": "Ada."}}]},
        {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    data = b"".join(b"data: " + msgspec.json.encode(row) + b"\n\n" for row in rows)
    script = [[Send(chunked(data + b"data: [DONE]\n\n", headers=SSE))], chat(text="Yes.")]
    async with (
        Double(script) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
        client_of(gateway) as client,
    ):
        async with client.responses.stream(model="m", input="Who?") as stream:
            async for event in stream:
                if event.type == "response.completed":
                    second = await client.responses.create(
                        model="m", input="Sure?", previous_response_id=event.response.id
                    )
        assert "Yes." == second.output_text
        told = heard_by_chat(msgspec.json.decode(vendor.requests[-1].body))
        assert [("user", "Who?"), ("assistant", "Ada."), ("user", "Sure?")] == told


@pytest.mark.asyncio
async def test_an_upstream_that_keeps_its_answers_is_left_to_it(recall):
    """Ids are its own, bodies pass as they are, reading and deleting are asked of it."""

    def native(number):
        return {
            "id": f"resp_{number}", "object": "response", "created_at": 1, "model": "x",
            "status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
            "output": [{"type": "message", "id": f"msg_{number}", "role": "assistant",
                        "status": "completed",
                        "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}],
            "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0},
                      "output_tokens": 2, "output_tokens_details": {"reasoning_tokens": 0},
                      "total_tokens": 11},
        }  # fmt: skip

    gone = {"id": "resp_2", "object": "response", "deleted": True}
    script = [whole(native(1)), whole(native(2)), whole(native(2)), whole(gone)]
    async with (
        Double(script) as vendor,
        Gateway.to(("openai", vendor), recall=recall) as gateway,
        client_of(gateway) as client,
    ):
        first = await client.responses.create(model="m", input="Who?")
        second = await client.responses.create(
            model="m", input="Sure?", previous_response_id=first.id
        )
        assert ("resp_1", "resp_2") == (first.id, second.id)
        sent = msgspec.json.decode(vendor.requests[1].body)
        assert {"model": "m", "input": "Sure?", "previous_response_id": "resp_1"} == sent
        assert "Hi" == (await client.responses.retrieve("resp_2")).output_text
        await client.responses.delete("resp_2")
        lines = [request.line for request in vendor.requests]
        assert [
            b"POST /v1/responses HTTP/1.1",
            b"POST /v1/responses HTTP/1.1",
            b"GET /v1/responses/resp_2 HTTP/1.1",
            b"DELETE /v1/responses/resp_2 HTTP/1.1",
        ] == lines
        with pytest.raises(openai.NotFoundError):
            await client.responses.retrieve("resp_2")


@pytest.mark.asyncio
async def test_cancelling_is_for_the_background(recall):
    """The client's method reaches us and is told why not."""
    async with (
        Double([chat(text="Hi")]) as vendor,
        Gateway.to(("deepseek", vendor), recall=recall) as gateway,
        client_of(gateway) as client,
    ):
        first = await client.responses.create(model="m", input="Who?")
        with pytest.raises(openai.BadRequestError, match="background"):
            await client.responses.cancel(first.id)
        with pytest.raises(openai.BadRequestError) as caught:
            await client.responses.create(model="m", input="Who?", background=True)
        assert "background" == caught.value.param
