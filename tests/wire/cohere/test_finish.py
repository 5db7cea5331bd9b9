"""Reasons of the end, both ways."""

import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.finish import Finish, Unified
from trivium.conversation.parts import Text
from trivium.wire.cohere import finish


@pytest.mark.parametrize("word", ["COMPLETE", "STOP_SEQUENCE", "TOOL_CALL", "MAX_TOKENS"])
def test_its_words_come_back(word):
    """Each of them means one reason."""
    assert word == finish.written(finish.read(word), [Text])


@pytest.mark.parametrize("word", ["TIMEOUT", "WHATEVER", None, 7])
def test_what_is_not_known_is_not_complete(word):
    """A cut answer never looks whole."""
    found = finish.read(word)
    assert found.unified is Unified.OTHER
    assert finish.written(found, [Text]) == "ERROR"


def test_calls_are_why_a_good_end_came():
    """Of vendors that call every good end the same."""
    assert finish.written(Finish(Unified.STOP), [Text, ToolCall]) == "TOOL_CALL"
    assert finish.written(Finish(Unified.CONTENT_FILTER), [Text]) == "ERROR"
