"""What answers of this shape are known to have."""

import pytest

from trivium.wire.generate.known_members import ANSWER, is_own


@pytest.mark.parametrize("kind", ["executableCode", "toolCall", "text"])
def test_what_is_documented_is_the_vendors_own(kind):
    """Its traffic is never taken for words of the model."""
    assert is_own(kind)


def test_what_is_not_documented_may_be_the_answer():
    """Nobody knows."""
    assert not is_own("hologram")


def test_an_answers_own_members_are_known():
    """And one more is told."""
    told = []
    ANSWER.look(b'{"error":null,"shimmer":1}', lambda name, _: told.append(name))
    assert ["shimmer"] == told
