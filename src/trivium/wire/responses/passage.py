"""The responses operations on the pass-through lane."""

from typing import Final

from trivium.wire.passage import Passage
from trivium.wire.responses import count
from trivium.wire.responses.request import changes, facts
from trivium.wire.responses.response import answer
from trivium.wire.responses.stream import watch

PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
COUNT: Final = Passage(facts=count.facts, changes=changes, answer=count.answer)
