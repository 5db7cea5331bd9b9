"""The generate-content operations as the pass-through lane takes them."""

from functools import partial
from typing import Final

from trivium.wire.generate import request, response
from trivium.wire.generate.stream import watch
from trivium.wire.passage import PassThroughSpec

GENERATE: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.facts, changes=request.changes, answer=response.answer
)
STREAM: Final[PassThroughSpec] = PassThroughSpec(
    facts=partial(request.facts, stream=True),
    changes=request.changes,
    answer=response.answer,
    watch=watch,
)
COUNT: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.count_facts, changes=request.count_changes, answer=response.count_answer
)
EMBED: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.embed_facts,
    changes=request.changes,
    answer=partial(response.embedded, opens=b"{", member="embedding"),
)
EMBED_BATCH: Final[PassThroughSpec] = PassThroughSpec(
    facts=request.embed_batch_facts,
    changes=request.embed_batch_changes,
    answer=partial(response.embedded, opens=b"[", member="embeddings"),
)
