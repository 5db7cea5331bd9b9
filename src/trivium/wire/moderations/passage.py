"""The moderations operation on the pass-through lane; it never streams."""

from typing import Final

from trivium.wire.moderations.request import changes, facts
from trivium.wire.moderations.response import answer
from trivium.wire.passage import Passage

PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer)
