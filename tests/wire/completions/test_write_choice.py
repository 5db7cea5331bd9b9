"""What a completion says."""

import pytest

from trivium.conversation.finish import Finish, Unified
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import Native, Reasoning, Refusal, Text, TokenLogprob, VendorPart
from trivium.conversation.request import Conversation
from trivium.wire.completions.write_answer import ending, probabilities, prompt_of, text_of


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Text(text="a"), "a"),
        (Refusal(text="no"), "no"),
        (VendorPart(native=Native("messages", b"{}"), kind="x", text="ran"), ""),
        (Reasoning(text="hm"), ""),
    ],
)
def test_only_words_for_the_caller_are_text(part, expected):
    """Thinking and vendors' own blocks have no place in the shape."""
    assert expected == text_of(part)


def test_the_prompt_is_what_the_request_says():
    """In order."""
    turn = Turn(Role.USER, (Text(text="Once "), Text(text="upon")))
    asked = Conversation(shape="completions", model="m", turns=(turn,))

    assert "Once upon" == prompt_of(asked)


@pytest.mark.parametrize(
    ("unified", "expected"),
    [
        (Unified.STOP, "stop"),
        (Unified.STOP_SEQUENCE, "stop"),
        (Unified.TOOL_CALLS, "stop"),
        (Unified.LENGTH, "length"),
        (Unified.CONTEXT_FULL, "length"),
        (Unified.CONTENT_FILTER, "content_filter"),
        (Unified.OTHER, "length"),
    ],
)
def test_an_ending_is_one_of_the_three_words(unified, expected):
    """What broke off never looks complete."""
    assert expected == ending(Finish(unified))


def test_probabilities_are_four_lists():
    """Offsets count code points from where the text stood."""
    tokens = (
        TokenLogprob("é", -0.5, (TokenLogprob("é", -0.5), TokenLogprob("e", -1.0))),
        TokenLogprob("ab", -0.25),
    )

    assert {
        "tokens": ["é", "ab"],
        "token_logprobs": [-0.5, -0.25],
        "top_logprobs": [{"é": -0.5, "e": -1.0}, {}],
        "text_offset": [4, 5],
    } == probabilities(tokens, 4)
