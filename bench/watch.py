"""Cost of watching one streamed answer on the pass-through lane, in microseconds.

usage: watch.py    (from a checkout with the development environment)

Each shape's hundred-delta stream of bodies.py is fed in one read, which is how a busy upstream
arrives, in reads of 16 KiB, and one frame a read, which is how a slow one does; then the watch is
asked for the usage. Quote the figures with the core count and the date.
"""

import json
import timeit
from collections.abc import Callable

import bodies

from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts
from trivium.wire.registry import PASSAGES

STREAMS = {
    "chat": (bodies.chat, Operation.CHAT, RequestFacts(model="m", stream=True, usage_wanted=True)),
    "chat, usage taken out": (bodies.chat, Operation.CHAT, RequestFacts(model="m", stream=True)),
    "messages": (bodies.messages, Operation.MESSAGES, RequestFacts(model="m", stream=True)),
    "responses": (bodies.responses, Operation.RESPONSES, RequestFacts(model="m", stream=True)),
    "generate": (bodies.generate, Operation.GENERATE_STREAM, RequestFacts(model="m", stream=True)),
    "generate, array": (
        bodies.generate,
        Operation.GENERATE_STREAM,
        RequestFacts(model="m", stream=True, array=True),
    ),
}
READ_BYTES = 16 * 1024
ROUNDS = 100


def frames(events: list[bodies.Event], *, array: bool) -> list[bytes]:
    """Each event as it is sent."""
    if not array:
        return [bodies.frame(*event).encode() for event in events]
    rows = [json.dumps(data).encode() for _, data in events]
    return [b"[" + rows[0], *(b",\r\n" + row for row in rows[1:]), b"]"]


def cost(once: Callable[[], object]) -> float:
    """Microseconds; the best of several, as other load only adds."""
    return min(timeit.repeat(once, number=ROUNDS, repeat=20)) / ROUNDS * 1e6


def main() -> None:
    print(f"{'':22} {'bytes':>6} {'one read':>9} {'16 KiB':>9} {'by frame':>9}")
    for name, (make, operation, facts) in STREAMS.items():
        start = PASSAGES[operation].watch
        assert start is not None
        each = frames(make()[1], array=facts.array)
        wire = b"".join(each)
        cut = [wire[at : at + READ_BYTES] for at in range(0, len(wire), READ_BYTES)]

        def once(reads: list[bytes], start=start, facts=facts) -> None:
            watch = start(facts)
            for data in reads:
                watch.feed(data)
            watch.end(None, "req_1")
            assert watch.finished
            assert watch.usage is not None

        row = " ".join(
            f"{cost(lambda reads=reads: once(reads)):9.1f}" for reads in ([wire], cut, each)
        )
        print(f"{name:22} {len(wire):6} {row}")


main()
