"""Why a chat answer ended, both ways: no cut may look like an end."""

import pytest

from trivium.conversation.finish import Finish, Unified
from trivium.wire.chat.finish import read, written


@pytest.mark.parametrize(
    ("word", "called", "unified"),
    [
        ("stop", False, Unified.STOP),
        ("stop", True, Unified.TOOL_CALLS),
        (None, True, Unified.TOOL_CALLS),
        (None, False, Unified.STOP),
        ("eos", False, Unified.STOP),
        ("length", True, Unified.LENGTH),
        ("model_length", False, Unified.CONTEXT_FULL),
        ("function_call", False, Unified.TOOL_CALLS),
        ("content_filter", True, Unified.CONTENT_FILTER),
        ("invented", False, Unified.OTHER),
    ],
)
def test_trap_046_a_vendors_word_becomes_one_of_ours(word, called, unified):
    """Its own word is kept beside it."""
    assert Finish(unified, word or "") == read(word, called=called)


@pytest.mark.parametrize("unified", Unified)
def test_every_reason_has_a_chat_word(unified):
    """Only a real stop is called one."""
    word = written(Finish(unified), legacy=False)
    assert word in {"stop", "length", "tool_calls", "content_filter"}
    assert (word == "stop") == (unified in {Unified.STOP, Unified.STOP_SEQUENCE})


def test_callers_of_the_old_functions_get_the_old_word():
    """For calls alone."""
    assert "function_call" == written(Finish(Unified.TOOL_CALLS), legacy=True)
    assert "stop" == written(Finish(Unified.STOP), legacy=True)
