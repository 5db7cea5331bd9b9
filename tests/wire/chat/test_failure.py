"""Faults of chat answers that are none."""

import msgspec
import pytest

from trivium.conversation.opaque import StateOrigin
from trivium.faults import Fault, Kind
from trivium.wire.chat.chunk import ChunkChoice
from trivium.wire.chat.failure import of_choice, told
from trivium.wire.codec import AnswerContext

SEEN = []


def refused(error):
    SEEN.append(msgspec.json.decode(error))
    return Fault(Kind.UPSTREAM_OVERLOADED, "Busy.")


CONTEXT = AnswerContext(origin=StateOrigin("chat", "openai", "main"), refused=refused)


@pytest.mark.parametrize("error", [{"message": "busy", "code": 1}, "busy"])
def test_an_error_is_understood_by_whoever_knows_vendors(error):
    """An object as it is, a mere text as its message."""
    assert Kind.UPSTREAM_OVERLOADED is told(error, CONTEXT).kind
    assert "busy" == SEEN[-1]["message"]


@pytest.mark.parametrize(
    ("choice", "kind"),
    [
        (ChunkChoice(error={"message": "busy"}), Kind.UPSTREAM_OVERLOADED),
        (ChunkChoice(finish_reason="error"), Kind.UPSTREAM_BROKE),
        (ChunkChoice(finish_reason="insufficient_system_resource"), Kind.UPSTREAM_BROKE),
        (ChunkChoice(finish_reason="stop"), None),
        (ChunkChoice(), None),
    ],
)
def test_a_choice_may_say_itself_that_it_broke_off(choice, kind):
    """Then it is no completion."""
    found = of_choice(choice, CONTEXT)
    assert kind is (found and found.kind)
