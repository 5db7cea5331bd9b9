"""What a key, a user, a model or a channel may take a minute and at once."""

from typing import Final

import msgspec

LIMIT_MAX: Final = 1_000_000_000_000
"""Beyond it nobody limits anything, and doubles would begin to round."""


class RateLimits(msgspec.Struct, frozen=True, gc=False):
    """Limits of one subject; ``None``: none of that kind."""

    requests: int | None = None
    """Requests a minute."""
    tokens: int | None = None
    """Tokens a minute, of prompts and answers together."""
    concurrency: int | None = None
    """Requests that may run at once."""


def limits(requests: int | None, tokens: int | None, concurrency: int | None) -> RateLimits | None:
    """Limits of one subject; ``None`` when it has none at all."""
    if requests is None and tokens is None and concurrency is None:
        return None
    return RateLimits(requests, tokens, concurrency)
