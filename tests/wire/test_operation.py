"""What upstreams of some operations can serve."""

import pytest

from trivium.wire.operation import COUNTING, IN_PLACE, SHAPE, TRANSLATED, Operation, served

TALK = TRANSLATED | COUNTING | {Operation.COMPLETIONS}
EMBED = {Operation.EMBEDDINGS, Operation.GENERATE_EMBED, Operation.GENERATE_EMBED_BATCH}


def test_every_operation_has_its_shape():
    """Errors are written in it."""
    assert set(Operation) == set(SHAPE)


def test_nothing_stands_in_for_itself():
    """Nor for what is no operation of the same purpose."""
    for asked, others in IN_PLACE.items():
        assert asked not in others
        assert (asked in COUNTING) is all(other in COUNTING for other in others)


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        (set(), set()),
        ({Operation.CHAT}, TALK),
        ({Operation.GENERATE_STREAM}, TALK),
        ({Operation.COMPLETIONS}, {Operation.COMPLETIONS}),
        ({Operation.MODERATIONS}, {Operation.MODERATIONS}),
        ({Operation.EMBEDDINGS}, EMBED),
        ({Operation.GENERATE_EMBED_BATCH}, EMBED - {Operation.GENERATE_EMBED}),
        ({Operation.MESSAGES_COUNT}, COUNTING),
        ({Operation.CHAT, Operation.EMBEDDINGS}, TALK | EMBED),
    ],
)
def test_what_is_served_includes_what_can_be_translated(native, expected):
    """A conversation serves completions and counts; completions serve no conversation."""
    assert expected == served(frozenset(native))
