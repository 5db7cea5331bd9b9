"""The images operations on the pass-through lane."""

from collections.abc import Mapping
from typing import Final

from trivium.wire import openai_members
from trivium.wire.images import edit, stream
from trivium.wire.images.answer import answer
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


def changes(
    body: Members,
    facts: RequestFacts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - part of the contract; usage is always told
) -> Mapping[str, bytes | None]:
    """The upstream's model name, also where the request left it to the default."""
    return openai_members.renamed(body, facts, upstream_model)


PASSAGE: Final = PassThroughSpec(facts=facts, changes=changes, answer=answer, watch=stream.Watch)
EDIT: Final = PassThroughSpec(facts=edit_facts, changes=changes, answer=answer, watch=stream.Watch)
VARY: Final = PassThroughSpec(facts=vary_facts, changes=changes, answer=answer)
