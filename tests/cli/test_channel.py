"""Channels listed and tried, as an operator does it."""

import asyncio
import base64
import json

import pytest

from scripted_upstream import Double, Send, sized
from trivium.cli import channel
from trivium.cli.database import opened
from trivium.clock import SystemClock
from trivium.routing import store
from trivium.routing.catalogue import catalogue_of
from trivium.routing.shared_breakers import accounts
from trivium.settings.load import load_with_source
from trivium.settings.model import StorageSettings
from trivium.wire.event_stream import event

OK = [Send(sized(b'{"choices":[]}'))]
REVOKED = [Send(sized(b'{"error":{"message":"no such key"}}', status=b"401 Unauthorized"))]

LOCAL = """
[[channels]]
name = "two"
provider = "{provider}"
api_keys = ["sk-one-secret", "sk-two-secret"]
base_url = "http://127.0.0.1:{port}"
timeouts = {{ first_byte = 2 }}
[[models]]
name = "m"
free = true
bindings = [{{ channel = "two", model = "own-name" }}]
"""


def test_channels_are_listed_with_what_they_serve(trivium, settings):
    """And no secret."""
    done = trivium("channel", "list")
    assert done.code == 0
    assert "first" in done.out
    assert "api.openai.com:443" in done.out
    assert "sk-" not in done.out + done.err

    rows = trivium("channel", "list", "--json").data
    assert [("first", 1, ["sonnet"]), ("second", 1, ["sonnet"])] == [
        (row["channel"], row["keys"], row["models"]) for row in rows
    ]


def test_a_gateway_without_channels_says_so(trivium):
    """On standard error; the list is empty."""
    done = trivium("channel", "list")
    assert (0, "") == (done.code, done.out)
    assert "no channel" in done.err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("third",), "there is no channel third that is switched on (there are: first, second)"),
        (("first", "--model", "gpt"), "does not serve gpt (it serves: sonnet)"),
    ],
)
def test_what_cannot_be_tested_is_told(trivium, settings, argv, words):
    """With what could."""
    done = trivium("channel", "test", *argv)
    assert done.code == 1
    assert words in done.err


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("provider", "path", "limit"),
    [
        ("openai", b"POST /v1/chat/completions", b'"max_completion_tokens":16'),
        ("anthropic", b"POST /v1/messages", b'"max_tokens":16'),
        ("gemini", b"POST /v1beta/models/own-name:generateContent", b'"maxOutputTokens":16'),
    ],
)
async def test_each_key_is_tried_in_the_channels_own_shape(trivium, folder, provider, path, limit):
    """One short request a key; one that is refused fails the command."""
    async with Double([OK, REVOKED]) as vendor:
        text = LOCAL.format(port=vendor.port, provider=provider)
        (folder / "trivium.toml").write_text(text)
        done = await asyncio.to_thread(trivium, "channel", "test", "two")
    assert done.code == 1
    assert [True, True] == [seen.raw.startswith(path) for seen in vendor.requests]
    assert all(limit in seen.body for seen in vendor.requests)
    assert b"one-secret" in vendor.requests[0].raw
    assert b"two-secret" in vendor.requests[1].raw
    lines = done.out.splitlines()
    assert "200" in lines[1]
    assert "answered" in lines[1]
    assert "401" in lines[2]
    assert "upstream_credential" in lines[2]
    assert "1 of 2" in done.err
    assert "secret" not in done.out + done.err


@pytest.mark.asyncio
async def test_a_channel_that_answers_is_a_success_in_json_too(trivium, folder):
    """With its times."""
    async with Double([OK]) as vendor:
        text = LOCAL.format(port=vendor.port, provider="openai")
        (folder / "trivium.toml").write_text(text)
        done = await asyncio.to_thread(trivium, "channel", "test", "two", "--model", "m", "--json")
    assert done.code == 0
    first, second = done.data
    assert (1, 2, 200, None) == (first["key"], second["key"], first["status"], first["fault"])
    assert 0 <= first["first_byte_ms"] <= first["total_ms"] < 5000
    assert b'"trivium"' not in vendor.requests[0].body


def _sent(event, **data):
    return f"event: {event}\ndata: {json.dumps({'type': event, **data})}\n\n".encode()


def _framed(*events):
    return b"".join(event(kind, json.dumps(data).encode()) for kind, data in events)


def _chunks(*events):
    rows = [base64.b64encode(json.dumps(data).encode()).decode() for data in events]
    return _framed(*(("chunk", {"bytes": row}) for row in rows))


CHAT = (
    b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\n'
)
MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
STREAMS = {
    ("openai", "/v1"): (b"POST /v1/chat/completions", CHAT + b"data: [DONE]\n\n"),
    ("anthropic", ""): (
        b"POST /v1/messages",
        _sent("message_start", message=MESSAGE) + _sent("message_stop"),
    ),
    ("cohere", "/compatibility/v1"): (
        b"POST /compatibility/v1/chat/completions", CHAT + b"data: [DONE]\n\n",
    ),
    ("gemini", ""): (
        b"POST /v1beta/models/own-name:streamGenerateContent?alt=sse",
        b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"OK"}]},"finishReason":"STOP"}]}\r\n\r\n',
    ),
    ("bedrock", ""): (
        b"POST /model/own-name/converse-stream",
        _framed(
            ("messageStart", {"role": "assistant"}),
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "OK"}}),
            ("contentBlockStop", {"contentBlockIndex": 0}),
            ("messageStop", {"stopReason": "end_turn"}),
            ("metadata", {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}),
        ),
    ),
    ("bedrock-messages", ""): (
        b"POST /model/own-name/invoke-with-response-stream",
        _chunks({"type": "message_start", "message": MESSAGE}, {"type": "message_stop"}),
    ),
}  # fmt: skip
"""(provider, end of its address) -> (how a request begins, a whole stream)."""


@pytest.mark.asyncio
@pytest.mark.parametrize("at", STREAMS, ids=[provider for provider, _ in STREAMS])
async def test_a_stream_is_asked_for_and_looked_through(trivium, folder, at):
    """One that is whole, and one that ends in its middle, with the other key."""
    provider, tail = at
    path, whole = STREAMS[at]
    kind = b"application/vnd.amazon.eventstream" if "bedrock" in provider else b"text/event-stream"
    head = b"Content-Type: %b\r\n" % kind
    answers = [[Send(sized(data, headers=head))] for data in (whole, whole[: len(whole) // 2])]
    async with Double(answers) as vendor:
        text = LOCAL.format(port=f"{vendor.port}{tail}", provider=provider)
        (folder / "trivium.toml").write_text(text)
        done = await asyncio.to_thread(trivium, "channel", "test", "two", "--stream")
    assert [True, True] == [seen.raw.startswith(path) for seen in vendor.requests], vendor.requests
    lines = done.out.splitlines()
    assert lines[1].endswith("answered as a stream"), done.out + done.err
    assert "upstream_broke" in lines[2]
    assert (1, True) == (done.code, "1 of 2" in done.err)


NOTED = """
[[channels]]
name = "two"
provider = "openai"
api_keys = ["sk-one-secret", "sk-two-secret"]
[[models]]
name = "m"
free = true
bindings = [{ channel = "two", model = "own-name" }]
"""


def test_what_a_running_gateway_found_is_listed(trivium, folder):
    """A refused key by its place, a model by the vendor's name, and what waits for a probe."""
    (folder / "trivium.toml").write_text(NOTED)
    before = trivium("channel", "list")
    assert (0, "", True) == (before.code, before.err, before.out.splitlines()[1].endswith(" -"))
    assert not (folder / "trivium.db").exists()
    now = int(SystemClock().now())

    async def noted():
        catalogue = catalogue_of(load_with_source(folder / "trivium.toml", {}))
        marks = accounts(catalogue.channels["two"])
        rows = [("", marks[1], now + 60), ("own-name", marks[0], now - 5), ("", "replaced", now)]
        async with opened(StorageSettings()) as database, database.write() as conn:
            await store.put(conn, [
                store.Resting(
                    channel="two", account=account, model=model, fault="upstream_x", told=True,
                    openings=1, until_at=until, written_at=now,
                )
                for model, account, until in rows
            ])  # fmt: skip

    asyncio.run(noted())
    done = trivium("channel", "list")
    assert done.code == 0
    line = done.out.splitlines()[1]
    assert "key 1, own-name: upstream_x, until a probe is answered; key 2: upstream_x, for " in line
    assert "secret" not in done.out
    (row,) = trivium("channel", "list", "--json").data
    assert [(1, "own-name", now - 5), (2, None, now + 60)] == [
        (rest["key"], rest["upstream_model"], rest["until"]) for rest in row["rests"]
    ]


def _lines(given, *more):
    whole = {"source": "IMDSv2 (role r)", "life_s": 2460, "why": None, **given}
    return channel._standing({"identity": whole, "key": None, **dict(more)})


def test_the_identity_of_a_channel_is_one_sentence():
    """Where it was found and for how long it is good, or why it was not found."""
    assert [
        "identity: found by IMDSv2 (role r), good for 41 min",
        "identity of key 2: found by IMDSv2 (role r), good for 119 s",
        "identity: found by IMDSv2 (role r), without an end that is known",
        "identity: not found: TimeoutError: no route",
    ] == [
        _lines({}),
        _lines({"life_s": 119}, ("key", 2)),
        _lines({"life_s": None}),
        _lines({"life_s": 0, "why": "TimeoutError: no route"}),
    ]
