"""What a request is taken for until its answer says."""

import pytest

from trivium.admission.tokens import FILE_TOKENS, OUTPUT_TOKENS, foreseen, without_files
from trivium.wire.operation import Operation
from trivium.wire.passage import RequestFacts


@pytest.mark.parametrize(
    ("operation", "facts", "expected"),
    [
        (Operation.CHAT, {}, (25, OUTPUT_TOKENS)),
        (Operation.CHAT, {"output_max": 7}, (25, 7)),
        (Operation.MESSAGES, {"output_max": 64_000}, (25, OUTPUT_TOKENS)),
        (Operation.CHAT, {"choices": 3}, (25, 3 * OUTPUT_TOKENS)),
        (Operation.EMBEDDINGS, {}, (25, 0)),
        (Operation.MODERATIONS, {}, (25, 0)),
        (Operation.MESSAGES_COUNT, {}, (0, 0)),
    ],
)
def test_the_written_rule(operation, facts, expected):
    """A quarter of the bytes, and a modest answer."""
    assert expected == foreseen(operation, RequestFacts(model="m", **facts), b"x" * 100)


def test_files_in_base64_are_no_text():
    """Each counts the same, whatever its size."""
    picture = b"data:image/png;base64," + b"iVBOR" * 10_000 + b"=="
    body = b'[{"text":"what is this?"},{"url":"%b"},{"url":"%b"}]' % (picture, picture)
    text = len(body) - 2 * 50_002
    assert -(-text // 4) + 2 * FILE_TOKENS == without_files(body)
    prose = b"a sentence of words and blanks " * 1000
    assert -(-len(prose) // 4) == without_files(prose)
