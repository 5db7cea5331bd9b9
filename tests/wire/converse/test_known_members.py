"""The tables of known members are those of the vendor's model, and name all that is new."""

import pytest
from botocore.loaders import Loader

from trivium.wire.converse import known_members

SHAPES = Loader().load_service_model("bedrock-runtime", "service-2")["shapes"]
PADDING = {"p"}


def members(shape):
    """The members that the vendor's model has."""
    return set(SHAPES[shape]["members"])


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        (known_members.ANSWER, "ConverseResponse"),
        (known_members.BEGINNING, "MessageStartEvent"),
        (known_members.BLOCK_START, "ContentBlockStartEvent"),
        (known_members.DELTA, "ContentBlockDeltaEvent"),
        (known_members.BLOCK_END, "ContentBlockStopEvent"),
        (known_members.END, "MessageStopEvent"),
        (known_members.METADATA, "ConverseStreamMetadataEvent"),
    ],
)
def test_the_members_are_the_vendors(table, shape):
    """None more, none less."""
    assert members(shape) == set(table._table) - PADDING


def test_the_kinds_of_block_and_delta_are_the_vendors():
    """Whatever a new version has is found here."""
    assert members("ContentBlock") == {"text", *known_members.BLOCKS, *known_members.OWN}
    assert members("ContentBlockDelta") == set(known_members.DELTA._table["delta"])
    assert members("ContentBlockStart") == set(known_members.BLOCK_START._table["start"])
    assert members("TokenUsage") == set(known_members.ANSWER._table["usage"])


def test_what_is_new_is_told():
    """By its name, in whatever depth."""
    names = []
    known_members.ANSWER.look(
        b'{"output":{"message":{"role":"assistant","mood":1},"x":{"y":1}},"usage":{"z":1}}',
        lambda name, _: names.append(name),
    )
    assert ["mood", "x", "z"] == names
