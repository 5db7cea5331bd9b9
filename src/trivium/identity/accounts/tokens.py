"""Tokens of sessions and tickets: 256 random bits, of which only the SHA-256 is kept.

High entropy needs no slow hash, and a digest is looked up by index: no comparison of secrets takes
place that could be timed.
"""

import base64
from collections.abc import Callable
from hashlib import sha256
from typing import Final

TOKEN_BYTES: Final = 32
TOKEN_CHARS: Final = 43
"""Of URL-safe base64 without its padding."""


def issue(random_bytes: Callable[[int], bytes]) -> str:
    """A new token. ``random_bytes``: as ``secrets.token_bytes``."""
    return base64.urlsafe_b64encode(random_bytes(TOKEN_BYTES)).decode().rstrip("=")


def digest(token: str) -> bytes | None:
    """What is stored of a token; ``None`` for a text that cannot be one."""
    if len(token) != TOKEN_CHARS:
        return None
    return sha256(token.encode("utf-8", "replace")).digest()
