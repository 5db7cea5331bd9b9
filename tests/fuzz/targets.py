"""What is fuzzed: every reader of what callers and vendors send, as a function of bytes.

Each may raise ``Fault`` and nothing else, must end, and keeps no more than it was given. The first
byte says how the rest is cut into reads, where that matters.
"""

import asyncio

import msgspec

from content_codings import PACK
from edge.wires import EchoHost
from fuzz import forms
from growth import asked, rows, streams, told
from trivium.edge.connection import CallerConnection
from trivium.faults import Fault
from trivium.ledger import journal
from trivium.providers import error_body as bodies
from trivium.providers import failure
from trivium.upstream.answer import AnswerParser
from trivium.upstream.content_coding import SLICE_BYTES, CodingError, Inflater
from trivium.wire import json_size, multipart, peek, sse, state_refs
from trivium.wire.codecs import CODECS
from trivium.wire.operation import CONVERSATION
from trivium.wire.passage import RequestFacts
from trivium.wire.registry import PASSAGES

MOST = 64
"""Reads that one input is cut into at most."""


def pieces(data):
    """The reads of an input."""
    size = max(1, (data[0] if data else 0) * 4, len(data) // MOST)
    rest = data[1:]
    return [rest[at : at + size] for at in range(0, len(rest), size)]


def _request(words):
    def run(data):
        members = peek.members(data)
        if not json_size.exceeds(data, 1000):
            shape = next(shape for shape in rows.CALLERS if shape.value == words)
            path = {"model": "m", "stream": True} if words == "generate" else {}
            context = rows.ReadContext(open=rows.OPEN, **path)
            rows.CALLERS[shape].read_request(members.table, context)

    return run


def _passed(operation):
    def run(data):
        members = peek.members(data)
        facts = PASSAGES[operation].facts(members)
        members.splice(PASSAGES[operation].changes(members, facts, "other", True))

    return run


def _answer(codec):
    return lambda data: codec.read_answer(data, rows.reading_context(codec))


def _stream(codec):
    def run(data):
        reader = codec.read_stream(rows.reading_context(codec))
        for piece in pieces(data):
            reader.feed(piece)
        reader.end(None)

    return run


def _watch(operation, *, array=False):
    def run(data):
        watch = PASSAGES[operation].watch(RequestFacts(model="m", stream=True, array=array))
        for piece in pieces(data):
            watch.feed(piece)
        watch.end(None, "req_7")

    return run


def _splitter(data):
    splitter = sse.Splitter()
    for piece in pieces(data):
        sse.frames(splitter.feed(piece))
    sse.completed(splitter.rest)


def _form(data):
    reader = multipart.FormReader(b"b", lambda _: None)
    for piece in pieces(data):
        reader.feed(piece)
    reader.finish()


def _error(data):
    bodies.read(data)
    failure.error_event(data)


def _marks(data):
    for shape in CONVERSATION:
        state_refs.any_in(data, shape)
        state_refs.found(data, shape)


def _upstream(data):
    answer = AnswerParser(False, 65_536)
    for piece in pieces(data):
        if answer.refusal is None and not answer.complete:
            answer.feed(piece)
    answer.end()
    answer.close()


def _expanded(coding, reads):
    """What the reads expand to; ``None``: they are not what the coding says, or a bomb."""
    inflater = Inflater(coding)
    out = []
    try:
        for data in reads:
            inflater.feed(data)
            while inflater.waiting:
                out.append(inflater.step())
                assert len(out[-1]) <= SLICE_BYTES
                inflater.bound()
        inflater.finish()
    except CodingError:
        return None
    return b"".join(out)


def _coding(coding):
    """A compressed body is one thing, however it is cut, if it is any: libzstd looks closer at the
    size that a frame says it has where it is given all of it at once.
    """

    def run(data):
        found = {_expanded(coding, [data[1:]]), _expanded(coding, pieces(data))}
        assert len(found - {None}) <= 1

    return run


class _Transport(asyncio.Transport):
    """A line that takes everything and shows nothing."""

    def __init__(self):
        super().__init__()
        self._closed = False

    def get_extra_info(self, name, default=None):
        return ("127.0.0.1", 1) if name == "peername" else default

    def write(self, data):
        assert isinstance(data, bytes | bytearray | memoryview)

    def is_closing(self):
        return self._closed

    def close(self):
        self._closed = True

    abort = close

    def pause_reading(self):
        pass

    resume_reading = pause_reading

    def set_write_buffer_limits(self, high=None, low=None):
        pass

    def get_write_buffer_size(self):
        return 0


def _edge(data):
    async def run():
        host = EchoHost()
        line = CallerConnection(host)
        line.connection_made(_Transport())
        for piece in pieces(data):
            line.data_received(piece)
        await asyncio.sleep(0)
        line.connection_lost(None)
        await asyncio.sleep(0)

    asyncio.run(run())


def targets():
    """All of them by name."""
    found = {
        "members": peek.members,
        "bulk": lambda data: json_size.exceeds(data, 10),
        "frames": _splitter,
        "form": _form,
        "journal": lambda data: journal.read([data]),
        "error": _error,
        "marks": _marks,
        "upstream": _upstream,
        "edge": _edge,
        "array": _watch(rows.Operation.GENERATE_STREAM, array=True),
    }
    found |= {f"request-{shape.value}": _request(shape.value) for shape in rows.CALLERS}
    for codec in CODECS.values():
        found[f"answer-{codec.shape.value}"] = _answer(codec)
        found[f"stream-{codec.shape.value}"] = _stream(codec)
    found |= forms.TARGETS
    found |= {f"coding-{coding.decode()}": _coding(coding) for coding in PACK}
    for operation, passage in PASSAGES.items():
        found[f"pass-{operation.value}"] = _passed(operation)
        if passage.watch is not None:
            found[f"watch-{operation.value}"] = _watch(operation)
    return found


def seeds(name):
    """Small inputs to begin with, made of what the tests of growth know."""
    if name in forms.SEEDS:
        return forms.SEEDS[name]
    kind, _, words = name.partition("-")
    if kind == "request" and words in asked.KINDS:
        return [asked.body(words, one, 2) for one in asked.kinds(words)]
    if kind == "pass":
        spoken = rows.WORDS[rows.Operation(words)]
        return [asked.body(spoken, one, 2) for one in asked.kinds(spoken)]
    if kind == "answer":
        return [told.body(words, one, 2) for one in told.whole_kinds(words)]
    if kind == "coding":
        packed = [PACK[words.encode()](text) for text in (b"", b'{"a":1}', b"a" * 70_000)]
        return [bytes([2]) + body for body in (*packed, packed[1] + packed[1])]
    if kind in ("stream", "watch"):
        shape = words if kind == "stream" else told.words(rows.Operation(words))
        return [bytes([16]) + streams.wire(shape, one, 2) for one in streams.kinds(shape)]
    return [bytes([16]) + one for one in _PLAIN.get(name, (b"{}", b"[]"))]


_PLAIN = {
    "array": [streams.wire("array", one, 2) for one in streams.kinds("array")],
    "frames": [streams.wire("chat", one, 2) for one in streams.kinds("chat")],
    "form": [
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nv\r\n--b--\r\n'
    ],
    "journal": [journal.line(b'["r","req_1"]')],
    "edge": [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost:a\r\nUpgrade:a\r\nConnection:Upgrade\r\n\r\n",
    ],
    "upstream": [
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.0 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ],
    "error": [msgspec.json.encode({"error": {"message": "m", "code": 1}})],
}


def held(run, data):
    """Run a target; a fault is an answer."""
    try:
        run(data)
    except Fault:
        return
