"""Cost of a request's credential, in microseconds: a key that is the same in all, and a signature.

usage: signing.py    (from a checkout with the development environment)

A chat request of bench.py is composed for a channel with a key, and for one of Bedrock that signs
by an access key of its own, up to what is written to the socket. What a whole request costs with
either is the case ``chat:json:signed`` of run.sh beside ``chat:json``.
"""

import asyncio
import json
import time
import timeit

import bench

from trivium.clock import SystemClock
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Channel, TimeLimits
from trivium.secret import Secret
from trivium.upstream.credentials import Credentials
from trivium.upstream.request_writer import Composer
from trivium.wire.operation import Operation

LIMITS = TimeLimits(connect=5, first_byte=5, idle=5, total=30)
PARTS = {"key_id": "AKIDBENCH", "secret": "sk-bench", "region": "us-east-1"}
SIZES = (1, 10, 100)
"""Times the text of bench.py's request."""
ROUNDS = 500


class Written:
    """A client that would write the request."""

    def open_now(self, request, _):
        """Nothing: it is ready."""
        assert request.payload


def channel(provider, **more):
    """A channel of a provider."""
    values = {
        "name": "c", "provider": PROVIDERS[provider], "base_url": "http://127.0.0.1:9100/v1",
        "credentials": (), "headers": {}, "limits": LIMITS,
    } | more  # fmt: skip
    return Channel(**values)


def cost(once):
    """Microseconds; the best of several, as other load only adds."""
    return f"{min(timeit.repeat(once, timer=time.process_time, number=ROUNDS, repeat=10)) / ROUNDS * 1e6:.1f}"


async def main():
    """Print a row for each size of a request."""
    composer, client = Composer(), Written()
    credentials = Credentials(client, SystemClock())
    key = channel("bedrock-openai", credentials=(Secret("sk-bench"),))
    signed = channel("bedrock-openai", parts={n: Secret(value) for n, value in PARTS.items()})
    print(f"{'bytes':>8}{'a key':>10}{'signed':>10}")
    for size in SIZES:
        asked = bench.body("chat", False, "bench-model")
        asked["messages"][-1]["content"] *= size
        body = json.dumps(asked).encode()

        def by_key(body=body):
            return composer.compose(key, 0, Operation.CHAT, "m", body).payload

        def by_signature(body=body):
            request = composer.compose(signed, 0, Operation.CHAT, "m", body)
            credentials.open_now(request, request.draft, None)

        print(f"{len(body):>8}{cost(by_key):>10}{cost(by_signature):>10}", flush=True)


asyncio.run(main())
