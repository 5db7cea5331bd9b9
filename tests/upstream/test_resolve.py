"""Names are looked up once for everybody, and remembered for a while."""

import asyncio
import socket

import pytest
from structlog.testing import capture_logs

from trivium.clock import FixedClock
from trivium.upstream.resolve import ENTRIES_MAX, FAILURE_TTL_S, Resolver, system_lookup

FOUND = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 443))]


class Names:
    """A look-up that counts; ``gate`` holds it back."""

    def __init__(self, *outcomes):
        self.asked = []
        self.gate = asyncio.Event()
        self.gate.set()
        self._outcomes = list(outcomes)

    async def __call__(self, host, port):
        self.asked.append((host, port))
        await self.gate.wait()
        outcome = self._outcomes.pop(0) if len(self._outcomes) > 1 else self._outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def resolver(names, clock):
    """A resolver by a clock that stands."""
    return Resolver(30.0, clock.monotonic, names)


@pytest.mark.asyncio
async def test_addresses_are_kept_for_their_time():
    """And looked up again after it."""
    clock, names = FixedClock(), Names(FOUND)
    looked = resolver(names, clock)
    assert FOUND == await looked.resolve("a.example", 443)
    clock.advance(29.9)
    assert FOUND == await looked.resolve("a.example", 443)
    assert 1 == len(names.asked)
    clock.advance(0.1)
    await looked.resolve("a.example", 443)
    assert 2 == len(names.asked)


@pytest.mark.asyncio
async def test_many_ask_once():
    """A burst to one name is one look-up, and who leaves does not take it along."""
    clock, names = FixedClock(), Names(FOUND)
    looked = resolver(names, clock)
    names.gate.clear()
    tasks = [asyncio.create_task(looked.resolve("a.example", 443)) for _ in range(20)]
    await asyncio.sleep(0.01)
    tasks[0].cancel()
    await asyncio.sleep(0)
    names.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(outcomes[0], asyncio.CancelledError)
    assert [FOUND] * 19 == outcomes[1:]
    assert 1 == len(names.asked)


@pytest.mark.asyncio
async def test_a_failure_is_kept_for_a_second():
    """Long enough for a burst, short enough for a hiccup."""
    clock = FixedClock()
    names = Names(socket.gaierror(socket.EAI_NONAME, "unknown"), FOUND)
    looked = resolver(names, clock)
    for _ in range(3):
        with pytest.raises(OSError, match="unknown"):
            await looked.resolve("a.example", 443)
    assert 1 == len(names.asked)
    clock.advance(FAILURE_TTL_S)
    assert FOUND == await looked.resolve("a.example", 443)


@pytest.mark.asyncio
async def test_a_name_that_cannot_be_written_is_unknown():
    """Python raises UnicodeError for it, which is no OSError."""
    looked = resolver(system_lookup, FixedClock())
    with pytest.raises(OSError):
        await looked.resolve("a" * 70 + ".example", 443)


@pytest.mark.asyncio
async def test_a_forgotten_name_is_asked_again():
    """None of its addresses answered: the vendor may have moved."""
    names = Names(FOUND)
    looked = resolver(names, FixedClock())
    await looked.resolve("a.example", 443)
    looked.forget("a.example", 443)
    await looked.resolve("a.example", 443)
    assert 2 == len(names.asked)


@pytest.mark.asyncio
async def test_memory_is_bounded():
    """The oldest name goes first."""
    names = Names(FOUND)
    looked = resolver(names, FixedClock())
    for number in range(ENTRIES_MAX + 1):
        await looked.resolve(f"{number}.example", 443)
    assert ENTRIES_MAX == len(looked._known)
    await looked.resolve(f"{ENTRIES_MAX}.example", 443)
    assert ENTRIES_MAX + 1 == len(names.asked)
    await looked.resolve("0.example", 443)
    assert ENTRIES_MAX + 2 == len(names.asked)


@pytest.mark.parametrize(
    ("host", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)]
)
@pytest.mark.asyncio
async def test_addresses_are_their_own_names(host, family):
    """Local engines are configured by address."""
    (found,) = await system_lookup(host, 8000)
    assert (family, host, 8000) == (found[0], found[4][0], found[4][1])


@pytest.mark.asyncio
async def test_while_nobody_answers_the_last_addresses_are_used():
    """Said once when it begins and once when it ends; a name that is no more is believed."""
    clock, found = FixedClock(), [[(2, 1, 6, "", ("127.0.0.1", 1))]]

    async def lookup(_, __):
        if isinstance(found[0], OSError):
            raise found[0]
        return found[0]

    resolver = Resolver(30, clock.monotonic, lookup)
    first = await resolver.resolve("vendor.example", 443)
    with capture_logs() as logs:
        found[0] = socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        for _ in range(5):
            clock.advance(31)
            assert first == await resolver.resolve("vendor.example", 443)
        with pytest.raises(OSError, match="Temporary"):
            await resolver.resolve("other.example", 443)
        found[0] = [(2, 1, 6, "", ("127.0.0.1", 2))]
        clock.advance(31)
        assert found[0] == await resolver.resolve("vendor.example", 443)
        found[0] = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        clock.advance(31)
        with pytest.raises(OSError, match="not known"):
            await resolver.resolve("vendor.example", 443)
    told = [(line["event"], line["host"], line.get("meanwhile")) for line in logs]
    assert told == [
        ("name_unresolved", "vendor.example", "the addresses known last"),
        ("name_unresolved", "other.example", "none"),
        ("name_resolved_again", "vendor.example", None),
        ("name_unresolved", "vendor.example", "none"),
    ]
