"""What the tests of Cohere's shape share: a channel, a seal all can read, and the SDK's types."""

import base64
import json
from pathlib import Path

import msgspec
import pytest

from trivium.conversation.losses import Report
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.request import Conversation
from trivium.conversation.target import target
from trivium.wire.codec import AnswerContext, ReadContext, WriteContext
from trivium.wire.cohere.codec import CODEC

FIXTURES = Path(__file__).parents[2] / "fixtures" / "cohere"
ORIGIN = StateOrigin("cohere", "cohere", "main")
OTHER = StateOrigin("messages", "anthropic", "main")


def seal(opaque):
    """One attachment as ``sealed:BASE64``."""
    return "sealed:" + base64.b64encode(opaque[0].data).decode()


def opener(text):
    """The way back."""
    if not text.startswith("sealed:"):
        return None
    return (Opaque("signature", base64.b64decode(text[7:]), OTHER),)


@pytest.fixture
def read():
    """A request body as a conversation."""

    def run(body, **context):
        members = {name: msgspec.Raw(json.dumps(value).encode()) for name, value in body.items()}
        return CODEC.read_request(members, ReadContext(open=opener, **context))

    return run


@pytest.fixture
def write():
    """A conversation's body for an upstream, and the report."""

    def run(conversation, *, strict=False, **facts):
        goal = target(ORIGIN, "command-a", **facts)
        report = Report(goal.title, strict=strict)
        return json.loads(CODEC.write_request(conversation, goal, report)), report

    return run


@pytest.fixture
def context():
    """What an answer reader is told; what it does not know is noted in ``unread``."""
    unread = []
    return AnswerContext(origin=ORIGIN, unread=lambda name, loss: unread.append((name, loss)))


@pytest.fixture
def telling():
    """What an answer writer is told."""

    def run(**members):
        raws = {name: msgspec.Raw(json.dumps(value).encode()) for name, value in members.items()}
        request = Conversation(shape="cohere", model="m")
        return WriteContext(
            request=request,
            members=raws,
            id="7",
            created=1,
            model="m",
            request_id="req_7",
            seal=seal,
        )

    return run


@pytest.fixture
def wire():
    """Bytes of a fixture."""
    return lambda name: (FIXTURES / name).read_bytes()
