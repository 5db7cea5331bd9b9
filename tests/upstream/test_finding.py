"""Identities that a library finds: in threads, few at once, and none waited for for ever."""

import asyncio
import threading

import pytest

from trivium.providers.credential import Finder, FoundSecret, Surroundings
from trivium.upstream import finding
from trivium.upstream.finding import FinderThreads, IdentityNotFoundError, reason

AROUND = Surroundings(
    base_url="https://x.example", proxy="http://ann:pr0xy-pass@p:1", ca_file=None, limit_s=1
)
PARTS = {"secret": "s3cr3t-value", "key_id": "AKIDEXAMPLE", "region": "eu"}


def finder(call):
    """One that calls."""
    return Finder(find=call, plain=frozenset({"key_id"}))


def found(parts=None, life_s=60.0):
    return FoundSecret(parts=parts or {"token": "t"}, life_s=life_s, source="a test")


@pytest.mark.asyncio
async def test_it_is_found_in_a_thread_that_is_told_what_it_needs():
    """The loop goes on meanwhile."""
    seen = []

    def call(parts, around):
        seen.append((threading.current_thread() is threading.main_thread(), parts, around))
        return found()

    got = await FinderThreads().find(finder(call), PARTS, AROUND)
    assert (found(), [(False, PARTS, AROUND)]) == (got, seen)


def _raise(error):
    def call(*_):
        raise error

    return call


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("call", "why", "is_away"),
    [
        (_raise(ValueError("no key s3cr3t-value at\n  http://ann:pr0xy-pass@p")),
         "ValueError: no key … at http://…@p", False),
        (_raise(LookupError()), "LookupError", False),
        (_raise(LookupError("pr0xy-pass of AKIDEXAMPLE")), "LookupError: … of AKIDEXAMPLE", False),
        (_raise(ConnectionError("refused")), "ConnectionError: refused", True),
        (_raise(TimeoutError("its own")), "TimeoutError: its own", True),
        (_raise(StopIteration("x")), "StopIteration: x", False),
        (_raise(SystemExit(3)), "SystemExit: 3", False),
        (lambda *_: None, "AttributeError: 'NoneType' object has no attribute 'parts'", False),
        (lambda *_: found(life_s=0), "what was found by a test is over already", False),
        (lambda *_: found({"token": "a\r\nb"}), "ValueError: 'token' cannot be written as a header",
         False),
    ],
)  # fmt: skip
async def test_what_a_library_raises_is_the_reason(call, why, is_away, recwarn):
    """Without what is secret, on one line; a service that cannot be asked is told apart."""
    with pytest.raises(IdentityNotFoundError) as caught:
        await FinderThreads().find(finder(call), PARTS, AROUND)
    assert (why, is_away) == (str(caught.value), caught.value.is_away)


def test_a_reason_is_bounded():
    """Libraries print whole documents."""
    assert "ValueError: " + "a" * finding.WHY_MAX + "…" == reason(
        ValueError("a" * 100_000), finder(_raise), PARTS, AROUND
    )


@pytest.mark.asyncio
async def test_one_that_hangs_is_left_behind(monkeypatch):
    """It keeps its place until it ends; where none is free, that is said."""
    monkeypatch.setattr(finding, "THREADS_MAX", 2)
    threads, go, running = FinderThreads(0.1), threading.Event(), []

    def hang(*_):
        running.append(1)
        go.wait(5)
        return found()

    async def told():
        with pytest.raises(IdentityNotFoundError) as caught:
            await threads.find(finder(hang), PARTS, AROUND)
        assert caught.value.is_away
        return str(caught.value)

    late = "the look-up did not end within 0.1 s"
    none = "2 earlier look-ups have not ended, and no more are begun"
    assert ([late, late, none], 2) == ([await told() for _ in range(3)], len(running))
    go.set()
    threads.limit_s = 2
    assert found() == await threads.find(finder(hang), PARTS, AROUND)


@pytest.mark.asyncio
async def test_whoever_leaves_leaves_the_thread(monkeypatch):
    """Its place is free again once it has ended."""
    monkeypatch.setattr(finding, "THREADS_MAX", 1)
    threads, go = FinderThreads(2), threading.Event()

    def hang(*_):
        go.wait(5)
        return found()

    first = asyncio.create_task(threads.find(finder(hang), PARTS, AROUND))
    await asyncio.sleep(0.05)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    go.set()
    assert found() == await threads.find(finder(hang), PARTS, AROUND)


@pytest.mark.asyncio
async def test_a_machine_without_threads_takes_no_places(monkeypatch):
    """What could not begin holds up nothing once threads can be had again."""

    def start(_):
        raise RuntimeError("can't start new thread")

    threads = FinderThreads()
    with monkeypatch.context() as scarce:
        scarce.setattr(threading.Thread, "start", start)
        for _ in range(2 * finding.THREADS_MAX):
            async with asyncio.timeout(5):
                with pytest.raises(IdentityNotFoundError, match="can't start new thread") as why:
                    await threads.find(finder(lambda *_: found()), PARTS, AROUND)
            assert why.value.is_away
    assert found() == await threads.find(finder(lambda *_: found()), PARTS, AROUND)
