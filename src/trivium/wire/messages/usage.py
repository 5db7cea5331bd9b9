"""Usage as the messages protocol counts it, normalised to disjoint counters.

``input_tokens`` leaves cache reads and writes out; ``output_tokens`` contains thinking. Steps of
which the top level knows nothing (compaction, advisor) stand in ``iterations`` only and are added
here, at the request's own model: docs/wire/usage.md. Source: messages reference and SDK types
2.11, read on 2026-11-21.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire.counts import NonsenseError, count

_LEFT_OUT: Final = frozenset({"compaction", "advisor_message"})
"""Kinds of ``iterations`` that the top-level counters leave out."""

_COUNTERS: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
_INPUT: Final = frozenset(_COUNTERS) - {"output_tokens"}


def usage(reported: Any) -> Usage | None:
    """The canonical record of a ``usage`` object; ``None`` when it has no counter or nonsense.

    Marked as estimated where nothing is said of the input: no request has none.
    """
    if not isinstance(reported, dict):
        return None
    said = [name for name in _COUNTERS if reported.get(name) is not None]
    if not said:
        return None
    try:
        found = _summed([reported, *_left_out(reported.get("iterations"))])
    except NonsenseError:
        return None
    if _INPUT.isdisjoint(said):
        return msgspec.structs.replace(found, estimated=True)
    return found


def merged(before: Mapping[str, Any], reported: Any) -> Mapping[str, Any]:
    """Counters after a later event: its totals replace, absent and null ones keep."""
    if not isinstance(reported, dict):
        return before
    return {**before, **{name: value for name, value in reported.items() if value is not None}}


def _summed(steps: list[Mapping[str, Any]]) -> Usage:
    fresh = read = short = long = output = reasoning = 0
    for step in steps:
        fresh += count(step.get("input_tokens"))
        read += count(step.get("cache_read_input_tokens"))
        step_short, step_long = _written(step)
        short += step_short
        long += step_long
        step_output = count(step.get("output_tokens"))
        details = step.get("output_tokens_details")
        thinking = count(details.get("thinking_tokens")) if isinstance(details, dict) else 0
        step_reasoning = min(thinking, step_output)
        reasoning += step_reasoning
        output += step_output - step_reasoning
    return Usage(
        fresh=fresh,
        cache_read=read,
        cache_write_short=short,
        cache_write_long=long,
        output=output,
        reasoning=reasoning,
    )


def _left_out(iterations: Any) -> list[Mapping[str, Any]]:
    if not isinstance(iterations, list):
        return []
    return [step for step in iterations if isinstance(step, dict) and step.get("type") in _LEFT_OUT]


def _written(step: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens written to the caches of five minutes and of one hour."""
    split = step.get("cache_creation")
    short = long = 0
    if isinstance(split, dict):
        short = count(split.get("ephemeral_5m_input_tokens"))
        long = count(split.get("ephemeral_1h_input_tokens"))
    if step.get("cache_creation_input_tokens") is None:
        return short, long
    # a stream's last event repeats the total without the split
    total = count(step["cache_creation_input_tokens"])
    long = min(long, total)
    return total - long, long
