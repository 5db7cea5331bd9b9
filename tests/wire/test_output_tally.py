"""Each way to tell of a text is summed apart; the one that tells most counts."""

import pytest

from trivium.wire.operation import SPOKEN, Shape
from trivium.wire.output_tally import READERS, OutputTally


def read(shape, *objects):
    tally = OutputTally()
    READERS[shape](objects, tally)
    found = tally.found()
    return found.text, found.reasoning, found.pictures, found.sound


def test_every_shape_that_is_spoken_has_a_reader():
    """But a vendor's own, whose answers are always translated."""
    assert SPOKEN - {Shape.VENDOR} <= READERS.keys()


@pytest.mark.parametrize("shape", READERS)
@pytest.mark.parametrize("odd", [None, 5, "text", [], {}, [[]], {"choices": 3, "delta": []}])
def test_what_says_nothing_counts_nothing(shape, odd):
    """Whatever a vendor sends in the place of an answer."""
    assert (0, 0, 0, 0) == read(shape, odd)


@pytest.mark.parametrize(
    ("shape", "told", "text", "reasoning"),
    [
        (Shape.CHAT, {"choices": [{"message": {"content": "four"}}]}, 4, 0),
        (Shape.MESSAGES, {"content": [{"type": "text", "text": "four"}]}, 4, 0),
        (
            Shape.CONVERSE,
            {
                "output": {
                    "message": {
                        "content": [
                            {"text": "four"},
                            {"reasoningContent": {"reasoningText": {"text": "ab"}}},
                        ]
                    }
                }
            },
            *(4, 2),
        ),
        (
            Shape.COHERE,
            {"message": {"content": [{"type": "text", "text": "four"}], "tool_plan": "go"}},
            *(6, 0),
        ),
    ],
)
def test_a_whole_answer(shape, told, text, reasoning):
    """Bytes of its words and of its thoughts."""
    assert (text, reasoning, 0, 0) == read(shape, told)


def test_sums_are_added_by_a_share():
    """As a sample stands for more than itself; of whole answers the longer one counts."""
    one, other = OutputTally(), OutputTally()
    other.text[0], other.pictures = 10, 2
    other.whole(3, 0)
    one.add(other, 3, 2)
    one.whole(2, 0)
    assert (15, 3, 3) == (one.text[0], one.pictures, one.text[3])
