"""Messages requests on the pass-through lane: what is read, what is checked, what is replaced.

Nothing inside ``messages``, ``system`` or ``tools`` is touched or even parsed: thinking blocks are
signed, and the vendor checks that not a byte before them has changed.
"""

from collections.abc import Mapping
from typing import Final

from trivium.faults import Fault, Kind
from trivium.wire.basics import at_least, model, renamed
from trivium.wire.checks import missing
from trivium.wire.passage import Facts
from trivium.wire.peek import Members

_ARRAY: Final = ord("[")


def facts(body: Members) -> Facts:
    """What a request for a message says about itself.

    Raises MISSING_MEMBER, INVALID_TYPE, INVALID_VALUE. ``max_tokens`` 0 is legal: it fills the
    prompt cache and generates nothing.
    """
    name = model(body)
    _messages(body)
    output_max = at_least(body, "max_tokens", 0)
    if output_max is None:
        raise missing("max_tokens")
    return Facts(model=name, stream=body.flag("stream"), output_max=output_max)


def count_facts(body: Members) -> Facts:
    """What a request for a token count says about itself; it generates nothing, so no limit.

    Members that only matter for generating may be there and are not looked at.
    """
    name = model(body)
    _messages(body)
    return Facts(model=name, output_max=0)


def changes(
    body: Members,
    facts: Facts,
    upstream_model: str,
    ask_usage: bool,  # noqa: ARG001 - these streams always carry usage
) -> Mapping[str, bytes | None]:
    """The model's name at the vendor, when it is another one."""
    return renamed(body, facts, upstream_model)


def _messages(body: Members) -> None:
    opening = body.opening("messages")
    if not opening:
        raise missing("messages")
    if opening != _ARRAY:
        raise Fault(Kind.INVALID_TYPE, "`messages` must be an array.", param="messages")
