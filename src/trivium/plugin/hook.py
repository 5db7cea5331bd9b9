"""What a package may have called for each request: before it is planned, and after it ended."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from trivium.observe.record import Record


class HookRequest(msgspec.Struct, kw_only=True):
    """A request for a model, as a hook may see and change it."""

    request_id: str
    operation: str
    """``chat``, ``responses``, ``messages``, ``generate``, ``embeddings``, …"""
    model: str
    """From the path; empty where the body says it."""
    key_id: int
    user_id: int
    headers: Mapping[str, str]
    """Names in lower case, without those that carry a key."""
    body: bytes
    """JSON as it came, unchecked; empty for a form. A hook may put another in its place."""


class BeforeHook(Protocol):
    """Called with each request that has a valid key, before its model is looked up."""

    async def before(self, request: HookRequest) -> None:
        """Look at the request, or change its body. Raises ``Fault`` to refuse it: its message is
        shown to the caller, in the shape that it speaks.
        """
        ...


class AfterHook(Protocol):
    """Called with the record of each request that was served or failed."""

    def after(self, record: Record) -> None:
        """Take note of it. Called from the event loop: whatever takes long belongs in a task."""
        ...
