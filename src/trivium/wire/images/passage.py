"""The images operations on the pass-through lane."""

from collections.abc import Mapping
from typing import Final

from trivium.wire import basics
from trivium.wire.images import stream, wish
from trivium.wire.images.answer import answer
from trivium.wire.passage import Facts, Passage
from trivium.wire.peek import Members


def facts(body: Members) -> Facts:
    """Read and check a request for pictures out of words. Raises ``Fault`` naming the member."""
    return wish.read(body, words=False).facts()


def changes(
    body: Members,
    facts: Facts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - part of the contract; usage is always told
) -> Mapping[str, bytes | None]:
    """The upstream's model name, also where the request left it to the default."""
    return basics.renamed(body, facts, upstream_model)


PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer, watch=stream.Watch)
