"""The gateway's own client for a thread: its proxies, its authorities, its limits."""

import asyncio
import threading
import time

import msgspec
import pytest
from tests.scripted_upstream import Close, Double, Send, Stall, sized
from tests.upstream.test_token_request import CHANNEL

from entra_double import CLIENT, COGNITIVE, SECRET, TENANT, EntraDouble
from trivium.providers.credential import Surroundings, TokenRequest
from trivium.providers.identities import azure
from trivium.upstream.thread_client import asking

DIRECT = msgspec.structs.replace(CHANNEL, proxy=None)


async def in_thread(call):
    """What a call in a thread returns or raises; the loop goes on meanwhile."""
    return await asyncio.wait_for(asyncio.to_thread(call), 10)


@pytest.mark.asyncio
async def test_a_thread_has_its_answer(client):
    """Status, headers in lower case, the whole body."""
    async with Double(
        [[Send(sized(b"no", status=b"403 Forbidden", headers=b"X-Why: a\r\n"))]]
    ) as service:
        ask = asking(client, DIRECT)
        asked = TokenRequest(url=f"http://127.0.0.1:{service.port}/t", body=b"a=b")
        reply = await in_thread(lambda: ask(asked, 5.0))
    assert (403, "a", b"no") == (reply.status, reply.headers["x-why"], reply.body)
    assert b"a=b" == service.requests[0].body


@pytest.mark.asyncio
@pytest.mark.parametrize("script", [[Close()], [Stall()]])
async def test_no_answer_is_an_os_error(client, script):
    """In words that name the host and no more."""
    async with Double([script]) as service:
        ask = asking(client, DIRECT)
        asked = TokenRequest(url=f"http://127.0.0.1:{service.port}/secret?key=x")
        began = time.monotonic()
        with pytest.raises(OSError, match="no answer") as caught:
            await in_thread(lambda: ask(asked, 0.3))
    assert time.monotonic() - began < 3
    assert "secret" not in str(caught.value)


@pytest.mark.asyncio
async def test_what_cannot_be_asked_is_an_os_error_too(client):
    """Libraries know what to do with these alone."""
    ask = asking(client, DIRECT)
    with pytest.raises(ConnectionError, match="no request can be made"):
        await in_thread(lambda: ask(TokenRequest(url="ftp://x/"), 1.0))


def test_a_loop_that_has_ended_keeps_nobody():
    """A thread that was left behind comes to its end."""
    holder = {}

    async def begin():
        holder["ask"] = asking(None, DIRECT)

    asyncio.run(begin())
    done = threading.Event()

    def call():
        try:
            holder["ask"](TokenRequest(url="http://127.0.0.1:9/"), 0.1)
        except ConnectionError:
            done.set()

    threading.Thread(target=call, daemon=True).start()
    assert done.wait(5)


@pytest.mark.asyncio
async def test_a_token_comes_by_the_channels_proxy(make_client, tmp_path):
    """The proxy is asked for a tunnel to the token service; the gateway's authorities are those
    that are trusted in it."""
    with EntraDouble(tmp_path) as cloud:
        client = make_client(ca_file=cloud.ca_file)
        host, port = "login.contoso.example", int(cloud.authority.rpartition(":")[2])
        seen = []

        async def tunnel(reader, writer):
            head = await reader.readuntil(b"\r\n\r\n")
            seen.append(head.split(b"\r\n")[0])
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")

            async def pump(source, sink):
                while data := await source.read(65_536):
                    sink.write(data)
                sink.close()

            await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

        proxy = await asyncio.start_server(tunnel, "127.0.0.1", 0)
        channel = msgspec.structs.replace(
            CHANNEL, proxy=f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        )
        around = Surroundings(
            base_url="https://x", proxy=channel.proxy, ca_file=cloud.ca_file, limit_s=5,
            ask=asking(client, channel), clock=time.time,
        )  # fmt: skip
        parts = {
            "tenant_id": TENANT, "client_id": CLIENT, "client_secret": SECRET,
            "authority": f"https://{host}:{port}",
        }  # fmt: skip
        found = await in_thread(lambda: azure.finder(COGNITIVE).find(parts, around))
        await client.close()
        proxy.close()
    assert found.parts["token"] in cloud.live
    assert {b"CONNECT %b:%d HTTP/1.1" % (host.encode(), port)} == set(seen)
