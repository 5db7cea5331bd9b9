"""Usage as the messages protocol counts it, normalised to disjoint counters.

``input_tokens`` leaves cache reads and writes out; ``output_tokens`` contains thinking. Steps of
which the top level knows nothing (compaction, advisor) stand in ``iterations`` only and are added
here, at the request's own model: docs/wire/usage.md. Source: messages reference and SDK types
2.11, read on 2026-11-21.
"""

import operator
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire.lenient import NonsenseError, count, decoded

_decode: Final = msgspec.json.Decoder().decode
_OUTPUT: Final = frozenset({"output_tokens", "output_tokens_details"})
_LEFT_OUT: Final = frozenset({"compaction", "advisor_message"})
"""Kinds of ``iterations`` that the top-level counters leave out."""
_READ: Final = frozenset({
    "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation",
    "output_tokens", "output_tokens_details", "iterations", "service_tier",
})  # fmt: skip
"""What is kept of a stream's counters: an event may have any number of others."""


def usage(reported: Any) -> Usage | None:
    """The canonical record of a ``usage`` object; ``None`` when it has no counter or nonsense.

    Marked as estimated where nothing is said of the input: no request has none.
    """
    if not isinstance(reported, dict):
        return None
    get = reported.get
    is_input_said = (
        get("input_tokens") is not None
        or get("cache_read_input_tokens") is not None
        or get("cache_creation_input_tokens") is not None
    )
    if not is_input_said and get("output_tokens") is None:
        return None
    try:
        counts = _counts(reported)
        if isinstance(iterations := get("iterations"), list):
            for step in _left_out(iterations):
                counts = tuple(map(operator.add, counts, _counts(step)))
    except NonsenseError:
        return None
    fresh, read, short, long, output, reasoning = counts
    return Usage(
        fresh=fresh,
        cache_read=read,
        cache_write_short=short,
        cache_write_long=long,
        output=output,
        reasoning=reasoning,
        estimated=not is_input_said,
    )


def merged(before: Mapping[str, Any], reported: Any) -> Mapping[str, Any]:
    """Counters after a later event: its totals replace, absent and null ones keep."""
    if not isinstance(reported, dict):
        return before
    found = {name: value for name, value in reported.items() if value is not None and name in _READ}
    if isinstance(iterations := found.get("iterations"), list):
        found["iterations"] = _together(iterations)
    return {**before, **found} if before else found


def counters(raw: msgspec.Raw) -> Any:
    """A ``usage`` member as it came; ``None`` of what cannot be read, such as 1e400."""
    return decoded(_decode, raw) if bytes(raw) else None


def uncounted(counters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Counters of an answer that ended without its count: what the start says of the output is not
    the count of it.
    """
    return {name: value for name, value in counters.items() if name not in _OUTPUT}


def _counts(step: Mapping[str, Any]) -> tuple[int, ...]:
    """Fresh input, input read from, written for minutes and for an hour to a cache; output, and
    reasoning.
    """
    get = step.get
    split, wrote = get("cache_creation"), get("cache_creation_input_tokens")
    short = long = reasoning = 0
    if isinstance(split, dict):
        short = count(split.get("ephemeral_5m_input_tokens"))
        long = count(split.get("ephemeral_1h_input_tokens"))
    if wrote is not None:
        # a stream's last event repeats the total without the split
        total = count(wrote)
        long = min(long, total)
        short = total - long
    output = count(get("output_tokens"))
    details = get("output_tokens_details")
    if isinstance(details, dict):
        reasoning = min(count(details.get("thinking_tokens")), output)
    fresh, read = count(get("input_tokens")), count(get("cache_read_input_tokens"))
    return fresh, read, short, long, output - reasoning, reasoning


def _left_out(iterations: list[Any]) -> list[Mapping[str, Any]]:
    return [step for step in iterations if isinstance(step, dict) and step.get("type") in _LEFT_OUT]


def _together(iterations: list[Any]) -> list[Mapping[str, Any]]:
    """What the steps add, as one: of a stream, the counters are worked out with each event."""
    left = _left_out(iterations)
    if len(left) < 2:
        return left
    counts: tuple[int, ...] = (0,) * 6
    for step in left:
        try:
            counts = tuple(map(operator.add, counts, _counts(step)))
        except NonsenseError:
            return [step]
    fresh, read, short, long, output, reasoning = counts
    return [
        {
            "type": left[0]["type"],
            "input_tokens": fresh,
            "cache_read_input_tokens": read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": short,
                "ephemeral_1h_input_tokens": long,
            },
            "output_tokens": output + reasoning,
            "output_tokens_details": {"thinking_tokens": reasoning},
        }
    ]
