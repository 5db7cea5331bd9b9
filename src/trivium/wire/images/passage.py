"""The images operations on the pass-through lane."""

from typing import Final

from trivium.wire.images import edit, stream
from trivium.wire.images.answer import answer
from trivium.wire.openai_members import renamed
from trivium.wire.operation import Operation
from trivium.wire.passage import PassThroughSpec, RequestFacts
from trivium.wire.peek import Members


def facts(body: Members) -> RequestFacts:
    """Read and check a request for pictures out of words. Raises ``Fault`` naming the member."""
    return edit.wish_of(body, Operation.IMAGES, words=False).facts()


def edit_facts(body: Members) -> RequestFacts:
    """The same of a request to edit pictures."""
    return edit.wish_of(body, Operation.IMAGES_EDIT, words=False).facts()


def vary_facts(body: Members) -> RequestFacts:
    """The same of a request for variations of a picture."""
    return edit.wish_of(body, Operation.IMAGES_VARY, words=False).facts()


PASSAGE: Final = PassThroughSpec(facts=facts, changes=renamed, answer=answer, watch=stream.Watch)
EDIT: Final = PassThroughSpec(facts=edit_facts, changes=renamed, answer=answer, watch=stream.Watch)
VARY: Final = PassThroughSpec(facts=vary_facts, changes=renamed, answer=answer)
