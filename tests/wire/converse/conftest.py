"""The vendor's own client beside our codec: what it would send, refuse and make of an answer."""

import base64
import functools
import json
from pathlib import Path

import msgspec
import pytest
from botocore.eventstream import EventStream
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.parsers import create_parser
from botocore.serialize import create_serializer
from botocore.validate import ParamValidator

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.events import spelled
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Report
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.conversation.usage import Usage
from trivium.faults import Fault
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext
from trivium.wire.converse.codec import CODEC, UPSTREAM
from trivium.wire.event_stream import event, exception

FIXTURES = Path(__file__).parents[2] / "fixtures" / "converse"
ORIGIN = StateOrigin("converse", "bedrock", "main")


@functools.cache
def service():
    """The model of the service, as the vendor ships it."""
    return ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))


def parameters(shape, value):
    """JSON as the parameters that its sender's client was given. Unknown members stay, and fail."""
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        return {
            name: parameters(shape.members[name], inner) if name in shape.members else inner
            for name, inner in value.items()
        }
    if shape.type_name == "list":
        return [parameters(shape.member, inner) for inner in value]
    if shape.type_name == "map":
        return {name: parameters(shape.value, inner) for name, inner in value.items()}
    if shape.type_name == "blob":
        return base64.b64decode(value, validate=True)
    return value


class _Raw:
    """The bytes of a stream, in one read."""

    def __init__(self, data):
        self._data = data

    def stream(self):
        yield self._data

    def close(self):
        pass


class Converse:
    """The upstream's half of the codec with everything it must be told, and the vendor's client."""

    origin = ORIGIN
    fixtures = FIXTURES

    @staticmethod
    def accepted(body, operation="Converse"):
        """Assert that the vendor's client takes these parameters and would send this very body."""
        model = service().operation_model(operation)
        said = {"modelId": "m", **parameters(model.input_shape, body)}
        report = ParamValidator().validate(said, model.input_shape)
        assert not report.has_errors(), report.generate_report()
        sent = create_serializer("rest-json").serialize_to_request(said, model)
        assert json.loads(sent["body"]) == body

    @staticmethod
    def parsed(body):
        """What the vendor's client makes of a whole answer."""
        answer = {"status_code": 200, "headers": {}, "body": body}
        return create_parser("rest-json").parse(
            answer, service().operation_model("Converse").output_shape
        )

    @staticmethod
    def streamed(wire):
        """What the vendor's client makes of a stream. Raises its error for an exception in it."""
        shape = service().operation_model("ConverseStream").output_shape.members["stream"]
        parser = create_parser("rest-json")._event_stream_parser
        return list(EventStream(_Raw(wire), shape, parser, "ConverseStream"))

    @staticmethod
    def facts(**facts):
        """Facts of the channel's model."""
        return target(ORIGIN, "m", **facts)

    @staticmethod
    def request(*turns, **members):
        """A request of another shape; without turns it says Hi."""
        turns = turns or (Turn(Role.USER, (Text("Hi"),)),)
        return Conversation(**{"shape": "chat", "model": "m", "turns": turns, **members})

    @classmethod
    def write(cls, conversation, *, strict=False, **facts):
        """The body for the upstream, which its client accepts, and the report of what it lacks."""
        known = target(ORIGIN, "m", **facts)
        report = Report("this model", strict=strict)
        said = fitted(conversation, known, report)
        body = json.loads(UPSTREAM.write_request(said, known, report))
        cls.accepted(body)
        return body, report

    @staticmethod
    def context(**known):
        """What an answer reader is told."""
        return AnswerContext(origin=ORIGIN, model="m", **known)

    @classmethod
    def answer(cls, body, **known):
        """The answer in a body, given as bytes or as JSON members."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return UPSTREAM.read_answer(data, cls.context(**known))

    @classmethod
    def events(cls, *reads, fault=None, **known):
        """All events of one stream."""
        reader = UPSTREAM.read_stream(cls.context(**known))
        out = [one for read in reads for one in reader.feed(read)]
        return spelled(out + reader.end(fault))

    @staticmethod
    def wire(*rows):
        """The bytes of a stream, of pairs of an event's or exception's name and its payload."""
        return b"".join(
            (exception if name.endswith("Exception") else event)(name, json.dumps(payload).encode())
            for name, payload in rows
        )

    @classmethod
    def recorded(cls, name):
        """The bytes of a stream among the fixtures: a line of each file is one event."""
        text = (FIXTURES / "streams" / f"{name}.jsonl").read_text(encoding="utf-8")
        return cls.wire(*[json.loads(line) for line in text.splitlines()])


def seal(opaque):
    """Attachments as base64 of what they are, as the wire has bytes."""
    rows = [f"sealed:{one.kind}:{base64.b64encode(one.data).decode()}" for one in opaque]
    return base64.b64encode("|".join(rows).encode()).decode()


def open_(text):
    """The attachments of such a string, made by the channel of these tests."""
    try:
        said = base64.b64decode(text, validate=True).decode()
    except ValueError:
        return None
    if not said.startswith("sealed:"):
        return None
    rows = [row.split(":") for row in said.split("|")]
    return tuple(Opaque(kind, base64.b64decode(data), ORIGIN) for _, kind, data in rows)


class ConverseCaller:
    """The caller's half of the codec with everything it must be told."""

    origin = ORIGIN
    seal = staticmethod(seal)

    @staticmethod
    def read(body, *, stream=False, checked=True):
        """The conversation of a body given as JSON members, which the vendor's client would send.

        ``checked``: whether that is so.
        """
        if checked:
            Converse.accepted(body, "ConverseStream" if stream else "Converse")
        members = msgspec.json.decode(json.dumps(body).encode(), type=dict[str, msgspec.Raw])
        return CODEC.read_request(members, ReadContext(model="m", stream=stream, open=open_))

    @classmethod
    def said(cls, *blocks, role="user", **more):
        """The parts of one turn of these blocks."""
        turns = [{"role": "user", "content": [{"text": "Hi"}]}] if role != "user" else []
        body = {"messages": [*turns, {"role": role, "content": list(blocks)}]}
        return cls.read(body, **more).turns[-1].parts

    @classmethod
    def refused(cls, body):
        """The fault of a body."""
        with pytest.raises(Fault) as caught:
            cls.read(body, checked=False)
        return caught.value

    @staticmethod
    def context(**members):
        """What an answer writer is told."""
        known = {
            "request": Conversation(shape="converse", model="m"),
            "id": "0a",
            "created": 0,
            "model": "m",
            "request_id": "req_1",
            "seal": seal,
        }
        return WriteContext(**known | members)

    @classmethod
    def whole(cls, *parts, finish=None, usage=None, tier=None, **members):
        """What the vendor's client makes of an answer of these parts."""
        end = finish or Finish(Unified.STOP)
        answer = Answer((Candidate(parts, end),), usage or Usage(fresh=3, output=4), "", "", tier)
        return Converse.parsed(CODEC.write_answer(answer, cls.context(**members)))

    @classmethod
    def heard(cls, *reads, end=True, **members):
        """What the vendor's client makes of a stream of these reads of events."""
        writer = CODEC.write_stream(cls.context(**members))
        wire = b"".join([writer.feed(list(read)) for read in reads])
        return Converse.streamed(wire + (writer.end(None) if end else b""))


@pytest.fixture(scope="session")
def caller():
    """The caller's half of the codec."""
    return ConverseCaller


@pytest.fixture(scope="session")
def converse():
    """The upstream's half of the codec, and the vendor's client."""
    return Converse
