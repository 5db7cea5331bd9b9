"""The images operations on the pass-through lane."""

from collections.abc import Mapping
from typing import Final

from trivium.wire import basics
from trivium.wire.images import edit, stream
from trivium.wire.images.answer import answer
from trivium.wire.operation import Operation
from trivium.wire.passage import Facts, Passage
from trivium.wire.peek import Members


def facts(body: Members) -> Facts:
    """Read and check a request for pictures out of words. Raises ``Fault`` naming the member."""
    return edit.wish_of(body, Operation.IMAGES, words=False).facts()


def edit_facts(body: Members) -> Facts:
    """The same of a request to edit pictures."""
    return edit.wish_of(body, Operation.IMAGES_EDIT, words=False).facts()


def vary_facts(body: Members) -> Facts:
    """The same of a request for variations of a picture."""
    return edit.wish_of(body, Operation.IMAGES_VARY, words=False).facts()


def changes(
    body: Members,
    facts: Facts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - part of the contract; usage is always told
) -> Mapping[str, bytes | None]:
    """The upstream's model name, also where the request left it to the default."""
    return basics.renamed(body, facts, upstream_model)


PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=stream.Watch)
EDIT: Final = Passage(facts=edit_facts, changes=changes, answer=answer, watch=stream.Watch)
VARY: Final = Passage(facts=vary_facts, changes=changes, answer=answer)
