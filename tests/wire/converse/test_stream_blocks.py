"""Blocks of a stream by themselves."""

import json

from trivium.conversation.events import Deltas, PartEnd, PartStart
from trivium.wire.converse.stream_blocks import ConverseBlocks


def delta(at, **members):
    """The payload of a delta."""
    return json.dumps({"contentBlockIndex": at, "delta": members}).encode()


def test_only_more_of_an_open_text_flows(converse):
    """Everything else takes the long way."""
    blocks, out = ConverseBlocks(converse.context()), []
    assert not blocks.flow(delta(0, text="a"), out)
    blocks.delta(delta(0, text="a"), out)
    assert blocks.flow(delta(0, text="b"), out)
    assert not blocks.flow(delta(0, text=""), out)
    assert not blocks.flow(delta(1, text="b"), out)
    assert not blocks.flow(delta(0, text="b", mood="glad"), out)
    assert not blocks.flow(b"nonsense", out)
    assert [PartStart, Deltas] == [type(one) for one in out]
    assert ["a", "b"] == out[1].texts


def test_the_end_closes_whatever_is_open(converse):
    """In the order in which it began."""
    blocks, out = ConverseBlocks(converse.context()), []
    blocks.delta(delta(1, text="a"), out)
    blocks.delta(delta(0, text="b"), out)
    blocks.close_all(out)
    assert [PartEnd(0), PartEnd(1)] == out[-2:]
    blocks.close_all(out)
    assert [PartEnd(0), PartEnd(1)] == out[-2:]
