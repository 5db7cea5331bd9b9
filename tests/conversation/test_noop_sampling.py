"""Sampling that asks for nothing is no loss, not in strict mode either."""

import pytest

from trivium.conversation.fit import asking, fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Report
from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.parts import Text
from trivium.conversation.request import Conversation, Sampling
from trivium.conversation.target import target

SHAPES = ["chat", "responses", "messages", "generate"]
TURNS = (Turn(Role.USER, (Text("Hi"),)),)


def wishing(**sampling):
    """A chat request that samples so."""
    return Conversation(shape="chat", model="m", turns=TURNS, sampling=Sampling(**sampling))


IDLE = wishing(frequency_penalty=0.0, presence_penalty=0, logit_bias=b"{}")


@pytest.mark.parametrize("shape", SHAPES)
def test_what_asks_for_nothing_goes_where_there_is_no_member_for_it(shape):
    """Where there is one it is sent as it came."""
    left = {
        "chat": IDLE,
        "generate": wishing(frequency_penalty=0.0, presence_penalty=0),
    }.get(shape, wishing())
    assert left == asking(IDLE, shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "wanted", [{}, {"frequency_penalty": 0.1}, {"logit_bias": b'{"5":1}'}, {"temperature": 0}]
)
def test_a_wish_stays(shape, wanted):
    """The very same conversation: its writer carries or reports it."""
    asked = wishing(**wanted)
    assert asked is asking(asked, shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_strict_mode_does_not_refuse_it(shape):
    """Neither of a shape without the member nor of a model that refuses it."""
    goal = target(
        StateOrigin(shape, "p", "main"), "m", refuses=frozenset({Concept.PRESENCE_PENALTY})
    )
    report = Report("the target", strict=True)
    assert fitted(IDLE, goal, report).sampling.presence_penalty is None
    assert [] == report.drops
