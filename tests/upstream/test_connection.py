"""When a connection goes back to the pool and when it is given up, by a transport that only notes."""

import math

import pytest

from trivium.upstream.connection import UpstreamConnection


class Transport:
    """Remembers what it was told."""

    def __init__(self):
        self.told = []

    def __getattr__(self, name):
        return lambda *arguments: self.told.append((name, *arguments))


class Keeper:
    """Remembers who came."""

    def __init__(self):
        self.told = []

    def __getattr__(self, name):
        return lambda what: self.told.append((name, what))


class Carried:
    """An exchange that remembers."""

    def __init__(self, due=None):
        self.told = []
        self._due = due

    def overdue(self, now):
        return self._due

    def __getattr__(self, name):
        return lambda *arguments: self.told.append((name, *arguments))


@pytest.fixture
def keeper():
    """Whoever counts connections."""
    return Keeper()


@pytest.fixture
def connection(keeper):
    """A connection that is there, resting nowhere yet."""
    made = UpstreamConnection(keeper, lambda: 100.0, 20.0)
    made.connection_made(Transport())
    keeper.told.clear()
    return made


def finish(connection, reusable=True, keepalive_s=None):
    """Carry one exchange to its end at second 100."""
    connection.begin(Carried(), b"request", 500.0)
    connection.exchange = None
    connection.finish(reusable, keepalive_s, 100.0)


def test_a_request_is_one_write(connection):
    """Head and body together."""
    connection.begin(Carried(), b"request", 500.0)
    assert [("write", b"request")] == connection._transport.told
    assert 500.0 == connection.due


@pytest.mark.parametrize(
    ("said", "due"), [(None, 120.0), (60, 120.0), (5, 104.0), (1, 100.0), (0, 99.0)]
)
def test_a_good_end_returns_it_for_its_time(connection, keeper, said, due):
    """Ours or, a second early, the vendor's, whichever is shorter."""
    finish(connection, keepalive_s=said)
    assert [("release", connection)] == keeper.told
    assert due == connection.due
    assert connection.served


def test_a_short_keepalive_is_remembered(connection):
    """Vendors do not repeat it in every answer."""
    finish(connection, keepalive_s=5)
    finish(connection)
    assert 104.0 == connection.due


@pytest.mark.parametrize("why", ["not reusable", "still writing", "ended"])
def test_a_doubtful_end_gives_it_up(connection, keeper, why):
    """Whatever the doubt."""
    if why == "still writing":
        connection.pause_writing()
    connection.begin(Carried(), b"request", 500.0)
    if why == "ended":
        connection.eof_received()
    connection.exchange = None
    connection.finish(why != "not reusable", None, 100.0)
    assert [("discard", connection)] == keeper.told


def test_a_large_request_that_has_left_is_told(connection, keeper):
    """And does not stand in the way of reuse."""
    connection.pause_writing()
    carried = Carried()
    connection.begin(carried, b"request", 500.0)
    connection.resume_writing()
    assert [("written", 100.0)] == carried.told
    connection.exchange = None
    connection.finish(True, None, 100.0)
    assert [("release", connection)] == keeper.told


@pytest.mark.parametrize("what", ["data", "end"])
def test_what_nobody_asked_for_ends_it(connection, keeper, what):
    """Resting, it gives its place back; on its way to somebody, it is found dead by them."""
    arrive = connection.eof_received if what == "end" else lambda: connection.data_received(b"x")
    arrive()
    assert (("abort",), False, []) == (
        connection._transport.told[-1],
        connection.alive,
        keeper.told,
    )


@pytest.mark.parametrize("what", ["data", "end", "loss"])
def test_a_resting_connection_gives_its_place_back_once(connection, keeper, what):
    """However its end is noticed."""

    def discard(which):
        keeper.told.append(("discard", which))
        which.idle = False
        which.close()

    keeper.discard = discard
    connection.idle = True
    if what == "data":
        connection.data_received(b"x")
        connection.data_received(b"y")
    elif what == "end":
        connection.eof_received()
    connection.connection_lost(None)
    assert [("discard", connection), ("gone", connection)] == keeper.told


def test_the_ticker_looks_when_it_is_due(connection, keeper):
    """A running exchange says when next; a resting connection has expired."""
    connection.begin(Carried(due=700.0), b"request", 500.0)
    connection.tick(500.0)
    assert 700.0 == connection.due
    connection.exchange = None
    connection.idle = True
    connection.tick(700.0)
    assert [("discard", connection)] == keeper.told


def test_a_closed_connection_is_left_alone(connection):
    """Neither read nor looked at."""
    connection.close()
    connection.pause()
    connection.resume()
    assert [("abort",)] == connection._transport.told
    assert math.inf == connection.due
