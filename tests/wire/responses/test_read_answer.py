"""Whole answers of a responses upstream, read tolerantly."""

import json

import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Text
from trivium.conversation.usage import Usage
from trivium.faults import Fault, Kind
from trivium.wire.codec import AnswerContext
from trivium.wire.responses.codec import CODEC

CONTEXT = AnswerContext(origin=StateOrigin("responses", "openai", "main"))
MESSAGE = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}


def read(body, context=CONTEXT):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return CODEC.read_answer(raw, context)


def test_the_least_answer():
    """Servers leave out what they do not know."""
    assert Answer((Candidate((Text("Hi"),), Finish(Unified.STOP, "completed")),)) == read(
        {"output": [MESSAGE]}
    )


def test_the_frame_of_an_answer():
    """Who answered, what it cost, at which tier."""
    found = read(
        {
            "id": "resp_1",
            "model": "m-2026",
            "status": "completed",
            "service_tier": "flex",
            "error": None,
            "output": [],
            "usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
        }
    )
    assert ("resp_1", "m-2026", "flex", Usage(fresh=5, output=2)) == (
        found.id,
        found.model,
        found.service_tier,
        found.usage,
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        {"output": None},
        {"output": {}},
        {"output": [], "status": "in_progress"},
        {"output": [], "status": "queued"},
        {"output": [], "status": "cancelled"},
        {"output": [], "status": "failed"},
    ],
)
def test_what_is_no_answer_is_the_upstreams_fault(body):
    """A page, half a document, or one that is not finished."""
    with pytest.raises(Fault) as caught:
        read(body)
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_an_error_in_a_good_status_is_what_it_means():
    """The object goes to those who know vendors (trap 104)."""
    seen = []

    def refused(error):
        seen.append(error)
        return Fault(Kind.CONTENT_POLICY, "no")

    context = AnswerContext(origin=CONTEXT.origin, refused=refused)
    with pytest.raises(Fault, match="no"):
        read({"status": "failed", "error": {"code": "bio_policy"}, "output": []}, context)
    assert [b'{"code": "bio_policy"}'] == seen
