"""Reads the list of models of a channel's vendor, page by page, within bounds.

The vendor is as little trusted here as anywhere: bytes, pages, models and seconds are bounded, and
whatever is wrong becomes a text in what is returned. It says nothing of the channel's health.
"""

import asyncio
from typing import Final

from trivium.clock import Clock
from trivium.faults import Fault
from trivium.ledger.suggestions.vendor import VendorList, VendorOffer, offers
from trivium.providers.address import listing
from trivium.providers.base import VendorRefusal
from trivium.routing.model import Channel
from trivium.upstream.blanking import blanked
from trivium.upstream.buffered_call import BufferedCall, run
from trivium.upstream.call import Client
from trivium.upstream.request_writer import Composer
from trivium.wire.model_lists import VendorPage, read_page

BYTES_MAX: Final = 8_388_608
"""Of one page. A list of 400 models with all that is said of each takes one."""
PAGES_MAX: Final = 20
MODELS_MAX: Final = 20_000
"""Models of one list."""
LIMIT_S: Final = 60.0
"""For all pages of one list."""
_STEP_BYTES: Final = 65_536
"""A page that is larger is read in a thread."""


async def vendor_list(
    client: Client,
    composer: Composer,
    clock: Clock,
    channel: Channel,
    wanted: frozenset[str] | None,
    limit_s: float = LIMIT_S,
) -> VendorList:
    """What the channel's vendor lists of the wanted models, by its own names; ``None``: of all.
    Raises nothing but what cancels it: ``why`` says what went wrong, without the channel's keys.
    """
    at = int(clock.now())
    path = channel.probe.path or listing(channel.provider, channel.base_url)
    if path is None:
        return VendorList(at=at, is_whole=False, why="its provider has no list of models")
    found: dict[str, VendorOffer] = {}
    listed = unread = pages = 0
    more: str | None = ""
    try:
        async with asyncio.timeout(limit_s):
            while more is not None and pages < PAGES_MAX and listed < MODELS_MAX:
                asked = f"{path}{'&' if '?' in path else '?'}{more}" if more else path
                body = await _fetched(client, composer, channel, asked)
                page, some = await _read(channel.provider.name, body, wanted)
                found = some | found
                listed, unread, pages = (
                    listed + len(page.entries), unread + page.unread, pages + 1
                )  # fmt: skip
                more = page.more
    except TimeoutError:
        why = f"its list was not whole after {limit_s:.0f} seconds"
    except Fault as fault:
        why = blanked(channel, fault.message)
    except ValueError as error:  # ``ModelListError``, or what cannot be asked
        why = str(error)
    else:
        why = ""
    return VendorList(
        at=at,
        models=found,
        listed=listed,
        unread=unread,
        is_whole=not why and more is None,
        why=why,
    )


async def _fetched(client: Client, composer: Composer, channel: Channel, path: str) -> bytes:
    """The body of a page. Raises ``Fault``."""
    outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    sink = BufferedCall(outcome, BYTES_MAX)
    await run(client, composer.glance(channel, 0, path), sink)
    body = b"".join(sink.parts)
    if not 200 <= sink.status < 300:
        headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in sink.headers}
        raise channel.provider.failure(
            VendorRefusal(status=sink.status, headers=headers, body=body[:65_536])
        )
    return body


async def _read(
    provider: str, body: bytes, wanted: frozenset[str] | None
) -> tuple[VendorPage, dict[str, VendorOffer]]:
    def done() -> tuple[VendorPage, dict[str, VendorOffer]]:
        page = read_page(body)
        return page, offers(provider, page.entries, wanted)

    return await asyncio.to_thread(done) if len(body) > _STEP_BYTES else done()
