"""Cost of watching one streamed answer on the pass-through lane, in microseconds.

usage: watch.py    (from a checkout with the development environment)

Each shape's hundred-delta stream of bodies.py is fed in one read, which is how a busy upstream
arrives. Quote the figures with the core count and the date.
"""

import subprocess
import sys
import tempfile
import timeit
from pathlib import Path

from trivium.wire.operation import Operation
from trivium.wire.passage import Facts
from trivium.wire.registry import PASSAGES

STREAMS = {
    "chat": Operation.CHAT,
    "messages": Operation.MESSAGES,
    "responses": Operation.RESPONSES,
    "generate": Operation.GENERATE_STREAM,
}
ROUNDS = 300


def main() -> None:
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, here / "bodies.py", folder], check=True)
        for shape, operation in STREAMS.items():
            wire = (Path(folder) / f"{shape}.sse").read_bytes()
            facts = Facts(model="m", stream=True, usage_wanted=True)
            start = PASSAGES[operation].watch
            assert start is not None

            def once(start=start, facts=facts, wire=wire) -> None:
                watch = start(facts)
                watch.feed(wire)
                watch.end(None, "req_1")

            best = min(timeit.repeat(once, number=ROUNDS, repeat=5)) / ROUNDS * 1e6
            print(f"{shape:10} {len(wire):6} bytes {best:7.1f} us")


main()
