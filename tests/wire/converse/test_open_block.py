"""Blocks that are told when they are whole."""

import json

import msgspec
import pytest

from trivium.wire.converse.open_block import ConverseOpenBlock, joined


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], ""),
        (["aGk="], "aGk="),
        (["not base64, and alone"], "not base64, and alone"),
        (["aGk=", "ZGRlbg=="], "aGlkZGVu"),
    ],
)
def test_bytes_in_pieces_are_one_text(pieces, expected):
    """Each is base64 by itself, so they are not glued."""
    assert expected == joined(pieces)


@pytest.mark.parametrize("piece", ["%", "a", "ü"])
def test_pieces_that_are_none_are_refused(piece):
    """Rather than that half of a picture is shown."""
    with pytest.raises(ValueError):
        joined(["aGk=", piece])


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [(['{"q"', ":1}"], {"q": 1}), ([], {}), ([" "], {}), (["{"], {"_raw": "{"})],
)
def test_a_call_of_the_vendors_own_is_as_in_a_whole_answer(pieces, expected):
    """Its input an object, broken ones word for word."""
    block = ConverseOpenBlock("server")
    block.head = {"toolUseId": "a", "name": "n", "type": "server_tool_use"}
    block.pieces = pieces
    assert {"toolUse": {**block.head, "input": expected}} == json.loads(block.native())


def test_results_and_strange_blocks_keep_their_pieces():
    """In their order."""
    rows = [msgspec.Raw(b'{"text":"a"}'), msgspec.Raw(b'{"json":{}}')]
    for kind, expected in (
        (
            "toolResult",
            {"toolResult": {"toolUseId": "a", "content": [{"text": "a"}, {"json": {}}]}},
        ),
        ("smell", {"smell": [{"text": "a"}, {"json": {}}]}),
    ):
        block = ConverseOpenBlock(kind)
        block.head = {"toolUseId": "a"}
        block.rows = rows
        assert expected == json.loads(block.native())
