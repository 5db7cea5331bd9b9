"""The responses operations on the pass-through lane."""

from typing import Final

from trivium.wire import whole
from trivium.wire.passage import Answer, Passage
from trivium.wire.responses import count
from trivium.wire.responses.request import changes, facts
from trivium.wire.responses.stream import watch


def answer(body: bytes) -> Answer:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    return whole.answer(body, "output")


PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
COUNT: Final = Passage(facts=count.facts, changes=changes, answer=count.answer)
