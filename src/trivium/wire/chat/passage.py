"""The chat operation on the pass-through lane."""

from typing import Final

from trivium.wire.chat.request import changes, facts
from trivium.wire.chat.response import answer
from trivium.wire.chat.stream import watch
from trivium.wire.passage import Passage

PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
