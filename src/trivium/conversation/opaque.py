"""Data that only its maker can read: signatures, encrypted reasoning, continuation tokens.

It is carried, scoped and never interpreted. An attachment belongs to the part it came on and goes
back to the account that made it and to nobody else. Inside a caller's own shape it travels sealed
(an envelope in a slot the caller is known to echo); codecs see only ``Seal`` and ``Open``.
"""

from collections.abc import Callable
from typing import Final

import msgspec


class StateOrigin(msgspec.Struct, frozen=True, gc=False):
    """The maker of an attachment. Equal origins can read each other's attachments."""

    shape: str
    """Shape it was written in: ``chat``, ``responses``, ``messages``, ``generate``, ``cohere``."""
    provider: str
    """Kind of upstream, as in the provider table."""
    account: str
    """The channel: most vendors bind the data to organisation, key or project."""


class Opaque(msgspec.Struct, frozen=True, gc=False):
    """One attachment. The bytes sent upstream later are exactly ``data``."""

    kind: str
    """What it is in its maker's words, which is also the slot it goes back to: see ``KINDS``."""
    data: bytes
    """The vendor's string as UTF-8, or a whole JSON item where the vendor wants that back."""
    origin: StateOrigin | None = None
    """``None``: read from a caller, unsealed, so nobody we know made it for this target."""
    model: str = ""
    """The maker's own model name; informative, no part of the match."""


SIGNATURE: Final = "signature"
"""Messages: ``thinking.signature``."""
REDACTED: Final = "redacted"
"""Messages: ``redacted_thinking.data``; the whole part is hidden."""
REASONING_ITEM: Final = "reasoning_item"
"""Responses: the whole reasoning item as JSON (id, summary, encrypted_content)."""
THOUGHT_SIGNATURE: Final = "thought_signature"
"""Generate: ``thoughtSignature``, in standard base64 with padding."""
REASONING_DETAILS: Final = "reasoning_details"
"""Chat: the ``reasoning_details`` array as JSON (OpenRouter's spelling)."""
EXTRA_CONTENT: Final = "extra_content"
"""Chat: ``tool_calls[].extra_content`` as JSON (Google's own chat endpoint)."""
WORDS: Final = "words"
"""What a signature is of, for callers who keep what is sealed and drop what can be read."""
SLOT: Final = "slot"
"""A caller's opaque slot that no envelope of ours was found in."""

KINDS: Final = frozenset(
    {
        SIGNATURE,
        REDACTED,
        REASONING_ITEM,
        THOUGHT_SIGNATURE,
        REASONING_DETAILS,
        EXTRA_CONTENT,
        WORDS,
        SLOT,
    }
)

Seal = Callable[[tuple[Opaque, ...]], str]
"""Attachments of one part to the one string that goes into the caller's slot."""

Open = Callable[[str], tuple[Opaque, ...] | None]
"""A string from a caller's slot to the attachments in it; ``None`` when it is no envelope."""
