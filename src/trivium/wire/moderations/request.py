"""What a moderations request says about itself, and what is replaced on its way.

Source: OpenAI's API reference, moderations, read 2026-11-21. Nothing is generated.
"""

from collections.abc import Mapping
from typing import Final

from trivium.wire import basics
from trivium.wire.checks import missing
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

MODEL: Final = "omni-moderation-latest"
"""The model of a request that names none, by the protocol."""


def facts(body: Members) -> Facts:
    """Read and check a moderations request. Raises ``Fault`` naming the member."""
    model = MODEL if body.raw("model") is None else basics.model(body)
    if body.raw("input") is None:
        raise missing("input")
    return Facts(model=model, output_max=0)


def changes(
    body: Members,
    facts: Facts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - part of the contract; moderations do not stream
) -> Mapping[str, bytes | None]:
    """The upstream's model name, also where the request left it to the default."""
    return basics.renamed(body, facts, upstream_model)
