"""Addresses of Converse: whatever an id holds."""

import pytest

from trivium.wire.converse.path import decoded_name, parse
from trivium.wire.operation import Operation

ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-x-v1:0"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"/model/m/converse", ("m", Operation.CONVERSE)),
        (b"/model/m/converse-stream", ("m", Operation.CONVERSE_STREAM)),
        (
            b"/model/anthropic.claude-x-v1%3A0/converse",
            ("anthropic.claude-x-v1:0", Operation.CONVERSE),
        ),
        (
            b"/model/anthropic.claude-x-v1:0/converse",
            ("anthropic.claude-x-v1:0", Operation.CONVERSE),
        ),
        (
            b"/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude-x-v1%3A0/converse",
            (ARN, Operation.CONVERSE),
        ),
        (f"/model/{ARN}/converse-stream".encode(), (ARN, Operation.CONVERSE_STREAM)),
        (b"/model/a%2520b/converse", ("a%20b", Operation.CONVERSE)),
        (b"/model/converse/converse", ("converse", Operation.CONVERSE)),
        (b"/model/%FF/converse", None),
        (b"/model/\xff/converse", None),
        (b"/model//converse", None),
        (b"/model/converse", None),
        (b"/model/m/converse/", None),
        (b"/model/m/invoke", None),
        (b"/model/m/Converse", None),
        (b"/models/m/converse", None),
        (b"/v1/model/m/converse", None),
    ],
)
def test_an_address_is_read_from_its_end(path, expected):
    """Percent signs are undone once."""
    assert expected == parse(path)


def test_a_name_alone():
    """As it stood in the request line."""
    assert ("a/b", None) == (decoded_name("a%2Fb"), decoded_name("%80"))
