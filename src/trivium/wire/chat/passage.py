"""The chat operation on the pass-through lane."""

from typing import Final

from trivium.wire import whole
from trivium.wire.chat.request import changes, facts
from trivium.wire.chat.stream import watch
from trivium.wire.passage import Answer, Passage


def answer(body: bytes) -> Answer:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    return whole.answer(body, "choices")


PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
