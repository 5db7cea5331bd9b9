"""What a row of the description takes from the table of operations."""

import pytest

from trivium.edge.openapi.row import BEARER, GENERATE, MESSAGES, relayed
from trivium.wire.operation import Operation


@pytest.mark.parametrize(
    ("operation", "path", "tag", "keys"),
    [
        (Operation.MODERATIONS, "/v1/moderations", "moderations", BEARER),
        (Operation.SPEECH, "/v1/audio/speech", "audio", BEARER),
        (Operation.MESSAGES_COUNT, "/v1/messages/count_tokens", "messages", MESSAGES),
        (
            Operation.GENERATE_COUNT,
            "/vendorc/v1beta/models/{model}:countTokens",
            "generate",
            GENERATE,
        ),
    ],
)
def test_address_and_keys_come_from_the_table(operation, path, tag, keys):
    """They are written once."""
    row = relayed(operation, name="n", about="a")
    assert ("POST", path, tag, keys) == (row.method, row.path, row.tag, row.keys)
