"""What breaks real clients at other gateways, each trap under its number; see docs/traps.md.

Only the pass-through relay is here. Traps that another test owns are named in the document.
"""

import asyncio
import gzip
import re
from pathlib import Path

import msgspec
import pytest

from end_to_end.spoken import AMAZONS, CHAT, SAID, SHAPES
from gateway import Gateway, encoded, error_of, settings_for
from scripted_upstream import Close, Double, Reset, Send, Stall, Wait, chunked, sized
from trivium.providers.registry import PROVIDERS
from trivium.routing import catalogue
from trivium.routing.router import Router
from trivium.settings.model import Settings

JSON = b"Content-Type: application/json\r\n"
SSE = b"Content-Type: text/event-stream\r\n"
BEGUN = b"HTTP/1.1 200 OK\r\n" + SSE + b"Transfer-Encoding: chunked\r\n\r\n"
ANSWER = b'{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Ho"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}'
OK = [Send(sized(ANSWER, headers=JSON))]

FINISH = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
USAGE = b'data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n'
DONE = b"data: [DONE]\n\n"


def said(text):
    """A chat chunk that says this, raw: not escaped."""
    head = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"'
    return head + text.encode() + b'"},"finish_reason":null}]}\n\n'


def piece(data):
    """One HTTP chunk."""
    return b"%x\r\n%b\r\n" % (len(data), data)


async def ask(gateway, shape, *, stream=False, headers=()):
    """One request of a shape."""
    _, path, body = shape
    return await gateway.post(path, body | ({"stream": True} if stream else {}), *headers)


async def streamed(script, *, include_usage=True, times=1):
    """A chat stream through the gateway: what came back, and the gateway's records."""
    async with Double(script) as vendor, Gateway.to(("openai", vendor)) as gateway:
        body = CHAT[2] | {"stream": True, "stream_options": {"include_usage": include_usage}}
        status, headers, got = await gateway.post(CHAT[1], body)
        return status, headers, got, gateway.records


# --- D: streams -----------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_trap_103_no_text_twice_after_a_failure_in_mid_stream():
    """Once the first byte is out, no other channel is asked."""
    first = [Send(BEGUN + piece(said("half"))), Wait(0.1), Reset()]
    async with (
        Double([first]) as broken,
        Double([[Send(chunked(said("whole"), FINISH, DONE, headers=SSE))]]) as healthy,
        Gateway.to(("openai", broken), ("openai", healthy)) as gateway,
    ):
        status, _, got = await ask(gateway, CHAT, stream=True)
        assert (200, 1, []) == (status, got.count(b"half"), healthy.requests)
        assert b'"error":{' in got
        assert b"whole" not in got


@pytest.mark.asyncio
async def test_trap_103_before_the_first_byte_another_channel_answers_alone():
    """The caller sees one stream, from its beginning."""
    refusal = b'data: {"error":{"message":"overloaded","code":"server_is_overloaded"}}\n\n'
    async with (
        Double([[Send(chunked(b": wait\n\n", refusal, headers=SSE))]]) as broken,
        Double([[Send(chunked(said("whole"), FINISH, DONE, headers=SSE))]]) as healthy,
        Gateway.to(("openai", broken), ("openai", healthy)) as gateway,
    ):
        status, headers, got = await ask(gateway, CHAT, stream=True)
        assert (200, b"2", said("whole") + FINISH + DONE) == (
            status, headers[b"trivium-attempts"], got,
        )  # fmt: skip
        assert 1 == len(broken.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize("end", [[Reset()], [Send(b"0\r\n\r\n")], [Close()]], ids=str)
async def test_trap_104_a_failure_in_mid_stream_never_looks_like_success(end):
    """Reset, clean end or cut: an error, no terminal, no finish reason of our making."""
    status, _, got, records = await streamed([[Send(BEGUN + piece(said("a"))), Wait(0.05), *end]])
    frames = got.split(b"\n\n")
    assert (200, 0, b"") == (status, got.count(b"[DONE]"), frames[-1])
    assert "upstream_error" == error_of(frames[-2].removeprefix(b"data: "))["code"]
    assert b'"finish_reason":"' not in got
    assert "upstream_broke" == records[0].fault


@pytest.mark.asyncio
@pytest.mark.parametrize(("end", "fault"), [(DONE, ""), (b"", "upstream_broke")])
async def test_trap_105_without_a_finish_reason_only_done_is_an_end(end, fault):
    """Engines that never send one do send `[DONE]`."""
    pieces = [said("a"), end] if end else [said("a")]
    _, _, got, records = await streamed([[Send(chunked(*pieces, headers=SSE))]])
    assert fault == records[0].fault
    assert bool(fault) == (b'"error":{' in got)


ODD = "日本語 🎉 \u2028 \u2029 \x85 \u200b ﷽ \u0085 é"
"""Characters of every length, and those at which text splitters end a line."""


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", [1, 2, 3, 5])
async def test_trap_107_characters_cut_by_the_network_stay_whole(cut):
    """Bytes pass as bytes."""
    wire = said(ODD) + FINISH + USAGE + DONE
    head = b"HTTP/1.1 200 OK\r\n" + SSE + b"Content-Length: %d\r\n\r\n" % len(wire)
    status, _, got, records = await streamed([[Send(head), Send(wire, cut=cut)]])
    assert (200, wire) == (status, got)
    assert 2 == records[0].usage.output


@pytest.mark.asyncio
@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
async def test_trap_108_only_lf_crlf_and_cr_end_a_line(character):
    """Raw inside a string they end nothing: the usage and the terminal are still seen."""
    wire = (said(f"a{character}b"), FINISH, USAGE, DONE)
    _, _, got, records = await streamed([[Send(chunked(*wire, headers=SSE))]])
    assert b"".join(wire) == got
    assert (2, "") == (records[0].usage.output, records[0].fault)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [70_000, 1_500_000, 12_000_000])
async def test_trap_110_a_long_line_does_not_kill_a_stream(size):
    """A picture in one frame."""
    wire = (said("A" * size), FINISH, USAGE, DONE)
    _, _, got, records = await streamed([[Send(chunked(*wire, headers=SSE))]])
    assert b"".join(wire) == got
    assert 2 == records[0].usage.output


@pytest.mark.asyncio
async def test_trap_111_nothing_on_the_way_may_buffer_a_stream():
    """The headers say so, no coding is applied, and the first event comes while others wait."""
    async with (
        Double([[Send(BEGUN + piece(said("a"))), Stall()]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        line = await gateway.wire()
        body = encoded(CHAT[2] | {"stream": True})
        await line.send(gateway.head(CHAT[1], body, "Accept-Encoding: gzip, br, zstd"))
        head = await asyncio.wait_for(line.reader.readuntil(b"\r\n\r\n"), 20)
        assert said("a") in await asyncio.wait_for(line.reader.readuntil(b"\n\n"), 20)
        for wanted in (
            b"content-type: text/event-stream; charset=utf-8\r\n", b"cache-control: no-cache\r\n",
            b"x-accel-buffering: no\r\n", b"transfer-encoding: chunked\r\n",
        ):  # fmt: skip
            assert wanted in head
        assert b"content-encoding" not in head
        assert b"content-length" not in head
        await line.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}, {"include_usage": True}])
async def test_trap_118_the_usage_chunk_is_shown_to_who_asked_for_it(options):
    """It is asked for upstream and recorded in any case."""
    async with (
        Double([[Send(chunked(said("a"), FINISH, USAGE, DONE, headers=SSE))]]) as vendor,
        Gateway.to(("openai", vendor)) as gateway,
    ):
        body = CHAT[2] | {"stream": True} | ({} if options is None else {"stream_options": options})
        _, _, got = await gateway.post(CHAT[1], body)
        wanted = bool(options and options["include_usage"]) if options else False
        assert wanted == (b'"usage":{' in got)
        sent = msgspec.json.decode(vendor.requests[0].body)
        assert sent["stream_options"]["include_usage"] is True
        assert 2 == gateway.records[0].usage.output


GZIP = b"Content-Encoding: gzip\r\n"
PACKED = {
    "json": (sized(gzip.compress(ANSWER), headers=JSON + GZIP), 200),
    "sse": (chunked(gzip.compress(said("a") + FINISH + DONE), headers=SSE + GZIP), 200),
    "error": (
        sized(
            gzip.compress(b'{"error":{"message":"Temperature must be at most 2.","param":"temperature"}}'),
            status=b"400 Bad Request", headers=JSON + GZIP,
        ),
        400,
    ),
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PACKED)
async def test_trap_121_a_compressed_answer_arrives_as_it_is_meant(name):
    """Neither the coding nor the old length travels; none was asked for."""
    raw, expected = PACKED[name]
    async with Double([[Send(raw)]]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, headers, got = await ask(
            gateway, CHAT, stream=name == "sse", headers=("Accept-Encoding: gzip",)
        )
        assert expected == status
        assert b"content-encoding" not in headers
        found = dict(vendor.requests[0].headers)
        assert b"identity" == {k.lower(): v for k, v in found.items()}[b"accept-encoding"]
        if name == "error":
            assert "Temperature must be at most 2." == error_of(got)["message"]
        else:
            assert (ANSWER if name == "json" else said("a") + FINISH + DONE) == got


# --- E: errors ------------------------------------------------------------------------------------

NO_ANSWER = {
    "error": (b'{"error":{"message":"oops","code":502}}', JSON),
    "text": (b"upstream connect error", b"Content-Type: text/plain\r\n"),
    "page": (b"<html><body>502</body></html>", b"Content-Type: text/html\r\n"),
    "nothing": (b"", JSON),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", NO_ANSWER)
@pytest.mark.parametrize("shape", SHAPES)
async def test_trap_126_a_success_that_is_none_is_a_failure(shape, name):
    """Mapped, moved on from, and not charged."""
    body, headers = NO_ANSWER[name]
    provider = SHAPES[shape][0]
    async with (
        Double([[Send(sized(body, headers=headers))]]) as vendor,
        Gateway.to((provider, vendor)) as gateway,
    ):
        status, _, got = await ask(gateway, SHAPES[shape])
        assert status in ((500, 503) if shape == "converse" else (502, 503))
        assert error_of(got)["message"]
        (record,) = gateway.records
        assert (status, None) == (record.status, record.usage)


DATED = b"Date: Sat, 21 Nov 2026 05:00:00 GMT\r\nRetry-After: Sat, 21 Nov 2026 05:00:10 GMT\r\n"
DELAYS = {
    "seconds": (b"429 Too Many Requests", b"Retry-After: 7\r\n", (7, 7)),
    "a date": (b"429 Too Many Requests", DATED, (10, 10)),
    "milliseconds": (b"429 Too Many Requests", b"Retry-After-Ms: 1500\r\n", (2, 2)),
    "a busy vendor": (b"503 Service Unavailable", b"Retry-After: 3\r\n", (3, 3)),
    "minutes": (b"429 Too Many Requests", b"Retry-After: 600\r\n", (60, 60)),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", DELAYS)
@pytest.mark.parametrize("shape", SHAPES)
async def test_trap_127_the_vendors_delay_reaches_the_caller(shape, name):
    """As seconds, whatever form it came in; a long one with the advice not to wait for it."""
    status, header, (least, most) = DELAYS[name]
    script = [Send(sized(b"{}", status=status, headers=JSON + header))]
    async with Double([script]) as vendor, Gateway.to((SHAPES[shape][0], vendor)) as gateway:
        got, headers, _ = await ask(gateway, SHAPES[shape])
        # an overloaded model is 529 to who speaks messages
        busy = {"messages": 529}.get(shape, 503)
        assert (429 if status.startswith(b"429") else busy) == got
        assert least <= int(headers[b"retry-after"]) <= most
        assert (b"false" if name == "minutes" else None) == headers.get(b"x-should-retry")


OVERFLOWS = {
    "openai": b'{"error":{"message":"This model\'s maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}',
    "anthropic": b'{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
    "bedrock": b'{"__type":"ValidationException","message":"The model returned the following errors: Input is too long for requested model."}',
    "cohere": b'{"id":"e","message":"too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or setting prompt_truncation=\'AUTO\'."}',
    "gemini": b'{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}',
}


@pytest.mark.asyncio
@pytest.mark.parametrize("shape", SHAPES)
async def test_trap_128_agents_recognise_a_prompt_that_is_too_long(shape):
    """Claude Code by the words, Codex by the code."""
    provider = SHAPES[shape][0]
    script = [Send(sized(OVERFLOWS[provider], status=b"400 Bad Request", headers=JSON))]
    async with Double([script]) as vendor, Gateway.to((provider, vendor)) as gateway:
        status, _, got = await ask(gateway, SHAPES[shape])
        error = error_of(got)
        assert 400 == status
        assert error["message"].startswith("prompt is too long")
        assert "exceeds the context window" in error["message"]
        code = error["details"][0]["reason"].lower() if shape == "generate" else error["code"]
        assert "context_length_exceeded" == code


STATUSES = {
    400: 400,
    404: 404,
    413: 413,
    422: 400,
    401: 502,
    402: 502,
    403: 502,
    500: 502,
    502: 502,
}


@pytest.mark.asyncio
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("shape", SHAPES)
async def test_trap_129_a_status_says_whose_fault_it_is(shape, status):
    """The request's stays the caller's; our account's is never the caller's 401."""
    body = b'{"error":{"message":"Invalid value.","type":"invalid_request_error"}}'
    script = [Send(sized(body, status=b"%d X" % status, headers=JSON))]
    async with Double([script]) as vendor, Gateway.to((SHAPES[shape][0], vendor)) as gateway:
        expected = STATUSES[status]
        if shape == "converse":
            expected = AMAZONS.get(status, expected)
        assert expected == (await ask(gateway, SHAPES[shape]))[0]


@pytest.mark.asyncio
async def test_trap_130_no_channel_is_not_a_rate_limit():
    """503 with a code of its own."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        known = settings_for([("openai", vendor)])
        off = tuple(msgspec.structs.replace(channel, disabled=True) for channel in known.channels)
        found = catalogue.build(msgspec.structs.replace(known, channels=off), PROVIDERS)
        gateway.services.router = Router(found, lambda: 0.5)
        status, _, got = await ask(gateway, CHAT)
        assert (503, "no_upstream_available") == (status, error_of(got)["code"])
        assert [] == vendor.requests


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [1_500_000, 20_000_000])
@pytest.mark.parametrize("coding", ["sized", "chunked"])
async def test_trap_135_pictures_in_json_fit(size, coding):
    """Sized or in chunks, the vendor gets every byte."""
    url = "data:image/png;base64," + "A" * size
    content = [{"type": "image_url", "image_url": {"url": url}}]
    body = encoded({"model": "m", "messages": [{"role": "user", "content": content}]})
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        raw = gateway.head(CHAT[1], body)
        if coding == "chunked":
            head = gateway.head(CHAT[1]).replace(
                b"Content-Length: 0", b"Transfer-Encoding: chunked"
            )
            raw = head + piece(body[:999]) + piece(body[999:]) + b"0\r\n\r\n"
        assert (200, ANSWER) == (await gateway.send(raw))[::2]
        assert body == vendor.requests[0].body


# --- I: security ----------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "host", ["x:4000/#@evil", "x/v1/models", "healthz", "127.0.0.1/healthz?", "[::1]/healthz"]
)
async def test_trap_189_the_host_header_decides_nothing(host):
    """The path alone chooses the route and so whether a key is asked for."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        body = encoded(CHAT[2])
        raw = gateway.head(CHAT[1], body, key=False).replace(
            b"Host: gateway", b"Host: %b" % host.encode()
        )
        assert (401 if host == "healthz" else 400) == (await gateway.send(raw))[0]
        absolute = raw.replace(b"POST /", b"POST http://x/healthz#/").replace(host.encode(), b"x")
        assert (await gateway.send(absolute))[0] in (400, 401, 404, 405)
        assert [] == vendor.requests


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "bedrock", "cohere"])
async def test_trap_100_the_vendors_headers_are_not_copied(provider):
    """An allow-list: no credential, cookie or address that it echoes comes out."""
    echoed = b"x-goog-api-key: k\r\nauthorization: Bearer k\r\nset-cookie: k\r\nlocation: k\r\nserver: k\r\nvia: k\r\nx-request-id: k\r\nconnection: close\r\n"
    shape = next(s for s in SHAPES.values() if s[0] == provider)
    bodies = {
        "openai": ANSWER,
        "anthropic": b'{"type":"message","content":[],"usage":{"input_tokens":1,"output_tokens":1}}',
        "gemini": b'{"candidates":[{"content":{"parts":[{"text":"Ho"}]},"finishReason":"STOP"}]}',
        "bedrock": b'{"output":{"message":{"role":"assistant","content":[{"text":"Ho"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}',
        "cohere": b'{"id":"a","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"Ho"}]}}',
    }
    more = {b"x-amzn-requestid"} if provider == "bedrock" else set()
    script = [Send(sized(bodies[provider], headers=JSON + echoed))]
    async with Double([script]) as vendor, Gateway.to((provider, vendor)) as gateway:
        status, headers, _ = await ask(gateway, shape)
        assert 200 == status
        assert {
            b"content-type", b"content-length", b"date", b"request-id", b"x-request-id",
            b"trivium-channel", b"trivium-attempts", b"trivium-cost",
        } == set(headers) - more  # fmt: skip
        assert b"k" not in headers.values()


@pytest.mark.asyncio
async def test_trap_194_a_fresh_install_is_closed():
    """Loopback only, and without any key in the database nobody gets in."""
    assert Settings().server.listen.startswith("127.0.0.1:")
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        gateway.listener.open(gateway.services, {}.get)
        for method, path in (("POST", CHAT[1]), ("GET", "/v1/models")):
            status, _, _ = await gateway.send(gateway.head(path, encoded(CHAT[2]), method=method))
            assert 401 == status
        assert [] == vendor.requests


# --- the document ---------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def test_the_document_and_the_tests_name_each_other():
    """`docs/traps.md` names tests that exist, and every trap test is in it under its number."""
    rows = re.findall(
        r"^\| (\d+) \| .+? \| (`.+`) \|$", (ROOT / "docs/traps.md").read_text(), re.MULTILINE
    )
    named = [(number, name) for number, names in rows for name in re.findall("`([^`]+)`", names)]
    assert 100 < len(named)
    for _, name in named:
        path, _, test = name.partition("::")
        source = (ROOT / "tests" / path).read_text()
        assert not test or f"def {test}(" in source, name
    own = {
        (number, f"{path.relative_to(ROOT / 'tests').as_posix()}::{name}")
        for path in (ROOT / "tests").rglob("test_*.py")
        for name, number in re.findall(
            r"^(?:async )?def (test_trap_0*(\d+)_\w+)", path.read_text(), re.MULTILINE
        )
    }
    assert own == {(number, name) for number, name in named if "::test_trap_" in name}


# --- J: clients -----------------------------------------------------------------------------------

FLAT = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}
CLAUDES = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
USED = [
    *SAID,
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "members"),
    [
        ({"input": "Hi"}, {"messages": SAID}),
        ({"messages": None, "input": "Hi"}, {"messages": SAID}),
        ({"messages": SAID, "tools": [FLAT]}, {"tools.0.function.name": "look"}),
        ({"messages": SAID, "tools": [CLAUDES]}, {"tools.0.function.name": "look"}),
        ({"messages": USED, "tools": [FLAT]}, {"messages.2.role": "tool"}),
    ],
)
async def test_trap_216_a_chat_body_in_other_shapes_words_is_understood(body, members):
    """Cursor sends them; the vendor of the same shape gets its own words."""
    async with Double([OK]) as vendor, Gateway.to(("openai", vendor)) as gateway:
        status, _, _ = await gateway.post(CHAT[1], {"model": "m"} | body)
        assert 200 == status
        (request,) = vendor.requests
        sent = msgspec.json.decode(request.body)
    for path, expected in members.items():
        found = sent
        for step in path.split("."):
            found = found[int(step) if step.isdigit() else step]
        assert expected == found
