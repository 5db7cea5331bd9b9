"""The generate-content operations as the pass-through lane takes them."""

from typing import Final

from trivium.wire.generate import request, response
from trivium.wire.generate.stream import watch
from trivium.wire.passage import Passage

GENERATE: Final[Passage] = Passage(
    facts=request.facts, changes=request.changes, answer=response.answer
)
STREAM: Final[Passage] = Passage(
    facts=request.stream_facts, changes=request.changes, answer=response.answer, watch=watch
)
COUNT: Final[Passage] = Passage(
    facts=request.count_facts, changes=request.count_changes, answer=response.count_answer
)
EMBED: Final[Passage] = Passage(
    facts=request.embed_facts, changes=request.changes, answer=response.embed_answer
)
EMBED_BATCH: Final[Passage] = Passage(
    facts=request.embed_batch_facts,
    changes=request.embed_batch_changes,
    answer=response.embed_batch_answer,
)
