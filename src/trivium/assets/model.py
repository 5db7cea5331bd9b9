"""What is known of one generated file, and what can be wrong with it."""

import re
from typing import Final

import msgspec

ID: Final = re.compile(r"[0-9a-f]{40}")
"""Twenty random bytes: nobody guesses one, and nothing in it means anything to a file system."""


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """One file that is kept whole."""

    id: str
    user_id: int
    """Whose request made it."""
    kind: str
    """What it is for, in one word: ``image``, ``video``, ``thumbnail``."""
    content_type: str
    size_bytes: int
    created_at: int
    """Seconds since the epoch, as all times here."""
    expires_at: int
    """From then on it is not there, whether it was swept yet or not."""


class AssetError(Exception):
    """The object store cannot be reached, or refuses; the message is for operators."""


class MissingAssetError(AssetError):
    """The object store has no such object."""
