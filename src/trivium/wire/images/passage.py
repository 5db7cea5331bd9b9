"""The images operations on the pass-through lane."""

from typing import Final

from trivium.wire.images import edit, stream
from trivium.wire.images.answer import answer
from trivium.wire.openai_shapes import renamed
from trivium.wire.operation import Operation
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members


def _passage(operation: Operation, watch: type[stream.Watch] | None = None) -> PassThroughSpec:
    def facts(body: Members) -> RequestFacts:
        """Read and check a request for pictures. Raises ``Fault`` naming the member."""
        return edit.wish_of(body, operation, words=False).facts()

    return PassThroughSpec(facts=facts, changes=renamed, answer=answer, watch=watch)


PASSAGE: Final = _passage(Operation.IMAGES, stream.Watch)
EDIT: Final = _passage(Operation.IMAGES_EDIT, stream.Watch)
VARY: Final = _passage(Operation.IMAGES_VARY)
