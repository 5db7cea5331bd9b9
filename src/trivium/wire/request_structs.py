"""What is read of a request's JSON, and what a search finds in it."""

from typing import Annotated

import msgspec

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
"""A function, tool or schema name. Source: the service specification, "Function definition"."""


class AllowedTools(msgspec.Struct, gc=False):
    """A restriction of the tools on offer. Source: the service specification."""

    mode: Annotated[str, msgspec.Meta(pattern=r"^(?:auto|required)\Z")]
    tools: list[msgspec.Raw]


class StateRef(msgspec.Struct, frozen=True, gc=False):
    """One place that names a maker."""

    at: int
    """Offset in the body: the later mark is the newer one."""
    key: str
    """Under which it is remembered; for an envelope, the envelope itself."""


class StateRefs(msgspec.Struct, frozen=True, gc=False):
    """What was found in one body, each group in order of appearance."""

    envelopes: tuple[StateRef, ...] = ()
    calls: tuple[StateRef, ...] = ()
    native: tuple[StateRef, ...] = ()
