"""Blocks that hold a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.wire.locate import holding, span
from trivium.wire.sse import blocks

ENDS = ["\n\n", "\r\n\r\n", "\r\r", "\n\r\n"]


@pytest.mark.parametrize("end", [end.encode() for end in ENDS])
def test_a_block_is_found_by_any_of_its_bytes(end):
    """From the first byte to the last before the blank line."""
    run = b"data: 1" + end + b"data: two" + end + b"data: 3" + end
    second = run.index(b"data: two")
    for at in range(second, second + len(b"data: two")):
        start, stop = span(run, at)
        assert b"data: two" in run[start:stop]
        assert blocks(run[start:stop]) == [b for b in blocks(run) if b in run[start:stop]]


def test_equal_ends_give_exactly_one_block():
    """The usual case costs one parse."""
    run = b"data: 1\r\n\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n"
    assert b"data: 2\r\n\r\n" == run[slice(*span(run, run.index(b"2")))]


def test_only_blocks_with_a_word_are_given():
    """In order, each once, even when two words stand in it."""
    run = b"data: a\n\ndata: b c\n\ndata: d\n\ndata: c\n\n"
    assert [(9, b"data: b c\n\n"), (29, b"data: c\n\n")] == holding(run, [b"c", b"b"])
    assert [] == holding(run, [b"x"])
    assert [] == holding(b"", [b"x"])


@given(st.lists(st.tuples(st.sampled_from(["a", "word", "x word y", "b"]), st.sampled_from(ENDS))))
def test_mixed_ends_change_nothing(parts):
    """Whatever the blank lines look like, the same blocks are found as by looking at each."""
    run = "".join(f"data: {text}{end}" for text, end in parts).encode()
    wanted, offset = [], 0
    for block in blocks(run):
        if b"word" in block:
            wanted.append((offset, block))
        offset += len(block)
    assert wanted == holding(run, [b"word"])


@pytest.mark.parametrize("end", [end.encode() for end in ENDS])
@pytest.mark.parametrize("size", [15_000, 60_000])
def test_the_length_of_a_run_does_not_matter(size, end):
    """Short runs are searched from the left, long ones from the right."""
    filler = (b"data: x" + end) * (size // (7 + len(end)) // 3)
    run = filler.join([b"", b"data: a word" + end, b"data: b" + end + b"id: word" + end, b""])
    wanted, offset = [], 0
    for block in blocks(run):
        if b"word" in block:
            wanted.append((offset, block))
        offset += len(block)
    assert 2 == len(wanted)
    assert wanted == holding(run, [b"word", b"a word"])


def test_a_block_of_several_lines_is_given_whole():
    """The word's own line is not all of it."""
    run = b"event: a\ndata: word\nid: 7\n\ndata: b\n\n"
    assert [(0, b"event: a\ndata: word\nid: 7\n\n")] == holding(run, [b"word"])
