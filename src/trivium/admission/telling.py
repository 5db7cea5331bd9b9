"""The rate limit headers of an answer, in each vendor's form. Pure.

The OpenAI family has counts and durations (``6m0s``), Anthropic counts and moments (RFC 3339); each
once for requests and once for tokens. The generate-content protocol has no such headers. Of several
limits of one kind the one with the least left is given. A model's limits are shared between
callers, so only a refusal shows them.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from trivium.admission.meter import Meter, Subject, remaining, reset
from trivium.wire.operation import Shape

Headers = list[tuple[bytes, bytes]]

_OWN: Final = (Subject.KEY, Subject.USER)
_OPENAI: Final = tuple(
    tuple(b"x-ratelimit-%b-%b" % (what, of) for what in (b"limit", b"remaining", b"reset"))
    for of in (b"requests", b"tokens")
)
_ANTHROPIC: Final = tuple(
    tuple(b"anthropic-ratelimit-%b-%b" % (of, what) for what in (b"limit", b"remaining", b"reset"))
    for of in (b"requests", b"tokens")
)


def granted(meters: Sequence[Meter], into: float, shape: Shape | None, now: float) -> Headers:
    """Return the headers of an answer. ``into``: seconds into the minute; ``now``: since the
    epoch.
    """
    return told([meter for meter in meters if meter.subject in _OWN], into, shape, now)


def told(meters: Sequence[Meter], into: float, shape: Shape | None, now: float) -> Headers:
    """Return the headers for these meters' limits on requests and tokens."""
    if shape is Shape.GENERATE:
        return []
    requests: tuple[int, int, float] | None = None
    tokens: tuple[int, int, float] | None = None
    for meter in meters:
        limit = meter.limits.requests
        if limit is not None:
            left = remaining(limit, meter.requests, meter.requests_before, into)
            if requests is None or left < requests[1]:
                requests = limit, left, reset(meter.requests, meter.requests_before, into)
        limit = meter.limits.tokens
        if limit is not None:
            left = remaining(limit, meter.tokens, meter.tokens_before, into)
            if tokens is None or left < tokens[1]:
                tokens = limit, left, reset(meter.tokens, meter.tokens_before, into)
    out: Headers = []
    anthropic = shape is Shape.MESSAGES
    for names, found in zip(_ANTHROPIC if anthropic else _OPENAI, (requests, tokens), strict=True):
        if found is not None:
            limit, left, wait = found
            out.append((names[0], b"%d" % limit))
            out.append((names[1], b"%d" % left))
            out.append((names[2], moment(int(now + wait) + 1) if anthropic else duration(wait)))
    return out


def duration(seconds: float) -> bytes:
    """As OpenAI writes one: ``1m13s``, ``59s``, ``24ms``."""
    if seconds < 1:
        return b"%dms" % (seconds * 1000)
    minutes, rest = divmod(int(seconds), 60)
    return b"%dm%ds" % (minutes, rest) if minutes else b"%ds" % rest


@lru_cache(maxsize=256)
def moment(at: int) -> bytes:
    """As Anthropic writes one: ``2026-11-21T08:00:00Z``. ``at``: seconds since the epoch."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ").encode()
