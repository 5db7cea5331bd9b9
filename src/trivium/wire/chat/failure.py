"""An error object inside a 200 answer or stream: what it means.

Source: OpenAI's API reference, error codes; OpenRouter's documentation of errors in streams (a
numeric ``code``, which is an HTTP status). Both read 2026-11-21.
"""

from types import MappingProxyType
from typing import Any, Final

from trivium.faults import Fault, Kind

_WORDS: Final = (
    # in the code, type or message; the first that fits counts
    ("context_length", Kind.CONTEXT_TOO_LONG),
    ("maximum context", Kind.CONTEXT_TOO_LONG),
    ("content_policy", Kind.CONTENT_POLICY),
    ("content_filter", Kind.CONTENT_POLICY),
    ("moderation", Kind.CONTENT_POLICY),
    ("insufficient_quota", Kind.UPSTREAM_CREDENTIAL),
    ("rate_limit", Kind.UPSTREAM_RATE_LIMITED),
    ("overloaded", Kind.UPSTREAM_OVERLOADED),
    ("timeout", Kind.UPSTREAM_TIMEOUT),
)
_STATUS: Final = MappingProxyType(
    {
        401: Kind.UPSTREAM_CREDENTIAL,
        402: Kind.UPSTREAM_CREDENTIAL,
        403: Kind.UPSTREAM_CREDENTIAL,
        408: Kind.UPSTREAM_TIMEOUT,
        429: Kind.UPSTREAM_RATE_LIMITED,
        503: Kind.UPSTREAM_OVERLOADED,
        504: Kind.UPSTREAM_TIMEOUT,
        529: Kind.UPSTREAM_OVERLOADED,
    }
)
_TEXTS: Final = MappingProxyType(
    {
        Kind.UPSTREAM_CREDENTIAL: "The upstream refused the gateway's own credentials or quota.",
        Kind.UPSTREAM_RATE_LIMITED: "The upstream limits the rate of requests.",
        Kind.UPSTREAM_OVERLOADED: "The upstream is overloaded.",
        Kind.UPSTREAM_TIMEOUT: "The upstream took too long.",
    }
)
_TEXT_MAX: Final = 2000


def fault(error: Any) -> Fault:
    """The fault of an ``error`` member: an object, or with some servers a mere text."""
    members: dict[str, Any] = error if isinstance(error, dict) else {"message": error}
    message = members.get("message")
    text = message if isinstance(message, str) else ""
    code = members.get("code")
    kind = Kind.UPSTREAM_BROKE
    if isinstance(code, int):
        kind = _STATUS.get(code, kind)
    said = f"{code} {members.get('type')} {text}".lower()
    kind = next((found for word, found in _WORDS if word in said), kind)
    shown = _TEXTS.get(kind) or f"The upstream reported an error: {text[:_TEXT_MAX] or 'unnamed'}"
    return Fault(kind, shown)


def broke(why: str) -> Fault:
    """The fault of an answer that is not what the shape says; ``why`` ends the sentence."""
    return Fault(
        Kind.UPSTREAM_BROKE, f"The upstream's answer is not what its protocol says: {why}."
    )
