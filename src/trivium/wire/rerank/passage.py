"""The rerank operation on the pass-through lane; it never streams."""

from typing import Final

from trivium.wire.passage import Passage
from trivium.wire.rerank.request import changes, facts
from trivium.wire.rerank.response import answer

PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer)
