"""Questions in one write, answers in order, and an end that everybody hears of."""

import asyncio
import contextlib

import pytest

from trivium.secret import Secret
from trivium.shared.connection import Address, Down, ValkeyConnection, parse


class Server:
    """Answers what it is told to; remembers what each read brought."""

    def __init__(self):
        self.reads = []
        self.writer = None

    async def serve(self, reader, writer):
        self.writer = writer
        while data := await reader.read(65536):
            self.reads.append(data)
        writer.close()


@pytest.fixture
def ends():
    return []


@contextlib.asynccontextmanager
async def connected(server, ends):
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    _, connection = await asyncio.get_running_loop().create_connection(
        lambda: ValkeyConnection(lambda _, why: ends.append(why)), "127.0.0.1", port
    )
    try:
        yield connection
    finally:
        connection.end("enough")
        listening.close()
        await asyncio.sleep(0.01)
        if server.writer is not None:
            server.writer.close()
        await asyncio.sleep(0.01)


async def until(holds):
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.002)
    raise AssertionError("it never came")


@pytest.mark.asyncio
async def test_one_turn_is_one_write_and_answers_come_in_order(ends):
    """What nobody waits for has an answer too, and it is no other question's."""
    server = Server()
    async with connected(server, ends) as connection:
        first = connection.ask("GET", "a")
        connection.send("SET", "b", 1)
        last = connection.ask("GET", b"c")
        await until(lambda: server.reads)
        gets = [b"*2\r\n$3\r\nGET\r\n$1\r\n%b\r\n" % key for key in (b"a", b"c")]
        told = b"*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$1\r\n1\r\n"
        assert [gets[0] + told + gets[1]] == server.reads
        server.writer.write(b"$5\r\nfi")
        await asyncio.sleep(0.01)
        server.writer.write(b"rst\r\n+OK\r\n:7\r\n")
        assert (b"first", 7) == (await first, await last)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"-OOM no memory\r\n", "the server refuses: OOM no memory"),
        (b"HTTP/1.1 400 Bad Request\r\n", "no server of this kind"),
        (b"", "the connection was closed"),
    ],
)
@pytest.mark.asyncio
async def test_whatever_goes_wrong_is_told_to_all_who_wait(ends, answer, why):
    """Nobody is left waiting, the end is told once, and later questions fail at once."""
    server = Server()
    async with connected(server, ends) as connection:
        waiting = [connection.ask("GET", "a"), connection.ask("GET", "b")]
        await until(lambda: server.reads)
        server.writer.write(answer)
        if not answer:
            server.writer.close()
        for future in [*waiting, connection.ask("GET", "c")]:
            with pytest.raises(Down):
                await future
        assert 1 == len(ends)
        assert why in ends[0]
        connection.send("SET", "d", 1)


@pytest.mark.asyncio
async def test_an_answer_nobody_waits_for_may_still_be_the_end(ends):
    """An error to a command sent without waiting ends the connection: it may not be alone."""
    server = Server()
    async with connected(server, ends) as connection:
        connection.send("SET", "a", 1)
        await until(lambda: server.reads)
        server.writer.write(b"-READONLY a replica\r\n")
        await until(lambda: ends)
        assert ["the server refuses: READONLY a replica"] == ends


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://127.0.0.1", Address(host="127.0.0.1")),
        ("valkey://cache.example:6380/2", Address(host="cache.example", port=6380, database=2)),
        ("rediss://cache.example/", Address(host="cache.example", tls=True)),
        ("valkeys://[::1]:1/0", Address(host="::1", port=1, tls=True)),
        (
            "redis://ada:p%40ss@cache.example",
            Address(host="cache.example", user="ada", password=Secret("p@ss")),
        ),
        ("redis://:p@cache.example", Address(host="cache.example", password=Secret("p"))),
    ],
)
def test_an_address_is_read(url, address):
    """Either name of the protocol; a password may hold any character, percent-encoded."""
    assert address == parse(url)


def test_a_password_is_not_shown():
    """Addresses end up in messages."""
    assert "hush" not in repr(parse("redis://:hush@cache.example"))


def test_a_database_is_a_number():
    """Names of databases exist elsewhere."""
    with pytest.raises(ValueError, match="main"):
        parse("redis://cache.example/main")
