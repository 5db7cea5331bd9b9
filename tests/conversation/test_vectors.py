"""Texts to be turned into vectors."""

from trivium.conversation.vectors import VectorRequest


def test_the_size_is_that_of_all_texts():
    """In bytes of UTF-8; half a character is no failure."""
    assert 2 + 1 + 1 == VectorRequest(inputs=("é", "a", "\ud800")).size
