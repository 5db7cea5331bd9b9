"""What a chat server thinks aloud, unasked, is shown to those who asked for it."""

import msgspec
import pytest

from gateway import Gateway
from scripted_upstream import Double, Send, chunked, sized
from trivium.routing.model import Binding
from trivium.routing.router import Router
from trivium.wire import sse
from trivium.wire.operation import Shape

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
SAID = [{"role": "user", "content": "Hi"}]
ASKED = {
    "chat": ("/v1/chat/completions", {"messages": SAID}),
    "responses": ("/v1/responses", {"input": "Hi", "store": False}),
    "messages": ("/v1/messages", {"messages": SAID, "max_tokens": 99}),
    "generate": ("/v1beta/models/m:", {"contents": [{"parts": [{"text": "Hi"}]}]}),
}


def asked(caller, more, stream):
    """The path and the body of a request."""
    path, body = ASKED[caller]
    if caller == "generate":
        return path + ("streamGenerateContent?alt=sse" if stream else "generateContent"), {
            **body,
            **more,
        }
    return path, {"model": "m", "stream": stream, **body, **more}


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


SHOWN = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
THOUGHTS = [
    ("chat", {}, True),
    ("responses", {}, True),
    ("messages", {}, False),
    ("messages", {"thinking": {"type": "disabled"}}, False),
    ("messages", {"thinking": {"type": "adaptive", "display": "omitted"}}, False),
    ("messages", SHOWN, True),
    ("generate", {}, False),
    ("generate", {"generationConfig": {"thinkingConfig": {"includeThoughts": False}}}, False),
    ("generate", {"generationConfig": {"responseMimeType": "application/json"}}, False),
    ("generate", {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}, True),
]


@pytest.mark.asyncio
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("member", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize(("caller", "more", "shown"), THOUGHTS)
async def test_thoughts_of_a_chat_server_are_shown_to_those_who_asked(
    caller, more, shown, member, stream
):
    """It sends them whatever it was asked; some clients would take them for the answer."""
    base = {"id": "c1", "object": "chat.completion", "created": 1, "model": "x"}
    said = [{member: "Hm, wel"}, {member: "l."}, {"content": '{"a":'}, {"content": "1}"}]
    if stream:
        rows = [{"delta": one} for one in said] + [{"delta": {}, "finish_reason": "stop"}]
        frames = [{**base, "choices": [{"index": 0, **row}]} for row in rows]
        wire = b"".join(sse.frame(msgspec.json.encode(one)) for one in frames) + b"data: [DONE]\n\n"
        answer = [Send(chunked(wire, headers=SSE))]
    else:
        whole = {"role": "assistant", member: "Hm, well.", "content": '{"a":1}'}
        wire = msgspec.json.encode(
            {**base, "choices": [{"index": 0, "finish_reason": "stop", "message": whole}]}
        )
        answer = [Send(sized(wire, headers=JSON))]
    async with Double([answer]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        speaks(gateway, "chat")
        status, headers, got = await gateway.post(*asked(caller, more, stream))
        assert 200 == status, got
        assert (b"Hm, wel" in got) is shown
        assert b'{\\"a\\":' in got
        assert b"trivium-dropped" not in headers or b"reasoning" not in headers[b"trivium-dropped"]
