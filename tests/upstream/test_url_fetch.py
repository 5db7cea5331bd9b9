"""The one door for files at strangers' addresses."""

import asyncio

import pytest

from scripted_upstream import Close, Double, Send, Stall, sized
from trivium.faults import Fault, Kind
from trivium.settings.section import FetchSettings
from trivium.upstream.url_fetch import UrlFetcher

LOOPBACK = ("127.0.0.0/8",)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def typed(body, kind=b"image/png", status=b"200 OK", more=b""):
    return [Send(sized(body, status=status, headers=b"Content-Type: " + kind + b"\r\n" + more))]


class Door:
    """The door, closed at the end."""

    def __init__(self, **changes):
        given = {
            "bytes_max": 1000, "timeout_s": 2.0, "redirects_max": 2, "kept_bytes_max": 4000,
            "kept_s": 60.0, "files_max": 4, "networks": LOOPBACK,
        }  # fmt: skip
        self.reach = FetchSettings(**{**given, **changes})

    async def __aenter__(self):
        self.foreign = UrlFetcher(self.reach, tls=lambda: None)
        return self.foreign

    async def __aexit__(self, *exc):
        await self.foreign.close()


def at(double, path="/a.png"):
    return f"http://127.0.0.1:{double.port}{path}"


@pytest.mark.asyncio
async def test_a_file_comes_with_its_type():
    """Nothing of the caller or the operator goes with the request."""
    async with Double([typed(PNG, b"Image/PNG; q=1")]) as server, Door() as door:
        found = await door.fetch(1, at(server, "/a.png?b=c"))
        assert ("image/png", PNG) == (found.mime, found.body)
        request = server.requests[0]
        assert b"GET /a.png?b=c HTTP/1.1" == request.line
        names = {name for name, _ in request.headers}
        assert {b"host", b"user-agent", b"accept", b"accept-encoding", b"connection"} == names


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/x", "http://localhost:{port}/x", "http://2130706433:{port}/x",
        "http://0x7f000001:{port}/x", "http://0177.0.0.1:{port}/x", "http://127.1:{port}/x",
        "http://[::1]:{port}/x", "http://[::ffff:127.0.0.1]:{port}/x",
    ],
)  # fmt: skip
async def test_neighbours_are_not_reached_in_whatever_spelling(url):
    """And the text is the one for a server that is down, so that nobody maps the network."""
    async with Double([typed(PNG)]) as server, Door(networks=()) as door:
        with pytest.raises(Fault) as refused:
            await door.fetch(1, url.format(port=server.port))
        assert Kind.INVALID_VALUE is refused.value.kind
        assert refused.value.message.endswith("its server cannot be reached from here.")
        assert 0 == server.connections


@pytest.mark.asyncio
async def test_a_redirect_to_a_neighbour_is_not_followed():
    """The second address is looked at like the first."""
    more = b"Location: http://127.0.0.2:{port}/x\r\n"
    async with Double() as server, Door(networks=("127.0.0.1/32",)) as door:
        there = more.replace(b"{port}", str(server.port).encode())
        server.script = [typed(b"", status=b"302 FoundSecret", more=there), typed(PNG)]
        with pytest.raises(Fault, match="cannot be reached"):
            await door.fetch(1, at(server))
        assert 1 == len(server.requests)


@pytest.mark.asyncio
async def test_a_redirect_on_the_host_is_followed_so_many_times():
    """Two here, and no third."""
    again = typed(b"", status=b"301 Moved", more=b"Location: /next\r\n")
    async with Double([again, again, typed(PNG)]) as server, Door() as door:
        assert PNG == (await door.fetch(1, at(server))).body
    async with Double([again]) as server, Door() as door:
        with pytest.raises(Fault, match="redirects more than 2 times"):
            await door.fetch(1, at(server))
        assert 3 == len(server.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "why"),
    [
        (typed(b"x" * 2000), "larger than 1000 bytes"),
        ([Send(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000), Close()], "larger than 1000 bytes"),
        (typed(b"no", status=b"404 Not FoundSecret"), "answered 404"),
        (typed(b"no", status=b"302 FoundSecret"), "answered 302"),
        ([Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), Close()], "broke off"),
        ([Close()], "broke off"),
        ([Stall()], "too slow|within"),
    ],
)
async def test_a_file_that_cannot_be_had_is_told_with_its_reason(script, why):
    """In words for the caller, who chose the address."""
    async with Double([script]) as server, Door(timeout_s=0.3) as door:
        with pytest.raises(Fault, match=why) as refused:
            await door.fetch(1, at(server))
        assert Kind.INVALID_VALUE is refused.value.kind


@pytest.mark.asyncio
async def test_a_file_is_kept_for_its_user_within_the_room_there_is():
    """The same bytes with every turn, never another user's, and the oldest go first."""
    files = [typed(bytes([n]) * 500) for n in range(9)]
    async with Double(files) as server, Door() as door:
        first = await door.fetch(1, at(server, "/1"))
        assert first is await door.fetch(1, at(server, "/1"))
        assert first.body != (await door.fetch(2, at(server, "/1"))).body
        await door.fetch(1, at(server, "/2"))  # no room for three: /1 of the first user has to go
        assert 3 == len(server.requests)
        await door.fetch(1, at(server, "/1"))
        assert 4 == len(server.requests)


@pytest.mark.asyncio
async def test_empty_files_take_room_as_well():
    """Their addresses are memory, and whoever asks can make up any number of them."""
    async with Double([typed(b"")]) as server, Door() as door:
        for number in range(9):
            await door.fetch(1, at(server, f"/{number}"))
        await door.fetch(1, at(server, "/8"))
        assert 9 == len(server.requests)
        await door.fetch(1, at(server, "/0"))
        assert 10 == len(server.requests)


@pytest.mark.asyncio
async def test_a_file_grows_old():
    """After its time it is fetched again."""
    async with Double([typed(PNG)]) as server, Door(kept_s=0.0) as door:
        await door.fetch(1, at(server))
        await door.fetch(1, at(server))
        assert 2 == len(server.requests)


@pytest.mark.asyncio
async def test_those_who_want_the_same_file_share_one_request():
    """And whoever leaves does not take it from the others."""
    async with Double([typed(PNG)]) as server, Door() as door:
        tasks = [asyncio.ensure_future(door.fetch(1, at(server))) for _ in range(5)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [PNG] * 4 == [one.body for one in found[1:]]
        assert 1 == len(server.requests)
