"""The gateway's own client, for code that runs in a thread and waits for its answers.

Libraries that find identities ask services for tokens. They do so here and not by a client of their
own: through the channel's proxy (SOCKS as well), with the authorities of ``upstream.ca_file``, by
the names that are resolved for all, within limits that hold.
"""

import asyncio
import concurrent.futures
from collections.abc import Callable
from typing import Final, TypeAlias

from trivium.faults import Fault
from trivium.providers.credential import HttpReply, TokenRequest
from trivium.routing.model import Channel
from trivium.upstream import buffered_call
from trivium.upstream.buffered_call import BufferedCall
from trivium.upstream.call import Client
from trivium.upstream.token_request import ANSWER_BYTES_MAX, request_of

Ask: TypeAlias = Callable[[TokenRequest, float], HttpReply]
"""As ``Surroundings`` has it."""
_GRACE_S: Final = 1.0
"""How much longer the thread waits than the loop does: whoever is first says why."""

_STOPS: Final = "no answer: the gateway stops"


def asking(client: Client, channel: Channel) -> Ask:
    """What a thread may call while this loop runs; ``channel`` has the proxy and the limits."""
    loop = asyncio.get_running_loop()

    def ask(asked: TokenRequest, limit_s: float) -> HttpReply:
        call = _answered(client, channel, asked, limit_s)
        try:
            coming = asyncio.run_coroutine_threadsafe(call, loop)
        except RuntimeError:  # it is closed
            call.close()
            raise ConnectionError(_STOPS) from None
        try:
            return coming.result(limit_s + _GRACE_S)
        except concurrent.futures.CancelledError:
            raise ConnectionError(_STOPS) from None
        except TimeoutError:  # also of a loop that has stopped
            coming.cancel()
            raise TimeoutError(f"no answer within {limit_s:g} s") from None

    return ask


async def _answered(
    client: Client, channel: Channel, asked: TokenRequest, limit_s: float
) -> HttpReply:
    """The answer. Raises ``OSError``."""
    taker = BufferedCall(asyncio.get_running_loop().create_future(), ANSWER_BYTES_MAX)
    try:
        request = request_of(asked, channel, limit_s)
        async with asyncio.timeout(limit_s):
            await buffered_call.run(client, request, taker)
    except ValueError as error:
        raise ConnectionError(f"no request can be made: {error}") from None
    except Fault as fault:
        # the words are about "the upstream": here it is a token service
        text = fault.message.replace("The upstream", "it").rstrip(".")
        raise ConnectionError(f"no answer from {request.origin.host}: {text}") from None
    headers = {n.decode("latin-1").lower(): v.decode("latin-1") for n, v in taker.headers}
    return HttpReply(status=taker.status, headers=headers, body=b"".join(taker.parts))
