"""Reasoning inside the content: between tags at its start, or in a list."""

import pytest

from trivium.wire.chat.inline_reasoning import Tagged, thought

CASES = [
    ("Hello", "", "Hello"),
    ("", "", ""),
    ("<think>a</think>b", "a", "b"),
    ("  <think>\na\n</think>\n\nb", "a", "b"),
    ("<think>a", "a", ""),
    ("<think></think>b", "", "b"),
    ("<thin", "", "<thin"),
    ("< think>a", "", "< think>a"),
    ("b<think>a</think>", "", "b<think>a</think>"),
    ("<think>a</thin</think>b", "a</thin", "b"),
    ("<think>a</think>b</think>", "a", "b</think>"),
    ("<think>a\n\nb</think>c", "a\n\nb", "c"),
]


@pytest.mark.parametrize(("content", "reasoning", "text"), CASES)
def test_tags_divide_reasoning_from_text_however_it_is_cut(content, reasoning, text):
    """Whole, character by character and cut at every place."""
    cuts = [[content], list(content)]
    cuts += [[content[:at], content[at:]] for at in range(1, len(content))]
    for pieces in cuts:
        tagged = Tagged()
        said = [tagged.feed(piece) for piece in pieces if piece] + [tagged.rest()]
        assert (reasoning, text) == ("".join(a for a, _ in said), "".join(b for _, b in said)), (
            pieces
        )


def test_a_content_list_is_reasoning_and_text():
    """Mistral's form; what is neither is left to others."""
    odd = []
    content = [
        "Oh. ",
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm. "}]},
        {"type": "thinking", "thinking": "So."},
        {"type": "text", "text": "Hi"},
        {"type": "reference"},
        5,
    ]
    assert ("Hm. So.", "Oh. Hi") == thought(content, odd)
    assert [{"type": "reference"}, 5] == odd
