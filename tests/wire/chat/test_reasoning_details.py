"""Fragments of reasoning details become the entries that their maker knows."""

import pytest

from trivium.wire.chat.reasoning_details import ReasoningDetails

TEXT = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}


def put(*frames):
    """What the entries of several frames come to."""
    details = ReasoningDetails()
    for rows in frames:
        details.add(rows)
    return details.whole()


def test_fragments_of_one_entry_are_put_together():
    """Text piece by piece, the signature in the last of them."""
    frames = [[{**TEXT, "text": piece, "signature": None}] for piece in ("I ", "th", "ink")]
    frames.append([{**TEXT, "signature": "sig"}])
    assert [{**TEXT, "text": "I think", "signature": "sig"}] == put(*frames)


def test_summaries_and_texts_grow_apart():
    """By their type and index, interleaved or not."""
    frames = [
        [{"type": "reasoning.summary", "index": at, "summary": piece}]
        for at, piece in ((0, "a"), (1, "x"), (0, "b"), (1, "y"))
    ]
    assert ["ab", "xy"] == [row["summary"] for row in put(*frames)]


def test_an_id_tells_them_apart_where_there_is_no_index():
    """Two ids are two entries, the same id is one."""
    rows = [{"type": "reasoning.text", "id": id_, "text": id_} for id_ in "aba"]
    assert [("a", "aa"), ("b", "b")] == [(row["id"], row["text"]) for row in put(rows)]


@pytest.mark.parametrize(
    "rows",
    [
        [{"type": "reasoning.encrypted", "index": 0, "data": data} for data in "ab"],
        [{"type": "reasoning.text", "text": text} for text in "ab"],
        [{**TEXT, "id": "1", "text": "a"}, {**TEXT, "id": "2", "text": "b"}],
        ["odd", 5],
    ],
)
def test_what_comes_whole_stays_as_it_came(rows):
    """Sealed data, and whatever has no name."""
    assert rows == put(rows)


def test_many_fragments_are_one():
    """A long thought, a word a frame."""
    assert "x" * 50_000 == put(*[[{**TEXT, "text": "x"}]] * 50_000)[0]["text"]
