"""Objects of very many parts."""

import pytest

from trivium.wire.generate import read_answer_parts
from trivium.wire.generate.answer_structs import (
    AnswerChunk,
    AnswerPart,
    CandidateContent,
    ChunkCandidate,
)


def text(said, *, thought=None, signature=None):
    return AnswerPart(text=said, thought=thought, thoughtSignature=signature)


def test_few_parts_are_left_as_they_came():
    """Each is a piece of its own."""
    parts = [text("a")] * read_answer_parts.PARTS_APART
    assert list(enumerate(parts)) == list(read_answer_parts.joined(parts))


@pytest.mark.parametrize(
    ("between", "texts"),
    [
        (AnswerPart(), ["a" * 80, None, "b" * 80]),
        (None, ["a" * 80, "", "b" * 80]),
        (text(""), ["a" * 80, "", "b" * 80]),
        (text("x", signature="c2ln"), ["a" * 80, "x", "b" * 80]),
        (text("x", thought=True), ["a" * 80, "x", "b" * 80]),
        (text("x"), ["a" * 80 + "x" + "b" * 80]),
        (text("x", thought=False), ["a" * 80 + "x" + "b" * 80]),
    ],
)
def test_texts_that_go_on_are_one(between, texts):
    """In their place, and no further than to what is none, or of another kind."""
    parts = [*(text("a") for _ in range(80)), between, *(text("b") for _ in range(80))]
    found = list(read_answer_parts.joined(parts))
    assert texts == ["" if part is None else part.text for _, part in found]
    assert [0, 80, 81][: len(texts)] == [place for place, _ in found]


def test_what_is_no_text_is_counted():
    """Of all candidates together."""
    content = CandidateContent(parts=[text("a"), AnswerPart(), None, AnswerPart()])
    body = AnswerChunk(
        candidates=[
            ChunkCandidate(content=content),
            None,
            ChunkCandidate(),
            ChunkCandidate(content=content),
        ]
    )
    assert 4 == read_answer_parts.others(body)
    assert 0 == read_answer_parts.others(AnswerChunk())
