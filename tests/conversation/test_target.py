"""What is true of a shape, and of one model behind it."""

import msgspec
import pytest

from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import BY_SHAPE, Input, Thinks, target


@pytest.mark.parametrize("shape", BY_SHAPE)
def test_every_shape_has_facts_that_are_facts(shape):
    """Each name in the table is a member, each value of its type."""
    found = target(StateOrigin(shape, "p", "main"), "m")
    assert f"the {shape} shape of m" == found.title
    for name, value in BY_SHAPE[shape].items():
        assert value == getattr(found, name)


def test_a_profile_knows_better_than_its_shape():
    """What it does not say stays as it is of the shape."""
    found = target(
        StateOrigin("messages", "p", "main"),
        "m",
        title="m of p",
        thinks=Thinks.BUDGET,
        inputs=frozenset({Input.IMAGE}),
        refuses=frozenset({Concept.TOP_K}),
    )
    assert ("m of p", Thinks.BUDGET, 128) == (found.title, found.thinks, found.tool_name_max)
    assert ({Input.IMAGE}, {Concept.TOP_K}) == (found.inputs, found.refuses)


@pytest.mark.parametrize("facts", [{"call_id_max": "many"}, {"thinks": "sometimes"}])
def test_a_fact_of_the_wrong_type_is_refused(facts):
    """Profiles are data; a bad one must not get as far as a request."""
    with pytest.raises(msgspec.ValidationError):
        target(StateOrigin("chat", "p", "main"), "m", **facts)
