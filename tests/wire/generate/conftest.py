"""What the tests of the translated generate shape share: a channel, a caller, a seal."""

import json
from pathlib import Path

import msgspec
import pytest

from trivium.conversation.assemble import assembled
from trivium.conversation.events import spelled
from trivium.conversation.losses import Report
from trivium.conversation.opaque import THOUGHT_SIGNATURE, Opaque, StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.faults import Fault
from trivium.secret import Keyring
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext
from trivium.wire.envelope import opener, sealer
from trivium.wire.generate.codec import CODEC

FIXTURES = Path(__file__).parents[2] / "fixtures" / "generate"
ORIGIN = StateOrigin("generate", "gemini", "main")
KEYS = Keyring(b"k" * 32)


class Wires:
    """The shape's codec with everything it must be told."""

    origin = ORIGIN
    other = StateOrigin("messages", "anthropic", "main")
    seal = staticmethod(sealer(KEYS, 7))
    open = staticmethod(opener(KEYS, 7))

    @staticmethod
    def fixture(name):
        """Bytes of a fixture; those of the translation lane first."""
        path = FIXTURES / "translate" / name
        return (path if path.exists() else FIXTURES / name).read_bytes()

    @classmethod
    def read(cls, body, *, model="g", stream=None):
        """The conversation of a body, given as bytes or as JSON members."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        members = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        return CODEC.read_request(members, ReadContext(model=model, stream=stream, open=cls.open))

    @classmethod
    def turns(cls, *parts, role=None):
        """The parts of one content; calls are the model's."""
        calls = {"functionCall", "function_call"}
        role = role or ("model" if any(calls & part.keys() for part in parts) else "user")
        return cls.read({"contents": [{"role": role, "parts": list(parts)}]}).turns[0].parts

    @classmethod
    def refused(cls, body):
        """The fault of a body that is refused."""
        with pytest.raises(Fault) as caught:
            cls.read(body)
        return caught.value

    @staticmethod
    def request(**members):
        """A request of another shape, in canonical form."""
        return Conversation(**{"shape": "messages", "model": "m", **members})

    @staticmethod
    def write(conversation, *, strict=False, **facts):
        """The body for the upstream, and the report of what it lacks."""
        report = Report("this model", strict=strict)
        body = CODEC.write_request(conversation, target(ORIGIN, "gemini-x", **facts), report)
        return json.loads(body), report

    @staticmethod
    def sent(conversation, **facts):
        """The bytes for the upstream."""
        return CODEC.write_request(conversation, target(ORIGIN, "gemini-x", **facts), Report("x"))

    @staticmethod
    def facts(**facts):
        """Facts of the channel's model."""
        return target(ORIGIN, "gemini-x", **facts)

    @classmethod
    def answer(cls, body):
        """A whole answer of the channel, given as bytes or as JSON members."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return CODEC.read_answer(data, AnswerContext(origin=ORIGIN, model="gemini-x"))

    @classmethod
    def events(cls, *reads, fault=None):
        """All events of one stream."""
        reader = CODEC.read_stream(AnswerContext(origin=ORIGIN, model="gemini-x"))
        out = [event for read in reads for event in reader.feed(read)]
        return spelled(out + reader.end(fault))

    @classmethod
    def context(cls, **members):
        """What an answer writer is told."""
        known = {
            "request": Conversation(shape="generate", model="gemini-x"),
            "id": "0a",
            "created": 0,
            "model": "gemini-pro",
            "request_id": "req_1",
            "seal": cls.seal,
        }
        return WriteContext(**{**known, **members})

    @classmethod
    def whole(cls, answer, **members):
        """The bytes of a whole answer for the caller."""
        return CODEC.write_answer(answer, cls.context(**members))

    @classmethod
    def written(cls, answer, **members):
        """The whole answer as the caller reads it."""
        return json.loads(cls.whole(answer, **members))

    @classmethod
    def writer(cls, **members):
        """A writer of one stream for the caller."""
        return CODEC.write_stream(cls.context(**members))

    @classmethod
    def streamed(cls, *feeds, fault=None, **members):
        """The bytes of one stream for the caller."""
        writer = CODEC.write_stream(cls.context(**members))
        return b"".join(writer.feed(list(events)) for events in feeds) + writer.end(fault)

    @staticmethod
    def chunks(run):
        """The objects of a stream of events; nothing but data lines and blank lines may be there."""
        blocks = run.decode().split("\r\n\r\n")
        assert blocks.pop() == ""
        assert all(block.startswith("data: {") and "\n" not in block for block in blocks)
        return [json.loads(block[6:]) for block in blocks]

    @staticmethod
    def assembled(events):
        """The answer that events tell."""
        return assembled(events)

    @staticmethod
    def signature(data="AAEC", origin=ORIGIN, model="gemini-x"):
        """A thought signature of the channel."""
        return Opaque(THOUGHT_SIGNATURE, data.encode(), origin, model)


@pytest.fixture(scope="session")
def wires():
    """The codec of the shape."""
    return Wires
