"""Recorded wires, and what a watch makes of them however the network cuts them."""

from pathlib import Path

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.wire.passage import RequestFacts

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


class Outcome(msgspec.Struct, frozen=True):
    """What came out of one watched stream."""

    forwarded: bytes
    usage: Usage | None
    finished: bool
    error: bytes | None


@pytest.fixture(scope="session")
def recorded():
    """Bytes of a fixture by folder and name."""
    return lambda folder, name: (FIXTURES / folder / name).read_bytes()


@pytest.fixture(scope="session")
def relay():
    """Feed reads to a fresh watch; ``end`` adds what ``end(fault)`` gives."""

    def run(watch, *reads, asked=False, end=False, fault=None):
        watched = watch(RequestFacts(model="gpt-5", stream=True, usage_wanted=asked))
        forwarded = b"".join(watched.feed(read) for read in reads)
        before = watched.finished
        if end:
            forwarded += watched.end(fault, "req_7")
        return Outcome(forwarded, watched.usage, before, watched.error)

    return run


@pytest.fixture(params=[7, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def cut_everywhere(request, relay):
    """Assert that no cut changes the outcome: at many an offset, and byte by byte."""

    def run(watch, wire, **options):
        whole = relay(watch, wire, **options)
        assert whole == relay(watch, *(wire[at : at + 1] for at in range(len(wire))), **options)
        for cut in range(1, len(wire), request.param):
            assert whole == relay(watch, wire[:cut], wire[cut:], **options), cut
        return whole

    return run
