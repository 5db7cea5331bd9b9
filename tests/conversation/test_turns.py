"""Turns: neighbours, leading instructions, calls in order."""

import pytest

from growth.measuring import least
from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Text
from trivium.conversation.turns import calls, joined, leading

A, B = Text("a"), Text("b")
RULE = Turn(Role.SYSTEM, (A,))
DEVELOPER = Turn(Role.DEVELOPER, (A,))
ASK = Turn(Role.USER, (A,))


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ((), 0),
        ((ASK, RULE), 0),
        ((RULE, DEVELOPER, ASK, RULE), 2),
        ((RULE, RULE), 2),
    ],
)
def test_only_instructions_at_the_start_lead(turns, expected):
    """A later one stays in the middle."""
    assert expected == leading(turns)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ((ASK, Turn(Role.USER, (B,))), (Turn(Role.USER, (A, B)),)),
        ((RULE, RULE), (RULE, RULE)),
        ((ASK, RULE, ASK), (ASK, RULE, ASK)),
        ((ASK, Turn(Role.USER, (B,), name="eve")), (ASK, Turn(Role.USER, (B,), name="eve"))),
        (
            (Turn(Role.ASSISTANT, (A,), phase="commentary"), Turn(Role.ASSISTANT, (B,))),
            (Turn(Role.ASSISTANT, (A,), phase="commentary"), Turn(Role.ASSISTANT, (B,))),
        ),
    ],
)
def test_neighbours_that_are_alike_become_one_turn(turns, expected):
    """Texts are put side by side, never glued."""
    assert expected == joined(turns)


def test_calls_come_in_order():
    """Over all turns."""
    one, two, three = (ToolCall(at, "size") for at in "123")
    turns = (Turn(Role.ASSISTANT, (A, one, two)), ASK, Turn(Role.ASSISTANT, (three,)))
    assert [one, two, three] == list(calls(turns))


def test_a_run_of_one_role_is_copied_once():
    """However long: what is joined is the next time no longer copied."""
    turns = (ASK,) * 40_000
    (whole,) = joined(turns)
    assert 40_000 == len(whole.parts)
    # by the square it takes seconds
    assert 0.5 > least(lambda: joined(turns), 0.5)
