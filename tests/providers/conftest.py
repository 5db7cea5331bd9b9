"""A watch that lets everything pass, and the recorded wires of llama.cpp."""

from pathlib import Path

import msgspec
import pytest

from trivium.wire.sse import frames

LLAMACPP = Path(__file__).parents[1] / "fixtures" / "providers" / "llamacpp"


class OpenWatch:
    """Passes every byte, remembers what it saw, ends with what it is given."""

    def __init__(self, tail=b""):
        self.usage = None
        self.finished = False
        self.error = None
        self.tail = tail
        self.seen = b""
        self.ended = None

    def feed(self, data):
        self.seen += data
        self.finished = b"response.completed" in self.seen or b"message_stop" in self.seen
        return data

    def end(self, fault, request_id):
        self.ended = (fault, request_id)
        self.error = b"{}" if fault else None
        return self.tail


@pytest.fixture
def watch():
    """A watch that lets everything pass."""
    return OpenWatch()


@pytest.fixture
def make_watch():
    """As many watches as a test wants."""
    return OpenWatch


@pytest.fixture
def recorded():
    """The bytes of a recorded wire by its file name."""
    return lambda name: (LLAMACPP / name).read_bytes()


@pytest.fixture
def events():
    """The JSON of every frame of a stream."""
    return lambda wire: [msgspec.json.decode(found.data) for found in frames(wire)]
