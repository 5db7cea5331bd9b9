"""What the tests of the translated messages shape share: a channel, and a seal all can read."""

import base64
import json
from pathlib import Path

import msgspec
import pytest

from trivium.conversation.events import spelled
from trivium.conversation.losses import Report
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext
from trivium.wire.messages.codec import CODEC

FIXTURES = Path(__file__).parents[2] / "fixtures" / "messages"
ORIGIN = StateOrigin("messages", "anthropic", "main")
CONTEXT = AnswerContext(origin=ORIGIN)


def seal(opaque):
    """Attachments as ``sealed:KIND:BASE64``, several side by side."""
    rows = [f"sealed:{one.kind}:{base64.b64encode(one.data).decode()}" for one in opaque]
    return "|".join(rows)


def open_(text):
    """The attachments of such a string, made by the channel of these tests."""
    if not text.startswith("sealed:"):
        return None
    rows = [row.split(":") for row in text.split("|")]
    return tuple(Opaque(kind, base64.b64decode(data), ORIGIN) for _, kind, data in rows)


class Wires:
    """The shape's codec with everything it must be told."""

    origin = ORIGIN
    fixtures = FIXTURES
    seal = staticmethod(seal)

    @staticmethod
    def read(body, **headers):
        """The conversation of a body given as JSON members."""
        members = msgspec.json.decode(json.dumps(body).encode(), type=dict[str, msgspec.Raw])
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return CODEC.read_request(members, ReadContext(headers=names, open=open_))

    @staticmethod
    def write(conversation, *, strict=False, **facts):
        """The body for the upstream, and the report of what it lacks."""
        known = {"mid_system": True, **facts}
        report = Report("this model", strict=strict)
        body = CODEC.write_request(conversation, target(ORIGIN, "claude-x", **known), report)
        return json.loads(body), report

    @staticmethod
    def facts(**facts):
        """Facts of the channel's model."""
        return target(ORIGIN, "claude-x", **facts)

    @staticmethod
    def request(**members):
        """A request of another shape, in canonical form."""
        return Conversation(**{"shape": "chat", "model": "m", **members})

    @staticmethod
    def context(**members):
        """What an answer writer is told."""
        known = {
            "request": Conversation(shape="messages", model="m"),
            "id": "0a",
            "created": 0,
            "model": "claude-sonnet-5",
            "request_id": "req_1",
            "input_estimate": 7,
            "seal": seal,
        }
        return WriteContext(**{**known, **members})

    @staticmethod
    def events(*reads, fault=None, context=CONTEXT):
        """All events of one stream."""
        reader = CODEC.read_stream(context)
        out = [event for read in reads for event in reader.feed(read)]
        return spelled(out + reader.end(fault))

    @classmethod
    def streamed(cls, events, **members):
        """The frames of one stream for the caller; it is ended cleanly."""
        return cls.streamed_in([events], **members)

    @classmethod
    def streamed_in(cls, reads, **members):
        """The same, of events that come in several reads."""
        writer = CODEC.write_stream(cls.context(**members))
        run = b"".join(writer.feed(events) for events in reads)
        return cls.frames(run + writer.end(None))

    @staticmethod
    def frames(run):
        """The frames of a stream; each must have an event line that says its type."""
        out = []
        for block in run.decode().split("\n\n")[:-1]:
            first, second = block.split("\n")
            data = json.loads(second.removeprefix("data: "))
            assert first == f"event: {data['type']}"
            out.append(data)
        return out


@pytest.fixture(scope="session")
def wires():
    """The shape's codec with everything it must be told."""
    return Wires


@pytest.fixture(scope="session")
def legal():
    """Checks that frames are what the SDKs' accumulators take."""

    def check(frames):
        kinds = [frame["type"] for frame in frames if frame["type"] != "ping"]
        assert kinds[0] == "message_start"
        assert kinds[-2:] == ["message_delta", "message_stop"]
        assert kinds.count("message_start") == kinds.count("message_stop") == 1
        opened, index = None, -1
        for frame in frames:
            if frame["type"] == "content_block_start":
                index += 1
                assert (None, index) == (opened, frame["index"])
                opened = frame["content_block"]["type"]
                signed = 0
            elif frame["type"] == "content_block_delta":
                assert index == frame["index"]
                assert opened is not None
                assert not signed
                signed = frame["delta"]["type"] == "signature_delta"
            elif frame["type"] == "content_block_stop":
                assert index == frame["index"]
                assert signed == (opened == "thinking")
                opened = None
            elif frame["type"] == "message_delta":
                assert opened is None
                assert frame["delta"]["stop_reason"]
                assert frame["usage"]["output_tokens"] >= 0

    return check
