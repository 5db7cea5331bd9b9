"""What an embeddings request says about itself, and what is replaced on its way.

Source: OpenAI's API reference, embeddings, read 2026-11-21. Nothing is generated: no output limit.
"""

from collections.abc import Mapping

from trivium.wire import basics
from trivium.wire.checks import missing
from trivium.wire.passage import Facts
from trivium.wire.peek import Members


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
