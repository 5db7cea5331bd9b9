"""Letters are taken at once and sent beside the requests, however slow the server is."""

import asyncio

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from trivium.mail.outbox import CARRIERS, CLOSE_S, MailError, MailMessage, Outbox

LETTER = MailMessage(to="ada@example.com", subject="Hello", text="Hello.")


class Server:
    """Takes letters; fails first as often as told."""

    def __init__(self):
        self.taken = []
        self.failures = []
        self.open = asyncio.Event()
        self.open.set()
        self.running = self.most = 0

    async def send(self, letter):
        self.running += 1
        self.most = max(self.most, self.running)
        await self.open.wait()
        self.running -= 1
        if self.failures:
            raise self.failures.pop(0)
        self.taken.append(letter)


async def write():
    """Writes the letter."""
    return LETTER


@pytest.fixture
def server():
    return Server()


@pytest_asyncio.fixture
async def outbox(server):
    """One that repeats at once."""
    made = Outbox(server.send, queue_max=10, pauses_s=(0.0, 0.0))
    made.start()
    yield made
    server.open.set()
    await made.close()


@pytest.mark.asyncio
async def test_putting_waits_for_nothing(outbox, server):
    """Neither the look-ups that a letter needs nor the server."""
    server.open.clear()
    assert outbox.put(write)
    assert [] == server.taken
    server.open.set()
    await outbox.empty()
    assert [LETTER] == server.taken


@pytest.mark.asyncio
async def test_nobody_to_write_to_is_no_letter(outbox, server):
    """The way of an unknown address."""

    async def nobody():
        return None

    assert outbox.put(nobody)
    await outbox.empty()
    assert [] == server.taken


@pytest.mark.asyncio
async def test_what_fails_for_now_is_repeated(outbox, server):
    """Without being written anew: its link is the one that was issued."""
    written = []

    async def once():
        written.append(1)
        return LETTER

    server.failures = [MailError("away"), MailError("busy")]
    outbox.put(once)
    await outbox.empty()
    assert ([LETTER], [1]) == (server.taken, written)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "failures", [[MailError("no such mailbox", is_final=True)], [MailError("away")] * 3]
)
async def test_what_fails_for_good_is_dropped_and_logged(outbox, server, failures):
    """Once, and without whom it was for."""
    server.failures = list(failures)
    with capture_logs() as logs:
        outbox.put(write)
        await outbox.empty()
    assert [] == server.taken
    assert [] == server.failures
    assert {"event": "letter_not_sent", "again": False}.items() <= logs[-1].items()
    assert "ada" not in str(logs)
    outbox.put(write)
    await outbox.empty()
    assert [LETTER] == server.taken


@pytest.mark.asyncio
async def test_a_letter_that_cannot_be_written_stops_no_other(outbox, server):
    """A database that is away, or a bug; what is logged names the kind and not the text."""

    async def broken():
        raise RuntimeError("of ada@example.com")

    with capture_logs() as logs:
        outbox.put(broken)
        outbox.put(write)
        await outbox.empty()
    assert [LETTER] == server.taken
    assert "RuntimeError" == logs[0]["error"]


@pytest.mark.asyncio
async def test_a_few_at_once(outbox, server):
    """A slow server is not stormed, and one slow letter does not stop the rest."""
    server.open.clear()
    for _ in range(9):
        outbox.put(write)
    await asyncio.sleep(0.01)
    server.open.set()
    await outbox.empty()
    assert (CARRIERS, 9) == (server.most, len(server.taken))


@pytest.mark.asyncio
async def test_the_queue_ends_somewhere(outbox, server):
    """Beyond it letters are refused, and there is room again later."""
    server.open.clear()
    assert [True] * 10 + [False] == [outbox.put(write) for _ in range(11)]
    server.open.set()
    await outbox.empty()
    assert outbox.put(write)


@pytest.mark.asyncio
async def test_closing_sends_what_waits(server):
    """If that is quick."""
    outbox = Outbox(server.send, queue_max=10)
    outbox.start()
    outbox.put(write)
    await outbox.close()
    assert [LETTER] == server.taken


@pytest.mark.asyncio
async def test_closing_does_not_wait_for_ever(server, monkeypatch):
    """What is lost is counted in the log."""
    monkeypatch.setattr("trivium.mail.outbox.CLOSE_S", 0.05)
    outbox = Outbox(server.send, queue_max=10)
    outbox.start()
    server.open.clear()
    outbox.put(write)
    await asyncio.sleep(0)
    with capture_logs() as logs:
        await outbox.close()
    assert {"event": "letters_lost", "waiting": 1}.items() <= logs[-1].items()


@pytest.mark.asyncio
async def test_one_that_was_never_started_closes_at_once(server):
    """Start-up may fail in between."""
    outbox = Outbox(server.send, queue_max=10)
    outbox.put(write)
    await asyncio.wait_for(outbox.close(), CLOSE_S - 2)


def test_neither_link_nor_address_is_printed():
    """Whoever reads logs must not come in by them."""
    letter = MailMessage(to="ada@example.com", subject="A new password", text="https://x/t0ken")
    assert "Letter(subject='A new password')" == repr(letter)
