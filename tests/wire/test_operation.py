"""What upstreams of some operations can serve."""

import pytest

from trivium.wire.operation import (
    SUBSTITUTES,
    TABLE,
    TOKEN_COUNTS,
    TRANSLATABLE,
    Operation,
    served,
)

TALK = TRANSLATABLE | TOKEN_COUNTS | {Operation.COMPLETIONS}
EMBED = {
    Operation.EMBEDDINGS,
    Operation.GENERATE_EMBED,
    Operation.GENERATE_EMBED_BATCH,
    Operation.COHERE_EMBED,
    Operation.INVOKE_EMBED,
}


def test_every_operation_has_its_row():
    """And nothing else has one."""
    assert set(Operation) == set(TABLE)


def test_no_address_is_of_two_operations():
    """Nor has an operation one twice."""
    paths = [path for row in TABLE.values() for path in row.paths]
    paths += [row.shared_path for row in TABLE.values() if row.shared_path]
    assert sorted(set(paths)) == sorted(paths)


def test_no_title_is_of_two_operations():
    """Callers are told what a model serves by titles."""
    assert len(TABLE) == len({row.title for row in TABLE.values()})


def test_nothing_stands_in_for_itself():
    """Nor for what is no operation of the same purpose."""
    for asked, others in SUBSTITUTES.items():
        assert asked not in others
        assert (asked in TOKEN_COUNTS) is all(other in TOKEN_COUNTS for other in others)


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        (set(), set()),
        ({Operation.CHAT}, TALK),
        ({Operation.GENERATE_STREAM}, TALK),
        ({Operation.VENDOR}, TALK),
        ({Operation.COMPLETIONS}, {Operation.COMPLETIONS}),
        ({Operation.MODERATIONS}, {Operation.MODERATIONS}),
        ({Operation.EMBEDDINGS}, EMBED),
        ({Operation.GENERATE_EMBED_BATCH}, EMBED - {Operation.GENERATE_EMBED}),
        ({Operation.COHERE_EMBED}, EMBED),
        ({Operation.GENERATE_EMBED}, EMBED),
        ({Operation.INVOKE_EMBED}, EMBED),
        ({Operation.COHERE_CHAT}, TALK),
        ({Operation.MESSAGES_COUNT}, TOKEN_COUNTS),
        ({Operation.CHAT, Operation.EMBEDDINGS}, TALK | EMBED),
    ],
)
def test_what_is_served_includes_what_can_be_translated(native, expected):
    """A conversation serves completions and counts; completions serve no conversation."""
    assert expected == served(frozenset(native))
