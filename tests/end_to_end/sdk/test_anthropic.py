"""The official Anthropic client."""

import asyncio

import pytest
from anthropic import AsyncAnthropic, NotFoundError

from end_to_end.sdk.house import ODD, scenes

HELLO = [{"role": "user", "content": "Say hello."}]
ASKED = {"model": "claude-text", "max_tokens": 64, "messages": HELLO}
TOOLS = [
    {
        "name": "lookup",
        "description": "Looks something up.",
        "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}},
        "cache_control": {"type": "ephemeral"},
    }
]


def test_a_whole_message(anthropic, vendor):
    """Text, stop reason, usage and the request id; the vendor got its own name and key."""
    answer = anthropic.messages.create(**ASKED, system="Be brief.")
    assert ("Grüße, 世界 👋", "end_turn") == (answer.content[0].text, answer.stop_reason)
    assert (25, 12) == (answer.usage.input_tokens, answer.usage.output_tokens)
    assert answer._request_id.startswith("req_")
    assert ASKED | {"model": "text", "system": "Be brief."} == vendor.last.body
    assert "sk-vendor-0123456789abcdef" == vendor.last.headers["x-api-key"]
    assert "authorization" not in vendor.last.headers


def test_the_version_and_the_betas_travel(anthropic, vendor):
    """They decide what the body means."""
    anthropic.beta.messages.create(**ASKED, betas=["context-1m-2025-08-07", "other-2026-01-01"])
    assert "context-1m-2025-08-07,other-2026-01-01" == vendor.last.headers["anthropic-beta"]
    assert vendor.last.headers["anthropic-version"].startswith("20")


def test_unknown_members_travel(anthropic, vendor):
    """What the SDK does not know yet is the vendor's business."""
    anthropic.messages.create(**ASKED, extra_body={"next_year": {"a": [1]}})
    assert {"a": [1]} == vendor.last.body["next_year"]


def test_a_stream(anthropic):
    """Raw events, in the vendor's order."""
    with anthropic.messages.create(**ASKED, stream=True) as stream:
        kinds = [event.type for event in stream]
    assert ["message_start", "content_block_start"] == kinds[:2]
    assert ["content_block_stop", "message_delta", "message_stop"] == kinds[-3:]


def test_the_stream_helper(anthropic):
    """`messages.stream()` gives the text and the final message with its usage."""
    with anthropic.messages.stream(**ASKED) as stream:
        pieces = list(stream.text_stream)
        final = stream.get_final_message()
        request_id = stream.request_id
    assert ["Grüße", ", 世界 ", "👋"] == pieces
    assert ("Grüße, 世界 👋", "end_turn") == (final.content[0].text, final.stop_reason)
    assert (25, 12) == (final.usage.input_tokens, final.usage.output_tokens)
    assert request_id.startswith("req_")


def test_thinking_keeps_its_signature(anthropic):
    """Whole and streamed: without it the next turn is refused."""
    whole = anthropic.messages.create(**ASKED | {"model": "claude-thinking"})
    assert ("thinking", "opaque") == (whole.content[0].type, whole.content[0].signature)
    with anthropic.messages.stream(**ASKED | {"model": "claude-thinking"}) as stream:
        block = stream.get_final_message().content[0]
    assert "thinking" == block.type
    assert block.signature


def test_tool_calls_in_a_stream(anthropic, vendor):
    """Their arguments are joined and read; the tools travel as they were given."""
    with anthropic.messages.stream(**ASKED | {"model": "claude-tool"}, tools=TOOLS) as stream:
        final = stream.get_final_message()
    calls = [block for block in final.content if block.type == "tool_use"]
    assert [{"q": 'x"y'}, {"q": "z"}] == [call.input for call in calls]
    assert "tool_use" == final.stop_reason
    assert TOOLS == vendor.last.body["tools"]


def test_a_call_without_arguments(anthropic):
    """An empty object, not a missing one."""
    with anthropic.messages.stream(**ASKED | {"model": "claude-no-arguments"}) as stream:
        final = stream.get_final_message()
    assert [{}] == [block.input for block in final.content if block.type == "tool_use"]


def test_tokens_are_counted(anthropic, vendor):
    """Of the vendor's tokenizer, without asking for an answer."""
    counted = anthropic.messages.count_tokens(model="claude-text", messages=HELLO, tools=TOOLS)
    assert 14 == counted.input_tokens
    assert "/v1/messages/count_tokens" == vendor.last.path


def test_tokens_are_counted_in_the_beta_way(anthropic, vendor):
    """The SDK adds `?beta=true`."""
    counted = anthropic.beta.messages.count_tokens(model="claude-text", messages=HELLO)
    assert 14 == counted.input_tokens


def test_the_model_list_has_pages(anthropic, wire):
    """The SDK turns them by itself, and gets every model once."""
    names = [model.id for model in anthropic.models.list(limit=40)]
    assert len(names) == len(set(names))
    assert {f"claude-{scene}" for scene in scenes("claude")} | set(ODD) <= set(names)
    assert len(wire.sent) == -(-len(names) // 40)


@pytest.mark.parametrize("name", ["claude-text", *ODD])
def test_a_model_of_any_name_is_found(anthropic, name):
    """With its dates and limits as the SDK reads them."""
    model = anthropic.models.retrieve(name)
    assert (name, "model", 128_000) == (model.id, model.type, model.max_input_tokens)


def test_a_model_that_is_not_there(anthropic):
    """404, as the vendor answers."""
    with pytest.raises(NotFoundError) as caught:
        anthropic.models.retrieve("acme/none")
    assert "not_found_error" == caught.value.type


@pytest.mark.parametrize("name", [name for name in ODD if "claude" in name])
def test_a_model_of_any_name_answers(anthropic, vendor, name):
    """The name is read from the body, whatever is in it."""
    anthropic.messages.create(**ASKED | {"model": name})
    assert "text" == vendor.last.scene


def test_the_token_form_of_the_key(gateway, key, vendor):
    """`auth_token` is the other way to give it."""
    from anthropic import Anthropic

    with Anthropic(base_url=gateway.origin, auth_token=key) as client:
        assert client.messages.create(**ASKED).content


def test_many_at_once(gateway, key):
    """The asynchronous client, twenty answers on few connections, none mixed up."""

    async def run():
        async with AsyncAnthropic(base_url=gateway.origin, api_key=key) as client:

            async def one(number):
                if number % 2:
                    answer = await client.messages.create(**ASKED)
                    return answer.content[0].text
                async with client.messages.stream(**ASKED) as stream:
                    return await stream.get_final_text()

            return await asyncio.gather(*(one(number) for number in range(20)))

    assert ["Grüße, 世界 👋"] * 20 == asyncio.run(run())
