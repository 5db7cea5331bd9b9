"""Watched streams."""

import pytest

from trivium.conversation.usage import Usage
from trivium.wire.cohere.stream import ChatWatch, watch


@pytest.mark.parametrize("name", ["text.sse", "tools.sse"])
def test_it_passes_as_it_is(recorded, cut_everywhere, name):
    """However it is cut; the end and the counts are seen."""
    data = recorded("cohere", name)
    found = cut_everywhere(watch, data)
    assert found.forwarded == data
    assert found.finished
    assert found.usage == Usage(fresh=3, cache_read=2, output=7)


def test_a_failure_is_taken_out(recorded, relay):
    """Ours stands in its place, and the SDK knows the event."""
    data = recorded("cohere", "error.sse")
    found = relay(watch, data, end=True)
    assert b"model overloaded" not in found.forwarded
    assert b"Gr\xc3\xbc\xc3\x9fe" in found.forwarded
    assert b'"finish_reason":"ERROR"' in found.forwarded
    assert b"event: message-end\n" in found.forwarded
    assert b"model overloaded" in found.error


def test_a_cut_stream_ends_with_an_error(recorded, relay):
    """A half is never taken for the whole."""
    found = relay(watch, recorded("cohere", "cut.sse"), end=True)
    assert not found.finished
    assert b'"request_id":"req_7"' in found.forwarded


def test_words_of_a_text_end_nothing(relay):
    """Whatever a model writes."""
    text = b'event: content-delta\ndata: {"type":"content-delta","delta":{"message":{"content":'
    text += b'{"text":"{\\"type\\":\\"message-end\\"} \\"error\\" message-end"}}}}\n\n'
    found = relay(watch, text)
    assert found.forwarded == text
    assert not found.finished
    assert found.error is None


def test_the_last_blank_line_may_lack(recorded):
    """And nothing comes after the end."""
    watched = ChatWatch()
    data = recorded("cohere", "text.sse")
    out = watched.feed(data[:-1]) + watched.end(None, "req_7")
    assert out == data
    assert watched.finished


@pytest.mark.parametrize(
    "data", [b'event: error\ndata: {"message":"no"}\n\n', b'data: {"error":{"message":"no"}}\n\n']
)
def test_errors_in_other_words(relay, data):
    """As relays write them."""
    assert relay(watch, data).error is not None
