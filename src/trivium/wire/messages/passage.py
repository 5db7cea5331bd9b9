"""The messages operations as the pass-through lane takes them."""

from typing import Final

from trivium.wire.messages.request import changes, count_facts, facts
from trivium.wire.messages.response import answer, count_answer
from trivium.wire.messages.stream import watch
from trivium.wire.passage import Passage

MESSAGES: Final = Passage(facts=facts, changes=changes, answer=answer, watch=watch)
COUNT: Final = Passage(facts=count_facts, changes=changes, answer=count_answer)
