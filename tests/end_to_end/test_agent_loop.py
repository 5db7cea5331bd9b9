"""Ten turns of an agent with parallel tools and signed reasoning, whatever client and upstream.

Each client sends back exactly what the real one does: the chat SDKs the ids of calls and the text,
the others the opaque strings of their own shape. Each upstream has two accounts behind one model,
and checks that every value it gave out comes back to the account that made it, at its place and
unchanged, and that nobody gets any other value.
"""

import asyncio
import base64
import contextlib
import itertools
import json

import pytest

from end_to_end.agent_clients import CLIENTS
from gateway import VENDOR_KEY, Gateway
from trivium.providers.registry import PROVIDERS
from trivium.response_store.signatures.service import SignatureStore
from trivium.routing import catalogue
from trivium.routing.router import Router
from trivium.secret import Keyring
from trivium.settings.entries import BindingEntry, ChannelEntry, ModelEntry
from trivium.settings.model import Settings
from trivium.settings.model import TracesSettings as Limits
from trivium.storage.vault import Vault

SHAPES = ("chat", "responses", "messages", "generate", "converse", "cohere")
PROVIDER = {
    "responses": "openai", "messages": "anthropic", "generate": "gemini", "chat": "openai",
    "converse": "bedrock", "cohere": "cohere",
}  # fmt: skip
BASE = {
    "openai": "/v1", "anthropic": "", "gemini": "", "bedrock": "", "cohere": "/compatibility/v1",
}  # fmt: skip
TURNS = 10
RESTART = 5
"""After this turn the gateway is another process."""
OUTAGE = 8
"""At this turn the account that has answered so far is down."""
CITIES = ("Rome", "Oslo")


class Account:
    """One account of one vendor. Knows what it gave out and what it was sent."""

    def __init__(self, shape, name):
        self.shape = shape
        self.name = name
        self.given = []
        self.bodies = []
        self.is_down = False
        self._count = 0

    def value(self):
        """A new opaque value; no two are alike."""
        self._count += 1
        text = f"opaque state number {self._count:03} of {self.name}, which is nobody's business"
        made = base64.b64encode(text.encode() * 3).decode()
        self.given.append(made)
        return made

    async def serve(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                body = json.loads(await reader.readexactly(size))
                if self.is_down:
                    status, out = b"503 Service Unavailable", {"error": {"message": "down"}}
                else:
                    self.bodies.append(body)
                    status, out = b"200 OK", ANSWERS[self.shape](self)
                data = json.dumps(out).encode()
                writer.write(
                    b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                    % (status, len(data), data)
                )
                await writer.drain()
        writer.close()

    def sent(self):
        """The values of the last body in order, each with the kind of thing it stood on."""
        return SENT[self.shape](self.bodies[-1])


# --- upstreams: what they answer, and where they look for what they gave out -------------------


def of_responses(account):
    turn = len(account.bodies)
    output = []
    for number, city in enumerate(CITIES):
        output.append({
            "type": "reasoning", "id": f"rs_{account.name}_{turn}_{number}", "content": [],
            "summary": [{"type": "summary_text", "text": f"I need {city}."}],
            "encrypted_content": account.value()})  # fmt: skip
        output.append({
            "type": "function_call", "id": f"fc_{turn}_{number}", "call_id": f"call_{number}",
            "name": "look", "arguments": json.dumps({"city": city}), "status": "completed"})  # fmt: skip
    return {
        "id": f"resp_{turn}", "object": "response", "created_at": 1, "model": "x",
        "status": "completed", "output": output,
        "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 9,
                  "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 18}}  # fmt: skip


def in_responses(body):
    found = []
    items = body["input"]
    for item, after in itertools.pairwise([*items, {"type": "end"}]):
        if item.get("type") == "reasoning":
            found.append((after.get("type"), item["encrypted_content"]))
    return found


def of_messages(account):
    turn = len(account.bodies)
    content = [
        {"type": "thinking", "thinking": f"Think {turn}.", "signature": account.value()},
        {"type": "redacted_thinking", "data": account.value()},
        {"type": "text", "text": f"Turn {turn}."},
    ]
    for number, city in enumerate(CITIES):
        content.append(
            {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": {"city": city}}
        )
    return {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": "x",
            "content": content, "stop_reason": "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 9}}  # fmt: skip


def in_messages(body):
    found = []
    for message in body["messages"]:
        if message["role"] != "assistant" or isinstance(message["content"], str):
            continue
        for block, after in itertools.pairwise([*message["content"], {"type": "end"}]):
            if block["type"] == "thinking":
                assert block["thinking"].startswith("Think ")
                found.append((after["type"], block["signature"]))
            elif block["type"] == "redacted_thinking":
                found.append((after["type"], block["data"]))
    return found


def of_generate(account):
    turn = len(account.bodies)
    parts = [{"text": f"Thought {turn}.", "thought": True}]
    for number, city in enumerate(CITIES):
        part = {"functionCall": {"name": "look", "args": {"city": city}}}
        if number == 0:
            part["thoughtSignature"] = account.value()
        parts.append(part)
    return {"candidates": [{"index": 0, "finishReason": "STOP",
                            "content": {"role": "model", "parts": parts}}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 5,
                              "thoughtsTokenCount": 4, "totalTokenCount": 18}}  # fmt: skip


def in_generate(body):
    stand_in = "skip_thought_signature_validator"
    return [
        (next(key for key in part if key != "thoughtSignature"), part["thoughtSignature"])
        for content in body["contents"]
        for part in content["parts"]
        if part.get("thoughtSignature") not in (None, stand_in)
        and part["thoughtSignature"] != base64.b64encode(stand_in.encode()).decode()
    ]


def of_chat(account):
    turn = len(account.bodies)
    details = {"type": "reasoning.encrypted", "data": account.value(), "id": f"r{turn}", "index": 0}
    return {"id": f"c{turn}", "object": "chat.completion", "created": 1, "model": "x",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": f"Turn {turn}.", "reasoning_details": [details],
                "tool_calls": [
                    {"id": f"call_{number}", "type": "function",
                     "extra_content": {"google": {"thought_signature": account.value()}},
                     "function": {"name": "look", "arguments": json.dumps({"city": city})}}
                    for number, city in enumerate(CITIES)]}}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}}  # fmt: skip


def in_chat(body):
    found = []
    for message in body["messages"]:
        for entry in message.get("reasoning_details", ()):
            found.append(("reasoning_details", entry["data"]))
        for call in message.get("tool_calls") or ():
            if "extra_content" in call:
                found.append(("tool_calls", call["extra_content"]["google"]["thought_signature"]))
    return found


def of_converse(account):
    turn = len(account.bodies)
    said = {"text": f"Think {turn}.", "signature": account.value()}
    content = [
        {"reasoningContent": {"reasoningText": said}},
        {"reasoningContent": {"redactedContent": account.value()}},
        {"text": f"Turn {turn}."},
    ]
    for number, city in enumerate(CITIES):
        use = {"toolUseId": f"tooluse_{number}", "name": "look", "input": {"city": city}}
        content.append({"toolUse": use})
    return {"output": {"message": {"role": "assistant", "content": content}},
            "stopReason": "tool_use",
            "usage": {"inputTokens": 9, "outputTokens": 9, "totalTokens": 18}}  # fmt: skip


def in_converse(body):
    found = []
    for message in body["messages"]:
        if message["role"] != "assistant":
            continue
        for block, after in itertools.pairwise([*message["content"], {"end": {}}]):
            reasoning = block.get("reasoningContent", {})
            (kind,) = after
            if "reasoningText" in reasoning:
                assert reasoning["reasoningText"]["text"].startswith("Think ")
                found.append((kind, reasoning["reasoningText"]["signature"]))
            elif reasoning:
                found.append((kind, reasoning["redactedContent"]))
    return found


def of_cohere(account):
    turn = len(account.bodies)
    content = [
        {"type": "thinking", "thinking": f"Think {turn}."},
        {"type": "text", "text": f"Turn {turn}."},
    ]
    calls = [
        {"id": f"look_{number}", "type": "function",
         "function": {"name": "look", "arguments": json.dumps({"city": city})}}
        for number, city in enumerate(CITIES)
    ]  # fmt: skip
    return {"id": f"c{turn}", "finish_reason": "TOOL_CALL",
            "message": {"role": "assistant", "content": content, "tool_calls": calls},
            "usage": {"billed_units": {"input_tokens": 9, "output_tokens": 9}}}  # fmt: skip


def in_cohere(body):
    """Anything sealed: the vendor has no place for it, and makes none."""
    return [
        ("thinking", entry["signature"])
        for message in body["messages"]
        if isinstance(message.get("content"), list)
        for entry in message["content"]
        if "signature" in entry
    ]


ANSWERS = {
    "converse": of_converse,
    "cohere": of_cohere,
    "responses": of_responses,
    "messages": of_messages,
    "generate": of_generate,
    "chat": of_chat,
}
SENT = {
    "converse": in_converse,
    "cohere": in_cohere,
    "responses": in_responses,
    "messages": in_messages,
    "generate": in_generate,
    "chat": in_chat,
}
PLACES = {
    "responses": ["function_call", "function_call"],
    "messages": ["redacted_thinking", "text"],
    "generate": ["functionCall"],
    "chat": ["reasoning_details", "tool_calls", "tool_calls"],
    "converse": ["reasoningContent", "text"],
    "cohere": [],
}
"""What stands at, or for blocks of reasoning after, each value of one turn."""
TOGETHER = {("cohere", "responses"): ["reasoning", "function_call"]}
"""The same where a caller's shape has thoughts and calls apart: thoughts between calls come before
all of them."""


# --- the loop ----------------------------------------------------------------------------------


def settings_of(shape, ports):
    """One model on two accounts of one vendor, half of the requests each."""
    provider = PROVIDER[shape]
    channels = tuple(
        ChannelEntry(name=name, provider=provider, api_key=VENDOR_KEY,
                     base_url=f"http://127.0.0.1:{port}{BASE[provider]}")
        for name, port in ports.items()
    )  # fmt: skip
    bindings = tuple(BindingEntry(channel=name, shape=shape) for name in ports)
    model = ModelEntry(name="m", free=True, bindings=bindings)
    return Settings(channels=channels, models=(model,))


@contextlib.asynccontextmanager
async def process(settings, database, draw):
    """A gateway as a new process has it: nothing remembered but what the database holds."""
    traces = SignatureStore(database, Vault(Keyring(b"k" * 32)), Limits())
    traces.start()
    async with Gateway.to(traces=traces) as gateway:
        gateway.services.router = Router(catalogue.build(settings, PROVIDERS), draw)
        yield gateway
    await traces.close()


async def turn(gateway, client):
    """One request; the ids of the calls, and the answer's headers."""
    status, headers, body = await gateway.post(client.path, client.body())
    assert 200 == status, body
    return client.take(json.loads(body)), dict(headers)


def whose(accounts, headers):
    """The account that answered, and the others."""
    name = headers[b"trivium-channel"].decode()
    return accounts[name], [one for one in accounts.values() if one.name != name]


def placed(caller, upstream, given):
    """What an upstream must be sent of these values."""
    places = TOGETHER.get((caller, upstream), PLACES[upstream])
    return list(zip(itertools.cycle(places), given, strict=False))


def strangers(account, others):
    """Values of other accounts in the last body that this one was sent."""
    body = json.dumps(account.bodies[-1])
    return [value for other in others for value in other.given if value in body]


@contextlib.asynccontextmanager
async def vendors(shape):
    """Two accounts that listen, and their ports."""
    accounts = {name: Account(shape, name) for name in ("first", "second")}
    async with contextlib.AsyncExitStack() as stack:
        ports = {}
        for name, account in accounts.items():
            server = await asyncio.start_server(account.serve, "127.0.0.1", 0)
            stack.push_async_callback(server.wait_closed)
            stack.callback(server.close)
            ports[name] = server.sockets[0].getsockname()[1]
        yield accounts, ports


PAIRS = [(a, b) for a in SHAPES for b in SHAPES if a != b]


@pytest.mark.asyncio
@pytest.mark.parametrize(("caller", "upstream"), PAIRS)
async def test_state_comes_back_to_its_maker_alone(caller, upstream, database):
    """Ten turns, a new process in the middle, and an outage of the maker near the end.

    Cohere seals nothing: any of its accounts may go on, and none is sent what others sealed.
    """
    is_sealed = bool(PLACES[upstream])
    client = CLIENTS[caller]()
    draws = itertools.cycle([0.2, 0.7, 0.9, 0.4, 0.5, 0.1])
    seen = []
    async with vendors(upstream) as (accounts, ports):
        settings = settings_of(upstream, ports)
        maker = None
        given = []
        done = 0
        while done < TURNS:
            async with process(settings, database, lambda: next(draws)) as gateway:
                until = RESTART if done < RESTART else TURNS
                while done < until:
                    done += 1
                    if done == OUTAGE:
                        maker.is_down = True
                    ids, headers = await turn(gateway, client)
                    seen += ids
                    account, others = whose(accounts, headers)
                    if done == OUTAGE:
                        assert account is not maker
                        if is_sealed:
                            assert b"foreign_signature" in headers[b"trivium-repaired"]
                        maker.is_down = False
                        given = []
                    elif maker is not None and is_sealed:
                        assert account is maker, f"turn {done}"
                    assert placed(caller, upstream, given) == account.sent(), f"turn {done}"
                    assert [] == strangers(account, others)
                    maker = account
                    given = list(account.given)
    if upstream == "generate":  # which gives no ids itself
        assert len(seen) == len({*seen})
