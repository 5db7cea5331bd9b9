"""Whole answers, as the vendor's own client reads them."""

import json

import msgspec
import pytest

from trivium.conversation.answer import Answer, Candidate
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation
from trivium.conversation.usage import Usage
from trivium.wire.converse import write_answer

PATHS = {"additionalModelResponseFieldPaths": msgspec.Raw(b'["/stop_sequence","/other"]')}
STOPPED = Finish(Unified.STOP_SEQUENCE, "stop", "END")


def test_a_whole_answer(caller):
    """Every member that its client demands."""
    found = caller.whole(Text("a"), tier="flex", usage=Usage(fresh=3, output=4))
    assert {"role": "assistant", "content": [{"text": "a"}]} == found["output"]["message"]
    assert ("end_turn", {"latencyMs": 0}) == (found["stopReason"], found["metrics"])
    assert (3, 4, 7) == tuple(
        found["usage"][name] for name in ("inputTokens", "outputTokens", "totalTokens")
    )
    assert {"type": "flex"} == found["serviceTier"]
    assert "additionalModelResponseFields" not in found
    assert "serviceTier" not in caller.whole(Text("a"), tier="batch")


def test_the_sequence_that_fired_is_told_to_who_asks(caller):
    """Of the fields of the model's own answer the one that every answer has."""
    found = caller.whole(Text("a"), finish=STOPPED, members=PATHS)
    assert {"stop_sequence": "END"} == found["additionalModelResponseFields"]
    assert "stop_sequence" == found["stopReason"]


@pytest.mark.parametrize(
    "paths", [b"null", b"[]", b'["/other"]', b"{", b'"/stop_sequence"', b"[1e400]"]
)
def test_and_to_nobody_else(caller, paths):
    """Whatever was written there."""
    members = {"additionalModelResponseFieldPaths": msgspec.Raw(paths)}
    found = caller.whole(Text("a"), finish=STOPPED, members=members)
    assert "additionalModelResponseFields" not in found


def test_what_nobody_counted_is_estimated(caller):
    """By the request; a count that was made is not made again."""
    asked = Conversation(
        shape="converse", model="m", turns=(Turn(Role.USER, (Text("words " * 40),)),)
    )
    answer = Answer((Candidate((Text("a"),)),))
    one = json.loads(write_answer.write(answer, caller.context(request=asked)))
    other = json.loads(write_answer.write(answer, caller.context(input_estimate=5)))
    assert one["usage"]["inputTokens"] > 40
    assert 5 == other["usage"]["inputTokens"]
