"""The worst answers, of each shape on a lane of each kind."""

import gzip
import json
import zlib

from content_codings import brotli, zstd
from corpus.case import PIECE, answer, times
from corpus.stage import MIB
from growth import streams, told
from trivium.wire.bedrock.chunks import Framer
from trivium.wire.event_stream import event


def _wire(shape, kind, count):
    """A stream's bytes; those of messages in Amazon's frames where that is the shape."""
    if shape == "invoke":
        return Framer().feed(streams.wire("messages", kind, count), 1, 1)
    return streams.wire(shape, kind, count)


def _stream(shape, kind, count):
    return lambda share: _wire(shape, kind, times(count, share))


def _whole(shape, kind, count):
    return lambda share: told.body(shape, kind, times(count, share))


def _lines(shape, line, size):
    """A stream of this many MiB of a line between its events."""

    def make(share):
        whole = streams.wire(shape, "texts", 4)
        at = whole.index(b"\n\n") + 2
        rest = line * (PIECE // len(line))
        pieces = int(size * MIB * share / len(rest))
        return [whole[:at], *[rest] * pieces, whole[at:]]

    return make


def _event(shape, size, kind="long_event"):
    """A stream with an event of this many MiB of text, or of a call or a thought."""
    return lambda share: _wire(shape, kind, int(size * MIB * share / 20))


def _rivals(count):
    """An answer of this many tokens, each with the twenty likeliest ones beside it."""

    def make(share):
        token = {"token": "abc", "logprob": -1.25, "bytes": [97, 98, 99]}
        said = json.loads(told.body("chat", "probabilities", 1))
        row = token | {"top_logprobs": [token] * 20}
        said["choices"][0]["logprobs"]["content"] = [row] * times(count, share)
        return json.dumps(said).encode()

    return make


def _members(share):
    """Gzip members that are empty."""
    return [gzip.compress(b"", mtime=0) * 256] * times(4_000, share)


def _bomb(share):
    """Two gibibytes of blanks in two megabytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b" " * MIB
    pieces = [packer.compress(block) for _ in range(times(2048, share))]
    return [b"".join(pieces) + packer.flush()]


COMMENT = b":" + b" " * (MIB // 2 - 3) + b"\n\n"


def _brotli(share):
    """A gibibyte of long comments in a few kilobytes."""
    packer = brotli.Compressor(quality=5)
    pieces = [packer.process(COMMENT) for _ in range(times(2048, share))]
    return [b"".join(pieces) + packer.finish()]


def _zstd(share):
    """The same, each comment in a frame, with one that is empty behind it."""
    pair = zstd.compress(COMMENT) + zstd.compress(b"")
    return [pair * times(2048, share)]


def _crowd(n):
    """One event of nothing but objects."""
    return event(
        "contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"x":[%b{}]}}' % (b"{}," * n)
    )


FOUR = ("chat", "responses", "messages", "generate")
CLOUDS = (
    ("chat", "converse"), ("messages", "converse"), ("cohere", "converse"), ("converse", "converse"),
    ("chat", "cohere"), ("messages", "cohere"), ("converse", "cohere"),
    ("converse", "chat"), ("converse", "generate"), ("cohere", "responses"),
    ("chat", "invoke"), ("messages", "invoke"), ("invoke", "messages"), ("invoke", "chat"),
)  # fmt: skip
"""Pairs of a caller and an upstream of which one speaks as Amazon's or Cohere's do."""
GZIP = b"content-encoding: gzip\r\n"
BROTLI = b"content-encoding: br\r\n"
ZSTD = b"content-encoding: zstd\r\n"

ANSWERS = [
    *[
        case
        for upstream, caller in (("chat", "messages"), ("chat", "chat"), ("chat", "responses"))
        for case in (
            answer("8,000 calls", caller, upstream, _stream("chat", "calls", 8_000), stream=True),
            answer("arguments in 100,000 pieces", caller, upstream, _stream("chat", "arguments_in_pieces", 100_000), stream=True),
        )
    ],
    answer("8,000 calls that are all open", "generate", "chat", _stream("chat", "calls_all_open", 8_000), stream=True),
    answer("empty choices without end", "messages", "chat", lambda share: _empties(times(300_000, share)), stream=True),
    answer("empty choices in one chunk", "messages", "chat", _stream("chat", "empty_choices_in_one", 500_000), stream=True),
    answer("empty choices in one chunk", "chat", "chat", _stream("chat", "empty_choices_in_one", 3_000_000), stream=True),
    *[answer("50 MiB of blank lines", caller, upstream, _lines(upstream, b"\n", 50), stream=True) for upstream, caller in (("chat", "messages"), ("messages", "chat"), ("responses", "generate"), ("generate", "responses"), ("chat", "chat"), ("messages", "messages"))],
    *[answer("50 MiB of comments", caller, upstream, _lines(upstream, b": a\n\n", 50), stream=True) for upstream, caller in (("chat", "responses"), ("responses", "chat"))],
    answer("50 MiB of line ends of another kind", "messages", "chat", _lines("chat", b"\r\n", 50), stream=True),
    answer("a million gzip members", "messages", "chat", _members, stream=True, extra=GZIP),
    answer("a million gzip members, whole", "messages", "chat", lambda share: b"".join(_members(share)), stream=False, extra=GZIP),
    answer("a gzip bomb", "messages", "chat", _bomb, stream=True, extra=GZIP),
    answer("a gzip bomb, whole", "messages", "chat", lambda share: b"".join(_bomb(share)), stream=False, extra=GZIP),
    answer("a gzip bomb as it is", "chat", "chat", _bomb, stream=True, extra=GZIP),
    answer("5,000 items", "chat", "responses", _stream("responses", "items", 5_000), stream=True),
    answer("5,000 calls", "chat", "responses", _stream("responses", "calls", 5_000), stream=True),
    answer("100,000 pieces of arguments", "messages", "responses", _stream("responses", "arguments_in_pieces", 50_000), stream=True),
    answer("8,000 blocks", "responses", "messages", _stream("messages", "blocks", 8_000), stream=True),
    answer("100,000 pieces of arguments", "chat", "messages", _stream("messages", "arguments_in_pieces", 100_000), stream=True),
    answer("20,000 citations", "chat", "messages", _stream("messages", "citations", 20_000), stream=True),
    answer("20,000 signatures", "chat", "messages", _stream("messages", "signatures", 20_000), stream=True),
    answer("8,000 calls", "chat", "generate", _stream("generate", "calls", 8_000), stream=True),
    *[answer("16,000 calls in one chunk", caller, "generate", _stream("generate", "calls_in_one", 16_000), stream=True) for caller in ("chat", "responses")],
    answer("8,000 candidates", "chat", "generate", _stream("generate", "candidates", 8_000), stream=True),
    answer("50,000 texts in one chunk", "chat", "generate", _stream("generate", "texts_in_one", 50_000), stream=True),
    *[
        answer("an event of 8 MiB", caller, upstream, _event(upstream, 8), stream=True)
        for upstream in FOUR
        for caller in FOUR
        if caller != upstream or caller == "chat"
    ],
    *[
        answer(f"a {what} of 8 MiB", caller, upstream, _event(upstream, 8, f"long_{what}"), stream=True)
        for what in ("call", "thought")
        for upstream in FOUR
        for caller in FOUR
        if caller != upstream
    ],
    *[
        answer(f"{what} of 8 MiB", caller, upstream, _event(upstream, 8, kind), stream=True)
        for caller, upstream in CLOUDS
        for what, kind in (("an event", "long_event"), ("a call", "long_call"), ("a thought", "long_thought"))
    ],
    *[
        answer("a frame of 23 MiB", caller, upstream, _event(upstream, 23 if upstream == "converse" else 16.5), stream=True)
        for caller, upstream in (("chat", "converse"), ("converse", "converse"), ("messages", "invoke"))
    ],
    *[
        answer("an event of 16.5 MiB", "invoke", upstream, _event(upstream, 16.5), stream=True)
        for upstream in ("messages", "chat")
    ],
    *[
        answer("100,000 deltas", caller, upstream, _stream(upstream, kind, 100_000), stream=True)
        for caller, upstream, kind in (("chat", "converse", "texts"), ("converse", "chat", "texts"), ("invoke", "messages", "texts"), ("chat", "cohere", "deltas"), ("cohere", "converse", "texts"))
    ],
    *[
        answer("a frame of 7 million objects", caller, "converse", lambda share: _crowd(times(7_000_000, share)), stream=True)
        for caller in ("chat", "converse")
    ],
    answer("8,000 calls", "converse", "cohere", _stream("cohere", "calls", 8_000), stream=True),
    answer("8,000 calls", "cohere", "converse", _stream("converse", "calls", 8_000), stream=True),
    *[
        answer("an event of 32 MiB", caller, upstream, _event(upstream, 32), stream=True)
        for upstream, caller in (("chat", "messages"), ("messages", "chat"), ("responses", "chat"), ("generate", "chat"), ("messages", "generate"))
    ],
    answer("an event of a million lines", "messages", "chat", _stream("chat", "lines_of_data", 1_000_000), stream=True),
    answer("100,000 deltas", "messages", "chat", _stream("chat", "texts", 100_000), stream=True),
    answer("100,000 deltas", "chat", "chat", _stream("chat", "texts", 100_000), stream=True),
    answer("8 MiB of text", "messages", "chat", lambda share: told.body("chat", "long_text", int(8 * MIB * share / 20)), stream=False),
    answer("8 MiB of escapes", "responses", "chat", lambda share: told.body("chat", "escapes", int(8 * MIB * share / 48)), stream=False),
    answer("20,000 choices", "chat", "chat", _whole("chat", "choices", 20_000), stream=False),
    answer("20,000 calls", "messages", "chat", _whole("chat", "calls", 20_000), stream=False),
    answer("20,000 items", "messages", "responses", _whole("responses", "items", 20_000), stream=False),
    answer("20,000 blocks", "generate", "messages", _whole("messages", "blocks", 20_000), stream=False),
    answer("20,000 parts", "responses", "generate", _whole("generate", "parts", 20_000), stream=False),
    *[
        answer(f"{count:,} tokens with twenty rivals", caller, "chat", _rivals(count), stream=False)
        for count in (1_000, 1_500, 4_000)
        for caller in ("messages", "responses", "generate")
    ],
    *[answer("20,000 probabilities", caller, "generate", _whole("generate", "probabilities", 20_000), stream=False) for caller in ("chat", "responses")],
    answer("20,000 sources far apart", "chat", "generate", _whole("generate", "far_sources", 20_000), stream=False),
    answer("20,000 sources", "chat", "generate", _whole("generate", "sources", 20_000), stream=False),
    answer("members without end that nobody knows", "messages", "chat", _whole("chat", "unknown_members", 200_000), stream=False),
    answer("an answer that is nested without end", "messages", "chat", lambda share: b'{"choices":' + b"[" * int(8 * MIB * share), stream=False),
    answer("an answer that is no JSON", "messages", "chat", lambda share: b"\xff" * int(8 * MIB * share), stream=False),
    answer("a brotli bomb", "messages", "chat", _brotli, stream=True, extra=BROTLI),
    answer("a zstd bomb", "messages", "chat", _zstd, stream=True, extra=ZSTD),
    answer("100,000 empty zstd frames", "messages", "chat", lambda share: [zstd.compress(b"") * times(100_000, share)], stream=True, extra=ZSTD),
]  # fmt: skip


def _empties(n):
    one = b'data: {"choices":[]}\n\n'
    return [one * 1024] * (n // 1024 + 1) + [b"data: [DONE]\n\n"]
