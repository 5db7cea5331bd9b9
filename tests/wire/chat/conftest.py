"""Wires of the chat shape, and the two ends of its codec with plain surroundings."""

from pathlib import Path

import msgspec
import pytest

from trivium.conversation.events import spelled
from trivium.conversation.losses import Report
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext
from trivium.wire.codecs import CODECS
from trivium.wire.operation import Shape

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "chat" / "translate"
ORIGIN = StateOrigin("chat", "openai", "channel-1")

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@pytest.fixture(scope="session")
def wire():
    """Bytes of a fixture by name."""
    return lambda name: (FOLDER / name).read_bytes()


@pytest.fixture(scope="session")
def read_request():
    """Read a body given as bytes or as a value."""

    def run(body, **context):
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        return CODECS[Shape.CHAT].read_request(_members(data), ReadContext(**context))

    return run


@pytest.fixture(scope="session")
def asked(read_request):
    """A request of these messages (or of one user text) and members, read."""

    def run(*messages, **members):
        said = list(messages) or [{"role": "user", "content": "Hi"}]
        return read_request({"model": "m", "messages": said, **members})

    return run


@pytest.fixture(scope="session")
def write_request():
    """Write a conversation for a chat target: the body as a value, and the report."""

    def run(conversation, *, strict=False, **facts):
        report = Report("the chat shape of m2", strict=strict)
        body = CODECS[Shape.CHAT].write_request(conversation, target(ORIGIN, "m2", **facts), report)
        return msgspec.json.decode(body), report

    return run


@pytest.fixture(scope="session")
def written(write_request):
    """Write turns (and other fields) for a chat target: the body alone."""

    def run(*turns, facts=None, shape="messages", **fields):
        conversation = Conversation(shape=shape, model="m", turns=turns, **fields)
        return write_request(conversation, **(facts or {}))[0]

    return run


@pytest.fixture(scope="session")
def events_of():
    """Events of a stream fed in these reads, with its end."""

    def run(*reads, fault=None, **context):
        reader = CODECS[Shape.CHAT].read_stream(AnswerContext(origin=ORIGIN, model="m2", **context))
        out = [event for read in reads for event in reader.feed(read)]
        return spelled(out + reader.end(fault))

    return run


@pytest.fixture(scope="session")
def writing():
    """The surroundings of an answer writer."""

    def run(members=None, **context):
        raw = {name: msgspec.Raw(value) for name, value in (members or {}).items()}
        return WriteContext(
            request=Conversation(shape="chat", model="public"),
            members=raw,
            id="abc",
            created=1795219200,
            model="public",
            request_id="req_7",
            **context,
        )

    return run


@pytest.fixture(scope="session")
def stream_of(writing):
    """Bytes of a stream of these events, written in one go."""

    def run(events, members=None, **context):
        return CODECS[Shape.CHAT].write_stream(writing(members, **context)).feed(events)

    return run
