"""The worst requests, of each shape on a lane of each kind."""

import base64
import functools
import json
import random

from corpus.case import Case, request, times
from corpus.stage import MIB
from growth.asked import PNG


def _text(size):
    return lambda share: "long " * int(size * MIB * share / 5)


def _random(size):
    return base64.b64encode(random.Random(size).randbytes(size * 3 // 4)).decode()


def _said(caller, text):
    """One message of this text."""
    return {
        "chat": {"messages": [{"role": "user", "content": text}]},
        "responses": {"input": text},
        "messages": {"messages": [{"role": "user", "content": text}]},
        "generate": {"contents": [{"role": "user", "parts": [{"text": text}]}]},
        "converse": {"messages": [{"role": "user", "content": [{"text": text}]}]},
        "cohere": {"messages": [{"role": "user", "content": text}]},
        "invoke": {"messages": [{"role": "user", "content": text}]},
    }[caller]


def _counted(share, text=True):
    """A body in base64 within a body, to be counted."""
    said = "long " * int(23 * MIB * share / 5) if text else [{}] * int(7_000_000 * share)
    inner = {
        "anthropic_version": "bedrock-2023-05-31",
        "messages": [{"role": "user", "content": said}],
    }
    body = base64.b64encode(json.dumps(inner, separators=(",", ":")).encode()).decode()
    return json.dumps({"input": {"invokeModel": {"body": body}}}).encode()


def count(name, upstream, make):
    """A count of tokens, as Amazon's clients ask for it."""

    def of(share):
        @functools.cache
        def body():
            return make(share)

        path = f"/model/to-{upstream}/count-tokens"
        return Case(f"{name}: invoke to {upstream}", lambda: len(body()), body, path=path)

    return of


def _picture(caller, url):
    return {
        "chat": {
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
            ]
        },
        "responses": {
            "input": [{"role": "user", "content": [{"type": "input_image", "image_url": url}]}]
        },
        "messages": {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": url},
                        }
                    ],
                }
            ]
        },
        "generate": {
            "contents": [
                {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": url}}]}
            ]
        },
    }[caller]


def _film(caller, size):
    """A film in the request itself, as base64 of so many bytes."""

    def make(share):
        data = "AAAA" * int(size * MIB * share / 4)
        if caller == "generate":
            part = {"inlineData": {"mimeType": "video/mp4", "data": data}}
            return {"contents": [{"role": "user", "parts": [part, {"text": "a"}]}]}
        block = {"video": {"format": "mp4", "source": {"bytes": data}}}
        return {"messages": [{"role": "user", "content": [block, {"text": "a"}]}]}

    return make


def _turns(caller, count, share):
    n = times(count, share)
    if caller == "generate":
        return {"contents": [{"role": "user", "parts": [{"text": "a"}]}] * n}
    slot = "input" if caller == "responses" else "messages"
    return {slot: [{"role": "user", "content": "a"}] * n}


ONE = {"chat": 32, "responses": 32, "messages": 32, "generate": 42}
PART = {"chat": 30, "responses": 36, "messages": 30, "generate": 15}
"""Bytes of a message and of a part, with what separates them."""


def _parts(caller, count, share):
    n = times(count, share)
    if caller == "generate":
        return {"contents": [{"role": "user", "parts": [{"text": "a"}] * n}]}
    slot, kind = ("input", "input_text") if caller == "responses" else ("messages", "text")
    return {slot: [{"role": "user", "content": [{"type": kind, "text": "a"}] * n}]}


PAIRS = [
    ("chat", "messages"),
    ("messages", "responses"),
    ("responses", "generate"),
    ("generate", "chat"),
]
"""Each shape once on either side."""

REQUESTS = [
    *[
        request("24,000 messages of one role", caller, upstream, lambda share, caller=caller: _turns(caller, 24_000, share))
        for caller, upstream in PAIRS
    ],
    *[
        request("messages that are read in one go", caller, upstream, lambda share, caller=caller: _turns(caller, 130_000 // ONE[caller], share))
        for caller, upstream in PAIRS
    ],
    *[
        request("parts that are read in one go", caller, upstream, lambda share, caller=caller: _parts(caller, 130_000 // PART[caller], share))
        for caller, upstream in PAIRS
    ],
    *[
        request("24,000 parts", caller, upstream, lambda share, caller=caller: _parts(caller, 24_000, share))
        for caller, upstream in PAIRS
    ],
    *[
        request("8 MiB of text", caller, upstream, lambda share, caller=caller: _said(caller, _text(8)(share)))
        for caller, upstream in PAIRS
    ],
    *[
        request("8 MiB of escapes", caller, upstream, lambda share, caller=caller: _said(caller, "\u65e5\u672c" * int(8 * MIB * share / 12)))
        for caller, upstream in PAIRS
    ],
    *[
        request("8 MiB of semicolons for a picture", caller, upstream, lambda share, caller=caller: _picture(caller, "data:" + ";" * int(8 * MIB * share)))
        for caller, upstream in PAIRS
    ],
    *[
        request("a picture of 8 MiB", caller, upstream, lambda share, caller=caller: _picture(caller, ("" if caller in ("messages", "generate") else "data:image/png;base64,") + "QUFB" * int(2 * MIB * share)))
        for caller, upstream in PAIRS
    ],
    *[
        request("8 MiB of text", caller, upstream, lambda share, caller=caller: _said(caller, _text(8)(share)))
        for caller, upstream in (("converse", "cohere"), ("cohere", "converse"), ("chat", "converse"), ("invoke", "messages"), ("messages", "invoke"), ("converse", "converse"))
    ],
    *[
        request(f"a film of {size} MiB", caller, upstream, _film(caller, size))
        for size in (8, 31)
        for caller, upstream in (("generate", "converse"), ("converse", "generate"), ("generate", "generate"))
    ],
    *[count("a count of 31 MiB in base64", upstream, _counted) for upstream in ("messages", "invoke", "generate")],
    *[count("a count of 7 million objects in base64", upstream, lambda share: _counted(share, text=False)) for upstream in ("messages", "invoke")],
    request("32 MiB of text", "chat", "chat", lambda share: _said("chat", _text(31.9)(share))),
    request("32 MiB of text, translated", "chat", "messages", lambda share: _said("chat", _text(31.9)(share))),
    request("32 MiB of text in chunks", "responses", "chat", lambda share: _said("responses", _text(31.9)(share)), framing="chunked"),
    *[
        request(f"{size} MiB that nothing makes smaller, stored", "responses", "chat", lambda share, size=size: _said("responses", _random(int(size * MIB * share))))
        for size in (8, 31.9)
    ],
    request("more than any body may have", "chat", "chat", lambda share: _said("chat", _text(100)(share))),
    request("8 MiB of escapes, as they are", "chat", "chat", lambda share: _said("chat", "\u65e5\u672c" * int(8 * MIB * share / 12))),
    request("64 KiB in bits", "chat", "messages", lambda share: _said("chat", "a" * 65_536), framing="bits"),
    request("2 million members", "chat", "chat", lambda share: _said("chat", "a") | {f"a{i}": 1 for i in range(times(2_000_000, share))}),
    request("200,000 members", "messages", "chat", lambda share: _said("messages", "a") | {f"a{i}": 1 for i in range(times(200_000, share))}),
    request("500,000 metadata members", "responses", "responses", lambda share: _said("responses", "a") | {"metadata": {f"a{i}": "b" for i in range(times(500_000, share))}}),
    request("48,000 metadata members", "chat", "responses", lambda share: _said("chat", "a") | {"metadata": {f"a{i}": "b" for i in range(times(48_000, share))}}),
    request("objects without end", "chat", "messages", lambda share: {"messages": [{}] * times(2_000_000, share)}),
    request("lists without end", "chat", "messages", lambda share: {"messages": [[]] * times(2_000_000, share)}),
    request("numbers without end", "messages", "chat", lambda share: {"messages": [0] * times(2_000_000, share)}),
    request("a member of 8 MiB that nobody knows", "chat", "messages", lambda share: _said("chat", "a") | {"x": [0] * int(2 * MIB * share)}),
    request("nested without end", "chat", "messages", lambda share: b'{"model":"to-messages","messages":' + b"[" * int(8 * MIB * share)),
    request("6,000 calls answered backwards", "chat", "messages", lambda share: _calls(times(6_000, share))),
    request("8,000 calls answered backwards", "messages", "chat", lambda share: _uses(times(8_000, share))),
    request("4,900 tools", "chat", "generate", lambda share: _said("chat", "a") | {"tools": [{"type": "function", "function": {"name": f"t{i}", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}} for i in range(times(4_900, share))]}),
    request("a tool that refers to a long text", "chat", "generate", lambda share: _said("chat", "a") | {"tools": [{"type": "function", "function": {"name": "t", "parameters": _references(share)}}]}),
    request("pieces around pictures", "generate", "chat", lambda share: {"contents": [{"role": "model", "parts": [{"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}, {"text": "b"}]}] * times(4_100, share) + [{"role": "user", "parts": [{"text": "a"}]}]}),
    request("texts around pictures", "generate", "chat", lambda share: {"contents": [{"role": "user", "parts": [{"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}, {"text": "b"}]}] * times(4_100, share) + [{"role": "user", "parts": [{"text": "a"}]}]}),
    request("9,000 stop sequences", "chat", "messages", lambda share: _said("chat", "a") | {"stop": [f"s{i}" for i in range(times(9_000, share))]}),
    request("text that is no UTF-8", "chat", "messages", lambda share: b'{"model":"to-messages","messages":[{"role":"user","content":"' + b"\xff" * int(8 * MIB * share) + b'"}]}'),
    request("blanks without end", "chat", "messages", lambda share: b'{"model":"to-messages",' + b" " * int(8 * MIB * share) + b'"messages":[]}'),
    request("a long string without its end", "chat", "messages", lambda share: b'{"model":"to-messages","messages":"' + b"a" * int(8 * MIB * share)),
    request("marks of state without end", "chat", "messages", lambda share: _said("chat", '"reasoning.text","signature' * int(8 * MIB * share / 27))),
    request("marks of calls without end", "chat", "chat", lambda share: _said("chat", '"call_tvm0123456789abcdef01234567"' * int(8 * MIB * share / 36))),
]  # fmt: skip


def _calls(n):
    call = {"type": "function", "function": {"name": "t", "arguments": "{}"}}
    return {
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "tool_calls": [call | {"id": f"c{i}"} for i in range(n)]},
            *[
                {"role": "tool", "tool_call_id": f"c{i}", "content": "ok"}
                for i in reversed(range(n))
            ],
        ]
    }


def _uses(n):
    return {
        "messages": [
            {"role": "user", "content": "a"},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": f"c{i}", "name": "t", "input": {}} for i in range(n)
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": f"c{i}"} for i in reversed(range(n))
                ],
            },
        ]
    }


def _references(share):
    n = times(4_000, share)
    text = {"type": "string", "description": "d" * int(2 * MIB * share)}
    return {
        "type": "object",
        "$defs": {"a": text},
        "properties": {f"p{i}": {"$ref": "#/$defs/a"} for i in range(n)},
    }
