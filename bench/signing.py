"""Cost of a request's credential, in microseconds: a key that is the same in all, a token with a
life, and a signature.

usage: signing.py    (from a checkout with the development environment)

A chat request of bench.py is composed for a channel of Bedrock's, up to what is written to the
socket: with a key, with a token that was found (as those of Google and Entra), signed by an access
key, and signed by an instance's role, which has a token of 900 bytes; and the same with a header of
the caller's. What a whole request costs is the case ``chat:json:signed`` of run.sh beside
``chat:json:keyed``.
"""

import asyncio
import contextlib
import json
import time
import timeit

import bench
import msgspec

from trivium.faults import Fault
from trivium.providers.credential import Finder, FoundSecret, Renewed
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import Channel, TimeLimits
from trivium.secret import Secret
from trivium.settings.model import UpstreamSettings
from trivium.upstream.pool import PooledClient
from trivium.upstream.request_writer import Composer
from trivium.upstream.resolve import Resolver
from trivium.wire.operation import Operation

LIMITS = TimeLimits(connect=5, first_byte=5, idle=5, total=30)
PARTS = {"key_id": "AKIDBENCH", "secret": "sk-bench", "region": "us-east-1"}
FOUND = {"key_id": "ASIABENCH", "secret": "sk-bench", "session_token": "x" * 900}
BETA = ((b"anthropic-beta", b"context-1m-2025-08-07"),)
SIZES = (1, 10, 100)
"""Times the text of bench.py's request."""
ROUNDS = 500


def finder(**parts):
    """Finds these."""
    return Finder(find=lambda *_: FoundSecret(parts=parts, life_s=3600.0, source="here"))


def channel(credential=None, **more):
    """A channel of Bedrock's, or with another credential."""
    bedrock = PROVIDERS["bedrock-openai"]
    provider = msgspec.structs.replace(
        bedrock,
        credential=credential or bedrock.credential,
        forwards=frozenset({"anthropic-beta"}),
    )
    values = {
        "name": "c", "provider": provider, "base_url": "http://127.0.0.1:9/v1",
        "credentials": (), "headers": {}, "limits": LIMITS,
    } | more  # fmt: skip
    return Channel(**values)


def secrets(**parts):
    """Parts of a channel's secret."""
    return {name: Secret(value) for name, value in parts.items()}


def cost(once):
    """Microseconds; the best of several, as other load only adds."""
    return f"{min(timeit.repeat(once, timer=time.process_time, number=ROUNDS, repeat=20)) / ROUNDS * 1e6:.1f}"


def no_tls():
    """No vendor is called."""
    raise AssertionError


async def main():
    """Print a row for each size of a request."""
    composer, now = Composer(), asyncio.get_running_loop().time
    limits = UpstreamSettings()
    client = PooledClient(limits, resolver=Resolver(5.0, now), tls=no_tls, now=now)
    signing = PROVIDERS["bedrock-openai"].credential.otherwise
    channels = {
        "a key": channel(credentials=(Secret("sk-bench"),)),
        "a token": channel(
            Renewed(finder=finder(token="ya29." + "x" * 200), parts=(), optional=("place",)),
            parts=secrets(place="here"),
        ),
        "signed": channel(parts=secrets(**PARTS)),
        "a role": channel(
            msgspec.structs.replace(signing, finder=finder(**FOUND)),
            parts=secrets(region="us-east-1"),
        ),
    }
    for name in ("a token", "a role"):
        drafted = composer.compose(channels[name], 0, Operation.CHAT, "m", b"{}")
        with contextlib.suppress(Fault):  # nobody listens there, but its secret is found
            await client.open(drafted, None)
    print(f"{'bytes':>8}" + "".join(f"{name:>10}" for name in channels))
    for size in SIZES:
        asked = bench.body("chat", False, "bench-model")
        asked["messages"][-1]["content"] *= size
        body = json.dumps(asked).encode()
        for mark, forwarded in (("", ()), ("*", BETA)):
            row = f"{len(body):>7}{mark:1}"
            for to in channels.values():

                def once(to=to, body=body, forwarded=forwarded):
                    made = composer.compose(to, 0, Operation.CHAT, "m", body, forwarded=forwarded)
                    assert client.written(made).payload

                row += f"{cost(once):>10}"
            print(row, flush=True)
    print("* with a header of the caller's")


asyncio.run(main())
