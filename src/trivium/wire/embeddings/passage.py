"""The embeddings operation on the pass-through lane; it never streams."""

from functools import partial
from typing import Final

from trivium.wire import openai_shapes
from trivium.wire.checks import missing
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members


def facts(body: Members) -> RequestFacts:
    """Read and check an embeddings request. Raises ``Fault`` naming the member."""
    model = body.needed("model")
    if not body.opening("input"):
        raise missing("input")
    return RequestFacts(model=model, output_max=0)


PASSAGE: Final[PassThroughSpec] = PassThroughSpec(
    facts=facts,
    changes=openai_shapes.renamed,
    answer=partial(openai_shapes.answer, content="data"),
)
