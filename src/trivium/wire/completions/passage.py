"""The completions operation on the pass-through lane."""

from typing import Final

from trivium.wire.completions.request import changes, facts
from trivium.wire.completions.response import answer
from trivium.wire.completions.stream import watch
from trivium.wire.passage import Passage

PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
