"""The chat operation on the pass-through lane."""

import functools
from collections.abc import Callable
from typing import Final

from trivium.wire import whole_answer
from trivium.wire.chat.request import changes, facts
from trivium.wire.chat.stream import watch
from trivium.wire.passage import AnswerFacts, PassThroughSpec

answer: Final[Callable[[bytes], AnswerFacts]] = functools.partial(
    whole_answer.answer, content="choices"
)
"""Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
PASSAGE: Final = PassThroughSpec(facts=facts, changes=changes, answer=answer, watch=watch)
