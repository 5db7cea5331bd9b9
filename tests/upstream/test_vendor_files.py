"""A vendor's file elsewhere is fetched without anything of ours."""

import asyncio
import ipaddress

import pytest

from scripted_upstream import Double, Send
from trivium.faults import Fault, Kind
from trivium.routing.model import TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.upstream import vendor_files
from trivium.upstream.buffered_call import BufferedCall, run
from trivium.upstream.public_addresses import place

LIMITS = TimeLimits(connect=1, first_byte=1, idle=1, total=1)
POOL = UpstreamSettings(keepalive_s=1, connections_max=5, wait_s=1, header_bytes_max=65_536)
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


async def fetched(vendor, *networks):
    loop = asyncio.get_running_loop()
    client = vendor_files.client(
        POOL, tls=lambda: None, now=loop.time, networks=[ipaddress.ip_network(n) for n in networks]
    )
    buffered_call = BufferedCall(loop.create_future())
    at = place(f"http://127.0.0.1:{vendor.port}/f?sig=1")
    try:
        await run(
            client, vendor_files.request(at, LIMITS, [(b"range", b"bytes=0-1")]), buffered_call
        )
    finally:
        await client.close()
    return b"".join(buffered_call.parts)


@pytest.mark.asyncio
async def test_only_the_range_travels():
    """No key, no cookie, no caller's header."""
    async with Double([[Send(ANSWER)]]) as vendor:
        assert b"ok" == await fetched(vendor, "127.0.0.0/8")
        (seen,) = vendor.requests
        assert b"GET /f?sig=1 HTTP/1.1" == seen.line
        names = {name for name, _ in seen.headers}
        assert {b"host", b"user-agent", b"accept", b"accept-encoding", b"range"} == names


@pytest.mark.asyncio
async def test_a_private_address_is_not_connected_to():
    """Unless the operator's own range has it."""
    async with Double([[Send(ANSWER)]]) as vendor:
        with pytest.raises(Fault) as caught:
            await fetched(vendor)
        assert (Kind.UPSTREAM_UNREACHABLE, 0) == (caught.value.kind, vendor.connections)
