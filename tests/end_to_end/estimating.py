"""What is billed when a vendor does not say: an answer of a known text, and what was charged for it.

    python tests/end_to_end/estimating.py        # the table of docs/billing.md

Each case is a whole gateway between two sockets: a vendor that says 200 tokens in 50 events and no
count, in one of three packetings, and one of five ends.
"""

import asyncio
import itertools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from edge.wires import Wire
from gateway import Gateway
from scripted_upstream import Close, Double, Send, Until
from trivium.clock import SystemClock
from trivium.ledger.model import Hold
from trivium.ledger.quote import Quoting
from trivium.ledger.service import OpenLedger
from trivium.wire import event_stream
from trivium.wire.event_stream import EventFrames
from trivium.wire.operation import EVENT_STREAM
from trivium.wire.sse import frames

SHAPES = ("chat", "responses", "messages", "generate", "converse", "cohere")
PAIRS = list(itertools.product(SHAPES, SHAPES))
"""The caller's shape, the vendor's."""
PACKETS = ("an event a packet", "all in one", "cut in the middle")
ENDS = ("no count", "first text", "last text", "finish", "vendor dies")

PIECES = [f" word {n:03d} so ja," for n in range(50)]
PROVIDER = {
    "chat": "openai", "responses": "openai", "messages": "anthropic", "generate": "gemini",
    "converse": "bedrock", "cohere": "cohere",
}  # fmt: skip
PATH = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "generate": "/v1beta/models/m:streamGenerateContent?alt=sse",
    "converse": "/model/m/converse-stream",
    "cohere": "/v2/chat",
}
ASK = {
    "chat": {"messages": [{"role": "user", "content": "Hi"}], "stream": True},
    "responses": {"input": "Hi", "stream": True},
    "messages": {"messages": [{"role": "user", "content": "Hi"}], "stream": True, "max_tokens": 900},
    "generate": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    "converse": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
    "cohere": {"messages": [{"role": "user", "content": "Hi"}], "stream": True},
}  # fmt: skip
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nTransfer-Encoding: chunked\r\n\r\n"
TYPE = dict.fromkeys(SHAPES, b"text/event-stream") | {"converse": EVENT_STREAM.encode()}


def event(data, *, named=True):
    """One event, with the name that its type is."""
    name = b"event: %b\n" % data["type"].encode() if named and "type" in data else b""
    return name + b"data: " + json.dumps(data).encode() + b"\n\n"


def chat(pieces):
    """The frames before the text, of the text, that close it, that tell the end; the last."""

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return event({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "up", "choices": [choice]})  # fmt: skip

    head = [chunk({"role": "assistant", "content": ""})]
    return head, [chunk({"content": one}) for one in pieces], [], [chunk({}, "stop")], [b"data: [DONE]\n\n"]  # fmt: skip


def responses(pieces):
    """As ``chat``. Three events close the text and repeat it, and the last does so again."""
    text = "".join(pieces)
    numbers = itertools.count()
    part = {"type": "output_text", "text": "", "annotations": []}
    item = {"id": "i1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}  # fmt: skip
    at = {"item_id": "i1", "output_index": 0, "content_index": 0}
    answer = {"id": "r1", "object": "response", "created_at": 1, "model": "up", "output": []}

    def told(kind, **members):
        return event({"type": f"response.{kind}", "sequence_number": next(numbers)} | members)

    whole = part | {"text": text}
    done = item | {"status": "completed", "content": [whole]}
    head = [
        told("created", response=answer | {"status": "in_progress"}),
        told("in_progress", response=answer | {"status": "in_progress"}),
        told("output_item.added", output_index=0, item=item),
        told("content_part.added", part=part, **at),
    ]
    grown = [told("output_text.delta", delta=one, logprobs=[], **at) for one in pieces]
    closing = [
        told("output_text.done", text=text, logprobs=[], **at),
        told("content_part.done", part=whole, **at),
        told("output_item.done", output_index=0, item=done),
    ]
    last = answer | {"status": "completed", "output": [done], "usage": None}
    return head, grown, closing, [told("completed", response=last)], []


def messages(pieces):
    """As ``chat``. What the start says of the output is not its count."""
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "up", "content": [],
               "stop_reason": None, "stop_sequence": None,
               "usage": {"input_tokens": 10, "output_tokens": 1}}  # fmt: skip
    head = [
        event({"type": "message_start", "message": message}),
        event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ]  # fmt: skip
    grown = [
        event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": one}})
        for one in pieces
    ]  # fmt: skip
    closing = [event({"type": "content_block_stop", "index": 0})]
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    finish = [event({"type": "message_delta", "delta": stop})]
    return head, grown, closing, finish, [event({"type": "message_stop"})]


def generate(pieces):
    """As ``chat``."""

    def chunk(text, reason=None):
        content = {"parts": [{"text": text}], "role": "model"}
        candidate = {"content": content, "index": 0} | ({"finishReason": reason} if reason else {})
        return event({"candidates": [candidate], "modelVersion": "up", "responseId": "g1"})

    return [], [chunk(one) for one in pieces], [], [chunk("", "STOP")], []


def converse(pieces):
    """As ``chat``, in frames."""

    def told(kind, **members):
        return event_stream.event(kind, json.dumps(members).encode())

    grown = [told("contentBlockDelta", contentBlockIndex=0, delta={"text": one}) for one in pieces]
    closing = [told("contentBlockStop", contentBlockIndex=0)]
    finish = [told("messageStop", stopReason="end_turn")]
    rest = [told("metadata", metrics={"latencyMs": 1})]
    return [told("messageStart", role="assistant")], grown, closing, finish, rest


def cohere(pieces):
    """As ``chat``."""

    def said(kind, **message):
        return event({"type": kind, "index": 0, "delta": {"message": message}})

    head = [
        event({"type": "message-start", "id": "c1", "delta": {"message": {"role": "assistant"}}}),
        said("content-start", content={"type": "text", "text": ""}),
    ]
    grown = [said("content-delta", content={"text": one}) for one in pieces]
    end = {"type": "message-end", "id": "c1", "delta": {"finish_reason": "COMPLETE"}}
    return head, grown, [event({"type": "content-end", "index": 0})], [event(end)], []


STREAMS = {
    "chat": chat, "responses": responses, "messages": messages, "generate": generate,
    "converse": converse, "cohere": cohere,
}  # fmt: skip


def counted(shape, output):
    """The frames of a vendor that does count, in the place of the last ones of ``STREAMS``."""
    if shape == "chat":
        usage = {"prompt_tokens": 10, "completion_tokens": output, "total_tokens": 10 + output}
        return [event({"id": "c1", "choices": [], "usage": usage}), b"data: [DONE]\n\n"]
    if shape == "generate":
        usage = {"promptTokenCount": 10, "candidatesTokenCount": output, "totalTokenCount": 10 + output}  # fmt: skip
        return [event({"usageMetadata": usage, "modelVersion": "up"})]
    raise AssertionError(shape)


def packets(blocks, packeting):
    """The bytes of each write, as chunks of a body."""
    if not blocks:
        return []
    if packeting == "all in one":
        blocks = [b"".join(blocks)]
    elif packeting == "cut in the middle":
        middles = [len(one) // 2 for one in blocks]
        halves = [(one[:at], one[at:]) for one, at in zip(blocks, middles, strict=True)]
        ends = [*(b for _, b in halves[:-1]), b"".join(b for _, b in halves[-1:])]
        starts = [a for a, _ in halves]
        joined = [end + start for end, start in zip(ends, [*starts[1:], b""], strict=True)]
        blocks = [starts[0], *joined]
    return [b"%x\r\n%b\r\n" % (len(one), one) for one in blocks if one]


class Held(asyncio.Event):
    """Says when a script waits for it."""

    def __init__(self):
        super().__init__()
        self.reached = asyncio.Event()

    async def wait(self):
        self.reached.set()
        return await super().wait()


class Books(OpenLedger):
    """Holds by the real quotes, and remembers what is settled.

    It has them rather than being them: a compiled class has no heirs that are not.
    """

    def __init__(self):
        self.settled = []
        self.quote = Quoting(SystemClock()).quote

    def hold(self, request_id, caller, quote, budgets=(), who=None):
        return Hold(request_id=request_id, user_id=3, amount_nanos=quote.amount_nanos, quote=quote)

    def settle(self, hold, usage, end="", channel=""):
        self.settled.append((usage, end))
        return super().settle(hold, usage, end)


def said(shape, body):
    """The text in what a caller received of a stream: what it would show."""
    text = ""
    if shape == "converse":
        deltas = (
            json.loads(one.payload)["delta"]
            for one in EventFrames().feed(body)
            if one.word(":event-type") == "contentBlockDelta"
        )
        return "".join(delta.get("text", "") for delta in deltas)
    body = body.replace(b"\r\n", b"\n")
    for frame in frames(body[: body.rfind(b"\n\n") + 2]):
        if frame.data == b"[DONE]":
            continue
        data = json.loads(frame.data)
        if shape == "chat":
            text += "".join(one["delta"].get("content") or "" for one in data.get("choices", ()))
        elif shape == "responses":
            text += data["delta"] if data["type"] == "response.output_text.delta" else ""
        elif shape == "messages":
            text += data["delta"]["text"] if data["type"] == "content_block_delta" else ""
        elif shape == "cohere":
            if data["type"] == "content-delta":
                text += data["delta"]["message"]["content"]["text"]
        else:
            for candidate in data.get("candidates", ()):
                parts = candidate.get("content", {}).get("parts", ())
                text += "".join(part.get("text", "") for part in parts)
    return text


def script(vendor, packeting, end, held, last=None, pieces=PIECES):
    """What the vendor does: what it sends, whether it then waits, and how it ends."""
    head, grown, closing, finish, rest = STREAMS[vendor](pieces)
    rest = rest if last is None else last
    whole = [*head, *grown, *closing, *finish]
    sent = {
        "no count": [*whole, *rest],
        "first text": [*head, *grown[:1]],
        "last text": [*head, *grown],
        "finish": whole,
        "vendor dies": [*head, *grown],
    }[end]
    steps = [Send(HEAD % TYPE[vendor])]
    for piece in packets(sent, packeting):
        steps += [Send(piece), Until(_turns())]
    if end == "no count":
        return [*steps, Send(b"0\r\n\r\n")]
    if end == "vendor dies":
        return [*steps, Close()]
    left = [Send(packet) for packet in packets(rest, packeting)] if end == "finish" else []
    return [*steps, Until(held), *left, Send(b"0\r\n\r\n")]


def _turns():
    """Lets the loop turn, so that what was sent is read by itself."""

    class Turn:
        async def wait(self):
            for _ in range(3):
                await asyncio.sleep(0)

    return Turn()


async def received(gateway, caller, held):
    """What a caller gets until the answer ends, or until the vendor waits: then it leaves."""
    body = json.dumps({"model": "m"} | ASK[caller]).encode()
    line = await Wire.to(gateway.port)
    raw = gateway.head(PATH[caller], body, "Content-Type: application/json")
    await line.send(raw)
    data = b""
    while True:
        try:
            async with asyncio.timeout(0.05 if held.reached.is_set() else 5):
                piece = await line.reader.read(65536)
        except TimeoutError:
            if held.reached.is_set():
                break
            raise
        if not piece:
            break
        data += piece
        if data.endswith(b"0\r\n\r\n"):
            break
        if not held.reached.is_set():
            await asyncio.sleep(0)
    await line.close()
    return unchunked(data.partition(b"\r\n\r\n")[2])


def unchunked(data):
    """The body of chunks, as far as it came."""
    out = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        count = int(size, 16)
        if not count:
            break
        out, data = out + data[:count], data[count + 2 :]
    return out


async def case(caller, vendor, packeting, end, last=None, pieces=PIECES):
    """One answer: the text that was delivered, the usage and the end that were booked."""
    held = Held()
    steps = script(vendor, packeting, end, held, last, pieces)
    model = {"free": False, "price": {"input": "1", "output": "10"}}
    async with (
        Double([steps]) as double,
        Gateway.to((PROVIDER[vendor], double), model=model, binding={"shape": vendor}) as gateway,
    ):
        books = gateway.services.ledger = Books()
        body = await received(gateway, caller, held)
        if end == "finish":
            await asyncio.sleep(0.05)
        held.set()
        for _ in range(500):
            if gateway.records:
                break
            await asyncio.sleep(0.01)
        ((usage, ended),) = books.settled
        assert usage == gateway.records[0].usage
        return said(caller, body), usage, ended


async def ratio(*names):
    """Billed output tokens by those delivered."""
    text, usage, _ = await case(*names)
    assert text, names
    return usage.output_total / (len(text.encode()) / 4)


ALL = list(itertools.product(PAIRS, PACKETS, ENDS))


async def cells(names=ALL):
    """The ratio of each case, some at a time."""
    gate = asyncio.Semaphore(8)

    async def one(pair, packeting, end):
        async with gate:
            return await ratio(*pair, packeting, end)

    found = await asyncio.gather(*(one(*name) for name in names))
    return dict(zip(names, found, strict=True))


def table(found):
    """The table of docs/billing.md: rows are pairs and packetings."""
    lines = ["| caller | vendor | packets | " + " | ".join(ENDS) + " |", "|---" * 8 + "|"]
    for (caller, vendor), packeting in itertools.product(PAIRS, PACKETS):
        row = [f"{found[(caller, vendor), packeting, end]:.2f}" for end in ENDS]
        lines.append(f"| {caller} | {vendor} | {packeting} | " + " | ".join(row) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(asyncio.run(cells())))  # noqa: T201 - that is what it is for
