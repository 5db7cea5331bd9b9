"""The embeddings operation on the pass-through lane; it never streams."""

from collections.abc import Mapping
from typing import Final

from trivium.wire import basics, whole
from trivium.wire.checks import missing
from trivium.wire.passage import Answer, Facts, Passage
from trivium.wire.peek import Members


def answer(body: bytes) -> Answer:
    """Usage and error of a 200 answer. Raises ``Fault`` (UPSTREAM_BROKE) on other content."""
    return whole.answer(body, "data")


def facts(body: Members) -> Facts:
    """Read and check an embeddings request. Raises ``Fault`` naming the member."""
    model = basics.model(body)
    if not body.opening("input"):
        raise missing("input")
    return Facts(model=model, output_max=0)


def changes(
    body: Members,
    facts: Facts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - part of the contract; embeddings do not stream
) -> Mapping[str, bytes | None]:
    """The upstream's model name. ``encoding_format`` stays: SDKs decode what they asked for."""
    return basics.renamed(body, facts, upstream_model)


PASSAGE: Final = Passage(facts=facts, changes=changes, answer=answer)
