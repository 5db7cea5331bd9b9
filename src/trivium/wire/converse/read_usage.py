"""Usage as the converse shape counts it, normalised to disjoint counters.

``inputTokens`` leaves cache reads and writes out; ``totalTokens`` is a sum and says nothing more.
``outputTokens`` contains reasoning, which is not counted apart.
Sources, read on 2026-11-28: ``TokenUsage`` of botocore 1.44's model of the service; "Prompt
caching" of the user guide, https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html.
"""

from typing import Any, Final

from trivium.conversation.usage import Usage
from trivium.wire.lenient import NonsenseError, count, objects_of

_LONG: Final = "1h"
_LIVES_MAX: Final = 16
"""Rows of ``cacheDetails`` that are looked at: one a length of life, of which there are two."""


def usage(reported: Any) -> Usage | None:
    """The canonical record of a ``usage`` object; ``None`` when it has no counter or nonsense.

    Marked as estimated where nothing is said of the input: no request has none.
    """
    if not isinstance(reported, dict):
        return None
    get = reported.get
    details = objects_of(get("cacheDetails"))[:_LIVES_MAX]
    is_input_said = any(
        get(name) is not None
        for name in ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    )
    if not is_input_said and get("outputTokens") is None:
        return None
    try:
        fresh, read = count(get("inputTokens")), count(get("cacheReadInputTokens"))
        output = count(get("outputTokens"))
        split = [(row.get("ttl"), count(row.get("inputTokens"))) for row in details]
        long = sum(tokens for life, tokens in split if life == _LONG)
        total = get("cacheWriteInputTokens")
        written = sum(tokens for _, tokens in split) if total is None else count(total)
    except NonsenseError:
        return None
    long = min(long, written)
    return Usage(
        fresh=fresh,
        cache_read=read,
        cache_write_short=written - long,
        cache_write_long=long,
        output=output,
        estimated=not is_input_said,
    )
