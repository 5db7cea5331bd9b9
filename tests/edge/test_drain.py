"""A listening socket that lets nobody in any more, and loses nobody who is in."""

import asyncio
import contextlib
import socket
import sys
import threading
import time

import pytest

from edge.wires import asked
from trivium.edge import drain
from trivium.edge.drain import declined
from trivium.faults import Fault, Kind

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can")


def listening():
    sock = socket.create_server(("127.0.0.1", 0), backlog=64)
    sock.settimeout(20)
    return sock


def calling(sock):
    return socket.create_connection(sock.getsockname(), timeout=20)


@linux
def test_who_was_in_before_is_served_and_who_comes_after_is_refused_when_it_closes():
    """Not let in and then reset: a caller whose connection was made has sent its request."""
    with listening() as sock, calling(sock) as early:
        early.sendall(b"request")
        assert drain.let_nobody_in(sock)
        late = socket.socket()
        with contextlib.closing(late):
            late.settimeout(0.3)
            with pytest.raises(TimeoutError):
                late.connect(sock.getsockname())
        accepted, _ = sock.accept()
        with contextlib.closing(accepted):
            assert b"request" == accepted.recv(100)
            accepted.sendall(b"answer")
        assert b"answer" == early.recv(100)
        threading.Timer(0.3, sock.close).start()
        with pytest.raises(ConnectionRefusedError):
            calling(sock)


@linux
def test_it_holds_for_every_descriptor_of_the_socket():
    """A supervisor speaks for its workers."""
    with listening() as sock, sock.dup() as another:
        assert drain.let_nobody_in(another)
        with socket.socket() as late:
            late.settimeout(0.3)
            with pytest.raises(TimeoutError):
                late.connect(sock.getsockname())


def test_where_it_cannot_be_it_says_so(monkeypatch):
    """A sandbox, or another system: the socket is closed all the same."""
    closed = socket.socket()
    closed.close()
    assert not drain.let_nobody_in(closed)
    monkeypatch.setattr(sys, "platform", "darwin")
    with listening() as sock:
        assert not drain.let_nobody_in(sock)
        calling(sock).close()


@pytest.mark.asyncio
async def test_it_waits_until_the_last_in_the_queue_is_accepted():
    """And no longer; the time for handshakes is waited for in any case."""
    with listening() as sock:
        lines = [calling(sock) for _ in range(3)]
        waiting = asyncio.ensure_future(drain.emptied([sock.fileno()]))
        await asyncio.sleep(2 * drain.HANDSHAKE_TURNS * drain.TURN_S)
        assert not waiting.done()
        for line in lines:
            sock.accept()[0].close()
            line.close()
        await asyncio.wait_for(waiting, 20)


@pytest.mark.asyncio
async def test_a_queue_that_nobody_empties_holds_nothing_up(monkeypatch):
    """A loop that does not accept any more."""
    monkeypatch.setattr(drain, "EMPTY_TURNS", 10)
    with listening() as sock, calling(sock):
        await asyncio.wait_for(drain.emptied([sock.fileno()]), 20)


@pytest.mark.asyncio
async def test_what_passes_while_the_process_is_held_up_is_not_counted(monkeypatch):
    """Whoever waited meanwhile is let in, and not reset."""
    monkeypatch.setattr(drain, "EMPTY_TURNS", 20)
    with listening() as sock, calling(sock) as line:
        waiting = asyncio.ensure_future(drain.emptied([sock.fileno()]))
        await asyncio.sleep(0)
        time.sleep(30 * drain.TURN_S)  # noqa: ASYNC251 - held up, as by a busy machine
        await asyncio.sleep(drain.TURN_S)
        assert not waiting.done()
        sock.accept()[0].close()
        line.close()
        await asyncio.wait_for(waiting, 20)


OFFER = {b"upgrade": b"WebSocket", b"connection": b"Upgrade"}


@pytest.mark.parametrize("target", [b"/v1/responses", b"/v1/realtime?model=m"])
@pytest.mark.parametrize("kind", [Kind.PATH_UNKNOWN, Kind.METHOD_NOT_ALLOWED])
def test_a_websocket_is_declined_with_what_is_spoken(target, kind):
    """RFC 9110 asks for both headers."""
    exchange = asked(target=target, method="GET", headers=OFFER)
    assert Kind.UPGRADE_REQUIRED is declined(exchange, Fault(kind, "no")).kind
    assert [(b"upgrade", b"HTTP/1.1"), (b"connection", b"upgrade")] == exchange.extra


@pytest.mark.parametrize(
    ("target", "headers", "kind"),
    [
        (b"/v1/responses", {}, Kind.METHOD_NOT_ALLOWED),
        (b"/v1/responses", {b"upgrade": b"h2c"}, Kind.METHOD_NOT_ALLOWED),
        (b"/v1/models", OFFER, Kind.METHOD_NOT_ALLOWED),
        (b"/v1/responses", OFFER, Kind.KEY_UNKNOWN),
    ],
)
def test_any_other_refusal_stays(target, headers, kind):
    """A key that is missing, a path without sockets, an ordinary GET."""
    exchange, fault = asked(target=target, headers=headers), Fault(kind, "no")
    assert fault is declined(exchange, fault)
    assert [] == exchange.extra
