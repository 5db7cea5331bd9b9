"""Frames of one kind, written as ``event_stream`` writes them."""

from hypothesis import given
from hypothesis import strategies as st

from trivium.wire.converse.frame import HEARTBEAT, FrameTemplate
from trivium.wire.event_stream import EventFrames, event


@given(kind=st.from_regex(r"[A-Za-z]{1,40}", fullmatch=True), payload=st.binary(max_size=300))
def test_it_is_the_very_frame(kind, payload):
    """Byte for byte."""
    assert event(kind, payload) == FrameTemplate(kind).framed(payload)


def test_a_heartbeat_is_an_event_that_the_client_does_not_hear(converse):
    """It is whole, and its kind is nobody's."""
    (frame,) = EventFrames().feed(HEARTBEAT)
    assert ("event", "keepAlive") == (frame.word(":message-type"), frame.word(":event-type"))
    assert [] == converse.streamed(HEARTBEAT * 3)
