"""A trial says what came, whatever came."""

import asyncio

import pytest

from scripted_upstream import Close, Double, Send, Stall, sized
from trivium.faults import Kind
from trivium.providers.registry import PROVIDERS
from trivium.routing.model import TimeLimits
from trivium.settings.model import UpstreamSettings
from trivium.upstream.channel_test import check_channel
from trivium.upstream.pool import PooledClient
from trivium.upstream.request import Origin, Request
from trivium.upstream.resolve import Resolver

OPENAI = PROVIDERS["openai"]
LIMITS = TimeLimits(connect=1, first_byte=0.5, idle=1, total=5)


async def tried(port):
    loop = asyncio.get_running_loop()
    client = PooledClient(
        UpstreamSettings(keepalive_s=1, connections_max=9, wait_s=1, header_bytes_max=9999),
        resolver=Resolver(1, loop.time), tls=lambda: None, now=loop.time,
    )  # fmt: skip
    payload = b"POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"
    request = Request(
        origin=Origin(scheme="http", host="127.0.0.1", port=port), payload=payload, limits=LIMITS
    )
    try:
        return await check_channel(client, request, OPENAI)
    finally:
        await client.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "status", "fault"),
    [
        ([Send(sized(b"{}"))], 200, None),
        ([Send(sized(b"{}", status=b"401 No"))], 401, Kind.UPSTREAM_CREDENTIAL),
        ([Send(sized(b"{}", status=b"503 No"))], 503, Kind.UPSTREAM_OVERLOADED),
        ([Close()], 0, Kind.UPSTREAM_BROKE),
        ([Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), Close()], 200,
         Kind.UPSTREAM_BROKE),
        ([Stall()], 0, Kind.UPSTREAM_TIMEOUT),
    ],
)  # fmt: skip
async def test_what_came_is_told(script, status, fault):
    """As the relay would judge it."""
    async with Double([script]) as vendor:
        found = await tried(vendor.port)
    assert (found.status, found.fault and found.fault.kind) == (status, fault)
    assert (found.first_byte_s is None) == (status == 0)
    assert found.total_s >= (found.first_byte_s or 0)


@pytest.mark.asyncio
async def test_nobody_there_is_told_too():
    """No exception: the caller has others to try."""
    async with Double([[]]) as vendor:
        pass
    assert (await tried(vendor.port)).fault.kind is Kind.UPSTREAM_UNREACHABLE
