"""How long a vendor asks us to wait. Pure: a date is measured against the answer's own ``date``."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

DELAY_MAX_S: Final = 86_400.0
"""Longer waits are cut to a day: a breaker asks again anyway, and clocks of vendors may be off."""

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
# RFC 9110 section 5.6.7: IMF-fixdate, the only form that may be sent
_DATE: Final = re.compile(
    r"\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT", re.IGNORECASE
)
_UNIT: Final = (
    r"(?P<n>\d{1,9}(?:\.\d{1,9})?)\s?"
    r"(?P<u>ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?)(?![a-z])"
)
_PART: Final = re.compile(_UNIT, re.IGNORECASE)
_WORDS: Final = re.compile(
    r"(?:try again|retry|available again|reset)\w*\s+(?:in|after)\s+"
    r"(?P<d>(?:" + _UNIT.replace("?P<n>", "").replace("?P<u>", "") + r"[\s,]*)+)",
    re.IGNORECASE,
)


def retry_after(headers: Mapping[str, str], delay: Any, message: str) -> float | None:
    """Seconds to wait, ``None`` when nothing says. Most exact statement first."""
    found: float | None = None
    if (text := headers.get("retry-after-ms")) is not None:
        found = _number(text, 0.001)
    if found is None and (text := headers.get("retry-after")) is not None:
        found = _number(text, 1.0)
        if found is None:
            found = _until(text, headers.get("date"))
    if found is None and delay is not None:
        found = _google(delay)
    if found is None:
        found = _worded(message)
    return None if found is None else min(max(found, 0.0), DELAY_MAX_S)


def reset_after(headers: Mapping[str, str]) -> float | None:
    """Seconds until the last of the limits of which nothing is left is filled again.

    OpenAI's headers have a duration (``x-ratelimit-reset-tokens: 6m0s``), Anthropic's a time
    (``anthropic-ratelimit-tokens-reset``). ``None`` when none is said to be used up.
    """
    found: list[float] = []
    for name, left in headers.items():
        if left.strip() != "0" or "ratelimit-" not in name or "remaining" not in name:
            continue
        reset = headers.get(name.replace("remaining", "reset"), "")
        wait = _rfc3339(reset, headers.get("date")) if "T" in reset else _sum(reset)
        if wait is not None:
            found.append(min(max(wait, 0.0), DELAY_MAX_S))
    return max(found, default=None)


def _rfc3339(text: str, now: str | None) -> float | None:
    sent = _instant(now)
    try:
        then = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if sent is None or then.tzinfo is None:
        return None
    return (then - sent).total_seconds()


def _number(text: str, unit: float) -> float | None:
    try:
        value = float(text.strip())
    except ValueError:
        return None
    return value * unit if math.isfinite(value) else None


def _until(text: str | None, now: str | None) -> float | None:
    """A date, counted from the moment the vendor sent its answer: our clock has no say."""
    then, sent = _instant(text), _instant(now)
    return (then - sent).total_seconds() if then is not None and sent is not None else None


def _instant(text: str | None) -> datetime | None:
    match = _DATE.fullmatch(text.strip()) if text else None
    if match is None:
        return None
    day, month, year, hour, minute, second = match.groups()
    try:
        return datetime(
            int(year),
            _MONTHS[month.lower()],
            int(day),
            int(hour),
            int(minute),
            min(int(second), 59),  # a leap second is no reason to lose the date
            tzinfo=UTC,
        )
    except (KeyError, ValueError):
        return None


def _google(delay: Any) -> float | None:
    """``retryDelay`` as JSON writes a duration (``34.07s``) or as its struct."""
    if isinstance(delay, str):
        return _sum(delay)
    if isinstance(delay, dict):
        seconds, nanos = delay.get("seconds", 0), delay.get("nanos", 0)
        try:
            found = float(seconds) + float(nanos) / 1e9
        except (TypeError, ValueError, OverflowError):
            return None
        return None if math.isnan(found) else found
    return None


def _worded(message: str) -> float | None:
    """``try again in 1m2.5s``: the only place where some vendors say it."""
    match = _WORDS.search(message[:2000])
    return _sum(match["d"]) if match else None


def _sum(text: str) -> float | None:
    parts = [float(part["n"]) * _seconds(part["u"].lower()) for part in _PART.finditer(text)]
    return sum(parts) if parts else None


def _seconds(unit: str) -> float:
    if unit.startswith(("ms", "milli")):
        return 0.001
    return {"s": 1.0, "m": 60.0, "h": 3600.0}[unit[0]]
