"""Usage as the Converse protocol counts it, normalised to disjoint counters.

``inputTokens`` leaves cache reads and writes out; ``outputTokens`` contains reasoning, of which
nothing is said apart. Source: ``TokenUsage`` of ``bedrock-runtime`` in botocore 1.44, read on
2026-11-28.
"""

from collections.abc import Mapping
from typing import Any

from trivium.conversation.usage import Usage
from trivium.wire.lenient import NonsenseError, count, objects_of


def usage(reported: Any) -> Usage | None:
    """The canonical record of a ``usage`` object; ``None`` when it has no counter or nonsense.

    Marked as estimated where nothing is said of the input: no request has none.
    """
    if not isinstance(reported, dict):
        return None
    is_input_said = reported.get("inputTokens") is not None
    if not is_input_said and reported.get("outputTokens") is None:
        return None
    try:
        return _counted(reported, estimated=not is_input_said)
    except NonsenseError:
        return None


def _counted(reported: Mapping[str, Any], *, estimated: bool) -> Usage:
    get = reported.get
    written = count(get("cacheWriteInputTokens"))
    long = 0
    for row in objects_of(get("cacheDetails")):
        if row.get("ttl") == "1h":
            long += count(row.get("inputTokens"))
    long = min(long, written)
    return Usage(
        fresh=count(get("inputTokens")),
        cache_read=count(get("cacheReadInputTokens")),
        cache_write_short=written - long,
        cache_write_long=long,
        output=count(get("outputTokens")),
        estimated=estimated,
    )
