"""Where a vendor pauses the same channel is asked again, and its rounds are one answer."""

import msgspec
import pytest

from end_to_end.features.streams import named, plain
from gateway import Gateway
from scripted_upstream import Close, Double, Send, chunked, sized
from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Native, Text
from trivium.conversation.request import Conversation
from trivium.conversation.tools import FunctionTool, ServerKind, ServerTool
from trivium.conversation.usage import Usage
from trivium.pipeline.continuation import ROUNDS_MAX, Continue, Rounds, may_pause
from trivium.routing.model import Binding
from trivium.routing.router import Router
from trivium.wire.operation import Shape

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
PROVIDER = {"messages": "anthropic", "generate": "gemini"}
ASKED = {
    "model": "m",
    "max_completion_tokens": 100,
    "web_search_options": {},
    "messages": [{"role": "user", "content": "Find it."}],
}
SEARCH = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_search",
    "input": {"query": "it"},
}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
    {"type": "web_search_result", "url": "https://a.example", "title": "A", "encrypted_content": "x"}]}  # fmt: skip


def message(*content, stop, used=7, **more):
    """A message."""
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "x",
        "content": list(content), "stop_reason": stop, "stop_sequence": None,
        "usage": {"input_tokens": 20, "cache_read_input_tokens": 5, "output_tokens": used} | more,
    }  # fmt: skip


def text(words):
    """A text block."""
    return {"type": "text", "text": words}


def whole(body):
    """The script of a whole answer."""
    return [Send(sized(msgspec.json.encode(body), headers=JSON))]


def speaks(gateway, shape):
    """Have the gateway's one model speak this shape upstream."""
    catalogue = gateway.services.router.catalogue
    model = catalogue.models["m"]
    bindings = tuple(
        Binding(channel=b.channel, model=b.model, shape=Shape(shape), priority=b.priority)
        for b in model.bindings
    )
    models = {"m": msgspec.structs.replace(model, bindings=bindings)}
    gateway.services.router = Router(msgspec.structs.replace(catalogue, models=models), lambda: 0.5)


async def asked(shape, scripts, body=ASKED, path="/v1/chat/completions"):
    """(status, headers, body) of the answer, bodies of what went upstream, usage booked."""
    async with (
        Double(scripts) as vendor,
        Gateway.to((PROVIDER[shape], vendor)) as gateway,
    ):
        speaks(gateway, shape)
        answer = await gateway.post(path, body)
        sent = [msgspec.json.decode(one.body) for one in vendor.requests]
        (record,) = gateway.records
        return answer, sent, record.usage


PAUSED = message(text("Looking. "), SEARCH, FOUND, stop="pause_turn", used=30)


@pytest.mark.asyncio
async def test_a_paused_turn_goes_on_with_what_was_said():
    """Every block goes back as it came; the caller reads one answer and pays for both rounds."""
    done = message(text("Found."), stop="end_turn")
    (status, headers, got), sent, used = await asked("messages", [whole(PAUSED), whole(done)])
    assert 200 == status, got
    body = msgspec.json.decode(got)
    (choice,) = body["choices"]
    assert ("Looking. Found.", "stop") == (choice["message"]["content"], choice["finish_reason"])
    assert (50, 10, 37) == (
        body["usage"]["prompt_tokens"],
        body["usage"]["prompt_tokens_details"]["cached_tokens"],
        body["usage"]["completion_tokens"],
    )
    assert (40, 10, 37) == (used.fresh, used.cache_read, used.output)
    first, second = sent
    said = {"role": "assistant", "content": PAUSED["content"]}
    assert [*first["messages"], said] == second["messages"]
    assert first["tools"] == second["tools"]
    assert (100, 70) == (first["max_tokens"], second["max_tokens"])
    assert b"answer.finish" not in headers.get(b"trivium-dropped", b"")


@pytest.mark.asyncio
async def test_a_pause_that_is_not_gone_on_with_is_told():
    """At the caller's limit, and when the vendor pauses for ever."""
    full = message(text("Looking."), SEARCH, stop="pause_turn", used=100)
    (_, headers, got), sent, _ = await asked("messages", [whole(full)])
    assert 1 == len(sent)
    assert b"answer.finish" in headers[b"trivium-dropped"]
    endless = message(text("."), stop="pause_turn", used=1)
    (_, headers, got), sent, used = await asked("messages", [whole(endless)])
    assert 1 + ROUNDS_MAX == len(sent) == used.output
    assert b"." * len(sent) in got
    assert b"answer.finish" in headers[b"trivium-dropped"]


@pytest.mark.asyncio
async def test_a_round_that_fails_fails_the_answer():
    """Nothing has been sent yet, so it is a status of its own."""
    refused = [
        Send(
            sized(b'{"type":"error","error":{"type":"overloaded_error"}}', status=b"529 Overloaded")
        )
    ]
    (status, _, _), sent, _ = await asked("messages", [whole(PAUSED), refused])
    assert status >= 500
    assert len(sent) >= 2


def streamed(*blocks, stop, used=7):
    """The script of a streamed message."""
    empty = message(stop=None, used=1) | {"content": []}
    frames = [named({"type": "message_start", "message": empty})]
    for at, block in enumerate(blocks):
        words = block.get("text", "")
        begun = {**block, "text": ""} if words else block
        frames.append(named({"type": "content_block_start", "index": at, "content_block": begun}))
        if words:
            delta = {"type": "text_delta", "text": words}
            frames.append(named({"type": "content_block_delta", "index": at, "delta": delta}))
        frames.append(named({"type": "content_block_stop", "index": at}))
    frames.append(
        named({
            "type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": used},
        })
    )  # fmt: skip
    frames.append(named({"type": "message_stop"}))
    return script(frames)


def script(frames):
    """The script of a stream."""
    return [Send(chunked(b"".join(frames), headers=SSE))]


def chunks(got):
    """The chunks of a chat stream, which ends with an error or the sentinel, never with both."""
    rows = [row.removeprefix(b"data: ") for row in got.split(b"\n\n") if row.startswith(b"data: ")]
    done = rows[-1] == b"[DONE]"
    told = [msgspec.json.decode(row) for row in (rows[:-1] if done else rows)]
    assert done != any("error" in one for one in told)
    return told


def said(rows):
    """The words of a chat stream, and why it ended."""
    choices = [one for row in rows for one in row.get("choices", ())]
    ends = [one["finish_reason"] for one in choices if one["finish_reason"]]
    return "".join(one["delta"].get("content") or "" for one in choices), ends


STREAMING = ASKED | {"stream": True, "stream_options": {"include_usage": True}}


@pytest.mark.asyncio
async def test_a_paused_stream_goes_on():
    """Both rounds are one stream with one end and one usage."""
    rounds = [
        streamed(text("Looking. "), SEARCH, FOUND, stop="pause_turn", used=30),
        streamed(text("Found."), stop="end_turn"),
    ]
    (status, _, got), sent, used = await asked("messages", rounds, STREAMING)
    rows = chunks(got)
    assert (200, ("Looking. Found.", ["stop"])) == (status, said(rows))
    assert [37] == [row["usage"]["completion_tokens"] for row in rows if row.get("usage")]
    assert (40, 10, 37) == (used.fresh, used.cache_read, used.output)
    assert PAUSED["content"] == sent[1]["messages"][-1]["content"]


@pytest.mark.asyncio
@pytest.mark.parametrize("second", [
    [Send(sized(b'{"type":"error","error":{"type":"api_error","message":"x"}}', status=b"500 Internal Server Error"))],
    [Send(b"HTTP/1.1 200 OK\r\n" + SSE + b"Content-Length: 999\r\n\r\nevent: ping\n"), Close()],
    [Close()],
    whole(message(text("Found."), stop="end_turn")),
])  # fmt: skip
async def test_a_stream_whose_next_round_fails_ends_as_a_broken_one(second):
    """With an error and no terminal event; what was delivered is paid for."""
    first = streamed(text("Looking. "), SEARCH, FOUND, stop="pause_turn", used=30)
    (status, _, got), _, used = await asked("messages", [first, second], STREAMING)
    rows = chunks(got)
    assert 200 == status
    assert "error" in rows[-1]
    assert "Looking. " == said([row for row in rows if "error" not in row])[0]
    assert used.output >= 30


@pytest.mark.asyncio
async def test_a_token_is_sent_back():
    """The other family's way to pause, whole and streamed."""

    def chunk(words, reason, **more):
        candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": words}]}}
        return {
            "candidates": [candidate | {"finishReason": reason} | more],
            "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 7, "totalTokenCount": 27},
        }  # fmt: skip

    rounds = [chunk("One ", "CONTINUATION", continuationToken="dG9r"), chunk("two.", "STOP")]
    body = {name: value for name, value in ASKED.items() if name != "web_search_options"}
    (_, _, got), sent, used = await asked("generate", [whole(one) for one in rounds], body)
    assert "One two." == msgspec.json.decode(got)["choices"][0]["message"]["content"]
    limits = [one["generationConfig"].pop("maxOutputTokens") for one in sent]
    assert [100, 93] == limits
    assert sent[0] | {"continuationToken": "dG9r"} == sent[1]
    assert (40, 14) == (used.fresh, used.output)
    scripts = [script([plain(one)]) for one in rounds]
    (_, _, got), sent, used = await asked("generate", scripts, body | {"stream": True})
    assert ("One two.", ["stop"]) == said(chunks(got))
    assert ("dG9r", 14) == (sent[1]["continuationToken"], used.output)


SEARCHING = ServerTool(ServerKind.WEB_SEARCH, Native("chat", b"{}"))


@pytest.mark.parametrize(
    ("caller", "tools", "candidates", "upstream", "expected"),
    [
        ("chat", (SEARCHING,), None, Shape.MESSAGES, True),
        ("chat", (FunctionTool("look"),), None, Shape.MESSAGES, False),
        ("messages", (SEARCHING,), None, Shape.MESSAGES, False),
        ("chat", (SEARCHING,), None, Shape.RESPONSES, False),
        ("chat", (), None, Shape.GENERATE, True),
        ("chat", (), 2, Shape.GENERATE, False),
        ("generate", (), None, Shape.GENERATE, False),
    ],
)
def test_who_may_pause(caller, tools, candidates, upstream, expected):
    """Vendors that run tools, for callers who could not go on themselves."""
    spoken = Conversation(shape=caller, model="m", tools=tools, candidates=candidates)
    assert expected is may_pause(spoken, upstream)


def test_a_token_that_is_missing_is_the_end():
    """Asking the same again would begin anew."""
    spoken = Conversation(shape="chat", model="m", turns=(Turn(Role.USER, (Text("Hi"),)),))
    paused = Answer((Candidate((Text("a"),), Finish(Unified.PAUSED)),), Usage(fresh=1))
    assert paused == Rounds(spoken, Shape.GENERATE, lambda _: b"{}").whole(paused)
    with pytest.raises(Continue):
        Rounds(spoken, Shape.MESSAGES, lambda _: b"{}").whole(paused)
