"""Cost of the translation lane for every pair of shapes, in microseconds of processor time.

usage: translation.py [--caller SHAPE] [--upstream SHAPE] [--profile KIND]

The requests are those of bench.py, the answers those of bodies.py. ``json``: the request read,
fitted and written, the whole answer read and written. ``stream``: the same request and a stream of
a hundred deltas that came in one read. ``cut``: the same stream, each frame in a read of its own.
``--profile`` lists the dearest functions of one of the three instead. Quote the figures with the
core count and the date.
"""

import argparse
import cProfile
import json
import pstats
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import bench
import bodies
import msgspec

from trivium.clock import SystemClock
from trivium.pipeline.request_context import RequestContext
from trivium.pipeline.services import Services
from trivium.pipeline.structs import Route
from trivium.pipeline.translation import Translator
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Binding, Channel, Step, TimeLimits
from trivium.secret import Keyring, Secret
from trivium.upstream.request_writer import Composer
from trivium.wire import peek
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Operation
from trivium.wire.registry import PASSAGES

ROUNDS = 100
REPEATS = 7
PROVIDER = {
    "chat": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "generate": "gemini",
}
ASKED = {
    "chat": Operation.CHAT,
    "responses": Operation.RESPONSES,
    "messages": Operation.MESSAGES,
    "generate": Operation.GENERATE,
}
LIMITS = TimeLimits(connect=5, first_byte=60, idle=60, total=600)
KINDS = ("json", "stream", "cut")


class Pair:
    """A caller of one shape and a channel that speaks another."""

    def __init__(self, caller: str, upstream: str, folder: Path) -> None:
        provider = PROVIDERS[PROVIDER[upstream]]
        channel = Channel(
            name="c",
            provider=provider,
            base_url="http://127.0.0.1:9100",
            credentials=(Secret("sk-bench"),),
            headers={},
            limits=LIMITS,
        )
        binding = Binding(channel=channel, model="bench-model")
        self.step = Step(binding=binding, operation=ASKED[upstream], why="")
        self.caller = caller
        self.translator = Translator(CODECS, Keyring(b"k" * 32), SystemClock())
        self.services = Services(  # a translation looks at the clock alone
            router=None, client=None, ledger=None, recorder=None, log_throttle=None,
            passages=PASSAGES, composer=Composer(), translator=self.translator,
            clock=SystemClock(), loop=SimpleNamespace(time=time.monotonic, create_future=None),
            answer_bytes_max=2**20, explain_headers=False,
        )  # fmt: skip
        self.stories = {kind: self._asked(kind != "json") for kind in KINDS}
        self.whole = (folder / f"{upstream}.json").read_bytes()
        self.wire = (folder / f"{upstream}.sse").read_bytes()
        self.frames = [block + b"\n\n" for block in self.wire.split(b"\n\n") if block]

    def _asked(self, stream: bool) -> tuple[Operation, SimpleNamespace, peek.Members, object]:
        operation = ASKED[self.caller]
        if stream and self.caller == "generate":
            operation = Operation.GENERATE_STREAM
        body = bench.body(self.caller, stream, "bench-model")
        members = peek.members(json.dumps(body, separators=(",", ":")).encode())
        facts = PASSAGES[operation].facts(members)
        if self.caller == "generate":
            facts = msgspec.structs.replace(facts, model="bench-model", stream=stream)
        exchange = SimpleNamespace(
            caller=SimpleNamespace(user_id=1, key_id=1, strict=False),
            headers={
                b"host": b"127.0.0.1:9181",
                b"authorization": b"Bearer sk-bench",
                b"content-type": b"application/json",
            },
            request_id="req_0123456789abcdefghijklmnopqr",
            body=b"",
            upload=None,
        )
        return operation, exchange, members, facts

    def run(self, kind: str) -> bytes:
        """One request from the caller's body to the caller's answer."""
        operation, exchange, members, facts = self.stories[kind]
        context = RequestContext(exchange, Route(operation=operation), self.services)
        lane = self.translator.lane(context, self.step, members, facts)
        if kind == "json":
            return lane.whole(self.whole).body
        watch = lane.watch()
        if kind == "stream":
            return watch.feed(self.wire) + watch.end(None, "req_1")
        return b"".join([watch.feed(frame) for frame in self.frames]) + watch.end(None, "req_1")


def best(call: Callable[[], object]) -> float:
    """Microseconds of one call."""
    found = []
    for _ in range(REPEATS):
        began = time.process_time_ns()
        for _ in range(ROUNDS):
            call()
        found.append(time.process_time_ns() - began)
    return min(found) / ROUNDS / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of translating each pair of shapes.")
    parser.add_argument("--caller", choices=ASKED)
    parser.add_argument("--upstream", choices=ASKED)
    parser.add_argument("--profile", choices=KINDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bodies.write(Path(folder))
        print(f"{'caller':10} {'upstream':10}" + "".join(f"{kind:>9}" for kind in KINDS))
        for caller in [options.caller] if options.caller else ASKED:
            for upstream in [options.upstream] if options.upstream else ASKED:
                if caller == upstream:
                    continue
                pair = Pair(caller, upstream, Path(folder))
                if options.profile:
                    profiled(pair, options.profile)
                    continue
                costs = "".join(f"{best(lambda k=k, p=pair: p.run(k)):9.1f}" for k in KINDS)
                print(f"{caller:10} {upstream:10}{costs}")


def profiled(pair: Pair, kind: str) -> None:
    """The dearest functions of one kind of request."""
    profile = cProfile.Profile()
    pair.run(kind)
    profile.enable()
    for _ in range(ROUNDS * 5):
        pair.run(kind)
    profile.disable()
    pstats.Stats(profile, stream=sys.stdout).strip_dirs().sort_stats("tottime").print_stats(40)


if __name__ == "__main__":
    main()
