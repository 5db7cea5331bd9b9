"""Two builds beside each other: what a request's steps cost in each, in us of processor time.

usage: hot.py [--case PREFIX] [--rounds N] BEFORE AFTER

BEFORE and AFTER are folders with a ``trivium`` package each: a source tree's ``src``, or a wheel
that is unpacked (``.compiled/dist/*.whl``; ``python -m zipfile -e WHEEL FOLDER``). A process of
each is asked in turn for a few milliseconds of a case; the row says the median of both and of the
rounds' own ratios, so a busy machine disturbs both alike. How a trick is judged: the tree with it
against the tree without, both compiled, on the path it is in. Cases:

top.*     a body's top level; facts.*, splice.*, sealed.*, refer.*: what is looked for in it, and
          the body for a model of another name
request.* the body read in its own shape; fit.* and write.* it fitted to a shape and written in it
answer.*  a whole answer read; reply.* a whole answer written
stream.*  a stream read, all in one read (run) or a read for each frame (cut); tell.* one written
watch.*   a stream on the pass-through lane
pair.*    a translated request with its answer, as translation.py has it
money.*   quote; hold and settle with their journal; their parts. record: the row of a request
"""

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "tests" / "fixtures"
SHAPES = ("chat", "responses", "messages", "generate")
BATCH_NS = 4_000_000
Case = tuple[str, Callable[[], object]]

REQUESTS = {
    "chat": ("chat/translate/request-tools.json", "chat/translate/request-text.json"),
    "messages": ("messages/translate/requests/tools.json",),
    "generate": ("generate/translate/genai.request.json",),
}
ANSWERS = {
    "chat": ("chat/translate/answer-tools.json", "chat/translate/answer-reasoning.json"),
    "generate": ("generate/translate/calls.json", "generate/translate/thoughts.json"),
}
STREAMS = {
    "chat": ("chat/translate/parallel-tools.sse",),
    "responses": ("responses/translate/parallel.sse",),
    "messages": ("messages/translate/parallel.sse",),
    "generate": ("generate/parallel-calls.sse",),
}
PADDED = {"chat": b'"content": "tok', "responses": b"output_text.delta"}
CALLED = {
    "model": "m",
    "input": [
        {"type": "message", "role": "user", "content": "What is the weather in Paris?"},
        {"type": "function_call", "call_id": "call_1", "name": "get", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "11 degrees, rain"},
        {"type": "message", "role": "user", "content": "And in Rome?"},
    ],
    "tools": [{"type": "function", "name": "get", "parameters": {"type": "object"}}],
}


def cases() -> Iterator[Case]:
    """Every case; what it needs is made beforehand."""
    sys.path.insert(0, str(HERE))
    sys.argv = [str(HERE / "hot.py")]
    bodies = importlib.import_module("bodies")
    folder = Path(tempfile.mkdtemp())
    bodies.write(folder)
    for shape in SHAPES:
        yield from _asking(shape)
        yield from _answering(shape, folder)
        yield from _watching(shape, folder)
    yield from _money(folder)


def _bodies(shape: str) -> Iterator[tuple[str, bytes]]:
    """Requests: a short one, a long history and one with tools."""
    bench = importlib.import_module("bench")
    yield "short", _compact(bench.body(shape, stream=True, model="bench-model"))
    yield "words", _compact(_history(shape))
    for name in REQUESTS.get(shape, ()):
        yield Path(name).stem, _compact(json.loads((FIXTURES / name).read_bytes()))
    if shape == "responses":
        yield "tools", _compact(CALLED)


def _compact(body: Any) -> bytes:
    """As SDKs write it."""
    return json.dumps(body, separators=(",", ":")).encode()


def _history(shape: str) -> dict[str, Any]:
    """A conversation of twenty turns, words alone."""
    said = [("user" if at % 2 == 0 else "assistant", f"turn {at} " * 20) for at in range(21)]
    if shape == "generate":
        names = {"user": "user", "assistant": "model"}
        rows = [{"role": names[role], "parts": [{"text": text}]} for role, text in said]
        return {"contents": rows}
    rows = [{"role": role, "content": text} for role, text in said]
    if shape == "responses":
        return {"model": "m", "input": rows, "temperature": 0.5}
    return {"model": "m", "messages": rows, "max_tokens": 99}


def _asking(shape: str) -> Iterator[Case]:
    from trivium.conversation.fit import fitted
    from trivium.conversation.losses import Report
    from trivium.conversation.opaque import StateOrigin
    from trivium.conversation.target import target
    from trivium.faults import Fault
    from trivium.wire import peek, references, state_refs
    from trivium.wire.codec import ReadContext
    from trivium.wire.codecs import CODECS
    from trivium.wire.operation import Operation, Shape
    from trivium.wire.registry import PASSAGES

    its = Shape(shape)
    passage = PASSAGES[Operation(shape)]
    codec = CODECS[its]
    named = shape == "generate"
    context = ReadContext(model="m" if named else None, stream=False if named else None)
    for name, body in _bodies(shape):
        members = peek.members(body)
        facts = passage.facts(members)

        changes = passage.changes(members, facts, "other-model", True)
        yield f"top.{shape}.{name}", lambda body=body: peek.members(body)
        yield f"facts.{shape}.{name}", lambda members=members: passage.facts(members)
        if changes:
            yield (
                f"splice.{shape}.{name}",
                lambda members=members, changes=changes: members.splice(changes),
            )
        yield f"sealed.{shape}.{name}", lambda body=body: state_refs.any_in(body, its)
        yield f"refer.{shape}.{name}", lambda body=body: references.tokens(body, its)
        table = members.table
        yield (
            f"request.{shape}.{name}",
            lambda table=table: codec.read_request(table, context),
        )
        spoken = codec.read_request(table, context)
        for other in SHAPES:
            goal = target(StateOrigin(other, "v", "a"), "m2")
            write = CODECS[Shape(other)].write_request
            try:
                fit = fitted(spoken, goal, Report("t"))
                write(fit, goal, Report("t"))
            except Fault:  # a tool or a file of the vendor's own
                continue
            yield (
                f"fit.{other}.{shape}-{name}",
                lambda spoken=spoken, goal=goal: fitted(spoken, goal, Report("t")),
            )
            yield (
                f"write.{other}.{shape}-{name}",
                lambda fit=fit, goal=goal, write=write: write(fit, goal, Report("t")),
            )


def _answering(shape: str, folder: Path) -> Iterator[Case]:
    from trivium.conversation.opaque import StateOrigin
    from trivium.conversation.request import Conversation
    from trivium.wire.codec import AnswerContext, WriteContext
    from trivium.wire.codecs import CODECS
    from trivium.wire.operation import Shape

    codec = CODECS[Shape(shape)]
    context = AnswerContext(origin=StateOrigin(shape, "v", "a"))

    def told(other: str) -> Any:
        asked = Conversation(shape=other, model="m")
        return WriteContext(
            request=asked, id="a", created=1, model="m", request_id="r", usage_wanted=True
        )

    whole = [("text", (folder / f"{shape}.json").read_bytes())]
    whole += [(Path(name).stem, (FIXTURES / name).read_bytes()) for name in ANSWERS.get(shape, ())]
    others = SHAPES
    for name, body in whole:
        yield f"answer.{shape}.{name}", lambda body=body: codec.read_answer(body, context)
        answer = codec.read_answer(body, context)
        for other in others:
            write, more = CODECS[Shape(other)].write_answer, told(other)
            yield (
                f"reply.{other}.{shape}-{name}",
                lambda write=write, more=more, answer=answer: write(answer, more),
            )
    streams = [("text", (folder / f"{shape}.sse").read_bytes())]
    streams += [(Path(name).stem, (FIXTURES / name).read_bytes()) for name in STREAMS[shape]]
    if shape in PADDED:
        streams.append(("padded", _padded(streams[0][1], PADDED[shape])))
    if shape == "generate":  # each frame has its own count
        blocks = streams[0][1].split(b'TokenCount": 100')
        counts = [b'TokenCount": %d' % at for at in range(1, len(blocks))]
        streams.append(("counted", b"".join(map(bytes.__add__, blocks, [*counts, b""]))))
    for name, wire in streams:
        for kind, reads in (("run", [wire]), ("cut", _frames(wire))):

            def read(reads: list[bytes] = reads) -> list[Any]:
                reader = codec.read_stream(context)
                out = [reader.feed(data) for data in reads]
                return [*out, reader.end(None)]

            yield f"stream.{shape}.{name}.{kind}", read
            events = [each for each in read() if each]
            for other in others:

                def tell(other: str = other, events: Any = events) -> object:
                    writer = CODECS[Shape(other)].write_stream(told(other))
                    for each in events:
                        writer.feed(each)
                    return writer.end(None)

                yield f"tell.{other}.{shape}-{name}.{kind}", tell


def _padded(wire: bytes, sign: bytes) -> bytes:
    """The stream with padding of changing lengths, as OpenAI hides how long its tokens are."""
    blocks = wire.split(b"\n\n")
    for at, block in enumerate(blocks):
        if sign in block and block.endswith(b"}"):
            blocks[at] = block[:-1] + b',"obfuscation":"' + b"aB3xYz9qR1"[: at % 9 + 1] + b'"}'
    return b"\n\n".join(blocks)


def _frames(wire: bytes) -> list[bytes]:
    end = b"\r\n\r\n" if b"\r\n\r\n" in wire else b"\n\n"
    return [block + end for block in wire.split(end) if block]


def _watching(shape: str, folder: Path) -> Iterator[Case]:
    from trivium.wire import state_refs
    from trivium.wire.operation import Operation, Shape
    from trivium.wire.passage import RequestFacts
    from trivium.wire.registry import PASSAGES

    pair = importlib.import_module("translation").Pair
    streamed = Operation.GENERATE_STREAM if shape == "generate" else Operation(shape)
    start = PASSAGES[streamed].watch
    wire = (folder / f"{shape}.sse").read_bytes()
    facts = {"": RequestFacts(model="m", stream=True, usage_wanted=True)}
    if shape == "chat":
        facts["-hiding"] = RequestFacts(model="m", stream=True)
    inputs = {name: (fact, wire) for name, fact in facts.items()}
    if shape == "generate":
        rows = [data[6:].strip() for data in _frames(wire)]
        array = RequestFacts(model="m", stream=True, array=True)
        inputs["-array"] = (array, b"[" + b",\r\n".join(rows) + b"]")
    for name, (fact, data) in inputs.items():
        cut = _frames(data) if not name.endswith("array") else _elements(data)
        for kind, reads in (("run", [data]), ("cut", cut)):

            def watch(fact: Any = fact, reads: list[bytes] = reads) -> object:
                watch = start(fact)
                for data in reads:
                    watch.feed(data)
                return watch.end(None, "req_1")

            yield f"watch.{shape}{name}.{kind}", watch
    yield f"watch.{shape}.signed", lambda: state_refs.native(wire, Shape(shape))
    for other in SHAPES:
        if other != shape:
            each = pair(shape, other, folder)
            for kind in ("json", "stream", "cut"):
                yield (
                    f"pair.{shape}.{other}.{kind}",
                    lambda each=each, kind=kind: each.run(kind),
                )


def _elements(data: bytes) -> list[bytes]:
    rows = data[1:-1].split(b",\r\n")
    return [b"[" + rows[0], *(b",\r\n" + row for row in rows[1:]), b"]"]


def _money(folder: Path) -> Iterator[Case]:
    from types import SimpleNamespace

    from trivium.clock import SystemClock
    from trivium.conversation.usage import Usage
    from trivium.ledger.amounts import format_usd
    from trivium.ledger.cost import cost, input_cost
    from trivium.ledger.journal import Journal
    from trivium.ledger.unreported_usage import used
    from trivium.ledger.worker import WorkerLedger
    from trivium.observe.record import Record
    from trivium.observe.store import row_of
    from trivium.routing.model import Model, PriceRow
    from trivium.wire.operation import Operation
    from trivium.wire.passage import RequestFacts

    ledger = WorkerLedger(Journal(folder, "w", gathers=True), SystemClock())
    ledger.trusted_until = float("inf")
    caller = SimpleNamespace(user_id=1, key_id=1, unlimited=True, group="")
    price = {"input": Decimal("0.00000125"), "output": Decimal("0.00001")}
    model = Model(name="m", bindings=(), prices=(PriceRow(price=price),))
    facts = RequestFacts(model="m", stream=False, output_max=256)
    usage = Usage(fresh=55, cache_read=64, output=100)

    def quote() -> Any:
        return ledger.quote(caller, model, Operation.CHAT, facts, 1000)

    asked = quote()
    assert asked.tariff is not None

    def money() -> None:
        ledger.gather()
        hold = ledger.hold("r", caller, asked)
        ledger.flush()
        ledger.gather()
        ledger.settle(hold, usage, "done")
        ledger._queue.clear()  # noqa: SLF001 - a database would take it

    yield "money.quote", quote
    yield "money.booked", money
    yield "money.cost", lambda: cost(asked.tariff, usage)
    yield "money.input", lambda: input_cost(asked.tariff, 500)
    yield "money.used", lambda: used(usage, 55, lambda: None, final=True)
    yield "money.text", lambda: format_usd(1_230_500)
    record = Record("r", 1.0, 1, 1, "chat", "m", "", "c", "m2", 200, usage=usage, attempts=1)
    yield "record", lambda: row_of(record, int)


def work() -> None:
    """Answer the parent: the names of the cases, then a figure for each name it sends."""
    known = dict(cases())
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(json.dumps(list(known)), flush=True)
    times: dict[str, int] = {}
    for line in sys.stdin:
        name = line.strip()
        call = known[name]
        if name not in times:
            began = time.process_time_ns()
            for _ in range(20):
                call()
            times[name] = max(1, BATCH_NS * 20 // max(1, time.process_time_ns() - began))
        count = times[name]
        began = time.process_time_ns()
        for _ in range(count):
            call()
        print((time.process_time_ns() - began) / count / 1e3, flush=True)


def start(folder: str) -> subprocess.Popen[str]:
    """A worker on a build."""
    return subprocess.Popen(
        [sys.executable, "-P", __file__, "--work"],
        env={**os.environ, "PYTHONPATH": str(Path(folder).resolve())},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def main() -> None:
    if sys.argv[1:] == ["--work"]:
        work()
        return
    parser = argparse.ArgumentParser(description="Two builds, case by case.")
    parser.add_argument("--case", default="", help="only cases that begin with this")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("before")
    parser.add_argument("after")
    options = parser.parse_args()
    both = [start(options.before), start(options.after)]
    names, _ = [json.loads(each.stdout.readline()) for each in both]  # type: ignore[union-attr]  # piped
    print(f"{'':44} {'before':>8} {'after':>8} {'ratio':>6}")
    for name in names:
        if not name.startswith(options.case):
            continue
        costs: list[list[float]] = [[], []]
        for _ in range(options.rounds):
            for cost, each in zip(costs, both, strict=True):
                each.stdin.write(name + "\n")  # type: ignore[union-attr]  # piped
                each.stdin.flush()  # type: ignore[union-attr]  # piped
                cost.append(float(each.stdout.readline()))  # type: ignore[union-attr]  # piped
        ratio = statistics.median(after / before for before, after in zip(*costs, strict=True))
        before, after = map(statistics.median, costs)
        print(f"{name:44} {before:8.2f} {after:8.2f} {ratio:6.2f}", flush=True)
    for each in both:
        each.terminate()


if __name__ == "__main__":
    main()
