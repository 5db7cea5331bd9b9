"""The images operation on the pass-through lane."""

from trivium.wire.images.passage import PASSAGE
from trivium.wire.images.stream import Watch
from trivium.wire.peek import members


def test_the_model_may_be_left_out():
    """The gateway knows which is meant; the upstream is told its own name."""
    body = members(b'{"prompt":"x"}')
    facts = PASSAGE.facts(body)
    assert ("", {"model": b'"own"'}) == (facts.model, PASSAGE.changes(body, facts, "own", False))


def test_a_stream_is_watched():
    """By its own watch."""
    facts = PASSAGE.facts(members(b'{"prompt":"x","stream":true}'))
    assert isinstance(PASSAGE.watch(facts), Watch)
